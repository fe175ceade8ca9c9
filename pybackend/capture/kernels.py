"""Compiled loops over frames; import this module only where they are about to run."""

# ruff: noqa: PLR0912, PLR0917 -- a kernel takes plain arrays, and its loops are its outline.

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pybackend.jit import kernel

Array = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

COVERED_ROW = 0.98
"""Share of a grid row that valid frames must cover; the rest is rounding of positions."""
ROUNDING = 1e-9
"""Share of a bar or grid row below which an overlap is rounding."""


@kernel
def bar_pieces(
    start: Array, end: Array, run: Ints, valid: Bools, bar_beats: float
) -> tuple[Ints, Ints, Ints, Array]:
    """Cut runs into bars.

    Parameters
    ----------
    start, end : ndarray of float64, shape (n,)
        Position of each frame, in quarter notes, ascending within a run.
    run : ndarray of int64, shape (n,)
        Run of each frame.
    valid : ndarray of bool, shape (n,)
        Frames that count.
    bar_beats : float
        Length of a bar in quarter notes, longer than a frame.

    Returns
    -------
    bar, first, last : ndarray of int64, shape (pieces,)
        Number of the bar since position 0, and the first and last frame that reach into it.
    covered : ndarray of float64, shape (pieces,)
        Share of the bar that valid frames cover.
    """
    most = 3 * len(start)
    bar = np.empty(most, np.int64)
    first = np.empty(most, np.int64)
    last = np.empty(most, np.int64)
    covered = np.zeros(most)
    piece = -1
    open_run = np.int64(-1)
    for i in range(len(start)):
        if not valid[i]:
            continue
        low = math.floor(start[i] / bar_beats)
        high = min(low + 2, math.ceil(end[i] / bar_beats) - 1)
        for number in range(low, high + 1):
            share = min(end[i] / bar_beats, number + 1.0) - max(start[i] / bar_beats, number)
            if share < ROUNDING:
                continue
            if piece < 0 or run[i] != open_run or number > bar[piece]:
                piece += 1
                open_run = run[i]
                bar[piece] = number
                first[piece] = i
            elif number < bar[piece]:
                continue
            covered[piece] += share
            last[piece] = i
    count = piece + 1
    return bar[:count], first[:count], last[:count], covered[:count]


@kernel
def overlap_rows(
    values: Array,
    powers: Array,
    start: Array,
    end: Array,
    valid: Bools,
    origin: Array,
    first: Ints,
    last: Ints,
    rows_per_bar: int,
    row_beats: float,
    summed: Ints,
    loud: Ints,
    largest: Ints,
    out: Array,
    out_valid: Bools,
) -> None:
    """Lay one capture's frames over a grid of rows, in place.

    A mean square is additive over time, so a row's is the mean of those of the frames that overlap
    it, weighted by the length of the overlap: no power is lost or counted twice.

    Parameters
    ----------
    values : ndarray of float64, shape (n, width)
        Frame rows.
    powers : ndarray of float64, shape (n, len(loud))
        The columns ``loud`` as powers instead of LUFS.
    start, end : ndarray of float64, shape (n,)
        Position of each frame, in quarter notes.
    valid : ndarray of bool, shape (n,)
        Frames that may be used.
    origin : ndarray of float64, shape (bars,)
        Position at which each bar starts in this capture.
    first, last : ndarray of int64, shape (bars,)
        Frames that reach into each bar.
    rows_per_bar : int
        Grid rows in a bar.
    row_beats : float
        Length of a row in quarter notes.
    summed : ndarray of int64, shape (blocks, 2)
        First column and end of each block of columns that is weighted by overlap.
    loud, largest : ndarray of int64
        Columns that are weighted as powers and returned in LUFS; and whose largest value is taken
        of the frames whose middle lies in the row. All other columns are copied from the frame
        with the largest overlap.
    out : ndarray of float64, shape (bars * rows_per_bar, width)
        Receives the rows; NaN where the capture lacks one.
    out_valid : ndarray of bool, shape (bars * rows_per_bar,)
        Receives whether valid frames cover the row.
    """
    for bar in range(len(origin)):
        at = first[bar]
        for k in range(rows_per_bar):
            row = bar * rows_per_bar + k
            low = origin[bar] + k * row_beats
            high = origin[bar] + (k + 1) * row_beats
            while at < last[bar] and end[at] <= low:
                at += 1
            total = 0.0
            stop = at
            most, most_overlap = at, 0.0
            while stop <= last[bar] and start[stop] < high:
                overlap = min(end[stop], high) - max(start[stop], low)
                if valid[stop] and overlap > ROUNDING * row_beats:
                    total += overlap
                    if overlap > most_overlap:
                        most, most_overlap = stop, overlap
                stop += 1
            if total < COVERED_ROW * row_beats:
                out[row] = np.nan
                out_valid[row] = False
                continue
            out_valid[row] = True
            out[row] = values[most]
            for block in range(len(summed)):
                out[row, summed[block, 0] : summed[block, 1]] = 0.0
            for c in loud:
                out[row, c] = 0.0
            claimed = False
            for i in range(at, stop):
                overlap = min(end[i], high) - max(start[i], low)
                if not valid[i] or overlap <= ROUNDING * row_beats:
                    continue
                weight = overlap / total
                for block in range(len(summed)):
                    for c in range(summed[block, 0], summed[block, 1]):
                        out[row, c] += weight * values[i, c]
                for j in range(len(loud)):
                    out[row, loud[j]] += weight * powers[i, j]
                middle = 0.5 * (start[i] + end[i])
                if low <= middle < high:
                    for c in largest:
                        out[row, c] = max(out[row, c], values[i, c]) if claimed else values[i, c]
                    claimed = True
            for c in loud:
                out[row, c] = 10.0 * math.log10(out[row, c])


@kernel
def rises(
    values: Array, follows: Bools, columns: Ints, floor: float, out: Array, onset: Array
) -> None:
    """Rise of each band's level from frame to frame, in place; 0 where the one before is missing.

    Parameters
    ----------
    values : ndarray of float64, shape (n, width)
        Frame rows.
    follows : ndarray of bool, shape (n,)
        Whether this frame and the one right before it may be used.
    columns : ndarray of int64
        Columns that hold powers.
    floor : float
        Power that is added before the logarithm is taken.
    out : ndarray of float64, shape (n, len(columns))
        Receives the rises in natural-log units, with mean 0 over the frames that have one.
    onset : ndarray of float64, shape (n,)
        Receives each frame's share in the upward rises of its bands; the sum is the count of bands
        that rise at all.
    """
    out[:] = 0.0
    onset[:] = 0.0
    for j in range(len(columns)):
        c = columns[j]
        mean, count = 0.0, 0
        before = 0.0
        for i in range(len(follows)):
            now = math.log(values[i, c] + floor)
            if follows[i]:
                out[i, j] = now - before
                mean += now - before
                count += 1
            before = now
        upward = 0.0
        for i in range(len(follows)):
            if follows[i]:
                out[i, j] -= mean / count
                upward += max(0.0, out[i, j]) ** 2
        if upward > 0.0:
            for i in range(len(follows)):
                onset[i] += max(0.0, out[i, j]) ** 2 / upward


@kernel
def likeness(
    x: Array, y: Array, at_x: Ints, seq_at: Ints, seq_y: Ints, reach: int, quiet: float, out: Array
) -> None:
    """Normalised cross-correlation per band, averaged over the bands that move, in place.

    Parameters
    ----------
    x, y : ndarray of float64, shape (frames, bands)
        Rises of two captures; 0 where a frame does not count.
    at_x : ndarray of int64, shape (n,)
        Frames of ``x``.
    seq_at : ndarray of int64, shape (n,)
        Frame counter of ``y`` at the same song positions.
    seq_y : ndarray of int64, shape (frames of y,)
        Frame counter of each frame of ``y``, ascending.
    reach : int
        Largest shift in frames.
    quiet : float
        Root mean square of the rises below which a band counts as steady and is left out.
    out : ndarray of float64, shape (2 * reach + 1,)
        Receives the correlation of ``x`` with ``y`` ``shift`` frames later, for shifts from
        ``-reach`` to ``reach``; between -1 and 1.
    """
    out[:] = 0.0
    bands = x.shape[1]
    weight = np.zeros(bands)
    moving = 0
    for j in range(bands):
        xx, yy = 0.0, 0.0
        for i in range(len(x)):
            xx += x[i, j] * x[i, j]
        for i in range(len(y)):
            yy += y[i, j] * y[i, j]
        if min(xx, yy) > quiet * quiet * max(1, len(at_x)):
            weight[j] = 1.0 / math.sqrt(xx * yy)
            moving += 1
    if moving == 0:
        return
    for shift in range(-reach, reach + 1):
        total = 0.0
        k = 0
        for n in range(len(at_x)):
            seq = seq_at[n] + shift
            # The next frame is nearly always the one after the last.
            while k > 0 and seq_y[k] > seq:
                k -= 1
            while k < len(seq_y) - 1 and seq_y[k] < seq:
                k += 1
            if seq_y[k] != seq:
                continue
            for j in range(bands):
                total += weight[j] * x[at_x[n], j] * y[k, j]
        out[shift + reach] = total / moving
