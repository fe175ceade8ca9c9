"""``ClipSlot`` and ``Scene``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import edits, making
from pybackend.studio.live.arguments import BOOL, FLOAT, INT, TEXT, an, optional
from pybackend.studio.live.declaring import calling, fixed, reading, stored
from pybackend.studio.live.devices import GROUP, MIDI
from pybackend.studio.live.enums import ClipSlotPlayingState
from pybackend.studio.live.lom.common import (
    LomObject,
    between,
    color_of,
    node_of,
    set_color,
    valid_color_index,
    wrapped,
)
from pybackend.studio.live.playing import fire, stop_track
from pybackend.studio.live.rules import LIST_READ_S

if TYPE_CHECKING:
    from typing import Any

    from pybackend.studio.live.node import Node
    from pybackend.studio.live.vectors import Vector

FROZEN = "Clips cannot be created on frozen tracks"


def owner_of(node: Node) -> Node:
    """Return the track of a slot or clip."""
    above = node.parent
    while above is not None and above.kind != "Track":
        above = above.parent
    if above is None:
        raise RuntimeError("The object is on no track")
    return above


class ClipSlot(LomObject):
    """A place for a clip in Session View."""

    __slots__ = ()

    clip = fixed(lambda obj: obj._rt.wrap(obj._node["clip"]))
    has_clip = fixed(lambda obj: obj._node["clip"] is not None, listen=True)
    has_stop_button = stored(BOOL)
    is_group_slot = fixed(lambda obj: obj._node.parent["track_kind"] == GROUP)
    is_recording = fixed(lambda _: False)
    is_triggered = fixed(lambda obj: _is_at(obj._node, "fired_slot"), listen=True)
    will_record_on_start = fixed(lambda _: False)
    controls_other_clips = fixed(lambda obj: obj._node.parent["track_kind"] == GROUP, listen=True)

    @reading(listen=True)
    def color(self) -> int:
        """Colour of the clip, or 0."""
        clip = self._node["clip"]
        return color_of(self._rt.wrap(clip)) if clip is not None else 0

    @reading()
    def is_playing(self) -> bool:
        """Whether its clip plays."""
        return _is_at(self._node, "playing_slot")

    @reading(listen=True)
    def playing_status(self) -> Any:
        """Stopped or started."""
        return ClipSlotPlayingState.values[int(_is_at(self._node, "playing_slot"))]

    @calling(FLOAT)
    def create_clip(self, length: float) -> Any:
        """Make an empty MIDI clip of a length in beats."""
        track = owner_of(self._node)
        if track["track_kind"] != MIDI:
            raise RuntimeError("Clips can only be created in MIDI tracks")
        if track["is_frozen"]:
            raise RuntimeError(FROZEN)
        if self._node["clip"] is not None:
            raise RuntimeError("The clip slot already has a clip")
        if length <= 0.0:
            raise RuntimeError("The length of a clip has to be positive")
        edits.set_clip(self._node, making.clip(self._node, float(length)))
        return self._rt.wrap(self._node["clip"])

    @calling()
    def delete_clip(self) -> None:
        """Delete the clip in the slot."""
        if self._node["clip"] is None:
            raise RuntimeError("The clip slot has no clip")
        edits.set_clip(self._node, None)

    @calling(an("ClipSlot"))
    def duplicate_clip_to(self, target_clip_slot: Any) -> None:
        """Copy the clip to another slot, over what is there."""
        target = node_of(target_clip_slot)
        clip = self._node["clip"]
        if clip is None:
            raise RuntimeError("The clip slot has no clip")
        if not edits.can_hold(owner_of(target), midi=clip["is_midi"]):
            raise RuntimeError("Incompatible track types for clip duplication")
        edits.set_clip(target, making.copy(clip, target))

    @calling()
    def fire(self) -> None:
        """Launch the clip, or stop the track."""
        fire(self._node)

    @calling()
    def stop(self) -> None:
        """Stop the track's clip."""
        stop_track(owner_of(self._node))


def _is_at(slot: Node, field: str) -> bool:
    track = owner_of(slot)
    number = track[field]
    return bool(number >= 0 and track["clip_slots"][number] is slot)


class Scene(LomObject):
    """A row of clip slots."""

    __slots__ = ()

    name = stored(TEXT)
    tempo_enabled = stored(BOOL)
    time_signature_enabled = stored(BOOL)
    time_signature_numerator = stored(INT, valid=between(1, 99, "Numerator"))
    time_signature_denominator = stored(INT, valid=between(1, 16, "Denominator"))
    color_index = stored(optional(INT))
    is_triggered = fixed(lambda _: False, listen=True)

    @reading(listen=True)
    def tempo(self) -> float:
        """Tempo in BPM, -1 while it is not enabled."""
        return float(self._node["tempo"]) if self._node["tempo_enabled"] else -1.0

    @tempo.writing(FLOAT)
    def _write_tempo(self: Any, value: float) -> None:
        valid = float(between(20, 999, "Tempo")(value))
        with self._rt.quietly():
            self._world.put(self._node, "tempo", valid)
            self._world.put(self._node, "tempo_enabled", True)

    @reading(listen=True)
    def color(self) -> int:
        """RGB of the palette, 0 for none."""
        return color_of(self)

    @color.writing(INT)
    def _write_color(self: Any, value: int) -> None:
        set_color(self, value)

    def _slots(self) -> list[Any]:
        song = self._world.song
        number = song["scenes"].index(self._node)
        return [track["clip_slots"][number] for track in song["tracks"]]

    @reading(listen=True, cost_s=LIST_READ_S)
    def clip_slots(self) -> Vector[Any]:
        """One slot per track."""
        return wrapped(self, self._slots())

    @reading(cost_s=LIST_READ_S)
    def is_empty(self) -> bool:
        """Whether no slot has a clip."""
        return all(slot["clip"] is None for slot in self._slots())

    @calling(BOOL, BOOL, required=0)
    def fire(self, force_legato: bool = False, can_select_scene_on_launch: bool = True) -> None:
        """Launch all its slots."""
        del force_legato, can_select_scene_on_launch
        for slot in self._slots():
            if slot["clip"] is not None:
                fire(slot)


__all__ = ["ClipSlot", "Scene", "owner_of", "valid_color_index"]
