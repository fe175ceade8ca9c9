"""From the kernel's rows of sums per sub-block to the frames of the protocol."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from pybackend.jit import kernel
from pybackend.metering import columns, design
from pybackend.metering.kernel import sub_block_end
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FLAG_ENABLED, FRAME_WIDTH, PROTOCOL, SEQ_MODULUS, column

Array = npt.NDArray[np.float64]

MOMENTARY: Final = design.MOMENTARY_SUB_BLOCKS
SHORT_TERM: Final = design.SHORT_TERM_SUB_BLOCKS
PER_FRAME: Final = design.SUB_BLOCKS_PER_FRAME
N_BANDS: Final = len(design.BAND_NAMES)
FLUX_FLOOR: Final = design.FLUX_FLOOR_POWER
FLOOR_LUFS: Final = design.LOUDNESS_FLOOR_LUFS
OFFSET_LU: Final = design.LOUDNESS_OFFSET_LU
FLUX_LOW: Final = np.isin(np.arange(N_BANDS), design.FLUX_LOW_BANDS)
FLUX_LOW_COUNT: Final = len(design.FLUX_LOW_BANDS)
PEAK10_LOW: Final = np.isin(np.arange(N_BANDS), design.PEAK10_LOW_BANDS)
PEAK10_HIGH: Final = np.isin(np.arange(N_BANDS), design.PEAK10_HIGH_BANDS)

C_BAND_POWER: Final = column("band_power")
C_BAND_LR: Final = column("band_lr")
C_MEAN_SQUARE: Final = column("mean_square")
C_LR: Final = column("lr_product")
C_SAMPLE_PEAK: Final = column("sample_peak")
C_TRUE_PEAK: Final = column("true_peak")
C_LUFS_M: Final = column("lufs_m")
C_LUFS_M_MAX: Final = column("lufs_m_max")
C_LUFS_S: Final = column("lufs_s")
C_LUFS_S_MAX: Final = column("lufs_s_max")
C_K_PREV: Final = column("k_power_prev")
C_K: Final = column("k_power")
C_FLUX_FULL: Final = column("flux_full")
C_FLUX_LOW: Final = column("flux_low")
C_PEAK10_FULL: Final = column("peak10_full")
C_PEAK10_LOW: Final = column("peak10_low")
C_PEAK10_HIGH: Final = column("peak10_high")
C_SEQ_CHECK: Final = column("seq_check")


@njit(inline="always")
def _add_levels(row: Array, samples: int, frame: Array) -> None:
    left, right = row[columns.FULL], row[columns.FULL + 1]
    frame[C_MEAN_SQUARE] += left
    frame[C_MEAN_SQUARE + 1] += right
    frame[C_LR] += row[columns.FULL + 2]
    frame[C_PEAK10_FULL] = max(frame[C_PEAK10_FULL], (left + right) / samples)
    for side in range(2):
        sample_peak = row[columns.PEAK + side]
        true_peak = max(sample_peak, row[columns.TRUE_PEAK + side])
        frame[C_SAMPLE_PEAK + side] = max(frame[C_SAMPLE_PEAK + side], sample_peak)
        frame[C_TRUE_PEAK + side] = max(frame[C_TRUE_PEAK + side], true_peak)


@njit(inline="always")
def _add_bands(row: Array, samples: int, bands: int, level_db: Array, frame: Array) -> None:
    """Band sums, and the rise over the levels of the sub-block before, which are replaced."""
    rise, rise_low, low, high = 0.0, 0.0, 0.0, 0.0
    for band in range(bands):
        at = columns.BAND + 3 * (band + 1)
        power = row[at] + row[at + 1]
        frame[C_BAND_POWER + band] += power
        frame[C_BAND_LR + band] += row[at + 2]
        now_db = 10.0 * np.log10(max(power / samples, FLUX_FLOOR))
        step = max(0.0, now_db - level_db[band])
        level_db[band] = now_db
        rise += step
        if FLUX_LOW[band]:
            rise_low += step
        if PEAK10_LOW[band]:
            low += power
        if PEAK10_HIGH[band]:
            high += power
    frame[C_FLUX_FULL] += rise / bands
    frame[C_FLUX_LOW] += rise_low / FLUX_LOW_COUNT
    frame[C_PEAK10_LOW] = max(frame[C_PEAK10_LOW], low / samples)
    frame[C_PEAK10_HIGH] = max(frame[C_PEAK10_HIGH], high / samples)


@kernel
def _window_lufs(energy: Array, last: int, window: int, index: int, rate: int) -> float:
    """Loudness of the ``window`` sub-blocks up to ``energy[last]``, sub-block ``index``.

    Summed afresh every time: a running sum would drift, and never return to silence.
    """
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(last - window + 1, last + 1, 4):
        a += energy[i]
        b += energy[i + 1]
        c += energy[i + 2]
        d += energy[i + 3]
    samples = sub_block_end(index, rate) - sub_block_end(index - window, rate)
    mean = ((a + b) + (c + d)) / samples
    return max(FLOOR_LUFS, OFFSET_LU + 10.0 * np.log10(mean)) if mean > 0.0 else FLOOR_LUFS


@njit(inline="always")
def _add_loudness(energy: Array, last: int, index: int, rate: int, frame: Array) -> None:
    frame[C_LUFS_M] = _window_lufs(energy, last, MOMENTARY, index, rate)
    frame[C_LUFS_S] = _window_lufs(energy, last, SHORT_TERM, index, rate)
    frame[C_LUFS_M_MAX] = max(frame[C_LUFS_M_MAX], frame[C_LUFS_M])
    frame[C_LUFS_S_MAX] = max(frame[C_LUFS_S_MAX], frame[C_LUFS_S])
    frame[C_K] += energy[last]


class Place(NamedTuple):
    """Index of a first sub-block, sample rate in Hz, and count of bands below Nyquist."""

    first: int
    rate: int
    bands: int


class Past(NamedTuple):
    """Band levels of the sub-block before, shape (N_BANDS,), and k_power of the frame before."""

    level_db: Array
    k_power: Array


@njit(inline="always")
def _finish(frame: Array, samples: int, bands: int, bad: float, past: Past) -> None:
    """Sums to means; NaN for what is not known."""
    for i in range(C_BAND_POWER, C_LR + 1):
        frame[i] /= samples
    frame[C_K] /= samples
    frame[C_K_PREV] = past.k_power[0]
    past.k_power[0] = frame[C_K]
    for band in range(bands, N_BANDS):
        frame[C_BAND_POWER + band] = np.nan
        frame[C_BAND_LR + band] = np.nan
    if bad > 0.0:
        for i in range(C_BAND_POWER, C_SEQ_CHECK):
            frame[i] = np.nan


@kernel
def _fill(rows: Array, energy: Array, place: Place, past: Past, out: Array) -> None:
    """Measured fields of the frames that start at ``place``.

    ``energy`` is the K-weighted energy per sub-block, with the SHORT_TERM - 1 before in front;
    ``past`` is carried on.
    """
    end = sub_block_end(place.first - 1, place.rate)
    for f in range(len(out)):
        frame = out[f]
        frame[C_LUFS_M_MAX] = FLOOR_LUFS
        frame[C_LUFS_S_MAX] = FLOOR_LUFS
        start = end
        bad = 0.0
        for i in range(f * PER_FRAME, (f + 1) * PER_FRAME):
            before = end
            end = sub_block_end(place.first + i, place.rate)
            _add_levels(rows[i], end - before, frame)
            _add_bands(rows[i], end - before, place.bands, past.level_db, frame)
            _add_loudness(energy, SHORT_TERM - 1 + i, place.first + i, place.rate, frame)
            bad += rows[i, columns.BAD] + rows[i, columns.BAD + 1]
        _finish(frame, end - start, place.bands, bad, past)


class Assembler:
    """Makes frames of one stream's rows, in order, and keeps what later frames need of them.

    Parameters
    ----------
    sample_rate_hz, instance : int
        What the frames say about themselves.
    """

    def __init__(self, sample_rate_hz: int, instance: int) -> None:
        self._rate = sample_rate_hz
        self._instance = instance
        self._bands = design.available_bands(sample_rate_hz)
        self._index = 0
        self._pending = np.empty((0, columns.COLUMNS))
        self._energy = np.zeros(SHORT_TERM - 1)
        self._past = Past(np.full(N_BANDS, 10.0 * np.log10(FLUX_FLOOR)), np.zeros(1))

    def add(self, rows: Array) -> Frames:
        """Take the next rows, shape (n, columns.COLUMNS); return the frames they complete."""
        if len(self._pending):
            rows = np.concatenate([self._pending, rows])
        n_frames, left_over = divmod(len(rows), PER_FRAME)
        used = len(rows) - left_over
        self._pending = rows[used:].copy()
        rows = rows[:used]
        energy = np.concatenate(
            [self._energy, rows[:, columns.K_ENERGY] + rows[:, columns.K_ENERGY + 1]]
        )
        self._energy = energy[used:].copy()
        values = np.zeros((n_frames, FRAME_WIDTH))
        _fill(rows, energy, Place(self._index, self._rate, self._bands), self._past, values)
        number = self._index // PER_FRAME + np.arange(n_frames)
        self._index += used
        values[:, column("protocol")] = PROTOCOL
        values[:, column("instance")] = self._instance
        values[:, column("flags")] = FLAG_ENABLED
        values[:, column("sample_rate")] = self._rate
        values[:, column("seq")] = number % SEQ_MODULUS
        values[:, column("seq_check")] = values[:, column("seq")]
        ends = [design.sub_block_end(int(k) * PER_FRAME - 1, self._rate) for k in number + 1]
        return Frames(values, np.array(ends, np.float64) / self._rate)
