"""``movejudge doctor``: what works, what does not, and what to do about it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

STYLES = {"pass": "green", "warn": "yellow", "fail": "bold red", "skip": "dim"}


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "doctor",
        help="check Python, ports, the installation, Live and the device",
        description=(
            "Check everything MoveJudge needs and say what to do where something is missing. "
            "Takes one to three seconds, in which it listens for the device. Changes nothing."
        ),
        epilog="Exit codes: 0 nothing failed (warnings may remain), 3 something needed is missing.",
    )
    parser.add_argument("--library", type=Path, metavar="PATH", help="Live's User Library")
    parser.add_argument(
        "--workspace", type=Path, default=Path(), metavar="PATH", help="default: this folder"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check; 0 when nothing failed, else 3."""
    from collections import Counter  # noqa: PLC0415
    from dataclasses import asdict  # noqa: PLC0415

    from rich.text import Text  # noqa: PLC0415

    from pybackend.config import app_version  # noqa: PLC0415
    from pybackend.live.doctor import examine  # noqa: PLC0415
    from pybackend.live.finding import Status  # noqa: PLC0415
    from pybackend.live.places import this_machine  # noqa: PLC0415
    from pybackend.reporting import terminal  # noqa: PLC0415

    with terminal.error_console().status("Checking, and listening for the device"):
        findings = examine(this_machine(), args.workspace, args.library)
    counts = Counter(finding.status for finding in findings)
    failed = counts[Status.FAIL] > 0
    if args.json:
        terminal.print_json(
            {
                "version": app_version(),
                "ok": not failed,
                "counts": {status.value: counts[status] for status in Status},
                "checks": [asdict(finding) for finding in findings],
            }
        )
        return 3 if failed else 0
    console = terminal.console()
    for finding in findings:
        line = Text(f"{finding.status.upper()} ", style=STYLES[finding.status])
        line.append(f" {finding.check}: {finding.detail}", style="default not bold")
        console.print(line, soft_wrap=True)
        if finding.hint:
            console.print(Text(f"      -> {finding.hint}"), soft_wrap=True)
    console.print(", ".join(f"{counts[status]} {status.value}" for status in Status))
    return 3 if failed else 0
