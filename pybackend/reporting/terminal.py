"""What a person sees in a terminal: tables on stdout; progress, log and error lines on stderr.

Rich is imported when it is needed. It honours ``NO_COLOR`` and writes plain text, without progress
bars, when the stream is no terminal.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def console() -> Console:
    """Console on stdout, for results; what its encoding lacks becomes ``?``."""
    from rich.console import Console  # noqa: PLC0415

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False, emoji=False, markup=False)


def error_console() -> Console:
    """Console on stderr, for progress, log and errors."""
    from rich.console import Console  # noqa: PLC0415

    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def table(*columns: str, title: str | None = None, numbers: bool = True) -> Table:
    """Empty table with a heading per column.

    Parameters
    ----------
    *columns : str
        Headings; the first column is left-aligned text that wraps. More than eight columns stand
        close together, so that ten of numbers and a name are readable at 80 characters.
    title : str, optional
        Line above the table.
    numbers : bool
        Whether the other columns hold numbers: right-aligned, never wrapped.
    """
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    made = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 0 if len(columns) > 8 else 1),
        show_edge=False,
        pad_edge=False,
    )
    for index, heading in enumerate(columns):
        if index and numbers:
            made.add_column(heading, justify="right", no_wrap=True)
        else:
            made.add_column(heading, overflow="fold")
    return made


def add_row(to: Table, cells: Sequence[str]) -> None:
    """Add a row of plain texts; square brackets in file names are not markup."""
    from rich.text import Text  # noqa: PLC0415

    to.add_row(*(Text(cell) for cell in cells))


@contextmanager
def progress(description: str, total: float) -> Iterator[Callable[[float], None]]:
    """Progress bar on stderr; nothing is shown when stderr is no terminal.

    Parameters
    ----------
    description : str
        What is going on.
    total : float
        Amount of work, in any unit.

    Yields
    ------
    callable
        ``advance(amount)``, safe to call from any thread.
    """
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = error_console()
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    with bar:
        task = bar.add_task(description, total=total)
        yield lambda amount: bar.advance(task, amount)


def print_json(document: Any) -> None:
    """Print one JSON document on stdout, in ASCII, so that no terminal's encoding can break it.

    Raises
    ------
    ValueError
        If the document holds NaN or an infinity; nothing is printed.
    """
    sys.stdout.write(json.dumps(document, allow_nan=False, indent=2) + "\n")


def print_error(message: str) -> None:
    """Print one line on stderr, as the command line does for every error."""
    print(f"movejudge: {message}", file=sys.stderr)


@contextmanager
def native_stderr_silenced() -> Iterator[None]:
    """Silence what C libraries write to file descriptor 2; Python's ``sys.stderr`` goes on.

    The MP3 decoder writes several lines about every damaged file, where one line of ours says what
    to do. Without a real descriptor behind ``sys.stderr`` nothing is changed.
    """
    kept = sys.stderr
    try:
        descriptor = kept.fileno()
    except (OSError, ValueError, AttributeError):
        yield
        return
    kept.flush()
    ours = os.dup(descriptor)
    with (
        open(os.devnull, "wb") as nowhere,  # noqa: PTH123
        os.fdopen(ours, "w", encoding=kept.encoding, errors="backslashreplace", buffering=1) as out,
    ):
        original = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        sys.stderr = out
        try:
            yield
        finally:
            out.flush()
            sys.stderr = kept
            os.dup2(original, 2)
            os.close(original)
