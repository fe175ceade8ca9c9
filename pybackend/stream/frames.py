"""A table of frames: one row of numbers per 50 ms of audio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pybackend.metering.design import FRAME_S
from pybackend.stream.protocol import FLAG_RUNNING, FRAME_COLUMNS, FRAME_WIDTH

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Rows in the order of `protocol.FRAME_FIELDS`, with the time each was received.

    Parameters
    ----------
    values : ndarray of float64, shape (n, FRAME_WIDTH)
        Linear powers and the other fields of the protocol table. Bands that the sample rate cannot
        carry are NaN.
    received_s : ndarray of float64, shape (n,)
        When each frame arrived, in seconds of a monotonic or capture clock; for frames made from a
        file, the end of the frame in that file.
    """

    values: Array
    received_s: Array

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.shape[1] != FRAME_WIDTH:
            raise ValueError(f"frames need shape (n, {FRAME_WIDTH}), got {self.values.shape}")
        if self.received_s.shape != (len(self.values),):
            raise ValueError("received_s needs one time per frame")

    def __len__(self) -> int:
        return len(self.values)

    def column(self, name: str) -> Array:
        """View of one field: shape (n,), or (n, count) for a field of several numbers."""
        where = FRAME_COLUMNS[name]
        if where.stop - where.start == 1:
            return self.values[:, where.start]
        return self.values[:, where]

    def select(self, which: slice | npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Frames:
        """Rows chosen by slice, mask or index."""
        return Frames(self.values[which], self.received_s[which])

    @property
    def running(self) -> npt.NDArray[np.bool_]:
        """Whether the transport was running at each frame's end."""
        flags = self.column("flags").astype(np.int64)
        running: npt.NDArray[np.bool_] = (flags & FLAG_RUNNING) != 0
        return running

    @classmethod
    def empty(cls) -> Frames:
        """No frames."""
        return cls(np.empty((0, FRAME_WIDTH)), np.empty(0))

    @classmethod
    def concatenate(cls, parts: Sequence[Frames]) -> Frames:
        """All rows of ``parts``, in order."""
        if not parts:
            return cls.empty()
        return cls(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.received_s for part in parts]),
        )


def stamp_transport(
    frames: Frames, *, tempo_bpm: float, beats_per_bar: float = 4.0, start_beats: float = 0.0
) -> Frames:
    """Copy of ``frames`` as if the transport had run at a steady tempo from their first sample.

    Parameters
    ----------
    frames : Frames
        Consecutive frames; each is 50 ms long.
    tempo_bpm, beats_per_bar : float
        Tempo, and quarter notes per bar.
    start_beats : float
        Song position, in quarter notes, at the start of the first frame.

    Returns
    -------
    Frames
        With song_beats, bar, beats_per_bar, tempo and the running flag filled in.
    """
    values = frames.values.copy()
    frame_beats = tempo_bpm / 60.0 * FRAME_S
    beats = start_beats + frame_beats * np.arange(1, len(values) + 1)
    values[:, FRAME_COLUMNS["song_beats"].start] = beats
    values[:, FRAME_COLUMNS["bar"].start] = np.floor(beats / beats_per_bar + 1e-9)
    values[:, FRAME_COLUMNS["beats_per_bar"].start] = beats_per_bar
    values[:, FRAME_COLUMNS["tempo"].start] = tempo_bpm
    flags = FRAME_COLUMNS["flags"].start
    values[:, flags] = values[:, flags].astype(np.int64) | FLAG_RUNNING
    return Frames(values, frames.received_s.copy())
