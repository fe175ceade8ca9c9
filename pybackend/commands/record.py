"""``movejudge record``: write what the analyzers send into a pcap file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pybackend.config import UDP_PORT

if TYPE_CHECKING:
    from pybackend.stream.receiver import Receiver


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "record",
        help="record the analyzers' frames as an ordinary pcap file",
        description="Record datagrams to a pcap file until Ctrl-C, or for a number of seconds.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a new file, for example take.pcap")
    add_listening_arguments(parser)
    parser.set_defaults(run=run)


def add_listening_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what every command that listens takes."""
    parser.add_argument("--port", type=int, default=UDP_PORT, metavar="N", help="default 9701")
    parser.add_argument("--seconds", type=float, metavar="S", help="stop after this long")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def check_seconds(seconds: float | None) -> None:
    """Refuse a time that is none.

    Raises
    ------
    InputError
        If it is not positive, or longer than a week.
    """
    from pybackend.errors import InputError  # noqa: PLC0415

    if seconds is not None and not 0.0 < seconds <= 604800.0:
        raise InputError(f"--seconds {seconds:g}: use more than 0 and at most 604800")


def devices_summary(receiver: Receiver) -> list[dict[str, Any]]:
    """What is known of each analyzer, for JSON."""
    from pybackend.reporting.devices import device_summary  # noqa: PLC0415

    return [device_summary(device) for device in receiver.intake.devices()]


def run(args: argparse.Namespace) -> int:
    """Record; 0 when something was recorded, 3 when nothing arrived."""
    import time  # noqa: PLC0415

    from pybackend.reporting import terminal  # noqa: PLC0415
    from pybackend.reporting.devices import NO_DEVICE_HINT, rejects_summary  # noqa: PLC0415
    from pybackend.stream.receiver import Receiver  # noqa: PLC0415
    from pybackend.stream.recording import Recorder  # noqa: PLC0415

    check_seconds(args.seconds)
    started_s = time.monotonic()
    log = terminal.error_console()
    with (
        Receiver(port=args.port) as receiver,
        Recorder(args.file, receiver.port) as recorder,
        receiver.tap(recorder.write),
        log.status(f"Recording UDP port {receiver.port}; Ctrl-C ends it") as status,
    ):
        try:
            while args.seconds is None or time.monotonic() - started_s < args.seconds:
                time.sleep(0.1)
                status.update(f"Recording: {recorder.written} datagrams; Ctrl-C ends it")
        except KeyboardInterrupt:
            pass
    if args.json:
        terminal.print_json(
            {
                "file": args.file.as_posix(),
                "datagrams": recorder.written,
                "devices": devices_summary(receiver),
                "rejects": rejects_summary(receiver.intake.rejects),
            }
        )
    else:
        terminal.console().print(f"{recorder.written} datagrams in {args.file}", soft_wrap=True)
    if recorder.written == 0:
        terminal.print_error(NO_DEVICE_HINT.format(port=args.port))
        return 3
    return 0
