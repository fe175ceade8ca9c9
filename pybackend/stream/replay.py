"""Recordings played again: into an intake, as fast as possible or in time, or to a port."""

from __future__ import annotations

import math
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pybackend.config import HOST
from pybackend.errors import RecordingError
from pybackend.stream.batch import Batch
from pybackend.stream.codec import Reject
from pybackend.stream.frames import Frames
from pybackend.stream.intake import Device, Intake, Store
from pybackend.stream.recording import CaptureCounts, read_datagrams
from pybackend.stream.ring import FrameLog

MAX_RECORDING_BYTES: Final = 512 << 20
"""Largest file that `load_recording` takes into memory: about a day of one device."""


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """A recording, read whole.

    Parameters
    ----------
    path : Path
        The file.
    devices : tuple of Device
        Accounting and latest hello of each device, in the order of their first word.
    frames : mapping of int to Frames
        Frames of each device, by instance, in the order of their counter.
    rejects : mapping of Reject to int
        Datagrams dropped, by reason.
    masters : tuple of Device
        Devices that say they sit on the master; more than one is an error of the set.
    capture : CaptureCounts
        What else the file holds, and whether it ends soundly.
    """

    path: Path
    devices: tuple[Device, ...]
    frames: Mapping[int, Frames]
    rejects: Mapping[Reject, int]
    masters: tuple[Device, ...]
    capture: CaptureCounts


def replay(
    path: Path,
    intake: Intake[Store],
    *,
    port: int | None = None,
    realtime: bool = False,
    speed: float = 1.0,
    stop: threading.Event | None = None,
) -> CaptureCounts:
    """Feed a recording to an intake; frames keep the capture's times either way.

    Parameters
    ----------
    path : Path
        pcap or pcapng file.
    intake : Intake
        What takes the datagrams, as it would from a socket.
    port : int, optional
        Only datagrams sent to this port; by default to any.
    realtime : bool
        Whether to wait between datagrams as long as the capture did.
    speed : float
        With ``realtime``, how many times faster than the capture.
    stop : threading.Event, optional
        Ends the replay early when set, also in the middle of a pause.

    Raises
    ------
    RecordingError
        If the file cannot be opened, is empty, or is no capture.
    """
    datagrams = read_datagrams(path, port)
    batch = Batch()
    timed = paced(datagrams, speed, stop) if realtime else _until(datagrams, stop)
    for time_s, payload in timed:
        if batch.add(payload, time_s) or realtime:
            intake.feed(batch)
            batch.clear()
    intake.feed(batch)
    return datagrams.counts


def load_recording(
    path: Path, port: int | None = None, *, realtime: bool = False, speed: float = 1.0
) -> Recording:
    """Read a recording whole; with ``realtime`` in the time it took, for the same result.

    Raises
    ------
    RecordingError
        If the file is larger than `MAX_RECORDING_BYTES`, cannot be opened, is empty, or is no
        capture.
    """
    _require_size(path)
    intake = Intake(FrameLog, forget_after_s=math.inf)
    capture = replay(path, intake, port=port, realtime=realtime, speed=speed)
    return Recording(
        path,
        intake.devices(),
        {instance: intake.store(instance).all() for instance in intake.instances},
        intake.rejects,
        intake.masters(),
        capture,
    )


def send_datagrams(
    path: Path,
    port: int,
    *,
    host: str = HOST,
    realtime: bool = True,
    speed: float = 1.0,
    stop: threading.Event | None = None,
) -> int:
    """Send a recording's datagrams to a UDP port of this machine; how many were sent.

    Without ``realtime`` they leave as fast as they can, which may be faster than a receiver reads.

    Raises
    ------
    RecordingError
        If the file cannot be opened, is empty, or is no capture.
    """
    datagrams = read_datagrams(path)
    timed = paced(datagrams, speed, stop) if realtime else _until(datagrams, stop)
    sent = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _, payload in timed:
            sender.sendto(payload, (host, port))
            sent += 1
    return sent


def paced(
    datagrams: Iterable[tuple[float, bytes]], speed: float, stop: threading.Event | None = None
) -> Iterator[tuple[float, bytes]]:
    """The datagrams, each when it is due; ``speed`` is how many times faster than captured."""
    stop = stop or threading.Event()
    origin_s = started_s = None
    for time_s, payload in datagrams:
        if origin_s is None or started_s is None:
            origin_s, started_s = time_s, time.perf_counter()
        due_s = started_s + (time_s - origin_s) / speed
        wait_s = due_s - time.perf_counter()
        if stop.wait(wait_s) if wait_s > 0.0 else stop.is_set():
            return
        yield time_s, payload


def _until(
    datagrams: Iterable[tuple[float, bytes]], stop: threading.Event | None
) -> Iterator[tuple[float, bytes]]:
    for datagram in datagrams:
        if stop is not None and stop.is_set():
            return
        yield datagram


def _require_size(path: Path) -> None:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error.strerror})") from error
    if size > MAX_RECORDING_BYTES:
        raise RecordingError(
            f"{path}: {size >> 20} MiB is more than {MAX_RECORDING_BYTES >> 20} MiB, "
            "cut it first (editcap -A START -B END)"
        )
