from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pybackend.errors import PlanError, TargetMissing
from pybackend.files import write_json
from pybackend.loop.plan import load_plan

CAPTURE = {"recording": "a.pcap", "window": {"start_beats": 0, "end_beats": 32}}


def move(**changes: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "targets": {"brightness": 1},
        "before": [CAPTURE],
        "after": [CAPTURE],
    } | changes


def plan(*moves: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"schema_version": 1, "moves": list(moves)} | changes


def test_a_plan_names_goal_and_windows(tmp_path: Path) -> None:
    path = tmp_path / "moves.json"
    write_json(path, plan(move(mode="finish"), move(id="2"), loop_beats=16))
    loaded = load_plan(path)
    assert [item.id for item in loaded.moves] == ["1", "2"]
    assert loaded.moves[0].before[0].window is not None
    assert loaded.moves[0].before[0].window.end_beats == 32


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (plan(), "moves"),
        (plan(move(), move()), "twice"),
        (plan(move(targets=None)), "targets"),
        (plan(move(goal_vector={})), "either"),
        (plan(move(before=[])), "before"),
        (plan(move(before=[{"recording": "../secret.pcap"}])), "below the plan's folder"),
        (plan(move(before=[{"recording": "/etc/passwd"}])), "below the plan's folder"),
        (plan(move(before=[{"recording": "C:\\secret.pcap"}])), "below the plan's folder"),
        (plan(move(before=[{"recording": "a\\..\\..\\b.pcap"}])), "below the plan's folder"),
        (plan(move(before=[CAPTURE | {"window": {"start_beats": 4, "end_beats": 2}}])), "after"),
        (plan(move(befor=[CAPTURE])), "befor"),
        (plan(move(), schema_version=2), "schema_version"),
        (plan(move(), min_bars=2), "min_bars"),
        ([], "plan"),
    ],
)
def test_a_wrong_plan_names_what_is_wrong(tmp_path: Path, wrong: Any, says: str) -> None:
    path = tmp_path / "moves.json"
    write_json(path, wrong)
    with pytest.raises(PlanError, match=says) as raised:
        load_plan(path)
    assert "\n" not in str(raised.value)


def test_no_plan_is_missing_and_no_json_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(TargetMissing):
        load_plan(tmp_path / "moves.json")
    (tmp_path / "moves.json").write_text("{")
    with pytest.raises(PlanError, match="not JSON"):
        load_plan(tmp_path / "moves.json")
