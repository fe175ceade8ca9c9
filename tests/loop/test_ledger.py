from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from pybackend.errors import TargetMissing
from pybackend.files import append_jsonl
from pybackend.loop.ledger import Applied, Closed, Judged, Ledger, Move, Opened, ParameterChange

MOVE = Move(
    kind="device_parameter",
    description="High shelf +2 dB at 4 kHz",
    changes=(ParameterChange(target="EQ Eight/4 Gain", before=0.0, after=2.0, unit="dB"),),
)


def opened(move_id: str) -> Opened:
    return Opened(
        move_id=move_id,
        intent="brighter",
        move=MOVE,
        goal_vector={"targets": {"brightness": 1.0}},
        before=("moves/1/before-1.json",),
    )


def judged(move_id: str) -> Judged:
    return Judged(
        move_id=move_id,
        after=("moves/1/after-1.json",),
        verdict="moves/1/verdict.json",
        decision="keep",
        keep_change=True,
        score=0.8,
        goal_progress=1.0,
    )


def test_events_fold_into_entries_in_order(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append(opened("m1"))
    ledger.append(Applied(move_id="m1"))
    ledger.append(judged("m1"))
    ledger.append(Closed(move_id="m1", outcome="kept"))
    ledger.append(opened("m2"))
    first, second = ledger.read().entries
    assert first.opened.move == MOVE
    assert first.judged is not None
    assert first.judged.score == 0.8
    assert (first.state, second.state) == ("closed", "opened")


def test_after_a_crash_the_last_event_says_where_the_session_is(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append(opened("m1"))
    ledger.append(Applied(move_id="m1"))
    with ledger.path.open("ab") as file:
        file.write(b'{"event": "judged", "move_id": "m1", "ti')
    reading = ledger.read()
    assert [entry.state for entry in reading.entries] == ["applied"]
    assert reading.problems == ("line 3 is torn or corrupt",)


def test_foreign_lines_are_reported_and_nothing_is_lost(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.append(opened("m1"))
    append_jsonl(ledger.path, {"event": "exploded"})
    append_jsonl(ledger.path, Applied(move_id="never-opened").model_dump(mode="json"))
    reading = ledger.read()
    assert len(reading.entries) == 1
    assert len(reading.problems) == 2
    assert "never-opened" in reading.problems[1]


def test_no_ledger_is_missing(tmp_path: Path) -> None:
    with pytest.raises(TargetMissing):
        Ledger(tmp_path / "ledger.jsonl").read()


def test_a_misspelt_field_is_refused() -> None:
    with pytest.raises(ValidationError):
        Closed.model_validate({"move_id": "m", "outcome": "kept", "undo_methd": "x"})
