"""Features and a goal to estimated changes: what is known when a move is decided."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from pybackend.judgment.decide import Case, TruePeak
from pybackend.judgment.dimensions import DIMENSIONS, FRAME_DIMENSIONS, FRAME_INDEX, dimension
from pybackend.judgment.elsewhere import joined
from pybackend.judgment.goal import GoalVector
from pybackend.judgment.polish import polish_text
from pybackend.judgment.statistics import ALPHA, Change, composite, estimate

if TYPE_CHECKING:
    from pybackend.judgment.features import BarFeatures

_FLOORS: Final = np.array([entry.error_floor for entry in FRAME_DIMENSIONS])
_NEVER_MEASURED: Final = {
    name: entry.unavailable
    for name, entry in DIMENSIONS.items()
    if entry.unavailable and name not in FRAME_INDEX
}


def shares(goal: GoalVector, measured: Container[str]) -> dict[str, float]:
    """Weights of the measured targets, scaled so that their absolute values sum to 1 again."""
    weights = {name: weight for name, weight in goal.targets.items() if name in measured}
    total = sum(abs(weight) for weight in weights.values())
    return {name: weight / total for name, weight in weights.items()}


def goal_amount(goal: GoalVector, measured: Container[str]) -> float:
    """Composite, in smallest effects, at which the goal counts as reached."""
    weights = shares(goal, measured)
    return sum(abs(weight) * goal.amount(name) for name, weight in weights.items())


def weigh(
    goal: GoalVector,
    features: BarFeatures,
    alpha: float = ALPHA,
    extra: Mapping[str, Change] | None = None,
) -> Case:
    """Estimate every change and the goal's composite.

    Parameters
    ----------
    goal : GoalVector
        The goal.
    features : BarFeatures
        From `bar_features`.
    alpha : float
        One-sided error of a keep.
    extra : mapping of str to Change, optional
        Dimensions that are measured elsewhere: from stems, notes or ratings.

    Returns
    -------
    Case
        Ready for `decide`.
    """
    missing = dict(_NEVER_MEASURED)
    for entry, why in zip(FRAME_DIMENSIONS, features.reasons, strict=True):
        if why:
            missing[entry.name] = why
    missing["polish"] += f" ({polish_text(features)})"
    extra = extra or {}
    for name in extra:
        missing.pop(dimension(name).name, None)
    shown = FRAME_INDEX.keys() - missing.keys() - extra.keys()
    scales = {
        name: weight / DIMENSIONS[name].smallest_effect
        for name, weight in shares(goal, shown | extra.keys()).items()
    }
    scale = np.zeros(len(FRAME_DIMENSIONS))
    for name in shown & scales.keys():
        scale[FRAME_INDEX[name]] = scales[name]
    x, floors = features.x, _FLOORS
    if scale.any():
        x = np.concatenate((x, composite(x, scale)))
        # Errors that repetition cannot lower may be shared: they add up instead of averaging out.
        floors = np.append(floors, np.abs(scale) @ floors)
    rows = estimate(x, features.n_before, floors)
    goal_change = rows[-1] if scale.any() else None
    aimed = {name: change for name, change in extra.items() if name in scales}
    if aimed:
        goal_change = joined(goal_change, aimed, scales)
    changes = {name: rows[index] for name, index in FRAME_INDEX.items() if name in shown}
    peaks = features.true_peak_dbtp
    return Case(
        goal=goal,
        changes=changes | dict(extra),
        composite=goal_change,
        missing=missing,
        peak=TruePeak(
            before_dbtp=float(peaks[: features.n_before].max()),
            after_dbtp=float(peaks[features.n_before :].max()),
        ),
        alpha=alpha,
    )
