"""``movejudge replay``: recordings again, to frames, to verdicts, or to a UDP port."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pybackend.judgment.verdict import Verdict
    from pybackend.loop.plan import Plan
    from pybackend.stream.replay import Recording


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "replay",
        help="replay recordings, and judge the moves of a plan from them",
        description=(
            "Replay pcap or pcapng files, from MoveJudge, Wireshark or tcpdump. With a plan, or "
            "given the folder of a recorded run, judge its moves again; without one, say what the "
            "recordings hold."
        ),
    )
    parser.add_argument("recordings", nargs="+", type=Path, metavar="RECORDING")
    parser.add_argument("--plan", type=Path, metavar="FILE", help="moves.json: goals and windows")
    parser.add_argument("--realtime", action="store_true", help="keep the original timing")
    parser.add_argument("--speed", type=float, default=1.0, metavar="X", help="of --realtime")
    parser.add_argument("--to-port", type=int, metavar="N", help="send to this local UDP port")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Replay; with a plan, say by the exit code what was decided."""
    from pybackend.errors import InputError  # noqa: PLC0415

    if not 0.01 <= args.speed <= 1000.0:
        raise InputError(f"--speed {args.speed:g}: use 0.01 to 1000")
    recordings, plan_path = _find_plan(args)
    if args.to_port is not None:
        return _send(args, recordings)
    if plan_path is not None:
        return _judge(args, recordings, plan_path)
    return _describe(args, recordings)


def _find_plan(args: argparse.Namespace) -> tuple[list[Path], Path | None]:
    """Recordings named, and the plan: given, or brought by a run's folder."""
    from pybackend.errors import InputError, TargetMissing  # noqa: PLC0415
    from pybackend.loop.plan import PLAN_NAME  # noqa: PLC0415

    folders = [path for path in args.recordings if path.is_dir()]
    if not folders:
        return args.recordings, args.plan
    if len(args.recordings) > 1:
        raise InputError("give one run folder, or recordings; not both and not several")
    found = [
        folder / PLAN_NAME
        for folder in (folders[0], folders[0] / "execution")
        if (folder / PLAN_NAME).is_file()
    ]
    plan = args.plan or (found[0] if found else None)
    if plan is None:
        raise TargetMissing(f"{folders[0]}: no {PLAN_NAME} in it; name a run folder or recordings")
    if args.to_port is not None:
        return sorted(plan.parent.rglob("*.pcap")), plan
    return [], plan


def _send(args: argparse.Namespace, recordings: list[Path]) -> int:
    from pybackend.errors import InputError  # noqa: PLC0415
    from pybackend.reporting import terminal  # noqa: PLC0415
    from pybackend.stream.replay import send_datagrams  # noqa: PLC0415

    if not 1 <= args.to_port <= 65535:
        raise InputError(f"--to-port {args.to_port}: ports go from 1 to 65535")
    sent = {
        path.as_posix(): send_datagrams(
            path, args.to_port, realtime=args.realtime, speed=args.speed
        )
        for path in recordings
    }
    if args.json:
        terminal.print_json({"port": args.to_port, "sent": sent})
    else:
        terminal.console().print(f"{sum(sent.values())} datagrams sent to port {args.to_port}")
    return 0


def _load(args: argparse.Namespace, path: Path) -> Recording:
    from pybackend.stream.replay import load_recording  # noqa: PLC0415

    return load_recording(path, realtime=args.realtime, speed=args.speed)


def _judge(args: argparse.Namespace, recordings: list[Path], plan_path: Path) -> int:
    from pybackend.loop.plan import load_plan  # noqa: PLC0415
    from pybackend.loop.rejudge import Recordings, judge_plan  # noqa: PLC0415
    from pybackend.reporting import terminal  # noqa: PLC0415
    from pybackend.reporting.verdicts import exit_code  # noqa: PLC0415

    plan = load_plan(plan_path)
    known = Recordings(plan_path.parent, tuple(recordings), lambda path: _load(args, path))
    judged: list[tuple[str, Verdict]] = []
    with terminal.progress("Judging", len(plan.moves)) as advance:
        for move, verdict in judge_plan(plan, known):
            judged.append((move.id, verdict))
            advance(1)
    if args.json:
        moves = [
            {"id": name, "verdict": verdict.model_dump(mode="json")} for name, verdict in judged
        ]
        terminal.print_json({"plan": plan_path.as_posix(), "moves": moves})
    else:
        _print_moves(plan, judged)
    return exit_code([verdict for _, verdict in judged])


def _print_moves(plan: Plan, judged: list[tuple[str, Verdict]]) -> None:
    from pybackend.reporting import terminal  # noqa: PLC0415
    from pybackend.reporting.verdicts import print_verdict  # noqa: PLC0415

    console = terminal.console()
    for move, (name, verdict) in zip(plan.moves, judged, strict=True):
        print_verdict(console, verdict, title=move.description or name)
        console.print()


def _describe(args: argparse.Namespace, recordings: list[Path]) -> int:
    from pybackend.reporting import terminal  # noqa: PLC0415
    from pybackend.reporting.devices import rejects_summary  # noqa: PLC0415

    loaded = [_load(args, path) for path in recordings]
    if args.json:
        terminal.print_json(
            {
                "recordings": [
                    {
                        "file": recording.path.as_posix(),
                        "packets": recording.capture.packets,
                        "datagrams": recording.capture.datagrams,
                        "damage": recording.capture.damage,
                        "rejects": rejects_summary(recording.rejects),
                        "devices": _devices(recording),
                    }
                    for recording in loaded
                ]
            }
        )
        return 0
    console = terminal.console()
    for recording in loaded:
        console.print(_table(recording))
        for line in _remarks(recording):
            console.print(line, style="dim", soft_wrap=True)
    return 0


def _devices(recording: Recording) -> list[dict[str, Any]]:
    from pybackend.capture.snapshot import take  # noqa: PLC0415
    from pybackend.metering.loudness import integrated_lufs  # noqa: PLC0415
    from pybackend.reporting.devices import device_summary  # noqa: PLC0415

    found = []
    for device in recording.devices:
        frames = recording.frames[device.instance]
        summary = take(frames).summary()
        loudness = integrated_lufs(frames.column("k_power")) if len(frames) else None
        found.append(
            device_summary(device)
            | {"integrated_lufs": loudness}
            | {
                key: summary[key]
                for key in ("bars", "start_beats", "end_beats", "tempo_bpm", "silent", "jumps")
            }
        )
    return found


def _table(recording: Recording) -> Any:
    from pybackend.reporting import terminal  # noqa: PLC0415

    made = terminal.table(
        "analyzer",
        "frames",
        "lost",
        "bars",
        "from",
        "to",
        "tempo",
        "LUFS",
        title=str(recording.path),
    )
    for device in _devices(recording):
        numbers = [device[key] for key in ("start_beats", "end_beats", "tempo_bpm")]
        loudness = device["integrated_lufs"]
        terminal.add_row(
            made,
            [
                f"{device['track']} #{device['instance']}",
                str(device["frames"]),
                str(device["lost"]),
                str(device["bars"]),
                *("-" if number is None else f"{number:.1f}" for number in numbers),
                "-" if loudness is None else f"{loudness:.1f}",
            ],
        )
    return made


def _remarks(recording: Recording) -> list[str]:
    from pybackend.reporting.devices import rejects_summary  # noqa: PLC0415

    capture = recording.capture
    remarks = []
    if recording.rejects:
        parts = (
            f"{count} {reason}" for reason, count in rejects_summary(recording.rejects).items()
        )
        remarks.append(f"Dropped: {', '.join(parts)}.")
    others = capture.other + capture.other_ports
    if others:
        remarks.append(f"{others} packets of other traffic.")
    if capture.damage:
        remarks.append(f"The file is damaged: {capture.damage}; what came before was read.")
    return remarks
