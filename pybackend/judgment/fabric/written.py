"""The verdict of an engine: a verdict, with what only that engine knows beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from pydantic import BaseModel, ConfigDict

from pybackend.errors import GoalError
from pybackend.judgment.decide import Case, Decision, decide
from pybackend.judgment.dimensions import nearest
from pybackend.judgment.fabric.rows import Rows
from pybackend.judgment.goal import GoalVector
from pybackend.judgment.masking.report import MaskingReport
from pybackend.judgment.obstacles import SAFE_TRUE_PEAK_DBTP
from pybackend.judgment.record import Session, verdict_of
from pybackend.judgment.verdict import Verdict

if TYPE_CHECKING:
    from pybackend.capture.aligned import AlignedCaptures
    from pybackend.judgment.features import BarFeatures

Engine = Literal["sonic", "composition", "mix", "transition", "translation"]
ENGINES: tuple[str, ...] = get_args(Engine)


class Check(BaseModel):
    """A limit and whether the sound after the move keeps it; None if it could not be measured."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str
    limit: str
    before: float | None
    after: float | None
    unit: str
    passed: bool | None


class EngineVerdict(Verdict):
    """A verdict, and which engine it is from.

    ``checks`` are compliance limits that stand beside the decision. ``masking_before`` and
    ``masking_after`` are reports of the mix engine. ``compared`` says what was laid against what.
    """

    engine: Engine
    checks: tuple[Check, ...] = ()
    masking_before: MaskingReport | None = None
    masking_after: MaskingReport | None = None
    compared: str = ""


def engine_named(name: object) -> Engine:
    """Check the name of an engine.

    Raises
    ------
    GoalError
        If there is none; the message suggests the nearest.
    """
    for engine in get_args(Engine):
        if name == engine:
            return engine  # type: ignore[no-any-return]
    raise GoalError(f"unknown engine {str(name)[:60]!r}; {nearest(str(name), ENGINES)}")


def labelled(verdict: Verdict, engine: Engine) -> EngineVerdict:
    """Any verdict as that of an engine."""
    return EngineVerdict(**dict(verdict), engine=engine)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What an engine is given: its name, the goal, the captures, and what the master shows."""

    engine: Engine
    goal: GoalVector
    aligned: AlignedCaptures
    features: BarFeatures
    session: Session


def judge_rows(rows: Rows, given: Comparison) -> EngineVerdict:
    """Decide by the rows that an engine measured, and write it down.

    A true peak that rose above -1 dBTP stands in the way of a keep whatever the goal is: headroom
    is what these engines are about.
    """
    case = rows.case(given.goal, given.features, given.engine)
    case = replace(case, alpha=given.session.alpha)
    decision = decide(case)
    if decision.keep_change and not case.peak.safe:
        decision = _hold_back(case, decision)
    verdict = verdict_of(case, decision, given.features, given.aligned, given.session)
    return labelled(verdict, given.engine)


def _hold_back(case: Case, decision: Decision) -> Decision:
    text = (
        f"true peak rose to {case.peak.after_dbtp:.1f} dBTP, above {SAFE_TRUE_PEAK_DBTP:g}; "
        "lower the output and capture again"
    )
    return replace(
        decision,
        call="inconclusive",
        keep_change=False,
        would_be="inconclusive",
        reasons=[("true_peak", text)],
    )
