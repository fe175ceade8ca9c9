"""What is known of one artistic dimension."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.statistics import ALPHA, Change, outcome
from pybackend.judgment.verdict import State

MIN_COVERAGE: Final = 0.5
"""Share of what a dimension is made of that has to be known."""

Movement = Literal["better", "same", "worse", "inconclusive"]
_MOVEMENTS: Final[dict[str, Movement]] = {
    "up": "better",
    "down": "worse",
    "same": "same",
    "inconclusive": "inconclusive",
}


class ArtisticResult(BaseModel):
    """One dimension of the artistic family.

    Parameters
    ----------
    name : str
        The dimension.
    state : {"measured", "inconclusive", "unavailable"}
        Unavailable has no number and a reason.
    value : float or None
        What enters the artistic score, 0..1, with its 90 % interval in ``value_low`` and
        ``value_high``.
    before, after, delta, ci_low, ci_high : float or None
        The two sides, and the change with its 90 % interval, for dimensions of which a side has
        any; a property of the move, such as restraint, has none.
    movement : {"better", "same", "worse", "inconclusive"} or None
        What the change amounts to, against the smallest effect.
    coverage : float
        Share of what the dimension is made of that was known.
    factors : dict of str to float
        What a product is made of.
    evidence : tuple of str
        What the numbers come from.
    reason : str or None
        Why it is unavailable or inconclusive.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str
    state: State
    value: float | None = None
    value_low: float | None = None
    value_high: float | None = None
    before: float | None = None
    after: float | None = None
    delta: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    movement: Movement | None = None
    coverage: float = 0.0
    factors: dict[str, float] = {}
    evidence: tuple[str, ...] = ()
    reason: str | None = None


def unavailable(
    name: str, reason: str, coverage: float = 0.0, evidence: tuple[str, ...] = ()
) -> ArtisticResult:
    """Result for what cannot be known."""
    return ArtisticResult(
        name=name, state="unavailable", coverage=coverage, evidence=evidence, reason=reason
    )


def of_sides(
    name: str,
    change: Change,
    *,
    value: tuple[float, float, float] | None = None,
    coverage: float = 1.0,
    evidence: tuple[str, ...] = (),
) -> ArtisticResult:
    """Result for a dimension of which both sides have a value.

    Parameters
    ----------
    name : str
        The dimension.
    change : Change
        Before, after, and the error of the difference.
    value : tuple of float, optional
        Value, low and high, where it is not that of after.
    coverage, evidence
        As in `ArtisticResult`.
    """
    half = change.half_width
    found = _MOVEMENTS[outcome(change, DIMENSIONS[name].smallest_effect, ALPHA)]
    low = max(0.0, change.after - half)
    high = min(1.0, change.after + half)
    shown = (change.after, low, high) if value is None else value
    return ArtisticResult(
        name=name,
        state="inconclusive" if found == "inconclusive" else "measured",
        value=shown[0],
        value_low=shown[1],
        value_high=shown[2],
        before=change.before,
        after=change.after,
        delta=change.change,
        ci_low=change.change - half,
        ci_high=change.change + half,
        movement=found,
        coverage=coverage,
        evidence=evidence,
        reason="the change is neither clear nor clearly none" if found == "inconclusive" else None,
    )
