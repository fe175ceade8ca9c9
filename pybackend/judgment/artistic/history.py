"""What was done before: figures of earlier results, and the actions that led to them."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from pybackend.judgment.dimensions import DIMENSIONS

Array = npt.NDArray[np.float64]

MIN_ITEMS: Final = 8
MAX_ITEMS: Final = 200
MIN_FIGURES: Final = 3
RECENT: Final = 10


class Action(BaseModel):
    """Signature of one action; two actions are alike if all four parts are equal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: str = Field(max_length=100)
    target: str = Field(default="", max_length=200)
    device: str = Field(default="", max_length=200)
    parameter: str = Field(default="", max_length=200)


class HistoryItem(BaseModel):
    """One earlier result: a kept move, a sibling candidate, or the plain way to do it.

    Parameters
    ----------
    id : str
        For people.
    figures : dict of str to float
        Dimensions of its sound, in native units.
    actions : tuple of Action
        What was done.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    id: str = Field(max_length=200)
    figures: dict[str, float]
    actions: tuple[Action, ...] = ()


class History(BaseModel):
    """Earlier results, the latest last; the last 200 count."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    items: tuple[HistoryItem, ...] = Field(default=(), max_length=10_000)

    @property
    def recent(self) -> tuple[HistoryItem, ...]:
        """The last ten, whose actions are remembered."""
        return self.items[-RECENT:]

    def table(self, names: tuple[str, ...]) -> Array:
        """Figures in smallest effects, shape (items, names), of items that have them all."""
        effects = np.array([DIMENSIONS[name].smallest_effect for name in names])
        rows = [
            [item.figures[name] for name in names]
            for item in self.items[-MAX_ITEMS:]
            if all(name in item.figures for name in names)
        ]
        table: Array = np.array(rows, np.float64).reshape(-1, len(names)) / effects
        return table

    def common(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Of some dimensions, those that enough of the last items have."""
        items = self.items[-MAX_ITEMS:]
        need = max(MIN_ITEMS, len(items) // 2)
        return tuple(name for name in names if sum(name in item.figures for item in items) >= need)


def shrunk_covariance(x: Array) -> Array:
    """Covariance shrunk towards a multiple of the identity (Ledoit and Wolf 2004).

    Parameters
    ----------
    x : ndarray of float64, shape (items, figures)
        At least two items.

    Returns
    -------
    ndarray of float64, shape (figures, figures)
        Positive definite if any figure varies.
    """
    n, p = x.shape
    centred = x - x.mean(axis=0)
    sample = centred.T @ centred / n
    mean = float(np.trace(sample)) / p
    apart = float(((sample - mean * np.eye(p)) ** 2).sum()) / p
    products = np.einsum("ni,nj->nij", centred, centred) - sample
    scatter = float((products**2).sum()) / p / n**2
    share = min(1.0, scatter / apart) if apart > 0.0 else 1.0
    result: Array = share * mean * np.eye(p) + (1.0 - share) * sample
    return result


def distances(points: Array, table: Array) -> Array:
    """Mahalanobis distance of points from a set of items.

    Parameters
    ----------
    points : ndarray of float64, shape (points, figures)
        In smallest effects.
    table : ndarray of float64, shape (items, figures)
        The set.

    Returns
    -------
    ndarray of float64, shape (points,)
        A tenth of a smallest effect is the least spread that counts.
    """
    covariance = shrunk_covariance(table) + 0.01 * np.eye(table.shape[1])
    offset = points - table.mean(axis=0)
    squared = np.einsum("ni,ij,nj->n", offset, np.linalg.inv(covariance), offset)
    result: Array = np.sqrt(np.maximum(squared, 0.0))
    return result


def own_distances(table: Array) -> Array:
    """Distance of every item from the others, in ascending order."""
    rest = [np.delete(table, k, axis=0) for k in range(len(table))]
    each = [float(distances(table[k : k + 1], others)[0]) for k, others in enumerate(rest)]
    return np.sort(np.array(each))


def percentile(distance: Array, own: Array) -> Array:
    """Share of items that lie nearer, with straight lines between the items."""
    places = (np.arange(len(own)) + 0.5) / len(own)
    edges = np.concatenate(([0.0], own, [1.25 * own[-1] + 1e-9]))
    levels = np.concatenate(([0.0], places, [1.0]))
    result: Array = np.interp(distance, edges, levels)
    return result
