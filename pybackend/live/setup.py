"""Checks of what is installed for Live: library, script, device, launcher's configuration."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from pybackend.config import launcher_config_path
from pybackend.errors import InputError, TargetMissing
from pybackend.live.finding import Finding, Status
from pybackend.live.installing import DEVICE_PLACE, SCRIPT_PLACE, checksum, sources
from pybackend.live.launcher import interpreter, read_launcher
from pybackend.live.places import Library, Machine, find_library

INSTALL = "run: movejudge install"
NO_LIBRARY = "no User Library to look in"


def check_library(machine: Machine, given: Path | None) -> tuple[Finding, Library | None]:
    """Look for Live's User Library; a machine without Live is no failure."""
    try:
        library = find_library(machine, given)
    except (TargetMissing, InputError) as error:
        what, _, hint = str(error).partition("; ")
        found_live = "says" in what or given is not None
        return Finding("library", Status.FAIL if found_live else Status.SKIP, what, hint), None
    if library.notes:
        detail = f"{library.folder} ({library.source})"
        return Finding("library", Status.WARN, detail, "; ".join(library.notes)), library
    return Finding("library", Status.PASS, f"{library.folder} ({library.source})"), library


def check_script(library: Library | None) -> Finding:
    """Check that the installed script is the one this package carries."""
    check = "remote script"
    if library is None:
        return Finding(check, Status.SKIP, NO_LIBRARY)
    folder = library.folder / SCRIPT_PLACE
    if not folder.is_dir():
        return Finding(check, Status.FAIL, f"not installed in {folder.parent}", INSTALL)
    try:
        carried = sources()
    except TargetMissing as error:
        return _no_sources(check, error)
    ours = {library.folder / name: path for name, path in carried.items() if name != DEVICE_PLACE}
    differing = [path.name for path, source in ours.items() if checksum(path) != checksum(source)]
    extra = [path.name for path in sorted(folder.glob("*.py")) if path not in ours]
    version = _script_version(folder)
    if differing:
        return Finding(
            check,
            Status.FAIL,
            f"version {version} in {folder} is not what this MoveJudge carries: "
            f"{len(differing)} of {len(ours)} files differ, first {differing[0]}",
            f"{INSTALL}, then restart Live",
        )
    if extra:
        return Finding(
            check,
            Status.WARN,
            f"{folder} holds files that are not ours: {', '.join(extra[:3])}",
            "remove them unless you put them there",
        )
    return Finding(check, Status.PASS, f"version {version}, {len(ours)} files, checksums agree")


def check_device(library: Library | None) -> Finding:
    """Check that the installed device is the one this package carries."""
    check = "device file"
    if library is None:
        return Finding(check, Status.SKIP, NO_LIBRARY)
    installed = library.folder / DEVICE_PLACE
    if not installed.exists():
        return Finding(check, Status.FAIL, f"not installed in {installed.parent}", INSTALL)
    try:
        source = sources()[DEVICE_PLACE]
    except TargetMissing as error:
        return _no_sources(check, error)
    if checksum(installed) != checksum(source):
        return Finding(
            check,
            Status.FAIL,
            f"{installed} is not the device this MoveJudge carries",
            f"{INSTALL}, then drag the device onto the master again",
        )
    return Finding(check, Status.PASS, f"{installed}, checksum agrees")


def check_launcher(library: Library | None) -> Finding:
    """Check the configuration from which the device's Start button starts the backend."""
    check, path = "launcher", launcher_config_path()
    try:
        content = read_launcher(path)
    except TargetMissing:
        if library is None:
            return Finding(check, Status.SKIP, f"no {path.name}: nothing is installed")
        return Finding(check, Status.FAIL, f"no {path}", INSTALL)
    except InputError as error:
        return Finding(check, Status.FAIL, str(error).partition(";")[0], INSTALL)
    python = Path(content["python"])
    if not python.is_file():
        return Finding(check, Status.FAIL, f"no Python at {python}", INSTALL)
    ours = interpreter(Path(sys.executable), sys.platform)
    if python != ours:
        return Finding(
            check,
            Status.WARN,
            f"the device starts {python}, this is {ours}",
            f"to have it start this one, {INSTALL}",
        )
    return Finding(check, Status.PASS, f"the device starts {python}")


def _no_sources(check: str, error: TargetMissing) -> Finding:
    what, _, hint = str(error).rpartition(": ")
    return Finding(check, Status.WARN, f"cannot be compared: {what}", hint)


def _script_version(folder: Path) -> str:
    try:
        text = (folder / "version.py").read_text("utf-8")
    except (OSError, ValueError):
        return "unknown"
    found = re.search(r'^SCRIPT_VERSION = "([^"\n]{1,40})"', text, re.MULTILINE)
    return found[1] if found else "unknown"
