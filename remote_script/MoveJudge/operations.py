"""The closed table of what a client may ask for: there is no other way in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .references import CLIP, DEVICE, PARAMETER, TRACK
from .schema import Choice, Flag, Integer, Items, Record, Text
from .transport import SET
from .writes import WRITES

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOVE_ID = Text(128, 1)
NOTHING = Record()
LEVELS = Items(Choice("structure", "mixer", "parameters", "full"), 4, 1)

# Name -> (arguments, whether it writes to the set, what it does).
ARGUMENTS: dict[str, tuple[Record, bool, str]] = {
    "ping": (NOTHING, False, "Answers with the script's clock."),
    "session.summary": (NOTHING, False, "Tempo, transport, counts and track names."),
    "session.read": (
        Record(optional={"levels": LEVELS, "tracks": Items(TRACK, 1024, 1)}),
        False,
        "Rows of the set in parts; by default structure and mixer.",
    ),
    "session.sounding": (NOTHING, False, "Session clips that play, with loop lengths in beats."),
    "device.read": (
        Record({"device": DEVICE}),
        False,
        "Parameters of one device with their texts, in parts.",
    ),
    "parameters.read": (
        Record({"parameters": Items(PARAMETER, 512, 1)}),
        False,
        "Values and texts of a few parameters now.",
    ),
    "notes.read": (Record({"clip": CLIP}), False, "All notes of a clip as rows, in parts."),
    "move.apply": (
        Record({"writes": WRITES}, {"name": Text(255), "expect_epoch": Integer(0, 2**53)}),
        True,
        "One move: all writes are checked, then made in one undo step and read back.",
    ),
    "move.undo": (
        Record({"target": MOVE_ID}, {"mode": Choice("latest", "revert")}),
        True,
        "Takes a move back: proved, or written back, or refused.",
    ),
    "move.redo": (Record({"target": MOVE_ID}), True, "Brings an undone move back."),
    "move.list": (NOTHING, False, "The moves since the set was loaded, oldest first, in parts."),
    "transport.set": (SET, True, "Play, stop, locate, loop; gives a token to put it back."),
    "transport.restore": (
        Record({"token": MOVE_ID}),
        True,
        "Puts back what a token changed, unless somebody has changed it since.",
    ),
    "watch.set": (
        Record(optional={"structure": Flag(), "parameters": Items(PARAMETER, 1000)}),
        False,
        "Chooses what this connection gets delta events for; replaces what it chose before.",
    ),
    "notify": (
        Record({"text": Text(200, 1)}),
        False,
        "Shows a line in Live's status bar.",
    ),
}


class Operation:
    """One entry of the table, ready to run."""

    def __init__(self, name: str, handler: Callable[[Any], Any]) -> None:
        self.name = name
        self.args, self.writes, self.purpose = ARGUMENTS[name]
        self.handler = handler


def make_table(handlers: dict[str, Callable[[Any], Any]]) -> dict[str, Operation]:
    """Join the table with its handlers; both have to name the same operations.

    Raises
    ------
    ValueError
        If they do not.
    """
    if handlers.keys() != ARGUMENTS.keys():
        raise ValueError("handlers missing or unknown: %s" % (handlers.keys() ^ ARGUMENTS.keys()))
    return {name: Operation(name, handler) for name, handler in handlers.items()}
