"""style_fit: how close a result lies to the numeric targets of a concept packet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.artistic.packet import FROM_FRAMES, TEMPO, ConceptPacket, NumericTarget
from pybackend.judgment.artistic.propagate import Function, propagate, sides_of
from pybackend.judgment.artistic.result import (
    MIN_COVERAGE,
    ArtisticResult,
    of_sides,
    unavailable,
)
from pybackend.judgment.statistics import Change

if TYPE_CHECKING:
    from pybackend.judgment.features import BarFeatures

Array = npt.NDArray[np.float64]

NAME: Final = "style_fit"
ERROR_FLOOR: Final = 0.005


def fit(values: Array, targets: Sequence[NumericTarget]) -> Array:
    """Weighted closeness to targets.

    Parameters
    ----------
    values : ndarray of float64, shape (draws, targets)
        Measurements.
    targets : sequence of NumericTarget
        What they should be.

    Returns
    -------
    ndarray of float64, shape (draws,)
        1 where all lie in their ranges, 0 where none is within its falloff.
    """
    mu, tol, falloff, weight = (
        np.array([getattr(target, name) for target in targets])
        for name in ("mu", "tol", "falloff", "weight")
    )
    beyond = np.maximum(0.0, np.abs(values - mu) - tol) / falloff
    result: Array = 1.0 - np.minimum(1.0, beyond) @ weight / weight.sum()
    return result


def style_fit(
    packet: ConceptPacket,
    features: BarFeatures | None,
    exact: Mapping[str, tuple[float, float]],
) -> ArtisticResult:
    """Fit to a packet before and after a move.

    Parameters
    ----------
    packet : ConceptPacket
        With numeric targets.
    features : BarFeatures, optional
        Sound, for targets of sound.
    exact : mapping of str to (float, float)
        What is known before and after without error: ``tempo_bpm``, and what notes show.

    Returns
    -------
    ArtisticResult
        Unavailable if less than half of the weight of the targets was measured, or if the packet
        is prose but for a tempo.
    """
    targets = packet.numeric_targets()
    if not targets:
        return unavailable(NAME, f"packet {packet.id} is prose only; it has no numbers to fit")
    sides = None
    if features is not None:
        sides = sides_of(features, [name for name in targets if name in FROM_FRAMES])
    heard = () if sides is None else sides.names
    known = [name for name in targets if name in exact and name not in FROM_FRAMES]
    total = sum(target.weight for target in targets.values())
    coverage = sum(targets[name].weight for name in (*heard, *known)) / total
    evidence = _evidence(targets, known, exact)
    if packet.prose_only:
        reason = f"packet {packet.id} is prose but for its tempo, which is no style"
        return unavailable(NAME, reason, coverage, evidence)
    if coverage < MIN_COVERAGE:
        missing = ", ".join(name for name in targets if name not in (*heard, *known))
        reason = f"only {coverage:.0%} of the packet's weight was measured; missing: {missing}"
        return unavailable(NAME, reason, coverage, evidence)
    order = [targets[name] for name in (*heard, *known)]
    pinned = np.array([exact[name] for name in known]).reshape(-1, 2)
    if sides is None:
        before, after = (float(fit(pinned[None, :, side], order)[0]) for side in (0, 1))
        return of_sides(NAME, Change.exact(before, after), coverage=coverage, evidence=evidence)
    # The sound is a function of what was drawn; what is exact joins it on its own side.
    whole = float(sum(target.weight for target in order))
    share = float(sum(targets[name].weight for name in heard)) / whole
    of_sound = _sound_function([targets[name] for name in heard])
    change = propagate(of_sound, sides, ERROR_FLOOR)
    rest = [0.0, 0.0]
    if known:
        pinned_targets = [targets[name] for name in known]
        rest = [float(fit(pinned[None, :, side], pinned_targets)[0]) for side in (0, 1)]
    before, after = (
        share * sound + (1.0 - share) * other
        for sound, other in zip((change.before, change.after), rest, strict=True)
    )
    scaled = replace(
        change, before=before, after=after, change=after - before, se=share * change.se
    )
    lines = (*_heard(sides.names, sides.before, sides.after, targets), *evidence)
    return of_sides(NAME, scaled, coverage=coverage, evidence=lines)


def _sound_function(targets: list[NumericTarget]) -> Function:
    return lambda values: fit(values, targets)


def _heard(
    names: Sequence[str], before: Array, after: Array, targets: Mapping[str, NumericTarget]
) -> list[str]:
    pairs = zip(names, before.tolist(), after.tolist(), strict=True)
    return [_line(name, targets[name], one, two) for name, one, two in pairs]


def _evidence(
    targets: Mapping[str, NumericTarget],
    known: Sequence[str],
    exact: Mapping[str, tuple[float, float]],
) -> tuple[str, ...]:
    return tuple(_line(name, targets[name], *exact[name]) for name in known)


def _line(name: str, target: NumericTarget, before: float, after: float) -> str:
    unit = "BPM" if name == TEMPO else _unit(name)
    wanted = f"{target.mu:g} +-{target.tol:g} {unit}".rstrip()
    return f"{name} {before:.2f} to {after:.2f}, wanted {wanted} ({target.source})"


def _unit(name: str) -> str:
    from pybackend.judgment.dimensions import DIMENSIONS  # noqa: PLC0415

    return DIMENSIONS[name].unit
