"""A stand-in for the analyzer on the master: meters sound and sends its frames over real UDP."""

from __future__ import annotations

import socket
import time
from types import TracebackType
from typing import Final, Self

from pybackend.config import HOST
from pybackend.metering.meter import Meter
from pybackend.stream.codec import Hello, encode_frame, encode_hello
from pybackend.stream.frames import stamp_transport
from pybackend.stream.protocol import FLAG_ENABLED, KIND_NAMES
from pybackend.studio.groove import Array

VERSION: Final = (0, 1, 0)
FRAMES_PER_BURST: Final = 20
BURST_PAUSE_S: Final = 0.001


class StandInAnalyzer:
    """Speaks the device's protocol; use it as a context manager.

    Parameters
    ----------
    port : int
        Loopback UDP port to send to.
    sample_rate_hz : int
        Sample rate of the sound.
    instance : int
        The number that a device draws when it loads.
    """

    def __init__(self, port: int, sample_rate_hz: int, *, instance: int = 1) -> None:
        self.instance = instance
        self.sample_rate_hz = sample_rate_hz
        self._target = (HOST, port)
        self._meter = Meter(sample_rate_hz, instance=instance)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    def hello(self) -> None:
        """Say who this is: the analyzer on the master."""
        rate_hz = float(self.sample_rate_hz)
        hello = Hello(
            self.instance, VERSION, rate_hz, FLAG_ENABLED, kind=KIND_NAMES.index("master"), index=-1
        )
        self._socket.sendto(encode_hello(hello), self._target)

    def play(self, sound: Array, *, tempo_bpm: float, start_beats: float = 0.0) -> int:
        """Meter a stretch of the song and send its frames, faster than it would sound.

        Parameters
        ----------
        sound : ndarray of float64, shape (samples, 2)
            What the master plays; the meter goes on from what it heard before.
        tempo_bpm, start_beats : float
            Tempo, and song position of the first sample in quarter notes.

        Returns
        -------
        int
            Frames sent.
        """
        frames = stamp_transport(
            self._meter.process(sound), tempo_bpm=tempo_bpm, start_beats=start_beats
        )
        for number, row in enumerate(frames.values):
            if number % FRAMES_PER_BURST == 0:
                time.sleep(BURST_PAUSE_S)
            self._socket.sendto(encode_frame(row), self._target)
        return len(frames)
