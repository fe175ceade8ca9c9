"""Verdicts as a person reads them in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from pybackend.judgment.verdict import DimensionVerdict, Verdict

STYLES: Final = {"keep": "bold green", "undo": "bold red", "inconclusive": "bold yellow"}
_ANSWER_STYLES: Final = {"improved": "green", "worse": "red", "inconclusive": "yellow"}


def exit_code(verdicts: list[Verdict]) -> int:
    """Exit code of a command that judged: 0 all kept, 11 any inconclusive, else 10."""
    from pybackend.config import EXIT_INCONCLUSIVE, EXIT_NOT_KEPT, EXIT_OK  # noqa: PLC0415

    if all(verdict.keep_change for verdict in verdicts):
        return EXIT_OK
    if any(verdict.decision == "inconclusive" for verdict in verdicts):
        return EXIT_INCONCLUSIVE
    return EXIT_NOT_KEPT


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _change(entry: DimensionVerdict) -> str:
    if entry.delta is None:
        return ""
    unit = "LU" if entry.unit == "LUFS" else entry.unit
    if entry.ci_low is None or entry.ci_high is None:
        return f"{entry.delta:+.2f} {unit}"
    return f"{entry.delta:+.2f} ± {(entry.ci_high - entry.ci_low) / 2:.2f} {unit}"


def _role(verdict: Verdict, name: str) -> str:
    if verdict.dimensions[name].weight is not None:
        return "target"
    return "protected" if name in verdict.protects else ""


def dimension_table(verdict: Verdict) -> Table:
    """One row per measured dimension: targets first, then protects, then the others."""
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    made.add_column("dimension", no_wrap=True)
    for heading in ("before", "after", "change (90 %)", "from"):
        made.add_column(heading, justify="right", no_wrap=True)
    made.add_column("answer")
    order = ("target", "protected", "")
    for name in sorted(verdict.dimensions, key=lambda name: order.index(_role(verdict, name))):
        entry, role = verdict.dimensions[name], _role(verdict, name)
        if entry.state == "unavailable" and not role:
            continue
        answer = entry.verdict or entry.state
        if answer == "improved" and not role:
            answer = "moved"  # nobody asked for it, so more of it is no improvement
        made.add_row(
            Text(f"{name} ({role})" if role else name, style="bold" if role == "target" else ""),
            _plain(entry.before),
            _plain(entry.after),
            _change(entry),
            _plain(entry.smallest_effect),
            Text(answer, style=_ANSWER_STYLES.get(answer, "")),
        )
    return made


def print_verdict(console: Console, verdict: Verdict, *, title: str = "") -> None:
    """Print the decision, the explanation and the table behind it."""
    from rich.text import Text  # noqa: PLC0415

    console.print(headline(verdict, title))
    console.print(Text(verdict.explanation))
    if any(entry.delta is not None for entry in verdict.dimensions.values()):
        console.print(dimension_table(verdict))
    evidence = verdict.evidence
    if evidence.frames:
        loss = f", {evidence.loss:.1%} lost" if evidence.loss else ""
        matched = (
            f", after matched by {verdict.level_match_lu:+.2f} LU"
            if verdict.level_match_lu is not None
            else ""
        )
        console.print(
            f"Evidence: {evidence.grade}; {evidence.bars} bars, {evidence.frames} frames{loss}, "
            f"{evidence.captures_before} before and {evidence.captures_after} after{matched}.",
            style="dim",
        )


def headline(verdict: Verdict, title: str = "") -> Text:
    """One line: decision and score."""
    from rich.text import Text  # noqa: PLC0415

    line = Text()
    if title:
        line.append(f"{title}: ")
    line.append(verdict.decision.upper(), style=STYLES[verdict.decision])
    score = "not scored" if verdict.score is None else f"score {verdict.score:.2f}"
    line.append(f"  {score}")
    return line
