"""The verdict: what was decided about a move, with the figures that it follows from."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from pybackend.judgment.answers import Answer
from pybackend.judgment.decide import Call
from pybackend.judgment.dimension import Family
from pybackend.judgment.goal import Mode
from pybackend.judgment.protect import Status
from pybackend.judgment.statistics import Outcome

SCHEMA_VERSION: Final = 1
CI_LEVEL: Final = 0.9

State = Literal["measured", "inconclusive", "unavailable"]
Grade = Literal["none", "low", "fair", "good"]
Scalar = str | int | float | bool | None


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class DimensionVerdict(_Record):
    """One dimension: its values, its change with a 90 % interval, and what that amounts to.

    ``verdict`` sees a target from the goal (improved is what was asked for) and any other dimension
    from its own direction; *moved* is a change of something that has none. ``level_before`` and
    ``level_after`` are the values on the display scale 0..1. ``bar_sd`` is how much the change
    differs from bar to bar. What is not known is None, with the reason.
    """

    state: State
    family: Family
    unit: str
    verdict: Answer | None = None
    weight: float | None = None
    before: float | None = None
    after: float | None = None
    delta: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    smallest_effect: float | None = None
    bar_sd: float | None = None
    level_before: float | None = None
    level_after: float | None = None
    reason: str | None = None


class GoalVerdict(_Record):
    """The measured targets as one number, in units of their smallest effects.

    ``p`` is the one-sided p value of no improvement; ``amount`` is the number at which the goal
    counts as reached. Interval, p and df are None where the readings carry no spread.
    """

    outcome: Outcome
    estimate: float
    amount: float
    ci_low: float | None = None
    ci_high: float | None = None
    p: float | None = None
    df: int | None = None


class ProtectVerdict(_Record):
    """A protected dimension; margin, floor_native and loss are in its native unit."""

    status: Status
    unit: str
    margin: float
    floor: float | None = None
    floor_native: float | None = None
    already_below: bool = False
    loss: float | None = None
    reason: str | None = None


class Collateral(_Record):
    """A dimension outside the goal that got worse by its smallest effect or more."""

    dimension: str
    delta: float
    unit: str
    ci_low: float
    ci_high: float
    smallest_effect: float
    text: str


class BandLevel(_Record):
    """Level of a band in dB; ``after_db`` is matched in loudness to before."""

    before_db: float
    after_db: float


class Evidence(_Record):
    """What the verdict rests on.

    ``grade`` is good with a repeat, fair without one or where repeats drift, low for readings that
    carry no spread, none where nothing could be compared. ``frames`` are per capture, ``loss`` is
    the worst capture's share of missing frames.
    """

    grade: Grade
    frames: int = 0
    bars: int = 0
    loss: float | None = None
    positions: Literal["song", "start"] | None = None
    captures_before: int = 0
    captures_after: int = 0
    ci_level: float = CI_LEVEL
    alpha: float | None = None
    start_beats: float | None = None
    end_beats: float | None = None
    tempo_bpm: float | None = None
    lag_s: tuple[float, ...] = ()
    sample_rate_hz: float | None = None
    true_peak_before_dbtp: float | None = None
    true_peak_after_dbtp: float | None = None
    device: dict[str, Scalar] = {}


class ReasonLine(_Record):
    """A reason: a code for programs, a line for people."""

    code: str
    text: str


class Verdict(_Record):
    """The whole verdict; ``model_dump(mode="json")`` holds no number that is not finite.

    ``score`` is 0.5 for no change, above for better, below for worse, and None where no target was
    measured. ``would_be`` is the decision that a mode which may act would have taken.
    ``level_match_lu`` is the gain that brings *after* to the loudness of *before*.
    ``chance_of_false_keep`` is the nominal chance that at least one of ``tries`` unchanged moves is
    kept.
    """

    schema_version: int = SCHEMA_VERSION
    decision: Call
    keep_change: bool
    would_be: Call
    score: float | None
    goal_progress: float
    collateral_damage: tuple[Collateral, ...]
    explanation: str
    level_match_lu: float | None
    mode: Mode
    goal: GoalVerdict | None
    protects: dict[str, ProtectVerdict]
    dimensions: dict[str, DimensionVerdict]
    spectrum: dict[str, BandLevel]
    evidence: Evidence
    tags: tuple[str, ...]
    reasons: tuple[ReasonLine, ...]
    notes: tuple[str, ...]
    bars_needed: int | None
    tries: int
    chance_of_false_keep: float


def score(composite: float) -> float:
    """Score of a composite in smallest effects: 0.5 + 0.5 G / (|G| + 2).

    A composite below 1e-9 is no change. The result is a multiple of 2^-40, so that the score of the
    swapped comparison is 1 - score to the last bit.
    """
    if abs(composite) < 1e-9:
        return 0.5
    offset = 0.5 * composite / (abs(composite) + 2.0)
    return 0.5 + round(offset * 2.0**40) / 2.0**40


def chance_of_false_keep(tries: int, alpha: float) -> float:
    """Chance that at least one of so many unchanged moves is kept."""
    return float(1.0 - (1.0 - alpha) ** tries)
