"""Judge a move by its notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pybackend.capture.aligned import Incomparable, Reason
from pybackend.judgment.composition.measure import (
    NOTE_DIMENSIONS,
    Difference,
    Score,
    compare_scores,
    read_score,
)
from pybackend.judgment.composition.notes import NoteSnapshot, snapshot_from
from pybackend.judgment.decide import Case, Decision, TruePeak, decide
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.goal import GoalVector, goal_from
from pybackend.judgment.record import (
    Session,
    collateral,
    measured,
    protects,
    refusal,
    unavailable,
)
from pybackend.judgment.statistics import Change
from pybackend.judgment.verdict import (
    DimensionVerdict,
    Evidence,
    GoalVerdict,
    ReasonLine,
    Verdict,
    score,
)
from pybackend.judgment.weigh import goal_amount, shares
from pybackend.judgment.words import explain

ONLY_PROTECTED: Final = (
    "motifs can only be lost, so their survival can be protected but is no target; aim at "
    "motif_coherence"
)
NO_SOUND: Final = "notes do not show how it sounds; it needs frames of the master"
_NO_PEAK: Final = TruePeak(before_dbtp=-120.0, after_dbtp=-120.0)


def evaluate_composition_move(
    before_snapshot: Any,
    after_snapshot: Any,
    goal_vector: Mapping[str, Any] | GoalVector | str,
    *,
    tries: int = 1,
    kept_composite: float = 0.0,
) -> Verdict:
    """Judge a move by the notes and sections before and after it.

    Notes are known and not sampled, so a change has no interval: it counts if it reaches the
    smallest effect, and is none if it does not. The verdict is deterministic.

    Parameters
    ----------
    before_snapshot, after_snapshot : NoteSnapshot or mapping
        Tracks with clips and notes, sections, beats per bar and tempo: see `NoteSnapshot`.
    goal_vector : mapping, GoalVector or JSON text
        What `compile_goal_vector` returned, verbatim.
    tries : int
        Moves tried for this goal, this one included.
    kept_composite : float
        Sum of ``goal.estimate`` over the moves already kept for this goal.

    Returns
    -------
    Verdict
        Its dimensions of sound are unavailable. Inconclusive, with the reason, if no note sounds on
        one side or the metre is another.

    Raises
    ------
    GoalError
        If the goal is none.
    InputError
        If a snapshot holds no notes or something that cannot be one, or too many.
    """
    goal = goal_from(goal_vector)
    session = Session(tries=tries, kept_composite=kept_composite)
    before = snapshot_from(before_snapshot, "before")
    after = snapshot_from(after_snapshot, "after")
    scores = read_score(before), read_score(after)
    refused = _refused(before, after, scores)
    if refused is not None:
        return refusal(goal, refused, session)
    difference = compare_scores(*scores)
    case = note_case(goal, difference)
    return _verdict(case, decide(case), difference, scores, session)


def _refused(
    before: NoteSnapshot, after: NoteSnapshot, scores: tuple[Score, Score]
) -> Incomparable | None:
    reasons = [
        Reason("no_notes", f"No note sounds {side} the move.")
        for side, found in zip(("before", "after"), scores, strict=True)
        if found.rhythm.onsets <= 0.0
    ]
    if before.beats_per_bar != after.beats_per_bar:
        text = (
            f"A bar has {before.beats_per_bar:g} quarter notes before and "
            f"{after.beats_per_bar:g} after; bars cannot be compared."
        )
        reasons.append(Reason("metre_changed", text))
    return Incomparable(tuple(reasons)) if reasons else None


def note_case(goal: GoalVector, difference: Difference) -> Case:
    """What is known when a move of notes is decided.

    Parameters
    ----------
    goal : GoalVector
        The goal.
    difference : Difference
        From `compare_scores`.
    """
    changes, missing = dict(difference.changes), dict(difference.missing)
    if "motif_survival" in goal.targets and "motif_survival" in changes:
        del changes["motif_survival"]
        missing["motif_survival"] = ONLY_PROTECTED
    for name, entry in DIMENSIONS.items():
        if name not in NOTE_DIMENSIONS:
            missing[name] = entry.unavailable or NO_SOUND
    weights = shares(goal, changes)
    sides = [
        sum(
            weight * getattr(changes[name], side) / DIMENSIONS[name].smallest_effect
            for name, weight in weights.items()
        )
        for side in ("before", "after")
    ]
    composite = Change.exact(*sides) if weights else None
    return Case(goal, changes, composite, missing, _NO_PEAK)


def _verdict(
    case: Case,
    decision: Decision,
    difference: Difference,
    scores: tuple[Score, Score],
    session: Session,
) -> Verdict:
    goal = _goal(case, decision)
    gained = goal.estimate if goal is not None and decision.keep_change else 0.0
    details = tuple(
        f"{name}: {'; '.join(lines)}."
        for name, lines in difference.evidence.items()
        if name in case.changes
    )
    notes = tuple(dict.fromkeys(note for each in scores for note in each.layout.notes))
    return Verdict(
        decision=decision.call,
        keep_change=decision.keep_change,
        would_be=decision.would_be,
        score=None if goal is None else score(goal.estimate),
        goal_progress=session.progress(case.goal, case.changes, gained),
        collateral_damage=tuple(collateral(case, name) for name in decision.collateral),
        explanation=explain(case, decision, session.tries, notes),
        level_match_lu=None,
        mode=case.goal.mode,
        goal=goal,
        protects=protects(decision),
        dimensions={name: _dimension(case, decision, name) for name in DIMENSIONS},
        spectrum={},
        evidence=Evidence(
            grade="good",
            bars=min(each.layout.bars for each in scores),
            captures_before=1,
            captures_after=1,
        ),
        tags=(*decision.tags, "exact"),
        reasons=tuple(ReasonLine(code=code, text=text) for code, text in decision.reasons),
        notes=(*notes, *details),
        bars_needed=None,
        tries=session.tries,
        chance_of_false_keep=0.0,
    )


def _dimension(case: Case, decision: Decision, name: str) -> DimensionVerdict:
    if name not in case.changes:
        return unavailable(name, case.missing[name])
    found = measured(case, decision, name)
    return found.model_copy(update={"bar_sd": None})


def _goal(case: Case, decision: Decision) -> GoalVerdict | None:
    change = case.composite
    if change is None or decision.goal_outcome is None:
        return None
    return GoalVerdict(
        outcome=decision.goal_outcome,
        estimate=change.change,
        ci_low=change.change,
        ci_high=change.change,
        amount=goal_amount(case.goal, case.changes),
    )
