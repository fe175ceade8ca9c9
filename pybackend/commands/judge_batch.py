"""``movejudge judge-batch``: the moves of many plans, over all cores or a cluster."""

from __future__ import annotations

import argparse
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "judge-batch",
        help="judge the moves of many plans, over all cores or a Dask cluster",
        description=(
            "Judge every move of every plan given, and of every plan.json below the folders given. "
            "The recordings of a plan lie beside it. Results are the same however many cores or "
            "machines there are, in the order of the plans."
        ),
    )
    parser.add_argument("plans", nargs="+", type=Path, metavar="PLAN|FOLDER")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per core)")
    where.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask scheduler; needs movejudge[cluster]"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judge all plans; 0 if every one could be judged, else 2."""
    from pybackend.errors import InputError  # noqa: PLC0415
    from pybackend.judgment.batch import (  # noqa: PLC0415
        find_plans,
        judge_all,
        on_cluster,
        on_cores,
    )
    from pybackend.reporting import terminal  # noqa: PLC0415

    if args.jobs is not None and args.jobs < 1:
        raise InputError(f"--jobs {args.jobs}: give 1 or more")
    plans = find_plans(args.plans)
    if args.scheduler is None:
        runner = partial(on_cores, jobs=args.jobs)
    else:
        runner = partial(on_cluster, address=args.scheduler)
    with terminal.progress(f"Judging {len(plans)} plans", len(plans)) as advance:
        documents = judge_all(plans, runner, advance)
    errors = [document["error"] for document in documents if "error" in document]
    for error in errors:
        terminal.print_error(error)
    if args.json:
        terminal.print_json({"counts": _counts(documents), "plans": documents})
    else:
        _print(documents)
    return InputError.exit_code if errors else 0


def _counts(documents: list[dict[str, Any]]) -> dict[str, int]:
    counts = Counter(
        move["verdict"]["decision"] for document in documents for move in document.get("moves", ())
    )
    decisions = {name: counts[name] for name in ("keep", "undo", "inconclusive")}
    return {**decisions, "errors": sum("error" in document for document in documents)}


def _shown(plan: str) -> str:
    path = Path(plan)
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _print(documents: list[dict[str, Any]]) -> None:
    from pybackend.reporting import terminal  # noqa: PLC0415

    table = terminal.table("plan", "move", "decision", "score", "bars")
    for document in documents:
        for move in document.get("moves", ()):
            verdict = move["verdict"]
            score = verdict["score"]
            cells = (
                _shown(document["plan"]),
                move["id"],
                verdict["decision"],
                "-" if score is None else f"{score:.2f}",
                str(verdict["evidence"]["bars"]),
            )
            terminal.add_row(table, cells)
    console = terminal.console()
    if table.row_count:
        console.print(table)
    console.print(", ".join(f"{count} {name}" for name, count in _counts(documents).items()))
