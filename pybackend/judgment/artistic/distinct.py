"""distinctiveness: how unlike earlier results a result is, in sound and in what was done."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.artistic.history import (
    MIN_FIGURES,
    MIN_ITEMS,
    Action,
    History,
    distances,
    own_distances,
    percentile,
)
from pybackend.judgment.artistic.packet import FROM_FRAMES
from pybackend.judgment.artistic.propagate import propagate, sides_of
from pybackend.judgment.artistic.result import ArtisticResult, of_sides, unavailable
from pybackend.judgment.dimensions import DIMENSIONS

if TYPE_CHECKING:
    from pybackend.judgment.features import BarFeatures

Array = npt.NDArray[np.float64]

NAME: Final = "distinctiveness"
_Z90: Final = 1.6449


def distinctiveness(
    history: History, features: BarFeatures | None, actions: Sequence[Action] | None
) -> ArtisticResult:
    """Distinctiveness of a result.

    Its value is the mean of the percentile of its distance to earlier results, and of one less the
    likeness (Jaccard) of its actions to those of the most similar of the last ten; without actions
    it is the percentile. The change is that of the percentile alone, for the state before a move
    has no actions.

    Parameters
    ----------
    history : History
        Earlier results. Eight of them, or there is no saying.
    features : BarFeatures, optional
        Sound before and after.
    actions : sequence of Action, optional
        What the move did.

    Returns
    -------
    ArtisticResult
        The interval of its value holds both the error of measurement and that of so few items
        (Wilson 1927).
    """
    count = len(history.items)
    if count < MIN_ITEMS:
        return unavailable(NAME, f"{count} earlier results, {MIN_ITEMS} needed", count / MIN_ITEMS)
    if features is None:
        return unavailable(NAME, "no sound was measured to compare with earlier results")
    sides = sides_of(features, history.common(FROM_FRAMES))
    names = () if sides is None else sides.names
    table = history.table(names)
    if sides is None or len(names) < MIN_FIGURES or len(table) < MIN_ITEMS:
        reason = f"{len(table)} earlier results share {len(names)} figures with this one"
        return unavailable(NAME, f"{reason}; {MIN_ITEMS} and {MIN_FIGURES} are needed")
    effects = np.array([DIMENSIONS[name].smallest_effect for name in names])
    own = own_distances(table)

    def rank(values: Array) -> Array:
        return percentile(distances(values / effects, table), own)

    change = propagate(rank, sides, floor=0.5 / len(own))
    half = change.half_width
    low = _wilson(max(0.0, change.after - half), len(own))[0]
    high = _wilson(min(1.0, change.after + half), len(own))[1]
    evidence = [f"further from {len(own)} earlier results than {change.after:.0%} of them"]
    value = (change.after, low, high)
    recent = [item for item in history.recent if item.actions]
    if actions and recent:
        alike = max(recent, key=lambda item: _jaccard(actions, item.actions))
        new = 1.0 - _jaccard(actions, alike.actions)
        value = ((value[0] + new) / 2.0, (value[1] + new) / 2.0, (value[2] + new) / 2.0)
        evidence.append(f"{1.0 - new:.0%} of the actions are those of {alike.id}")
    else:
        evidence.append("actions are not known, so only the sound was compared")
    coverage = len(names) / len(FROM_FRAMES)
    return of_sides(NAME, change, value=value, coverage=coverage, evidence=tuple(evidence))


def _jaccard(one: Sequence[Action], other: Sequence[Action]) -> float:
    a, b = set(one), set(other)
    return len(a & b) / len(a | b)


def _wilson(share: float, count: int) -> tuple[float, float]:
    """90 % score interval of a share of ``count`` items."""
    z2 = _Z90**2
    centre = (share + z2 / (2 * count)) / (1 + z2 / count)
    arm = (
        _Z90 / (1 + z2 / count) * math.sqrt(share * (1 - share) / count + z2 / (4 * count * count))
    )
    return max(0.0, centre - arm), min(1.0, centre + arm)
