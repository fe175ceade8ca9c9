"""``Song`` and ``Song.View``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import edits
from pybackend.studio.live.arguments import ANY, BOOL, FLOAT, INT, TEXT, an, optional
from pybackend.studio.live.binding import Prop
from pybackend.studio.live.declaring import calling, reading, stored
from pybackend.studio.live.devices import AUDIO, MIDI
from pybackend.studio.live.lom.common import LomObject, between, child, children, node_of, wrapped
from pybackend.studio.live.lom.parameter import set_value
from pybackend.studio.live.lom.transport import SongTransport
from pybackend.studio.live.lom.undoing import SongUndo
from pybackend.studio.live.rules import DELETE_S, INSERT_S, LIST_READ_S
from pybackend.studio.live.values import float32
from pybackend.studio.live.vectors import IntVector, Vector

if TYPE_CHECKING:
    from typing import Any

SCALES = {
    "Major": (0, 2, 4, 5, 7, 9, 11),
    "Minor": (0, 2, 3, 5, 7, 8, 10),
    "Dorian": (0, 2, 3, 5, 7, 9, 10),
    "Minor Pentatonic": (0, 3, 5, 7, 10),
}


def _valid_scale(name: str) -> str:
    if name not in SCALES:
        raise RuntimeError(f"Unknown scale {name!r}")
    return name


def _selection(field: str, kind: str, *, none: bool = False) -> Prop[Any]:
    made: Prop[Any] = Prop(lambda obj: obj._rt.wrap(_living(obj, field)), listen=True)

    def write(obj: Any, value: Any) -> None:
        node = None if value is None else node_of(value)
        obj._world.put(obj._node, field, node, tracked=False)

    made.writing(optional(an(kind)) if none else an(kind))(write)
    return made


def _living(obj: Any, field: str) -> Any:
    node = obj._node[field]
    return node if node is not None and node.ptr else None


class SongView(LomObject):
    """``Song.View``: what is selected; in no history."""

    __slots__ = ()

    selected_track = _selection("selected_track", "Track")
    selected_scene = _selection("selected_scene", "Scene")
    selected_chain = _selection("selected_chain", "Chain", none=True)
    detail_clip = _selection("detail_clip", "Clip", none=True)
    highlighted_clip_slot = Prop(lambda obj: obj._rt.wrap(_living(obj, "highlighted_clip_slot")))
    selected_parameter = Prop(
        lambda obj: obj._rt.wrap(_living(obj, "selected_parameter")), listen=True
    )
    follow_song = stored(BOOL, tracked=False)
    draw_mode = stored(BOOL, tracked=False)

    @calling(an("Device"), BOOL, required=1)
    def select_device(self, device: Any, should_appoint_device: bool = True) -> None:
        """Show a device."""
        node = node_of(device)
        if should_appoint_device:
            self._world.put(self._world.song, "appointed_device", node, tracked=False)


class Song(SongTransport, SongUndo):
    """The set."""

    __slots__ = ()

    tracks = children("tracks")
    return_tracks = children("return_tracks")
    scenes = children("scenes")
    cue_points = children("cue_points")
    master_track = child("master_track")
    groove_pool = child("groove_pool")
    view = child("view")
    name = stored(TEXT, settable=False, listen=False)
    file_path = stored(TEXT, settable=False, listen=False, since=(11, 3, 25))
    signature_numerator = stored(INT, valid=between(1, 99, "Numerator"))
    signature_denominator = stored(INT, valid=between(1, 16, "Denominator"))
    groove_amount = stored(FLOAT, valid=between(0.0, 1.3125, "Groove amount"))
    swing_amount = stored(FLOAT, valid=between(0.0, 1.0, "Swing amount"))
    root_note = stored(INT, valid=between(0, 11, "Root note"))
    scale_name = stored(TEXT, valid=_valid_scale)
    scale_mode = stored(BOOL, since=(12, 0, 5))
    tempo_follower_enabled = stored(BOOL, tracked=False)
    is_ableton_link_enabled = stored(BOOL, tracked=False)
    appointed_device = Prop(lambda obj: obj._rt.wrap(_living(obj, "appointed_device")), listen=True)

    @reading(listen=True)
    def tempo(self) -> float:
        """BPM, stored in 32 bits."""
        return float(self._tempo()["value"])

    @tempo.writing(FLOAT)
    def _write_tempo(self: Any, value: float) -> None:
        between(20.0, 999.0, "Tempo")(value)
        set_value(self._tempo(), float32(value))

    def _tempo(self) -> Any:
        return self._node["master_track"]["mixer_device"]["song_tempo"]

    @reading(listen=True)
    def scale_intervals(self) -> IntVector:
        """Semitones of the scale."""
        return IntVector(SCALES[self._node["scale_name"]])

    @reading(listen=True, cost_s=LIST_READ_S)
    def visible_tracks(self) -> Vector[Any]:
        """Tracks that no folded group hides."""
        wrap = self._rt.wrap
        shown = [track for track in self._node["tracks"] if wrap(track).is_visible]
        return wrapped(self, shown)

    @reading(listen=True)
    def re_enable_automation_enabled(self) -> bool:
        """Whether a parameter of a track's mixer or first level of devices is overridden."""
        return any(parameter["automation_state"] == 2 for parameter in self._parameters())

    def _parameters(self) -> list[Any]:
        found: list[Any] = []
        for track in self._node["tracks"]:
            for owner in (track["mixer_device"], *track["devices"]):
                nodes = owner.below()
                found.extend(node for node in nodes if node.kind == "DeviceParameter")
        return found

    @calling()
    def re_enable_automation(self) -> None:
        """Let all overridden parameters follow their automation again."""
        for node in self._parameters():
            self._rt.wrap(node).re_enable_automation()

    @calling(optional(INT), required=0, cost_s=INSERT_S)
    def create_midi_track(self, index: int | None = None) -> Any:
        """Make a MIDI track."""
        where = -1 if index is None else index
        return self._rt.wrap(edits.create_track(self._world, MIDI, where))

    @calling(optional(INT), required=0, cost_s=INSERT_S)
    def create_audio_track(self, index: int | None = None) -> Any:
        """Make an audio track."""
        where = -1 if index is None else index
        return self._rt.wrap(edits.create_track(self._world, AUDIO, where))

    @calling(cost_s=INSERT_S)
    def create_return_track(self) -> Any:
        """Make a return track."""
        return self._rt.wrap(edits.create_return(self._world))

    @calling(INT)
    def create_scene(self, index: int) -> Any:
        """Make a scene."""
        return self._rt.wrap(edits.create_scene(self._world, index))

    @calling(INT, cost_s=DELETE_S)
    def delete_track(self, index: int) -> None:
        """Delete a track."""
        edits.delete_track(self._world, index)

    @calling(INT, cost_s=DELETE_S)
    def delete_return_track(self, index: int) -> None:
        """Delete a return track."""
        edits.delete_return(self._world, index)

    @calling(INT, cost_s=DELETE_S)
    def delete_scene(self, index: int) -> None:
        """Delete a scene."""
        edits.delete_scene(self._world, index)

    @calling(INT)
    def duplicate_track(self, index: int) -> None:
        """Copy a track."""
        edits.duplicate_track(self._world, index)

    @calling(INT)
    def duplicate_scene(self, index: int) -> None:
        """Copy a scene."""
        edits.duplicate_scene(self._world, index)

    @calling(an("Device"), an("Track", "Chain"), INT)
    def move_device(self, device: Any, target: Any, target_position: int) -> int:
        """Move a device."""
        return edits.move_device(node_of(device), node_of(target), target_position)

    @calling(TEXT, ANY, changes=False)
    def get_data(self, key: str, default_value: Any) -> Any:
        """Read what a script stored in the set."""
        return self._node.get("data", {}).get(key, default_value)

    @calling(TEXT, ANY)
    def set_data(self, key: str, value: Any) -> None:
        """Store something in the set."""
        data = dict(self._node.get("data", {}))
        data[key] = value
        self._world.put(self._node, "data", data, tracked=False)
