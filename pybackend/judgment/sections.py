"""Dimensions between sections of a song: contrast in loudness, and novelty of timbre.

A section is a stretch of song positions; its bars are those that lie in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.errors import InputError
from pybackend.judgment.columns import K_POWER, N_BANDS
from pybackend.judgment.dimensions import FRAME_INDEX
from pybackend.judgment.jackknife import pseudo_values
from pybackend.judgment.levels import BAND_RANGE, Measured, db

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Section = tuple[float, float]
"""Start and end in quarter notes of the song."""

MIN_SECTION_BARS: Final = 4
MAX_SECTIONS: Final = 64


def section_of_bars(
    sections: Sequence[Section], start_beats: float, beats_per_bar: float, bars: Counts
) -> Counts:
    """Index of the section that each bar lies in, or -1.

    Parameters
    ----------
    sections : sequence of (float, float)
        Start and end in quarter notes; they must not overlap.
    start_beats, beats_per_bar : float
        Where bar 0 starts, and length of a bar.
    bars : ndarray of int64
        Numbers of the bars.

    Raises
    ------
    InputError
        If a section ends before it starts, sections overlap, or there are too many.
    """
    ordered = sorted(sections)
    if len(ordered) > MAX_SECTIONS or not np.isfinite(np.array(ordered, dtype=float)).all():
        raise InputError(f"give at most {MAX_SECTIONS} sections with finite starts and ends")
    for number, (start, end) in enumerate(ordered):
        if end <= start or (number and start < ordered[number - 1][1]):
            raise InputError(f"section {start:g}-{end:g} is empty or overlaps the one before")
    starts = start_beats + beats_per_bar * bars
    found = np.full(len(bars), -1, np.int64)
    slack = 1e-6 * beats_per_bar
    for number, (start, end) in enumerate(ordered):
        inside = (starts >= start - slack) & (starts + beats_per_bar <= end + slack)
        found[inside] = number
    return found


def fill_sections(measured: Measured, sums: Array, heard: Counts, place: Counts) -> None:
    """Fill in contrast and novelty.

    Parameters
    ----------
    measured : Measured
        Is filled in.
    sums : ndarray of float64, shape (captures, bars, WIDTH)
        Sums per capture and bar.
    heard : ndarray of int64, shape (bars,)
        Frames summed per bar.
    place : ndarray of int64, shape (bars,)
        Section of each bar, or -1.
    """
    numbers = [int(n) for n in np.unique(place[place >= 0])]
    long_enough = [n for n in numbers if np.count_nonzero(place == n) >= MIN_SECTION_BARS]
    if len(long_enough) < 2:
        reason = (
            f"{len(long_enough)} sections of {MIN_SECTION_BARS} bars or more were captured, "
            "two are needed"
        )
        measured.refuse("contrast", reason)
        measured.refuse("novelty", reason)
        return
    pairs = list(combinations(long_enough, 2))
    for name, columns, distance in (
        ("contrast", [K_POWER], _contrast),
        ("novelty", list(range(N_BANDS)), _novelty),
    ):
        measured.reasons[FRAME_INDEX[name]] = ""
        measured.x[FRAME_INDEX[name]] = _jackknifed(
            sums[..., columns], heard, place, pairs, distance
        )


Distance = Callable[[Array, Array], Array]


def _contrast(one: Array, other: Array) -> Array:
    result: Array = np.abs(db(one[..., 0]) - db(other[..., 0]))
    return result


def _novelty(one: Array, other: Array) -> Array:
    steps = []
    for power in (one, other):
        whole = power.sum(axis=-1, keepdims=True)
        levels = db(np.maximum(power, BAND_RANGE * whole))
        steps.append(levels - levels.mean(axis=-1, keepdims=True))
    result: Array = np.sqrt(np.square(steps[0] - steps[1]).mean(axis=-1))
    return result


def _jackknifed(
    sums: Array, heard: Counts, place: Counts, pairs: list[tuple[int, int]], distance: Distance
) -> Array:
    """Mean distance over pairs of sections, as pseudo-values per bar."""

    def apart(total: dict[int, Array], count: dict[int, float]) -> Array:
        means = {n: total[n] / count[n] for n in total}
        result: Array = np.mean([distance(means[a], means[b]) for a, b in pairs], axis=0)
        return result

    numbers = sorted({n for pair in pairs for n in pair})
    total = {n: sums[:, place == n].sum(axis=1) for n in numbers}
    count = {n: float(heard[place == n].sum()) for n in numbers}
    whole = apart(total, count)
    without = np.repeat(whole[:, None], sums.shape[1], axis=1)
    for bar, number in enumerate(place):
        if number in total:
            left = total | {number: total[number] - sums[:, bar]}
            without[:, bar] = apart(left, count | {number: count[number] - float(heard[bar])})
    return pseudo_values(whole, without)
