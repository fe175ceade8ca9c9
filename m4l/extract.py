"""What is inside a built device: its code, its boxes and cords, its launcher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from m4l.amxd import AmxdError, Device, read


def load(device: bytes | Path) -> Device:
    """Read a device from its bytes or its file.

    Raises
    ------
    AmxdError
        The file is no device, or it is damaged.
    """
    return read(device if isinstance(device, bytes) else Path(device).read_bytes())


def boxes_of(patcher: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Boxes of a patcher by id, without those of patchers inside."""
    return {str(entry["box"]["id"]): entry["box"] for entry in patcher["boxes"]}


def codebox_of(device: bytes | Path | Device) -> str:
    """GenExpr of the one codebox of a device.

    Parameters
    ----------
    device : bytes, Path or Device
        A built device.

    Raises
    ------
    AmxdError
        The file is no device, or it holds no codebox or more than one.
    """
    found = device if isinstance(device, Device) else load(device)
    codes = list(_codes(found.patcher))
    if len(codes) != 1:
        raise AmxdError(f"{len(codes)} codeboxes in the device; it is built with exactly one")
    return codes[0]


def _codes(patcher: Mapping[str, Any]) -> Iterator[str]:
    for entry in patcher.get("boxes", ()):
        box = entry["box"]
        if box.get("maxclass") == "codebox":
            yield str(box["code"])
        if isinstance(box.get("patcher"), Mapping):
            yield from _codes(box["patcher"])
