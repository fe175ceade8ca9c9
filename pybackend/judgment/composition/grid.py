"""The grid that onsets are meant for: how it swings, and which of its steps an onset is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STEPS_PER_BEAT: Final = 24
"""Sixteenths, triplets and thirty-seconds all lie on twenty-fourths of a quarter note."""
GRIDS: Final = (
    np.array((0, 6, 12, 18, 24)),
    np.array((0, 4, 8, 12, 16, 20, 24)),
    np.array((0, 3, 6, 9, 12, 15, 18, 21, 24)),
)
"""Sixteenths, triplets and sextuplets, thirty-seconds."""
LOOSE_BEATS: Final = 0.045
"""Beyond this root mean square distance from the sixteenths another grid is asked."""
EARLY_BEATS: Final = 1.0 / 24.0
"""A note this little before a beat is meant for it."""

OFF_BEAT: Final = (0.42, 0.72)
"""Where an off-beat may lie between its neighbours: straight, up to a triplet and a little more."""
MIN_OFF_BEATS: Final = 12
STRAIGHT: Final = 0.5


@dataclass(frozen=True, slots=True)
class Swing:
    """Mean place of the off-beats between their neighbours, as a share; 0.5 is straight.

    Parameters
    ----------
    eighths, sixteenths : float or None
        None where fewer than 12 off-beats show it.
    """

    eighths: float | None = None
    sixteenths: float | None = None


def _off_beats(onset: Array, weight: Array, unit_beats: float) -> float | None:
    phase = np.mod(onset / unit_beats, 1.0)
    inside = (phase > OFF_BEAT[0]) & (phase < OFF_BEAT[1]) & (weight > 0.0)
    if inside.sum() < MIN_OFF_BEATS:
        return None
    return float(np.average(phase[inside], weights=weight[inside]))


def find_swing(onset: Array, weight: Array) -> Swing:
    """Estimate the swing of eighths, and of sixteenths with that of the eighths taken out.

    Parameters
    ----------
    onset : ndarray of float64, shape (onsets,)
        In quarter notes.
    weight : ndarray of float64, shape (onsets,)
        Importance of each.
    """
    eighths = _off_beats(onset, weight, 1.0)
    even = _even(onset, 1.0, eighths)
    return Swing(eighths, _off_beats(even, weight, 0.5))


def _even(onset: Array, unit_beats: float, place: float | None) -> Array:
    """Stretch both halves of every unit so that the off-beat lies in the middle."""
    if place is None:
        return onset
    unit, phase = np.divmod(onset / unit_beats, 1.0)
    early = phase * (STRAIGHT / place)
    late = STRAIGHT + (phase - place) * (STRAIGHT / (1.0 - place))
    result: Array = (unit + np.where(phase < place, early, late)) * unit_beats
    return result


def straighten(onset: Array, swing: Swing) -> Array:
    """Onsets as they would be without the swing.

    Parameters
    ----------
    onset : ndarray of float64, shape (onsets,)
        In quarter notes.
    swing : Swing
        What to take out.
    """
    return _even(_even(onset, 1.0, swing.eighths), 0.5, swing.sixteenths)


def steps(straight: Array, line: Ints) -> Ints:
    """Place on the grid that every onset is meant for, in twenty-fourths of a quarter note.

    Every beat of every line is read in sixteenths, unless these are off by more than a player is
    and triplets or thirty-seconds come at least twice as close.

    Parameters
    ----------
    straight : ndarray of float64, shape (onsets,)
        In quarter notes, the swing taken out.
    line : ndarray of int64, shape (onsets,)
        What is played by one hand and read together.
    """
    if not len(straight):
        return np.zeros(0, np.int64)
    beat = np.floor(straight + EARLY_BEATS)
    phase = (straight - beat) * STEPS_PER_BEAT
    _, group = np.unique(np.stack((line, beat.astype(np.int64))), axis=1, return_inverse=True)
    group = group.ravel()
    places, errors = [], []
    for grid in GRIDS:
        place = grid[np.abs(phase[:, None] - grid).argmin(axis=1)]
        square = np.bincount(group, (phase - place) ** 2) / np.bincount(group)
        places.append(place)
        errors.append(np.sqrt(square) / STEPS_PER_BEAT)
    closer = np.argmin(errors, axis=0)
    loose = (errors[0] > LOOSE_BEATS) & (np.min(errors, axis=0) < 0.5 * errors[0])
    chosen = np.where(loose, closer, 0)[group]
    place = np.choose(chosen, places)
    result: Ints = np.rint(beat * STEPS_PER_BEAT).astype(np.int64) + place
    return result


def metre(beats_per_bar: float) -> Ints:
    """Metrical level of every step of a bar: 0 for the downbeat, negative for weaker places.

    Parameters
    ----------
    beats_per_bar : float
        Quarter notes in a bar. The middle of a bar of an even number of them, four or more, is a
        level of its own.
    """
    count = max(1, round(beats_per_bar * STEPS_PER_BEAT))
    step = np.arange(count)
    middle = beats_per_bar >= 4.0 and beats_per_bar % 2.0 == 0.0
    level = np.full(count, -4 if middle else -3)
    level[step % (STEPS_PER_BEAT // 2) == 0] += 1
    level[step % STEPS_PER_BEAT == 0] += 1
    if middle:
        level[count // 2] += 1
    level[0] = 0
    return level
