"""Where accepted frames are kept: a bounded ring for a live device, a log for a file.

Rows are kept as float32, which holds every number of the wire exactly.
"""

from __future__ import annotations

import threading
from typing import Final, Protocol

import numpy as np

from pybackend.config import RING_SECONDS
from pybackend.metering.design import FRAMES_PER_S
from pybackend.stream.batch import Rows, Times
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FRAME_WIDTH, SEQ_MODULUS, column
from pybackend.stream.tracker import Index

RING_FRAMES: Final = RING_SECONDS * FRAMES_PER_S


class FrameStore(Protocol):
    """What the intake writes frames to."""

    def append(self, rows: Rows, times_s: Times, index: Index) -> None:
        """Take rows of shape (n, FRAME_WIDTH), times and indices of shape (n,)."""


class Ring:
    """The newest frames of one device, in memory that never grows.

    One thread may append while others read. Reads give frames in the order of their counter,
    copied, so that they stay what they are.

    Parameters
    ----------
    capacity : int
        Frames held; 12,000 are ten minutes.
    """

    def __init__(self, capacity: int = RING_FRAMES) -> None:
        self._rows = np.zeros((capacity, FRAME_WIDTH), dtype=np.float32)
        self._times_s = np.zeros(capacity, dtype=np.float64)
        self._index = np.zeros(capacity, dtype=np.int64)
        self._written = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return min(self._written, len(self._rows))

    @property
    def written(self) -> int:
        """Frames ever appended: the mark from which `since` goes on."""
        return self._written

    def append(self, rows: Rows, times_s: Times, index: Index) -> None:
        """Take frames in; the oldest give way."""
        capacity = len(self._rows)
        skipped = max(0, len(rows) - capacity)
        with self._lock:
            where = np.arange(self._written + skipped, self._written + len(rows)) % capacity
            self._rows[where] = rows[skipped:]
            self._times_s[where] = times_s[skipped:]
            self._index[where] = index[skipped:]
            self._written += len(rows)

    def all(self) -> Frames:
        """Every frame held."""
        return self._newest(len(self._rows))[0]

    def last(self, seconds: float) -> Frames:
        """Frames received in the ``seconds`` up to the newest."""
        frames = self.all()
        if not len(frames):
            return frames
        return frames.select(frames.received_s > frames.received_s.max() - seconds)

    def between(self, start_s: float, end_s: float) -> Frames:
        """Frames received at ``start_s <= time < end_s``."""
        frames = self.all()
        return frames.select((frames.received_s >= start_s) & (frames.received_s < end_s))

    def between_seq(self, first: int, last: int) -> Frames:
        """Frames whose counter lies in ``first .. last``, both included, across its wrap too."""
        frames = self.all()
        span = (last - first) % SEQ_MODULUS
        seq = frames.values[:, column("seq")]
        return frames.select((seq - first) % SEQ_MODULUS <= span)

    def since(self, mark: int) -> tuple[Frames, int]:
        """Frames appended after ``mark`` and still held, and the mark from which to go on.

        ``mark`` is an earlier value of `written`.
        """
        return self._newest(None, mark)

    def _newest(self, count: int | None, mark: int = 0) -> tuple[Frames, int]:
        capacity = len(self._rows)
        with self._lock:
            written = self._written
            wanted = written - mark if count is None else count
            held = max(0, min(wanted, written, capacity))
            where = np.arange(written - held, written) % capacity
            rows, times_s, index = self._rows[where], self._times_s[where], self._index[where]
        return in_order(rows, times_s, index), written


class FrameLog:
    """All frames of one device of a recording, in memory that grows with them."""

    def __init__(self) -> None:
        self._parts: list[tuple[Rows, Times, Index]] = []

    def append(self, rows: Rows, times_s: Times, index: Index) -> None:
        """Take frames in."""
        self._parts.append((rows, times_s, index))

    def all(self) -> Frames:
        """Every frame, in the order of the counter."""
        if not self._parts:
            return Frames.empty()
        rows, times_s, index = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        return in_order(rows, times_s, index)


def in_order(rows: Rows, times_s: Times, index: Index) -> Frames:
    """Frames sorted by their unwrapped counter."""
    if len(index) > 1 and not (np.diff(index) > 0).all():
        order = np.argsort(index, kind="stable")
        rows, times_s = rows[order], times_s[order]
    return Frames(rows.astype(np.float64), times_s)
