"""Kernels over the notes of a passage: simultaneous pitches and metrical places."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pybackend.jit import kernel

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@kernel
def _mean_dissonance(active: Ints, times: Array, pitch: Ints, per_class: Array) -> float:
    """Mean dissonance of the pairs that sound at one moment, 0 if there are none."""
    rough, total = 0.0, 0.0
    for a in range(len(active)):
        for b in range(a + 1, len(active)):
            i, j = active[a], active[b]
            if pitch[i] != pitch[j]:
                share = times[i, 2] * times[j, 2]
                rough += share * per_class[abs(pitch[i] - pitch[j]) % 12]
                total += share
    return rough / total if total > 0.0 else 0.0


@kernel
def dissonance(times: Array, pitch: Ints, per_class: Array, edges: Array, sums: Array) -> None:
    """Add up, per bar, dissonance over time, and the time in which anything sounds.

    Parameters
    ----------
    times : ndarray of float64, shape (notes, 3)
        Start and end in beats, sorted by start, and the chance that the note plays; a pair counts
        by the product of its chances.
    pitch : ndarray of int64, shape (notes,)
        Note numbers.
    per_class : ndarray of float64, shape (12,)
        Dissonance by interval in semitones modulo 12.
    edges : ndarray of float64
        All starts, ends and barlines between the first barline, 0, and the last, ascending.
    sums : ndarray of float64, shape (bars, 2)
        Added to: time times the mean dissonance of all pairs of different pitch, and time.
    """
    bars, n = len(sums), len(times)
    bar_beats = edges[-1] / bars
    active = np.empty(n, np.int64)
    count, following = 0, 0
    for e in range(len(edges) - 1):
        low, high = edges[e], edges[e + 1]
        kept = 0
        for k in range(count):
            if times[active[k], 1] > low:
                active[kept] = active[k]
                kept += 1
        count = kept
        while following < n and times[following, 0] <= low:
            if times[following, 1] > low:
                active[count] = following
                count += 1
            following += 1
        bar = int((low + high) / 2.0 // bar_beats)
        if high > low and count > 0 and 0 <= bar < bars:
            rough = _mean_dissonance(active[:count], times, pitch, per_class)
            sums[bar, 0] += (high - low) * rough
            sums[bar, 1] += high - low


@kernel
def class_durations(times: Array, pitch: Ints, bar_beats: float, sums: Array) -> None:
    """Add up, per bar, how long each pitch class sounds.

    Parameters
    ----------
    times, pitch
        As in `dissonance`.
    bar_beats : float
        Length of a bar.
    sums : ndarray of float64, shape (bars, 12)
        Added to.
    """
    bars = len(sums)
    for i in range(len(times)):
        low, high = max(times[i, 0], 0.0), min(times[i, 1], bars * bar_beats)
        bar = int(low / bar_beats)
        while low < high and bar < bars:
            edge = min(high, (bar + 1) * bar_beats)
            if edge > low:
                sums[bar, pitch[i] % 12] += times[i, 2] * (edge - low)
                low = edge
            bar += 1


@kernel
def syncopations(step: Ints, metre: Ints, bars: int, out: Ints) -> None:
    """Syncopation of every onset of one voice (Longuet-Higgins and Lee 1984).

    An onset is syncopated if, before the next onset, a stronger place passes without one: by the
    number of metrical levels between the two. Behind the last onset the passage begins anew.

    Parameters
    ----------
    step : ndarray of int64, shape (onsets,)
        Grid steps from the passage's start, strictly ascending.
    metre : ndarray of int64, shape (steps_per_bar,)
        Level of a step: 0 for the downbeat, negative for weaker places.
    bars : int
        Length of the passage.
    out : ndarray of int64, shape (onsets,)
        Levels, 0 for none.
    """
    steps_per_bar = len(metre)
    for i in range(len(step)):
        own = metre[step[i] % steps_per_bar]
        stop = step[i + 1] if i + 1 < len(step) else step[0] + bars * steps_per_bar
        strongest = own
        for place in range(step[i] + 1, min(stop, step[i] + steps_per_bar + 1)):
            strongest = max(strongest, metre[place % steps_per_bar])
        out[i] = strongest - own
