"""``movejudge install``: put the remote script and the device into Live's User Library."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pybackend.live.installing import Plan
    from pybackend.live.places import Library

NEXT_STEPS = (
    "Next, in Live:",
    "  1. Restart Live; it looks for control surfaces only when it starts.",
    "  2. Settings, Link, Tempo & MIDI: Control Surface MoveJudge, Input and Output None.",
    "  3. Browser, Max for Live, Max Audio Effect: drag MoveJudge Analyzer onto the master, last.",
    "  4. Run: movejudge doctor",
)


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "install",
        help="put the remote script and the device into Live's User Library",
        description=(
            "Copy the remote script and the Max for Live device into Live's User Library and leave "
            "the path of this Python for the device's Start button. Files that are not from "
            "MoveJudge are never overwritten."
        ),
        epilog="Exit codes: 0 installed or already there, 2 something foreign is in the way, "
        "3 no Live found.",
    )
    parser.add_argument("--library", type=Path, metavar="PATH", help="Live's User Library")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, do nothing")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Install; 0 when everything is in place."""
    import contextlib  # noqa: PLC0415
    import sys  # noqa: PLC0415

    from pybackend import files  # noqa: PLC0415
    from pybackend.config import launcher_config_path  # noqa: PLC0415
    from pybackend.live.installed import read_record, record_path  # noqa: PLC0415
    from pybackend.live.installing import apply_install, plan_install  # noqa: PLC0415
    from pybackend.live.launcher import interpreter, launcher_bytes  # noqa: PLC0415
    from pybackend.live.places import find_library, this_machine  # noqa: PLC0415

    machine = this_machine()
    library = find_library(machine, args.library)
    python = interpreter(Path(sys.executable).absolute(), machine.platform)
    launcher, recorded = launcher_config_path(), record_path()
    with contextlib.nullcontext() if args.dry_run else files.locked(recorded):
        wanted = launcher_bytes(python, launcher)
        plan = plan_install(library.folder, read_record(recorded), launcher, wanted)
        if not args.dry_run:
            apply_install(plan, recorded)
    warnings = [*library.notes, *_warnings(python)]
    if args.json:
        _print_json(plan, library, warnings, dry_run=args.dry_run)
    else:
        _print(plan, library, warnings, dry_run=args.dry_run)
    return 2 if plan.blocked else 0


def _warnings(python: Path) -> list[str]:
    from pybackend.live.computer import check_home, check_package  # noqa: PLC0415
    from pybackend.live.finding import Status  # noqa: PLC0415

    warnings = []
    package = check_package()
    if package.status is Status.WARN:
        warnings.append(
            f"{package.detail}; the device's Start button cannot start it: {package.hint}"
        )
    home = check_home()
    if home.status is Status.WARN:
        warnings.append(f"MOVEJUDGE_HOME is {home.detail}: {home.hint}")
    if "archive-v0" in python.parts:
        warnings.append(
            f"{python} is in a cache that uv empties, and the device's Start button needs it: "
            "install with 'uv tool install movejudge' and run this again"
        )
    return warnings


def _print_json(plan: Plan, library: Library, warnings: list[str], *, dry_run: bool) -> None:
    from pybackend.reporting import terminal  # noqa: PLC0415

    terminal.print_json(
        {
            "dry_run": dry_run,
            "library": str(library.folder),
            "library_from": library.source,
            "already_installed": plan.is_done and not plan.blocked,
            "files": [
                {"path": str(step.path), "action": step.action}
                for step in (*plan.steps, plan.launcher)
            ],
            "blocked": list(plan.blocked),
            "warnings": warnings,
        }
    )


def _print(plan: Plan, library: Library, warnings: list[str], *, dry_run: bool) -> None:
    from pybackend.live.installing import SAME  # noqa: PLC0415
    from pybackend.reporting import terminal  # noqa: PLC0415

    console = terminal.console()
    console.print(f"Live's User Library: {library.folder} ({library.source})", soft_wrap=True)
    changes = [step for step in (*plan.steps, plan.launcher) if step.action != SAME]
    for step in changes:
        verb = f"would {step.action}" if dry_run else step.action
        console.print(f"  {verb}  {step.path}", soft_wrap=True)
    for obstacle in plan.blocked:
        terminal.print_error(f"in the way: {obstacle}; move it away")
    for warning in warnings:
        terminal.print_error(f"warning: {warning}")
    if plan.blocked:
        return
    if not changes:
        console.print("Everything is in place already.")
    elif dry_run:
        console.print(f"{len(changes)} files would change; nothing was written.")
    else:
        console.print(f"{len(changes)} files written or removed.")
        for line in NEXT_STEPS:
            console.print(line, soft_wrap=True)
