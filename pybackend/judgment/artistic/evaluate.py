"""Judge a move by the artistic family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from pybackend.judgment.artistic.inputs import ArtisticInputs, difference_of, results_of
from pybackend.judgment.artistic.result import ArtisticResult
from pybackend.judgment.composition.measure import Difference
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.goal import GoalVector, goal_from
from pybackend.judgment.protect import Status
from pybackend.judgment.tags import SAFE_ARTISTIC
from pybackend.judgment.words import number, sentence

ARTISTIC: Final = tuple(name for name, each in DIMENSIONS.items() if each.family == "artistic")


class ArtisticVerdict(BaseModel):
    """What the artistic family says of a move.

    Parameters
    ----------
    results : dict of str to ArtisticResult
        All six dimensions.
    score, score_low, score_high : float or None
        Mean of the values of the measured targets by weight, a negative weight counting what is
        missing to 1; None if none was measured.
    coverage : float
        Weight of the measured targets in all artistic targets.
    passed : bool or None
        Whether the score reaches 0.55 and no target got worse; None if a required target was not
        measured, or hangs on an unproven protect.
    protects : dict of str to {"safe", "violated", "unproven"}
        What became of protected artistic dimensions, and of motif_survival.
    novelty : float or None
        Distinctiveness of the result.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    results: dict[str, ArtisticResult]
    score: float | None
    score_low: float | None
    score_high: float | None
    coverage: float
    passed: bool | None
    protects: dict[str, Status]
    novelty: float | None
    novelty_budget: float
    reasons: tuple[str, ...]
    explanation: str


def evaluate_artistic(
    goal_vector: Mapping[str, Any] | GoalVector | str, inputs: ArtisticInputs
) -> ArtisticVerdict:
    """Judge a move by the artistic targets of a goal.

    Parameters
    ----------
    goal_vector : mapping, GoalVector or JSON text
        What `compile_goal_vector` returned. Its technical targets are not looked at.
    inputs : ArtisticInputs
        What is known.

    Raises
    ------
    GoalError
        If the goal is none.
    InputError
        If too many notes sound.
    """
    goal = goal_from(goal_vector)
    difference = difference_of(inputs)
    results = results_of(goal, inputs, difference)
    targets = {name: weight for name, weight in goal.targets.items() if name in ARTISTIC}
    measured = {name: weight for name, weight in targets.items() if results[name].value is not None}
    total = sum(abs(weight) for weight in targets.values())
    score, low, high = _score(results, measured)
    passed, reasons = _passed(goal, results, targets, score)
    return ArtisticVerdict(
        results=results,
        score=score,
        score_low=low,
        score_high=high,
        coverage=sum(abs(w) for w in measured.values()) / total if total else 0.0,
        passed=passed,
        protects=_protects(goal, results, difference),
        novelty=results["distinctiveness"].value,
        novelty_budget=inputs.budget,
        reasons=reasons,
        explanation=_explanation(results, targets, score, reasons),
    )


def _score(
    results: Mapping[str, ArtisticResult], measured: Mapping[str, float]
) -> tuple[float | None, float | None, float | None]:
    total = sum(abs(weight) for weight in measured.values())
    if not total:
        return None, None, None
    sums = [0.0, 0.0, 0.0]
    for name, weight in measured.items():
        part, share = results[name], abs(weight) / total
        bounds = (part.value or 0.0, part.value_low or 0.0, part.value_high or 0.0)
        if weight < 0.0:
            bounds = (1.0 - bounds[0], 1.0 - bounds[2], 1.0 - bounds[1])
        sums = [so_far + share * bound for so_far, bound in zip(sums, bounds, strict=True)]
    clipped = [min(1.0, max(0.0, each)) for each in sums]
    return clipped[0], clipped[1], clipped[2]


def _passed(
    goal: GoalVector,
    results: Mapping[str, ArtisticResult],
    targets: Mapping[str, float],
    score: float | None,
) -> tuple[bool | None, tuple[str, ...]]:
    worse = [
        f"{name} got worse"
        for name, weight in targets.items()
        if results[name].movement == ("worse" if weight > 0.0 else "better")
    ]
    if worse:
        return False, tuple(worse)
    open_ = [
        f"{name} is {results[name].state}: {results[name].reason}"
        for name in targets
        if name not in goal.optional and _open(results[name])
    ]
    if not targets:
        return None, ("the goal has no artistic target",)
    if open_ or score is None:
        return None, tuple(open_) or ("no artistic target was measured",)
    if score < SAFE_ARTISTIC:
        return False, (f"the artistic score {score:.2f} is below {SAFE_ARTISTIC:g}",)
    return True, (f"the artistic score {score:.2f} reaches {SAFE_ARTISTIC:g}",)


def _open(result: ArtisticResult) -> bool:
    """Whether nothing can be built on a result: it is missing, or hangs on an unproven protect."""
    return result.value is None or (result.state == "inconclusive" and result.movement is None)


def _protects(
    goal: GoalVector, results: Mapping[str, ArtisticResult], difference: Difference | None
) -> dict[str, Status]:
    found: dict[str, Status] = {}
    for name, floor in goal.protect.items():
        if name in ARTISTIC:
            found[name] = _status(results[name], floor, goal.margin(name))
        elif name == "motif_survival":
            kept = None if difference is None else difference.changes.get(name)
            if kept is None:
                found[name] = "unproven"
            else:
                least = max(floor or 0.0, 1.0 - goal.margin(name))
                found[name] = "safe" if kept.after >= least - 1e-9 else "violated"
    return found


def _status(result: ArtisticResult, floor: float | None, margin: float) -> Status:
    if result.value is None:
        return "unproven"
    if floor is not None and result.value < floor <= (result.before or 1.0):
        return "violated"
    if result.ci_low is None or result.ci_high is None:
        loss = 1.0 - result.value
        return "unproven" if _open(result) else "safe" if loss < margin else "violated"
    if result.ci_high < -margin:
        return "violated"
    return "safe" if result.ci_low > -margin else "unproven"


def _explanation(
    results: Mapping[str, ArtisticResult],
    targets: Mapping[str, float],
    score: float | None,
    reasons: tuple[str, ...],
) -> str:
    phrases = []
    for name in targets:
        part = results[name]
        if part.value is None:
            phrases.append(f"{name} not measured ({part.reason})")
            continue
        moved = "" if part.delta is None else f", {part.movement}"
        phrases.append(f"{name} {number(part.value)}{moved} (coverage {part.coverage:.0%})")
    whole = "no artistic score" if score is None else f"artistic score {number(score)}"
    return " ".join(
        sentence(text) for text in ("; ".join(phrases), whole, "; ".join(reasons)) if text
    )
