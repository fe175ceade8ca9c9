"""The action ledger: an append-only JSON-lines file that says what was done and what came of it.

A move is a short series of events. Each is on disk before the next thing happens, so that after a
crash the last event says what state the session is in:

=============  ====================================================================
event          says
=============  ====================================================================
``opened``     a move was intended: goal, move, the captures taken before it
``applied``    the move was made; the session is changed
``judged``     captures after it, and the verdict
``closed``     what became of it: kept, undone, left as it is, or failed
=============  ====================================================================
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pybackend.files import append_jsonl, read_jsonl

SCHEMA_VERSION: Final = 1

Outcome = Literal["kept", "undone", "left", "failed"]


def utc_now() -> str:
    """Time now, as ISO 8601 in UTC with milliseconds."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return now.replace("+00:00", "Z")


class _Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = SCHEMA_VERSION
    move_id: str = Field(min_length=1, max_length=80)
    time: str = Field(default_factory=utc_now)


class ParameterChange(BaseModel):
    """One value that a move changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: str
    before: float | str | None = None
    after: float | str | None = None
    unit: str = ""


class Move(BaseModel):
    """One production move, as it was asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    description: str
    changes: tuple[ParameterChange, ...] = ()


class Opened(_Event):
    """A move is about to be made."""

    event: Literal["opened"] = "opened"
    intent: str
    move: Move
    goal_vector: dict[str, Any]
    before: tuple[str, ...]
    """Paths of the snapshots before, relative to the ledger's folder."""


class Applied(_Event):
    """The move was made."""

    event: Literal["applied"] = "applied"


class Judged(_Event):
    """The move was measured and judged."""

    event: Literal["judged"] = "judged"
    after: tuple[str, ...]
    verdict: str
    """Path of the verdict, relative to the ledger's folder."""
    decision: Literal["keep", "undo", "inconclusive"]
    keep_change: bool
    score: float | None
    goal_progress: float | None


class Closed(_Event):
    """What became of the move."""

    event: Literal["closed"] = "closed"
    outcome: Outcome
    undo_method: str | None = None
    undo_proof: dict[str, Any] | None = None
    reason: str = ""


Event = Annotated[Opened | Applied | Judged | Closed, Field(discriminator="event")]
_EVENT: Final[TypeAdapter[Opened | Applied | Judged | Closed]] = TypeAdapter(Event)


class LedgerEntry(BaseModel):
    """All that the ledger holds of one move; later parts are None until they happen."""

    model_config = ConfigDict(frozen=True)

    opened: Opened
    applied: Applied | None = None
    judged: Judged | None = None
    closed: Closed | None = None

    @property
    def state(self) -> str:
        """Last event of the move."""
        last = self.closed or self.judged or self.applied or self.opened
        return last.event


class LedgerReading(BaseModel):
    """A ledger as read: its moves in order, and what could not be read."""

    model_config = ConfigDict(frozen=True)

    entries: tuple[LedgerEntry, ...]
    problems: tuple[str, ...] = ()


class Ledger:
    """Writer and reader of one ledger file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, event: Opened | Applied | Judged | Closed) -> None:
        """Put one event on disk.

        Raises
        ------
        Busy
            If another process holds the ledger for too long.
        """
        append_jsonl(self.path, event.model_dump(mode="json"))

    def read(self) -> LedgerReading:
        """Fold all events into entries.

        Raises
        ------
        TargetMissing
            If there is no ledger at this path.
        """
        lines = read_jsonl(self.path)
        problems = [f"line {number} is torn or corrupt" for number in lines.unreadable]
        entries: dict[str, LedgerEntry] = {}
        for record in lines.records:
            try:
                event = _EVENT.validate_python(record)
            except ValidationError as error:
                problems.append(f"an event does not fit its schema: {error.errors()[0]['msg']}")
                continue
            if isinstance(event, Opened):
                entries[event.move_id] = LedgerEntry(opened=event)
            elif event.move_id in entries:
                entry = entries[event.move_id]
                entries[event.move_id] = entry.model_copy(update={event.event: event})
            else:
                problems.append(f"{event.event} without opened for move {event.move_id}")
        return LedgerReading(entries=tuple(entries.values()), problems=tuple(problems))
