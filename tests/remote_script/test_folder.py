"""The script and the backend agree on the state folder, the port, and the rendezvous file."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from pybackend import config
from remote_script.MoveJudge import folder, listener
from remote_script.MoveJudge.rendezvous import Rendezvous

CASES = [
    ("linux", {"MOVEJUDGE_HOME": "/somewhere/else"}),
    ("linux", {"XDG_STATE_HOME": "/state"}),
    ("linux", {}),
    ("darwin", {"XDG_STATE_HOME": "/state"}),
    ("darwin", {"MOVEJUDGE_HOME": "/m"}),
    ("win32", {"LOCALAPPDATA": "/local"}),
    ("win32", {}),
]


@pytest.mark.parametrize(("platform", "environment"), CASES)
def test_same_folder(
    platform: str, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOVEJUDGE_HOME", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert folder.state_folder() == config.state_folder()


def test_same_port() -> None:
    assert (listener.HOST, listener.PREFERRED_PORT) == (config.HOST, config.SCRIPT_PORT)


def test_rendezvous_is_private_whole_and_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOVEJUDGE_HOME", str(tmp_path / "new"))
    ours = Rendezvous("ab" * 32, "boot1")
    ours.publish(4711)
    content = json.loads(ours.path.read_text())
    assert ours.path.name == f"remote-{os.getpid()}.json"
    assert set(content) == {
        "schema_version", "host", "port", "token", "boot_id", "pid", "version", "created"
    }  # fmt: skip
    assert (content["port"], content["pid"], content["boot_id"]) == (4711, os.getpid(), "boot1")
    if os.name == "posix":
        assert stat.S_IMODE(ours.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(ours.path.parent.stat().st_mode) == 0o700
    after_reload = Rendezvous("cd" * 32, "boot2")
    after_reload.publish(4712)
    ours.remove()
    assert json.loads(ours.path.read_text())["boot_id"] == "boot2"
    after_reload.remove()
    assert not list(ours.path.parent.iterdir())
