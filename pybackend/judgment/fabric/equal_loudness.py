"""What each band loses when playback gets quieter, by the equal-loudness contours."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.metering.design import BAND_EDGES_HZ

Array = npt.NDArray[np.float64]

LOUD_PHON: Final = 80.0
QUIET_PHON: Final = 50.0

# ISO 226:2003 table 1: exponent, transfer at 1 kHz related, threshold in quiet.
_HZ: Final = (
    20, 25, 31.5, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000, 1250,
    1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000, 10000, 12500,
)  # fmt: skip
_ALPHA: Final = (
    0.532, 0.506, 0.480, 0.455, 0.432, 0.409, 0.387, 0.367, 0.349, 0.330, 0.315, 0.301, 0.288,
    0.276, 0.267, 0.259, 0.253, 0.250, 0.246, 0.244, 0.243, 0.243, 0.243, 0.242, 0.242, 0.245,
    0.254, 0.271, 0.301,
)  # fmt: skip
_TRANSFER_DB: Final = (
    -31.6, -27.2, -23.0, -19.1, -15.9, -13.0, -10.3, -8.1, -6.2, -4.5, -3.1, -2.0, -1.1, -0.4,
    0.0, 0.3, 0.5, 0.0, -2.7, -4.1, -1.0, 1.7, 2.5, 1.2, -2.1, -7.1, -11.2, -10.7, -3.1,
)  # fmt: skip
_THRESHOLD_DB: Final = (
    78.5, 68.7, 59.5, 51.1, 44.0, 37.5, 31.5, 26.5, 22.1, 17.9, 14.4, 11.4, 8.6, 6.2, 4.4, 3.0,
    2.2, 2.4, 3.5, 1.7, -1.3, -4.2, -6.0, -5.4, -1.5, 6.0, 12.6, 13.9, 12.3,
)  # fmt: skip


def contour_db(phon: float, hz: npt.ArrayLike) -> Array:
    """Sound pressure level of tones of one loudness level (ISO 226:2003, formula 1).

    Parameters
    ----------
    phon : float
        20 to 80.
    hz : array_like
        Frequencies; the table is read between its points on a logarithmic scale.

    Returns
    -------
    ndarray of float64
        dB SPL.
    """
    alpha, transfer, threshold = (np.array(each) for each in (_ALPHA, _TRANSFER_DB, _THRESHOLD_DB))
    a = 4.47e-3 * (10.0 ** (0.025 * phon) - 1.15)
    a = a + (0.4 * 10.0 ** ((threshold + transfer) / 10.0 - 9.0)) ** alpha
    level = 10.0 / alpha * np.log10(a) - transfer + 94.0
    return np.asarray(np.interp(np.log(np.asarray(hz, np.float64)), np.log(_HZ), level))


@lru_cache(maxsize=1)
def quiet_weights() -> Array:
    """Power weight of each band at low level, shape (9,).

    At the centre of a band: how much more its level would have to be kept up than that of a tone
    of 1 kHz, to sink from 80 to 50 phon like it. Tones stand for bands, and 80 phon for a level
    that nobody measures: it orders mixes, it predicts no loudness.
    """
    centres = np.sqrt(np.array(BAND_EDGES_HZ[:-1]) * np.array(BAND_EDGES_HZ[1:]))
    range_db = contour_db(LOUD_PHON, centres) - contour_db(QUIET_PHON, centres)
    return np.asarray(10.0 ** ((range_db - (LOUD_PHON - QUIET_PHON)) / 10.0))
