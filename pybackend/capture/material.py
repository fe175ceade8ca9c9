"""Frames from a file, whatever it is: a recording of datagrams, or sound to be metered."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pybackend.capture.timeline import Positions
from pybackend.errors import InputError, RecordingError, TargetMissing

if TYPE_CHECKING:
    from pybackend.capture.point import PointSnapshot
    from pybackend.stream.frames import Frames
    from pybackend.stream.replay import Recording

BLOCK_S: Final = 2.0
"""Length of a bar where nobody says the tempo."""

CAPTURE_MAGIC: Final = (
    b"\xd4\xc3\xb2\xa1",
    b"\xa1\xb2\xc3\xd4",
    b"\x4d\x3c\xb2\xa1",
    b"\xa1\xb2\x3c\x4d",
    b"\x0a\x0d\x0d\x0a",
)
"""First bytes of pcap (both byte orders, micro- and nanoseconds) and of pcapng."""


class Material(NamedTuple):
    """What a file holds.

    ``positions`` says whether the frames' are the song's or count from the file's start. A
    recording of an older analyzer has no frames but readings, whose mean is ``point``.
    """

    frames: Frames
    positions: Positions
    point: PointSnapshot | None = None


class Meter(NamedTuple):
    """Tempo and bar of sound without song positions; without a tempo a bar is two seconds."""

    tempo_bpm: float | None = None
    beats_per_bar: float = 4.0

    @property
    def bar_tempo_bpm(self) -> float:
        """Tempo to stamp on the frames."""
        return self.tempo_bpm or self.beats_per_bar * 60.0 / BLOCK_S


def is_recording(path: Path) -> bool:
    """Whether a file begins as a pcap or pcapng does.

    Raises
    ------
    TargetMissing, InputError
        If it does not exist or cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(4) in CAPTURE_MAGIC
    except FileNotFoundError:
        raise TargetMissing(f"{path}: no such file; check the path") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path") from None


def master_frames(recording: Recording, path: Path, instance: int | None = None) -> Frames:
    """Frames of one analyzer in a recording: the one named, the master's, or the only one.

    Raises
    ------
    RecordingError
        If there is none, or more than one could be meant.
    """
    instances = recording.frames
    if instance is not None:
        if instance not in instances:
            raise RecordingError(
                f"{path}: no frames of analyzer {instance}; there are {_listed(instances)}"
            )
        return instances[instance]
    masters = [device.instance for device in recording.masters if device.instance in instances]
    candidates = masters or list(instances)
    if len(candidates) == 1:
        return instances[candidates[0]]
    if not candidates:
        raise RecordingError(
            f"{path}: holds no analyzer frames; capture UDP port 9701 on the loopback interface"
        )
    what = "analyzers on the master" if masters else "analyzers and none says it is the master's"
    raise RecordingError(
        f"{path}: {len(candidates)} {what} ({_listed(candidates)}); choose one with --instance"
    )


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(str(number) for number in sorted(numbers)) or "none"


def older_point(path: Path) -> PointSnapshot:
    """Mean reading of a recording of the older family of analyzers.

    Raises
    ------
    RecordingError
        If no whole spectrum is in it.
    """
    from pybackend.capture.point import PointSnapshot  # noqa: PLC0415
    from pybackend.stream.legacy import LegacyAnalyzer  # noqa: PLC0415
    from pybackend.stream.recording import read_datagrams  # noqa: PLC0415

    analyzer = LegacyAnalyzer()
    fed = (analyzer.feed(payload, time_s) for time_s, payload in read_datagrams(path))
    readings = [PointSnapshot.parse(reading) for reading in fed if reading is not None]
    if not readings:
        raise RecordingError(f"{path}: an older analyzer without a whole /spectrum; record longer")
    return PointSnapshot.mean(readings)


def load(path: Path, meter: Meter, instance: int | None = None) -> Material:
    """Read the frames of a recording, or meter an audio file.

    Parameters
    ----------
    path : Path
        pcap, pcapng, or sound.
    meter : Meter
        Tempo and bar for sound; ignored for recordings, which carry their own.
    instance : int, optional
        Which analyzer of a recording.

    Raises
    ------
    MoveJudgeError
        One line, if it is neither or cannot be read.
    """
    if is_recording(path):
        from pybackend.stream.codec import Reject  # noqa: PLC0415
        from pybackend.stream.frames import Frames  # noqa: PLC0415
        from pybackend.stream.replay import load_recording  # noqa: PLC0415

        recording = load_recording(path)
        if not recording.frames and Reject.LEGACY in recording.rejects:
            return Material(Frames.empty(), "song", older_point(path))
        return Material(master_frames(recording, path, instance), "song")
    from pybackend.metering.analysis import load_frames  # noqa: PLC0415

    frames = load_frames(path, tempo_bpm=meter.bar_tempo_bpm, beats_per_bar=meter.beats_per_bar)
    return Material(frames, "start")
