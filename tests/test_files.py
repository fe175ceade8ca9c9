from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend import files
from pybackend.errors import Busy, InputError, TargetMissing

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_json_survives_the_round_trip(value: object) -> None:
    assert files.loads(files.dumps(value)) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1.0, float("-inf")]])
def test_non_finite_numbers_never_reach_a_file(tmp_path: Path, value: object) -> None:
    path = tmp_path / "a.json"
    files.write_json(path, {"old": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.write_json(path, value)
    assert files.read_json(path) == {"old": 1}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["{", "", "NaN", '{"a": -Infinity}', "[1,]"])
def test_what_is_not_json_is_an_input_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match="not JSON"):
        files.read_json(path)
    assert path.read_text() == text


def test_missing_files_are_missing(tmp_path: Path) -> None:
    with pytest.raises(TargetMissing):
        files.read_json(tmp_path / "none.json")
    with pytest.raises(TargetMissing):
        files.read_jsonl(tmp_path / "none.jsonl")
    with pytest.raises(InputError):
        files.read_json(tmp_path)


def test_a_torn_line_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    files.append_jsonl(path, {"n": 1})
    with path.open("ab") as file:
        file.write(b'{"n": 2, "text": "to')
    files.append_jsonl(path, {"n": 3})
    assert files.read_jsonl(path) == ([{"n": 1}, {"n": 3}], [2])


def test_threads_that_append_together_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: files.append_jsonl(path, n), range(80)))
    records, unreadable = files.read_jsonl(path)
    assert sorted(records) == list(range(80))
    assert unreadable == []


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL does not exist on Windows")
def test_a_killed_writer_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    code = (
        "import sys, itertools\n"
        "from pathlib import Path\n"
        "from pybackend.files import append_jsonl\n"
        "for n in itertools.count(): append_jsonl(Path(sys.argv[1]), {'n': n, 'pad': 'x' * 200})"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(path)])
    while not path.exists() or path.stat().st_size < 4000:
        assert child.poll() is None
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    files.append_jsonl(path, {"n": "after"})
    records, unreadable = files.read_jsonl(path)
    numbers = [record["n"] for record in records]
    assert numbers[-1] == "after"
    assert numbers[:-1] == list(range(len(numbers) - 1))
    assert len(unreadable) <= 1


def test_a_held_lock_is_busy(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with (
        files.locked(path),
        pytest.raises(Busy, match="another process"),
        files.locked(path, timeout_s=0.05),
    ):
        pass


def test_setting_aside_overwrites_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    for text in ("one", "two"):
        path.write_text(text)
        files.set_aside(path)
    assert {child.name: child.read_text() for child in tmp_path.iterdir()} == {
        "state.json.corrupt-1": "one",
        "state.json.corrupt-2": "two",
    }


def test_sha256_is_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert files.file_sha256(path).startswith("ba7816bf8f01cfea")


def test_json_keeps_text_readable() -> None:
    assert json.loads(files.dumps({"é": "−23 LUFS"})) == {"é": "−23 LUFS"}
    assert "é" in files.dumps("é")
