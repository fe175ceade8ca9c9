"""The writes a move consists of: their arguments, and the change that each one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .noteclip import FRAME
from .noterows import MAX_BEATS, PATCH, ROWS
from .properties import SETTABLE
from .references import CLIP, DEVICE, PARAMETER, SCENE, TRACK
from .schema import Choice, Either, Flag, Integer, Items, Number, Record, Tagged, Text
from .structures import CREATE_CLIP, CREATE_TRACK, DELETE_CLIP, DELETE_TRACK

if TYPE_CHECKING:
    from typing import Any

    from .places import Place

MAX_WRITES = 512
ANY = Either(text=Text(255), number=Number(), flag=Flag())
DISPLAY = Either(text=Text(64, 1), number=Number())
BEATS = Number(-MAX_BEATS, MAX_BEATS)
VALUE = {"value": Number(), "display": DISPLAY}
EXTRA = {"expect": Number(), "override_automation": Flag()}
PARAMETER_WRITE = Record({"parameter": PARAMETER}, dict(VALUE, **EXTRA), one_of=tuple(VALUE))
MIXER_WRITE = Record(
    {"track": TRACK, "control": Choice("volume", "panning", "send", "cue_volume", "crossfader")},
    dict(VALUE, send=Integer(0, 255), **EXTRA),
    one_of=tuple(VALUE),
)


def _property_write(owner: str, ref: Any) -> Record:
    required = {"property": Choice(*SETTABLE[owner]), "value": ANY}
    if ref is not None:
        required[owner] = ref
    return Record(required, {"expect": ANY})


WRITE = Tagged(
    "write",
    {
        "parameter": PARAMETER_WRITE,
        "mixer": MIXER_WRITE,
        "device_on": Record({"device": DEVICE, "value": Flag()}, {"override_automation": Flag()}),
        "song": _property_write("song", None),
        "track": _property_write("track", TRACK),
        "clip": _property_write("clip", CLIP),
        "scene": _property_write("scene", SCENE),
        "device": _property_write("device", DEVICE),
        "clip_frame": Record({"clip": CLIP}, dict(dict.fromkeys(FRAME[1:], BEATS), looping=Flag())),
        "notes": Record(
            {"clip": CLIP, "expect_revision": Text(16, 16)},
            {
                "patch": PATCH,
                "replace": ROWS,
                "range": Record({"start": BEATS, "end": BEATS}),
                "extend_loop": Flag(),
            },
            one_of=("patch", "replace"),
        ),
        "create_clip": CREATE_CLIP,
        "delete_clip": DELETE_CLIP,
        "create_track": CREATE_TRACK,
        "delete_track": DELETE_TRACK,
    },
)
WRITES = Items(WRITE, MAX_WRITES, 1)
STRUCTURAL = ("create_clip", "delete_clip", "create_track", "delete_track")


class Change:
    """One place and what becomes of it.

    Attributes
    ----------
    requested, before, after
        Values of the place; ``after`` is what was read back.
    revision : str
        Of a clip's notes after the write, for the next one.
    """

    def __init__(self, place: Place, requested: Any, where: str, before: Any = None) -> None:
        self.place = place
        self.requested = requested
        self.where = where
        self.before: Any = place.read() if before is None else before
        self.after: Any = self.before
        self.revision = ""

    @property
    def needed(self) -> bool:
        """Whether the place is not as requested already."""
        return not self.place.same(self.before, self.requested)

    def as_json(self) -> dict[str, Any]:
        """Give the change as replies and journals show it."""
        place = self.place
        return {
            "target": place.label,
            "before": place.show(self.before),
            "requested": place.show(self.requested),
            "after": dict(place.show(self.after), revision=self.revision)
            if self.revision
            else place.show(self.after),
            "changed": not place.same(self.before, self.after),
            "as_requested": place.same(self.requested, self.after),
        }
