"""``launcher.json``: how the device's launcher starts the backend.

The launcher inside the device reads the file strictly; what is checked here is what it checks.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Final

from pybackend import files
from pybackend.config import HTTP_PORT, UDP_PORT
from pybackend.errors import InputError, TargetMissing

SCHEMA_VERSION: Final = 1
MAX_BYTES: Final = 16 * 1024
MAX_ARGUMENTS: Final = 32
ARGUMENTS: Final = ("-m", "pybackend", "serve")
_DRIVE_OR_SHARE: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\[^\\]")


def interpreter(executable: Path, platform: str) -> Path:
    """Interpreter that the launcher starts: on Windows the one that opens no console window.

    A link is not followed: in a virtual environment that would lead out of it.
    """
    windowless = executable.with_name("pythonw.exe")
    if platform == "win32" and windowless.is_file():
        return windowless
    return executable


def launcher_bytes(python: Path, existing: Path) -> bytes:
    """Content of the file for this interpreter; ports that a person chose are kept.

    Parameters
    ----------
    python : Path
        Absolute path of the interpreter.
    existing : Path
        The file as it is now; it may be missing or invalid.
    """
    try:
        before = read_launcher(existing)
    except (TargetMissing, InputError):
        before = {}
    content = {
        "schema_version": SCHEMA_VERSION,
        "python": str(python),
        "args": list(ARGUMENTS),
        "udp_port": before.get("udp_port", UDP_PORT),
        "http_port": before.get("http_port", HTTP_PORT),
    }
    return (files.dumps(content, indent=2) + "\n").encode()


def read_launcher(path: Path) -> dict[str, Any]:
    """Read and check the file as the device's launcher does.

    Raises
    ------
    TargetMissing
        If there is none.
    InputError
        If the launcher would refuse it.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: larger than {MAX_BYTES} bytes; run: movejudge install")
        text = path.read_bytes().decode()
    except (FileNotFoundError, NotADirectoryError):
        raise TargetMissing(f"{path}: no such file; run: movejudge install") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}); run: movejudge install") from None
    return parse_launcher(text, sys.platform, path)


def parse_launcher(text: str, platform: str, path: Path) -> dict[str, Any]:
    """Check the file's text.

    Parameters
    ----------
    text : str
        The text.
    platform : str
        As in ``sys.platform``; decides what an absolute path looks like.
    path : Path
        File to name in an error.

    Raises
    ------
    InputError
        If the launcher would refuse it.
    """
    try:
        document = files.loads(text)
        problem = _problem(document, platform)
    except (ValueError, RecursionError):
        problem = "not JSON"
    if problem is not None:
        raise InputError(f"{path}: {problem}; run: movejudge install")
    content: dict[str, Any] = document
    return content


def _problem(document: Any, platform: str) -> str | None:
    if not isinstance(document, dict):
        return "not an object"
    content: dict[str, Any] = document
    python, arguments = content.get("python"), content.get("args")
    is_list = isinstance(arguments, list) and 1 <= len(arguments) <= MAX_ARGUMENTS
    complaints = {
        f"schema_version is not {SCHEMA_VERSION}": _is_whole(content.get("schema_version"))
        and content["schema_version"] == SCHEMA_VERSION,
        "python is not an absolute path": _is_text(python) and _is_absolute(str(python), platform),
        f"args is not a list of 1 to {MAX_ARGUMENTS} texts": is_list
        and all(_is_text(argument) for argument in arguments or ()),
        "udp_port is not a port": _is_port(content.get("udp_port")),
        "http_port is not a port": _is_port(content.get("http_port")),
    }
    return next((complaint for complaint, good in complaints.items() if not good), None)


def _is_port(value: Any) -> bool:
    return _is_whole(value) and 1 <= value <= 65535


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_absolute(file: str, platform: str) -> bool:
    return bool(_DRIVE_OR_SHARE.match(file)) if platform == "win32" else file.startswith("/")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value
