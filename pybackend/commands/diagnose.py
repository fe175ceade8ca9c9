"""``movejudge diagnose``: what measurement finds wrong with a file or a recording."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pybackend.judgment.findings import Diagnosis, Finding
    from pybackend.judgment.masking.report import MaskingReport
    from pybackend.stream.replay import Recording


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "diagnose",
        help="what measurement finds wrong: peaks, mono, low end, tone, dynamics, masking",
        description=(
            "Look for problems in an audio file or in a recording of the analyzer, and say which "
            "goal would address each. Nothing is judged and nothing changed. Where a recording "
            "holds analyzers on tracks, masking between them is examined too."
        ),
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="audio, pcap or pcapng")
    parser.add_argument("--tempo", type=float, metavar="BPM", help="of an audio file")
    parser.add_argument("--instance", type=int, metavar="N", help="which analyzer of a recording")
    parser.add_argument(
        "--track",
        action="append",
        default=[],
        metavar="N=DB[,PAN[,muted]]",
        help="fader of the track with analyzer N: the analyzer sits before it",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Examine one file."""
    from pybackend.reporting import terminal  # noqa: PLC0415

    diagnosis, masking = _examine(args)
    if args.json:
        document = {"file": args.file.as_posix(), **diagnosis.model_dump(mode="json")}
        document["masking"] = None if masking is None else masking.model_dump(mode="json")
        terminal.print_json(document)
    else:
        _print(diagnosis, masking)
    return 0


def _examine(args: argparse.Namespace) -> tuple[Diagnosis, MaskingReport | None]:
    from pybackend.capture.material import (  # noqa: PLC0415
        Meter,
        is_recording,
        load,
        master_frames,
    )
    from pybackend.judgment.critics import diagnose  # noqa: PLC0415

    if not is_recording(args.file):
        from pybackend.errors import InputError  # noqa: PLC0415

        if args.track:
            raise InputError("--track: an audio file holds no tracks; give a recording")
        material = load(args.file, Meter(args.tempo))
        return diagnose(material.frames, material.positions), None
    from pybackend.stream.replay import load_recording  # noqa: PLC0415

    recording = load_recording(args.file)
    frames = master_frames(recording, args.file, args.instance)
    masking = _masking(recording, args.track)
    return diagnose(frames, "song", masking), masking


def _masking(recording: Recording, strips: list[str]) -> MaskingReport | None:
    from pybackend.errors import InputError  # noqa: PLC0415
    from pybackend.judgment.masking.state import masking_of_tracks  # noqa: PLC0415
    from pybackend.judgment.masking.tracks import Strip, TrackCapture  # noqa: PLC0415
    from pybackend.stream.protocol import KIND_NAMES  # noqa: PLC0415

    given = dict(_strip(text) for text in strips)
    found = {
        device.instance: device.hello
        for device in recording.devices
        if device.hello is not None
        and KIND_NAMES[device.hello.kind] != "master"
        and device.instance in recording.frames
    }
    unknown = sorted(given.keys() - found.keys())
    if unknown:
        known = ", ".join(str(instance) for instance in found) or "none"
        raise InputError(f"--track {unknown[0]}: no track has that analyzer; there are {known}")
    if not found:
        return None
    tracks = {}
    for instance, hello in found.items():
        number = f" {hello.index + 1}" if hello.index >= 0 else ""
        name = f"{KIND_NAMES[hello.kind]}{number} ({instance})"
        strip = given.get(instance, Strip())
        tracks[name] = TrackCapture((recording.frames[instance],), strip)
    return masking_of_tracks(tracks)


def _strip(text: str) -> tuple[int, Any]:
    from pybackend.errors import InputError  # noqa: PLC0415
    from pybackend.judgment.masking.tracks import Strip  # noqa: PLC0415

    number, _, rest = text.partition("=")
    parts = rest.split(",")
    muted = parts[-1].strip() == "muted"
    try:
        figures = [float(part) for part in (parts[:-1] if muted else parts)]
        if len(figures) not in (1, 2):
            raise ValueError
        return int(number), Strip(figures[0], figures[1] if len(figures) > 1 else 0.0, muted)
    except ValueError:
        raise InputError(
            f"--track {text}: write N=DB, N=DB,PAN or N=DB,PAN,muted, for example 7=-6.5,0.25"
        ) from None


def _print(diagnosis: Diagnosis, masking: MaskingReport | None) -> None:
    from pybackend.reporting import terminal  # noqa: PLC0415

    console = terminal.console()
    if diagnosis.findings:
        table = terminal.table("severity", "what", "where", "evidence", "goal", numbers=False)
        for found in diagnosis.findings:
            cells = (
                found.severity,
                found.what.replace("_", " "),
                found.where,
                found.evidence,
                _goal(found),
            )
            terminal.add_row(table, cells)
        console.print(table)
    elif diagnosis.frames:
        console.print("Nothing found.")
    for subject, reason in diagnosis.unavailable.items():
        console.print(f"Not examined: {subject} ({reason}).", style="dim")
    if masking is not None and masking.clarity is not None:
        console.print(f"Masking: {masking.resolution}; {masking.limits}.", style="dim")


def _goal(found: Finding) -> str:
    targets = " ".join(
        f"--target {name}={weight:g}" for name, weight in found.goal["targets"].items()
    )
    protect = " ".join(f"--protect {name}" for name in found.goal["protect"])
    return f"{found.engine}: {targets} {protect}".rstrip()
