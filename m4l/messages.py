"""Frames and hellos: from the ring and from Live to ``udpsend``, laid out as the protocol's table.

A poll on the scheduler compares the count of complete frames with the count before and reads every
new frame, oldest first: after a late poll as many as the ring still holds, and after ``gen~`` began
anew (its count is then far behind) those since.
"""

from __future__ import annotations

from typing import Final

from m4l import ring
from m4l.audio import BUFFER
from m4l.face import Face
from m4l.sheet import Outlet, Sheet
from m4l.state import State
from m4l.transport import Flags
from pybackend.config import HOST, UDP_PORT
from pybackend.stream.protocol import (
    FRAME_ADDRESS,
    FRAME_COLUMNS,
    FRAME_FIELDS,
    HELLO_ADDRESS,
    HELLO_COLUMNS,
    HELLO_FIELDS,
    KIND_NAMES,
    PROTOCOL,
    SEQ_MODULUS,
    type_tags,
)

POLL_MS: Final = 15
HELLO_MS: Final = 2000

MOST_FRAMES: Final = ring.RING_FRAMES - 1
"""Frames that can be read at once: the place of one more is being written to."""

NEW_FRAMES: Final = f"expr ($i1 - $i2 + {SEQ_MODULUS}) % {SEQ_MODULUS}"
"""Frames since the poll before, from the count now and then."""
READABLE: Final = (
    f"expr ($i1 <= {MOST_FRAMES}) * $i1 + ($i1 > {MOST_FRAMES})"
    f" * (($i2 <= {MOST_FRAMES}) * $i2 + ($i2 > {MOST_FRAMES}) * {MOST_FRAMES})"
)
"""Frames to read, from the new ones and the count now. Max for Live's ``expr`` was seen to refuse
``min``, ``max`` and ``if``, whatever the reference says, so comparisons choose."""
PLACE: Final = f"expr (($i1 + $i2 + {SEQ_MODULUS}) % {ring.RING_FRAMES}) * {ring.STRIDE}"
"""First place of a frame in the ring, from its number among the new ones and the oldest's."""


def typed_list(name: str, tags: str, constants: dict[int, int] | None = None) -> str:
    """Text of a ``pack`` or ``unpack`` whose elements have the types of OSC tags.

    Parameters
    ----------
    name : str
        ``pack`` or ``unpack``.
    tags : str
        One tag per element, ``i`` or ``f``.
    constants : dict, optional
        Initial integers by element; the others begin at 0.
    """
    zeros = {"i": "0", "f": "0."}
    known = constants or {}
    return " ".join((name, *(str(known.get(i, zeros[tag])) for i, tag in enumerate(tags))))


def sender_section(sheet: Sheet, state: State, face: Face) -> str:
    """``udpsend`` with its address, sent again after loading; return its box.

    In a set that is loaded, ``udpsend`` can stay silent until it is told where to send again.
    """
    sheet.column("where to", 170.0)
    order, host, port = sheet.typed("t b b"), sheet.message(f"host {HOST}"), f"i {UDP_PORT}"
    stored = sheet.typed(port)
    sender = sheet.typed(f"udpsend {HOST} {UDP_PORT}")
    sheet.cord(state.address, order)
    sheet.chain((order, 1), host, sender)
    sheet.chain((order, 0), stored, sheet.typed("prepend port"), sender)
    sheet.cord(face.port, stored)
    return sender


def frame_section(sheet: Sheet, poll: Outlet, counter: str, state: State, sender: str) -> Outlet:
    """Read, pack and send every new frame; return the outlet of its values as a list."""
    tags = type_tags(FRAME_FIELDS)
    base, number = _new_frames(sheet, poll, counter)
    sheet.column("one frame", 420.0)
    values = sheet.typed(f"uzi {ring.VALUES} 0")
    place = sheet.typed("+ 0")
    sheet.cord(base, place, 1)
    sheet.cord(number, values)
    group, order = sheet.typed(f"zl.group {ring.VALUES}"), sheet.typed("t l b l")
    sheet.chain((values, 2), place, sheet.typed(f"peek~ {BUFFER} 1"), group, order)
    split = sheet.typed(typed_list("unpack", tags[ring.FIRST_COLUMN :]))
    packed = sheet.typed(typed_list("pack", tags, {0: PROTOCOL}))
    sheet.cord((order, 2), split)
    for i in range(ring.VALUES):
        sheet.cord((split, i), packed, ring.FIRST_COLUMN + i)
    sheet.cord(state.instance, packed, FRAME_COLUMNS["instance"].start)
    sheet.cord((order, 1), packed)
    sheet.chain(packed, sheet.typed(f"prepend {FRAME_ADDRESS}"), sender)
    return (order, 0)


def _new_frames(sheet: Sheet, poll: Outlet, counter: str) -> tuple[Outlet, Outlet]:
    """For every new frame: its first place in the ring, and then a bang."""
    sheet.column("new frames", 440.0)
    order = sheet.typed("t i i i i")
    sheet.cord(poll, counter)
    sheet.cord(counter, order)
    new, readable = sheet.typed(NEW_FRAMES), sheet.typed(READABLE)
    oldest, place = sheet.typed("!- 0"), sheet.typed(PLACE)
    some, both, frames = sheet.typed("sel 0"), sheet.typed("t i i"), sheet.typed("uzi 1 0")
    sheet.cord((order, 3), readable, 1)
    sheet.cord((order, 2), oldest, 1)
    sheet.chain((order, 1), new, readable, some)
    sheet.cord((order, 0), new, 1)
    sheet.chain((some, 1), both)
    sheet.cord((both, 1), oldest)
    sheet.cord(oldest, place, 1)
    sheet.cord(both, frames)
    one = sheet.typed("t b i")
    sheet.chain((frames, 2), place, one)
    return (one, 1), (one, 0)


def hello_section(
    sheet: Sheet, state: State, flags: Flags, version: tuple[int, int, int], sender: str
) -> None:
    """Say every two seconds which device this is and where it sits.

    The path is asked for each time, because a device can be moved to another track. A hello is
    sent by Live's answer, so one with a place that was never read cannot be sent.
    """
    sheet.column("hello", 260.0)
    clock, order = sheet.typed(f"qmetro {HELLO_MS}"), sheet.typed("t b b b")
    sheet.chain(state.start, clock, order)
    sheet.cord((order, 2), state.audio_state)
    sheet.cord((order, 1), flags.ask)
    tags = type_tags(HELLO_FIELDS)
    at = {name: where.start for name, where in HELLO_COLUMNS.items()}
    known = {at["protocol"]: PROTOCOL, **{at["version"] + i: n for i, n in enumerate(version)}}
    packed = sheet.typed(typed_list("pack", tags, known))
    sheet.cord(state.instance, packed, at["instance"])
    sheet.cord(state.sample_rate, packed, at["sample_rate"])
    sheet.cord(flags.outlet, packed, at["flags"])
    kind, index = _own_place(sheet, (order, 0))
    send = sheet.typed("t b i")
    for source in kind:
        sheet.cord(source, send)
    sheet.cord((send, 1), packed, at["kind"])
    sheet.cord(send, packed)
    for source in index:
        sheet.cord(source, packed, at["index"])
    sheet.chain(packed, sheet.typed(f"prepend {HELLO_ADDRESS}"), sender)


def _own_place(sheet: Sheet, ask: Outlet) -> tuple[list[Outlet], list[Outlet]]:
    """Ask Live for the device's path; return the outlets of the kind and, before it, the index."""
    sheet.column("own place in Live", 260.0)
    path, number, found = sheet.typed("live.path"), sheet.typed("route id"), sheet.typed("sel 0")
    sheet.chain(ask, sheet.message("path this_device"), path, number, found)
    order, identify = sheet.typed("t b i"), sheet.typed("prepend id")
    live = sheet.typed("live.object", saved_object_attributes={"_persistence": 0})
    sheet.cord((found, 1), order)
    sheet.cord((order, 1), identify)
    sheet.cord(identify, live, 1)
    sheet.chain((order, 0), sheet.message("getpath"), live)
    where = sheet.typed("route master_track return_tracks tracks")
    sheet.chain(live, sheet.typed("route path"), sheet.typed("route live_set"), where)
    master = sheet.typed(f"t {KIND_NAMES.index('master')} -1")
    sheet.cord((where, 0), master)
    places = [master]
    for outlet, name in ((1, "return"), (2, "track")):
        numbered = sheet.typed(f"t {KIND_NAMES.index(name)} i")
        sheet.chain((where, outlet), sheet.typed("unpack 0"), numbered)
        places.append(numbered)
    return [(place, 0) for place in places], [(place, 1) for place in places]
