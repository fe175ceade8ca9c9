"""The bar x capture layout: changes of many rows at once, and the error of each."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pybackend.judgment.tquantile import f_quantile

Array = npt.NDArray[np.float64]

ALPHA_DRIFT: Final = 0.01
"""Chance of reporting noise between repeats as drift."""


class Estimates(NamedTuple):
    """Columns of many changes at once, shape (rows,) each; the fields of `Change`."""

    before: Array
    after: Array
    change: Array
    se: Array
    bar_sd: Array
    variance: Array
    shift_variance: Array
    floor: Array
    drifting: npt.NDArray[np.bool_]
    df_per_bar: int
    df: int


NUMBERS: Final = Estimates._fields[:8]
"""Names of the columns that are numbers."""


def estimates(x: Array, n_before: int, floor: Array) -> Estimates:
    """Estimate the change of every row, as columns.

    Parameters
    ----------
    x, n_before, floor
        As in `statistics.estimate`.

    Returns
    -------
    Estimates
        Of shape (rows,).
    """
    n_captures, n = x.shape[1], x.shape[2]
    n_after = n_captures - n_before
    sides = x[:, :n_before], x[:, n_before:]
    before, after = (side.mean(axis=1) for side in sides)
    difference = after - before
    if n_before > 1 and n_after > 1:
        squares = _residual_squares(sides[0]) + _residual_squares(sides[1])
        df_per_bar = n_captures - 2
    else:
        squares = _residual_squares(x)
        df_per_bar = n_captures - 1
    df = df_per_bar * (n - 1)
    variance = squares / df
    shift = np.zeros_like(variance)
    drifting = np.zeros(len(x), np.bool_)
    if n_captures > 2:
        repeats = n_captures - 2
        between = (_capture_squares(sides[0]) + _capture_squares(sides[1])) / repeats
        bars = variance / n
        shift = np.maximum(0.0, between - bars)
        excess = f_quantile(1.0 - ALPHA_DRIFT, repeats, df)
        drifting = (between > excess * bars) & (between - bars > floor**2)
    se = np.sqrt((1.0 / n_before + 1.0 / n_after) * (variance / n + shift) + floor**2)
    return Estimates(
        before=before.mean(axis=1),
        after=after.mean(axis=1),
        change=difference.mean(axis=1),
        se=se,
        bar_sd=difference.std(axis=1, ddof=1),
        variance=variance,
        shift_variance=shift,
        floor=floor,
        drifting=drifting,
        df_per_bar=df_per_bar,
        df=df,
    )


def _residual_squares(x: Array) -> Array:
    captures = x.mean(axis=2, keepdims=True)
    residual = x - x.mean(axis=1, keepdims=True) - captures + captures.mean(axis=1, keepdims=True)
    result: Array = np.einsum("rcn,rcn->r", residual, residual)
    return result


def _capture_squares(side: Array) -> Array:
    means = side.mean(axis=2)
    centred = means - means.mean(axis=1, keepdims=True)
    result: Array = np.einsum("rc,rc->r", centred, centred)
    return result
