"""Columns of the kernel's rows: what is summed up over each 10 ms sub-block."""

from __future__ import annotations

from typing import Final

SPLITS: Final = 10

BAND: Final = 0
"""Sums of L^2, R^2 and L * R, three columns each, of the rest below 20 Hz, the nine bands, and what
passes the last split. Scale and meaning as in `design.band_splits`."""
FULL: Final = BAND + 3 * (SPLITS + 1)
"""Sums of L^2, R^2 and L * R of the signal."""
PEAK: Final = FULL + 3
"""Largest magnitudes of left and right."""
TRUE_PEAK: Final = PEAK + 2
"""Largest magnitudes of the interpolated stream."""
K_ENERGY: Final = TRUE_PEAK + 2
"""Sums of squares of left and right, K-weighted."""
BAD: Final = K_ENERGY + 2
"""Counts of samples of left and right that are not finite."""
COLUMNS: Final = BAD + 2
