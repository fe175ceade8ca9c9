"""``movejudge uninstall``: remove what ``movejudge install`` wrote and nobody has changed."""

from __future__ import annotations

import argparse
from typing import Any

WHY_KEPT = {
    "changed": "kept, because it was changed after it was installed",
    "unreachable": "kept, because its library is not there; connect the drive and run this again",
    "gone": "was removed by somebody already",
}


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "uninstall",
        help="remove what install wrote into Live's User Library",
        description=(
            "Remove the remote script, the device and the launcher's configuration. A file that "
            "was changed since stays, and so do memory, ledgers and settings."
        ),
        epilog="Exit codes: 0 done or nothing was installed, 3 a library is not there.",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, do nothing")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Uninstall; 0 when done."""
    import contextlib  # noqa: PLC0415

    from pybackend import files  # noqa: PLC0415
    from pybackend.config import launcher_config_path, state_folder  # noqa: PLC0415
    from pybackend.live.installed import read_record, record_path  # noqa: PLC0415
    from pybackend.live.installing import (  # noqa: PLC0415
        REMOVE,
        UNREACHABLE,
        apply_uninstall,
        plan_uninstall,
    )
    from pybackend.reporting import terminal  # noqa: PLC0415

    path = record_path()
    nothing_to_lock = args.dry_run or not path.exists()
    with contextlib.nullcontext() if nothing_to_lock else files.locked(path):
        record = read_record(path)
        corrupt = record.corrupt
        steps = plan_uninstall(record, launcher_config_path())
        if not args.dry_run and not corrupt:
            apply_uninstall(steps, record, path)
    if args.json:
        terminal.print_json(
            {
                "dry_run": args.dry_run,
                "record": "corrupt" if corrupt else "ok" if steps else "none",
                "files": [{"path": str(step.path), "action": step.action} for step in steps],
            }
        )
    else:
        console = terminal.console()
        removed = "would remove" if args.dry_run else "removed"
        for step in steps:
            what = removed if step.action == REMOVE else WHY_KEPT[step.action]
            console.print(f"  {step.path}: {what}", soft_wrap=True)
        if not steps and not corrupt:
            console.print("Nothing is installed.")
        elif steps:
            console.print(f"Memory, ledgers and settings stay in {state_folder()}", soft_wrap=True)
    if corrupt:
        terminal.print_error(
            f"{path}: cannot be read, so nothing was removed; run: movejudge install, then "
            "movejudge uninstall"
        )
        return 2
    return 3 if any(step.action == UNREACHABLE for step in steps) else 0
