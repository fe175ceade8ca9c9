"""What bars and repeated captures say about a change, and how sure they are.

The layout is two-way: the same bars (rows of a song) in several captures, some before the move and
some after it. Bars differ from one another far more than captures of one bar do, so the change is
measured within bars; what a repeat of an unchanged bar differs by is the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from pybackend.judgment.layout import NUMBERS, estimates
from pybackend.judgment.tquantile import t_quantile, t_upper_tail

Array = npt.NDArray[np.float64]
Outcome = Literal["up", "same", "down", "inconclusive"]

ALPHA: Final = 0.01
"""Chance, one-sided, of calling an unchanged dimension moved."""
ALPHA_SAME: Final = 0.05
"""Chance, one-sided, that equivalence and non-inferiority are claimed wrongly."""
MAX_BARS: Final = 64
"""Longest capture that is ever suggested."""
NEGLIGIBLE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Change:
    """One estimated change, of a dimension or of the goal's composite, with its standard error.

    Parameters
    ----------
    before, after, change, se : float
        Mean over bars before and after, their difference, and its standard error.
    bar_sd : float
        Standard deviation over bars of the change itself: description, not noise.
    variance, shift_variance, floor : float
        What ``se`` is made of: residual variance of one bar in one capture, variance of slow drift
        between captures, and the error that repetition cannot lower.
    drifting : bool
        Whether captures of one side differ by more than their bars explain: drift, which more bars
        do not average out.
    df_per_bar : int
        Degrees of freedom that one bar more would bring.
    n_bars, n_before, n_after : int
        Bars, and captures on either side.
    """

    before: float
    after: float
    change: float
    se: float
    bar_sd: float
    variance: float
    shift_variance: float
    floor: float
    drifting: bool
    df_per_bar: int
    n_bars: int
    n_before: int
    n_after: int

    @classmethod
    def exact(cls, before: float, after: float) -> Change:
        """Difference of two values that are known and not sampled, such as of notes."""
        return cls(
            before=before,
            after=after,
            change=after - before,
            se=0.0,
            bar_sd=0.0,
            variance=0.0,
            shift_variance=0.0,
            floor=0.0,
            drifting=False,
            df_per_bar=1,
            n_bars=2,
            n_before=1,
            n_after=1,
        )

    @property
    def is_exact(self) -> bool:
        """Whether there is no error to speak of."""
        return self.se == 0.0

    @property
    def df(self) -> int:
        """Degrees of freedom of the residual, which are those of the standard error."""
        return self.df_per_bar * (self.n_bars - 1)

    @property
    def half_width(self) -> float:
        """Half the width of the 90 % interval."""
        return t_quantile(1.0 - ALPHA_SAME, self.df) * self.se

    @property
    def p_not_up(self) -> float:
        """One-sided p value of no rise; 0.5 for no change at all."""
        if abs(self.change) < NEGLIGIBLE:
            return 0.5
        if self.is_exact:
            return 0.0 if self.change > 0.0 else 1.0
        return t_upper_tail(self.change / self.se, self.df)

    def se_at(self, n_bars: int) -> float:
        """Standard error that another number of bars would give, with the drift there is."""
        spread = self.variance / n_bars + self.shift_variance
        sides = 1.0 / self.n_before + 1.0 / self.n_after
        return math.sqrt(sides * spread + self.floor**2)


def estimate(x: Array, n_before: int, floor: Array) -> list[Change]:
    """Estimate the change of every row from the residual of a bar x capture layout.

    Parameters
    ----------
    x : ndarray of float64, shape (rows, captures, bars)
        Values; the first ``n_before`` captures are before the move.
    n_before : int
        At least 1 and less than the number of captures.
    floor : ndarray of float64, shape (rows,)
        Standard error that repetition cannot lower, in the unit of each row; above 0.

    Returns
    -------
    list of Change
        One per row.

    Notes
    -----
    With both sides repeated, the residual is pooled within the sides, so that an effect that
    differs from bar to bar is not taken for noise. With one side repeated it is taken over all
    captures. With no repeat it is the variance of the differences, halved: the same formula.

    Where repeats of one side differ by more than the residual explains (F test at 5 %), the excess
    counts as a shift of every capture, 2.5 times over; it is reported as drift where it is
    significant at 1 % and larger than the floor. One repeat cannot bound it:
    docs/decisions/0002-drift-between-captures.md and 0011-repeats-and-alpha.md have the figures.
    """
    found = estimates(x, n_before, floor)
    rows = np.stack([getattr(found, name) for name in NUMBERS], axis=1).tolist()
    return [
        Change(
            **dict(zip(NUMBERS, row, strict=True)),
            drifting=drifts,
            df_per_bar=found.df_per_bar,
            n_bars=x.shape[2],
            n_before=n_before,
            n_after=x.shape[1] - n_before,
        )
        for row, drifts in zip(rows, found.drifting.tolist(), strict=True)
    ]


def composite(x: Array, scale: Array) -> Array:
    """Weighted sum of dimensions in units of their smallest effects, as one more row.

    Parameters
    ----------
    x : ndarray of float64, shape (rows, captures, bars)
        Values in native units.
    scale : ndarray of float64, shape (rows,)
        Weight over smallest effect of every row.

    Returns
    -------
    ndarray of float64, shape (1, captures, bars)
        The composite.
    """
    result: Array = np.einsum("rcn,r->cn", x, scale)[None]
    return result


def outcome(change: Change, smallest: float, alpha: float) -> Outcome:
    """Three answers and no answer: moved up, moved down, shown to be the same, or unknown.

    Moved needs the smallest effect and an interval clear of zero; same needs equivalence, two
    one-sided tests (Schuirmann 1987).
    """
    reach = t_quantile(1.0 - alpha, change.df) * change.se
    if change.change >= smallest and change.change > reach:
        return "up"
    if change.change <= -smallest and change.change < -reach:
        return "down"
    return "same" if abs(change.change) + change.half_width < smallest else "inconclusive"


def bars_to_decide(change: Change, decided: Callable[[float, int], bool]) -> int | None:
    """Smallest number of bars, beyond those there are, at which a question would be settled.

    Parameters
    ----------
    change : Change
        From the bars there are; its estimate and its noise are taken to stay as they are.
    decided : callable
        Given a standard error and degrees of freedom, whether the question is settled.

    Returns
    -------
    int or None
        None if not even 64 bars would settle it: the change sits on a threshold, or drift between
        captures, which more bars do not average, is too large.
    """
    if change.drifting:
        return None
    for n_bars in range(change.n_bars + 1, MAX_BARS + 1):
        if decided(change.se_at(n_bars), change.df_per_bar * (n_bars - 1)):
            return n_bars
    return None
