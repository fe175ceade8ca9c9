"""``Clip`` without its notes: loop and markers, place in the arrangement, audio."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import arrangement
from pybackend.studio.live.arguments import BOOL, FLOAT, INT, TEXT, an
from pybackend.studio.live.declaring import calling, fixed, heard, reading, stored
from pybackend.studio.live.lom.clip_notes import ClipNotes
from pybackend.studio.live.lom.common import (
    LomObject,
    between,
    child,
    color_of,
    set_color,
    valid_color_index,
)
from pybackend.studio.live.lom.kinds import audio_clip_only
from pybackend.studio.live.lom.rack import note_name
from pybackend.studio.live.lom.slot import owner_of
from pybackend.studio.live.playing import fire, stop_track

if TYPE_CHECKING:
    from typing import Any

    from pybackend.studio.live.node import Node


class ClipView(LomObject):
    """``Clip.View``."""

    __slots__ = ()


def _put(clip: Node, field: str, value: float) -> None:
    """Write a loop or marker field; what can be derived from it notifies too."""
    names = ("loop_start", "loop_end", "start_marker", "end_marker", "position")
    clip.world.put(clip, field, value, says=tuple((clip, name) for name in names))


def set_start(clip: Node, value: float) -> None:
    """Write ``loop_start``: of the loop, or of the whole clip while it does not loop."""
    if value >= (clip["loop_to"] if clip["looping"] else clip["end_marker"]):
        raise RuntimeError("Cannot set LoopStart behind LoopEnd")
    if clip["looping"]:
        _put(clip, "loop_from", value)
        return
    with clip.world.runtime.quietly():
        _put(clip, "start_marker", value)
        arrangement.set_extent(clip, clip["end_marker"] - value)


def set_end(clip: Node, value: float) -> None:
    """Write ``loop_end``: of the loop, or of the whole clip while it does not loop."""
    if value <= (clip["loop_from"] if clip["looping"] else clip["start_marker"]):
        raise RuntimeError("Cannot set LoopEnd before LoopStart")
    if clip["looping"]:
        _put(clip, "loop_to", value)
        return
    with clip.world.runtime.quietly():
        _put(clip, "end_marker", value)
        arrangement.set_extent(clip, value - clip["start_marker"])


class Clip(ClipNotes):
    """A MIDI or audio clip in Session or Arrangement."""

    __slots__ = ()

    name = stored(TEXT)
    color_index = stored(INT, valid=valid_color_index)
    muted = stored(BOOL)
    signature_numerator = stored(INT, valid=between(1, 99, "Numerator"))
    signature_denominator = stored(INT, valid=between(1, 16, "Denominator"))
    launch_mode = stored(INT, valid=between(0, 3, "Launch mode"))
    launch_quantization = stored(INT, valid=between(0, 14, "Quantization"))
    legato = stored(BOOL)
    velocity_amount = stored(FLOAT, valid=between(0.0, 1.0, "Velocity amount"))
    is_recording = stored(BOOL, settable=False)
    is_overdubbing = stored(BOOL, settable=False)
    view = child("view")
    notes = heard()
    is_midi_clip = fixed(lambda obj: obj._node["is_midi"])
    is_audio_clip = fixed(lambda obj: not obj._node["is_midi"])
    is_arrangement_clip = fixed(lambda obj: obj._node["start"] is not None)
    is_session_clip = fixed(lambda obj: obj._node["start"] is None, since=(12, 2, 0))
    is_take_lane_clip = fixed(lambda _: False, since=(12, 2, 0))
    is_triggered = fixed(lambda obj: _plays(obj._node))
    will_record_on_start = fixed(lambda _: False)
    has_envelopes = fixed(lambda _: False, listen=True)
    groove = fixed(lambda obj: obj._rt.wrap(obj._node["groove"]), listen=True)
    has_groove = fixed(lambda obj: obj._node["groove"] is not None)
    playing_position = fixed(lambda _: 0.0, listen=True)
    file_path = stored(TEXT, settable=False, gate=audio_clip_only)
    gain = stored(FLOAT, valid=between(0.0, 1.0, "Gain"), gate=audio_clip_only)
    pitch_coarse = stored(INT, valid=between(-48, 48, "Pitch"), gate=audio_clip_only)
    pitch_fine = stored(FLOAT, valid=between(-500.0, 500.0, "Pitch"), gate=audio_clip_only)
    warping = stored(BOOL, gate=audio_clip_only)
    warp_mode = stored(INT, valid=between(0, 6, "Warp mode"), gate=audio_clip_only)
    ram_mode = stored(BOOL, gate=audio_clip_only)
    sample_length = stored(INT, settable=False, listen=False, gate=audio_clip_only)
    gain_display_string = fixed(
        lambda obj: f"{40.0 * (obj._node['gain'] - 0.4):.1f} dB", gate=audio_clip_only
    )

    @reading(listen=True)
    def color(self) -> int:
        """RGB of the palette."""
        return color_of(self)

    @color.writing(INT)
    def _write_color(self: Any, value: int) -> None:
        set_color(self, value)

    @reading(listen=True)
    def looping(self) -> bool:
        """Whether it loops; an unwarped audio clip cannot."""
        return bool(self._node["looping"])

    @looping.writing(BOOL)
    def _write_looping(self: Any, value: bool) -> None:
        if value and not self._node["is_midi"] and not self._node["warping"]:
            raise RuntimeError("Only warped audio clips can be looped")
        _put(self._node, "looping", bool(value))

    @reading(listen=True)
    def loop_start(self) -> float:
        """Start of the loop, or of the clip while it does not loop, in beats."""
        node = self._node
        return float(node["loop_from"] if node["looping"] else node["start_marker"])

    @loop_start.writing(FLOAT)
    def _write_start(self: Any, value: float) -> None:
        set_start(self._node, float(value))

    @reading(listen=True)
    def loop_end(self) -> float:
        """End of the loop, or of the clip while it does not loop, in beats."""
        node = self._node
        return float(node["loop_to"] if node["looping"] else node["end_marker"])

    @loop_end.writing(FLOAT)
    def _write_end(self: Any, value: float) -> None:
        set_end(self._node, float(value))

    @reading(listen=True)
    def start_marker(self) -> float:
        """Where it starts; a write is ignored while it does not loop."""
        return float(self._node["start_marker"])

    @start_marker.writing(FLOAT)
    def _write_start_marker(self: Any, value: float) -> None:
        if self._node["looping"]:
            if value >= self._node["end_marker"]:
                raise RuntimeError("Cannot set StartMarker behind EndMarker")
            _put(self._node, "start_marker", float(value))

    @reading(listen=True)
    def end_marker(self) -> float:
        """Where it ends; never changes how long it is in the arrangement."""
        return float(self._node["end_marker"])

    @end_marker.writing(FLOAT)
    def _write_end_marker(self: Any, value: float) -> None:
        if self._node["looping"]:
            if value <= self._node["start_marker"]:
                raise RuntimeError("Cannot set EndMarker before StartMarker")
            _put(self._node, "end_marker", float(value))

    @reading(listen=True)
    def position(self) -> float:
        """Start of the loop; a write moves the loop."""
        node = self._node
        return float(node["loop_from"] if node["looping"] else node["start_marker"])

    @position.writing(FLOAT)
    def _write_position(self: Any, value: float) -> None:
        node = self._node
        if node["looping"]:
            with self._rt.quietly():
                length = node["loop_to"] - node["loop_from"]
                _put(node, "loop_from", float(value))
                _put(node, "loop_to", float(value) + length)

    @reading()
    def length(self) -> float:
        """Length of the loop, or of the clip while it does not loop, in beats."""
        node = self._node
        if node["looping"]:
            return float(node["loop_to"] - node["loop_from"])
        return float(node["end_marker"] - node["start_marker"])

    @reading(listen=True, listen_since=(12, 2, 0))
    def start_time(self) -> float:
        """Where it is in the arrangement; 0 for a session clip that never ran."""
        start = self._node["start"]
        return 0.0 if start is None else float(start)

    @reading(listen=True)
    def end_time(self) -> float:
        """Where it ends in the arrangement."""
        start = self._node["start"]
        return float((0.0 if start is None else start) + self._node["shown_extent"])

    @reading()
    def is_playing(self) -> bool:
        """Whether a session clip plays; never for an arrangement clip."""
        return _plays(self._node)

    @calling(an("DeviceParameter"), changes=False)
    def automation_envelope(self, device_parameter: Any) -> None:
        """Return no envelope: the studio has none."""

    @calling(INT, changes=False, since=(12, 0, 5))
    def note_number_to_name(self, midi_pitch: int) -> str:
        """Name a pitch."""
        return note_name(int(between(0, 127, "Pitch")(midi_pitch)))

    @calling()
    def fire(self) -> None:
        """Launch it."""
        if self._node["start"] is None and self._node.parent is not None:
            fire(self._node.parent)

    @calling()
    def stop(self) -> None:
        """Stop it."""
        if _plays(self._node):
            stop_track(owner_of(self._node))


def _plays(clip: Node) -> bool:
    slot = clip.parent
    if clip["start"] is not None or slot is None:
        return False
    track = owner_of(clip)
    number = track["playing_slot"]
    return bool(number >= 0 and track["clip_slots"][number] is slot)
