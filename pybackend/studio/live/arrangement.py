"""Clips of the arrangement: a new one takes its place, whatever was there is cut or goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import making, rules

if TYPE_CHECKING:
    from pybackend.studio.live.node import Node


def insert(track: Node, clip: Node) -> None:
    """Put a clip into the arrangement; the playhead moves to it at once, as Live's does."""
    world = track.world
    world.runtime.clock.spend(rules.INSERT_S)
    start, end = clip["start"], clip["start"] + clip["extent"]
    kept: list[Node] = []
    with world.runtime.quietly():
        for other in track["arrangement_clips"]:
            if world.runtime.rules.arrangement_overwrites:
                kept.extend(_cut(other, start, end))
            else:
                kept.append(other)
        placed = sorted((*kept, clip), key=lambda one: float(one["start"]))
        world.put(track, "arrangement_clips", tuple(placed))
        if not world.song["is_playing"]:
            world.put(world.song, "song_time", start, tracked=False)
            world.put(world.song, "start_time", start, tracked=False)


def _cut(clip: Node, start: float, end: float) -> list[Node]:
    """Return what is left of a clip outside a range; the content keeps its place in time."""
    here, there = clip["start"], clip["start"] + clip["extent"]
    if there <= start or here >= end:
        return [clip]
    left: list[Node] = []
    if here < start and there > end and clip.parent is not None:
        rest = making.copy(clip, clip.parent)
        _trim(rest, end, there, fresh=True)
        left.append(rest)
    if here < start:
        _trim(clip, here, start)
        left.append(clip)
    elif there > end:
        _trim(clip, end, there)
        left.append(clip)
    return left


def _trim(clip: Node, start: float, end: float, *, fresh: bool = False) -> None:
    shift = start - clip["start"]
    values = {
        "start": start,
        "extent": end - start,
        "shown_extent": end - start,
        "start_marker": clip["start_marker"] + shift,
    }
    if not clip["looping"]:
        values["end_marker"] = values["start_marker"] + end - start
    for field, value in values.items():
        if fresh:
            clip.fields[field] = value
        else:
            says = ((clip, "start_time"), (clip, "end_time"))
            clip.world.put(clip, field, value, says=says)


def delete(track: Node, clip: Node) -> None:
    """Take a clip out of the arrangement.

    Raises
    ------
    RuntimeError
        If it is not a clip of this track's arrangement.
    """
    if clip not in track["arrangement_clips"]:
        raise RuntimeError("The clip belongs to another track")
    track.world.runtime.count_deletion("delete_clip")
    track.world.runtime.clock.spend(rules.DELETE_S)
    rest = tuple(one for one in track["arrangement_clips"] if one is not clip)
    track.world.put(track, "arrangement_clips", rest)


def set_extent(clip: Node, extent: float) -> None:
    """Change how long a clip is in the arrangement; an unwarped audio clip shows it next turn."""
    if clip["start"] is None:
        return
    world = clip.world
    world.put(clip, "extent", extent, says=((clip, "end_time"),))
    if clip["is_midi"] or clip["warping"]:
        world.put(clip, "shown_extent", extent)
    else:
        world.later(lambda: _show(clip) if clip.ptr else None)


def _show(clip: Node) -> None:
    clip.world.put(clip, "shown_extent", clip["extent"], tracked=False, says=((clip, "end_time"),))
