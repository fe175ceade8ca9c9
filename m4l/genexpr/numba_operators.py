"""The gen~ operators as numba functions; generated kernels import them.

Their meaning is that of the C++ which gen~ exports. ``isnan`` and ``fixnan`` look at the exponent's
upper ten bits, so that infinity and anything from 2^1023 up count as NaN, and ``fixdenorm`` clears
all below 2^-1021. ``min``, ``max`` and ``clamp`` return their first argument when it is NaN.
"""

# ruff: noqa: D103 - each function is the operator it is named after
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = Callable[..., Any]

_HUGE = 2.0**1023
_TINY = 2.0**-1021
_EPSILON = 2.0**-52


def _compiled(function: Function) -> Function:
    compiled: Function = njit(nogil=True, error_model="numpy")(function)
    return compiled


@_compiled
def g_truth(condition: bool) -> float:
    return 1.0 if condition else 0.0


@_compiled
def g_choose(condition: bool, yes: float, no: float) -> float:
    return yes if condition else no


@_compiled
def g_abs(x: float) -> float:
    return abs(x)


@_compiled
def g_sign(x: float) -> float:
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)


@_compiled
def g_bool(x: float) -> float:
    return 1.0 if x != 0.0 else 0.0


@_compiled
def g_negation(x: float) -> float:
    return 1.0 if x == 0.0 else 0.0


@_compiled
def g_min(x: float, y: float) -> float:
    return y if y < x else x  # noqa: FURB136 - NaN: see above


@_compiled
def g_max(x: float, y: float) -> float:
    return y if x < y else x  # noqa: FURB136 - NaN: see above


@_compiled
def g_clamp(x: float, low: float, high: float) -> float:
    return g_min(g_max(x, low), high)  # type: ignore[no-any-return]


@_compiled
def g_floor(x: float) -> float:
    return np.floor(x)  # type: ignore[no-any-return]


@_compiled
def g_ceil(x: float) -> float:
    return np.ceil(x)  # type: ignore[no-any-return]


@_compiled
def g_trunc(x: float) -> float:
    return np.trunc(x)  # type: ignore[no-any-return]


@_compiled
def g_fract(x: float) -> float:
    return x - np.trunc(x)  # type: ignore[no-any-return]


@_compiled
def g_isnan(x: float) -> float:
    return 0.0 if abs(x) < _HUGE else 1.0


@_compiled
def g_fixnan(x: float) -> float:
    return x if abs(x) < _HUGE else 0.0


@_compiled
def g_fixdenorm(x: float) -> float:
    return 0.0 if abs(x) < _TINY else x


@_compiled
def g_divide(x: float, y: float) -> float:
    return 0.0 if y == 0.0 else x / y


@_compiled
def g_pow(x: float, y: float) -> float:
    return g_fixnan(x**y)  # type: ignore[no-any-return]


@_compiled
def g_sqrt(x: float) -> float:
    return math.sqrt(x)


@_compiled
def g_exp(x: float) -> float:
    return math.exp(x)


@_compiled
def g_log(x: float) -> float:
    return math.log(x)


@_compiled
def g_log2(x: float) -> float:
    return np.log2(x)  # type: ignore[no-any-return]


@_compiled
def g_log10(x: float) -> float:
    return math.log10(x)


@_compiled
def g_sin(x: float) -> float:
    return math.sin(x)


@_compiled
def g_cos(x: float) -> float:
    return math.cos(x)


@_compiled
def g_tan(x: float) -> float:
    return math.tan(x)


@_compiled
def g_mstosamps(x: float, rate: float) -> float:
    return rate * x * 0.001


@_compiled
def g_sampstoms(x: float, rate: float) -> float:
    return 1000.0 * x / rate


@_compiled
def g_modulo(x: float, y: float) -> float:
    """Remainder with the sign of x; not exact: 10 % 3 is 1.0000000000000004, as in gen~."""
    modulus = abs(y)
    if not modulus > _EPSILON:
        return 0.0
    if abs(x) < modulus or np.isnan(x):
        return x
    if abs(x) < modulus * 2.0:
        return x + modulus if x < 0.0 else x - modulus
    quotient = x / modulus
    return (quotient - np.trunc(quotient)) * modulus  # type: ignore[no-any-return]


@_compiled
def g_wrap(x: float, a: float, b: float) -> float:
    low = g_min(a, b)
    high = g_max(a, b)
    size = high - low
    if low <= x < high:
        return x
    if size <= 1e-9:
        return low  # type: ignore[no-any-return]
    turns = np.trunc((x - low) / size)
    if x < low:
        turns -= 1.0
    wrapped = x - size * turns
    return wrapped - size if wrapped >= high else wrapped  # type: ignore[no-any-return]


@_compiled
def g_place(offset: int, length: int, channels: int, index: float, channel: float) -> int:
    """Place of a value in the array of all Data, -1 outside."""
    i = g_fixnan(np.floor(index))
    c = g_fixnan(np.floor(channel))
    if 0.0 <= i < length and 0.0 <= c < channels:
        return offset + int(c) * length + int(i)
    return -1


@_compiled
def g_peek(  # noqa: PLR0917 - called from generated code
    data: Any, offset: int, length: int, channels: int, index: float, channel: float
) -> float:
    at = g_place(offset, length, channels, index, channel)
    return 0.0 if at < 0 else float(data[at])


@_compiled
def g_poke(data: Any, at: int, value: float) -> None:
    if at >= 0:
        data[at] = value


@_compiled
def g_poke_later(pending: Any, marked: Any, dirty: Any, at: int, value: float) -> None:
    """Note a write for the end of the sample; ``dirty[-1]`` counts the noted places."""
    if at < 0:
        return
    if not marked[at]:
        marked[at] = True
        dirty[dirty[-1]] = at
        dirty[-1] += 1
    pending[at] = value


@_compiled
def g_settle(data: Any, pending: Any, marked: Any, dirty: Any) -> None:
    """Carry out the noted writes."""
    for i in range(dirty[-1]):
        at = dirty[i]
        data[at] = pending[at]
        marked[at] = False
    dirty[-1] = 0
