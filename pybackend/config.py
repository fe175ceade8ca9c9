"""Ports, paths and names that every part agrees on. Standard library only."""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

HOST: Final = "127.0.0.1"
UDP_PORT: Final = 9701
HTTP_PORT: Final = 9702
SCRIPT_PORT: Final = 9703

RECEIVE_BUFFER_BYTES: Final = 1 << 20
RING_SECONDS: Final = 600
STALE_AFTER_S: Final = 5.0

EXIT_OK: Final = 0
EXIT_NOT_KEPT: Final = 10
EXIT_INCONCLUSIVE: Final = 11


def app_version() -> str:
    """Version of the installed distribution, or ``0+unknown`` in a bare source tree."""
    try:
        return version("movejudge")
    except PackageNotFoundError:
        return "0+unknown"


def state_folder() -> Path:
    r"""Folder of what outlives a workspace; the device's launcher computes the same path.

    ``MOVEJUDGE_HOME`` if it is set, else ``~/Library/Application Support/MoveJudge`` on macOS,
    ``%LOCALAPPDATA%\MoveJudge`` on Windows, and ``$XDG_STATE_HOME/MoveJudge`` or
    ``~/.local/state/MoveJudge`` elsewhere.
    """
    home = os.environ.get("MOVEJUDGE_HOME")
    if home:
        return Path(home)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "MoveJudge"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "MoveJudge"
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "MoveJudge"


def launcher_config_path() -> Path:
    """File in which the installer leaves the interpreter's absolute path for the device's launcher.

    JSON: ``{"schema_version": 1, "python": "/abs/python", "args": ["-m", "pybackend", "serve"],
    "udp_port": 9701, "http_port": 9702}``.
    """
    return state_folder() / "launcher.json"
