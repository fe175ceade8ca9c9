"""The kernel's lanes at one sample rate: coefficients, states, and the way to run them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pybackend.errors import InputError
from pybackend.metering import design, kernel
from pybackend.metering.columns import COLUMNS
from pybackend.metering.simd import LANES

Array = npt.NDArray[np.float64]
Pcm = npt.NDArray[np.float32 | np.float64]


def check_rate(sample_rate_hz: float) -> int:
    """Sample rate as an int.

    Raises
    ------
    InputError
        When it is not a whole number of Hz that the meter can serve.
    """
    low, high = design.MIN_RATE_HZ, design.MAX_RATE_HZ
    if not low <= sample_rate_hz <= high or sample_rate_hz != int(sample_rate_hz):
        raise InputError(
            f"sample rate {sample_rate_hz:g} Hz cannot be metered: "
            f"convert to a whole number of Hz from {low} to {high}"
        )
    return int(sample_rate_hz)


def check_channels(channels: int) -> int:
    """Channel count of a meter.

    Raises
    ------
    InputError
        When it is not 1 or 2.
    """
    if channels not in (1, 2):
        raise InputError(f"{channels} channels cannot be metered: give one or two")
    return channels


def as_pcm(samples: npt.ArrayLike) -> Pcm:
    """PCM as a C-contiguous float32 or float64 array of shape (n, channels); copies if it must.

    Raises
    ------
    InputError
        When the array is not floating point of one or two dimensions.
    """
    pcm = np.asarray(samples)
    if pcm.ndim == 1:
        pcm = pcm[:, np.newaxis]
    if pcm.ndim != 2 or pcm.shape[1] == 0 or pcm.dtype.kind != "f":
        raise InputError(
            f"PCM of type {pcm.dtype} and shape {np.shape(samples)} cannot be metered: "
            "give floating-point samples of shape (n,) or (n, channels)"
        )
    if pcm.dtype == np.float32:
        return np.ascontiguousarray(pcm, np.float32)
    return np.ascontiguousarray(pcm, np.float64)


def channel_pairs(channels: int) -> list[tuple[int, int]]:
    """Channels two by two, for `kernel.Signal`."""
    return [(c, c + 1 if c + 1 < channels else -1) for c in range(0, channels, 2)]


def coefficients(sample_rate_hz: int) -> kernel.Coefficients:
    """`design`'s filters for the kernel."""
    shelf, high_pass = design.k_weighting(sample_rate_hz)
    splits = [
        [split.first.c, *split.second, *split.third, *split.fourth]
        for split in design.band_splits(sample_rate_hz)
    ]
    bank = np.array(design.true_peak_bank()[1:])
    return kernel.Coefficients(
        sample_rate_hz, np.array([*shelf, high_pass.a1, high_pass.a2]), np.array(splits), bank
    )


class Lanes:
    """Eight streams of one or two channels at one place of the sub-block clock.

    Parameters
    ----------
    sample_rate_hz : int
        Sample rate; see `check_rate`.
    """

    def __init__(self, sample_rate_hz: int) -> None:
        self._coefficients = coefficients(sample_rate_hz)
        self._state = kernel.at_rest()

    def advance(self, pcm: Pcm, run: kernel.Run) -> Array:
        """Run every lane on.

        Parameters
        ----------
        pcm : ndarray, shape (samples, 1 or 2)
            See `as_pcm`. One channel is measured as left.
        run : kernel.Run
            Where the lanes read and how far.

        Returns
        -------
        ndarray of float64, shape (LANES, rows, COLUMNS)
            Sums of the sub-blocks that were completed and not skipped.
        """
        index, position = (int(value) for value in self._state.clock)
        # Sub-blocks can be completed at most up to the one that holds the last sample.
        last = (position + run.samples) * design.SUB_BLOCKS_PER_S // self._coefficients.rate + 1
        rows = np.empty((LANES, max(1, last - index - run.skip), COLUMNS))
        both = kernel.Signal(pcm, 0, 1 if pcm.shape[1] > 1 else -1)
        count = kernel.advance(both, run, self._coefficients, self._state, rows)
        return rows[:, :count]
