"""A comparison with a reference track as a person reads it in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console

    from pybackend.judgment.reference import ReferenceComparison

_CLOSER: Final = {True: "closer", False: "further", None: ""}


def _plain(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{value:{sign}.1f}"


def print_reference(console: Console, beside: ReferenceComparison, name: str) -> None:
    """Print every figure before, after and of the reference, and what they are worth."""
    from pybackend.reporting import terminal  # noqa: PLC0415

    table = terminal.table("", "before", "after", "reference", "apart", "", title=f"Beside {name}")
    for row in beside.rows:
        cells = (
            f"{row.name} ({row.unit})",
            _plain(row.before),
            _plain(row.after),
            _plain(row.reference),
            _plain(row.distance_after, "+"),
            row.reason or _CLOSER[row.closer],
        )
        terminal.add_row(table, cells)
    console.print(table)
    distances = (beside.spectral_distance_before_db, beside.spectral_distance_after_db)
    if distances[0] is not None and distances[1] is not None:
        console.print(
            f"Bands apart from the reference by {distances[0]:.1f} dB before and "
            f"{distances[1]:.1f} dB after (root mean square)."
        )
    console.print(beside.statement, style="dim")
