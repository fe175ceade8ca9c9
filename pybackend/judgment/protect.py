"""Protects: whether a dimension that must not get worse did not, as non-inferiority."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.goal import GoalVector
from pybackend.judgment.statistics import (
    ALPHA_SAME,
    NEGLIGIBLE,
    Change,
    bars_to_decide,
)
from pybackend.judgment.tquantile import t_quantile

Status = Literal["safe", "violated", "unproven"]


@dataclass(frozen=True, slots=True)
class Protected:
    """What became of a protect.

    Parameters
    ----------
    name : str
        The dimension.
    status : {"safe", "violated", "unproven"}
        Shown not to lose its margin, shown to lose it or to fall below the floor, or neither.
    margin : float
        How much may be lost, in the native unit.
    floor, floor_native : float or None
        Lowest display level and what it is in the native unit, if the goal sets one.
    already_below : bool
        Whether it was below the floor before the move, so that the floor says nothing about it.
    loss : float or None
        Estimated loss in the native unit, negative for a gain; None if not measured.
    reason : str
        Why it is unproven or violated; empty if it is safe.
    bars_needed : int or None
        About how many bars would settle an unproven protect, if bars would.
    """

    name: str
    status: Status
    margin: float
    floor: float | None = None
    floor_native: float | None = None
    already_below: bool = False
    loss: float | None = None
    reason: str = ""
    bars_needed: int | None = None


def check_protects(
    goal: GoalVector, changes: dict[str, Change], missing: dict[str, str]
) -> list[Protected]:
    """Check every protect of a goal.

    Parameters
    ----------
    goal : GoalVector
        The goal.
    changes : dict of str to Change
        Measured dimensions.
    missing : dict of str to str
        Why the others are unavailable.

    Returns
    -------
    list of Protected
        In the order of the goal.
    """
    return [
        _check(goal, name, changes[name])
        if name in changes
        else Protected(name, "unproven", goal.margin(name), floor, reason=missing[name])
        for name, floor in goal.protect.items()
    ]


def _check(goal: GoalVector, name: str, change: Change) -> Protected:
    entry, floor, margin = DIMENSIONS[name], goal.protect[name], goal.margin(name)
    if entry.direction == "centre":
        before, after = -abs(change.before), -abs(change.after)
        limit = None if floor is None else -entry.native(floor)
    else:
        before, after = change.before, change.after
        limit = None if floor is None else entry.native(floor)
    gain = after - before
    below = limit is not None and before < limit - NEGLIGIBLE

    def status(reach: float) -> Status:
        if limit is not None and not below:
            if after + reach < limit:
                return "violated"
            if after < limit - NEGLIGIBLE:
                return "unproven"
        if gain + reach < -margin:
            return "violated"
        return "safe" if gain - reach > -margin else "unproven"

    found = status(change.half_width)
    needed = None
    if found == "unproven":
        needed = bars_to_decide(
            change, lambda se, df: status(t_quantile(1.0 - ALPHA_SAME, df) * se) != "unproven"
        )
    return Protected(
        name=name,
        status=found,
        margin=margin,
        floor=floor,
        floor_native=limit if limit is not None and math.isfinite(limit) else None,
        already_below=below,
        loss=-gain,
        reason=_reason(found, after, limit, below=below),
        bars_needed=needed,
    )


def _reason(status: Status, after: float, limit: float | None, *, below: bool) -> str:
    if status == "safe":
        return ""
    if limit is not None and not below and after < limit:
        return "it fell below its floor" if status == "violated" else "it may be below its floor"
    return "it lost more than its margin" if status == "violated" else "it may have lost its margin"
