"""Filters and sums over a block of eight lanes, in vectors.

A block is an array of shape (TAPS + BLOCK, 2, LANES): the last TAPS samples before it, then its
own, left and right, lane by lane. Sums are of shape (count, LANES) and grow in time order, so that
they do not depend on how a sub-block was cut into blocks. Helpers that return vectors are inlined
by numba: each function that it compiles apart costs a tenth of a second of a cold start.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import njit

from pybackend.jit import kernel
from pybackend.metering.design import TRUE_PEAK_TAPS
from pybackend.metering.simd import (
    is_beyond,
    larger,
    load,
    magnitude,
    multiply_add,
    splat,
    store,
    total,
    unless_beyond,
)

Array = npt.NDArray[np.float64]

TAPS: Final = TRUE_PEAK_TAPS
DELAY: Final = TAPS // 2
BLOCK: Final = 160
"""Two blocks of eight lanes fit into a first-level cache."""
LARGEST: Final = float(np.finfo(np.float32).max)
"""A sample beyond float32's range counts as infinite; squares of all others are finite."""
TINY: Final = 1e-30
"""Filter states below this (-600 dB) become 0: denormal arithmetic in silence is slow."""


@kernel
def clean(x: Array, n: int, counts: Array) -> None:
    """Samples that are not finite become 0 and are counted, per channel."""
    limit = splat(LARGEST)
    bad_l, bad_r = splat(0.0), splat(0.0)
    for t in range(TAPS, TAPS + n):
        bad_l = bad_l + is_beyond(load(x, 2 * t), limit)
        bad_r = bad_r + is_beyond(load(x, 2 * t + 1), limit)
    if total(bad_l + bad_r) == 0.0:
        return
    store(counts, 0, load(counts, 0) + bad_l)
    store(counts, 1, load(counts, 1) + bad_r)
    for i in range(2 * TAPS, 2 * (TAPS + n)):
        store(x, i, unless_beyond(load(x, i), limit))


@kernel
def add_powers(x: Array, n: int, sums: Array) -> None:
    """Sums of L^2, R^2 and L * R."""
    ll, rr, lr = load(sums, 0), load(sums, 1), load(sums, 2)
    for t in range(TAPS, TAPS + n):
        left, right = load(x, 2 * t), load(x, 2 * t + 1)
        ll = multiply_add(left, left, ll)
        rr = multiply_add(right, right, rr)
        lr = multiply_add(left, right, lr)
    store(sums, 0, ll)
    store(sums, 1, rr)
    store(sums, 2, lr)


@kernel
def add_peaks(x: Array, n: int, bank: Array, maxima: Array) -> None:
    """Largest magnitudes of left and right, of the samples and then of the interpolated stream.

    ``bank``, shape (3, TAPS), holds the phases between the samples; the phase on the samples is the
    signal DELAY samples ago.
    """
    peak_l, peak_r, true_l, true_r = (
        load(maxima, 0),
        load(maxima, 1),
        load(maxima, 2),
        load(maxima, 3),
    )
    zero = splat(0.0)
    for t in range(TAPS, TAPS + n):
        peak_l = larger(peak_l, magnitude(load(x, 2 * t)))
        peak_r = larger(peak_r, magnitude(load(x, 2 * t + 1)))
        true_l = larger(true_l, magnitude(load(x, 2 * (t - DELAY))))
        true_r = larger(true_r, magnitude(load(x, 2 * (t - DELAY) + 1)))
        l1, l2, l3, r1, r2, r3 = zero, zero, zero, zero, zero, zero
        for tap in range(TAPS):
            left, right = load(x, 2 * (t - tap)), load(x, 2 * (t - tap) + 1)
            w1, w2, w3 = splat(bank[0, tap]), splat(bank[1, tap]), splat(bank[2, tap])
            l1, r1 = multiply_add(w1, left, l1), multiply_add(w1, right, r1)
            l2, r2 = multiply_add(w2, left, l2), multiply_add(w2, right, r2)
            l3, r3 = multiply_add(w3, left, l3), multiply_add(w3, right, r3)
        true_l = larger(larger(larger(true_l, magnitude(l1)), magnitude(l2)), magnitude(l3))
        true_r = larger(larger(larger(true_r, magnitude(r1)), magnitude(r2)), magnitude(r3))
    store(maxima, 0, peak_l)
    store(maxima, 1, peak_r)
    store(maxima, 2, true_l)
    store(maxima, 3, true_r)


@njit(inline="always")
def _store_all(array: Array, first: int, vectors: Any) -> None:
    for i, vector in enumerate(vectors):
        store(array, first + i, vector)


@njit(inline="always")
def _load_4(array: Array, i: int) -> Any:
    return load(array, i), load(array, i + 1), load(array, i + 2), load(array, i + 3)


@njit(inline="always")
def _weigh(v: Any, k: Any, state: Any) -> Any:
    """K-weight one sample: shelf, then high-pass, both in transposed direct form II."""
    s0, s1, s2, s3 = state
    y = multiply_add(k[0], v, s0)
    # What depends on y comes last: the shortest chain from one sample to the next.
    s0 = multiply_add(k[3], y, multiply_add(k[1], v, s1))
    s1 = multiply_add(k[4], y, k[2] * v)
    z = y + s2
    s2 = multiply_add(k[5], z, s3 - (y + y))
    s3 = multiply_add(k[6], z, y)
    return z, (s0, s1, s2, s3)


@kernel
def add_k_energy(x: Array, n: int, k: Array, state: Array, sums: Array) -> None:
    """Sums of squares of left and right after K-weighting.

    ``k``, shape (7,), holds b0 b1 b2 a1 a2 of the shelf and a1 a2 of the high-pass.
    """
    c = (
        splat(k[0]), splat(k[1]), splat(k[2]),
        splat(-k[3]), splat(-k[4]), splat(-k[5]), splat(-k[6]),
    )  # fmt: skip
    left, right = _load_4(state, 0), _load_4(state, 4)
    sum_l, sum_r = load(sums, 0), load(sums, 1)
    for t in range(TAPS, TAPS + n):
        z, left = _weigh(load(x, 2 * t), c, left)
        sum_l = multiply_add(z, z, sum_l)
        z, right = _weigh(load(x, 2 * t + 1), c, right)
        sum_r = multiply_add(z, z, sum_r)
    _store_all(state, 0, left)
    _store_all(state, 4, right)
    store(sums, 0, sum_l)
    store(sums, 1, sum_r)


@njit(inline="always")
def _second_order(v: Any, a1: Any, a2: Any, s1: Any, s2: Any) -> Any:
    """Allpass in transposed direct form II: the numerator mirrors the denominator."""
    y = multiply_add(a2, v, s1)
    return y, multiply_add(a1, v - y, s2), v - a2 * y


@njit(inline="always")
def _branches(v: Any, k: Any, state: Any) -> Any:
    """Outputs of the two allpass branches of a split, and the new states."""
    s0, s1, s2, s3, s4, s5, s6 = state
    u = multiply_add(k[0], v, s0)
    s0 = v - k[0] * u
    a0, s1, s2 = _second_order(u, k[1], k[2], s1, s2)
    w, s3, s4 = _second_order(v, k[3], k[4], s3, s4)
    a1, s5, s6 = _second_order(w, k[5], k[6], s5, s6)
    return a0, a1, (s0, s1, s2, s3, s4, s5, s6)


@njit(inline="always")
def _load_7(array: Array, i: int) -> Any:
    return (
        load(array, i), load(array, i + 1), load(array, i + 2), load(array, i + 3),
        load(array, i + 4), load(array, i + 5), load(array, i + 6),
    )  # fmt: skip


@kernel
def split_off(y: Array, n: int, k: Array, state: Array, sums: Array) -> None:
    """Take one band off ``y`` into sums of L^2, R^2 and L * R; what is above it stays.

    ``k``, shape (7,), holds the coefficients of a `design.Split` in order. Both outputs are twice
    as large as there.
    """
    c = (splat(k[0]), splat(k[1]), splat(k[2]), splat(k[3]), splat(k[4]), splat(k[5]), splat(k[6]))
    state_l, state_r = _load_7(state, 0), _load_7(state, 7)
    ll, rr, lr = load(sums, 0), load(sums, 1), load(sums, 2)
    for t in range(TAPS, TAPS + n):
        a0, a1, state_l = _branches(load(y, 2 * t), c, state_l)
        store(y, 2 * t, a1 - a0)
        left = a0 + a1
        a0, a1, state_r = _branches(load(y, 2 * t + 1), c, state_r)
        store(y, 2 * t + 1, a1 - a0)
        right = a0 + a1
        ll = multiply_add(left, left, ll)
        rr = multiply_add(right, right, rr)
        lr = multiply_add(left, right, lr)
    _store_all(state, 0, state_l)
    _store_all(state, 7, state_r)
    store(sums, 0, ll)
    store(sums, 1, rr)
    store(sums, 2, lr)


@kernel
def flush(state: Array) -> None:
    """Set states below TINY to 0."""
    flat = state.reshape(-1)
    for i in range(flat.size):
        flat[i] = 0.0 if abs(flat[i]) < TINY else flat[i]
