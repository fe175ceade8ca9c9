"""Rows per capture and bar to what is known when a move is decided: the core's rule, any rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pybackend.judgment.decide import Case, TruePeak
from pybackend.judgment.dimensions import DIMENSIONS, FRAME_DIMENSIONS
from pybackend.judgment.goal import GoalVector
from pybackend.judgment.statistics import ALPHA, composite, estimate
from pybackend.judgment.weigh import shares

if TYPE_CHECKING:
    from pybackend.judgment.features import BarFeatures

Array = npt.NDArray[np.float64]


@dataclass(slots=True, eq=False)
class Rows:
    """What an engine measured.

    Parameters
    ----------
    n_before : int
        Captures before the move; they come first.
    values : dict of str to ndarray of float64, shape (captures, bars)
        Measured dimensions in native units; all of one shape.
    missing : dict of str to str
        Why others are unavailable.
    """

    n_before: int
    values: dict[str, Array] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_frames(cls, features: BarFeatures) -> Rows:
        """Rows of every dimension that `evaluate_move` measures."""
        rows = cls(features.n_before)
        for entry, values, why in zip(FRAME_DIMENSIONS, features.x, features.reasons, strict=True):
            rows.put(entry.name, why or values)
        return rows

    def put(self, name: str, found: Array | str) -> None:
        """Add a dimension, or why there is none."""
        if isinstance(found, str):
            self.missing[name] = found
        else:
            self.values[name] = found

    def case(self, goal: GoalVector, features: BarFeatures, engine: str) -> Case:
        """Estimate every change and the goal's composite, as `weigh` does.

        Parameters
        ----------
        goal : GoalVector
            The goal.
        features : BarFeatures
            What the captures' true peaks are read from.
        engine : str
            For the reasons of what it does not measure.
        """
        missing = self._all_missing(engine)
        names = list(self.values)
        x = np.stack([self.values[name] for name in names])
        floors = np.array([DIMENSIONS[name].error_floor for name in names])
        weights = shares(goal, self.values)
        if weights:
            scale = np.array(
                [weights.get(name, 0.0) / DIMENSIONS[name].smallest_effect for name in names]
            )
            x = np.concatenate((x, composite(x, scale)))
            floors = np.append(floors, np.abs(scale) @ floors)
        found = estimate(x, self.n_before, floors)
        peaks = features.true_peak_dbtp
        return Case(
            goal=goal,
            changes=dict(zip(names, found, strict=False)),
            composite=found[-1] if weights else None,
            missing=missing,
            peak=TruePeak(
                before_dbtp=float(peaks[: self.n_before].max()),
                after_dbtp=float(peaks[self.n_before :].max()),
            ),
            alpha=ALPHA,
        )

    def _all_missing(self, engine: str) -> dict[str, str]:
        return {
            name: self.missing.get(name)
            or entry.unavailable
            or f"the {engine} engine does not measure it"
            for name, entry in DIMENSIONS.items()
            if name not in self.values
        }
