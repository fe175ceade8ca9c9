"""Decibels of powers, amplitudes and K-weighted powers, and back; a floor instead of -inf."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.metering.design import LOUDNESS_FLOOR_LUFS, LOUDNESS_OFFSET_LU

Array = npt.NDArray[np.float64]

FLOOR_DB: Final = -120.0
"""What silence reads, unless another floor is asked for."""


def power_db(power: npt.ArrayLike, floor_db: float = FLOOR_DB) -> Array:
    """10 lg of a mean square, in dB relative to full scale squared.

    Parameters
    ----------
    power : array_like
        Mean squares (FS^2), not negative.
    floor_db : float
        What 0 and everything below the floor reads.

    Returns
    -------
    ndarray of float64, shape of ``power``
        NaN where ``power`` is NaN.
    """
    lowest = 10.0 ** (floor_db / 10.0)
    return np.asarray(10.0 * np.log10(np.maximum(np.asarray(power, np.float64), lowest)))


def amplitude_db(amplitude: npt.ArrayLike, floor_db: float = FLOOR_DB) -> Array:
    """20 lg of an amplitude or peak, in dBFS (of a true peak: dBTP), like `power_db`."""
    lowest = 10.0 ** (floor_db / 20.0)
    return np.asarray(20.0 * np.log10(np.maximum(np.asarray(amplitude, np.float64), lowest)))


def lufs(k_power: npt.ArrayLike) -> Array:
    """Loudness in LUFS of K-weighted mean squares summed over channels (BS.1770-5 Annex 1 eq. 2).

    Reads `design.LOUDNESS_FLOOR_LUFS` where there is less; NaN stays NaN.
    """
    floor_db = LOUDNESS_FLOOR_LUFS - LOUDNESS_OFFSET_LU
    return np.asarray(LOUDNESS_OFFSET_LU + power_db(k_power, floor_db))


def power_from_db(level_db: npt.ArrayLike) -> Array:
    """Mean square (FS^2) of a level in dB."""
    return np.asarray(10.0 ** (np.asarray(level_db, np.float64) / 10.0))


def amplitude_from_db(level_db: npt.ArrayLike) -> Array:
    """Amplitude (FS) of a level in dBFS."""
    return np.asarray(10.0 ** (np.asarray(level_db, np.float64) / 20.0))


def k_power_from_lufs(loudness_lufs: npt.ArrayLike) -> Array:
    """K-weighted mean square (FS^2, sum of channels) of a loudness in LUFS."""
    return power_from_db(np.asarray(loudness_lufs, np.float64) - LOUDNESS_OFFSET_LU)
