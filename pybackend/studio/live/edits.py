"""Changes to the structure of a set: tracks, scenes, clips, devices, cue points.

Scripts come here through the object model, the human through `user.Actor`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import making, rules
from pybackend.studio.live.catalogue import DEVICES, INSTRUMENT
from pybackend.studio.live.devices import AUDIO, GROUP, MAIN, MIDI, RETURN, make_device, make_send
from pybackend.studio.live.faults import LimitationError
from pybackend.studio.live.node import Node

if TYPE_CHECKING:
    from pybackend.studio.live.catalogue import DeviceSpec
    from pybackend.studio.live.node import World

MOST_RETURNS = 12


def place(index: int, length: int, what: str) -> int:
    """Return where to insert; -1 is the end.

    Raises
    ------
    IndexError
        If there is no such place.
    """
    if index == -1:
        return length
    if not 0 <= index <= length:
        raise IndexError(f"Invalid {what} index {index}")
    return index


def pick(nodes: tuple[Node, ...], index: int, what: str) -> Node:
    """Return one of several.

    Raises
    ------
    IndexError
        If there is no such one; there is no counting from the end.
    """
    if not 0 <= index < len(nodes):
        raise IndexError(f"Invalid {what} index {index}")
    return nodes[index]


def with_one(nodes: tuple[Node, ...], index: int, node: Node) -> tuple[Node, ...]:
    """Return the nodes with one more at a place."""
    return (*nodes[:index], node, *nodes[index:])


def without(nodes: tuple[Node, ...], *gone: Node) -> tuple[Node, ...]:
    """Return the nodes without some."""
    return tuple(node for node in nodes if node not in gone)


def _tell_tracks(song: Node) -> tuple[tuple[Node, str], ...]:
    """Default names carry the number of the track, so they change when others come or go."""
    renamed = tuple((track, "name") for track in song["tracks"] if track["given_name"] is None)
    return ((song, "visible_tracks"), *renamed)


def create_track(world: World, kind: str, index: int, name: str | None = None) -> Node:
    """Make a MIDI, audio or group track at a place (-1: the end)."""
    song = world.song
    where = place(index, len(song["tracks"]), "track")
    world.runtime.clock.spend(rules.INSERT_S)
    made = making.track(world, kind, name)
    before = song["tracks"][where - 1] if where else None
    if before is not None and before["group_track"] and where < len(song["tracks"]):
        after = song["tracks"][where]
        if after["group_track"] is before["group_track"]:
            made.fields["group_track"] = before["group_track"]
    tracks = with_one(song["tracks"], where, made)
    world.put(song, "tracks", tracks, says=_tell_tracks(song))
    return made


def create_return(world: World, name: str | None = None) -> Node:
    """Make a return track, and a send to it on every track."""
    song = world.song
    returns = song["return_tracks"]
    if len(returns) >= MOST_RETURNS:
        raise LimitationError("Maximum number of return tracks reached")
    mixers = [track["mixer_device"] for track in (*song["tracks"], *returns)]
    made = making.track(world, RETURN, name)
    world.runtime.clock.spend(rules.INSERT_S)
    with world.runtime.quietly():
        world.put(song, "return_tracks", (*returns, made))
        for mixer in mixers:
            world.put(mixer, "sends", (*mixer["sends"], make_send(mixer, len(returns))))
    return made


def delete_track(world: World, index: int) -> None:
    """Delete a track; a group goes with its members.

    Raises
    ------
    RuntimeError
        If it is the last track, or the last member of a group.
    """
    song = world.song
    track = pick(song["tracks"], index, "track")
    gone = [one for one in song["tracks"] if one is track or _inside(one, track)]
    group = track["group_track"]
    members = [one for one in song["tracks"] if group is not None and one["group_track"] is group]
    if len(gone) == len(song["tracks"]) or members == [track]:
        raise RuntimeError("Couldn't delete track")
    world.runtime.count_deletion("delete_track")
    world.runtime.clock.spend(rules.DELETE_S)
    world.runtime.reenter()
    world.put(song, "tracks", without(song["tracks"], *gone), says=_tell_tracks(song))


def _inside(track: Node, group: Node) -> bool:
    above = track["group_track"]
    while above is not None and above is not group:
        above = above["group_track"]
    return above is not None


def delete_return(world: World, index: int) -> None:
    """Delete a return track and every send to it."""
    song = world.song
    gone = pick(song["return_tracks"], index, "return track")
    world.runtime.count_deletion("delete_return_track")
    world.runtime.clock.spend(rules.DELETE_S)
    tracks = (*song["tracks"], *song["return_tracks"])
    mixers = [track["mixer_device"] for track in tracks if track is not gone]
    with world.runtime.quietly():
        for mixer in mixers:
            world.put(mixer, "sends", without(mixer["sends"], mixer["sends"][index]))
        world.put(song, "return_tracks", without(song["return_tracks"], gone))


def duplicate_track(world: World, index: int) -> Node:
    """Copy a track next to itself."""
    song = world.song
    track = pick(song["tracks"], index, "track")
    world.runtime.clock.spend(rules.DUPLICATE_S)
    made = making.copy(track, song)
    world.put(song, "tracks", with_one(song["tracks"], index + 1, made), says=_tell_tracks(song))
    return made


def create_scene(world: World, index: int) -> Node:
    """Make a scene, and a slot for it on every track."""
    song = world.song
    where = place(index, len(song["scenes"]), "scene")
    slots = [(track, track["clip_slots"]) for track in song["tracks"]]
    made = making.scene(world)
    with world.runtime.quietly():
        world.put(song, "scenes", with_one(song["scenes"], where, made))
        for track, old in slots:
            world.put(track, "clip_slots", with_one(old, where, making.slot(track)))
    return made


def delete_scene(world: World, index: int) -> None:
    """Delete a scene with its clips.

    Raises
    ------
    RuntimeError
        If it is the last one.
    """
    song = world.song
    gone = pick(song["scenes"], index, "scene")
    if len(song["scenes"]) == 1:
        raise RuntimeError("The last scene cannot be deleted")
    world.runtime.count_deletion("delete_scene")
    world.runtime.clock.spend(rules.DELETE_S)
    slots = [(track, track["clip_slots"]) for track in song["tracks"]]
    with world.runtime.quietly():
        for track, old in slots:
            world.put(track, "clip_slots", without(old, old[index]))
        world.put(song, "scenes", without(song["scenes"], gone))


def duplicate_scene(world: World, index: int) -> Node:
    """Copy a scene with its clips below itself."""
    song = world.song
    scene = pick(song["scenes"], index, "scene")
    slots = [(track, track["clip_slots"]) for track in song["tracks"]]
    world.runtime.clock.spend(rules.DUPLICATE_S)
    made = making.copy(scene, song)
    with world.runtime.quietly():
        world.put(song, "scenes", with_one(song["scenes"], index + 1, made))
        for track, old in slots:
            slot = making.copy(old[index], track)
            world.put(track, "clip_slots", with_one(old, index + 1, slot))
    return made


def set_clip(slot: Node, clip: Node | None) -> None:
    """Put a clip into a slot, or take it away."""
    world = slot.world
    clock = world.runtime.clock
    clock.spend(rules.DELETE_S if clip is None else rules.INSERT_S)
    if clip is None:
        world.runtime.count_deletion("delete_clip")
    world.put(slot, "clip", clip, says=((slot, "has_clip"),))


def insert_device(chain: Node, spec: DeviceSpec, index: int) -> Node:
    """Put a new device into a track or chain; an instrument replaces the one that is there."""
    world = chain.world
    where = place(index, len(chain["devices"]), "device")
    world.runtime.clock.spend(rules.INSERT_S)
    world.runtime.reenter()
    made = make_device(chain, spec)
    devices = chain["devices"]
    if spec.device_type == INSTRUMENT and chain.kind == "Track":
        if chain["track_kind"] != MIDI:
            raise RuntimeError("An instrument needs a MIDI track")
        where = min(where, len(without(devices, *_instruments(devices))))
        devices = without(devices, *_instruments(devices))
    outlets = ("has_audio_output", "has_midi_output") if chain.kind == "Track" else ()
    says = tuple((chain, name) for name in outlets)
    world.put(chain, "devices", with_one(devices, where, made), says=says)
    return made


def _instruments(devices: tuple[Node, ...]) -> tuple[Node, ...]:
    return tuple(one for one in devices if one["spec"].device_type == INSTRUMENT)


def device_spec(name: str) -> DeviceSpec:
    """Find a native device by its display name.

    Raises
    ------
    RuntimeError
        If there is none; plug-ins and Max devices are not native.
    """
    spec = DEVICES.get(name)
    if spec is None or not spec.native:
        raise RuntimeError(f"No native device is called {name!r}")
    return spec


def delete_device(chain: Node, index: int) -> None:
    """Take a device out of a track or chain."""
    world = chain.world
    gone = pick(chain["devices"], index, "device")
    world.runtime.count_deletion("delete_device")
    world.runtime.clock.spend(rules.DELETE_S)
    world.runtime.reenter()
    world.put(chain, "devices", without(chain["devices"], gone))


def move_device(device: Node, target: Node, index: int) -> int:
    """Move a device; undoing the move of a Max device takes the real Live down."""
    world = device.world
    source = device.parent
    if source is None:
        raise RuntimeError("The device is nowhere")
    rest = without(target["devices"], device)
    where = min(place(index, max(index, len(rest)), "device"), len(rest))
    with world.runtime.quietly():
        world.put(device, "parent", None)
        if source is not target:
            world.put(source, "devices", without(source["devices"], device))
        world.put(target, "devices", with_one(rest, where, device))
        world.put(device, "parent", target)
    step = world.history.newest()
    if device.kind == "MaxDevice" and step is not None:
        step.fatal = "undo of the move of a Max device"
    return where


def toggle_cue(world: World, name: str = "") -> None:
    """Delete the cue point at the committed position, or make one there (snapped to 1/16)."""
    song = world.song
    if song["is_playing"]:
        raise RuntimeError("Cue points can be edited only while the transport is stopped")
    time = round(song["song_time"] * 4.0) / 4.0
    here = [cue for cue in song["cue_points"] if cue["time"] == time]
    if here:
        world.put(song, "cue_points", without(song["cue_points"], *here))
        return
    cue = Node(world, "CuePoint", song, name=name, time=time)
    cues = sorted((*song["cue_points"], cue), key=lambda one: float(one["time"]))
    world.put(song, "cue_points", tuple(cues))


def is_regular(track: Node) -> bool:
    """Tell whether a track is neither a return nor the main track."""
    return track["track_kind"] not in (RETURN, MAIN)


def can_hold(track: Node, *, midi: bool) -> bool:
    """Tell whether a track takes clips of this sort."""
    return bool(track["track_kind"] == (MIDI if midi else AUDIO)) and track["track_kind"] != GROUP
