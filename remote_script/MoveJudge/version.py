"""Versions the script reports, and a digest of the files it was loaded from.

Live keeps imported code over set loads, so an update needs a restart of Live. The digest is taken
at import: a client that compares it with its own copy sees a stale installation.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

SCRIPT_VERSION = "0.1.0"
PROTOCOL_MIN = 1
PROTOCOL_MAX = 1


def folder_digest(folder: Path) -> str:
    """Give the first 16 hex digits of the SHA-256 over all ``.py`` files (name, NUL, bytes).

    Parameters
    ----------
    folder : Path
        The package's folder; sub-folders are not read.

    Returns
    -------
    str
        Digest, or ``unreadable`` where a file cannot be read.
    """
    total = sha256()
    try:
        for path in sorted(folder.glob("*.py")):
            total.update(path.name.encode("utf-8") + b"\0" + path.read_bytes())
    except OSError:
        return "unreadable"
    return total.hexdigest()[:16]


SCRIPT_SHA = folder_digest(Path(__file__).resolve().parent)
