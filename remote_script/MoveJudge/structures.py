"""Creating and deleting a clip or a track: a move of its own, one at a time.

Several deletions in one turn have crashed Live, and what a deletion removes cannot be made again
by us: it comes back through Live's own undo or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .failure import Failure
from .fields import read_or
from .identity import alive
from .log import leave_trail
from .noteclip import carry_out
from .noterows import MAX_BEATS, ROWS, Plan, refuse_doubles
from .references import CLIP, INDEX, TRACK
from .schema import Choice, Number, Record, Text
from .world import World, look_at_clip, look_at_track

if TYPE_CHECKING:
    from typing import Any

    from .identity import Registry
    from .job import Steps
    from .live_types import Clip, Slot, Song, Track
    from .references import References
    from .world import Difference

    Image = tuple[Any, ...]

LENGTH = Number(1e-3, MAX_BEATS)
CREATE_CLIP = Record(
    {"track": TRACK, "length_beats": LENGTH},
    {"scene": INDEX, "start_beats": Number(0, MAX_BEATS), "name": Text(255), "notes": ROWS},
    one_of=("scene", "start_beats"),
)
DELETE_CLIP = Record({"clip": CLIP, "confirm": Choice(True)})
CREATE_TRACK = Record(
    {"kind": Choice("midi", "audio", "return")}, {"index": INDEX, "name": Text(255)}
)
DELETE_TRACK = Record({"track": TRACK, "confirm": Choice(True)})
SHAPES = ("devices", "arrangement", "chains", "return_chains")


class Everything(frozenset):  # type: ignore[type-arg]
    """A set of pointers that holds every one."""

    def __contains__(self, item: object) -> bool:
        return True


EVERYTHING = Everything()


def _image(world: World) -> Image:
    # Without pointers, so that an object that came back under another one is recognised.
    found: list[Any] = []
    for (_, _, group), values in world.values.items():
        if group in SHAPES:
            found.append((group, len(values)))
        elif group == "slots":
            found.append((group, tuple(bool(pointer) for pointer in values)))
        else:
            found.append((group, values))
    return tuple(found)


class ClipStructure:
    """A clip made or deleted, in a session slot or in the arrangement.

    Attributes
    ----------
    creates : bool
        Whether the move makes the thing; else it deletes it.
    pointer : int
        Live's pointer of the clip while it is there.
    """

    kind = "clip"

    def __init__(self, track: Track, slot: Slot | None, write: dict[str, Any]) -> None:
        self.track = track
        self.slot = slot
        self.write = write
        self.creates = write["write"] == "create_clip"
        self.start_beats: float = write.get("start_beats", 0.0)
        self.pointer = 0
        self._index = 0
        if slot is not None:
            self._index = list(track.clip_slots).index(slot)

    def present(self) -> Clip | None:
        """Give the clip in the place, or None."""
        if self.slot is not None:
            return self.slot.clip if alive(self.slot) and self.slot.has_clip else None
        for clip in read_or(self.track, "arrangement_clips", ()):
            if abs(clip.start_time - self.start_beats) < 1e-6:
                return clip  # type: ignore[no-any-return]
        return None

    def image(self) -> Steps:
        """Picture what is there now, in slices; the picture comes last."""
        clip = self.present()
        world = World()
        if clip is not None:
            for _ in look_at_clip(world, 0, clip, EVERYTHING):
                yield None
        yield _image(world)

    def make(self) -> None:
        """Create the clip, with its name and notes."""
        length = self.write["length_beats"]
        if self.slot is not None:
            clip = self.slot.create_clip(length)
        else:
            clip = self.track.create_midi_clip(self.start_beats, length)
        try:
            if "name" in self.write:
                clip.name = self.write["name"]
            plan = Plan()
            plan.add = self.write.get("notes", [])
            carry_out(clip, plan)
        except Exception:
            # Half a clip is worse than none, and this is still the same undo step.
            self.remove()
            raise
        self.pointer = clip._live_ptr

    def remove(self) -> None:
        """Delete the clip that is there."""
        clip = self.present()
        if clip is None:
            return
        leave_trail({"op": "delete_clip", "clip": clip.name, "track": self.track.name})
        if self.slot is not None:
            self.slot.delete_clip()
        else:
            self.track.delete_clip(clip)

    def rebind(self) -> None:
        """Take the pointer of the clip that is there now."""
        clip = self.present()
        self.pointer = 0 if clip is None else clip._live_ptr

    def excuses(self, difference: Difference, pointers: frozenset[int]) -> bool:
        """Whether a difference of two pictures is this structure's own."""
        _, owner, group = difference.key
        if owner in pointers:
            return True
        if owner != self.track._live_ptr:
            return False
        if group == "slots":
            return self.slot is not None and difference.at == self._index
        return group == "arrangement" and _only(difference, pointers)


class TrackStructure:
    """A track or return made or deleted."""

    kind = "track"

    def __init__(self, song: Song, track: Track | None, write: dict[str, Any]) -> None:
        self.song = song
        self.write = write
        self.creates = write["write"] == "create_track"
        self.pointer = 0
        self.returns = write.get("kind") == "return"
        tracks = list(song.tracks)
        if track is not None:
            self.returns = track not in tracks
            self.pointer = track._live_ptr
        tracks = list(song.return_tracks) if self.returns else tracks
        self.index = write.get("index", len(tracks)) if track is None else tracks.index(track)
        self._count = len(tracks) + (1 if self.creates else 0)

    def present(self) -> Track | None:
        """Give the track in the place, or None when there are fewer than with it."""
        tracks = self.song.return_tracks if self.returns else self.song.tracks
        return tracks[self.index] if len(tracks) == self._count else None

    def image(self) -> Steps:
        """Picture what is there now, in slices; the picture comes last."""
        track = self.present()
        world = World()
        if track is not None:
            for _ in look_at_track(world, track, EVERYTHING):
                yield None
        yield _image(world)

    def make(self) -> None:
        """Create the track, with its name."""
        kind = self.write["kind"]
        leave_trail({"op": "create_track", "kind": kind, "index": self.index})
        if kind == "return":
            track = self.song.create_return_track()
        elif kind == "midi":
            track = self.song.create_midi_track(self.index)
        else:
            track = self.song.create_audio_track(self.index)
        if "name" in self.write:
            track.name = self.write["name"]
        self.pointer = track._live_ptr

    def remove(self) -> None:
        """Delete the track that is there."""
        track = self.present()
        if track is None:
            return
        leave_trail({"op": "delete_track", "track": track.name, "index": self.index})
        if self.returns:
            self.song.delete_return_track(self.index)
        else:
            self.song.delete_track(self.index)

    def rebind(self) -> None:
        """Take the pointer of the track that is there now."""
        track = self.present()
        self.pointer = 0 if track is None else track._live_ptr

    def excuses(self, difference: Difference, pointers: frozenset[int]) -> bool:
        """Whether a difference of two pictures is this structure's own."""
        owner_track, _, group = difference.key
        if owner_track in pointers:
            return True
        if group in ("tracks", "return_tracks"):
            return _only(difference, pointers)
        # Every track has a send for every return.
        return self.returns and group == "mixer" and difference.at is None


if TYPE_CHECKING:
    Structure = ClipStructure | TrackStructure


def _only(difference: Difference, pointers: frozenset[int]) -> bool:
    changed = set(difference.before or ()) ^ set(difference.after or ())
    return bool(changed) and changed <= pointers


def make_structure(
    song: Song, registry: Registry, find: References, write: dict[str, Any], where: str
) -> Structure:
    """Check a structural write against the set.

    Raises
    ------
    Failure
        ``overlap`` where a clip is in the way, ``wrong_kind``, ``frozen``, ``unsupported``.
    """
    kind = write["write"]
    if kind == "create_track":
        count = len(song.return_tracks if write["kind"] == "return" else song.tracks)
        if write.get("index", count) > count or (write["kind"] == "return" and "index" in write):
            raise Failure("out_of_range", "no track can be made at that index", where + ".index")
        return TrackStructure(song, None, write)
    if kind == "delete_track":
        return _track_deletion(song, find.track(write["track"], where + ".track"), write, where)
    if kind == "create_clip":
        return _clip_creation(find, write, where)
    clip = find.clip(write["clip"], where + ".clip")
    if read_or(clip, "is_recording", False):
        raise Failure("recording", "the clip is being recorded", where)
    return _clip_deletion(clip, write, where)


def _track_deletion(song: Song, track: Track, write: dict[str, Any], where: str) -> Structure:
    if track == song.master_track:
        raise Failure("wrong_kind", "the master cannot be deleted", where)
    if len(song.tracks) == 1 and track == song.tracks[0]:
        raise Failure("wrong_kind", "a set keeps at least one track", where)
    if read_or(track, "is_foldable", False):
        raise Failure("wrong_kind", "a group is deleted with all it holds: do that by hand", where)
    return TrackStructure(song, track, write)


def _clip_creation(find: References, write: dict[str, Any], where: str) -> Structure:
    track = find.track(write["track"], where + ".track")
    refuse_doubles(write.get("notes", []), where + ".notes")
    if not read_or(track, "has_midi_input", False):
        raise Failure("wrong_kind", "clips can be made on MIDI tracks only", where)
    if read_or(track, "is_frozen", False):
        raise Failure("frozen", "the track is frozen; unfreeze it first", where)
    if "scene" in write:
        slot = find.slot(track, write["scene"], where + ".scene")
        if slot.has_clip:
            raise Failure("overlap", "the slot holds a clip already", where)
        return ClipStructure(track, slot, write)
    if read_or(track, "create_midi_clip", None) is None:
        raise Failure("unsupported", "arrangement clips can be made since Live 12.2", where)
    start, end = write["start_beats"], write["start_beats"] + write["length_beats"]
    for clip in track.arrangement_clips:
        if clip.start_time < end and start < clip.end_time:
            raise Failure("overlap", f"{clip.name!r} lies there; Live would cut it", where)
    return ClipStructure(track, None, write)


def _clip_deletion(clip: Clip, write: dict[str, Any], where: str) -> Structure:
    parent: Any = clip.canonical_parent
    slot: Slot | None = parent if read_or(parent, "has_clip", None) is not None else None
    track: Any = parent if slot is None else slot.canonical_parent
    if slot is None and read_or(track, "arrangement_clips", None) is None:
        raise Failure("wrong_kind", "clips in take lanes are left alone", where)
    structure = ClipStructure(track, slot, write)
    structure.start_beats = clip.start_time if slot is None else 0.0
    structure.pointer = clip._live_ptr
    return structure
