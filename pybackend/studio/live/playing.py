"""Transport: what plays, where the playhead is, and that all of it takes effect a turn later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pybackend.studio.live.node import Node, World


def fire(slot: Node) -> None:
    """Launch a slot's clip from the next turn on; an empty slot stops its track."""
    track = slot.parent
    if track is None:
        return
    number = track["clip_slots"].index(slot)
    track.world.put(track, "fired_slot", number, tracked=False, says=((track, "fired_slot_index"),))

    def start() -> None:
        if not track.ptr:
            return
        clip = slot["clip"]
        _untracked(track, "fired_slot", -1, "fired_slot_index")
        _untracked(track, "playing_slot", number if clip is not None else -1, "playing_slot_index")
        if clip is not None:
            start_transport(track.world)

    track.world.later(start)


def stop_track(track: Node) -> None:
    """Stop a track's session clip from the next turn on."""
    track.world.later(
        lambda: _untracked(track, "playing_slot", -1, "playing_slot_index") if track.ptr else None
    )


def _untracked(node: Node, field: str, value: Any, name: str) -> None:
    node.world.put(node, field, value, tracked=False, says=((node, name),))


def start_transport(world: World) -> None:
    """Start playing."""
    song = world.song
    if not song["is_playing"]:
        song.fields["anchor"] = (world.runtime.clock(), song["song_time"])
        world.put(song, "is_playing", True, tracked=False)


def stop_transport(world: World) -> None:
    """Stop playing; the playhead stays."""
    song = world.song
    if song["is_playing"]:
        advance(world)
        world.put(song, "is_playing", False, tracked=False)


def place_playhead(world: World, beats: float) -> None:
    """Move the playhead."""
    song = world.song
    song.fields["anchor"] = (world.runtime.clock(), beats)
    world.put(song, "song_time", beats, tracked=False, says=((song, "current_song_time"),))


def advance(world: World) -> None:
    """Bring the playhead to where it is now; the loop sends it back."""
    song = world.song
    if not song["is_playing"]:
        return
    since_s, beats = song["anchor"]
    beats += (world.runtime.clock() - since_s) * tempo(world) / 60.0
    end = song["loop_start"] + song["loop_length"]
    if song["loop"] and beats >= end > song["anchor"][1]:
        beats = song["loop_start"] + (beats - song["loop_start"]) % song["loop_length"]
    place_playhead(world, beats)


def tempo(world: World) -> float:
    """Return the tempo in BPM."""
    return float(world.song["master_track"]["mixer_device"]["song_tempo"]["value"])
