"""Session reads: short ones at once, long ones as rows in slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .display import text_of
from .failure import Failure
from .fields import plain, read_field, read_or
from .job import RESTART
from .noteclip import FRAME, frame_of, read_rows_in_slices, revision_in_slices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .job import Steps
    from .live_types import Device, Song
    from .references import References
    from .request import Request
    from .rows import Rows
    from .shapes import Shapes
    from .watch import Watch

MAX_RESTARTS = 3
DEFAULT_LEVELS = ["structure", "mixer"]
PER_SLICE = 16


class Reads:
    """Carries out the reading operations."""

    def __init__(
        self, song: Song, rows: Rows, references: References, shapes: Shapes, watch: Watch
    ) -> None:
        self._song = song
        self._rows = rows
        self._find = references
        self._shapes = shapes
        self._watch = watch

    def summary(self, request: Request) -> dict[str, Any]:
        """Counts, tempo, transport and track names."""
        row = self._rows.song()
        row["tracks"] = [
            {
                "id": self._rows.id_of("track", track),
                "slot": slot,
                "name": read_field(track, "name"),
            }
            for slot, track in self._rows.tracks()
        ]
        return row

    def sounding(self, request: Request) -> dict[str, Any]:
        """Session clips that play now, with the loop lengths that Session View alignment needs."""
        found = []
        for slot, track in self._rows.tracks():
            index = read_or(track, "playing_slot_index", -1) if slot.startswith("tracks") else -1
            slots = read_or(track, "clip_slots", ())
            if not 0 <= index < len(slots) or not slots[index].has_clip:
                continue
            clip = slots[index].clip
            looping = bool(read_or(clip, "looping", False))
            found.append(
                {
                    "track": self._rows.id_of("track", track),
                    "clip": self._rows.id_of("clip", clip),
                    "name": read_field(clip, "name"),
                    "scene": index,
                    "looping": looping,
                    "loop_start": read_field(clip, "loop_start"),
                    "loop_end": read_field(clip, "loop_end"),
                    "loop_beats": plain(clip.loop_end - clip.loop_start) if looping else None,
                }
            )
        return {
            "playing": bool(self._song.is_playing),
            "position_beats": float(self._song.current_song_time),
            "clips": found,
        }

    def session(self, request: Request) -> Steps:
        """Rows of the set at the asked levels; a structural change in between starts it again."""
        levels = set(request.args.get("levels", DEFAULT_LEVELS))
        only = request.args.get("tracks")
        wanted = None
        if only is not None:
            wanted = [self._find.track(ref, f"tracks[{i}]") for i, ref in enumerate(only)]
        for attempt in range(MAX_RESTARTS + 1):
            epoch = self._watch.epoch
            if attempt:
                yield RESTART
            for item in self._session(levels, wanted):
                yield item
                if self._watch.epoch != epoch and attempt < MAX_RESTARTS:
                    break
            if self._watch.epoch == epoch:
                return {"epoch": epoch, "torn": False, "levels": sorted(levels)}
        return {"epoch": self._watch.epoch, "torn": True, "levels": sorted(levels)}

    def _session(self, levels: set[str], wanted: list[Any] | None) -> Iterator[Any]:
        rows = self._rows
        full = "full" in levels
        if wanted is None:
            yield rows.song()
            if full or "structure" in levels:
                for i, scene in enumerate(self._song.scenes):
                    yield rows.scene(i, scene)
                for i, cue in enumerate(self._song.cue_points):
                    yield rows.cue(i, cue)
        shapes: set[int] = set()
        for slot, track in rows.tracks():
            if wanted is not None and track not in wanted:
                continue
            try:
                for item in self._track(slot, track, levels, full):
                    yield item
                if full or "parameters" in levels:
                    for item in self._parameters(track.devices, shapes, full, 0):
                        yield item
            except Failure:
                raise
            except Exception as error:
                yield {"kind": "unreadable", "slot": slot, "why": str(error)[:200]}

    def _track(self, slot: str, track: Any, levels: set[str], full: bool) -> Iterator[Any]:
        row = self._rows.track(slot, track)
        yield None
        if full or "mixer" in levels:
            row["mixer"] = self._rows.mixer(slot, track)
            yield None
        if full or "structure" in levels:
            row["devices"] = yield from self._rows.devices(track)
            row["clips"], row["arrangement"] = yield from self._rows.clips(track)
        yield row

    def _parameters(self, devices: Any, shapes: set[int], texts: bool, depth: int) -> Iterator[Any]:
        for device in devices:
            for item in self._device(device, shapes, texts):
                yield item
            if depth < 8 and read_or(device, "can_have_chains", False):
                for name in ("chains", "return_chains"):
                    for chain in read_or(device, name, ()):
                        for item in self._parameters(chain.devices, shapes, texts, depth + 1):
                            yield item

    def _device(self, device: Device, shapes: set[int], texts: bool) -> Iterator[Any]:
        table = yield from self._shapes.of(device)
        if table["shape"] not in shapes:
            shapes.add(table["shape"])
            yield table
        row: dict[str, Any] = {
            "kind": "parameters",
            "device": self._rows.id_of("device", device),
            "shape": table["shape"],
            "ids": [],
            "values": [],
            "automated": [],
            "disabled": [],
        }
        if texts:
            row["texts"] = []
        for i, parameter in enumerate(device.parameters):
            value = read_field(parameter, "value")
            row["ids"].append(self._rows.id_of("parameter", parameter))
            row["values"].append(value)
            if read_or(parameter, "automation_state", 0):
                row["automated"].append(i)
            if not read_or(parameter, "is_enabled", True):
                row["disabled"].append(i)
            if texts:
                row["texts"].append(text_of(parameter, value) if isinstance(value, float) else None)
            if i % PER_SLICE == PER_SLICE - 1:
                yield None
        yield row

    def device(self, request: Request) -> Steps:
        """Parameters of one device with their texts."""
        device = self._find.device(request.args["device"], "device")
        yield from self._device(device, set(), True)
        return {"device": self._rows.id_of("device", device), "name": read_field(device, "name")}

    def parameters(self, request: Request) -> dict[str, Any]:
        """Values of a few parameters now."""
        found = []
        for i, ref in enumerate(request.args["parameters"]):
            parameter = self._find.parameter(ref, f"parameters[{i}]")
            row = self._rows.control(parameter)
            row["name"] = read_field(parameter, "name")
            found.append(row)
        return {"parameters": found}

    def notes(self, request: Request) -> Steps:
        """Every note of a clip as rows."""
        clip = self._find.clip(request.args["clip"], "clip")
        if not clip.is_midi_clip:
            raise Failure("wrong_kind", "this is an audio clip, it has no notes", "clip")
        rows = yield from read_rows_in_slices(clip)
        frame = frame_of(clip)
        found = yield from revision_in_slices(clip, rows)
        yield from rows
        start, end = (frame[1], frame[2]) if frame[0] else (frame[3], frame[4])
        return {
            "clip": self._rows.id_of("clip", clip),
            "revision": found,
            "notes": len(rows),
            "frame": dict(zip(FRAME, frame)),
            "length": read_field(clip, "length"),
            "signature": [
                read_field(clip, "signature_numerator"),
                read_field(clip, "signature_denominator"),
            ],
            "outside_loop": sum(not start <= row[2] < end for row in rows),
            # Per-note pitch bend, slide and pressure cannot be read through Live's interface.
            "mpe": "unknown",
        }
