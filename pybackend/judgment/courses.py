"""Dimensions of how sound runs in time: dynamics, punch, fill and motion."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.columns import (
    LEFT,
    LEVELS,
    MOMENTARY,
    MOMENTARY_SQUARE,
    N_BANDS,
    N_QUARTERS,
    QUARTERS,
    RIGHT,
    RISES,
)
from pybackend.judgment.dimensions import FRAME_INDEX
from pybackend.judgment.frame_dimensions import MIN_MOTION_BARS
from pybackend.judgment.jackknife import jackknife_departure, jackknife_spread
from pybackend.judgment.levels import BAND_RANGE, Measured, db

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]

MIN_LOUD_SHARE: Final = 0.5
"""Share of the frames that must be above the gate in every capture for their spread to mean
anything."""
MIN_COURSE_BANDS: Final = 3
"""Bands that must sound before their courses are averaged."""
LEAST_RISE: Final = 0.01
"""A band whose onsets hold less than 1 % of its power is steady."""
REGIONS: Final = ((0, 1), (2, 3), (4, 5), (6, 7, 8))
"""Bands below 120 Hz, 120-500 Hz, 500 Hz-2 kHz and above 2 kHz."""
REGION_RANGE: Final = 1e-3
"""A region is taken to be no quieter than 30 dB below its mean."""


def fill_courses(
    measured: Measured, sums: Array, counts: tuple[Counts, Counts], noise: float
) -> None:
    """Fill in dynamics, punch, fill and motion.

    Parameters
    ----------
    measured : Measured
        Is filled in.
    sums : ndarray of float64, shape (captures, bars, WIDTH)
        Sums per capture and bar.
    counts : tuple of ndarray of int64, shape (bars,)
        Frames summed per bar, and how many of them are loud in every capture.
    noise : float
        Share of the whole that noise can have.
    """
    heard, loud = counts
    _dynamics(measured, sums, heard, loud)
    window = sums.sum(axis=1)
    floor = (window[:, LEFT] + window[:, RIGHT]) * max(noise, BAND_RANGE)
    sounding = (window[:, :N_BANDS] > floor[:, None]).all(axis=0)
    if np.count_nonzero(sounding) < MIN_COURSE_BANDS:
        reason = f"fewer than {MIN_COURSE_BANDS} bands sound"
        for name in ("punch", "fill", "motion"):
            measured.refuse(name, reason)
        return
    _punch_and_fill(measured, sums, heard, sounding)
    _motion(measured, sums)


def _dynamics(measured: Measured, sums: Array, heard: Counts, loud: Counts) -> None:
    if loud.sum() < MIN_LOUD_SHARE * heard.sum() or np.count_nonzero(loud) < 2:
        measured.refuse("dynamics", "too much of the window is silent in one of the captures")
        return
    measured.x[FRAME_INDEX["dynamics"]] = jackknife_spread(
        sums[..., MOMENTARY], sums[..., MOMENTARY_SQUARE], loud.astype(np.float64)
    )


def _punch_and_fill(measured: Measured, sums: Array, heard: Counts, sounding: Mask) -> None:
    power = sums[..., :N_BANDS][..., sounding]
    rises = sums[..., RISES : RISES + N_BANDS][..., sounding]
    levels = sums[..., LEVELS : LEVELS + N_BANDS][..., sounding]
    # A bar in which a band is silent says nothing about how that band runs.
    there = power > 0.0
    known = np.maximum(there.sum(axis=-1), 1)
    shares = db(np.maximum(rises / np.where(there, power, 1.0), LEAST_RISE))
    gaps = levels / heard[None, :, None] - db(np.where(there, power, 1.0) / heard[None, :, None])
    measured.x[FRAME_INDEX["punch"]] = np.where(there, shares, 0.0).sum(axis=-1) / known
    measured.x[FRAME_INDEX["fill"]] = np.where(there, gaps, 0.0).sum(axis=-1) / known


def _motion(measured: Measured, sums: Array) -> None:
    n_bars = sums.shape[1]
    if n_bars < MIN_MOTION_BARS:
        measured.refuse("motion", f"{n_bars} bars, motion needs {MIN_MOTION_BARS}")
        return
    shape = (*sums.shape[:2], N_QUARTERS, N_BANDS)
    quarters = sums[..., QUARTERS : QUARTERS + N_QUARTERS * N_BANDS].reshape(shape)
    power = np.stack([quarters[..., list(region)].sum(axis=-1) for region in REGIONS], axis=-1)
    lowest = REGION_RANGE * power.mean(axis=(1, 2), keepdims=True)
    levels = db(np.maximum(power, lowest))
    levels -= levels.mean(axis=-1, keepdims=True)
    measured.x[FRAME_INDEX["motion"]] = jackknife_departure(levels.reshape(*shape[:2], -1))
