"""What stands in the way of keeping a move although the goal got better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pybackend.judgment.answers import Answer, guard_fell
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.modes import MODE_RULES

if TYPE_CHECKING:
    from pybackend.judgment.decide import Case
    from pybackend.judgment.protect import Protected

SAFE_TRUE_PEAK_DBTP: Final = -1.0
"""EBU R128: the highest true peak permitted in production."""
NEVER_EXPLORED: Final = frozenset(
    ("target_worse", "target_unavailable", "protect_unavailable", "true_peak")
)
"""Obstacles that explore mode does not overlook either."""

Obstacle = tuple[str, str]
"""Code and text."""


def obstacles(
    case: Case, targets: dict[str, Answer], protects: list[Protected], collateral: list[str]
) -> list[Obstacle]:
    """Everything that forbids a keep even if the goal got better."""
    return [
        *_targets(case, targets),
        *_proxies(case, targets),
        *_protects(case, protects),
        *_others(case, targets, collateral),
    ]


def _targets(case: Case, targets: dict[str, Answer]) -> list[Obstacle]:
    goal, missing = case.goal, case.missing
    found = [
        ("target_worse", f"{DIMENSIONS[name].subject} is a target and got worse")
        for name, answer in targets.items()
        if answer == "worse"
    ]
    found += [
        ("target_unavailable", f"{name} is a target and was not measured: {missing[name]}")
        for name in goal.targets
        if name in missing and name not in goal.optional
    ]
    return found


def _proxies(case: Case, targets: dict[str, Answer]) -> list[Obstacle]:
    """Proxies that disagree with their guard, or that would keep a move by themselves."""
    found = [
        ("parts_disagree", f"{entry.subject} rose and {DIMENSIONS[entry.guard].subject} fell")
        for name, answer in targets.items()
        if (entry := DIMENSIONS[name]).guard
        and answer == "inconclusive"
        and case.changes[name].change > 0.0
        and guard_fell(case, name)
    ]
    improved = [name for name, answer in targets.items() if answer == "improved"]
    if improved and all(DIMENSIONS[name].supports for name in improved):
        names = ", ".join(improved)
        text = f"only {names} got better, a proxy that supports a goal and decides none alone"
        found.append(("proxy_alone", text))
    return found


def _protects(case: Case, protects: list[Protected]) -> list[Obstacle]:
    found = []
    for item in protects:
        if item.name in case.missing:
            text = f"{item.name} is protected and was not measured: {case.missing[item.name]}"
            found.append(("protect_unavailable", text))
        elif item.status == "unproven":
            text = f"{DIMENSIONS[item.name].subject} is protected and {item.reason}"
            found.append(("protect_unproven", text))
    return found


def _others(case: Case, targets: dict[str, Answer], collateral: list[str]) -> list[Obstacle]:
    found = []
    if "energy" in targets and case.goal.targets["energy"] > 0.0 and not case.peak.safe:
        peak = f"true peak rose to {case.peak.after_dbtp:.1f} dBTP"
        found.append(("true_peak", f"{peak}, above {SAFE_TRUE_PEAK_DBTP:g}: no room for louder"))
    if collateral and not MODE_RULES[case.goal.mode].side_effects:
        names = ", ".join(DIMENSIONS[name].subject for name in collateral)
        found.append(("collateral", f"{case.goal.mode} mode allows no side effect: {names}"))
    return found
