"""``movejudge demo``: the whole main job in a few seconds, with no Live."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pybackend.studio.demo import Judgement


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "demo",
        help="three moves, three verdicts, with no Live",
        description=(
            "Play a synthesised loop through the meter and real UDP around three moves: one that "
            "is only louder, one that does nothing, one that helps. Judge each, and leave "
            "recordings, snapshots, verdicts, ledger and report in a run folder."
        ),
    )
    parser.add_argument("--workspace", type=Path, default=Path(), metavar="DIR", help="default ./")
    parser.add_argument("--bars", type=int, default=8, metavar="N", help="bars of the loop, 4..64")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="first performance")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the demo; 0 if it ran, whatever its verdicts."""
    from pybackend.errors import InputError  # noqa: PLC0415

    if not 4 <= args.bars <= 64:
        raise InputError(f"--bars {args.bars}: use 4 to 64")
    if args.seed < 0:
        raise InputError(f"--seed {args.seed}: use 0 or more")

    from pybackend.files import read_json  # noqa: PLC0415
    from pybackend.loop.runfolder import RunFolder  # noqa: PLC0415
    from pybackend.reporting import terminal  # noqa: PLC0415
    from pybackend.stream.receiver import Receiver  # noqa: PLC0415
    from pybackend.studio.demo import CAPTURES, REPORT_NAME, Demo  # noqa: PLC0415
    from pybackend.studio.groove import Groove  # noqa: PLC0415

    folder = RunFolder.create(args.workspace, "demo")
    with (
        folder as run_folder,
        Receiver(port=0) as receiver,
        terminal.progress("Playing, measuring, judging", CAPTURES) as advance,
    ):
        demo = Demo(
            run_folder,
            receiver,
            Groove(bars=args.bars),
            seed=args.seed,
            advance=lambda: advance(1),
        )
        judged = demo.perform()
    if args.json:
        report = read_json(folder.execution / REPORT_NAME)
        terminal.print_json({"run": folder.path.as_posix()} | report)
    else:
        _print(judged, folder.path)
    return 0


def _print(judged: list[Judgement], path: Path) -> None:
    from pybackend.reporting import terminal  # noqa: PLC0415
    from pybackend.reporting.verdicts import print_verdict  # noqa: PLC0415
    from pybackend.studio.demo import REQUEST  # noqa: PLC0415

    console = terminal.console()
    console.print(f"Goal: {REQUEST}\n")
    for item in judged:
        print_verdict(console, item.verdict, title=item.move.description)
        console.print(f"The change was {item.outcome}.\n")
    console.print(f"Everything is in {path}")
    console.print(f"Judge it again from the recordings: movejudge replay {path}", soft_wrap=True)
