"""Changes that frames of the master cannot show, from inputs that can: stems, and listeners."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pybackend.errors import InputError
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.levels import db
from pybackend.judgment.other_dimensions import RATING_POINTS
from pybackend.judgment.statistics import Change, estimate

if TYPE_CHECKING:
    from pybackend.capture.aligned import AlignedCaptures

Array = npt.NDArray[np.float64]

MIN_RATINGS: Final = 4
"""Fewer pairs say nothing at 1 %."""


def rated(name: str, before: Sequence[float], after: Sequence[float]) -> Change:
    """Change of what listeners rate: pairs of ratings, one listener or one listening each.

    Parameters
    ----------
    name : str
        cohesion or emotion.
    before, after : sequence of float
        Ratings on 0-100, in the same order of listeners.

    Returns
    -------
    Change
        From the paired t-test; its "bars" are the pairs.

    Raises
    ------
    InputError
        If the dimension is not rated, there are fewer than 4 pairs, or a rating is off the scale.
    """
    if name not in DIMENSIONS or DIMENSIONS[name].unit != "points":
        raise InputError(f"{name[:60]!r} is not rated by listeners; rated are cohesion and emotion")
    pairs = (
        np.array([list(before), list(after)], dtype=float) if len(before) == len(after) else None
    )
    if pairs is None or pairs.shape[1] < MIN_RATINGS:
        raise InputError(f"give {MIN_RATINGS} ratings or more before, and as many after")
    if not ((pairs >= 0.0) & (pairs <= RATING_POINTS)).all():
        raise InputError(f"ratings of {name} lie on 0 to {RATING_POINTS:g}")
    return estimate(pairs[None], 1, np.array([DIMENSIONS[name].error_floor]))[0]


def depth(dry: AlignedCaptures, wet: AlignedCaptures) -> Change:
    """Change in depth: wet against dry, from the frames of two tracks captured together.

    Parameters
    ----------
    dry, wet : AlignedCaptures
        The same captures and bars of the dry and of the wet stem.

    Returns
    -------
    Change
        In dB; more is further away.

    Raises
    ------
    InputError
        If the captures do not correspond, or a stem is silent in a bar.
    """
    from pybackend.judgment.barsums import sum_bars  # noqa: PLC0415 - compiles kernels
    from pybackend.judgment.columns import K_POWER  # noqa: PLC0415

    if dry.valid.shape != wet.valid.shape or dry.n_before != wet.n_before:
        raise InputError("the dry and the wet stem need the same captures and bars")
    heard = np.asarray((dry.valid & wet.valid).all(axis=0), np.int8)
    powers = [
        sum_bars(stem.values, heard, stem.bar, dry.n_bars)[..., K_POWER] for stem in (dry, wet)
    ]
    if not all((power > 0.0).all() for power in powers):
        raise InputError("a stem is silent in a bar; choose bars in which both sound")
    x = db(powers[1]) - db(powers[0])
    return estimate(x[None], dry.n_before, np.array([DIMENSIONS["depth"].error_floor]))[0]


def joined(goal: Change | None, parts: Mapping[str, Change], scale: Mapping[str, float]) -> Change:
    """Composite of bars and of changes that have other units of observation.

    Parameters
    ----------
    goal : Change or None
        Composite of the dimensions that are measured per bar, if there are any.
    parts : mapping of str to Change
        The others.
    scale : mapping of str to float
        Weight over smallest effect of each of them.

    Returns
    -------
    Change
        Errors add up as independent ones, with the degrees of freedom of the weakest part; more
        bars would not lower them.
    """
    terms = [(1.0, goal)] if goal is not None else []
    terms += [(scale[name], change) for name, change in parts.items()]
    error = math.sqrt(math.fsum((factor * change.se) ** 2 for factor, change in terms))
    weakest = min((change for _, change in terms), key=lambda change: change.df)
    before = math.fsum(factor * change.before for factor, change in terms)
    after = math.fsum(factor * change.after for factor, change in terms)
    return replace(
        weakest,
        before=before,
        after=after,
        change=after - before,
        se=error,
        bar_sd=0.0,
        variance=0.0,
        shift_variance=0.0,
        floor=error,
        drifting=any(change.drifting for _, change in terms),
    )
