from __future__ import annotations

from pathlib import Path

import pytest

from pybackend.errors import InputError, TargetMissing
from pybackend.files import read_json, read_jsonl
from pybackend.loop.runfolder import RunFolder, changed_files


def test_a_run_leaves_metadata_log_and_a_manifest_that_holds(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "demo") as run:
        assert read_json(run.path / "run_metadata.json")["status"] == "running"
        run.write_json("moves/0001/verdict.json", {"decision": "keep"})
        run.log("judged", move="0001")
    assert run.path == tmp_path / "runs" / "iteration-1" / "demo"
    metadata = read_json(run.path / "run_metadata.json")
    assert metadata["status"] == "completed"
    assert metadata["duration_ms"] >= 0
    assert read_jsonl(run.path / "logs" / "run.jsonl").records[0]["move"] == "0001"
    assert changed_files(run.path) == []


def test_every_change_after_the_end_shows(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "demo") as run:
        changed = run.write_json("changed.json", 1)
        removed = run.write_json("removed.json", 1)
    changed.write_text("2\n")
    removed.unlink()
    (run.execution / "added.json").write_text("3\n")
    assert changed_files(run.path) == [
        f"execution/{name}.json" for name in ("added", "changed", "removed")
    ]


def test_a_failed_run_says_so(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, "demo")
    with pytest.raises(ZeroDivisionError), run:
        1 / 0  # noqa: B018
    assert read_json(run.path / "run_metadata.json")["status"] == "failed"
    assert "ZeroDivisionError" in read_jsonl(run.path / "logs" / "run.jsonl").records[0]["error"]
    assert changed_files(run.path) == []


def test_iterations_count_up_past_gaps_and_strangers(tmp_path: Path) -> None:
    for name in ("iteration-3", "iteration-10", "iteration-x", "notes"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    assert RunFolder.create(tmp_path, "a").path.parent.name == "iteration-11"
    assert RunFolder.create(tmp_path, "a").path.parent.name == "iteration-12"


@pytest.mark.parametrize("group", ["", "..", "a/b", "a b", "-x", "x" * 65, "a\n"])
def test_groups_are_plain_names(tmp_path: Path, group: str) -> None:
    with pytest.raises(InputError, match="group"):
        RunFolder.create(tmp_path, group)


def test_a_workspace_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file stands where the folder should be")
    with pytest.raises(InputError, match="--workspace"):
        RunFolder.create(tmp_path, "demo")


def test_an_unfinished_run_has_no_manifest(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, "demo")
    with pytest.raises(TargetMissing, match="manifest"):
        changed_files(run.path)
