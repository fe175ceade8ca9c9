"""From estimated changes to keep, undo or inconclusive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pybackend.judgment.answers import Answer, answer_of, collateral_of, goal_outcome_of
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.goal import READ_ONLY_MODES, GoalVector
from pybackend.judgment.modes import MODE_RULES
from pybackend.judgment.obstacles import (
    NEVER_EXPLORED,
    SAFE_TRUE_PEAK_DBTP,
    Obstacle,
    obstacles,
)
from pybackend.judgment.protect import Protected, check_protects
from pybackend.judgment.statistics import (
    ALPHA,
    ALPHA_SAME,
    Change,
    Outcome,
    bars_to_decide,
)
from pybackend.judgment.tquantile import t_quantile

Call = Literal["keep", "undo", "inconclusive"]


@dataclass(frozen=True, slots=True)
class TruePeak:
    """Largest true peak before and after, in dBTP."""

    before_dbtp: float
    after_dbtp: float

    @property
    def safe(self) -> bool:
        """Whether it stays within -1 dBTP, or at least did not rise."""
        return self.after_dbtp <= max(SAFE_TRUE_PEAK_DBTP, self.before_dbtp)


@dataclass(frozen=True, slots=True)
class Case:
    """What is known when a move is decided.

    Parameters
    ----------
    goal : GoalVector
        What the move is for.
    changes : dict of str to Change
        Measured dimensions in native units.
    composite : Change or None
        The measured targets, in smallest effects, weighted; None if no target is measured.
    missing : dict of str to str
        Why every other dimension is unavailable.
    peak : TruePeak
        For targets that ask for level.
    alpha : float
        One-sided error of a keep, before the mode.
    """

    goal: GoalVector
    changes: dict[str, Change]
    composite: Change | None
    missing: dict[str, str]
    peak: TruePeak
    alpha: float = ALPHA

    @property
    def keep_alpha(self) -> float:
        """One-sided error of calling a dimension or the goal moved, in the goal's mode."""
        return self.alpha * MODE_RULES[self.goal.mode].strictness


@dataclass(frozen=True, slots=True)
class Decision:
    """What follows from the measured changes.

    Parameters
    ----------
    call : {"keep", "undo", "inconclusive"}
        The decision.
    keep_change : bool
        Whether the change should stay, from the decision and the mode.
    would_be : {"keep", "undo", "inconclusive"}
        The decision that a mode which may act would have taken.
    goal_outcome : {"up", "same", "down", "inconclusive"} or None
        What the composite shows; None if no target is measured.
    answers : dict of str to Answer
        For every measured dimension; a target's is seen from the goal.
    protects : list of Protected
        In the order of the goal.
    collateral : list of str
        Measured dimensions outside the goal that got worse, or moved where any move is damage.
    reasons : list of tuple of str
        Code and text of everything that decided, or that stood in the way.
    tags : tuple of str
        mixed, level_only, no_repeat, drift, read_only.
    bars_needed : int or None
        About how many bars would settle what is open; None if nothing is open or bars would not.
    """

    call: Call
    keep_change: bool
    would_be: Call
    goal_outcome: Outcome | None
    answers: dict[str, Answer]
    protects: list[Protected]
    collateral: list[str]
    reasons: list[Obstacle]
    tags: tuple[str, ...]
    bars_needed: int | None


def decide(case: Case) -> Decision:
    """Decide about a move.

    Returns
    -------
    Decision
        Protects come first, then the goal. Undo never means "not significant": it needs a violated
        protect, a worse goal, or a goal shown not to have moved.
    """
    goal = case.goal
    answers = {name: answer_of(case, name) for name in case.changes}
    targets = {name: answers[name] for name in goal.targets if name in answers}
    protects = check_protects(goal, case.changes, case.missing)
    collateral = collateral_of(goal, answers)
    goal_outcome = goal_outcome_of(case, targets)
    blocks = obstacles(case, targets, protects, collateral)
    codes = {code for code, _ in blocks}
    would_be, reasons = _rule(case, goal_outcome, protects, blocks)
    explored = (
        MODE_RULES[goal.mode].keeps_unclear
        and would_be == "inconclusive"
        and goal_outcome in ("up", "inconclusive")
        and not codes & NEVER_EXPLORED
    )
    read_only = goal.mode in READ_ONLY_MODES
    if read_only:
        reasons = [("read_only", f"{goal.mode} mode keeps and undoes nothing"), *reasons]
    call: Call = "inconclusive" if read_only else would_be
    undecided = would_be == "inconclusive"
    return Decision(
        call=call,
        keep_change=call == "keep" or explored,
        would_be=would_be,
        goal_outcome=goal_outcome,
        answers=answers,
        protects=protects,
        collateral=collateral,
        reasons=reasons,
        tags=_tags(case, targets),
        bars_needed=_bars_needed(case, goal_outcome, protects) if undecided else None,
    )


def _rule(
    case: Case,
    goal_outcome: Outcome | None,
    protects: list[Protected],
    blocks: list[Obstacle],
) -> tuple[Call, list[Obstacle]]:
    violated = [
        ("protect_violated", f"{DIMENSIONS[item.name].subject} is protected and {item.reason}")
        for item in protects
        if item.status == "violated"
    ]
    if violated:
        return "undo", violated
    if goal_outcome == "down":
        return "undo", [("goal_worse", "the goal got worse")]
    if goal_outcome == "same" and not any(code == "target_unavailable" for code, _ in blocks):
        return "undo", [("no_change_shown", "the goal did not move")]
    if goal_outcome == "up" and not blocks:
        return "keep", [("goal_better", "the goal got better")]
    return "inconclusive", [*_goal_gap(case, goal_outcome), *blocks]


def _goal_gap(case: Case, goal_outcome: Outcome | None) -> list[Obstacle]:
    if case.composite is None or goal_outcome is None:
        return [("goal_unmeasured", "no target could be measured")]
    if goal_outcome == "inconclusive":
        return [("goal_unclear", "the goal neither moved clearly nor clearly stayed")]
    return []


def _tags(case: Case, targets: dict[str, Answer]) -> tuple[str, ...]:
    goal = case.composite
    found = {
        "mixed": {"improved", "worse"} <= set(targets.values()),
        "level_only": set(targets) == {"energy"},
        "no_repeat": goal is not None and goal.n_before + goal.n_after == 2 and not goal.is_exact,
        "drift": goal is not None and goal.drifting,
        "read_only": case.goal.mode in READ_ONLY_MODES,
    }
    return tuple(tag for tag, holds in found.items() if holds)


def _bars_needed(case: Case, goal_outcome: Outcome | None, protects: list[Protected]) -> int | None:
    """The largest number that an open question needs, unless bars cannot settle one of them."""
    needed = [
        item.bars_needed
        for item in protects
        if item.status == "unproven" and item.name in case.changes
    ]
    if goal_outcome == "inconclusive" and case.composite is not None:
        needed.append(_bars_for_goal(case, case.composite))
    known = [bars for bars in needed if bars is not None]
    return max(known) if known and len(known) == len(needed) else None


def _bars_for_goal(case: Case, goal: Change) -> int | None:
    size, alpha = abs(goal.change), case.keep_alpha
    moved = any(
        abs(change.change) >= DIMENSIONS[name].smallest_effect
        for name, change in case.changes.items()
        if name in case.goal.targets
    )

    def decided(se: float, df: int) -> bool:
        clear = moved and size > t_quantile(1.0 - alpha, df) * se
        return clear or size + t_quantile(1.0 - ALPHA_SAME, df) * se < 1.0

    return bars_to_decide(goal, decided)
