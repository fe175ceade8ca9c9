"""Columns of the sums per capture and bar, between `barsums` and what measures them."""

from __future__ import annotations

from typing import Final

from pybackend.metering.design import BAND_NAMES

N_BANDS: Final = len(BAND_NAMES)
N_QUARTERS: Final = 4

LEFT: Final = N_BANDS
"""Columns before this one are the powers of the bands."""
RIGHT: Final = LEFT + 1
CROSS: Final = LEFT + 2
"""Left times right."""
K_POWER: Final = LEFT + 3
PEAK: Final = LEFT + 4
"""Largest true peak, no sum."""
CLIPPED: Final = LEFT + 5
"""Frames whose sample peak reaches full scale."""
BASS_CROSS: Final = LEFT + 6
"""Left times right below 120 Hz."""
MOMENTARY: Final = LEFT + 7
"""Momentary loudness in LUFS, of the frames that are loud in every capture."""
MOMENTARY_SQUARE: Final = LEFT + 8
RISES: Final = LEFT + 9
"""Per band: power above that of the frame before."""
LEVELS: Final = RISES + N_BANDS
"""Per band: level of the frames in dB."""
QUARTERS: Final = LEVELS + N_BANDS
"""Per quarter of the bar and band: power."""
WIDTH: Final = QUARTERS + N_QUARTERS * N_BANDS
