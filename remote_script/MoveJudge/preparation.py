"""Checks a move's writes against the set, before the first of them is made.

Preparing reads and raises, and never writes: a move of which one write is wrong changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .display import raw_for
from .failure import Failure
from .fields import read_or
from .noteclip import FRAME, check_editable, revision_in_slices
from .noterows import plan_patch, refuse_doubles
from .notesplace import NotesPlace
from .places import FramePlace, ParameterPlace, PropertyPlace
from .properties import AUDIO_ONLY, DEFERRED, SETTABLE, UNTRACKED
from .structures import make_structure
from .writes import STRUCTURAL, Change

if TYPE_CHECKING:
    from typing import Any

    from .identity import Registry
    from .job import Steps
    from .live_types import Clip, Parameter, Song
    from .references import References
    from .structures import Structure

SHORTEST_LOOP_BEATS = 1e-3


class Preparation:
    """Turns checked writes into changes, and at most one structural change."""

    def __init__(self, song: Song, registry: Registry, references: References) -> None:
        self._song = song
        self._registry = registry
        self._find = references
        self._makers = {
            "parameter": self._of_parameter,
            "mixer": self._of_mixer,
            "device_on": self._of_switch,
            "song": self._of_property,
            "track": self._of_property,
            "clip": self._of_property,
            "scene": self._of_property,
            "device": self._of_property,
            "clip_frame": self._of_frame,
        }

    def prepare(self, writes: list[dict[str, Any]]) -> Steps:
        """Check all writes of a move, in slices.

        The generator's value is the list of changes, and the structural change or None.

        Raises
        ------
        Failure
            With the path of the first write that cannot be done.
        """
        changes: list[Change] = []
        structure: Structure | None = None
        try:
            for i, write in enumerate(writes):
                where = f"writes[{i}]"
                if write["write"] in STRUCTURAL:
                    structure = make_structure(self._song, self._registry, self._find, write, where)
                elif write["write"] == "notes":
                    changes.extend((yield from self._of_notes(write, where)))
                else:
                    changes.extend(self._makers[write["write"]](write, where))
            if structure is not None and len(writes) > 1:
                raise Failure("bad_request", "creating or deleting is a move of its own", "writes")
            _refuse_repeats(changes)
        except Failure:
            release(changes)
            raise
        except Exception as error:
            release(changes)
            raise Failure("unavailable", f"Live refuses to read this: {error}", where) from None
        return changes, structure

    def _of_parameter(self, write: dict[str, Any], where: str) -> list[Change]:
        parameter = self._find.parameter(write["parameter"], where + ".parameter")
        return [self._value(parameter, write, where)]

    def _of_mixer(self, write: dict[str, Any], where: str) -> list[Change]:
        track = self._find.track(write["track"], where + ".track")
        control = write["control"]
        mixer = track.mixer_device
        if control in ("cue_volume", "crossfader") and track != self._song.master_track:
            raise Failure("wrong_kind", f"only the master has a {control}", where)
        if control != "send":
            return [self._value(getattr(mixer, control), write, where)]
        sends = mixer.sends
        index = write.get("send", -1)
        if not 0 <= index < len(sends):
            raise Failure("out_of_range", f"the track has {len(sends)} sends", where + ".send")
        return [self._value(sends[index], write, where)]

    def _of_switch(self, write: dict[str, Any], where: str) -> list[Change]:
        # Parameter 0 of every device is its switch.
        parameters = self._find.device(write["device"], where + ".device").parameters
        if not len(parameters):
            raise Failure("unavailable", "the device has no parameters yet", where)
        switch = parameters[0]
        value = switch.max if write["value"] else switch.min
        return [self._value(switch, dict(write, value=value), where)]

    def _value(self, parameter: Parameter, write: dict[str, Any], where: str) -> Change:
        number = self._registry.id_of("parameter", parameter)
        label = {"kind": "parameter", "id": number, "name": parameter.name}
        place = ParameterPlace(parameter, label)
        raw = write.get("value")
        if raw is None:
            raw = raw_for(parameter, write["display"], where + ".display")
        raw = place.check(raw, where, write.get("override_automation", False))
        return _expected(Change(place, raw, where), write)

    def _of_property(self, write: dict[str, Any], where: str) -> list[Change]:
        owner, name = write["write"], write["property"]
        value = SETTABLE[owner][name].check(write["value"], where + ".value")
        label = {"kind": owner, "property": name}
        if owner == "song":
            thing: Any = self._song
        else:
            thing = getattr(self._find, owner)(write[owner], f"{where}.{owner}")
            label["id"] = self._registry.id_of(owner, thing)
        _refuse_kind(thing, owner, name, where)
        tracked = (owner, name) not in UNTRACKED
        place = PropertyPlace(thing, name, label, tracked, (owner, name) in DEFERRED)
        place.lettered = (owner, name) == ("track", "name") and thing in list(
            self._song.return_tracks
        )
        return [_expected(Change(place, value, where), write)]

    def _of_frame(self, write: dict[str, Any], where: str) -> list[Change]:
        clip, label = self._clip(write, where)
        place = FramePlace(clip, label)
        wanted = [write.get(name, now) for name, now in zip(FRAME, place.read())]
        if read_or(clip, "is_recording", False):
            raise Failure("recording", "the clip is being recorded", where)
        _refuse_empty_frame(wanted, where)
        return [Change(place, wanted, where)]

    def _of_notes(self, write: dict[str, Any], where: str) -> Steps:
        clip, label = self._clip(write, where)
        check_editable(clip, where)
        place = NotesPlace(clip, label)
        rows = yield from place.prepare()
        try:
            if (yield from revision_in_slices(clip, rows)) != write["expect_revision"]:
                raise Failure("stale_revision", "the clip has changed; read its notes again", where)
            if "patch" in write:
                place.plan, wanted = plan_patch(rows, write["patch"], where + ".patch")
            else:
                wanted = _replaced(rows, write, where)
        except Failure:
            place.release()
            raise
        found = [Change(place, wanted, where, rows)]
        frame = FramePlace(clip, dict(label))
        now = frame.read()
        last = max([row[2] + row[3] for row in wanted], default=0.0)
        if write.get("extend_loop") and last > now[2]:
            found.append(Change(frame, [*now[:2], last, now[3], max(last, now[4])], where))
        return found

    def _clip(self, write: dict[str, Any], where: str) -> tuple[Clip, dict[str, Any]]:
        clip = self._find.clip(write["clip"], where + ".clip")
        label = {"kind": "clip", "id": self._registry.id_of("clip", clip), "name": clip.name}
        return clip, label


def release(changes: list[Change]) -> None:
    """Take off the listeners that preparing has put on."""
    for change in changes:
        if isinstance(change.place, NotesPlace):
            change.place.release()


def _expected(change: Change, write: dict[str, Any]) -> Change:
    if "expect" in write:
        expect, now = write["expect"], change.before
        same = type(expect) is type(now) and change.place.same(expect, now)
        if not same and isinstance(expect, (int, float)) and isinstance(now, (int, float)):
            same = change.place.same(float(expect), float(now))
        if not same:
            raise Failure("conflict", f"it is {now!r}, not {expect!r} as expected", change.where)
    return change


def _refuse_kind(thing: Any, owner: str, name: str, where: str) -> None:
    if owner == "clip" and name in AUDIO_ONLY and thing.is_midi_clip:
        raise Failure("wrong_kind", f"a MIDI clip has no {name}", where)
    if (owner, name) == ("track", "arm") and not read_or(thing, "can_be_armed", False):
        raise Failure("wrong_kind", "this track cannot be armed", where)


def _refuse_empty_frame(frame: list[Any], where: str) -> None:
    for start, end, what in ((frame[1], frame[2], "loop"), (frame[3], frame[4], "markers")):
        if end - start < SHORTEST_LOOP_BEATS:
            raise Failure("out_of_range", f"the {what} would end before it starts", where)


def _replaced(rows: list[Any], write: dict[str, Any], where: str) -> list[Any]:
    wanted = list(write["replace"])
    if "range" in write:
        start, end = write["range"]["start"], write["range"]["end"]
        outside = [row for row in wanted if not start <= row[2] < end]
        if outside:
            raise Failure("bad_request", "a note starts outside the range", where + ".replace")
        wanted = [row for row in rows if not start <= row[2] < end] + wanted
    refuse_doubles(wanted, where + ".replace")
    return wanted


def _refuse_repeats(changes: list[Change]) -> None:
    seen: set[tuple[int, str]] = set()
    for change in changes:
        for name in change.place.fields:
            if (change.place.pointer, name) in seen:
                raise Failure("bad_request", "a move sets one thing twice", change.where)
            seen.add((change.place.pointer, name))
