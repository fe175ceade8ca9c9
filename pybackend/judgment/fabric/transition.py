"""The transition engine: what happens across a section boundary, before and after the move.

The bars ahead of a boundary and those behind it are paired from the boundary outwards; a pair's
step is the difference of the two. Pairs take the place that bars have elsewhere.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pybackend.capture.aligned import Incomparable, Reason
from pybackend.judgment.dimensions import FRAME_INDEX
from pybackend.judgment.fabric.rows import Rows
from pybackend.judgment.fabric.sums import bar_numbers, bar_sums
from pybackend.judgment.features import MIN_BARS
from pybackend.metering.design import FRAMES_PER_S
from pybackend.stream.protocol import column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pybackend.capture.aligned import AlignedCaptures
    from pybackend.judgment.composition.notes import Section
    from pybackend.judgment.features import BarFeatures

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MAX_PAIRS: Final = 8
"""Bars on either side of a boundary: what lies further off is not the transition."""
STEPS: Final = ("energy", "brightness", "weight", "width")
OF_THE_WINDOW: Final = frozenset(("dynamics", "motion", "contrast", "novelty"))
"""Pseudo-values of a jackknife belong to all bars of their window, not to some of them."""
LEAST_FLUX_DB: Final = 1.0
"""Rises per second below which nothing tells density apart from noise."""
LEAST_POWER: Final = 1e-9
"""What silence reads, in K-weighted power: -91 LUFS."""


def boundary_pairs(
    sections: Sequence[Section], numbers: Ints
) -> tuple[Ints, Ints, tuple[int, ...]] | Incomparable:
    """Which compared bars lie ahead of and behind section boundaries.

    Parameters
    ----------
    sections : sequence of Section
        In order.
    numbers : ndarray of int64, shape (bars,)
        Number of each compared bar in the song.

    Returns
    -------
    ahead, behind : ndarray of int64, shape (pairs,)
        Places in ``numbers``.
    boundaries : tuple of int
        Bars at which the sections behind them start.
    Incomparable
        If no boundary has four bars on either side.
    """
    place = {int(number): k for k, number in enumerate(numbers)}
    ahead: list[int] = []
    behind: list[int] = []
    boundaries = []
    for one, two in pairwise(sections):
        if one.end_bar != two.start_bar:
            continue
        here = two.start_bar
        reach = min(MAX_PAIRS, one.bars, two.bars)
        pairs = [
            (place[here - 1 - k], place[here + k])
            for k in range(reach)
            if here - 1 - k in place and here + k in place
        ]
        if len(pairs) >= MIN_BARS:
            ahead += [first for first, _ in pairs]
            behind += [second for _, second in pairs]
            boundaries.append(here)
    if not boundaries:
        known = ", ".join(str(section.start_bar) for section in sections[1:6]) or "none"
        bars = f"{int(numbers.min())} to {int(numbers.max())}" if len(numbers) else "none"
        text = (
            f"No section boundary (at bar {known}) has {MIN_BARS} bars on either side among the "
            f"bars compared ({bars}); give the sections and capture across a boundary."
        )
        return Incomparable((Reason("no_boundary", text),))
    return np.array(ahead), np.array(behind), tuple(boundaries)


def transition_rows(
    aligned: AlignedCaptures, features: BarFeatures, sections: Sequence[Section]
) -> tuple[Rows, tuple[int, ...]] | Incomparable:
    """Measure what the transition engine judges, per capture and pair of bars.

    Parameters
    ----------
    aligned, features
        The master's captures across the boundary, and what they measure.
    sections : sequence of Section
        In order.

    Returns
    -------
    Rows
        Steps across the boundary, the gap ahead of it, and the dimensions of the master as the
        mean of each pair.
    tuple of int
        The boundaries, in bars.
    Incomparable
        If there is no boundary with enough bars.
    """
    numbers = bar_numbers(aligned)[list(features.bars)]
    found = boundary_pairs(sections, numbers)
    if isinstance(found, Incomparable):
        return found
    ahead, behind, boundaries = found
    rows = Rows.of_frames(features)
    for name, values in rows.values.items():
        rows.values[name] = 0.5 * (values[:, ahead] + values[:, behind])
    if len(ahead) * 2 < features.n_bars:
        for name in OF_THE_WINDOW & rows.values.keys():
            del rows.values[name]
            rows.missing[name] = "the captures reach beyond the bars at the boundary"
    for name in STEPS:
        index = FRAME_INDEX[name]
        x, why = features.x[index], features.reasons[index]
        rows.put(f"transition_{name}", why or x[:, behind] - x[:, ahead])
    rows.put("transition_density", _density(aligned, features, ahead, behind))
    rows.put("transition_gap", _gap(aligned, numbers, boundaries, len(ahead)))
    return rows, boundaries


def _density(
    aligned: AlignedCaptures, features: BarFeatures, ahead: Ints, behind: Ints
) -> Array | str:
    flux = bar_sums(aligned, "flux_full", features.bars)[..., 0]
    heard = aligned.valid.all(axis=0)
    frames = np.bincount(aligned.bar[heard], minlength=aligned.n_bars)[list(features.bars)]
    per_s = flux / frames * FRAMES_PER_S
    if np.all(per_s < LEAST_FLUX_DB):
        return "the analyzer reports no rises of level in any bar"
    levels = np.log2(np.maximum(per_s, LEAST_FLUX_DB))
    return np.asarray(levels[:, behind] - levels[:, ahead])


def _gap(
    aligned: AlignedCaptures,
    numbers: Ints,
    boundaries: Sequence[int],
    pairs: int,
) -> Array | str:
    """Gap per capture, mean over boundaries, the same for every pair: it was heard once."""
    k_power = np.where(aligned.valid, aligned.values[:, :, column("k_power")], 0.0)
    heard = aligned.valid.all(axis=0)
    beats = np.where(aligned.valid, aligned.values[:, :, column("song_beats")], np.inf).min(axis=0)
    gaps = []
    for boundary in boundaries:
        end = boundary * aligned.beats_per_bar
        # A bar is laid from one row before its barline, so its last beat ends one row before.
        last = heard & (beats >= end - 1.0 - 1e-6) & (beats < end - 1e-6)
        first = numbers[np.isin(numbers, np.arange(boundary - MAX_PAIRS, boundary))].min()
        section = heard & (beats >= first * aligned.beats_per_bar - 1e-6) & (beats < end - 1e-6)
        section &= ~last
        if not last.any() or not section.any():
            return "the last beat ahead of the boundary was not received"
        level = [np.maximum(k_power[:, part].mean(axis=1), LEAST_POWER) for part in (section, last)]
        gaps.append(10.0 * np.log10(level[0] / level[1]))
    return np.repeat(np.mean(gaps, axis=0)[:, None], pairs, axis=1)
