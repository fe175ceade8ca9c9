"""Frames to sums per capture and bar: everything that the dimensions are computed from.

This module compiles numba kernels; import it inside functions.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.jit import kernel
from pybackend.judgment.columns import (
    BASS_CROSS,
    CLIPPED,
    CROSS,
    K_POWER,
    LEFT,
    LEVELS,
    MOMENTARY,
    MOMENTARY_SQUARE,
    N_BANDS,
    PEAK,
    QUARTERS,
    RIGHT,
    RISES,
    WIDTH,
)
from pybackend.stream.protocol import column

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

DEEPEST: Final = 1e-3
"""A frame counts as no quieter than 30 dB below its bar, band by band: silence has no level."""
FULL_SCALE: Final = 1.0 - 2.0**-15
"""A sample peak from here on has reached the top of 16 bits."""

_BANDS: Final = column("band_power")
_BAND_LR: Final = column("band_lr")
_LEFT: Final = column("mean_square")
_RIGHT: Final = _LEFT + 1
_LR: Final = column("lr_product")
_SAMPLE_LEFT: Final = column("sample_peak")
_SAMPLE_RIGHT: Final = _SAMPLE_LEFT + 1
_PEAK_LEFT: Final = column("true_peak")
_PEAK_RIGHT: Final = _PEAK_LEFT + 1
_MOMENTARY: Final = column("lufs_m")
_K_POWER: Final = column("k_power")


@kernel
def _add_levels(row: Array, loud: bool, out: Array) -> None:
    out[LEFT] += row[_LEFT]
    out[RIGHT] += row[_RIGHT]
    out[CROSS] += row[_LR]
    out[K_POWER] += row[_K_POWER]
    out[BASS_CROSS] += row[_BAND_LR] + row[_BAND_LR + 1]
    out[PEAK] = max(out[PEAK], row[_PEAK_LEFT], row[_PEAK_RIGHT])
    out[CLIPPED] += max(row[_SAMPLE_LEFT], row[_SAMPLE_RIGHT]) >= FULL_SCALE
    if loud:
        out[MOMENTARY] += row[_MOMENTARY]
        out[MOMENTARY_SQUARE] += row[_MOMENTARY] * row[_MOMENTARY]


@kernel
def sum_bars(values: Array, mask: npt.NDArray[np.int8], bar: Counts, n_bars: int) -> Array:
    """Sums over the mask per capture and bar.

    Parameters
    ----------
    values : ndarray of float64, shape (captures, frames, FRAME_WIDTH)
        Frame rows.
    mask : ndarray of int8, shape (frames,)
        1 where a frame counts, 2 where it is loud in every capture as well.
    bar : ndarray of int64, shape (frames,)
        Bar of every frame, rising.
    n_bars : int
        Bars.

    Returns
    -------
    ndarray of float64, shape (captures, bars, WIDTH)
        In the columns of `columns`. Rises and levels are those of pairs of frames, a frame and the
        one before: a transient counts the same whether alignment left it in one frame or spread it
        over two. The rise of a pair over the pair before is that of a frame over the last but one,
        halved. Levels are in dB, none deeper than 30 dB below the mean of its bar.
    """
    captures, frames = values.shape[0], values.shape[1]
    first = np.zeros(n_bars, np.int64)
    length = np.zeros(n_bars, np.int64)
    heard = np.zeros(n_bars, np.int64)
    for f in range(frames):
        if length[bar[f]] == 0:
            first[bar[f]] = f
        length[bar[f]] += 1
        heard[bar[f]] += mask[f] > 0
    sums = np.zeros((captures, n_bars, WIDTH))
    for c in range(captures):
        for f in range(frames):
            if mask[f] == 0:
                continue
            row = values[c, f]
            out = sums[c, bar[f]]
            quarter = 4 * (f - first[bar[f]]) // length[bar[f]]
            counted = f > 1 and mask[f - 1] > 0 and mask[f - 2] > 0
            for k in range(N_BANDS):
                power = row[_BANDS + k]
                out[k] += power
                out[QUARTERS + quarter * N_BANDS + k] += power
                if counted:
                    out[RISES + k] += max(0.0, power - values[c, f - 2, _BANDS + k]) / 2.0
            _add_levels(row, mask[f] == 2, out)
        for f in range(frames):
            if mask[f] > 0:
                out = sums[c, bar[f]]
                for k in range(N_BANDS):
                    deepest = DEEPEST * out[k] / heard[bar[f]]
                    power = values[c, f, _BANDS + k]
                    if f > 0 and mask[f - 1] > 0:
                        power = (power + values[c, f - 1, _BANDS + k]) / 2.0
                    power = max(power, deepest)
                    if power > 0.0:
                        out[LEVELS + k] += 10.0 * np.log10(power)
    return sums
