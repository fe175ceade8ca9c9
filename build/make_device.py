"""Builds the Max for Live device from its sources; standard library only.

``python build/make_device.py`` writes ``build/out/MoveJudge Analyzer.amxd``, frozen, with the
launcher inside, and ``build/out/dev/`` with the same device not frozen and the launcher beside it.
The bytes depend on the sources alone: not on the time, the folder or the machine.
"""

from __future__ import annotations

import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from m4l import amxd  # noqa: E402 - the sources stand beside this folder, not on the path
from m4l.check import BuildError, check  # noqa: E402
from m4l.dsp import codebox  # noqa: E402
from m4l.launch import LAUNCHER  # noqa: E402
from m4l.patch import device_patcher  # noqa: E402
from pybackend.errors import MoveJudgeError  # noqa: E402

DEVICE_NAME = "MoveJudge Analyzer.amxd"


@dataclass(frozen=True, slots=True)
class Built:
    """Files that a build wrote.

    Attributes
    ----------
    release : Path
        Device for users: frozen, with the launcher inside.
    dev : Path
        The same device, not frozen.
    launcher : Path
        Launcher beside ``dev``.
    """

    release: Path
    dev: Path
    launcher: Path


def build(out: Path) -> Built:
    """Build both forms of the device into a folder, or nothing if anything is wrong.

    Parameters
    ----------
    out : Path
        Folder; it is made when it does not exist.

    Raises
    ------
    MoveJudgeError
        What is wrong with the sources, before anything is written.
    """
    launcher = (ROOT / "m4l" / LAUNCHER).read_bytes()
    patcher = device_patcher(codebox(), device_version())
    check(patcher)
    entry = amxd.Entry("TEXT", LAUNCHER, launcher, amxd.FLAG_ON_DISK)
    release = amxd.write(amxd.frozen(patcher, DEVICE_NAME, (entry,)))
    dev = amxd.write(amxd.unfrozen(patcher, has_dependencies=True))
    built = Built(out / DEVICE_NAME, out / "dev" / DEVICE_NAME, out / "dev" / LAUNCHER)
    built.dev.parent.mkdir(parents=True, exist_ok=True)
    built.release.write_bytes(release)
    built.dev.write_bytes(dev)
    built.launcher.write_bytes(launcher)
    return built


def device_version() -> tuple[int, int, int]:
    """Version of the project, which the device tells the backend.

    Raises
    ------
    BuildError
        The version is not three numbers.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    parts = str(project["version"]).split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise BuildError(
            f"the version {project['version']} is not three numbers: see pyproject.toml"
        )
    major, minor, patch = (int(part) for part in parts)
    return major, minor, patch


def main() -> int:
    """Build into ``build/out`` and say what was written."""
    start_s = time.perf_counter()
    try:
        built = build(ROOT / "build" / "out")
    except MoveJudgeError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    took_s = time.perf_counter() - start_s
    for path in (built.release, built.dev, built.launcher):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes")
    print(f"built in {took_s:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
