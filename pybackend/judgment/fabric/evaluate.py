"""The way to every engine, and the evaluator of mix moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pybackend.capture.aligned import AlignedCaptures, Incomparable, Reason
from pybackend.capture.point import PointSnapshot
from pybackend.errors import GoalError
from pybackend.judgment.evaluate import evaluate_move, judge
from pybackend.judgment.fabric.bundle import SessionSnapshot
from pybackend.judgment.fabric.written import (
    Comparison,
    Engine,
    EngineVerdict,
    engine_named,
    judge_rows,
    labelled,
)
from pybackend.judgment.goal import GoalVector, compile_goal_vector, goal_from
from pybackend.judgment.intake import take_in
from pybackend.judgment.record import Session, refusal

Targets = Mapping[str, Any] | GoalVector | str | None
Protect = Mapping[str, Any] | list[str] | tuple[str, ...] | str | None


def evaluate_with_fabric(
    engine: str,
    before_snapshot: Any,
    after_snapshot: Any,
    targets: Targets = None,
    protect: Protect = None,
    *,
    mode: str = "improve",
    aggression: float = 0.5,
    loop_beats: float | None = None,
    tries: int = 1,
) -> EngineVerdict:
    """Judge a move with the engine of its kind.

    Parameters
    ----------
    engine : str
        sonic (`evaluate_move`), composition (`evaluate_composition_move`), mix, transition or
        translation.
    before_snapshot, after_snapshot
        Any form that `SessionSnapshot.take_in` reads. What the engine needs and is not there makes
        its dimensions unavailable, or the sides incomparable; it never makes a keep.
    targets : mapping, GoalVector or JSON text
        Dimension to signed weight; or a whole goal, as `compile_goal_vector` returned it.
    protect : mapping or list, optional
        As for `compile_goal_vector`; part of the goal where a whole goal is given.
    mode, aggression
        As for `compile_goal_vector`, where no whole goal is given.
    loop_beats : float, optional
        In Session View: see `align`.
    tries : int
        Moves tried for this goal, this one included.

    Returns
    -------
    EngineVerdict
        A `Verdict` with what only the engine knows.

    Raises
    ------
    GoalError
        If there is no such engine, or the goal is none.
    InputError
        If a snapshot has another form.
    """
    name = engine_named(engine)
    goal = _goal(targets, protect, mode, aggression)
    before = SessionSnapshot.take_in(before_snapshot, "before")
    after = SessionSnapshot.take_in(after_snapshot, "after")
    session = Session(tries=tries)
    if name == "composition":
        return _composition(goal, before, after, session)
    refused = _unusable(name, before, after)
    if refused is not None:
        return labelled(refusal(goal, refused, session), name)
    if isinstance(before, PointSnapshot) or isinstance(after, PointSnapshot):
        sides = _sound(before), _sound(after)
        verdict = evaluate_move(goal, *sides, loop_beats=loop_beats, tries=tries)
        return labelled(verdict, name)
    return _judge_frames(name, goal, before, after, session=session, loop_beats=loop_beats)


def evaluate_mix_move(
    before_snapshot: Any,
    after_snapshot: Any,
    targets: Targets = None,
    protect: Protect = None,
    *,
    mode: str = "improve",
    aggression: float = 0.5,
    loop_beats: float | None = None,
    tries: int = 1,
) -> EngineVerdict:
    """Judge a mix move with protection constraints: `evaluate_with_fabric` with the mix engine."""
    return evaluate_with_fabric(
        "mix",
        before_snapshot,
        after_snapshot,
        targets,
        protect,
        mode=mode,
        aggression=aggression,
        loop_beats=loop_beats,
        tries=tries,
    )


def _judge_frames(
    engine: Engine,
    goal: GoalVector,
    before: SessionSnapshot,
    after: SessionSnapshot,
    *,
    session: Session,
    loop_beats: float | None,
) -> EngineVerdict:
    from pybackend.judgment.features import bar_features  # noqa: PLC0415 - compiles kernels

    aligned = cast(
        AlignedCaptures | Incomparable,
        take_in(list(before.master), list(after.master), loop_beats),
    )
    if isinstance(aligned, Incomparable):
        return labelled(refusal(goal, aligned, session), engine)
    spans = [
        (each.start_bar * aligned.beats_per_bar, each.end_bar * aligned.beats_per_bar)
        for each in before.sections or after.sections
    ]
    if engine == "sonic":
        return labelled(judge(goal, aligned, tries=session.tries, sections=spans), engine)
    features = bar_features(aligned, spans)
    if isinstance(features, Incomparable):
        return labelled(refusal(goal, features, session), engine)
    given = Comparison(engine, goal, aligned, features, session)
    if engine == "mix":
        return _mix(given, before, after, loop_beats)
    if engine == "transition":
        return _transition(given, before, after)
    return _translation(given)


def _unusable(
    engine: Engine, before: SessionSnapshot | PointSnapshot, after: SessionSnapshot | PointSnapshot
) -> Incomparable | None:
    for side, label in ((before, "before"), (after, "after")):
        if isinstance(side, SessionSnapshot) and not side.master:
            text = f"There are no frames of the master {label} the move; capture it first."
            return Incomparable((Reason("no_frames", text),))
        if isinstance(side, PointSnapshot) and engine in ("transition", "translation"):
            text = f"A single reading shows nothing of {engine}; capture whole bars on both sides."
            return Incomparable((Reason("point_snapshot", text),))
    return None


def _goal(targets: Targets, protect: Protect, mode: str, aggression: float) -> GoalVector:
    if targets is None:
        raise GoalError("no targets; say what the move is for, for example {'brightness': 1}")
    key = '"targets"' if isinstance(targets, str) else "targets"
    if isinstance(targets, GoalVector) or (isinstance(targets, Mapping | str) and key in targets):
        if protect:
            raise GoalError("a whole goal holds its own protects; leave protect out")
        return goal_from(targets)
    return GoalVector(**compile_goal_vector("", targets, protect, mode, aggression))


def _sound(side: SessionSnapshot | PointSnapshot) -> Any:
    return side if isinstance(side, PointSnapshot) else list(side.master)


def _composition(
    goal: GoalVector,
    before: SessionSnapshot | PointSnapshot,
    after: SessionSnapshot | PointSnapshot,
    session: Session,
) -> EngineVerdict:
    from pybackend.judgment.composition.evaluate import (  # noqa: PLC0415 - compiles kernels
        evaluate_composition_move,
    )

    sides = [None if isinstance(side, PointSnapshot) else side.notes for side in (before, after)]
    for side, label in zip(sides, ("before", "after"), strict=True):
        if side is None:
            text = f"There are no notes {label} the move; read notes and clips first."
            refused = Incomparable((Reason("no_notes", text),))
            return labelled(refusal(goal, refused, session), "composition")
    verdict = evaluate_composition_move(sides[0], sides[1], goal, tries=session.tries)
    return labelled(verdict, "composition")


def _mix(
    given: Comparison,
    before: SessionSnapshot,
    after: SessionSnapshot,
    loop_beats: float | None,
) -> EngineVerdict:
    from pybackend.judgment.fabric.mix import mix_rows  # noqa: PLC0415

    found = mix_rows(given.aligned, given.features, before, after, loop_beats)
    rows, masking_before, masking_after = found
    return judge_rows(rows, given).model_copy(
        update={"masking_before": masking_before, "masking_after": masking_after}
    )


def _translation(given: Comparison) -> EngineVerdict:
    from pybackend.judgment.fabric.translation import (  # noqa: PLC0415
        translation_checks,
        translation_rows,
    )

    rows = translation_rows(given.aligned, given.features)
    checks = translation_checks(rows, given.features)
    failed = tuple(
        f"{check.name} fails: {check.after:.1f} {check.unit} ({check.limit})."
        for check in checks
        if check.passed is False
    )
    verdict = judge_rows(rows, given)
    return verdict.model_copy(update={"checks": checks, "notes": (*verdict.notes, *failed)})


def _transition(
    given: Comparison, before: SessionSnapshot, after: SessionSnapshot
) -> EngineVerdict:
    from pybackend.judgment.fabric.transition import transition_rows  # noqa: PLC0415

    spans = [[(each.start_bar, each.end_bar) for each in side.sections] for side in (before, after)]
    if all(spans) and spans[0] != spans[1]:
        text = "The sections are others before and after; the boundary is not the same."
        found: Any = Incomparable((Reason("no_boundary", text),))
    else:
        sections = before.sections or after.sections
        found = transition_rows(given.aligned, given.features, sections)
    if isinstance(found, Incomparable):
        return labelled(refusal(given.goal, found, given.session), "transition")
    rows, boundaries = found
    verdict = judge_rows(rows, given)
    pairs = next(iter(rows.values.values())).shape[1]
    where = ", ".join(str(bar) for bar in boundaries)
    return verdict.model_copy(
        update={
            "compared": f"{pairs} pairs of bars across the boundary at bar {where} (from 0)",
            "evidence": verdict.evidence.model_copy(update={"bars": pairs}),
        }
    )
