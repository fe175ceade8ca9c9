"""Ports, paths and names that every part agrees on. Standard library only."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
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
