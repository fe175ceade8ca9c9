"""What was measured and decided, written down as a verdict."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from pybackend.capture.aligned import AlignedCaptures, Incomparable
from pybackend.judgment.decide import Case, Decision
from pybackend.judgment.dimension import Dimension
from pybackend.judgment.dimensions import DIMENSIONS, FRAME_INDEX
from pybackend.judgment.goal import GoalVector
from pybackend.judgment.statistics import ALPHA, NEGLIGIBLE, Change
from pybackend.judgment.verdict import (
    BandLevel,
    Collateral,
    DimensionVerdict,
    Evidence,
    GoalVerdict,
    ProtectVerdict,
    ReasonLine,
    Scalar,
    Verdict,
    chance_of_false_keep,
    score,
)
from pybackend.judgment.weigh import goal_amount
from pybackend.judgment.words import change_unit, collateral_text, explain, number, sentence
from pybackend.metering.design import BAND_NAMES

if TYPE_CHECKING:
    from pybackend.judgment.features import BarFeatures


@dataclass(frozen=True, slots=True)
class Session:
    """What is known beside the captures.

    Parameters
    ----------
    tries : int
        Moves tried for this goal, this one included.
    alpha : float
        One-sided error of each keep.
    kept_composite : float
        Sum of the composites of the moves already kept for this goal, in smallest effects.
    device : mapping
        What is known of the analyzer.
    """

    tries: int = 1
    alpha: float = ALPHA
    kept_composite: float = 0.0
    device: Mapping[str, Scalar] = field(default_factory=dict)

    def progress(self, goal: GoalVector, measured: Container[str], gained: float = 0.0) -> float:
        """Share of the goal that is reached with what was kept before and what is kept now."""
        amount = goal_amount(goal, measured) or goal_amount(goal, goal.targets)
        return min(1.0, max(0.0, (self.kept_composite + gained) / amount))


def verdict_of(
    case: Case,
    decision: Decision,
    features: BarFeatures,
    aligned: AlignedCaptures,
    session: Session,
) -> Verdict:
    """Write down the verdict on comparable captures."""
    goal = _goal_verdict(case, decision)
    gained = goal.estimate if goal is not None and decision.keep_change else 0.0
    levels = features.k_level_lufs
    notes = (*aligned.notes, *features.notes)
    match = float(levels[: features.n_before].mean() - levels[features.n_before :].mean())
    return Verdict(
        decision=decision.call,
        keep_change=decision.keep_change,
        would_be=decision.would_be,
        score=None if goal is None else score(goal.estimate),
        goal_progress=session.progress(case.goal, case.changes, gained),
        collateral_damage=tuple(collateral(case, name) for name in decision.collateral),
        explanation=explain(case, decision, session.tries, notes),
        level_match_lu=match,
        mode=case.goal.mode,
        goal=goal,
        protects=protects(decision),
        dimensions={
            name: measured(case, decision, name, _remark(features, name))
            if name in case.changes
            else unavailable(name, case.missing[name])
            for name in DIMENSIONS
        },
        spectrum=_spectrum(features, match),
        evidence=_evidence(case, features, aligned, session, decision.tags),
        tags=decision.tags,
        reasons=tuple(ReasonLine(code=code, text=text) for code, text in decision.reasons),
        notes=notes,
        bars_needed=decision.bars_needed,
        tries=session.tries,
        chance_of_false_keep=chance_of_false_keep(session.tries, case.keep_alpha),
    )


def _remark(features: BarFeatures, name: str) -> str:
    return features.remarks[FRAME_INDEX[name]] if name in FRAME_INDEX else ""


def refusal(
    goal: GoalVector, refused: Incomparable, session: Session, evidence: Evidence | None = None
) -> Verdict:
    """Write down that nothing could be compared, and why."""
    why = " ".join(sentence(reason.text) for reason in refused.reasons)
    why = why or "The captures cannot be compared."
    return Verdict(
        decision="inconclusive",
        keep_change=False,
        would_be="inconclusive",
        score=None,
        goal_progress=session.progress(goal, ()),
        collateral_damage=(),
        explanation=f"Not comparable, so nothing was judged and nothing is kept. {why}",
        level_match_lu=None,
        mode=goal.mode,
        goal=None,
        protects={
            name: ProtectVerdict(
                status="unproven",
                unit=DIMENSIONS[name].unit,
                margin=goal.margin(name),
                floor=floor,
                reason=why,
            )
            for name, floor in goal.protect.items()
        },
        dimensions={
            name: unavailable(name, entry.unavailable or why) for name, entry in DIMENSIONS.items()
        },
        spectrum={},
        evidence=evidence or Evidence(grade="none", device=dict(session.device)),
        tags=("incomparable",),
        reasons=tuple(ReasonLine(code=each.code, text=each.text) for each in refused.reasons),
        notes=(),
        bars_needed=None,
        tries=session.tries,
        chance_of_false_keep=chance_of_false_keep(session.tries, session.alpha),
    )


def _goal_verdict(case: Case, decision: Decision) -> GoalVerdict | None:
    change = case.composite
    if change is None or decision.goal_outcome is None:
        return None
    estimate = 0.0 if abs(change.change) < NEGLIGIBLE else change.change
    return GoalVerdict(
        outcome=decision.goal_outcome,
        estimate=estimate,
        ci_low=estimate - change.half_width,
        ci_high=estimate + change.half_width,
        p=change.p_not_up,
        df=change.df,
        amount=goal_amount(case.goal, case.changes),
    )


def collateral(case: Case, name: str) -> Collateral:
    """Write down a side effect."""
    entry, change = DIMENSIONS[name], case.changes[name]
    return Collateral(
        dimension=name,
        delta=change.change,
        unit=change_unit(entry),
        ci_low=change.change - change.half_width,
        ci_high=change.change + change.half_width,
        smallest_effect=entry.smallest_effect,
        text=collateral_text(name, change),
    )


def protects(decision: Decision) -> dict[str, ProtectVerdict]:
    """Write down what became of the protects."""
    return {
        item.name: ProtectVerdict(
            status=item.status,
            unit=DIMENSIONS[item.name].unit,
            margin=item.margin,
            floor=item.floor,
            floor_native=item.floor_native,
            already_below=item.already_below,
            loss=item.loss,
            reason=item.reason or None,
        )
        for item in decision.protects
    }


def measured(case: Case, decision: Decision, name: str, remark: str = "") -> DimensionVerdict:
    """Write down a dimension that was measured."""
    entry, change, answer = DIMENSIONS[name], case.changes[name], decision.answers[name]
    half = change.half_width
    return DimensionVerdict(
        state="inconclusive" if answer == "inconclusive" else "measured",
        family=entry.family,
        unit=entry.unit,
        verdict=answer,
        weight=case.goal.targets.get(name),
        before=change.before,
        after=change.after,
        delta=change.change,
        ci_low=change.change - half,
        ci_high=change.change + half,
        smallest_effect=entry.smallest_effect,
        bar_sd=change.bar_sd,
        level_before=entry.squash(change.before),
        level_after=entry.squash(change.after),
        reason=remark or (_open_reason(entry, change) if answer == "inconclusive" else None),
    )


def _open_reason(entry: Dimension, change: Change) -> str:
    low, high = change.change - change.half_width, change.change + change.half_width
    return (
        f"{number(low)} to {number(high)} {change_unit(entry)} is neither clearly a change nor "
        f"clearly within +-{entry.smallest_effect:g}"
    )


@lru_cache(maxsize=512)
def unavailable(name: str, why: str) -> DimensionVerdict:
    """Verdict on a dimension that was not measured."""
    entry = DIMENSIONS[name]
    return DimensionVerdict(
        state="unavailable",
        family=entry.family,
        unit=entry.unit,
        smallest_effect=entry.smallest_effect or None,
        reason=why,
    )


def _spectrum(features: BarFeatures, match_lu: float) -> dict[str, BandLevel]:
    before = features.band_db[: features.n_before].mean(axis=0).tolist()
    after = features.band_db[features.n_before :].mean(axis=0).tolist()
    return {
        name: BandLevel(before_db=low, after_db=high + match_lu)
        for name, low, high in zip(BAND_NAMES, before, after, strict=True)
        if low == low and high == high  # noqa: PLR0124 - NaN marks a band the rate cannot carry
    }


def _evidence(
    case: Case,
    features: BarFeatures,
    aligned: AlignedCaptures,
    session: Session,
    tags: tuple[str, ...],
) -> Evidence:
    n_captures = len(aligned.values)
    return Evidence(
        grade="good" if n_captures > 2 and "drift" not in tags else "fair",
        frames=features.frames,
        bars=features.n_bars,
        loss=max(aligned.loss, default=0.0),
        positions=aligned.positions,
        captures_before=aligned.n_before,
        captures_after=n_captures - aligned.n_before,
        alpha=case.keep_alpha,
        start_beats=aligned.start_beats,
        end_beats=aligned.end_beats,
        tempo_bpm=aligned.tempo_bpm,
        lag_s=aligned.lag_s,
        sample_rate_hz=features.sample_rate_hz,
        true_peak_before_dbtp=case.peak.before_dbtp,
        true_peak_after_dbtp=case.peak.after_dbtp,
        device=dict(session.device),
    )
