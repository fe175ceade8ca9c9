"""A picture of everything that undo can change, cheap enough to take before and after an undo.

A picture maps ``(track, owner, group)`` to a tuple of values; track and owner are Live's pointers.
It is taken in slices by a generator. What it does not see: automation and warp markers, the inside
of plug-ins, notes of clips that no move touched, routing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .fields import read_or
from .noteclip import read_rows_in_slices
from .noterows import digest_in_slices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NamedTuple

    from .live_types import Clip, Device, LiveObject, Parameter, Song, Track

    Key = tuple[int, int, str]

SONG = ("tempo", "signature_numerator", "signature_denominator", "root_note", "scale_name")
TRACK = ("name", "color", "mute", "solo")
SCENE = ("name", "color", "tempo", "tempo_enabled", "time_signature_enabled")
CUE = ("name", "time")
CHAIN = ("name", "mute", "solo")
CLIP = (
    "name",
    "color",
    "muted",
    "looping",
    "loop_start",
    "loop_end",
    "start_marker",
    "end_marker",
    "start_time",
    "signature_numerator",
    "signature_denominator",
    "has_envelopes",
)
AUDIO = ("gain", "pitch_coarse", "pitch_fine", "warping", "warp_mode")
GROUPS = {"song": SONG, "track": TRACK, "scene": SCENE, "cue": CUE, "chain": CHAIN}
GROUPS.update({"clip": CLIP, "audio": AUDIO, "device": ("name",), "notes": ("notes",)})
# Groups without names for their values, compared one by one.
INDEXED = ("parameters", "mixer", "slots")
MAX_DEPTH = 8
READS_PER_SLICE = 64


class Unreadable(str):
    """Stands for a member that raised; equal to itself, unlike any value."""

    __slots__ = ()


UNREADABLE = Unreadable("unreadable")


def _values(thing: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(read_or(thing, name, UNREADABLE) for name in names)


def pointers(things: Any) -> tuple[int, ...]:
    """Pointers of a vector's objects; empty where there is no vector."""
    return tuple(thing._live_ptr for thing in things or ())


def mixer_parameters(mixer: Any) -> list[Parameter]:
    """Volume, panning and sends of a track's or chain's mixer."""
    found = [read_or(mixer, name, None) for name in ("volume", "panning")]
    found += list(read_or(mixer, "sends", ()))
    return [parameter for parameter in found if parameter is not None]


class World:
    """One picture.

    Attributes
    ----------
    values : dict
        ``(track, owner, group)`` -> tuple of values.
    owners : dict
        Pointer of a device or mixer -> its wrapper, to find the parameter behind a difference.
    """

    def __init__(self) -> None:
        self.values: dict[Key, tuple[Any, ...]] = {}
        self.owners: dict[int, Any] = {}

    def parameter(self, group: str, owner: int, index: int) -> Parameter | None:
        """Find the parameter of a difference, or None."""
        thing = self.owners.get(owner)
        if thing is None:
            return None
        try:
            if group == "mixer":
                return mixer_parameters(thing)[index]
            return thing.parameters[index]  # type: ignore[no-any-return]
        except Exception:
            return None


def look(song: Song, note_clips: frozenset[int]) -> Iterator[World | None]:
    """Take a picture in slices.

    Parameters
    ----------
    song : Song
        The set.
    note_clips : frozenset of int
        Pointers of the clips whose notes belong in the picture.

    Yields
    ------
    None or World
        None where the scan may be interrupted; the finished picture last.
    """
    world = World()
    values = world.values
    here = song._live_ptr
    values[0, here, "song"] = _values(song, SONG)
    for name in ("tracks", "return_tracks", "scenes", "cue_points"):
        values[0, here, name] = pointers(getattr(song, name))
    for scene in song.scenes:
        values[0, scene._live_ptr, "scene"] = _values(scene, SCENE)
        yield None
    for cue in song.cue_points:
        values[0, cue._live_ptr, "cue"] = _values(cue, CUE)
    yield None
    for track in (*song.tracks, *song.return_tracks, song.master_track):
        for _ in look_at_track(world, track, note_clips):
            yield None
    yield world


def look_at_track(world: World, track: Track, note_clips: frozenset[int]) -> Iterator[None]:
    """Add one track to a picture, in slices."""
    owner = track._live_ptr
    world.values[owner, owner, "track"] = _values(track, TRACK)
    _look_at_mixer(world, owner, track.mixer_device)
    yield None
    for _ in _look_at_devices(world, owner, track, 0):
        yield None
    clips = []
    inside = []
    for count, slot in enumerate(read_or(track, "clip_slots", ())):
        clip = slot.clip if slot.has_clip else None
        inside.append(0 if clip is None else clip._live_ptr)
        if clip is not None:
            clips.append(clip)
        if count % READS_PER_SLICE == READS_PER_SLICE - 1:
            yield None
    world.values[owner, owner, "slots"] = tuple(inside)
    arranged = list(read_or(track, "arrangement_clips", ()))
    world.values[owner, owner, "arrangement"] = pointers(arranged)
    for clip in clips + arranged:
        for _ in look_at_clip(world, owner, clip, note_clips):
            yield None


def _look_at_mixer(world: World, track: int, mixer: LiveObject) -> None:
    here = mixer._live_ptr
    world.owners[here] = mixer
    world.values[track, here, "mixer"] = tuple(
        read_or(parameter, "value", UNREADABLE) for parameter in mixer_parameters(mixer)
    )


def _look_at_devices(world: World, track: int, holder: Any, depth: int) -> Iterator[None]:
    devices = list(holder.devices)
    world.values[track, holder._live_ptr, "devices"] = pointers(devices)
    for device in devices:
        for _ in _look_at_device(world, track, device, depth):
            yield None


def _look_at_device(world: World, track: int, device: Device, depth: int) -> Iterator[None]:
    here = device._live_ptr
    world.owners[here] = device
    world.values[track, here, "device"] = (read_or(device, "name", UNREADABLE),)
    found = []
    for count, parameter in enumerate(device.parameters):
        found.append(read_or(parameter, "value", UNREADABLE))
        if count % READS_PER_SLICE == READS_PER_SLICE - 1:
            yield None
    world.values[track, here, "parameters"] = tuple(found)
    yield None
    if depth >= MAX_DEPTH or not read_or(device, "can_have_chains", False):
        return
    for name in ("chains", "return_chains"):
        chains = list(read_or(device, name, ()))
        world.values[track, here, name] = pointers(chains)
        for chain in chains:
            world.values[track, chain._live_ptr, "chain"] = _values(chain, CHAIN)
            _look_at_mixer(world, track, chain.mixer_device)
            for _ in _look_at_devices(world, track, chain, depth + 1):
                yield None


def look_at_clip(
    world: World, track: int, clip: Clip, note_clips: frozenset[int]
) -> Iterator[None]:
    """Add one clip to a picture, in slices."""
    here = clip._live_ptr
    world.values[track, here, "clip"] = _values(clip, CLIP)
    midi = read_or(clip, "is_midi_clip", True)
    if not midi:
        world.values[track, here, "audio"] = _values(clip, AUDIO)
    if midi and here in note_clips:
        rows = yield from read_rows_in_slices(clip)
        notes = yield from digest_in_slices(rows)
        world.values[track, here, "notes"] = (notes,)
    yield None


if TYPE_CHECKING:

    class Difference(NamedTuple):
        """One value that is not the same in two pictures."""

        key: Key
        at: int | None
        field: str
        before: Any
        after: Any

else:
    from collections import namedtuple

    Difference = namedtuple("Difference", "key at field before after")


def differences(before: World, after: World) -> list[Difference]:
    """List what differs: added and removed objects with None on the other side."""
    found = []
    for key in before.values.keys() | after.values.keys():
        one, other = before.values.get(key), after.values.get(key)
        if one == other:
            continue
        names = GROUPS.get(key[2])
        if one is None or other is None or (names is None and len(one) != len(other)):
            found.append(Difference(key, None, key[2], one, other))
            continue
        if names is None and key[2] not in INDEXED:
            found.append(Difference(key, None, key[2], one, other))
            continue
        for index, (a, b) in enumerate(zip(one, other)):
            if a != b:
                name = names[index] if names else "value"
                found.append(Difference(key, index, name, a, b))
    return found


def follows_something(parameter: Any) -> bool:
    """Whether a parameter's value moves by itself: automated, or driven by a macro or an LFO."""
    return bool(read_or(parameter, "automation_state", 0)) or not read_or(
        parameter, "is_enabled", True
    )
