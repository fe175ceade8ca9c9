"""``movejudge analyze``: what audio files measure."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from pybackend.errors import MoveJudgeError, TargetMissing

if TYPE_CHECKING:
    from pybackend.metering.analysis import Analysis

    Outcome = Analysis | MoveJudgeError

QUANTITIES: Final = (
    ("integrated_lufs", "integrated", "I", "LUFS"),
    ("momentary_max_lufs", "momentary max", "M max", "LUFS"),
    ("short_term_max_lufs", "short-term max", "S max", "LUFS"),
    ("loudness_range_lu", "loudness range", "LRA", "LU"),
    ("true_peak_dbtp", "true peak", "TP", "dBTP"),
    ("sample_peak_dbfs", "sample peak", "peak", "dBFS"),
    ("rms_dbfs", "RMS", "RMS", "dBFS"),
    ("plr_lu", "peak to loudness", "PLR", "LU"),
    ("correlation", "correlation", "corr", ""),
)
"""Field, name, short name and unit of what the tables show."""


def _jobs(text: str) -> int:
    jobs = int(text)
    if jobs < 1:
        raise argparse.ArgumentTypeError("give 1 or more")
    return jobs


def add_parser(subparsers: Any) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "analyze",
        help="loudness, peaks, bands and correlation of audio files",
        description="Measure WAV, AIFF, FLAC, OGG or MP3 files of one or two channels.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="audio file")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--jobs", type=_jobs, metavar="N", help="files at a time (default: one per core)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure every file, and report those that could be measured and those that could not."""
    from pybackend.reporting import terminal  # noqa: PLC0415

    total = len(args.files)
    what = f"measuring {total} files" if total > 1 else "measuring"
    with terminal.native_stderr_silenced(), terminal.progress(what, total) as advance:
        outcomes = measure_all(args.files, args.jobs, advance)
    for outcome in outcomes:
        if isinstance(outcome, MoveJudgeError):
            terminal.print_error(str(outcome))
    if args.json:
        documents = [_document(*pair) for pair in zip(args.files, outcomes, strict=True)]
        terminal.print_json(documents if total > 1 else documents[0])
    else:
        _print_tables([each for each in outcomes if not isinstance(each, MoveJudgeError)])
    return exit_code(outcomes)


class _StopError(Exception):
    """Work in other threads shall end because the command was interrupted."""


def measure_all(
    files: Sequence[str], jobs: int | None, advance: Callable[[float], None]
) -> list[Outcome]:
    """Measure files in parallel: threads, since decoder and meter release the interpreter lock.

    Parameters
    ----------
    files : sequence of str
        Paths.
    jobs : int or None
        Files at a time; None is one per core.
    advance : callable
        Told how much is done, a file being 1.

    Returns
    -------
    list of Analysis or MoveJudgeError
        In the order of ``files``.
    """
    import os  # noqa: PLC0415
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    from pybackend.metering.analysis import analyze_file  # noqa: PLC0415

    stop = threading.Event()

    def tick(share: float) -> None:
        if stop.is_set():
            raise _StopError
        advance(share)

    def measure(file: str) -> Outcome:
        done = 0.0

        def count(share: float) -> None:
            nonlocal done
            done += share
            tick(share)

        try:
            return analyze_file(file, count)
        except MoveJudgeError as error:
            tick(1.0 - done)
            return error

    workers = min(jobs or os.cpu_count() or 1, len(files))
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(measure, file) for file in files]
        try:
            return [future.result() for future in futures]
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """0 when every file was measured, 3 when the only trouble is missing files, else 2."""
    errors = [each for each in outcomes if isinstance(each, MoveJudgeError)]
    if not errors:
        return 0
    missing = all(isinstance(error, TargetMissing) for error in errors)
    return TargetMissing.exit_code if missing else 2


def _document(file: str, outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, MoveJudgeError):
        return {"file": file, "error": str(outcome)}
    return outcome.model_dump(mode="json")


def _shown(field: str, value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:+z.2f}" if field == "correlation" else f"{value:z.1f}"


def clock(duration_s: float) -> str:
    """Duration as people write it: ``0:03.5`` below a minute, ``4:05``, ``3:00:00``."""
    if duration_s < 60.0:
        return f"0:{duration_s:04.1f}" if duration_s < 59.95 else "1:00"
    minutes, seconds = divmod(round(duration_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def _print_tables(analyses: Sequence[Analysis]) -> None:
    from pybackend.reporting import terminal  # noqa: PLC0415

    if not analyses:
        return
    out = terminal.console()
    if len(analyses) == 1:
        out.print(_heading(analyses[0]), style="bold")
        out.print(_single_table(analyses[0]))
    else:
        out.print(_overview(analyses))
    if lines := remarks(analyses):
        out.print("", *lines, sep="\n")


def _name(analysis: Analysis) -> str:
    from pybackend.metering.audiofile import shown_path  # noqa: PLC0415

    return shown_path(analysis.file)


def _short_names(analyses: Sequence[Analysis]) -> list[str]:
    """File names without what all their folders share, so that a table has room for figures."""
    from pathlib import Path  # noqa: PLC0415

    paths = [Path(_name(analysis)) for analysis in analyses]
    depth = 1
    while len({path.parts[-depth:] for path in paths}) < len(set(paths)):
        depth += 1
    return ["/".join(path.parts[-depth:]) for path in paths]


def _heading(analysis: Analysis) -> str:
    channels = "mono" if analysis.channels == 1 else "stereo"
    return f"{_name(analysis)}: {clock(analysis.duration_s)}, {analysis.sample_rate} Hz, {channels}"


def _single_table(analysis: Analysis) -> Any:
    from pybackend.metering.design import BAND_EDGES_HZ, BAND_NAMES  # noqa: PLC0415
    from pybackend.reporting import terminal  # noqa: PLC0415

    table = terminal.table("", "value", "unit")
    for field, name, _, unit in QUANTITIES:
        terminal.add_row(table, (name, _shown(field, getattr(analysis, field)), unit))
    for band, low_hz, high_hz in zip(BAND_NAMES, BAND_EDGES_HZ, BAND_EDGES_HZ[1:], strict=False):
        label = f"{band.replace('_', ' ')}, {low_hz:g}-{high_hz:g} Hz"
        terminal.add_row(table, (label, _shown(band, analysis.bands_db[band]), "dBFS"))
    return table


def _overview(analyses: Sequence[Analysis]) -> Any:
    from pybackend.reporting import terminal  # noqa: PLC0415

    headings = [f"{short}\n{unit}".strip() for _, _, short, unit in QUANTITIES]
    table = terminal.table("file", *headings, "length")
    for analysis, name in zip(analyses, _short_names(analyses), strict=True):
        values = (_shown(field, getattr(analysis, field)) for field, _, _, _ in QUANTITIES)
        terminal.add_row(table, (name, *values, clock(analysis.duration_s)))
    return table


def remarks(analyses: Sequence[Analysis]) -> list[str]:
    """What is unavailable and why, and the notes: a line for each, naming the files if several."""
    names = {field: name for field, name, _, _ in QUANTITIES} | {"bands_db": "bands"}
    files: dict[str, list[str]] = {}
    for analysis, file in zip(analyses, _short_names(analyses), strict=True):
        by_reason: dict[str, list[str]] = {}
        for field, reason in analysis.unavailable.items():
            shown = names.get(field, field.removeprefix("bands_db.").replace("_", " "))
            by_reason.setdefault(reason, []).append(shown)
        lines = [f"no {', '.join(shown)}: {reason}" for reason, shown in by_reason.items()]
        for line in (*lines, *analysis.notes):
            files.setdefault(line, []).append(file)
    if len(analyses) == 1:
        return list(files)
    return [f"{line} ({_listed(named)})" for line, named in files.items()]


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
