"""Judge a move: goal and captures in, verdict out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pybackend.capture.aligned import AlignedCaptures, Incomparable
from pybackend.errors import InputError
from pybackend.judgment.decide import decide
from pybackend.judgment.goal import GoalVector, goal_from
from pybackend.judgment.intake import PointPair, take_in
from pybackend.judgment.points import judge_points
from pybackend.judgment.record import Session, refusal, verdict_of
from pybackend.judgment.sections import Section
from pybackend.judgment.statistics import ALPHA, Change
from pybackend.judgment.verdict import Evidence, Scalar, Verdict
from pybackend.judgment.weigh import weigh


def judge(
    goal_vector: Mapping[str, Any] | GoalVector | str,
    aligned: AlignedCaptures | Incomparable,
    *,
    tries: int = 1,
    alpha: float = ALPHA,
    kept_composite: float = 0.0,
    device: Mapping[str, Scalar] | None = None,
    sections: Sequence[Section] = (),
    extra: Mapping[str, Change] | None = None,
) -> Verdict:
    """Judge a move from aligned captures.

    Parameters
    ----------
    goal_vector : mapping, GoalVector or JSON text
        What `compile_goal_vector` returned, verbatim.
    aligned : AlignedCaptures or Incomparable
        What `align` returned.
    tries : int
        Moves tried for this goal, this one included: printed with the chance of a false keep.
    alpha : float
        One-sided error of a keep; 0.0025 for each look where an extension is planned.
    kept_composite : float
        Sum of ``goal.estimate`` over the moves already kept for this goal, for ``goal_progress``.
    device : mapping, optional
        What is known of the analyzer; goes into the evidence as it is.
    sections : sequence of (float, float)
        Starts and ends of sections in quarter notes; contrast and novelty need two of 4 bars.
    extra : mapping of str to Change, optional
        Dimensions that are measured elsewhere: see `elsewhere`.

    Returns
    -------
    Verdict
        Inconclusive, with the reason, for captures that cannot be compared.

    Raises
    ------
    GoalError
        If the goal is none, or ``extra`` names no dimension.
    InputError
        If ``tries`` is below 1, ``alpha`` does not lie between 0 and 0.5, or a section is none.
    """
    goal = goal_from(goal_vector)
    session = _session(tries, alpha, kept_composite, device)
    return _judge(goal, aligned, session, sections, extra)


def evaluate_move(
    goal_vector: Mapping[str, Any] | GoalVector | str,
    before_snapshot: Any,
    after_snapshot: Any,
    *,
    loop_beats: float | None = None,
    tries: int = 1,
    alpha: float = ALPHA,
    kept_composite: float = 0.0,
    device: Mapping[str, Scalar] | None = None,
    sections: Sequence[Section] = (),
    extra: Mapping[str, Change] | None = None,
) -> Verdict:
    """Judge a move from snapshots: the universal evaluator.

    Parameters
    ----------
    goal_vector : mapping, GoalVector or JSON text
        What `compile_goal_vector` returned, verbatim.
    before_snapshot, after_snapshot
        Either a window of frames (`Snapshot` or `Frames`), or a list of them where a side was
        captured more than once; or one point snapshot each: a `PointSnapshot` or the mapping
        ``{"spectrum": {band: amplitude, ...}, "rms": x, "peak": y}`` with 9 or 8 bands.
    loop_beats : float, optional
        In Session View: see `align`.
    tries, alpha, kept_composite, device, sections, extra
        As in `judge`.

    Returns
    -------
    Verdict
        From point snapshots always inconclusive, in every mode: they carry no spread.

    Raises
    ------
    GoalError
        If the goal is none.
    InputError
        If a snapshot has another form, lacks bands, or holds negative numbers.
    """
    goal = goal_from(goal_vector)
    session = _session(tries, alpha, kept_composite, device)
    taken = take_in(before_snapshot, after_snapshot, loop_beats)
    if isinstance(taken, PointPair):
        return judge_points(goal, taken.before, taken.after, session)
    return _judge(goal, taken, session, sections, extra)


def _session(
    tries: int, alpha: float, kept_composite: float, device: Mapping[str, Scalar] | None
) -> Session:
    if tries < 1 or not 0.0 < alpha < 0.5 or not math.isfinite(kept_composite):
        raise InputError(
            "tries must be 1 or more, alpha between 0 and 0.5 and kept_composite finite; "
            f"got {tries}, {alpha} and {kept_composite}"
        )
    return Session(tries, alpha, kept_composite, device or {})


def _judge(
    goal: GoalVector,
    aligned: AlignedCaptures | Incomparable,
    session: Session,
    sections: Sequence[Section],
    extra: Mapping[str, Change] | None,
) -> Verdict:
    if isinstance(aligned, Incomparable):
        return refusal(goal, aligned, session)
    from pybackend.judgment.features import bar_features  # noqa: PLC0415 - compiles kernels

    features = bar_features(aligned, sections)
    if isinstance(features, Incomparable):
        evidence = Evidence(
            grade="none",
            loss=max((loss for loss in aligned.loss if math.isfinite(loss)), default=None),
            positions=aligned.positions,
            device=dict(session.device),
        )
        return refusal(goal, features, session, evidence)
    case = weigh(goal, features, session.alpha, extra)
    return verdict_of(case, decide(case), features, aligned, session)
