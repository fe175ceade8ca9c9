"""Accounting of one device's frames: what came, what was lost, twice, late or torn.

Frames carry a counter that wraps at 2^20. The tracker unwraps it into an index that grows by one
per frame, so that a late frame finds its place again. A jump of the counter that neither loss nor
lateness explains (farther back than `LATE_FRAMES`, farther ahead than `JUMP_FRAMES`, or together
with another sample rate) is a new count: the index goes on, and nothing is called lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.config import RING_SECONDS, STALE_AFTER_S
from pybackend.metering.design import FRAMES_PER_S
from pybackend.stream.batch import Mask, Rows, Times
from pybackend.stream.protocol import SEQ_MODULUS, column

Index = npt.NDArray[np.int64]

LATE_FRAMES: Final = 64
"""A frame at most this far behind the newest is late or a repeat; one farther behind is not."""
JUMP_FRAMES: Final = RING_SECONDS * FRAMES_PER_S
"""A counter farther ahead than this was set anew: no window could span such a loss anyway."""

_ALL_SEEN: Final = (1 << LATE_FRAMES) - 1
_RATE: Final = column("sample_rate")
_SEQ: Final = column("seq")


@dataclass(frozen=True, slots=True)
class StreamStats:
    """Accounting of one device's frames so far.

    Parameters
    ----------
    received : int
        Frames accepted: whole, plausible, not repeated. Late ones are among them.
    lost : int
        Frames whose counter never came; a late frame is taken off again.
    gaps, longest_gap : int
        Count of jumps in the counter, and frames missing in the longest.
    repeats : int
        Frames that had come before; dropped.
    reordered : int
        Frames that came after a later one; kept, in their place.
    torn : int
        Frames with two different counters; dropped, so they are among the lost.
    stalls : int
        Pauses of more than `config.STALE_AFTER_S` between two frames.
    counter_restarts : int
        Jumps of the counter that neither loss nor lateness explains.
    sample_rate_changes : int
        Changes of the sample rate.
    sample_rate_hz : float or None
        Latest sample rate; None before the first frame.
    last_seq : int or None
        Counter of the newest frame.
    first_s, last_s : float or None
        When the first and the newest frame were received, in seconds.
    """

    received: int
    lost: int
    gaps: int
    longest_gap: int
    repeats: int
    reordered: int
    torn: int
    stalls: int
    counter_restarts: int
    sample_rate_changes: int
    sample_rate_hz: float | None
    last_seq: int | None
    first_s: float | None
    last_s: float | None

    @property
    def loss(self) -> float:
        """Share of frames lost, 0..1; 0 before the first frame."""
        expected = self.received + self.lost
        return self.lost / expected if expected else 0.0

    def is_stale(self, now_s: float) -> bool:
        """Whether no frame came for more than `config.STALE_AFTER_S`."""
        return self.last_s is None or now_s - self.last_s > STALE_AFTER_S


class Tracker:
    """Running `StreamStats` of one device."""

    def __init__(self) -> None:
        self._received = self._lost = self._gaps = self._longest_gap = 0
        self._repeats = self._reordered = self._torn = self._stalls = 0
        self._counter_restarts = self._sample_rate_changes = 0
        self._sample_rate_hz: float | None = None
        self._last_seq: int | None = None
        self._first_s: float | None = None
        self._last_s: float | None = None
        self._top = -1  # index of the newest frame
        self._count_start = 0  # index of the first frame since the counter was set anew
        self._seen = 0  # bit k: index top - k has come

    def admit(self, rows: Rows, times_s: Times) -> tuple[Mask | None, Index]:
        """Account for frames in the order they came.

        Parameters
        ----------
        rows : ndarray of float32, shape (n, FRAME_WIDTH)
            Frames of this device, n >= 1.
        times_s : ndarray of float64, shape (n,)
            When each was received.

        Returns
        -------
        keep : ndarray of bool, shape (n,), or None
            Which frames to keep; None for all of them.
        index : ndarray of int64, shape (number kept,)
            Unwrapped counter of each kept frame.
        """
        if self._follows_on(rows, times_s):
            return None, self._follow(rows, times_s)
        keep = np.ones(len(rows), dtype=np.bool_)
        index = []
        numbers = rows[:, (_SEQ, _RATE)].tolist()
        for i, ((seq, rate_hz), time_s) in enumerate(zip(numbers, times_s.tolist(), strict=True)):
            place = self._admit_one(int(seq), rate_hz, time_s)
            if place is None:
                keep[i] = False
            else:
                index.append(place)
        return keep, np.array(index, dtype=np.int64)

    def count_torn(self) -> None:
        """Account for a torn frame of this device."""
        self._torn += 1

    def stats(self) -> StreamStats:
        """Accounting so far."""
        return StreamStats(
            self._received,
            self._lost,
            self._gaps,
            self._longest_gap,
            self._repeats,
            self._reordered,
            self._torn,
            self._stalls,
            self._counter_restarts,
            self._sample_rate_changes,
            self._sample_rate_hz,
            self._last_seq,
            self._first_s,
            self._last_s,
        )

    def _follows_on(self, rows: Rows, times_s: Times) -> bool:
        """Whether the frames continue the last one with nothing to account for."""
        if self._last_seq is None or self._last_s is None:
            return False
        expected = self._last_seq + 1 + np.arange(len(rows))
        pauses_s = np.diff(times_s, prepend=self._last_s)
        return bool(
            (rows[:, _SEQ] == expected % SEQ_MODULUS).all()
            and (rows[:, _RATE] == self._sample_rate_hz).all()
            and ((pauses_s >= 0.0) & (pauses_s <= STALE_AFTER_S)).all()
        )

    def _follow(self, rows: Rows, times_s: Times) -> Index:
        n = len(rows)
        index = np.arange(self._top + 1, self._top + 1 + n)
        self._received += n
        self._top += n
        self._seen = ((self._seen << n) | ((1 << n) - 1)) & _ALL_SEEN
        self._last_seq = int(rows[-1, _SEQ])
        self._last_s = float(times_s[-1])
        return index

    def _admit_one(self, seq: int, rate_hz: float, time_s: float) -> int | None:
        """Index of a frame, or None if it had come before."""
        self._note_time(time_s)
        if self._last_seq is None or rate_hz != self._sample_rate_hz:
            self._sample_rate_changes += self._last_seq is not None
            self._sample_rate_hz = rate_hz
            return self._start_count(seq)
        half = SEQ_MODULUS // 2
        step = (seq - self._last_seq + half) % SEQ_MODULUS - half
        if -LATE_FRAMES < step <= 0:
            return self._late(-step)
        if not 0 < step <= JUMP_FRAMES:
            self._counter_restarts += 1
            return self._start_count(seq)
        if step > 1:
            self._gaps += 1
            self._lost += step - 1
            self._longest_gap = max(self._longest_gap, step - 1)
        return self._advance(step, seq)

    def _note_time(self, time_s: float) -> None:
        if self._last_s is None or self._first_s is None:
            self._first_s = self._last_s = time_s
        self._stalls += time_s - self._last_s > STALE_AFTER_S
        self._last_s = max(self._last_s, time_s)

    def _start_count(self, seq: int) -> int:
        self._seen = 0
        index = self._advance(LATE_FRAMES + 1, seq)
        self._count_start = index
        return index

    def _advance(self, step: int, seq: int) -> int:
        self._top += step
        self._last_seq = seq
        self._seen = ((self._seen << step) | 1) & _ALL_SEEN
        self._received += 1
        return self._top

    def _late(self, behind: int) -> int | None:
        if self._seen >> behind & 1:
            self._repeats += 1
            return None
        index = self._top - behind
        self._seen |= 1 << behind
        self._received += 1
        self._reordered += 1
        # Before the count's first frame nothing was missed, so nothing is found again.
        self._lost -= index > self._count_start
        return index
