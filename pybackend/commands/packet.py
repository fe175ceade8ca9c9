"""``movejudge packet``: concept packets with figures measured from reference audio."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pybackend.errors import InputError

if TYPE_CHECKING:
    from pybackend.judgment.artistic.packet import ConceptPacket

KINDS: Final = ("genre", "artist", "hybrid")


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "packet",
        help="make a concept packet from reference audio",
        description="Concept packets say what a result is meant to sound like, in numbers.",
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    made = actions.add_parser(
        "from",
        help="measure reference files and write a packet",
        description=(
            "Measure reference files with the meter that judges moves, and write a packet whose "
            "targets style_fit is measured with. Prose can be added to the file by hand."
        ),
    )
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help="reference audio")
    made.add_argument("--id", metavar="ID", help="of the packet (default: the first file's name)")
    made.add_argument("--name", default="", metavar="TEXT", help="for people")
    made.add_argument("--type", choices=KINDS, default="genre", help="default genre")
    made.add_argument(
        "--tempo", type=float, metavar="BPM", help="of the files; never guessed (else 2 s blocks)"
    )
    made.add_argument("--beats-per-bar", type=float, default=4.0, metavar="N", help="default 4")
    made.add_argument("--out", type=Path, metavar="FILE", help="default ID.packet.json")
    made.add_argument("--force", action="store_true", help="replace a file that exists")
    made.add_argument("--json", action="store_true", help="print the packet; write only with --out")
    made.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure, write, and show the targets."""
    from pybackend.files import write_json  # noqa: PLC0415
    from pybackend.judgment.artistic.reference import packet_from_files  # noqa: PLC0415
    from pybackend.reporting import terminal  # noqa: PLC0415

    if args.tempo is not None and not 20.0 <= args.tempo <= 999.0:
        raise InputError(f"--tempo {args.tempo:g}: use 20 to 999 BPM")
    if not 0.5 <= args.beats_per_bar <= 64.0:
        raise InputError(f"--beats-per-bar {args.beats_per_bar:g}: use 0.5 to 64 quarter notes")
    identity = args.id or slug(args.files[0].stem)
    out = args.out or (None if args.json else Path(f"{slug(identity)}.packet.json"))
    if out is not None and out.exists() and not args.force:
        raise InputError(f"{out}: exists; choose another --out, or replace it with --force")
    with (
        terminal.native_stderr_silenced(),
        terminal.progress("measuring references", len(args.files)) as advance,
    ):
        packet = packet_from_files(
            args.files,
            identity,
            name=args.name,
            kind=args.type,
            tempo_bpm=args.tempo,
            beats_per_bar=args.beats_per_bar,
            advance=advance,
        )
    document = packet.model_dump(mode="json")
    if out is not None:
        write_json(out, document)
    if args.json:
        terminal.print_json(document)
    else:
        console = terminal.console()
        console.print(_table(packet))
        console.print(f"\n{_summary(packet)} Written to {out}.")
    return 0


def slug(text: str) -> str:
    """Letters, digits and dashes of a name, for identifiers and file names."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "packet"


def _table(packet: ConceptPacket) -> Any:
    from pybackend.judgment.dimensions import DIMENSIONS  # noqa: PLC0415
    from pybackend.reporting import terminal  # noqa: PLC0415

    table = terminal.table("target", "middle", "range", "no fit from", "weight", "unit")
    for name, target in packet.targets.items():
        low, high = target.mu - target.tol, target.mu + target.tol
        edge = target.tol + target.falloff
        cells = (
            name,
            f"{target.mu:z.2f}",
            f"{low:z.2f} to {high:z.2f}",
            f"+-{edge:.2f}",
            f"{target.weight:g}",
            DIMENSIONS[name].unit,
        )
        terminal.add_row(table, cells)
    return table


def _summary(packet: ConceptPacket) -> str:
    count = len(packet.measured_from)
    bars = sum(file.bars for file in packet.measured_from)
    tempo = "no tempo was given" if packet.tempo_hint is None else f"{packet.tempo_hint.min:g} BPM"
    return f"Measured from {count} {'file' if count == 1 else 'files'}, {bars} bars; {tempo}."
