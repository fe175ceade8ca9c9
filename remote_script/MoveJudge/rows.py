"""Rows of a session read: one dict per track, scene, cue, device or clip.

Every member is read on its own: one that raises becomes ``{"unavailable": code}``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .display import text_of
from .fields import plain, read_field, read_fields, read_or
from .world import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .identity import Registry
    from .job import Steps
    from .live_types import Clip, Device, Parameter, Scene, Song, Track

SONG = (
    "name",
    "file_path",
    "tempo",
    "signature_numerator",
    "signature_denominator",
    "is_playing",
    "current_song_time",
    "loop",
    "loop_start",
    "loop_length",
    "record_mode",
    "session_record",
    "song_length",
    "last_event_time",
    "root_note",
    "scale_name",
    "groove_amount",
    "swing_amount",
    "can_undo",
    "can_redo",
)
TRACK = ("name", "color", "is_frozen", "muted_via_solo")
NORMAL_TRACK = ("mute", "solo", "playing_slot_index", "fired_slot_index")
RETURN_TRACK = ("mute", "solo")
SCENE = (
    "name",
    "color",
    "is_empty",
    "tempo",
    "tempo_enabled",
    "time_signature_numerator",
    "time_signature_denominator",
    "time_signature_enabled",
)
DEVICE = ("name", "class_name", "class_display_name", "type", "is_active")
CLIP = (
    "name",
    "color",
    "muted",
    "is_midi_clip",
    "length",
    "looping",
    "loop_start",
    "loop_end",
    "start_marker",
    "end_marker",
    "signature_numerator",
    "signature_denominator",
)
SESSION_CLIP = ("is_playing", "is_recording")
ARRANGEMENT_CLIP = ("start_time", "end_time")
CONTROLS = ("volume", "panning")
MASTER_CONTROLS = ("cue_volume", "crossfader")
MAX_CHAIN_DEVICES = 512


class Rows:
    """Builds rows and gives ids to what they describe."""

    def __init__(self, song: Song, registry: Registry) -> None:
        self._song = song
        self._registry = registry

    def id_of(self, kind: str, thing: Any) -> str:
        """Id of a thing."""
        return self._registry.id_of(kind, thing)

    def song(self) -> dict[str, Any]:
        """Row of the set itself."""
        song = self._song
        row: dict[str, Any] = {"kind": "song"}
        row.update(read_fields(song, SONG))
        row["counts"] = {
            name: len(getattr(song, name))
            for name in ("tracks", "return_tracks", "scenes", "cue_points")
        }
        return row

    def scene(self, index: int, scene: Scene) -> dict[str, Any]:
        """Row of a scene."""
        row: dict[str, Any] = {"kind": "scene", "id": self.id_of("scene", scene), "index": index}
        row.update(read_fields(scene, SCENE))
        return row

    def cue(self, index: int, cue: Any) -> dict[str, Any]:
        """Row of a locator."""
        row: dict[str, Any] = {"kind": "cue", "id": self.id_of("cue", cue), "index": index}
        row.update(read_fields(cue, ("name", "time")))
        return row

    def tracks(self) -> Iterator[tuple[str, Track]]:
        """Every track with its slot; the master is known by its slot, never by its name."""
        song = self._song
        for i, track in enumerate(song.tracks):
            yield f"tracks/{i}", track
        for i, track in enumerate(song.return_tracks):
            yield f"returns/{i}", track
        yield "master", song.master_track

    def track(self, slot: str, track: Track) -> dict[str, Any]:
        """Head of a track's row: identity, kind and state."""
        row: dict[str, Any] = {"kind": "track", "id": self.id_of("track", track), "slot": slot}
        row["type"] = track_type(slot, track)
        row.update(read_fields(track, TRACK))
        if slot.startswith("tracks"):
            row.update(read_fields(track, NORMAL_TRACK))
            row["arm"] = read_field(track, "arm") if read_or(track, "can_be_armed", False) else None
            group = (
                read_or(track, "group_track", None) if read_or(track, "is_grouped", False) else None
            )
            row["group"] = None if group is None else self.id_of("track", group)
        elif slot != "master":
            row.update(read_fields(track, RETURN_TRACK))
        return row

    def control(self, parameter: Parameter) -> dict[str, Any]:
        """Row of a mixer control, with its text."""
        value = read_field(parameter, "value")
        found = {"id": self.id_of("parameter", parameter), "value": value}
        found["text"] = text_of(parameter, value) if isinstance(value, float) else None
        if read_or(parameter, "automation_state", 0):
            found["automation"] = plain(parameter.automation_state)
        return found

    def mixer(self, slot: str, track: Track) -> dict[str, Any]:
        """Mixer of a track: volume, panning, sends, and the master's own."""
        mixer = track.mixer_device
        names = (*CONTROLS, *MASTER_CONTROLS) if slot == "master" else CONTROLS
        found: dict[str, Any] = {}
        for name in names:
            parameter = read_or(mixer, name, None)
            found[name] = (
                {"unavailable": "unavailable"} if parameter is None else self.control(parameter)
            )
        found["sends"] = [self.control(send) for send in read_or(mixer, "sends", ())]
        return found

    def device(self, device: Device, depth: int, budget: list[int]) -> Steps:
        """Row of a device with its chains, in slices; the generator's value is the row."""
        row: dict[str, Any] = {"id": self.id_of("device", device)}
        row.update(read_fields(device, DEVICE))
        parameters = read_or(device, "parameters", ())
        row["parameter_count"] = len(parameters)
        row["on"] = bool(parameters[0].value) if len(parameters) else None
        budget[0] -= 1
        yield None
        if not read_or(device, "can_have_chains", False):
            return row
        for name in ("chains", "return_chains"):
            row[name] = []
            for chain in read_or(device, name, ()):
                if depth >= MAX_DEPTH or budget[0] <= 0:
                    row["cut"] = True
                    break
                row[name].append((yield from self._chain(chain, depth, budget)))
        return row

    def _chain(self, chain: Any, depth: int, budget: list[int]) -> Steps:
        row: dict[str, Any] = {"id": self.id_of("chain", chain)}
        row.update(read_fields(chain, ("name", "mute", "solo")))
        mixer = read_or(chain, "mixer_device", None)
        if mixer is not None:
            row["mixer"] = {n: self.control(getattr(mixer, n)) for n in ("volume", "panning")}
        row["devices"] = []
        for device in chain.devices:
            row["devices"].append((yield from self.device(device, depth + 1, budget)))
        return row

    def devices(self, track: Track) -> Steps:
        """Rows of a track's devices; the generator's value is the list."""
        found: list[dict[str, Any]] = []
        budget = [MAX_CHAIN_DEVICES]
        for device in track.devices:
            row = yield from self.device(device, 0, budget)
            found.append(row)
        return found

    def clip(self, clip: Clip, extra: tuple[str, ...]) -> dict[str, Any]:
        """Row of a clip; lengths are beats."""
        row: dict[str, Any] = {"id": self.id_of("clip", clip)}
        row.update(read_fields(clip, CLIP + extra))
        return row

    def clips(self, track: Track) -> Steps:
        """Session and arrangement clips of a track; the value is a pair of lists."""
        session, arrangement = [], []
        for index, slot in enumerate(read_or(track, "clip_slots", ())):
            if slot.has_clip:
                row = self.clip(slot.clip, SESSION_CLIP)
                row["scene"] = index
                session.append(row)
                yield None
            elif index % 32 == 31:
                yield None
        for clip in read_or(track, "arrangement_clips", ()):
            arrangement.append(self.clip(clip, ARRANGEMENT_CLIP))
            yield None
        return session, arrangement


def track_type(slot: str, track: Track) -> str:
    """Sort of a track: ``midi``, ``audio``, ``group``, ``return`` or ``master``."""
    if not slot.startswith("tracks"):
        return "master" if slot == "master" else "return"
    # A group says that it has audio input, so it is asked for first.
    if read_or(track, "is_foldable", False):
        return "group"
    return "midi" if read_or(track, "has_midi_input", False) else "audio"
