"""Power sums per bar to dimensions in their units, and which of them the sound cannot show."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.columns import CROSS, K_POWER, LEFT, N_BANDS, PEAK, RIGHT
from pybackend.judgment.courses import fill_courses
from pybackend.judgment.dimensions import FRAME_DIMENSIONS, FRAME_INDEX
from pybackend.judgment.frame_dimensions import (
    BODY_HIGH_BANDS,
    BODY_LOW_BANDS,
    MID_BANDS,
    band_range,
)
from pybackend.judgment.levels import BAND_RANGE, NOISE_POWER, SILENT_POWER, Measured, Ratio, db
from pybackend.judgment.sections import fill_sections
from pybackend.metering.design import BAND_NAMES, LOUDNESS_OFFSET_LU

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]

STEREO_RANGE: Final = 1e-5
"""A side, or a channel, 50 dB below the other is rounding of the float32 sums."""


def _band_ratios() -> tuple[Ratio, ...]:
    above, below = (6, 7, 8), (0, 1)
    rows = [
        Ratio(FRAME_INDEX["brightness"], "the sound above 2 kHz", above, MID_BANDS),
        Ratio(FRAME_INDEX["weight"], "the sound below 120 Hz", below, MID_BANDS),
        Ratio(FRAME_INDEX["warmth"], "the sound in 120-500 Hz", BODY_LOW_BANDS, BODY_HIGH_BANDS),
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


def measure(
    sums: Array, heard: Counts, loud: Counts, missing_band: Mask, place: Counts | None = None
) -> Measured:
    """Turn sums over the joint mask into dimensions.

    Parameters
    ----------
    sums : ndarray of float64, shape (captures, bars, WIDTH)
        Sums per capture and bar, in the columns of `columns`.
    heard, loud : ndarray of int64, shape (bars,)
        Frames summed per bar, and how many of them are above the gate in every capture.
    missing_band : ndarray of bool, shape (9,)
        Bands that the sample rate cannot carry.
    place : ndarray of int64, shape (bars,), optional
        Section of each bar, or -1; without it nothing is measured between sections.

    Returns
    -------
    Measured
        Every dimension of `FRAME_DIMENSIONS`, or the reason why it is unavailable.
    """
    # A band that the sample rate cannot carry is NaN in every frame.
    sums = np.where(np.isfinite(sums), sums, 0.0)
    means = sums / heard[None, :, None]
    window = sums.sum(axis=1) / heard.sum()
    k_db = db(means[..., K_POWER]) + LOUDNESS_OFFSET_LU
    peaks_db = 2.0 * db(sums[..., PEAK])
    measured = Measured(
        x=np.zeros((len(FRAME_DIMENSIONS), *means.shape[:2])),
        k_level_lufs=db(window[:, K_POWER]) + LOUDNESS_OFFSET_LU,
        band_db=np.where(missing_band, np.nan, db(window[:, :N_BANDS])),
        true_peak_dbtp=peaks_db.max(axis=1),
    )
    measured.x[FRAME_INDEX["energy"]] = k_db
    measured.x[FRAME_INDEX["psr"]] = peaks_db - k_db
    total = means[..., LEFT] + means[..., RIGHT]
    # Floors hang on each capture's own level, so that a gain moves nothing across them.
    noise = NOISE_POWER / max(float((window[:, LEFT] + window[:, RIGHT]).max()), SILENT_POWER)
    _fill_bands(measured, means, total * max(noise, BAND_RANGE), missing_band)
    _fill_stereo(measured, means, total * max(noise, STEREO_RANGE))
    fill_courses(measured, sums, (heard, loud), noise)
    if place is not None:
        fill_sections(measured, sums, heard, place)
    return measured


def _fill_bands(measured: Measured, means: Array, floor: Array, missing_band: Mask) -> None:
    needed = (PARTS + AGAINST) @ missing_band > 0.0
    for k in np.flatnonzero(needed):
        row = BAND_RATIOS[k]
        measured.reasons[row.slot] = f"the sample rate is too low for {row.what}"
    rows = [k for k in range(len(BAND_RATIOS)) if not needed[k]]
    bands = means[..., :N_BANDS]
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
            measured.refuse("width", reason)
            measured.refuse("balance", reason)
            return
    side, mid = (left + right - 2.0 * cross) / 4.0, (left + right + 2.0 * cross) / 4.0
    if np.all(side.mean(axis=1) < limit):
        measured.refuse("width", "mono: there is no side signal, before or after")
    else:
        measured.ratios((WIDTH_RATIO,), side[None], mid[None], floor)
    measured.ratios((BALANCE_RATIO,), right[None], left[None], floor)
