"""Boxes and cords, written down as the patcher JSON that Max saves."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final, TypeAlias

from m4l.objects import Ports, ports_of

APPVERSION: Final = {
    "major": 8,
    "minor": 6,
    "revision": 5,
    "architecture": "x64",
    "modernui": 1,
}
"""Max that the file says it was saved by: a newer one would make older Live versions warn."""

Outlet: TypeAlias = tuple[str, int]
"""A box's id and the number of one of its outlets, from 0."""

_TOP_PX: Final = 20.0
_LINE_PX: Final = 22.0
_STEP_PX: Final = 30.0


class Sheet:
    """A patcher in the making; ids count up from ``obj-1`` in the order of adding.

    Boxes stand in columns from top to bottom, for whoever opens the patch in Max; what a patch
    does never depends on where its boxes stand.
    """

    def __init__(self) -> None:
        self.boxes: list[dict[str, Any]] = []
        """Saved boxes, each as ``{"box": {...}}``."""
        self.lines: list[dict[str, Any]] = []
        """Saved cords, each as ``{"patchline": {...}}``."""
        self._x, self._y, self._width = 20.0, _TOP_PX, 0.0

    def column(self, title: str, width_px: float = 200.0) -> None:
        """Begin a column of boxes with a comment above it."""
        self._x += self._width
        self._y, self._width = _TOP_PX, width_px
        self.box("comment", text=title)

    def typed(self, text: str, **keys: Any) -> str:
        """Add an object by its text and return its id."""
        return self.box("newobj", text=text, **keys)

    def message(self, text: str) -> str:
        """Add a message box and return its id."""
        return self.box("message", text=text)

    def box(self, maxclass: str, **keys: Any) -> str:
        """Add a box of any class, with its ports from the table of objects, and return its id."""
        width = max(40.0, 6.5 * min(len(str(keys.get("text", ""))), 60) + 12.0)
        box = {"maxclass": maxclass, "patching_rect": [self._x, self._y, width, _LINE_PX], **keys}
        self._y += _STEP_PX
        return self._add(box, ports_of(box))

    def inner(self, maxclass: str, rect: tuple[float, ...], ports: Ports, **keys: Any) -> str:
        """Add a box whose ports the table of objects does not know, as inside a ``gen~``."""
        return self._add({"maxclass": maxclass, "patching_rect": list(rect), **keys}, ports)

    def _add(self, box: dict[str, Any], ports: Ports) -> str:
        box["id"] = f"obj-{len(self.boxes) + 1}"
        box["numinlets"] = ports.inlets
        box["numoutlets"] = len(ports.outlets)
        if ports.outlets:
            box["outlettype"] = list(ports.outlets)
        self.boxes.append({"box": dict(sorted(box.items()))})
        return str(box["id"])

    def cord(self, source: str | Outlet, target: str, inlet: int = 0) -> None:
        """Connect an outlet, or a box's first outlet, with an inlet."""
        box, outlet = (source, 0) if isinstance(source, str) else source
        line = {"destination": [target, inlet], "source": [box, outlet]}
        self.lines.append({"patchline": line})

    def chain(self, source: str | Outlet, *ids: str) -> None:
        """Connect an outlet with a box's first inlet, that box with the next, and so on."""
        self.cord(source, ids[0])
        for before, after in pairwise(ids):
            self.cord(before, after)
