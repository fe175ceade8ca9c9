"""Files that survive a crash: JSON replaced whole, JSON lines appended and synced.

Non-finite numbers never reach a file, a corrupt file is set aside and never overwritten, and two
processes that append to one file take turns through a lock file beside it.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from filelock import FileLock, Timeout

from pybackend.errors import Busy, InputError, TargetMissing

LOCK_TIMEOUT_S: Final = 10.0
MAX_JSON_BYTES: Final = 64 << 20
REPLACE_ATTEMPTS: Final = 20


def dumps(value: Any, *, indent: int | None = None) -> str:
    """JSON text with keys in their given order.

    Raises
    ------
    ValueError
        If ``value`` holds NaN or an infinity.
    """
    return json.dumps(value, allow_nan=False, ensure_ascii=False, indent=indent)


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def loads(text: str | bytes) -> Any:
    """Parse JSON; NaN and infinities are refused.

    Raises
    ------
    ValueError
        If the text is not JSON.
    """
    return json.loads(text, parse_constant=_no_constant)


def _replace(source: Path, target: Path) -> None:
    # Windows refuses to replace a file while a reader has it open; readers are quick.
    for attempt in range(REPLACE_ATTEMPTS):
        try:
            source.replace(target)
        except PermissionError:
            if attempt == REPLACE_ATTEMPTS - 1:
                raise
            time.sleep(0.05)
        else:
            return


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole: a reader sees the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as indented JSON, atomically.

    Raises
    ------
    ValueError
        If ``value`` holds NaN or an infinity; the old file stays.
    """
    write_bytes(path, (dumps(value, indent=2) + "\n").encode())


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises
    ------
    TargetMissing
        If there is no such file.
    InputError
        If it is too large, unreadable or not JSON.
    """
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise InputError(f"{path}: larger than {MAX_JSON_BYTES >> 20} MB; not a file of ours")
        return loads(path.read_bytes())
    except FileNotFoundError:
        raise TargetMissing(f"{path}: no such file; check the path") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; check the path") from None
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); fix or move the file away") from None


def set_aside(path: Path) -> Path:
    """Rename a corrupt file to ``name.corrupt-N`` and return where it went."""
    number = 1
    while (aside := path.with_name(f"{path.name}.corrupt-{number}")).exists():
        number += 1
    path.rename(aside)
    return aside


@contextmanager
def locked(path: Path, *, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
    """Hold the lock file beside ``path``.

    Raises
    ------
    Busy
        If another process holds it for longer than ``timeout_s``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(f"{path}.lock", timeout=timeout_s):
            yield
    except Timeout:
        raise Busy(f"{path}: another process is writing it; try again when it has ended") from None


def append_jsonl(path: Path, record: Any) -> None:
    """Append one record as a line, synced to disk before this returns.

    A torn last line, left by a crash, is ended first, so that it costs itself and nothing else.
    """
    line = (dumps(record) + "\n").encode()
    with locked(path), path.open("ab") as file:
        if file.tell() > 0 and not _ends_with_newline(path):
            line = b"\n" + line
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


class JsonLines(NamedTuple):
    """Records of a JSON-lines file, and the numbers of the lines that could not be read."""

    records: list[Any]
    unreadable: list[int]


def read_jsonl(path: Path) -> JsonLines:
    """Read every record of a JSON-lines file, and say which lines were torn or corrupt.

    Raises
    ------
    TargetMissing
        If there is no such file.
    """
    records, unreadable = [], []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    records.append(loads(line))
                except ValueError:
                    unreadable.append(number)
    except FileNotFoundError:
        raise TargetMissing(f"{path}: no such file; check the path") from None
    return JsonLines(records, unreadable)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
