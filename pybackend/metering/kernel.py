"""The sample-rate loop: PCM in, one row of sums per 10 ms sub-block out.

Eight *lanes* run through the same instructions at once. A lane is a stereo stream: the
whole-signal meter gives each its own segment of the signal, and the streaming meter, which has but
one stream, gives all of them the same. So both run the same machine code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from pybackend.jit import kernel
from pybackend.metering.columns import BAD, BAND, COLUMNS, FULL, K_ENERGY, PEAK, SPLITS
from pybackend.metering.filters import (
    BLOCK,
    TAPS,
    add_k_energy,
    add_peaks,
    add_powers,
    clean,
    flush,
    split_off,
)
from pybackend.metering.simd import LANES, gather, load, splat, store

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Signal(NamedTuple):
    """Float32 or float64 PCM, shape (samples, channels), C-contiguous, and which channels to read.

    -1 as ``right`` stands for silence.
    """

    pcm: npt.NDArray[np.float32 | np.float64]
    left: int
    right: int


class Run(NamedTuple):
    """How far all lanes run.

    ``starts``, shape (LANES,), is where each lane's first sample stands in the signal; outside of
    it there is silence. Every lane runs ``samples`` on, and its first ``skip`` rows are not kept.
    """

    starts: Ints
    samples: int
    skip: int


class Coefficients(NamedTuple):
    """Sample rate in Hz; K-weighting, shape (7,); splits, (n, 7); true-peak phases, (3, TAPS)."""

    rate: int
    k: Array
    splits: Array
    bank: Array


class State(NamedTuple):
    """All that the kernel remembers.

    ``clock`` holds the index of the current sub-block and the samples since the stream's start.
    Filter states are (8, LANES) and (SPLITS, 14, LANES), running sums (COLUMNS, LANES). The two
    blocks are (TAPS + BLOCK, 2, LANES); the first begins with the last TAPS samples.
    """

    clock: Ints
    k: Array
    tree: Array
    sums: Array
    x: Array
    y: Array


def at_rest() -> State:
    """State before the first sample."""
    return State(
        np.zeros(2, np.int64),
        np.zeros((8, LANES)),
        np.zeros((SPLITS, 14, LANES)),
        np.zeros((COLUMNS, LANES)),
        np.zeros((TAPS + BLOCK, 2, LANES)),
        np.zeros((TAPS + BLOCK, 2, LANES)),
    )


@kernel
def sub_block_end(index: int, sample_rate_hz: int) -> int:
    """`design.sub_block_end`, compiled."""
    return ((index + 1) * sample_rate_hz + 50) // 100


@njit(inline="always")
def _gather_edge(signal: Signal, at: Ints, n: int, x: Array) -> None:
    """`_gather` where a lane reaches beyond an end of the signal."""
    pcm, left, right = signal
    for lane in range(LANES):
        for t in range(n):
            i = at[lane] + t
            inside = 0 <= i < len(pcm)
            x[TAPS + t, 0, lane] = pcm[i, left] if inside else 0.0
            x[TAPS + t, 1, lane] = pcm[i, right] if inside and right >= 0 else 0.0


@kernel
def _gather(signal: Signal, at: Ints, n: int, x: Array) -> None:
    """Next ``n`` samples of every lane into ``x``."""
    pcm, left, right = signal
    for lane in range(LANES):
        if at[lane] < 0 or at[lane] + n > len(pcm):
            _gather_edge(signal, at, n, x)
            return
    stride = pcm.shape[1]
    first = (
        at[0] * stride, at[1] * stride, at[2] * stride, at[3] * stride,
        at[4] * stride, at[5] * stride, at[6] * stride, at[7] * stride,
    )  # fmt: skip
    for t in range(n):
        store(x, 2 * (TAPS + t), gather(pcm, first, t * stride + left))
        other = gather(pcm, first, t * stride + right) if right >= 0 else splat(0.0)
        store(x, 2 * (TAPS + t) + 1, other)


@njit(inline="always")
def _take(signal: Signal, at: Ints, n: int, state: State) -> None:
    """Next ``n`` samples of every lane into the block ``x``, cleaned, and move the lanes on."""
    _gather(signal, at, n, state.x)
    clean(state.x, n, state.sums[BAD : BAD + 2])
    for lane in range(LANES):
        at[lane] += n
    state.clock[1] += n


@njit(inline="always")
def _keep_history(x: Array, n: int) -> None:
    for i in range(2 * TAPS):
        store(x, i, load(x, i + 2 * n))


@njit(inline="always")
def _write_row(sums: Array, splits: int, row: Array) -> None:
    """Hand a finished row to each lane, shape (LANES, COLUMNS), and start the next.

    Splits leave out the factor 1/2: after split ``j`` signals are ``2 ** (j + 1)`` times too large,
    which is undone here, exactly.
    """
    scale = 1.0
    for column in range(COLUMNS):
        if column == FULL:
            scale = 1.0
        elif column % 3 == BAND and column < 3 * splits:
            scale *= 0.25
        for lane in range(LANES):
            row[lane, column] = scale * sums[column, lane]
            sums[column, lane] = 0.0


@kernel
def advance(signal: Signal, run: Run, coefficients: Coefficients, state: State, rows: Array) -> int:
    """Run all lanes on, as far as ``run`` says.

    Parameters
    ----------
    signal, run, coefficients : Signal, Run, Coefficients
        What is read, where, and with which filters.
    state : State
        Is carried on.
    rows : ndarray of float64, shape (LANES, rows, COLUMNS)
        Filled with a row per completed sub-block; one is needed as scratch even if none is kept.

    Returns
    -------
    int
        Count of rows that were kept, per lane.
    """
    clock, sums, x, y = state.clock, state.sums, state.x, state.y
    splits = len(coefficients.splits)
    at = run.starts.copy()
    last = clock[1] + run.samples
    count = -run.skip
    while clock[1] < last:
        end = sub_block_end(clock[0], coefficients.rate)
        n = min(last - clock[1], end - clock[1], BLOCK)
        _take(signal, at, n, state)
        add_powers(x, n, sums[FULL : FULL + 3])
        add_peaks(x, n, coefficients.bank, sums[PEAK : PEAK + 4])
        add_k_energy(x, n, coefficients.k, state.k, sums[K_ENERGY : K_ENERGY + 2])
        for i in range(2 * TAPS, 2 * (TAPS + n)):
            store(y, i, load(x, i))
        for j in range(splits):
            band = BAND + 3 * j
            split_off(y, n, coefficients.splits[j], state.tree[j], sums[band : band + 3])
        add_powers(y, n, sums[BAND + 3 * splits : BAND + 3 * splits + 3])
        _keep_history(x, n)
        if clock[1] == end:
            _write_row(sums, splits, rows[:, max(count, 0)])
            count += 1
            clock[0] += 1
            flush(state.k)
            flush(state.tree)
    return max(count, 0)


@kernel
def k_energies(
    signal: Signal, run: Run, coefficients: Coefficients, state: State, rows: Array
) -> None:
    """`advance` with K-weighting alone.

    ``rows``, shape (LANES, rows, 4), becomes the K-weighted energy of left and right per sub-block,
    and the counts of their samples that are not finite.
    """
    clock, sums = state.clock, state.sums
    at = run.starts.copy()
    last = clock[1] + run.samples
    while clock[1] < last:
        end = sub_block_end(clock[0], coefficients.rate)
        n = min(last - clock[1], end - clock[1], BLOCK)
        _take(signal, at, n, state)
        add_k_energy(state.x, n, coefficients.k, state.k, sums[K_ENERGY : K_ENERGY + 2])
        if clock[1] == end:
            for i in range(4):
                if clock[0] >= run.skip:
                    for lane in range(LANES):
                        rows[lane, clock[0] - run.skip, i] = sums[K_ENERGY + i, lane]
                store(sums, K_ENERGY + i, splat(0.0))
            clock[0] += 1
            flush(state.k)


@kernel
def peaks(signal: Signal, run: Run, coefficients: Coefficients, state: State) -> None:
    """`advance` with peaks alone, which stay in the sums."""
    at = run.starts.copy()
    last = state.clock[1] + run.samples
    while state.clock[1] < last:
        n = min(last - state.clock[1], BLOCK)
        _take(signal, at, n, state)
        add_peaks(state.x, n, coefficients.bank, state.sums[PEAK : PEAK + 4])
        _keep_history(state.x, n)
