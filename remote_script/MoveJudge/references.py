"""Finding the object that a request names: by id, by name, or by place.

Names have to be unique; the master is found by its slot, because it is called "Main" in some
versions and "Master" in others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .failure import Failure
from .schema import Either, Flag, Integer, Record, Text

if TYPE_CHECKING:
    from typing import Any

    from .identity import Registry
    from .live_types import Clip, Device, Parameter, Scene, Slot, Song, Track

ID = Text(32, 2)
NAME = Text(255)
INDEX = Integer(0, 100000)
TRACK = Either(
    text=ID,
    record=Record(
        optional={
            "id": ID,
            "name": NAME,
            "index": INDEX,
            "return": INDEX,
            "master": Flag(),
            "expect_name": NAME,
        }
    ),
)
SCENE = Either(
    text=ID, record=Record(optional={"id": ID, "name": NAME, "index": INDEX, "expect_name": NAME})
)
DEVICE = Either(
    text=ID,
    record=Record(
        optional={"id": ID, "track": TRACK, "name": NAME, "index": INDEX, "expect_name": NAME}
    ),
)
PARAMETER = Either(
    text=ID,
    record=Record(
        optional={"id": ID, "device": DEVICE, "name": NAME, "index": INDEX, "expect_name": NAME}
    ),
)
CLIP = Either(
    text=ID,
    record=Record(
        optional={
            "id": ID,
            "track": TRACK,
            "scene": INDEX,
            "arrangement": INDEX,
            "expect_name": NAME,
        }
    ),
)


def _by_name(things: Any, kind: str, name: str, where: str) -> Any:
    found = [thing for thing in things if thing.name == name]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Failure("unknown_object", f"there is no {kind} called {name!r}", where)
    raise Failure("unknown_object", f"{len(found)} {kind}s are called {name!r}; use the id", where)


def _by_index(things: Any, kind: str, index: int, where: str) -> Any:
    if index >= len(things):
        raise Failure("unknown_object", f"there are {len(things)} {kind}s", where)
    return things[index]


class References:
    """Finds objects of one set.

    Parameters
    ----------
    song : Song
        The set.
    registry : Registry
        Where ids come from.
    """

    def __init__(self, song: Song, registry: Registry) -> None:
        self._song = song
        self._registry = registry

    def _direct(self, kind: str, ref: Any, where: str) -> Any:
        """Object of an id, or None if the reference names no id."""
        if isinstance(ref, str):
            return self._registry.find(kind, ref, where)
        if "id" in ref:
            return self._registry.find(kind, ref["id"], where)
        return None

    def _expected(self, thing: Any, kind: str, ref: Any, where: str) -> Any:
        if isinstance(ref, dict) and ref.get("expect_name", thing.name) != thing.name:
            raise Failure(
                "conflict",
                "the {} is called {!r}, not {!r}".format(kind, thing.name, ref["expect_name"]),
                where,
            )
        return thing

    def track(self, ref: Any, where: str) -> Track:
        """Find a track, return or the master."""
        song = self._song
        thing = self._direct("track", ref, where)
        if thing is None:
            if ref.get("master"):
                thing = song.master_track
            elif "return" in ref:
                thing = _by_index(song.return_tracks, "return", ref["return"], where)
            elif "index" in ref:
                thing = _by_index(song.tracks, "track", ref["index"], where)
            elif "name" in ref:
                thing = _by_name((*song.tracks, *song.return_tracks), "track", ref["name"], where)
            else:
                raise Failure("bad_request", f"{where} names no track", where)
        return self._expected(thing, "track", ref, where)  # type: ignore[no-any-return]

    def scene(self, ref: Any, where: str) -> Scene:
        """Find a scene."""
        thing = self._direct("scene", ref, where)
        if thing is None:
            if "index" in ref:
                thing = _by_index(self._song.scenes, "scene", ref["index"], where)
            elif "name" in ref:
                thing = _by_name(self._song.scenes, "scene", ref["name"], where)
            else:
                raise Failure("bad_request", f"{where} names no scene", where)
        return self._expected(thing, "scene", ref, where)  # type: ignore[no-any-return]

    def device(self, ref: Any, where: str) -> Device:
        """Find a device; by name or index it is one in the track's own chain."""
        thing = self._direct("device", ref, where)
        if thing is None:
            if "track" not in ref:
                raise Failure("bad_request", f"{where} needs an id, or a track", where)
            devices = self.track(ref["track"], where + ".track").devices
            if "index" in ref:
                thing = _by_index(devices, "device", ref["index"], where)
            elif "name" in ref:
                thing = _by_name(devices, "device", ref["name"], where)
            else:
                raise Failure("bad_request", f"{where} names no device", where)
        return self._expected(thing, "device", ref, where)  # type: ignore[no-any-return]

    def parameter(self, ref: Any, where: str) -> Parameter:
        """Find a device's parameter."""
        thing = self._direct("parameter", ref, where)
        if thing is None:
            if "device" not in ref:
                raise Failure("bad_request", f"{where} needs an id, or a device", where)
            parameters = self.device(ref["device"], where + ".device").parameters
            if "index" in ref:
                thing = _by_index(parameters, "parameter", ref["index"], where)
            elif "name" in ref:
                thing = _by_name(parameters, "parameter", ref["name"], where)
            else:
                raise Failure("bad_request", f"{where} names no parameter", where)
        return self._expected(thing, "parameter", ref, where)  # type: ignore[no-any-return]

    def slot(self, track: Track, index: int, where: str) -> Slot:
        """Find a clip slot that can hold a clip."""
        try:
            slots = track.clip_slots
        except Exception:
            slots = ()
        slot: Slot = _by_index(slots, "slot", index, where)
        if slot.is_group_slot:
            raise Failure("wrong_kind", "a group's slot holds no clip", where)
        return slot

    def clip(self, ref: Any, where: str) -> Clip:
        """Find a clip by id, by track and scene, or by track and place in the arrangement."""
        thing = self._direct("clip", ref, where)
        if thing is None:
            if "track" not in ref:
                raise Failure("bad_request", f"{where} needs an id, or a track", where)
            track = self.track(ref["track"], where + ".track")
            if "scene" in ref:
                slot = self.slot(track, ref["scene"], where)
                if not slot.has_clip:
                    raise Failure("unknown_object", "the slot is empty", where)
                thing = slot.clip
            elif "arrangement" in ref:
                thing = _by_index(track.arrangement_clips, "clip", ref["arrangement"], where)
            else:
                raise Failure("bad_request", f"{where} names no clip", where)
        return self._expected(thing, "clip", ref, where)  # type: ignore[no-any-return]
