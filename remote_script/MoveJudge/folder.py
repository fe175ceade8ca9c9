"""The state folder, computed as the backend does but with the standard library of Python 3.7."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def state_folder() -> Path:
    r"""Folder of what outlives a session; the same rule as the backend's.

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
