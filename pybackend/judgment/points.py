"""The verdict on two point snapshots: changes are shown, but single readings never decide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pybackend.capture.point import PointSnapshot
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.goal import GoalVector
from pybackend.judgment.readings import Reading, compare_readings
from pybackend.judgment.record import Session, unavailable
from pybackend.judgment.verdict import (
    DimensionVerdict,
    Evidence,
    GoalVerdict,
    ProtectVerdict,
    ReasonLine,
    Verdict,
    chance_of_false_keep,
    score,
)
from pybackend.judgment.weigh import goal_amount, shares
from pybackend.judgment.words import moved, sentence

NO_SPREAD: Final = (
    "a point snapshot is a single reading and carries no spread, so nothing says how much of the "
    "change is chance; capture whole bars before and after to decide"
)


def judge_points(
    goal: GoalVector, before: PointSnapshot, after: PointSnapshot, session: Session
) -> Verdict:
    """Judge two point snapshots: always inconclusive, with the changes they show.

    Nothing is kept in any mode. Explore keeps an inconclusive move if no target is shown to be
    worse, and single readings cannot show that.
    """
    readings, missing = compare_readings(before, after)
    composite = sum(
        weight * readings[name].change / DIMENSIONS[name].smallest_effect
        for name, weight in shares(goal, readings).items()
    )
    measured = any(name in readings for name in goal.targets)
    notes = _notes(before, after)
    return Verdict(
        decision="inconclusive",
        keep_change=False,
        would_be="inconclusive",
        score=score(composite) if measured else None,
        goal_progress=session.progress(goal, readings),
        collateral_damage=(),
        explanation=_explain(goal, readings, missing, notes),
        level_match_lu=None,
        mode=goal.mode,
        goal=GoalVerdict(
            outcome="inconclusive", estimate=composite, amount=goal_amount(goal, readings)
        )
        if measured
        else None,
        protects={
            name: ProtectVerdict(
                status="unproven",
                unit=DIMENSIONS[name].unit,
                margin=goal.margin(name),
                floor=floor,
                reason=NO_SPREAD,
            )
            for name, floor in goal.protect.items()
        },
        dimensions={
            name: _shown(goal, name, readings[name])
            if name in readings
            else unavailable(name, missing[name])
            for name in DIMENSIONS
        },
        spectrum={},
        evidence=Evidence(
            grade="low", captures_before=1, captures_after=1, device=dict(session.device)
        ),
        tags=("low_evidence",),
        reasons=(ReasonLine(code="point_snapshot", text=NO_SPREAD),),
        notes=notes,
        bars_needed=None,
        tries=session.tries,
        chance_of_false_keep=chance_of_false_keep(session.tries, session.alpha),
    )


def _shown(goal: GoalVector, name: str, reading: Reading) -> DimensionVerdict:
    entry = DIMENSIONS[name]
    remark = f"{reading.remark}; " if reading.remark else ""
    return DimensionVerdict(
        state="inconclusive",
        family=entry.family,
        unit=reading.unit,
        verdict="inconclusive",
        weight=goal.targets.get(name),
        before=reading.before,
        after=reading.after,
        delta=reading.change,
        smallest_effect=entry.smallest_effect,
        reason=f"{remark}a single reading on each side carries no spread",
    )


def _notes(before: PointSnapshot, after: PointSnapshot) -> tuple[str, ...]:
    if before.layout != after.layout:
        text = "One reading has 8 bands and the other 9, and the same name means another band"
        return (f"{text}: they are compared on the edges that both have.",)
    if before.layout == "eight":
        return ("Readings of 8 bands: words are measured on the edges nearest to their own.",)
    return ()


def _explain(
    goal: GoalVector,
    readings: Mapping[str, Reading],
    missing: Mapping[str, str],
    notes: tuple[str, ...],
) -> str:
    phrases = [
        moved(DIMENSIONS[name], readings[name].change)
        if name in readings
        else f"{name} not measured ({missing[name]})"
        for name in goal.targets
    ]
    first = f"one reading on each side shows: {'; '.join(phrases)}"
    return " ".join(sentence(each) for each in (first, f"inconclusive: {NO_SPREAD}", *notes))
