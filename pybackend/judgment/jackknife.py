"""Statistics that belong to a window, as one pseudo-value per bar.

Leaving each bar out in turn gives pseudo-values ``n theta - (n - 1) theta_without_bar`` that can be
averaged and whose scatter is the error (Tukey 1958; Efron and Stein 1981).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def pseudo_values(whole: Array, without: Array) -> Array:
    """Pseudo-values of a statistic.

    Parameters
    ----------
    whole : ndarray of float64, shape (captures,)
        The statistic of all bars.
    without : ndarray of float64, shape (captures, bars)
        The statistic without each bar.

    Returns
    -------
    ndarray of float64, shape (captures, bars)
        In the unit of the statistic.
    """
    n = without.shape[1]
    result: Array = n * whole[:, None] - (n - 1) * without
    return result


def jackknife_spread(total: Array, square: Array, count: Array) -> Array:
    """Standard deviation of all values of a window.

    Parameters
    ----------
    total, square : ndarray of float64, shape (captures, bars)
        Sums of the values and of their squares.
    count : ndarray of float64, shape (bars,)
        How many values were summed; at least two bars are not empty.

    Returns
    -------
    ndarray of float64, shape (captures, bars)
        Pseudo-values, in the unit of the values.
    """
    sums, squares = total.sum(axis=1, keepdims=True), square.sum(axis=1, keepdims=True)
    whole = _spread(sums, squares, count.sum())
    return pseudo_values(whole[:, 0], _spread(sums - total, squares - square, count.sum() - count))


def _spread(total: Array, square: Array, count: Array | float) -> Array:
    mean = total / count
    result: Array = np.sqrt(np.maximum(square / count - mean * mean, 0.0))
    return result


def jackknife_departure(levels: Array) -> Array:
    """Root mean square departure of a pattern from its own mean over bars.

    Parameters
    ----------
    levels : ndarray of float64, shape (captures, bars, cells)
        Levels of every bar, at least three bars; what repeats in every bar is no departure.

    Returns
    -------
    ndarray of float64, shape (captures, bars)
        Pseudo-values, in the unit of the levels.
    """
    n = levels.shape[1]
    centred = levels - levels.mean(axis=1, keepdims=True)
    squares = np.square(centred)
    whole = squares.sum(axis=1)
    # Without bar i the mean moves by -x_i / (n - 1), and the sum of squares falls by x_i^2 n/(n-1).
    without = whole[:, None] - squares * (n / (n - 1))
    return pseudo_values(
        np.sqrt((whole / (n - 1)).mean(axis=1)),
        np.sqrt(np.maximum(without / (n - 2), 0.0).mean(axis=2)),
    )
