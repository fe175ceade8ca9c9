"""section_contrast of sound: figures per bar, grouped by the song's sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.artistic.result import ArtisticResult, of_sides, unavailable
from pybackend.judgment.composition.contrast import MIN_SECTION_BARS, d_prime, squashed
from pybackend.judgment.composition.notes import Section
from pybackend.judgment.dimensions import DIMENSIONS, FRAME_INDEX
from pybackend.judgment.jackknife import pseudo_values
from pybackend.judgment.statistics import estimate

if TYPE_CHECKING:
    from pybackend.judgment.features import BarFeatures

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NAME: Final = "section_contrast"
FIGURES: Final = ("energy", "brightness", "weight", "psr", "width")
ERROR_FLOOR: Final = 0.01


def sound_contrast(
    features: BarFeatures, first_bar: int, sections: Sequence[Section]
) -> ArtisticResult:
    """Contrast of sections in loudness, tilt, peaks and width, before and after.

    Parameters
    ----------
    features : BarFeatures
        Of captures that hold two sections or more.
    first_bar : int
        Bar of the song in which the captures start.
    sections : sequence of Section
        In the order of the song.

    Returns
    -------
    ArtisticResult
        Its error is that of leaving out bars (jackknife), on both sides at once. Unavailable with
        fewer than two neighbouring sections of four bars.
    """
    names = [name for name in FIGURES if not features.reasons[FRAME_INDEX[name]]]
    if not names:
        return unavailable(NAME, "the sound of the sections was not measured")
    x = features.x[[FRAME_INDEX[name] for name in names]]
    place = _places(features, first_bar, sections)
    pairs = [
        (k, k + 1)
        for k in range(len(sections) - 1)
        if min(np.count_nonzero(place == k), np.count_nonzero(place == k + 1)) >= MIN_SECTION_BARS
    ]
    if not pairs:
        reason = f"it needs two neighbouring sections with {MIN_SECTION_BARS} captured bars or more"
        return unavailable(NAME, reason)
    floors = np.array([DIMENSIONS[name].smallest_effect for name in names])
    used = np.flatnonzero(np.isin(place, [number for pair in pairs for number in pair]))
    x, place = x[:, :, used], place[used]
    whole = np.array([_value(x[:, c], place, pairs, floors) for c in range(x.shape[1])])
    without = np.array(
        [
            [
                _value(np.delete(x[:, c], bar, axis=1), np.delete(place, bar), pairs, floors)
                for bar in range(x.shape[2])
            ]
            for c in range(x.shape[1])
        ]
    )
    n = features.n_before
    scatter = estimate(pseudo_values(whole, without)[None], n, np.array([ERROR_FLOOR]))[0]
    # The jackknife lends its error; what is shown is the contrast itself.
    before, after = float(whole[:n].mean()), float(whole[n:].mean())
    change = replace(scatter, before=before, after=after, change=after - before)
    after_side = x[:, n:].mean(axis=1)
    lines = [
        f"{sections[a].name or a} to {sections[b].name or b}: d' "
        f"{_distance(after_side, place, (a, b), floors):.2f}"
        for a, b in pairs
    ]
    return of_sides(NAME, change, coverage=len(names) / len(FIGURES), evidence=tuple(lines))


def _places(features: BarFeatures, first_bar: int, sections: Sequence[Section]) -> Ints:
    """Section of every bar that was compared, or -1."""
    bars = first_bar + np.array(features.bars or range(features.n_bars), np.int64)
    place = np.full(len(bars), -1)
    for number, section in enumerate(sections):
        place[(bars >= section.start_bar) & (bars < section.end_bar)] = number
    return place


def _distance(x: Array, place: Ints, pair: tuple[int, int], floors: Array) -> float:
    return d_prime(x[:, place == pair[0]], x[:, place == pair[1]], floors) or 0.0


def _value(x: Array, place: Ints, pairs: Sequence[tuple[int, int]], floors: Array) -> float:
    return squashed(float(np.mean([_distance(x, place, pair, floors) for pair in pairs])))
