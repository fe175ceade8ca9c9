"""What modes and aggression change, in one table; everything else is the same in every mode."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class ModeRule:
    """What a mode changes.

    Parameters
    ----------
    name, meaning : str
        For people.
    acts : bool
        Whether it may keep and undo; a mode that may not says what improve would do.
    strictness : float
        Factor on the one-sided error of calling a dimension or the goal moved.
    tolerance : float
        Factor on the default margin of protects.
    keeps_unclear : bool
        Whether an inconclusive move is kept if no target got worse, no protect is violated, and
        everything that was asked for was measured: no minimum effect is asked of it.
    side_effects : bool
        Whether a move may be kept although something outside the goal got worse.
    """

    name: str
    meaning: str
    acts: bool = True
    strictness: float = 1.0
    tolerance: float = 1.0
    keeps_unclear: bool = False
    side_effects: bool = True


MODE_RULES: Final = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            ModeRule("observe", "read-only", acts=False),
            ModeRule("improve", "targeted fixes"),
            ModeRule("explore", "experiments", tolerance=1.5, keeps_unclear=True),
            ModeRule("finish", "last touches", strictness=0.5, tolerance=0.5, side_effects=False),
            ModeRule("diagnose", "read-only, with findings", acts=False),
        )
    }
)


def margin_factor(mode: str, aggression: float) -> float:
    """Default margin of a protect in units of its dimension's: 0.5 to 1.5 by aggression."""
    return (0.5 + aggression) * MODE_RULES[mode].tolerance


def mode_table(alpha: float) -> str:
    """Markdown table of modes and aggression.

    Parameters
    ----------
    alpha : float
        One-sided error of a keep in improve mode.
    """
    rows = [
        "| mode | keeps and undoes | error of a keep | minimum effect of a target | default margin "
        "of protects, in smallest effects, at aggression 0 / 0.5 / 1 | side effects |",
        "|---|---|---|---|---|---|",
    ]
    for rule in MODE_RULES.values():
        margins = " / ".join(
            f"{2.0 * margin_factor(rule.name, aggression):g}" for aggression in (0.0, 0.5, 1.0)
        )
        acts = "yes" if rule.acts else "no, says what improve would do"
        least = (
            "none: unclear is kept, unless worse" if rule.keeps_unclear else "its smallest effect"
        )
        effects = "listed" if rule.side_effects else "forbid a keep"
        rows.append(
            f"| {rule.name} ({rule.meaning}) | {acts} | {100.0 * alpha * rule.strictness:g} % "
            f"| {least} | {margins} | {effects} |"
        )
    return "\n".join(rows) + "\n"
