"""Student's t and Fisher's F: tails and quantiles, with the standard library only.

Sources: NIST DLMF 8.17.22 (continued fraction of the incomplete beta function, evaluated by Lentz'
method) and 8.17.4 (its symmetry); the t and F distributions as incomplete beta functions are
Abramowitz and Stegun 26.7.1 and 26.6.2. scipy has the same functions, but importing it costs
more than judging does.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

_TINY: Final = 1e-300
_EPSILON: Final = 1e-16
_MAX_TERMS: Final = 2000
_MAX_STEPS: Final = 100


def _continued_fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, _MAX_TERMS):
        for coefficient in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 + coefficient * d
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = 1.0 + coefficient / c
            c = c if abs(c) > _TINY else _TINY
            step = c * d
            value *= step
        if abs(step - 1.0) < _EPSILON:
            break
    return value


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function I_x(a, b).

    Parameters
    ----------
    a, b : float
        Positive shape parameters.
    x : float
        Between 0 and 1.

    Returns
    -------
    float
        Between 0 and 1; relative error about 1e-13 for shapes up to a few thousand.
    """
    if not (a > 0.0 and b > 0.0 and 0.0 <= x <= 1.0):
        raise ValueError(f"incomplete beta needs a, b > 0 and x in 0..1, got {a}, {b}, {x}")
    if x in (0.0, 1.0):
        return x
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x <= (a + 1.0) / (a + b + 2.0):
        return front * _continued_fraction(a, b, x) / a
    return 1.0 - front * _continued_fraction(b, a, 1.0 - x) / b


def t_upper_tail(t: float, df: float) -> float:
    """Probability that a t-distributed value with ``df`` degrees of freedom exceeds ``t``."""
    if not df > 0.0:
        raise ValueError(f"degrees of freedom must be positive, got {df}")
    if t < 0.0:
        return 1.0 - t_upper_tail(-t, df)
    square = t * t
    if square < df:
        # x would be close to 1, where 1 - x is known better than x.
        return 0.5 - 0.5 * incomplete_beta(0.5, df / 2.0, square / (df + square))
    return 0.5 * incomplete_beta(df / 2.0, 0.5, df / (df + square))


def _density(t: float, df: float) -> float:
    log_norm = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    return math.exp(log_norm - (df + 1) / 2 * math.log1p(t * t / df))


@lru_cache(maxsize=4096)
def t_quantile(probability: float, df: float) -> float:
    """Value that a t-distributed variable stays below with ``probability``.

    Parameters
    ----------
    probability : float
        Strictly between 0 and 1.
    df : float
        Degrees of freedom, positive.

    Returns
    -------
    float
        Exact to about 1e-12 relative.
    """
    if not 0.0 < probability < 1.0:
        raise ValueError(f"a quantile needs a probability between 0 and 1, got {probability}")
    if probability < 0.5:
        return -t_quantile(1.0 - probability, df)
    if probability == 0.5:
        return 0.0
    tail = 1.0 - probability
    low, high = 0.0, 1.0
    while t_upper_tail(high, df) > tail:
        low, high = high, high * 2.0
    t = min(max(NormalDist().inv_cdf(probability), low), high)
    for _ in range(_MAX_STEPS):
        excess = t_upper_tail(t, df) - tail
        if excess > 0.0:
            low = t
        else:
            high = t
        step = t + excess / _density(t, df)
        # Newton leaves the bracket only where the tail is flat; halving is safe there.
        step = step if low < step < high else 0.5 * (low + high)
        if abs(step - t) <= 1e-14 * max(1.0, abs(t)):
            return step
        t = step
    return t


def f_upper_tail(f: float, df_between: float, df_within: float) -> float:
    """Probability that a ratio of two mean squares exceeds ``f`` if both estimate one variance."""
    if not (f >= 0.0 and df_between > 0.0 and df_within > 0.0):
        raise ValueError(f"F needs f >= 0 and positive df, got {f}, {df_between}, {df_within}")
    x = df_within / (df_within + df_between * f)
    return incomplete_beta(df_within / 2.0, df_between / 2.0, x)


@lru_cache(maxsize=1024)
def f_quantile(probability: float, df_between: float, df_within: float) -> float:
    """Value that a ratio of two mean squares stays below with ``probability``; exact to 1e-9."""
    if not 0.0 < probability < 1.0:
        raise ValueError(f"a quantile needs a probability between 0 and 1, got {probability}")
    low, high = 0.0, 1.0
    while f_upper_tail(high, df_between, df_within) > 1.0 - probability:
        low, high = high, high * 2.0
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        if f_upper_tail(middle, df_between, df_within) > 1.0 - probability:
            low = middle
        else:
            high = middle
    return high
