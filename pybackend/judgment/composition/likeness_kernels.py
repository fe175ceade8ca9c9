"""Kernels that compare a motif with every window of some lines."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pybackend.jit import kernel

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

SHORTEST_FRAGMENT = 3
EXACT, TRANSPOSED, RHYTHM, TURNED, FRAGMENT = range(5)
NONE = -1


@kernel
def _same(a: Ints, b: Ints, at: tuple[int, int, int], sign: int, back: bool) -> bool:
    """Whether ``length`` tokens of ``a`` from ``i`` are those of ``b`` from ``j``, turned."""
    i, j, length = at
    for k in range(length):
        other = b[j + length - 1 - k] if back else b[j + k]
        if a[i + k] != sign * other:
            return False
    return True


@kernel
def _proportional(a: Ints, b: Ints, at: tuple[int, int, int], back: bool) -> bool:
    """Whether gaps are the same but for one factor."""
    i, j, length = at
    first = b[j + length - 1] if back else b[j]
    for k in range(length):
        other = b[j + length - 1 - k] if back else b[j + k]
        if a[i + k] * first != other * a[i]:
            return False
    return True


@kernel
def _varied(a: Ints, i: int, length: int) -> bool:
    found = False
    for k in range(i + 1, i + length):
        found = found or a[k] != a[i]
    return found


@kernel
def _window_likeness(
    motif: tuple[Ints, Ints, int], lines: tuple[Ints, Ints, Ints], i: int, pitched: bool
) -> int:
    own, beat, note = motif
    pitch, interval, gap = lines
    at = (i, 0, len(own))
    if _same(interval, own, at, 1, False):
        if _same(gap, beat, at, 1, False):
            return EXACT if pitch[i] == note or not pitched else TRANSPOSED
        if _proportional(gap, beat, at, False):
            return TURNED
        if pitched and _varied(own, 0, len(own)):
            return RHYTHM
    if _same(interval, own, at, -1, False) and _proportional(gap, beat, at, False):
        return TURNED
    for sign in (-1, 1):
        if _same(interval, own, at, sign, True) and _proportional(gap, beat, at, True):
            return TURNED
    return NONE


@kernel
def likeness(
    motif: tuple[Ints, Ints, int],
    lines: tuple[Ints, Ints, Ints],
    drums: tuple[bool, Mask],
    out: Ints,
) -> None:
    """How much the window at every note is like a motif.

    Parameters
    ----------
    motif : tuple of ndarray of int64, ndarray of int64, int
        Intervals and gaps of its steps, and its first note.
    lines : tuple of ndarray of int64
        Pitch, interval and gap of the lines searched.
    drums : tuple of bool, ndarray of bool
        Whether the motif is one of drums, and which notes of the lines are.
    out : ndarray of int64, shape (notes,)
        Filled in: exact, transposed, another rhythm, turned or stretched, a fragment of two thirds
        at least, or -1 for no likeness.
    """
    own, beat, _ = motif
    _, interval, gap = lines
    length = len(own)
    part = max(SHORTEST_FRAGMENT, (2 * length + 2) // 3)
    n = len(gap)
    for i in range(n):
        out[i] = NONE
        reach = 0
        while reach < length and i + reach < n and gap[i + reach] >= 0:
            reach += 1
        if drums[1][i] != drums[0]:
            continue
        if reach == length:
            out[i] = _window_likeness(motif, lines, i, not drums[0])
        if out[i] == NONE and part < length and reach >= part:
            for j in range(length - part + 1):
                at = (i, j, part)
                varied = _varied(own, j, part) or _varied(beat, j, part)
                if varied and _same(interval, own, at, 1, False) and _same(gap, beat, at, 1, False):
                    out[i] = FRAGMENT
                    break
