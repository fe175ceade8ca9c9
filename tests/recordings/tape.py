"""A session on tape: passes of a song with stops between, metered and written as a recording.

The meter runs through, as the device does, so its frames fall anywhere against the song; a pass
that starts a few milliseconds later has another frame phase.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.metering.design import FRAME_S
from pybackend.metering.meter import Meter
from pybackend.stream.codec import Hello, encode_frame, encode_hello
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FLAG_ENABLED, FLAG_RUNNING, KIND_NAMES, column
from pybackend.stream.recording import Recorder

Sound = npt.NDArray[np.float64]

EPOCH_S: Final = 1_700_000_000.0
HELLO_EVERY_S: Final = 2.0
VERSION: Final = (0, 1, 0)
MAX_LATE_S: Final = 0.004
"""A host sends messages when its scheduler has time."""


@dataclass(frozen=True)
class _Stretch:
    sound: Sound
    start_beats: float
    running: bool
    rest: bool = False


@dataclass
class Tape:
    """What the master plays, with where the song is while it does.

    Parameters
    ----------
    rate_hz : int
        Sample rate.
    tempo_bpm, beats_per_bar : float
        Tempo, and quarter notes per bar.
    """

    rate_hz: int
    tempo_bpm: float
    beats_per_bar: float = 4.0
    _stretches: list[_Stretch] = field(default_factory=list)

    def beats(self, seconds: float) -> float:
        """Quarter notes in a time."""
        return seconds * self.tempo_bpm / 60.0

    def stop(self, seconds: float) -> None:
        """Silence with the transport stopped, where it was."""
        last = self._stretches[-1] if self._stretches else None
        here = 0.0
        if last is not None:
            here = last.start_beats + last.running * self.beats(len(last.sound) / self.rate_hz)
        silence = np.zeros((round(seconds * self.rate_hz), 2))
        self._stretches.append(_Stretch(silence, here, False, rest=True))

    def play(self, sound: Sound, start_beats: float, *, running: bool = True) -> None:
        """Play sound with the transport running from a song position, or stopped there."""
        self._stretches.append(_Stretch(sound, start_beats, running))

    def span_s(self, number: int) -> tuple[float, float]:
        """Start and end of a take, in seconds of the tape; takes are what is not silence."""
        ends = np.cumsum([len(stretch.sound) for stretch in self._stretches]) / self.rate_hz
        takes = [i for i, stretch in enumerate(self._stretches) if not stretch.rest]
        at = takes[number]
        return float(ends[at - 1]) if at else 0.0, float(ends[at])

    def frames(self, instance: int) -> Frames:
        """Frames of everything on the tape, stamped with the transport."""
        sound = np.concatenate([stretch.sound for stretch in self._stretches])
        frames = Meter(self.rate_hz, instance=instance).process(sound)
        ends = np.round(frames.received_s * self.rate_hz).astype(np.int64)
        lengths = np.array([len(stretch.sound) for stretch in self._stretches])
        starts = np.cumsum(lengths) - lengths
        at = np.searchsorted(starts, ends, side="left") - 1
        into_s = (ends - starts[at]) / self.rate_hz
        running = np.array([stretch.running for stretch in self._stretches])[at]
        beats = np.array([stretch.start_beats for stretch in self._stretches])[at]
        beats = beats + running * self.beats(1.0) * into_s
        values = frames.values.copy()
        values[:, column("song_beats")] = beats
        values[:, column("bar")] = np.floor(beats / self.beats_per_bar + 1e-9)
        values[:, column("beats_per_bar")] = self.beats_per_bar
        values[:, column("tempo")] = self.tempo_bpm
        values[:, column("flags")] = FLAG_ENABLED + FLAG_RUNNING * running
        return Frames(values, frames.received_s)


def datagrams(
    frames: Frames, kind: str = "master", index: int = -1, *, start_s: float = EPOCH_S
) -> Iterator[tuple[float, bytes]]:
    """What the device sends: frames, and a hello at load and every two seconds.

    Returns
    -------
    iterator of (float, bytes)
        Time of arrival and payload.
    """
    instance = int(frames.values[0, column("instance")])
    rate_hz = float(frames.values[0, column("sample_rate")])
    hello = encode_hello(
        Hello(instance, VERSION, rate_hz, FLAG_ENABLED, KIND_NAMES.index(kind), index)
    )
    late_s = np.random.default_rng(instance).uniform(0.0, MAX_LATE_S, len(frames))
    hello_s = 0.0
    for row, end_s, late in zip(frames.values, frames.received_s, late_s, strict=True):
        while hello_s <= end_s - FRAME_S:
            yield start_s + hello_s, hello
            hello_s += HELLO_EVERY_S
        yield start_s + float(end_s + late), encode_frame(row)


def record(path: Path, frames: Frames) -> None:
    """Write a recording, in place of an earlier one."""
    path.unlink(missing_ok=True)
    with Recorder(path) as recorder:
        for time_s, payload in datagrams(frames):
            recorder.write(payload, time_s)
