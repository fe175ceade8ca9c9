"""How far neighbouring sections lie apart, in units of what varies within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

MIN_SECTION_BARS: Final = 4
MIN_KNOWN_BARS: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class SectionBars:
    """A section as figures per bar.

    Parameters
    ----------
    name : str
        For people.
    figures : ndarray of float64, shape (features, bars)
        NaN where a bar does not show it.
    """

    name: str
    figures: Array


@dataclass(frozen=True, slots=True)
class Contrast:
    """Contrast of sections.

    Parameters
    ----------
    value : float or None
        ``1 - exp(-d'/2)`` of the mean d' over neighbours; None if it cannot be told.
    pairs : tuple of str
        A line for each pair of neighbours.
    reason : str
        Why it is None.
    """

    value: float | None = None
    pairs: tuple[str, ...] = ()
    reason: str = ""


def contrast(sections: Sequence[SectionBars], floors: Array) -> Contrast:
    """Measure the contrast of neighbouring sections.

    For each pair d' is the root of the mean over features of the squared difference of means over
    the pooled variance of bars, less what that many bars of one and the same material would differ
    by, so that sections alike have none.

    Parameters
    ----------
    sections : sequence of SectionBars
        In the order of the song. Sections below 4 bars are left out.
    floors : ndarray of float64, shape (features,)
        Smallest spread of bars that counts, in the unit of each feature: loops repeat exactly, and
        nobody hears a difference of nothing.
    """
    pairs = [
        (one, two, distance)
        for one, two in pairwise(sections)
        if min(one.figures.shape[1], two.figures.shape[1]) >= MIN_SECTION_BARS
        and (distance := d_prime(one.figures, two.figures, floors)) is not None
    ]
    if not pairs:
        reason = f"it needs two neighbouring sections of {MIN_SECTION_BARS} bars or more"
        return Contrast(reason=reason)
    mean = sum(distance for _, _, distance in pairs) / len(pairs)
    lines = tuple(f"{one.name} to {two.name}: d' {distance:.2f}" for one, two, distance in pairs)
    return Contrast(squashed(mean), lines)


def squashed(mean_d_prime: float) -> float:
    """Mean d' on 0..1."""
    return float(1.0 - np.exp(-mean_d_prime / 2.0))


def d_prime(one: Array, two: Array, floors: Array) -> float | None:
    """Distance of two sections; None if they share no feature.

    Parameters
    ----------
    one, two : ndarray of float64, shape (features, bars)
        With NaN for what is not known.
    floors : ndarray of float64, shape (features,)
        As in `contrast`.
    """
    squares = []
    for a, b, floor in zip(one, two, floors, strict=True):
        x, y = a[np.isfinite(a)], b[np.isfinite(b)]
        if min(len(x), len(y)) < MIN_KNOWN_BARS:
            continue
        within = ((len(x) - 1) * x.var(ddof=1) + (len(y) - 1) * y.var(ddof=1)) / (
            len(x) + len(y) - 2
        )
        scale = max(within, floor**2)
        chance = within / scale * (1.0 / len(x) + 1.0 / len(y))
        squares.append((x.mean() - y.mean()) ** 2 / scale - chance)
    if not squares:
        return None
    return float(np.sqrt(max(0.0, float(np.mean(squares)))))
