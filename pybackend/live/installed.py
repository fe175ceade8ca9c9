"""The record of what was installed: a file in the state folder with checksums.

``{"schema_version": 1, "libraries": {"/a/User Library": {"Remote Scripts/...": ["sha256", ...]}},
"launcher": ["sha256", ...]}``. A file is ours while its content is among those named: usually one,
and two while an update is being written, so that a crash in between loses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from pybackend import files
from pybackend.config import state_folder
from pybackend.errors import InputError, TargetMissing

SCHEMA_VERSION: Final = 1


@dataclass(slots=True)
class Installed:
    """What was installed, and where.

    Attributes
    ----------
    libraries : dict
        For each library the files in it, by path inside it, with the checksums that are ours.
    launcher : list of str
        Checksums of ``launcher.json``.
    corrupt : bool
        Whether the file on disk cannot be read; it is set aside before it is written again.
    """

    libraries: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    launcher: list[str] = field(default_factory=list)
    corrupt: bool = False


def record_path() -> Path:
    """File of the record."""
    return state_folder() / "installed.json"


def read_record(path: Path) -> Installed:
    """Read the record; an empty one if there is none or it is corrupt."""
    try:
        document = files.read_json(path)
        return _parse(document)
    except TargetMissing:
        return Installed()
    except (InputError, ValueError):
        return Installed(corrupt=True)


def write_record(path: Path, record: Installed) -> None:
    """Write the record, or remove the file when nothing is installed."""
    if record.corrupt:
        files.set_aside(path)
        record.corrupt = False
    if not record.libraries and not record.launcher:
        path.unlink(missing_ok=True)
        return
    files.write_json(
        path,
        {
            "schema_version": SCHEMA_VERSION,
            "libraries": record.libraries,
            "launcher": record.launcher,
        },
    )


def _parse(document: Any) -> Installed:
    if not isinstance(document, dict) or document.get("schema_version") != SCHEMA_VERSION:
        raise ValueError("another schema")
    libraries = document.get("libraries")
    launcher = document.get("launcher")
    if not isinstance(libraries, dict) or not isinstance(launcher, list):
        raise ValueError("parts are missing")
    if not _is_checksums(launcher):
        raise ValueError("the launcher's checksums are none")
    for library, content in libraries.items():
        if not Path(library).is_absolute() or not isinstance(content, dict):
            raise ValueError("a library is not one")
        if not all(_is_inside(name) and _is_checksums(sums) for name, sums in content.items()):
            raise ValueError("a file is not inside its library")
    return Installed(libraries, launcher)


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and not {"..", "."} & set(path.parts)


def _is_checksums(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
