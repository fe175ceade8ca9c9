"""``movejudge listen``: a live table of every analyzer heard."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pybackend.commands.record import add_listening_arguments, check_seconds

if TYPE_CHECKING:
    from pybackend.stream.intake import Device
    from pybackend.stream.receiver import Receiver

JSON_SECONDS = 2.0
REFRESH_S = 0.1


def add_parser(subparsers: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "listen",
        help="show live what the analyzers send",
        description=(
            "Show loudness, true peak, bands and song position of every analyzer, until Ctrl-C or "
            "for a number of seconds. With --json: listen (2 s by default), then print once."
        ),
    )
    add_listening_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Listen; 0 if an analyzer was heard, 3 if none was."""
    from pybackend.reporting import terminal  # noqa: PLC0415
    from pybackend.reporting.devices import (  # noqa: PLC0415
        NO_DEVICE_HINT,
        device_summary,
        rejects_summary,
    )
    from pybackend.stream.receiver import Receiver  # noqa: PLC0415

    check_seconds(args.seconds)
    with Receiver(port=args.port) as receiver:
        if args.json:
            _wait(args.seconds or JSON_SECONDS)
        else:
            _show(receiver, args.seconds)
        rows = _rows(receiver)
    if args.json:
        terminal.print_json(
            {
                "port": args.port,
                "devices": [
                    device_summary(device) | {"stale": stale, "now": now}
                    for device, now, stale in rows
                ],
                "masters": [device.instance for device in receiver.intake.masters()],
                "rejects": rejects_summary(receiver.intake.rejects),
            }
        )
    if not rows:
        terminal.print_error(NO_DEVICE_HINT.format(port=args.port))
        return 3
    return 0


def _wait(seconds: float) -> None:
    import time  # noqa: PLC0415

    try:
        time.sleep(seconds)
    except KeyboardInterrupt:
        return


def _rows(receiver: Receiver) -> list[tuple[Device, dict[str, Any] | None, bool]]:
    from pybackend.reporting.devices import reading  # noqa: PLC0415

    rows = []
    for device in receiver.intake.devices():
        store = receiver.intake.store(device.instance)
        frames, _ = store.since(store.written - 1)
        stale = device.stats.is_stale(receiver.now_s())
        rows.append((device, reading(frames) if len(frames) else None, stale))
    return rows


def _show(receiver: Receiver, seconds: float | None) -> None:
    import time  # noqa: PLC0415

    from rich.live import Live  # noqa: PLC0415

    from pybackend.reporting import terminal  # noqa: PLC0415
    from pybackend.reporting.devices import NO_DEVICE_HINT, live_table  # noqa: PLC0415

    console = terminal.console()
    started_s = time.monotonic()
    hinted = False
    with Live(console=console, auto_refresh=False, transient=False) as live:
        try:
            while seconds is None or time.monotonic() - started_s < seconds:
                rows = _rows(receiver)
                if rows:
                    live.update(live_table(rows), refresh=console.is_terminal)
                elif not hinted and time.monotonic() - started_s > 3.0:
                    live.update(NO_DEVICE_HINT.format(port=receiver.port), refresh=True)
                    hinted = True
                time.sleep(REFRESH_S)
        except KeyboardInterrupt:
            return
