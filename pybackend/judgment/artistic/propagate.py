"""Errors of measured dimensions, carried through a function of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.dimensions import DIMENSIONS, FRAME_INDEX
from pybackend.judgment.statistics import Change, estimate
from pybackend.judgment.tquantile import t_quantile

if TYPE_CHECKING:
    from pybackend.judgment.features import BarFeatures

Array = npt.NDArray[np.float64]
Function = Callable[[Array], Array]
"""From values of shape (draws, names) to one number per draw."""

DRAWS: Final = 2000
SEED: Final = 20_250_101
TAIL: Final = 0.05
"""On each side of a 90 % interval."""


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Dimensions before and after, and how they may be off.

    Parameters
    ----------
    names : tuple of str
        Dimensions.
    before, after : ndarray of float64, shape (names,)
        In native units.
    error : ndarray of float64, shape (2, draws, names)
        Draws of the error of either side. The set is the same with the sides exchanged, and with
        the opposite sign.
    layout : Change
        How many bars and captures they rest on.
    """

    names: tuple[str, ...]
    before: Array
    after: Array
    error: Array
    layout: Change

    def only(self, names: Sequence[str]) -> Sides:
        """Some of the dimensions, in the given order."""
        pick = [self.names.index(name) for name in names]
        return replace(
            self,
            names=tuple(names),
            before=self.before[pick],
            after=self.after[pick],
            error=self.error[:, :, pick],
        )


def sides_of(features: BarFeatures, names: Sequence[str]) -> Sides | None:
    """Dimensions of a comparison, with their errors and how these hang together.

    Errors of the two sides are independent and multivariate t, with the residual, the drift and
    the floor of `statistics.estimate` and the correlations of the residuals over bars and captures.

    Parameters
    ----------
    features : BarFeatures
        From `bar_features`.
    names : sequence of str
        Which; those that are unavailable are left out.

    Returns
    -------
    Sides or None
        None if none is available.
    """
    shown = [name for name in names if not features.reasons[FRAME_INDEX[name]]]
    if not shown:
        return None
    x = features.x[[FRAME_INDEX[name] for name in shown]]
    floors = np.array([DIMENSIONS[name].error_floor for name in shown])
    changes = estimate(x, features.n_before, floors)
    residual = x - x.mean(axis=1, keepdims=True)
    residual = (residual - residual.mean(axis=2, keepdims=True)).reshape(len(shown), -1)
    norm = np.sqrt((residual**2).sum(axis=1))
    unit = residual / np.maximum(norm, 1e-12)[:, None]
    correlation = unit @ unit.T
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    rng = np.random.default_rng(SEED)
    df = changes[0].df
    quarter = DRAWS // 4
    scale = np.sqrt(df / rng.chisquare(df, (2, quarter, 1)))
    normal = rng.standard_normal((2, quarter, len(shown))) @ root.T * scale
    drawn = np.concatenate((normal, normal[::-1], -normal, -normal[::-1]), axis=1)
    spread = np.array([[_side_error(change, n) for change in changes] for n in _counts(features)])
    return Sides(
        names=tuple(shown),
        before=np.array([change.before for change in changes]),
        after=np.array([change.after for change in changes]),
        error=drawn * spread[:, None, :],
        layout=changes[0],
    )


def _counts(features: BarFeatures) -> tuple[int, int]:
    captures = features.x.shape[1]
    return features.n_before, captures - features.n_before


def _side_error(change: Change, captures: int) -> float:
    """Standard error of one side; the two add up to that of the difference."""
    sampled = (change.variance / change.n_bars + change.shift_variance) / captures
    return math.sqrt(sampled + change.floor**2 / 2.0)


def propagate(function: Function, sides: Sides, floor: float = 0.0) -> Change:
    """Change of a function of several dimensions.

    Swapped sides give the mirrored change.

    Parameters
    ----------
    function : callable
        Of values of shape (draws, names).
    sides : Sides
        From `sides_of`.
    floor : float
        Standard error that repetition cannot lower.

    Returns
    -------
    Change
        Its standard error is that of the longer arm of the 90 % interval.
    """
    before, after = (float(function(side[None])[0]) for side in (sides.before, sides.after))
    drawn = function(sides.after + sides.error[1]) - function(sides.before + sides.error[0])
    low, high = np.quantile(drawn, (TAIL, 1.0 - TAIL))
    change = after - before
    arm = max(float(high) - change, change - float(low), 0.0)
    se = arm / t_quantile(1.0 - TAIL, sides.layout.df)
    return replace(
        sides.layout,
        before=before,
        after=after,
        change=change,
        se=float(np.hypot(se, floor)),
        bar_sd=0.0,
        variance=0.0,
        shift_variance=0.0,
        floor=floor,
    )
