"""Captures laid over one another at the same song positions: what a verdict is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

ReasonCode = Literal[
    "too_few_bars",
    "no_overlap",
    "transport_stopped",
    "silence",
    "loss",
    "stale",
    "device_changed",
    "sample_rate_changed",
    "non_finite",
    "lag_unclear",
    "two_masters",
    "no_frames",
    "point_snapshot",
    "no_notes",
    "metre_changed",
    "no_boundary",
]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something cannot be compared or measured: a code for programs, a line for people."""

    code: ReasonCode
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class AlignedCaptures:
    """Captures of the same bars, resampled onto one grid of song positions.

    Parameters
    ----------
    values : ndarray of float64, shape (captures, frames, FRAME_WIDTH)
        Frame rows in the order of `protocol.FRAME_FIELDS`; the first ``n_before`` captures are
        before the move, the others after it. A row is a bar divided by a whole number, so about
        50 ms; all of it is NaN where it is not valid.
    valid : ndarray of bool, shape (captures, frames)
        Whether the capture has that frame: received whole, finite, transport running.
    bar : ndarray of int64, shape (frames,)
        Index of the whole bar that each grid frame belongs to, ``0 .. n_bars - 1``. A bar is
        counted from one row before its barline, so that a frame which holds the downbeat is not
        divided between two bars.
    n_before : int
        Count of captures before the move.
    beats_per_bar, tempo_bpm : float
        Length of a bar in quarter notes, and tempo.
    start_beats, end_beats : float
        Song positions of the first bar's start and the last bar's end, in quarter notes.
    positions : {"song", "start"}
        Whether frames were paired by song position, or from the starts of files without positions.
    lag_s : tuple of float
        Residual lag of each capture against the first that was found and corrected, in seconds.
    loss : tuple of float
        Share of frames missing in each capture, 0..1.
    notes : tuple of str
        What a reader should know that did not prevent the comparison.
    """

    values: Array
    valid: npt.NDArray[np.bool_]
    bar: npt.NDArray[np.int64]
    n_before: int
    beats_per_bar: float
    tempo_bpm: float
    start_beats: float
    end_beats: float
    positions: Literal["song", "start"]
    lag_s: tuple[float, ...]
    loss: tuple[float, ...]
    notes: tuple[str, ...] = ()

    @property
    def n_bars(self) -> int:
        """Count of whole bars."""
        return int(self.bar[-1]) + 1 if len(self.bar) else 0


@dataclass(frozen=True, slots=True)
class Incomparable:
    """Captures that must not be compared, with every reason found."""

    reasons: tuple[Reason, ...]
