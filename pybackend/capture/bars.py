"""Captures cut into bars, and the bars that all of them have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.capture.timeline import Survey, Timeline
from pybackend.errors import InputError
from pybackend.metering.design import FRAME_S

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

COVERED_BAR: Final = 0.8
"""Share of a bar that must be there for the bar to count."""
MIN_BAR_S: Final = 4 * FRAME_S
MAX_UNROLL: Final = 64
_EQUAL: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Bars of one capture; each stands once.

    A bar is a block of ``beats_per_bar`` quarter notes counted from song position 0. Where an
    earlier change of signature has moved the barlines, blocks start elsewhere in the bar: all
    captures share them, so nothing that is compared depends on it.

    Parameters
    ----------
    place : ndarray of int64, shape (bars,)
        Number of the bar since position 0, or within the cycle of the loop, ascending.
    number : ndarray of int64, shape (bars,)
        Number of the bar as it was played, the cycle not taken off.
    first, last : ndarray of int64, shape (bars,)
        Frames that reach into the bar.
    covered : ndarray of float64, shape (bars,)
        Share of the bar that frames cover, 0..1.
    """

    place: Ints
    number: Ints
    first: Ints
    last: Ints
    covered: Array

    def select(self, which: Ints) -> Bars:
        """Bars chosen by index."""
        return Bars(
            self.place[which],
            self.number[which],
            self.first[which],
            self.last[which],
            self.covered[which],
        )

    @property
    def whole(self) -> Ints:
        """Places of the bars that are there."""
        return self.place[self.covered >= COVERED_BAR]


def played_bars(timeline: Timeline, beats_per_bar: float, shift_beats: float = 0.0) -> Bars:
    """Every bar that a capture reaches into, in the order played; a bar played twice stands twice.

    Parameters
    ----------
    timeline : Timeline
        The capture.
    beats_per_bar : float
        Length of a bar in quarter notes.
    shift_beats : float
        How much later the sound is than its song position.
    """
    from pybackend.capture.kernels import bar_pieces  # noqa: PLC0415

    bar, first, last, covered = bar_pieces(
        timeline.start_beats - shift_beats,
        timeline.end_beats - shift_beats,
        timeline.run,
        timeline.valid,
        beats_per_bar,
    )
    return Bars(bar, bar, first, last, covered)


def has_bars(survey: Survey) -> bool:
    """Whether the frames tell a tempo and a bar length that time can be divided by."""
    if survey.tempo_bpm <= 0.0:
        return False
    return survey.beats_per_bar * 60.0 / survey.tempo_bpm >= MIN_BAR_S


def whole_bars(timeline: Timeline) -> int:
    """Whole bars that a capture played; a bar played twice counts twice."""
    if not has_bars(timeline.survey):
        return 0
    return len(played_bars(timeline, timeline.survey.beats_per_bar).whole)


def bars_once(played: Bars, cycle_bars: int | None = None) -> Bars:
    """One playing of each bar: the one that covers it best, the latest of equals.

    So a loop that was passed twice counts with its latest complete pass.

    Parameters
    ----------
    played : Bars
        As from `played_bars`.
    cycle_bars : int, optional
        Bars after which the sound repeats.
    """
    place = played.number if cycle_bars is None else played.number % cycle_bars
    rank = np.round(played.covered / _EQUAL)
    order = np.lexsort((np.arange(len(place)), rank, place))
    is_last = np.append(np.diff(place[order]) != 0, True)[: len(order)]
    chosen = order[is_last]
    once = played.select(chosen)
    return Bars(place[chosen], once.number, once.first, once.last, once.covered)


def common_bars(captures: Sequence[Bars]) -> list[Bars]:
    """Bars that every capture has, the same places in all of them."""
    places = captures[0].whole
    for capture in captures[1:]:
        places = np.intersect1d(places, capture.whole, assume_unique=True)
    return [capture.select(np.searchsorted(capture.place, places)) for capture in captures]


def loop_cycle(loop_beats: float, beats_per_bar: float, shortest_bars: int) -> int:
    """Bars after which a loop is back, unrolled to what the shortest capture holds.

    Parameters
    ----------
    loop_beats : float
        Least common multiple of the lengths of the sounding loops, in quarter notes.
    beats_per_bar : float
        Length of a bar in quarter notes.
    shortest_bars : int
        Whole bars of the shortest capture.

    Raises
    ------
    InputError
        If no number of repeats fills whole bars.

    Notes
    -----
    What repeats every loop also repeats every second, third, ... one: a one-bar loop played for
    eight bars gives eight bars, not one bar eight times.
    """
    if not loop_beats > 0.0:
        raise InputError(f"a loop of {loop_beats:g} beats has no length; give its beats, say 16")
    for repeats in range(1, MAX_UNROLL + 1):
        bars = repeats * loop_beats / beats_per_bar
        if bars >= 1.0 - _EQUAL and abs(bars - round(bars)) < _EQUAL:
            unit = round(bars)
            return unit * max(1, shortest_bars // unit)
    raise InputError(
        f"a loop of {loop_beats:g} beats never fills whole bars of {beats_per_bar:g}; "
        "give the loop length in quarter notes"
    )
