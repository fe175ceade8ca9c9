"""A plan of recorded moves: which windows of which recordings were before and after each move.

A finished run leaves its own plan beside its recordings, so that every verdict can be computed
again from the files.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pybackend.capture.windows import Window
from pybackend.errors import InputError, PlanError
from pybackend.files import read_json

PLAN_NAME: Final = "plan.json"
MAX_MOVES: Final = 1000


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CaptureRef(_Part):
    """One capture: a window of a recording, or the whole of it."""

    recording: str | None = None
    """Path relative to the plan; may be left out where one recording is given."""
    window: Window | None = None
    instance: int | None = None

    @model_validator(mode="after")
    def _stay_inside(self) -> Self:
        name = self.recording
        if name is not None and (
            not name
            or ".." in PurePosixPath(name.replace("\\", "/")).parts
            or PurePosixPath(name).is_absolute()
            or PureWindowsPath(name).anchor
        ):
            raise ValueError(f"recording {name!r} has to lie below the plan's folder")
        return self


class PlannedMove(_Part):
    """One move: what it was for, and the captures before and after it."""

    id: str = Field(min_length=1, max_length=80)
    description: str = ""
    goal_vector: dict[str, Any] | None = None
    """As `compile_goal_vector` returned it; or give its arguments in the fields below."""
    request: str = ""
    targets: dict[str, Any] | None = None
    protect: dict[str, Any] | None = None
    mode: str = "improve"
    aggression: float = 0.5
    tries: int = Field(1, ge=1, le=10_000)
    kept_composite: float = 0.0
    """Composite of the moves kept before for the same goal; counts toward goal_progress."""
    before: tuple[CaptureRef, ...] = Field(min_length=1, max_length=8)
    after: tuple[CaptureRef, ...] = Field(min_length=1, max_length=8)

    @model_validator(mode="after")
    def _one_goal(self) -> Self:
        if (self.goal_vector is None) == (self.targets is None):
            raise ValueError("give either goal_vector or targets")
        return self


class Plan(_Part):
    """All moves of a plan, and how their captures pair."""

    schema_version: Literal[1]
    min_bars: int = Field(4, ge=4, le=4096)
    loop_beats: float | None = Field(None, gt=0.0, le=16384.0)
    """Session View: length of the loop, in quarter notes."""
    moves: tuple[PlannedMove, ...] = Field(min_length=1, max_length=MAX_MOVES)

    @model_validator(mode="after")
    def _unique(self) -> Self:
        ids = [move.id for move in self.moves]
        twice = {name for name in ids if ids.count(name) > 1}
        if twice:
            raise ValueError(f"move {min(twice)!r} stands in the plan twice")
        return self


def load_plan(path: Path) -> Plan:
    """Read a plan.

    Raises
    ------
    TargetMissing
        If there is no such file.
    PlanError
        If it is no plan; the message names the first thing wrong.
    """
    try:
        return Plan.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "plan"
        message = first["msg"].removeprefix("Value error, ")
        raise PlanError(f"{path}: {where}: {message}") from None
    except InputError as error:
        raise PlanError(str(error)) from None
