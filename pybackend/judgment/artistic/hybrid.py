"""Two concept packets made one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pybackend.errors import InputError
from pybackend.judgment.artistic.packet import (
    Bias,
    ConceptPacket,
    MoveFamilyBias,
    NumericTarget,
    ReachFor,
    TempoHint,
)

_UNITED: Final = (
    "aliases",
    "sonic_identity",
    "avoid",
    "rhythm_idioms",
    "harmony_idioms",
    "arrangement_idioms",
    "texture_idioms",
    "sample_roles",
    "key_techniques",
    "dimensions_in_scope",
)


def merge(
    one: ConceptPacket, other: ConceptPacket, share: float = 0.5
) -> tuple[ConceptPacket, tuple[str, ...]]:
    """Merge two packets.

    What identifies, warns or suggests is united; what is favoured or left aside is what both say;
    numbers are weighted means; of protects and of the novelty budget the larger holds. Tempi
    overlap, or meet in the middle with a warning. A number that only one has keeps its weight times
    that packet's share.

    Parameters
    ----------
    one, other : ConceptPacket
        What is merged.
    share : float
        Of ``one``, between 0 and 1.

    Returns
    -------
    packet : ConceptPacket
        Of type hybrid.
    warnings : tuple of str
        Where the two contradict each other.

    Raises
    ------
    InputError
        If the share does not lie between 0 and 1.
    """
    if not 0.0 < share < 1.0:
        raise InputError(f"the share of the first packet must lie between 0 and 1, got {share:g}")
    warnings: list[str] = []
    fields: dict[str, Any] = {name: _united(one, other, name) for name in _UNITED}
    left = set(one.dimensions_deprioritized) & set(other.dimensions_deprioritized)
    families = one.move_family_bias, other.move_family_bias
    merged = ConceptPacket(
        id=f"{one.id}+{other.id}"[:100],
        name=" x ".join(filter(None, (one.name or one.id, other.name or other.id)))[:200],
        type="hybrid",
        **fields,
        reach_for=ReachFor(
            **{
                name: _united(one.reach_for, other.reach_for, name)
                for name in ReachFor.model_fields
            }
        ),
        evaluation_bias=Bias(
            target_dimensions=_mean(
                one.evaluation_bias.target_dimensions,
                other.evaluation_bias.target_dimensions,
                share,
            ),
            protect=_largest(one.evaluation_bias.protect, other.evaluation_bias.protect),
        ),
        move_family_bias=MoveFamilyBias(
            favor=tuple(name for name in families[0].favor if name in families[1].favor),
            deprioritize=tuple(
                name for name in families[0].deprioritize if name in families[1].deprioritize
            ),
        ),
        dimensions_deprioritized=tuple(
            name for name in one.dimensions_deprioritized if name in left
        ),
        novelty_budget=max(one.novelty_budget, other.novelty_budget),
        tempo_hint=_tempo(one, other, share, warnings),
        targets=_targets(one, other, share, warnings),
        measured_from=(*one.measured_from, *other.measured_from),
    )
    return merged, tuple(warnings)


def _united(one: Any, other: Any, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*getattr(one, name), *getattr(other, name))))


def _mean(one: Mapping[str, float], other: Mapping[str, float], share: float) -> dict[str, float]:
    return {
        name: share * one.get(name, 0.0) + (1.0 - share) * other.get(name, 0.0)
        for name in dict.fromkeys((*one, *other))
    }


def _largest(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {
        name: max(one.get(name, 0.0), other.get(name, 0.0))
        for name in dict.fromkeys((*one, *other))
    }


def _tempo(
    one: ConceptPacket, other: ConceptPacket, share: float, warnings: list[str]
) -> TempoHint | None:
    if one.tempo_hint is None or other.tempo_hint is None:
        return one.tempo_hint or other.tempo_hint
    a, b = one.tempo_hint, other.tempo_hint
    signature = a.signature if a.signature == b.signature else ""
    low, high = max(a.min, b.min), min(a.max, b.max)
    if low <= high:
        return TempoHint(min=low, max=high, signature=signature)
    middle = share * (a.min + a.max) / 2.0 + (1.0 - share) * (b.min + b.max) / 2.0
    warnings.append(
        f"tempi do not overlap ({a.min:g}-{a.max:g} and {b.min:g}-{b.max:g} BPM): "
        f"{middle:.0f} BPM lies between them"
    )
    return TempoHint(min=middle, max=middle, signature=signature)


def _targets(
    one: ConceptPacket, other: ConceptPacket, share: float, warnings: list[str]
) -> dict[str, NumericTarget]:
    found: dict[str, NumericTarget] = {}
    for name in dict.fromkeys((*one.targets, *other.targets)):
        if name not in other.targets:
            found[name] = _lighter(one.targets[name], share)
            continue
        if name not in one.targets:
            found[name] = _lighter(other.targets[name], 1.0 - share)
            continue
        a, b = one.targets[name], other.targets[name]
        if abs(a.mu - b.mu) > a.tol + b.tol:
            warnings.append(f"{name}: {a.mu:g} +-{a.tol:g} and {b.mu:g} +-{b.tol:g} do not overlap")
        found[name] = NumericTarget(
            mu=share * a.mu + (1.0 - share) * b.mu,
            tol=share * a.tol + (1.0 - share) * b.tol,
            falloff=share * a.falloff + (1.0 - share) * b.falloff,
            weight=share * a.weight + (1.0 - share) * b.weight,
            source=f"{a.source}; {b.source}"[:400],
        )
    return found


def _lighter(target: NumericTarget, share: float) -> NumericTarget:
    return target.model_copy(update={"weight": target.weight * share})
