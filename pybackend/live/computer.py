"""Checks of the computer: Python, package, clock, folders, compiled kernels, ports."""

from __future__ import annotations

import http.client
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

from pybackend import files
from pybackend.config import HOST, app_version, state_folder
from pybackend.live.finding import Finding, Status
from pybackend.live.holders import holder_of

OLDEST_PYTHON: Final = (3, 11)
TIMEOUT_S: Final = 1.0
STATUS_LIMIT_BYTES: Final = 64 * 1024
UNKNOWN: Final = "somebody the system does not name"


def check_python(version: tuple[int, ...] | None = None) -> Finding:
    """Check that Python is new enough."""
    found = tuple(sys.version_info[:3]) if version is None else version
    detail = f"{'.'.join(map(str, found))} at {sys.executable}"
    if found < OLDEST_PYTHON:
        return Finding("python", Status.FAIL, detail, "install Python 3.11 or later")
    return Finding("python", Status.PASS, detail)


def check_package() -> Finding:
    """Check that the package is an installed one that knows its version."""
    version = app_version()
    if version == "0+unknown":
        return Finding(
            "package",
            Status.WARN,
            "a source tree that is not installed; it does not know its version",
            "run: pip install -e . (or install movejudge)",
        )
    return Finding("package", Status.PASS, f"movejudge {version}")


def check_clock(now_s: float | None = None) -> Finding:
    """Check that the clock is not before the newest file of the package."""
    newest_s = max(path.stat().st_mtime for path in Path(__file__).parents[1].glob("*.py"))
    now_s = time.time() if now_s is None else now_s
    told = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now_s))
    if now_s < newest_s - 1.0:
        return Finding(
            "clock",
            Status.FAIL,
            f"{told} is before MoveJudge was written to this disk",
            "set the clock; verdicts and records carry its time",
        )
    return Finding("clock", Status.PASS, told)


def check_home() -> Finding:
    """Warn of a state folder that only this shell knows."""
    home = os.environ.get("MOVEJUDGE_HOME")
    if home:
        return Finding(
            "MOVEJUDGE_HOME",
            Status.WARN,
            f"set to {home}",
            "a Live started from Dock, Finder or the Start menu does not see it, and looks for its "
            "files in the usual folder: unset it, or start Live from this shell",
        )
    return Finding("MOVEJUDGE_HOME", Status.PASS, "not set")


def check_folder(check: str, folder: Path) -> Finding:
    """Check that files can be written in a folder; one that does not exist is not made."""
    existing = folder.absolute()
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        return Finding(
            check,
            Status.FAIL,
            f"{folder} cannot be written: {error.strerror or error}",
            f"let your user write in {existing}",
        )
    made = "" if existing == folder.absolute() else " (will be made)"
    return Finding(check, Status.PASS, f"{folder}{made}")


def check_state_folder() -> Finding:
    """Check that the state folder can be written."""
    return check_folder("state folder", state_folder())


def check_workspace(workspace: Path) -> Finding:
    """Check that the workspace can be written."""
    return check_folder("workspace", workspace)


def check_kernels() -> Finding:
    """Check that compiled kernels can be kept on disk."""
    try:
        from pybackend import metering  # noqa: PLC0415
        from pybackend.jit import cache_folder  # noqa: PLC0415
    except ImportError as error:
        return Finding(
            "kernels", Status.FAIL, f"numba cannot be loaded: {error}", "install movejudge again"
        )
    found = check_folder("kernels", cache_folder(Path(str(metering.__file__)).parent))
    if found.status is Status.FAIL:
        return Finding(
            "kernels",
            Status.WARN,
            found.detail,
            "every start compiles again, which takes a while: point NUMBA_CACHE_DIR to a folder "
            "you can write",
        )
    return found


class Answer(NamedTuple):
    """Who answers at the HTTP port: ``free``, ``backend``, ``silent`` or ``foreign``."""

    kind: str
    version: str = ""


def ask_backend(port: int) -> Answer:
    """Ask ``/status`` of whoever has the HTTP port."""
    connection = http.client.HTTPConnection(HOST, port, timeout=TIMEOUT_S)
    try:
        connection.connect()
    except OSError:
        return Answer("free")
    try:
        connection.request("GET", "/status")
        status: Any = files.loads(_body(connection.getresponse()))
    except OSError:
        return Answer("silent")
    except (ValueError, http.client.HTTPException):
        return Answer("foreign")
    finally:
        connection.close()
    if isinstance(status, dict) and status.get("app") == "movejudge":
        return Answer("backend", str(status.get("version", ""))[:40])
    return Answer("foreign")


def _body(response: http.client.HTTPResponse) -> bytes:
    """Read a body of bounded size in bounded time; the socket's timeout bounds each part only."""
    body, end_s = b"", time.monotonic() + TIMEOUT_S
    while part := response.read1(STATUS_LIMIT_BYTES):
        body += part
        if len(body) > STATUS_LIMIT_BYTES:
            raise ValueError("too long for a status")
        if time.monotonic() > end_s:
            raise TimeoutError
    return body


def check_http_port(port: int, answer: Answer) -> Finding:
    """Check that the HTTP port is free or has our backend."""
    check = f"HTTP port {port}"
    if answer.kind == "free":
        return Finding(check, Status.PASS, "free")
    if answer.kind == "backend":
        ours = app_version()
        if answer.version != ours:
            return Finding(
                check,
                Status.WARN,
                f"a backend of version {answer.version or 'unknown'} runs, this is {ours}",
                "stop it and start it again",
            )
        return Finding(check, Status.PASS, f"the backend runs, version {ours}")
    holder = holder_of("tcp", port) or UNKNOWN
    return Finding(
        check,
        Status.FAIL,
        f"held by {holder}, which is no MoveJudge backend",
        "close that program; the device's Start button needs this port",
    )
