"""The transport of ``Song``: writes that are readable from the next turn on, and in no history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import edits
from pybackend.studio.live.arguments import BOOL, FLOAT, INT
from pybackend.studio.live.declaring import calling, fixed, reading, stored
from pybackend.studio.live.lom.common import LomObject, between
from pybackend.studio.live.playing import (
    advance,
    place_playhead,
    start_transport,
    stop_track,
    stop_transport,
)

if TYPE_CHECKING:
    from typing import Any

    from pybackend.studio.live.binding import Prop
    from pybackend.studio.live.node import Node

LATEST_BEATS = 1576800.0


def _switch() -> Prop[Any]:
    return stored(BOOL, tracked=False, deferred=True)


def last_event(song: Node) -> float:
    """Return where the last clip or cue point ends, in beats."""
    ends = [cue["time"] for cue in song["cue_points"]]
    for track in song["tracks"]:
        ends.extend(clip["start"] + clip["shown_extent"] for clip in track["arrangement_clips"])
    return float(max(ends, default=0.0))


class SongTransport(LomObject):
    """Play, stop, locate, loop, record."""

    __slots__ = ()

    record_mode = _switch()
    session_record = _switch()
    arrangement_overdub = _switch()
    session_automation_record = _switch()
    metronome = _switch()
    loop = _switch()
    punch_in = _switch()
    punch_out = _switch()
    back_to_arranger = _switch()
    loop_start = stored(FLOAT, tracked=False, deferred=True, valid=between(0, LATEST_BEATS, "Time"))
    loop_length = stored(
        FLOAT, tracked=False, deferred=True, valid=between(0.0625, LATEST_BEATS, "Length")
    )
    start_time = stored(FLOAT, tracked=False, deferred=True, valid=between(0, LATEST_BEATS, "Time"))
    clip_trigger_quantization = stored(INT, valid=between(0, 13, "Quantization"), tracked=False)
    is_counting_in = fixed(lambda _: False, listen=True)
    count_in_duration = fixed(lambda _: 0, listen=True)
    can_jump_to_next_cue = fixed(lambda obj: bool(obj._node["cue_points"]), listen=True)
    can_jump_to_prev_cue = fixed(lambda obj: bool(obj._node["cue_points"]), listen=True)
    last_event_time = fixed(lambda obj: last_event(obj._node))

    @reading(listen=True)
    def song_length(self) -> float:
        """End of the last event and some room."""
        return last_event(self._node) + 64.0

    @reading(listen=True)
    def is_playing(self) -> bool:
        """Whether the transport runs."""
        return bool(self._node["is_playing"])

    @is_playing.writing(BOOL)
    def _write_playing(self: Any, value: bool) -> None:
        world = self._world
        world.later(lambda: start_transport(world) if value else stop_transport(world))

    @reading(listen=True)
    def current_song_time(self) -> float:
        """The playhead in beats, as it was at the start of the turn."""
        return float(self._node["song_time"])

    @current_song_time.writing(FLOAT)
    def _write_time(self: Any, value: float) -> None:
        world = self._world
        end = last_event(self._node) + 64.0
        beats = min(float(between(0.0, LATEST_BEATS, "Time")(value)), end)

        def move() -> None:
            advance(world)
            place_playhead(world, beats)
            if not world.song["is_playing"]:
                world.put(world.song, "start_time", beats, tracked=False)

        world.later(move)

    @calling()
    def start_playing(self) -> None:
        """Play from the start marker."""
        world = self._world

        def start() -> None:
            if not world.song["is_playing"]:
                place_playhead(world, world.song["start_time"])
            start_transport(world)

        world.later(start)

    @calling()
    def continue_playing(self) -> None:
        """Play from the playhead."""
        self._world.later(lambda: start_transport(self._world))

    @calling()
    def stop_playing(self) -> None:
        """Stop."""
        self._world.later(lambda: stop_transport(self._world))

    @calling(BOOL, required=0)
    def stop_all_clips(self, quantized: bool = True) -> None:
        """Stop all session clips."""
        del quantized
        for track in self._node["tracks"]:
            stop_track(track)

    @calling(FLOAT)
    def jump_by(self, beats: float) -> None:
        """Move the playhead."""
        world = self._world
        to = max(0.0, self._node["song_time"] + beats)
        world.later(lambda: place_playhead(world, to))

    @calling(changes=False)
    def is_cue_point_selected(self) -> bool:
        """Whether the playhead is on a cue point."""
        here = self._node["song_time"]
        return any(cue["time"] == here for cue in self._node["cue_points"])

    @calling()
    def set_or_delete_cue(self) -> None:
        """Toggle a cue point at the committed playhead."""
        edits.toggle_cue(self._world)
