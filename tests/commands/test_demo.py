from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pybackend.cli import main
from pybackend.files import read_json
from pybackend.loop.ledger import Ledger
from pybackend.loop.runfolder import changed_files
from pybackend.stream.replay import load_recording


class Ran(NamedTuple):
    run: Path
    report: dict[str, Any]
    printed: str


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    workspace = tmp_path_factory.mktemp("workspace")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["demo", "--workspace", str(workspace)]) == 0
    run = workspace / "runs" / "iteration-1" / "demo"
    return Ran(run, read_json(run / "execution" / "report.json"), printed.getvalue())


def test_three_moves_get_three_honest_verdicts(ran: Ran) -> None:
    decisions = {move["id"]: move["decision"] for move in ran.report["moves"]}
    assert decisions == {"0001-louder": "undo", "0002-nothing": "undo", "0003-shelf": "keep"}
    louder, nothing, shelf = ran.report["moves"]
    assert louder["level_match_lu"] == pytest.approx(-3.0, abs=0.3)
    assert abs(nothing["level_match_lu"]) < 0.3
    assert shelf["score"] > 0.7
    assert shelf["goal_progress"] == 1.0


def test_every_capture_is_recorded_whole(ran: Ran) -> None:
    recordings = sorted((ran.run / "execution" / "recordings").glob("*.pcap"))
    assert len(recordings) == 9
    for path in recordings:
        recording = load_recording(path)
        assert [len(frames) for frames in recording.frames.values()] == [320]
        assert recording.rejects == {}
        assert [device.is_master for device in recording.devices] == [True]


def test_the_ledger_tells_each_move_from_intent_to_outcome(ran: Ran) -> None:
    reading = Ledger(ran.run / "execution" / "ledger.jsonl").read()
    assert reading.problems == ()
    assert [entry.state for entry in reading.entries] == ["closed"] * 3
    outcomes = [entry.closed.outcome for entry in reading.entries if entry.closed]
    assert outcomes == ["undone", "undone", "kept"]
    for entry in reading.entries:
        assert entry.judged is not None
        for name in (*entry.opened.before, *entry.judged.after, entry.judged.verdict):
            assert (ran.run / "execution" / name).is_file()


def test_the_manifest_holds(ran: Ran) -> None:
    assert changed_files(ran.run) == []
    assert read_json(ran.run / "run_metadata.json")["status"] == "completed"


def test_replaying_the_run_gives_the_same_verdicts_to_the_last_digit(
    ran: Ran, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(ran.run), "--json"]) == 10
    again = json.loads(capsys.readouterr().out)["moves"]
    for move in again:
        recorded = read_json(ran.run / "execution" / "moves" / move["id"] / "verdict.json")
        assert move["verdict"] == recorded


def test_json_is_one_document_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--workspace", str(tmp_path), "--bars", "4", "--json"]) == 0
    printed = capsys.readouterr().out
    report = json.loads(printed)
    assert report["run"].endswith("runs/iteration-1/demo")
    assert len(report["moves"]) == 3


def test_people_read_decisions_and_where_everything_is(ran: Ran) -> None:
    assert "Master fader +3 dB: UNDO" in ran.printed
    assert "High shelf +3 dB above 3 kHz: KEEP" in ran.printed
    assert "movejudge replay" in ran.printed


@pytest.mark.parametrize("wrong", [["--bars", "3"], ["--bars", "65"], ["--seed", "-1"]])
def test_wrong_numbers_are_one_line(
    wrong: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--workspace", str(tmp_path), *wrong]) == 2
    assert capsys.readouterr().err.startswith(f"movejudge: {wrong[0]} {wrong[1]}: use")
    assert list(tmp_path.iterdir()) == []
