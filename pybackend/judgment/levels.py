"""Decibels, the floors below which there is only noise, and the table of what was measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pybackend.judgment.dimensions import FRAME_DIMENSIONS, FRAME_INDEX

Array = npt.NDArray[np.float64]

NOISE_POWER: Final = 1e-9
"""-90 dBFS: dither of 16 bits lies below this in every band."""
BAND_RANGE: Final = 1e-7
"""A band 70 dB below the whole is filter leakage: two bands away leaks -63 dB."""
SILENT_POWER: Final = 1e-12
"""-120 dB, where levels end."""


def db(power: Array) -> Array:
    """10 lg of a power, ending at -120 dB."""
    result: Array = 10.0 * np.log10(np.maximum(power, SILENT_POWER))
    return result


class Ratio(NamedTuple):
    """A dimension that compares two powers: its place in the arrays, its subject, its bands."""

    slot: int
    what: str
    part: tuple[int, ...] = ()
    against: tuple[int, ...] = ()


def _first_reasons() -> list[str]:
    # What one passage cannot show stays unavailable unless sections are given.
    return [entry.unavailable for entry in FRAME_DIMENSIONS]


@dataclass(slots=True, eq=False)
class Measured:
    """Dimensions of a comparison as they are filled in.

    Parameters
    ----------
    x : ndarray of float64, shape (dimensions, captures, bars)
        Values in native units, in the order of `FRAME_DIMENSIONS`.
    k_level_lufs, true_peak_dbtp : ndarray of float64, shape (captures,)
        Ungated K-weighted loudness and largest true peak of the window.
    band_db : ndarray of float64, shape (captures, 9)
        Band levels of the window; NaN for a band that the sample rate cannot carry.
    reasons, remarks : list of str
        Why a dimension is unavailable, and what limits an available one; usually empty.
    """

    x: Array
    k_level_lufs: Array
    band_db: Array
    true_peak_dbtp: Array
    reasons: list[str] = field(default_factory=_first_reasons)
    remarks: list[str] = field(default_factory=lambda: [""] * len(FRAME_DIMENSIONS))

    def refuse(self, name: str, reason: str) -> None:
        """Say why a dimension is unavailable."""
        self.reasons[FRAME_INDEX[name]] = reason

    def ratios(self, rows: tuple[Ratio, ...], parts: Array, against: Array, floor: Array) -> None:
        """Fill in 10 lg(parts / against), neither below ``floor``.

        Where a part is below the floor in every capture there is nothing to compare; where it is so
        in some, the change is at least as large as what is shown.

        Parameters
        ----------
        rows : tuple of Ratio
            What the numbers are.
        parts, against : ndarray of float64, shape (rows, captures, bars)
            Powers.
        floor : ndarray of float64, shape (captures, bars)
            Power below which nothing is told apart from noise.
        """
        limit = floor.mean(axis=1)
        no_part = parts.mean(axis=2) < limit
        no_reference = against.mean(axis=2) < limit
        decibels = db(np.maximum(parts, floor)) - db(np.maximum(against, floor))
        nothing, groundless = no_part.all(axis=1), no_reference.all(axis=1)
        bounded = (no_part | no_reference).any(axis=1)
        for k, row in enumerate(rows):
            if groundless[k]:
                self.reasons[row.slot] = f"there is nothing to measure {row.what} against"
            elif nothing[k]:
                reason = f"{row.what}: nothing above the noise floor, before or after"
                self.reasons[row.slot] = reason
            else:
                self.x[row.slot] = decibels[k]
                if bounded[k]:
                    remark = f"{row.what}: below the noise floor on one side; at least this much"
                    self.remarks[row.slot] = remark
