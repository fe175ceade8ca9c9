"""Hatchling's hook: builds the device and puts it and the remote script into the wheel.

An editable install gets neither, since its package is the checkout: there `pybackend.assets` finds
them where they were built or written.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ASSETS = "pybackend/_assets"
DEVICE = Path("build") / "out" / "MoveJudge Analyzer.amxd"
REMOTE_SCRIPT = Path("remote_script") / "MoveJudge"


class AssetsHook(BuildHookInterface[Any]):
    """Adds what Live needs to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the device; a device that cannot be built stops the wheel."""
        root = Path(self.root)
        command = [sys.executable, "-B", str(root / "build" / "make_device.py")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or "build/make_device.py failed")
        if version == "editable":
            return
        build_data["force_include"][str(root / DEVICE)] = f"{ASSETS}/{DEVICE.name}"
        for path in sorted((root / REMOTE_SCRIPT).rglob("*.py")):
            inside = path.relative_to(root / REMOTE_SCRIPT.parent)
            build_data["force_include"][str(path)] = f"{ASSETS}/{inside.as_posix()}"
