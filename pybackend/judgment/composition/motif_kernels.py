"""Kernels of the motif search: classes of windows, how surprising they are, and chance alone.

A window of ``length`` steps from one note to the next is a pair of tokens per step: the interval
and the gap. Its class is the same under transposition, inversion, retrograde and augmentation.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pybackend.jit import kernel

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

LENGTHS = (3, 4, 5, 6, 7, 8, 12, 16)
"""Steps of the windows; rhythms of few different gaps need long ones to be told from chance."""
MAX_GAP = 2048
PRIME = 1099511628211
"""Multiplier of the FNV-1a hash; products wrap around in 64 bits."""


@kernel
def _divisor(gap: Ints, start: int, length: int) -> int:
    found = 0
    for k in range(start, start + length):
        a, b = found, gap[k]
        while b:
            a, b = b, a % b
        found = a
    return found


@kernel
def _hash(interval: Ints, gap: Ints, window: tuple[int, int, int], sign: int, back: bool) -> int:
    start, length, unit = window
    key = 1469598103934665603 + length
    for k in range(length):
        at = start + length - 1 - k if back else start + k
        key = (key ^ (sign * interval[at] + 200)) * PRIME
        key = (key ^ (gap[at] // unit)) * PRIME
        key ^= key >> 29
    return key


@kernel
def class_keys(interval: Ints, gap: Ints, drums: Mask, length: int, keys: Ints) -> None:
    """Class of the window at every note; 0 where there is none.

    Windows that cross a break, and windows whose steps are all alike (a repeated note, a scale, a
    pulse), are none.

    Parameters
    ----------
    interval, gap : ndarray of int64, shape (notes,)
        As in `Lines`.
    drums : ndarray of bool, shape (notes,)
        Lines of drums are classes of their own.
    length : int
        Steps of a window.
    keys : ndarray of int64, shape (notes,)
        Filled in.
    """
    n = len(gap)
    for i in range(n):
        keys[i] = 0
        if i + length > n:
            continue
        whole, alike = True, True
        for k in range(i, i + length):
            if gap[k] < 0:
                whole = False
                break
            if gap[k] != gap[i] or interval[k] != interval[i]:
                alike = False
        if not whole or alike:
            continue
        window = (i, length, _divisor(gap, i, length))
        best = _hash(interval, gap, window, 1, False)
        best = min(best, _hash(interval, gap, window, 1, True))
        best = min(best, _hash(interval, gap, window, -1, False))
        best = min(best, _hash(interval, gap, window, -1, True))
        # The last bit says which lines it belongs to, and that it is a class at all.
        keys[i] = (best | 3) if drums[i] else (best & ~1) | 2


@kernel
def _step_logs(interval: Ints, gap: Ints, offsets: Ints, counts: Ints, logs: Array) -> None:
    """Log-probability of every step if the intervals and gaps of its line came at random."""
    half = len(counts) // 2
    for v in range(len(offsets) - 1):
        low, high = offsets[v], offsets[v + 1]
        total = 0
        for i in range(low, high):
            if gap[i] >= 0:
                counts[interval[i] + 128] += 1
                counts[half + min(gap[i], half - 1)] += 1
                total += 1
        for i in range(low, high):
            logs[i] = 0.0
            if gap[i] >= 0:
                own = counts[interval[i] + 128] / total * counts[half + min(gap[i], half - 1)]
                logs[i] = math.log(own / total)
        for i in range(low, high):
            if gap[i] >= 0:
                counts[interval[i] + 128] = 0
                counts[half + min(gap[i], half - 1)] = 0


@kernel
def _surprise(keys: Ints, line: Ints, logs: Array, length: int, out: Array) -> float:
    """Surprise of every window's class: likelihood ratio of its count against chance.

    Windows that overlap count too, as a figure that repeats at once does; what chance expects is
    the sum over the lines in which the class occurs. Returns the largest.
    """
    n = len(keys)
    windows = np.zeros(line[n - 1] + 1 if n else 1, np.int64)
    for i in range(n):
        out[i] = 0.0
        if keys[i] != 0:
            windows[line[i]] += 1
    order = np.argsort(keys, kind="mergesort")
    largest = 0.0
    first = 0
    while first < n:
        last = first
        while last < n and keys[order[last]] == keys[order[first]]:
            last += 1
        if keys[order[first]] != 0 and last - first > 1:
            count, expected = last - first, 0.0
            voice, chance, seen = -1, 0.0, 0
            for r in range(first, last):
                i = order[r]
                if line[i] != voice:
                    if seen:
                        expected += windows[voice] * chance / seen
                    voice, chance, seen = line[i], 0.0, 0
                log = 0.0
                for k in range(i, i + length):
                    log += logs[k]
                chance += math.exp(log)
                seen += 1
            expected += windows[voice] * chance / seen
            # A rhythm has two forms, a melody four, and they are one class.
            forms = 2.0 if keys[order[first]] & 1 else 4.0
            expected = max(forms * expected, 1e-12)
            if count > expected:
                ratio = count * math.log(count / expected) - (count - expected)
                largest = max(largest, ratio)
                for r in range(first, last):
                    out[order[r]] = ratio
        first = last
    return largest


@kernel
def surprises(
    interval: Ints, gap: Ints, drums: Mask, offsets: Ints, found: tuple[Ints, Array]
) -> None:
    """Class and surprise of every window of every length.

    Parameters
    ----------
    interval, gap, drums, offsets
        As in `Lines`.
    found : tuple of ndarray, shapes (lengths, notes)
        Keys (int64) and surprises (float64), filled in; rows in the order of `LENGTHS`.
    """
    keys, ratios = found
    n = len(gap)
    logs = np.zeros(n)
    line = np.zeros(n, np.int64)
    for v in range(len(offsets) - 1):
        line[offsets[v] : offsets[v + 1]] = v
    _step_logs(interval, gap, offsets, np.zeros(2 * MAX_GAP, np.int64), logs)
    for row, length in enumerate(LENGTHS):
        class_keys(interval, gap, drums, length, keys[row])
        _surprise(keys[row], line, logs, length, ratios[row])


@kernel
def _random(state: Ints) -> int:
    """Next number of a xorshift generator (Marsaglia 2003), 0 or more."""
    x: int = state[0]
    x ^= x << 13
    x ^= (x >> 7) & 0x1FFFFFFFFFFFFFF
    x ^= x << 17
    state[0] = x
    return x & 0x7FFFFFFFFFFFFFFF


@kernel
def _shuffle(values: Ints, low: int, high: int, state: Ints) -> None:
    for i in range(high - 1, low, -1):
        j = low + _random(state) % (i - low + 1)
        values[i], values[j] = values[j], values[i]


@kernel
def null_maxima(pitch: Ints, gap: Ints, drums: Mask, offsets: Ints, maxima: Array) -> None:
    """Largest surprise in lines whose order is left to chance.

    Gaps are shuffled within each line, and so are either the pitches or the intervals: the first is
    right for notes drawn at random, the second for melodies that move in small steps.

    Parameters
    ----------
    pitch, gap, drums, offsets
        As in `Lines`.
    maxima : ndarray of float64, shape (2, rounds)
        Filled in: with shuffled pitches, and with shuffled intervals.
    """
    n = len(gap)
    state = np.array([88172645463325252])
    keys, ratios = np.zeros((len(LENGTHS), n), np.int64), np.zeros((len(LENGTHS), n))
    for way in range(2):
        for r in range(maxima.shape[1]):
            gaps = gap.copy()
            pitches = pitch.copy()
            intervals = np.zeros(n, np.int64)
            for v in range(len(offsets) - 1):
                low, high = offsets[v], offsets[v + 1]
                # The last gap of a line is none and stays where it is.
                _shuffle(gaps, low, high - 1, state)
                if way == 0:
                    _shuffle(pitches, low, high, state)
                for i in range(low, high - 1):
                    intervals[i] = pitches[i + 1] - pitches[i]
                if way == 1:
                    _shuffle(intervals, low, high - 1, state)
            surprises(intervals, gaps, drums, offsets, (keys, ratios))
            maxima[way, r] = ratios.max() if n else 0.0
