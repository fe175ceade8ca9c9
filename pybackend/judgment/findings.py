"""What critics find, and the frames that they look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from pybackend.capture.timeline import Positions
from pybackend.stream.frames import Frames

Array = npt.NDArray[np.float64]
Severity = Literal["low", "medium", "high"]
SEVERITIES: Final = ("high", "medium", "low")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Finding(_Record):
    """One problem. ``goal`` is what `evaluate_with_fabric` takes for a move that addresses it."""

    what: str
    severity: Severity
    where: str
    evidence: str
    value: float
    limit: float
    unit: str
    engine: str
    goal: dict[str, dict[str, float | None]]


class Diagnosis(_Record):
    """Findings, the worst first, and what could not be examined."""

    findings: tuple[Finding, ...]
    frames: int
    unavailable: dict[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """Frames above the absolute gate, and where in the song each is."""

    frames: Frames
    seconds: Array
    bars: Array
    positions: Positions

    def where(self, row: int) -> str:
        """Place of a frame, for people."""
        if self.positions == "song":
            return f"bar {int(self.bars[row]) + 1}"
        minutes, seconds = divmod(float(self.seconds[row]), 60.0)
        return f"{int(minutes)}:{seconds:04.1f}"

    def total(self, name: str) -> Array:
        """Sum of a field's numbers over all frames; bands that the rate cannot carry count as 0."""
        table = self.frames.column(name).reshape(len(self.frames), -1)
        return np.asarray(np.nan_to_num(table).sum(axis=0))
