"""Power sums per bar to dimensions in their units, and which of them the sound cannot show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pybackend.judgment.dimensions import FRAME_DIMENSIONS, FRAME_INDEX, MID_BANDS, band_range
from pybackend.metering.design import BAND_NAMES, LOUDNESS_OFFSET_LU

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]

N_BANDS: Final = len(BAND_NAMES)
LEFT: Final = N_BANDS
RIGHT: Final = N_BANDS + 1
CROSS: Final = N_BANDS + 2
K_POWER: Final = N_BANDS + 3
PEAK: Final = N_BANDS + 4
MOMENTARY: Final = N_BANDS + 5
MOMENTARY_SQUARE: Final = N_BANDS + 6
WIDTH: Final = N_BANDS + 7
"""Columns of the sums per capture and bar: the bands, the channels and their product, K-weighted
power, the largest true peak (no sum), momentary loudness and its square."""

NOISE_POWER: Final = 1e-9
"""-90 dBFS: dither of 16 bits lies below this in every band."""
BAND_RANGE: Final = 1e-7
"""A band 70 dB below the whole is filter leakage: two bands away leaks -63 dB."""
STEREO_RANGE: Final = 1e-5
"""A side, or a channel, 50 dB below the other is rounding of the float32 sums."""
SILENT_POWER: Final = 1e-12
"""-120 dB, where levels end."""

MIN_LOUD_SHARE: Final = 0.5
"""Share of the frames that must be above the gate in every capture for their spread to mean
anything."""


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
    reasons: list[str] = field(default_factory=lambda: [""] * len(FRAME_DIMENSIONS))
    remarks: list[str] = field(default_factory=lambda: [""] * len(FRAME_DIMENSIONS))

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


class Ratio(NamedTuple):
    """A dimension that compares two powers: its place in the arrays, its subject, its bands."""

    slot: int
    what: str
    part: tuple[int, ...] = ()
    against: tuple[int, ...] = ()


def _band_ratios() -> tuple[Ratio, ...]:
    above, below = (6, 7, 8), (0, 1)
    rows = [
        Ratio(FRAME_INDEX["brightness"], "the sound above 2 kHz", above, MID_BANDS),
        Ratio(FRAME_INDEX["weight"], "the sound below 120 Hz", below, MID_BANDS),
    ]
    for k, name in enumerate(BAND_NAMES):
        rest = tuple(other for other in MID_BANDS if other != k)
        rows.append(Ratio(FRAME_INDEX[f"band_{name}"], band_range(k), (k,), rest))
    return tuple(rows)


def _picks(bands: list[tuple[int, ...]]) -> Array:
    picks = np.zeros((len(bands), N_BANDS))
    for row, chosen in enumerate(bands):
        picks[row, list(chosen)] = 1.0
    return picks


BAND_RATIOS: Final = _band_ratios()
PARTS: Final = _picks([row.part for row in BAND_RATIOS])
AGAINST: Final = _picks([row.against for row in BAND_RATIOS])
WIDTH_RATIO: Final = Ratio(FRAME_INDEX["width"], "the side signal")
BALANCE_RATIO: Final = Ratio(FRAME_INDEX["balance"], "the right channel")


def db(power: Array) -> Array:
    """10 lg of a power, ending at -120 dB."""
    result: Array = 10.0 * np.log10(np.maximum(power, SILENT_POWER))
    return result


def measure(sums: Array, heard: Counts, loud: Counts, missing_band: Mask) -> Measured:
    """Turn sums over the joint mask into dimensions.

    Parameters
    ----------
    sums : ndarray of float64, shape (captures, bars, WIDTH)
        Sums per capture and bar.
    heard, loud : ndarray of int64, shape (bars,)
        Frames summed per bar, and how many of them are above the gate in every capture.
    missing_band : ndarray of bool, shape (9,)
        Bands that the sample rate cannot carry.

    Returns
    -------
    Measured
        Every dimension of `FRAME_DIMENSIONS`, or the reason why it is unavailable.
    """
    means = sums / heard[None, :, None]
    window = sums.sum(axis=1) / heard.sum()
    k_db = db(means[..., K_POWER]) + LOUDNESS_OFFSET_LU
    measured = Measured(
        x=np.zeros((len(FRAME_DIMENSIONS), *means.shape[:2])),
        k_level_lufs=db(window[:, K_POWER]) + LOUDNESS_OFFSET_LU,
        band_db=np.where(missing_band, np.nan, db(window[:, :N_BANDS])),
        true_peak_dbtp=2.0 * db(sums[..., PEAK].max(axis=1)),
    )
    measured.x[FRAME_INDEX["energy"]] = k_db
    measured.x[FRAME_INDEX["psr"]] = 2.0 * db(sums[..., PEAK]) - k_db
    total = means[..., LEFT] + means[..., RIGHT]
    # Floors hang on each capture's own level, so that a gain moves nothing across them.
    noise = NOISE_POWER / max(float((window[:, LEFT] + window[:, RIGHT]).max()), SILENT_POWER)
    _fill_bands(measured, means, total * max(noise, BAND_RANGE), missing_band)
    _fill_stereo(measured, means, total * max(noise, STEREO_RANGE))
    _fill_dynamics(measured, sums, heard, loud)
    return measured


def _fill_bands(measured: Measured, means: Array, floor: Array, missing_band: Mask) -> None:
    bands = np.where(missing_band, 0.0, means[..., :N_BANDS])
    needed = (PARTS + AGAINST) @ missing_band > 0.0
    for k in np.flatnonzero(needed):
        row = BAND_RATIOS[k]
        measured.reasons[row.slot] = f"the sample rate is too low for {row.what}"
    rows = [k for k in range(len(BAND_RATIOS)) if not needed[k]]
    measured.ratios(
        tuple(BAND_RATIOS[k] for k in rows),
        np.einsum("rk,cnk->rcn", PARTS[rows], bands),
        np.einsum("rk,cnk->rcn", AGAINST[rows], bands),
        floor,
    )


def _fill_stereo(measured: Measured, means: Array, floor: Array) -> None:
    left, right, cross = means[..., LEFT], means[..., RIGHT], means[..., CROSS]
    limit = floor.mean(axis=1)
    for channel, name in ((left, "left"), (right, "right")):
        if np.all(channel.mean(axis=1) < limit):
            reason = f"the {name} channel is silent"
            measured.reasons[FRAME_INDEX["width"]] = reason
            measured.reasons[FRAME_INDEX["balance"]] = reason
            return
    side, mid = (left + right - 2.0 * cross) / 4.0, (left + right + 2.0 * cross) / 4.0
    if np.all(side.mean(axis=1) < limit):
        measured.reasons[FRAME_INDEX["width"]] = "mono: there is no side signal, before or after"
    else:
        measured.ratios((WIDTH_RATIO,), side[None], mid[None], floor)
    measured.ratios((BALANCE_RATIO,), right[None], left[None], floor)


def _fill_dynamics(measured: Measured, sums: Array, heard: Counts, loud: Counts) -> None:
    index = FRAME_INDEX["dynamics"]
    if loud.sum() < MIN_LOUD_SHARE * heard.sum() or np.count_nonzero(loud) < 2:
        measured.reasons[index] = "too much of the window is silent in one of the captures"
        return
    measured.x[index] = jackknife_spread(
        sums[..., MOMENTARY], sums[..., MOMENTARY_SQUARE], loud.astype(np.float64)
    )


def jackknife_spread(total: Array, square: Array, count: Array) -> Array:
    """Standard deviation of a whole window as one pseudo-value per bar.

    A spread belongs to the window, so bars cannot be measured one by one. Leaving each bar out in
    turn gives pseudo-values ``n theta - (n - 1) theta_without_bar`` that can be averaged and whose
    scatter is the error (Tukey 1958; Efron and Stein 1981).

    Parameters
    ----------
    total, square : ndarray of float64, shape (captures, bars)
        Sums of the values and of their squares.
    count : ndarray of float64, shape (bars,)
        How many values were summed; at least two bars are not empty.

    Returns
    -------
    ndarray of float64, shape (captures, bars)
        Pseudo-values, in the unit of the values.
    """
    n = total.shape[1]
    whole = _spread(
        total.sum(axis=1, keepdims=True), square.sum(axis=1, keepdims=True), count.sum()
    )
    without = _spread(
        total.sum(axis=1, keepdims=True) - total,
        square.sum(axis=1, keepdims=True) - square,
        count.sum() - count,
    )
    result: Array = n * whole - (n - 1) * without
    return result


def _spread(total: Array, square: Array, count: Array | float) -> Array:
    mean = total / count
    result: Array = np.sqrt(np.maximum(square / count - mean * mean, 0.0))
    return result
