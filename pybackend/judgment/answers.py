"""What each dimension, and the goal as a whole, turned out to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.statistics import NEGLIGIBLE, Outcome, outcome

if TYPE_CHECKING:
    from pybackend.judgment.decide import Case
    from pybackend.judgment.goal import GoalVector

Answer = Literal["improved", "same", "worse", "moved", "inconclusive"]


def answer_of(case: Case, name: str) -> Answer:
    """What a measured dimension did; a target is seen from the sign of its weight.

    A rise does not count while the dimension that guards it fell: the two parts disagree.
    """
    entry, change = DIMENSIONS[name], case.changes[name]
    found = outcome(change, entry.smallest_effect, case.keep_alpha)
    if found == "same":
        return "same"
    if found == "inconclusive" or (found == "up" and guard_fell(case, name)):
        return "inconclusive"
    weight = case.goal.targets.get(name, 0.0)
    if weight or entry.direction == "more":
        better = (found == "up") == (weight >= 0.0)
        return "improved" if better else "worse"
    if entry.direction == "centre":
        away = abs(change.after) - abs(change.before)
        if abs(away) >= entry.smallest_effect:
            return "worse" if away > 0.0 else "improved"
    return "moved"


def guard_fell(case: Case, name: str) -> bool:
    """Whether the dimension that guards this one fell by its smallest effect or more."""
    guard = DIMENSIONS[name].guard
    change = case.changes.get(guard)
    if change is None:
        return False
    return outcome(change, DIMENSIONS[guard].smallest_effect, case.keep_alpha) == "down"


def goal_outcome_of(case: Case, targets: dict[str, Answer]) -> Outcome | None:
    """What the composite did; None if no target is measured."""
    goal = case.composite
    if goal is None:
        return None
    found = outcome(goal, NEGLIGIBLE, case.keep_alpha)
    if found == "up" and "improved" in targets.values():
        return "up"
    if found == "down" and "worse" in targets.values():
        return "down"
    return "same" if abs(goal.change) + goal.half_width < 1.0 else "inconclusive"


def collateral_of(goal: GoalVector, answers: dict[str, Answer]) -> list[str]:
    """Dimensions outside the goal that suffered; a target's own bands are the goal, not damage."""
    own = {band for name in goal.targets for band in DIMENSIONS[name].bands}
    return [
        name
        for name, answer in answers.items()
        if name not in goal.targets
        and answer in ("worse", "moved")
        and not (DIMENSIONS[name].direction == "either" and own & set(DIMENSIONS[name].bands))
    ]
