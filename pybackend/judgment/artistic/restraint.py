"""restraint: whether protected qualities were respected, and how much was added to get there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from pybackend.judgment.artistic.result import MIN_COVERAGE, ArtisticResult, unavailable
from pybackend.judgment.goal import Mode
from pybackend.judgment.protect import Status

NAME: Final = "restraint"
LEVEL_TOLERANCE_LU: Final = 0.5

COSTS: Final = {
    "tracks": 2.0,
    "devices": 1.0,
    "automation_lanes": 0.5,
    "clips": 0.5,
    "parameters": 0.1,
    "density_doublings": 2.0,
    "level_lu": 1.0,
}
"""What one of each costs, in added devices. Conventions, not measurements."""
BUDGETS: Final[dict[Mode, float]] = {
    "observe": 1.0,
    "diagnose": 1.0,
    "finish": 1.0,
    "improve": 2.0,
    "explore": 4.0,
}
"""What may be added at a novelty budget of 0.5; it grows from half (0) to one and a half (1)."""


class Inventory(BaseModel):
    """What a move added, less what it took away; None where nobody looked.

    Parameters
    ----------
    tracks, devices, automation_lanes, clips : int or None
        Added less removed.
    parameters : int or None
        Parameters whose value changed.
    density_doublings : float or None
        Change in notes, in doublings.
    level_lu : float or None
        Change in loudness; half a LU to either side costs nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    tracks: int | None = None
    devices: int | None = None
    automation_lanes: int | None = None
    clips: int | None = None
    parameters: int | None = Field(default=None, ge=0)
    density_doublings: float | None = None
    level_lu: float | None = None

    def costs(self) -> dict[str, float]:
        """Cost of everything that is known; what was removed earns."""
        found = {}
        for name, price in COSTS.items():
            amount = getattr(self, name)
            if amount is None:
                continue
            if name == "level_lu":
                amount = max(0.0, abs(amount) - LEVEL_TOLERANCE_LU)
            found[name] = price * amount
        return found


def budget(mode: Mode, novelty_budget: float) -> float:
    """What a move may add, in added devices."""
    return BUDGETS[mode] * (0.5 + novelty_budget)


def restraint(
    inventory: Inventory | None,
    protects: Mapping[str, Status],
    mode: Mode,
    novelty_budget: float,
) -> ArtisticResult:
    """Restraint of a move.

    The product of whether every protect held (0 if one is violated), and of what the additions left
    of their budget.

    Parameters
    ----------
    inventory : Inventory, optional
        What the move added and removed.
    protects : mapping of str to {"safe", "violated", "unproven"}
        What became of the protected dimensions.
    mode, novelty_budget
        How much may be added.

    Returns
    -------
    ArtisticResult
        Inconclusive if a protect is unproven: its value then holds only if the protect did.
    """
    if inventory is None:
        return unavailable(NAME, "no inventory of what the move added")
    costs = inventory.costs()
    coverage = len(costs) / len(COSTS)
    if coverage < MIN_COVERAGE:
        unknown = ", ".join(name for name in COSTS if name not in costs)
        return unavailable(NAME, f"the inventory does not say: {unknown}", coverage)
    allowed = budget(mode, novelty_budget)
    cost = max(0.0, sum(costs.values()))
    left = 1.0 - min(1.0, cost / allowed)
    violated = [name for name, status in protects.items() if status == "violated"]
    unproven = [name for name, status in protects.items() if status == "unproven"]
    kept = 0.0 if violated else 1.0
    evidence = [f"added {cost:.2g} of {allowed:.2g} (in devices)"]
    evidence += [f"{name}: {price:+.2g}" for name, price in costs.items() if price]
    evidence += [f"{name} is protected and was violated" for name in violated]
    evidence += [f"{name} is protected and unproven" for name in unproven]
    if not protects:
        evidence.append("nothing is protected")
    open_ = bool(unproven) and not violated
    return ArtisticResult(
        name=NAME,
        state="inconclusive" if open_ else "measured",
        value=kept * left,
        value_low=0.0 if open_ else kept * left,
        value_high=kept * left,
        coverage=coverage,
        factors={"protects": kept, "additions": left},
        evidence=tuple(evidence),
        reason=f"unproven: {', '.join(unproven)}" if open_ else None,
    )
