"""Motifs: figures that recur more than chance allows, how much is made of them, what survives.

What recurs is judged against the same lines in random order, over all figures and lengths at once
(maximum statistic, Westfall and Young 1993), so that music without motifs shows one in at most one
piece of twenty.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.composition.likeness import WORTH, Figure, likenesses
from pybackend.judgment.composition.lines import Lines

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ROUNDS: Final = 199
ROUNDS_OF_MANY: Final = 99
MANY_NOTES: Final = 5_000
MAX_NOTES: Final = 50_000
"""Notes in lines above which half the rounds have to do, and above which nothing is searched."""
P_DROPPED: Final = 0.05
P_SURE: Final = 0.02
"""From here to 0.05 a motif counts less and less, so that chance in p cannot make a result jump."""
MAX_MOTIFS: Final = 16
MAX_CANDIDATES: Final = 200
MIN_NOTES: Final = 12
MIN_NEW: Final = 0.5
"""Share of its notes that a motif must explain beyond those found before it."""


@dataclass(frozen=True, slots=True, eq=False)
class Motif:
    """A figure that recurs.

    Parameters
    ----------
    figure : Figure
        Its most common form.
    count : int
        How often it occurs, in any form.
    p_value : float
        Chance of anything as surprising in the same lines at random.
    strength : float
        1 where p is at most 0.02, falling to 0 at 0.05.
    salience : float
        Share of the parts' notes that it is the first to explain, times its strength.
    where : str
        Line of its first occurrence.
    """

    figure: Figure
    count: int
    p_value: float
    strength: float
    salience: float
    where: str

    @property
    def text(self) -> str:
        """Short description."""
        return f"{self.where}: {self.figure.text}, {self.count} times (p {self.p_value:.3f})"


@dataclass(frozen=True, slots=True, eq=False)
class Motifs:
    """Motifs of one side of a move.

    Parameters
    ----------
    found : tuple of Motif
        In the order of what they explain.
    coherence : float or None
        Share of the notes that belong to motifs, every part counting the same and lines that never
        vary (a pulse, a scale) not at all; None if there are too few notes to tell.
    reason : str
        Why it is None.
    """

    found: tuple[Motif, ...] = ()
    coherence: float | None = None
    reason: str = ""


@dataclass(slots=True, eq=False)
class _Search:
    """Windows that recur above chance."""

    lines: Lines
    lengths: tuple[int, ...]
    keys: Ints
    p: Array
    weight: Array
    covered: Array = field(init=False)

    def __post_init__(self) -> None:
        self.covered = np.zeros(len(self.lines))

    def candidates(self) -> list[tuple[int, Ints]]:
        """Row and places of every class, the least likely first and of these the longest."""
        found = []
        for row in range(len(self.keys))[::-1]:
            places = np.flatnonzero(self.p[row] < P_DROPPED)
            order = places[np.argsort(self.keys[row, places], kind="stable")]
            groups = np.split(order, np.flatnonzero(np.diff(self.keys[row, order])) + 1)
            found += [(row, group) for group in groups if len(group)]
        found.sort(key=lambda each: (float(self.p[each[0], each[1][0]]), -each[0]))
        return found[:MAX_CANDIDATES]


def find_motifs(lines: Lines) -> Motifs:
    """Find what recurs above chance in the lines of all clips.

    Parameters
    ----------
    lines : Lines
        From `read_lines`.

    Returns
    -------
    Motifs
        The same lines always give the same motifs.
    """
    from pybackend.judgment.composition import motif_kernels as kernels  # noqa: PLC0415 - compiles

    if len(lines) < MIN_NOTES:
        return Motifs(reason=f"{len(lines)} notes in lines of 4 or more, {MIN_NOTES} needed")
    if len(lines) > MAX_NOTES:
        return Motifs(reason=f"{len(lines)} notes in lines, {MAX_NOTES} can be searched")
    shape = (len(kernels.LENGTHS), len(lines))
    keys, ratios = np.zeros(shape, np.int64), np.zeros(shape)
    kernels.surprises(lines.interval, lines.gap, lines.drums, lines.offsets, (keys, ratios))
    maxima = np.zeros((2, ROUNDS if len(lines) <= MANY_NOTES else ROUNDS_OF_MANY))
    if ratios.any():
        kernels.null_maxima(lines.pitch, lines.gap, lines.drums, lines.offsets, maxima)
    search = _Search(lines, kernels.LENGTHS, keys, _p_values(ratios, maxima), _weights(lines, keys))
    found = _select(search)
    return Motifs(tuple(found), float(search.covered @ search.weight))


def _p_values(ratios: Array, maxima: Array) -> Array:
    """Share of random orders with a surprise as large, the worse of the two ways to shuffle."""
    result = np.ones(ratios.shape)
    some = ratios > 0.0
    if some.any():
        rounds = maxima.shape[1]
        # Rounding must not make a surprise larger than its own copy.
        least = ratios[some] * (1.0 - 1e-12)
        ways = [
            (1.0 + rounds - np.searchsorted(np.sort(way), least)) / (rounds + 1.0) for way in maxima
        ]
        result[some] = np.maximum(*ways)
    return result


def _weights(lines: Lines, keys: Ints) -> Array:
    """Weight of every note: all parts count the same; lines that never vary count nothing."""
    able = np.bincount(lines.line, keys.any(axis=0)) > 0.0
    counted = able[lines.line]
    counts = np.bincount(lines.part, counted)
    weight: Array = counted / np.maximum(counts, 1.0)[lines.part]
    return weight / max(1.0, float(np.count_nonzero(counts)))


def _select(search: _Search) -> list[Motif]:
    lines = search.lines
    chosen: list[Motif] = []
    open_candidates = [
        (row, _apart(places, search.lengths[row], lines)) for row, places in search.candidates()
    ]
    while open_candidates and len(chosen) < MAX_MOTIFS:
        gains = [_gain(search, row, places) for row, places in open_candidates]
        best = max(range(len(gains)), key=lambda k: (round(gains[k][0], 12), open_candidates[k][0]))
        gain, new = gains[best]
        row, places = open_candidates.pop(best)
        if gain <= 0.0:
            break
        if new >= MIN_NEW:
            chosen.append(_accept(search, row, places, gain))
    return chosen


def _apart(places: Ints, steps: int, lines: Lines) -> Ints:
    """Occurrences that do not overlap."""
    kept: list[int] = []
    for place in places.tolist():
        if not kept or place >= kept[-1] + steps or lines.line[place] != lines.line[kept[-1]]:
            kept.append(place)
    return np.array(kept, np.int64)


def _gain(search: _Search, row: int, places: Ints) -> tuple[float, float]:
    """Weight of the notes that a class is the first to explain, and their share of its notes."""
    steps = search.lengths[row]
    notes = np.unique((places[:, None] + np.arange(steps + 1)).ravel())
    fresh = notes[search.covered[notes] == 0.0]
    strength = _strength(float(search.p[row, places[0]]))
    return strength * float(search.weight[fresh].sum()), len(fresh) / len(notes)


def _strength(p: float) -> float:
    return min(1.0, max(0.0, (P_DROPPED - p) / (P_DROPPED - P_SURE)))


def _accept(search: _Search, row: int, places: Ints, gain: float) -> Motif:
    lines, steps = search.lines, search.lengths[row]
    forms = [
        (
            tuple(lines.interval[i : i + steps].tolist()),
            tuple(lines.gap[i : i + steps].tolist()),
            int(lines.pitch[i]),
        )
        for i in places.tolist()
    ]
    shapes = [form[:2] for form in forms]
    reference = max(forms, key=lambda form: (shapes.count(form[:2]), forms.count(form)))
    p = float(search.p[row, places[0]])
    figure = Figure(
        interval=np.array(reference[0], np.int64),
        gap=np.array(reference[1], np.int64),
        pitch=reference[2],
        drums=bool(lines.drums[places[0]]),
    )
    strength = _strength(p)
    alike = likenesses(figure, lines)
    for place in places.tolist():
        span = slice(place, place + steps + 1)
        worth = strength * WORTH[alike[place]]
        search.covered[span] = np.maximum(search.covered[span], worth)
    where = lines.names[int(lines.line[places[0]])]
    return Motif(figure, len(places), p, strength, gain, where)
