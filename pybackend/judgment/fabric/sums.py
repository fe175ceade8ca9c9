"""Sums of frame columns per capture and bar, and where in the song the bars are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pybackend.stream.protocol import FRAME_COLUMNS, column

if TYPE_CHECKING:
    from pybackend.capture.aligned import AlignedCaptures

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def bar_numbers(aligned: AlignedCaptures) -> Ints:
    """Number of each aligned bar since song position 0, shape (bars,)."""
    beats = np.where(aligned.valid, aligned.values[:, :, column("song_beats")], np.inf)
    # A row ends at its position; the first row of a bar ends on the barline.
    earliest = beats.min(axis=0)
    place = np.floor(earliest / aligned.beats_per_bar + 1e-6)
    numbers = np.array([place[aligned.bar == bar].min() for bar in range(aligned.n_bars)])
    return numbers.astype(np.int64)


def bar_sums(aligned: AlignedCaptures, name: str, bars: tuple[int, ...]) -> Array:
    """Sums of a field over the frames that every capture has.

    Parameters
    ----------
    aligned : AlignedCaptures
        Captures.
    name : str
        Field of a frame whose numbers add up.
    bars : tuple of int
        Which bars, as `BarFeatures.bars`.

    Returns
    -------
    ndarray of float64, shape (captures, bars, numbers)
        Numbers that are not finite count as nothing: bands that the rate cannot carry.
    """
    heard = np.asarray(aligned.valid.all(axis=0))
    table = np.nan_to_num(aligned.values[:, :, FRAME_COLUMNS[name]])
    table = np.where(heard[None, :, None], table, 0.0)
    starts = np.searchsorted(aligned.bar, np.arange(aligned.n_bars))
    return np.asarray(np.add.reduceat(table, starts, axis=1)[:, list(bars)])


def bar_peaks_dbtp(aligned: AlignedCaptures, bars: tuple[int, ...]) -> Array:
    """Largest true peak per capture and bar, in dBTP, shape (captures, bars)."""
    heard = np.asarray(aligned.valid.all(axis=0))
    peaks = np.nan_to_num(aligned.values[:, :, FRAME_COLUMNS["true_peak"]].max(axis=2))
    peaks = np.where(heard[None], peaks, 0.0)
    starts = np.searchsorted(aligned.bar, np.arange(aligned.n_bars))
    largest = np.maximum.reduceat(peaks, starts, axis=1)[:, list(bars)]
    return np.asarray(20.0 * np.log10(np.maximum(largest, 1e-6)))
