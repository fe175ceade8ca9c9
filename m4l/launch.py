"""The Start button and the Node script that starts the backend; metering does not depend on it."""

from __future__ import annotations

from typing import Final

from m4l.face import Face
from m4l.sheet import Outlet, Sheet

LAUNCHER: Final = "launcher.js"
RUNNING: Final = 2
"""State in which the launcher has an answer from the backend."""


def launch_section(sheet: Sheet, face: Face) -> Outlet:
    """Connect button, script and text; return the outlet that says whether a backend was found.

    Loading the script is a start by itself, so the first press loads it and later ones send
    ``start``; when Node has ended, or did not start, the next press loads it again. Node restarts
    a script that crashed, and then the press is a later one.
    """
    sheet.column("backend", 300.0)
    once = sheet.typed("onebang 1")
    node = sheet.typed(
        f"node.script {LAUNCHER} @autostart 0 @watch 0",
        saved_object_attributes={
            "autostart": 0,
            "defer": 0,
            "node_bin_path": "",
            "npm_bin_path": "",
            "watch": 0,
        },
        textfile={"autowatch": 1, "embed": 0, "filename": LAUNCHER, "flags": 0},
    )
    sheet.chain(face.start, sheet.typed("t b"), once)
    sheet.chain((once, 0), sheet.message("script start"), node)
    sheet.chain((once, 1), sheet.message("start"), node)

    parts, found = sheet.typed("unpack 0 s"), sheet.typed(f"== {RUNNING}")
    sheet.chain((node, 0), sheet.typed("deferlow"), sheet.typed("route state"), parts)
    sheet.cord(parts, found)
    sheet.chain((parts, 1), sheet.typed("prepend set"), face.backend)

    events = sheet.typed("route terminated restarted start")
    sheet.chain((node, 1), sheet.typed("deferlow"), events)
    failed = sheet.typed("route error")
    sheet.cord((events, 2), failed)
    sheet.chain((events, 1), sheet.message("stop"), once)
    for source, text in (
        ((events, 0), "launcher ended: press Start"),
        ((failed, 0), "Node did not start: press Start"),
    ):
        order = sheet.typed("t 0 b b")
        sheet.cord(source, order)
        sheet.cord((order, 2), once, 1)
        sheet.chain((order, 1), sheet.message(f"set {text}"), face.backend)
        sheet.cord((order, 0), found)
    return (found, 0)
