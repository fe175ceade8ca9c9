"""A creative director's turn: both families have to pass for a change to be kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, ConfigDict

from pybackend.judgment.artistic.evaluate import ARTISTIC, ArtisticVerdict
from pybackend.judgment.decide import Call
from pybackend.judgment.goal import GoalVector, compile_goal_vector
from pybackend.judgment.protect import Status
from pybackend.judgment.tags import PROMOTION, Protects, Tag, verdict_tag
from pybackend.judgment.verdict import Verdict

_SHOWN: Final = ("up", "same", "down")


class DirectorVerdict(BaseModel):
    """What became of a turn.

    Parameters
    ----------
    decision : {"keep", "undo", "inconclusive"}
        Keep if both families passed; undo if one failed. A read-only mode does neither.
    keep_change : bool
        Whether the change should stay: kept, or left by explore mode with the artistic family
        passed.
    tag : str
        See `tags.verdict_tag`.
    promotion : str
        What memory may do with the move.
    technical, artistic, novelty : float or None
        The scores behind the tag.
    protects : {"safe", "violated", "unproven"}
        The worst of all protects.
    user_kept : bool or None
        Whether the change stays, as far as anybody has said or done.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    decision: Call
    keep_change: bool
    tag: Tag
    promotion: str
    technical: float | None
    artistic: float | None
    novelty: float | None
    novelty_budget: float
    protects: Protects
    user_kept: bool | None
    reasons: tuple[str, ...]


def technical_goal(goal: GoalVector) -> GoalVector | None:
    """Part of a goal that the technical evaluators judge; None if it has no technical target.

    Artistic dimensions, and the survival of motifs, are left to `evaluate_artistic`.
    """
    elsewhere = (*ARTISTIC, "motif_survival")
    targets = {
        name: {
            "weight": weight,
            "optional": name in goal.optional,
            "amount": goal.amounts.get(name),
        }
        for name, weight in goal.targets.items()
        if name not in elsewhere
    }
    if not targets:
        return None
    protect = {
        name: {"floor": floor, "margin": goal.margins.get(name)}
        for name, floor in goal.protect.items()
        if name not in elsewhere
    }
    fields = compile_goal_vector(goal.request_text, targets, protect, goal.mode, goal.aggression)
    return GoalVector(**fields)


def technical_score(verdict: Verdict | None) -> float | None:
    """Score of the technical family, or None if it did not show an outcome."""
    if verdict is None or verdict.goal is None or verdict.goal.outcome not in _SHOWN:
        return None
    return verdict.score


def worst(statuses: Iterable[Status]) -> Protects:
    """The worst that became of any protect."""
    order: tuple[Protects, ...] = ("safe", "unproven", "violated")
    return max(statuses, key=order.index, default="safe")


def director_turn(
    technical: Verdict | None, artistic: ArtisticVerdict, user_kept: bool | None = None
) -> DirectorVerdict:
    """Put the two families together.

    Parameters
    ----------
    technical : Verdict, optional
        On `technical_goal` of the goal; without it nothing is kept.
    artistic : ArtisticVerdict
        On the goal.
    user_kept : bool, optional
        Whether the user kept the change; nobody is asked where it is undone.

    Returns
    -------
    DirectorVerdict
        Its tag is inconclusive until the user has said whether a kept change stays.
    """
    statuses = {} if technical is None else {n: p.status for n, p in technical.protects.items()}
    protects = worst((statuses | artistic.protects).values())
    failures = _failures(technical, artistic, protects)
    doubts = _doubts(technical, artistic, protects)
    read_only = technical is not None and "read_only" in technical.tags
    decision: Call = "keep"
    if doubts or read_only:
        decision = "inconclusive"
    if failures and not read_only:
        decision = "undo"
    explored = (
        technical is not None
        and technical.mode == "explore"
        and technical.keep_change
        and artistic.passed is True
        and "unproven" not in artistic.protects.values()
    )
    kept = False if user_kept is None and decision == "undo" else user_kept
    score = technical_score(technical)
    tag = verdict_tag(
        score,
        artistic.score,
        artistic.novelty,
        protects,
        kept,
        novelty_budget=artistic.novelty_budget,
    )
    return DirectorVerdict(
        decision=decision,
        keep_change=decision == "keep" or (decision == "inconclusive" and explored),
        tag=tag,
        promotion=PROMOTION[tag],
        technical=score,
        artistic=artistic.score,
        novelty=artistic.novelty,
        novelty_budget=artistic.novelty_budget,
        protects=protects,
        user_kept=kept,
        reasons=tuple(failures or doubts or ["both families passed"]),
    )


def _failures(
    technical: Verdict | None, artistic: ArtisticVerdict, protects: Protects
) -> list[str]:
    """What calls for an undo."""
    found = ["a protect is violated"] if protects == "violated" else []
    if technical is not None and technical.would_be == "undo":
        found += [reason.text for reason in technical.reasons]
    return found + (list(artistic.reasons) if artistic.passed is False else [])


def _doubts(technical: Verdict | None, artistic: ArtisticVerdict, protects: Protects) -> list[str]:
    """What stands in the way of a keep."""
    if technical is None:
        found = ["no technical target was judged, and both families have to pass"]
    else:
        found = [reason.text for reason in technical.reasons if technical.decision != "keep"]
    found += [] if artistic.passed else list(artistic.reasons)
    return found + (["a protect is unproven"] if protects == "unproven" else [])
