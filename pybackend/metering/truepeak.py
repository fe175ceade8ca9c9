"""True peak of whole signals (BS.1770-5 Annex 2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pybackend.metering import kernel
from pybackend.metering.columns import BAD, PEAK
from pybackend.metering.filters import TAPS
from pybackend.metering.lanes import as_pcm, channel_pairs, check_rate, coefficients
from pybackend.metering.simd import LANES

Array = npt.NDArray[np.float64]


def true_peak(pcm: npt.ArrayLike, sample_rate_hz: int) -> Array:
    """Largest magnitude of the signal oversampled four times.

    The signal is taken to be preceded and followed by silence.

    Parameters
    ----------
    pcm : array_like of float, shape (n,) or (n, channels)
        Samples, full scale 1.
    sample_rate_hz : int
        Sample rate in Hz.

    Returns
    -------
    ndarray of float64, shape (channels,)
        Linear; 20 lg of it is dBTP. Never below the sample peak. NaN for a channel that has a
        sample that is not finite.

    Raises
    ------
    InputError
        See `lanes.as_pcm` and `lanes.check_rate`.
    """
    filters = coefficients(check_rate(sample_rate_hz))
    samples = as_pcm(pcm)
    length = -(-(len(samples) + TAPS) // LANES)
    starts = length * np.arange(LANES, dtype=np.int64) - TAPS
    before, run = kernel.Run(starts, TAPS, 0), kernel.Run(starts + TAPS, length, 0)
    result = np.empty(samples.shape[1])
    for left, right in channel_pairs(samples.shape[1]):
        state = kernel.at_rest()
        signal = kernel.Signal(samples, left, right)
        # What the interpolator reads while it fills, in the middle of a signal, is no peak of it.
        kernel.peaks(signal, before, filters, state)
        state.sums[:] = 0.0
        kernel.peaks(signal, run, filters, state)
        # Rows of the maxima: samples left and right, then between the samples left and right.
        maxima = state.sums[PEAK : PEAK + 4].max(axis=1).reshape(2, 2).max(axis=0)
        maxima[state.sums[BAD : BAD + 2].any(axis=1)] = np.nan
        result[left] = maxima[0]
        if right >= 0:
            result[right] = maxima[1]
    return result
