"""The studio as a process, also on the oldest Python that hosts scripts."""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pybackend

ROOT = Path(pybackend.__file__).parent.parent
STUDIO = ROOT / "pybackend" / "studio" / "live"


def _python37() -> str | None:
    """Find a Python 3.7: on the path, or where pyenv keeps its own."""
    found = shutil.which("python3.7")
    candidates = [found] if found else []
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates += [str(path) for path in pyenv.glob("versions/3.7.*/bin/python3.7")]
    for candidate in candidates:
        ran = subprocess.run([candidate, "-c", ""], check=False, capture_output=True)
        if ran.returncode == 0:
            return candidate
    return None


class Process:
    def __init__(self, python: str, *options: str) -> None:
        self.process = subprocess.Popen(
            [python, "-B", "-m", "pybackend.studio.live", "--set", "tiny", *options],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.ready = self._line()

    def _line(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def order(self, order: str, **values: Any) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"order": order, **values}) + "\n")
        self.process.stdin.flush()
        return self._line()

    def close(self) -> None:
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        self.process.wait()

    def end(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors


@pytest.fixture
def studio() -> Iterator[Process]:
    process = Process(sys.executable)
    yield process
    process.close()


def test_orders_are_obeyed_in_order(studio: Process) -> None:
    assert studio.ready["live"] == "12.4.6"
    assert studio.ready["pid"] == studio.process.pid
    track = ["tracks", 0]
    assert studio.order("user", do="rename", arguments=[{"path": track}, "mine"])["ok"]
    assert studio.order("read", path=track, name="name") == {"ok": True, "result": "mine"}
    clip = [*track, "clip_slots", 0, "clip"]
    assert studio.order("draw_notes", path=clip, notes=[[72, 0.0, 1.0]])["ok"]
    assert len(studio.order("dump")["result"]["tracks"][0]["clip_slots"][0]["clip"]["notes"]) == 5
    assert studio.order("user", do="undo")["ok"]
    assert studio.order("lost")["result"] == []
    assert studio.order("stall", seconds=0.05)["ok"]
    assert studio.order("load_set", set="band")["ok"]
    assert studio.order("read", path=["tracks", 1], name="name")["result"] == "Drums"
    assert studio.order("close_descriptors")["ok"]
    assert studio.order("violations")["result"] == []
    assert studio.order("quit")["ok"]
    assert studio.end() == (0, "")


@pytest.mark.parametrize(
    "order",
    [
        {"order": "exec"},
        {"order": "user", "do": "__init__"},
        {"order": "read", "path": ["__class__"], "name": "name"},
        {"order": "read", "path": ["tracks", 99], "name": "name"},
    ],
)
def test_other_orders_are_refused(studio: Process, order: dict[str, Any]) -> None:
    answer = studio.order(**order)
    assert not answer["ok"]
    assert answer["error"]


def test_it_can_be_killed(studio: Process) -> None:
    studio.process.kill()
    code, _ = studio.end()
    assert code == (-signal.SIGKILL if hasattr(signal, "SIGKILL") else 1)


def test_it_ends_when_nobody_orders_any_more(studio: Process) -> None:
    assert studio.process.stdin is not None
    studio.process.stdin.close()
    assert studio.process.wait(timeout=10) == 0


def test_the_source_is_python_3_7() -> None:
    files = [*STUDIO.rglob("*.py"), STUDIO.parent / "__init__.py", ROOT / "pybackend/__init__.py"]
    assert len(files) > 40
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"), str(file), feature_version=(3, 7))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                package = node.module.split(".")[0]
                assert package in {"pybackend", *sys.stdlib_module_names}, (file, node.module)


def test_python_3_7_hosts_it() -> None:
    python = _python37()
    if python is None:
        pytest.skip("no Python 3.7 at hand")
    old = Process(python, "--live", "11.3")
    try:
        assert old.ready["live"] == "11.3.10"
        assert old.order("user", do="set_tempo", arguments=[96.0])["ok"]
        assert old.order("user", do="create_track", arguments=["midi"])["ok"]
        assert old.order("read", path=["tracks", 2], name="name")["result"] == "3-MIDI"
        assert old.order("user", do="undo")["ok"]
        assert not old.order("read", path=["tracks", 2], name="name")["ok"]
        assert old.order("load_set", set="band")["ok"]
        assert old.order("quit")["ok"]
        assert old.end() == (0, "")
    finally:
        old.close()
