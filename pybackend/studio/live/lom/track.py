"""``Track``: members that raise depend on its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import arrangement, edits, making
from pybackend.studio.live.arguments import BOOL, FLOAT, INT, TEXT, an, optional
from pybackend.studio.live.declaring import calling, fixed, reading, stored
from pybackend.studio.live.devices import AUDIO, GROUP, MIDI, RETURN
from pybackend.studio.live.enums import MonitoringStates
from pybackend.studio.live.lom import routing
from pybackend.studio.live.lom.common import (
    LomObject,
    between,
    child,
    children,
    color_of,
    node_of,
    set_color,
    valid_color_index,
)
from pybackend.studio.live.lom.kinds import (
    audio_output_only,
    can_arm,
    foldable_only,
    has_clips,
    not_main,
)
from pybackend.studio.live.lom.slot import FROZEN
from pybackend.studio.live.node import PARAMETER, RENAME
from pybackend.studio.live.playing import stop_track
from pybackend.studio.live.rules import DUPLICATE_S, LIST_READ_S

if TYPE_CHECKING:
    from typing import Any

    from pybackend.studio.live.node import Node


class TrackView(LomObject):
    """``Track.View``."""

    __slots__ = ()

    is_collapsed = stored(BOOL, tracked=False)
    device_insert_mode = stored(INT, tracked=False, valid=between(0, 2, "Insert mode"))
    selected_device = fixed(lambda obj: obj._rt.wrap(obj._node["device"]), listen=True)


def name_of(track: Node) -> str:
    """Return a track's name; default names count tracks, names of returns have their letter."""
    given = track["given_name"]
    song = track.world.song
    if track["track_kind"] == RETURN:
        letter = chr(65 + song["return_tracks"].index(track))
        return f"{letter}-{'Return' if given is None else given}"
    if given is not None:
        return str(given)
    number = song["tracks"].index(track) + 1
    return f"{number}-{ {MIDI: 'MIDI', AUDIO: 'Audio', GROUP: 'Group'}[track['track_kind']] }"


class Track(LomObject):
    """A MIDI, audio, group, return or main track."""

    __slots__ = ()

    devices = children("devices")
    clip_slots = children("clip_slots")
    arrangement_clips = children("arrangement_clips", gate=has_clips)
    take_lanes = children("take_lanes", since=(12, 2, 0))
    mixer_device = child("mixer_device")
    view = child("view")
    group_track = fixed(lambda obj: obj._rt.wrap(obj._node["group_track"]))
    color_index = stored(optional(INT), valid=lambda n: None if n is None else valid_color_index(n))
    is_frozen = stored(BOOL, settable=False)
    arm = stored(BOOL, tracked=False, gate=can_arm)
    monitoring_states = MonitoringStates
    current_monitoring_state = stored(INT, valid=between(0, 2, "State"), gate=can_arm)
    can_be_armed = fixed(lambda obj: obj._node["track_kind"] in (MIDI, AUDIO))
    can_be_frozen = fixed(lambda obj: obj._node["track_kind"] in (MIDI, AUDIO))
    can_show_chains = fixed(lambda _: False)
    is_foldable = fixed(lambda obj: obj._node["track_kind"] == GROUP)
    is_grouped = fixed(lambda obj: obj._node["group_track"] is not None)
    is_part_of_selection = fixed(lambda obj: obj._world.song["view"]["selected_track"] is obj._node)
    has_midi_input = fixed(lambda obj: obj._node["track_kind"] == MIDI, listen=True)
    has_audio_input = fixed(lambda obj: obj._node["track_kind"] != MIDI, listen=True)
    has_audio_output = fixed(lambda obj: plays_audio(obj._node), listen=True)
    has_midi_output = fixed(lambda obj: not plays_audio(obj._node), listen=True)
    playing_slot_index = fixed(lambda obj: obj._node["playing_slot"], listen=True)
    fired_slot_index = fixed(lambda obj: obj._node["fired_slot"], listen=True)
    performance_impact = fixed(lambda _: 0.01, listen=True)
    output_meter_left = fixed(lambda _: 0.0, listen=True, gate=audio_output_only)
    output_meter_right = fixed(lambda _: 0.0, listen=True, gate=audio_output_only)
    output_meter_level = fixed(lambda _: 0.0, listen=True)

    @reading(listen=True)
    def name(self) -> str:
        """The name in the header."""
        return name_of(self._node)

    @name.writing(TEXT)
    def _write_name(self: Any, value: str) -> None:
        says = ((self._node, "name"),)
        self._world.put(self._node, "given_name", value, family=RENAME, says=says)

    @reading(listen=True)
    def color(self) -> int:
        """RGB of the palette."""
        return color_of(self)

    @color.writing(INT)
    def _write_color(self: Any, value: int) -> None:
        set_color(self, value)

    @reading(listen=True, gate=not_main)
    def mute(self) -> bool:
        """The mixer's activator, the other way round."""
        return bool(self._node["mixer_device"]["track_activator"]["value"] == 0.0)

    @mute.writing(BOOL)
    def _write_mute(self: Any, value: bool) -> None:
        activator = self._node["mixer_device"]["track_activator"]
        says = ((self._node, "mute"), (activator, "display_value"))
        self._world.put(activator, "value", 0.0 if value else 1.0, family=PARAMETER, says=says)

    @reading(listen=True, gate=not_main)
    def solo(self) -> bool:
        """Whether it is soloed; others are not touched."""
        return bool(self._node["solo"])

    @solo.writing(BOOL)
    def _write_solo(self: Any, value: bool) -> None:
        song = self._world.song
        others = (*song["tracks"], *song["return_tracks"])
        self._world.put(
            self._node,
            "solo",
            bool(value),
            tracked=self._rt.live.undo.solo_tracked,
            says=tuple((track, "muted_via_solo") for track in others),
        )

    @reading(listen=True, gate=not_main)
    def muted_via_solo(self) -> bool:
        """Whether another track's solo silences it."""
        soloed = any(track["solo"] for track in self._world.song["tracks"])
        return soloed and not self._node["solo"] and self._node["track_kind"] != RETURN

    @reading(gate=foldable_only)
    def fold_state(self) -> bool:
        """Whether the group hides its members; cannot be listened to."""
        return bool(self._node["fold_state"])

    @fold_state.writing(BOOL)
    def _write_fold(self: Any, value: bool) -> None:
        says = ((self._world.song, "visible_tracks"),)
        self._world.put(self._node, "fold_state", bool(value), tracked=False, says=says)

    @reading(cost_s=LIST_READ_S)
    def is_visible(self) -> bool:
        """Whether no folded group hides it."""
        group = self._node["group_track"]
        while group is not None:
            if group["fold_state"]:
                return False
            group = group["group_track"]
        return True

    @reading(listen=True, cost_s=LIST_READ_S)
    def available_output_routing_types(self) -> Any:
        """Where it can play to."""
        return routing.RoutingTypeVector(routing.output_types(self))

    @reading(listen=True, cost_s=LIST_READ_S)
    def available_input_routing_types(self) -> Any:
        """What it can listen to."""
        return routing.RoutingTypeVector(routing.input_types(self))

    @reading(listen=True, cost_s=LIST_READ_S)
    def output_routing_type(self) -> Any:
        """Where it plays to."""
        return routing.find(routing.output_types(self), self._node["output_type"])

    @output_routing_type.writing(routing.TYPE)
    def _write_output(self: Any, value: Any) -> None:
        offered = routing.output_types(self)
        routing.choose(self, "output_type", offered, value, "output_routing_type")

    @reading(listen=True, cost_s=LIST_READ_S)
    def input_routing_type(self) -> Any:
        """What it listens to."""
        return routing.find(routing.input_types(self), self._node["input_type"])

    @input_routing_type.writing(routing.TYPE)
    def _write_input(self: Any, value: Any) -> None:
        offered = routing.input_types(self)
        routing.choose(self, "input_type", offered, value, "input_routing_type")

    @calling(INT)
    def delete_device(self, index: int) -> None:
        """Delete a device."""
        edits.delete_device(self._node, index)

    @calling(TEXT, INT, required=1, since=(12, 3, 0))
    def insert_device(self, device_name: str, device_index: int = -1) -> Any:
        """Insert a native device."""
        spec = edits.device_spec(device_name)
        return self._rt.wrap(edits.insert_device(self._node, spec, device_index))

    @calling(an("Clip"))
    def delete_clip(self, clip: Any) -> None:
        """Delete a clip of this track, in Session or Arrangement."""
        node = node_of(clip)
        slots = [slot for slot in self._node["clip_slots"] if slot["clip"] is node]
        if slots:
            edits.set_clip(slots[0], None)
        else:
            arrangement.delete(self._node, node)

    @calling(FLOAT, FLOAT, since=(12, 2, 0))
    def create_midi_clip(self, start_time: float, length: float) -> Any:
        """Make an empty clip in the arrangement, over what is there."""
        track = self._node
        if track["track_kind"] != MIDI:
            raise RuntimeError("MIDI clips can only be created on MIDI tracks")
        if track["is_frozen"]:
            raise RuntimeError(FROZEN)
        if length <= 0.0 or start_time < 0.0:
            raise RuntimeError("A clip needs a positive length and a start of 0 or later")
        made = making.clip(track, float(length), at=float(start_time))
        arrangement.insert(track, made)
        return self._rt.wrap(made)

    @calling(an("Clip"), FLOAT, cost_s=DUPLICATE_S)
    def duplicate_clip_to_arrangement(self, clip: Any, destination_time: float) -> Any:
        """Copy a clip into the arrangement, over what is there."""
        node = node_of(clip)
        if not edits.can_hold(self._node, midi=node["is_midi"]):
            raise RuntimeError("Incompatible track types for clip duplication")
        made = making.copy(node, self._node)
        extent = node["extent"] if node["start"] is not None else clip.length
        made.fields.update(start=float(destination_time), extent=extent, shown_extent=extent)
        arrangement.insert(self._node, made)
        return self._rt.wrap(made)

    @calling(BOOL, required=0)
    def stop_all_clips(self, quantized: bool = True) -> None:
        """Stop what plays on this track."""
        del quantized
        stop_track(self._node)


def plays_audio(track: Node) -> bool:
    """Tell whether audio comes out: not from a MIDI track without an instrument."""
    return track["track_kind"] != MIDI or any(
        device["spec"].device_type == 1 for device in track["devices"]
    )
