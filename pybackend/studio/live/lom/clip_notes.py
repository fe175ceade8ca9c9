"""The note calls of ``Clip``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import notes
from pybackend.studio.live.arguments import FLOAT, IDS, INT, Argument
from pybackend.studio.live.declaring import calling
from pybackend.studio.live.lom.common import LomObject
from pybackend.studio.live.lom.kinds import midi_clip_only
from pybackend.studio.live.note_types import MidiNote, MidiNoteSpecification, MidiNoteVector
from pybackend.studio.live.rules import LIST_READ_S, NOTE_S
from pybackend.studio.live.vectors import IntU64Vector

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pybackend.studio.live.node import Node
    from pybackend.studio.live.notes import Note
    from pybackend.studio.live.runtime import Runtime


def _is_specs(value: Any, _: Runtime) -> bool:
    try:
        return all(isinstance(one, MidiNoteSpecification) for one in value)
    except TypeError:
        return False


SPECS = Argument("boost::python::api::object", _is_specs)
NOTES = Argument(
    "std::vector<NClipApi::TNoteInfo>", lambda value, _: isinstance(value, MidiNoteVector)
)
LEGACY = Argument("boost::python::tuple", lambda value, _: isinstance(value, tuple))


def write_notes(clip: Node, after: dict[int, Note], next_id: int | None = None) -> None:
    """Give a clip its notes."""
    world = clip.world
    with world.runtime.quietly():
        if next_id is not None:
            world.put(clip, "next_note_id", next_id, tracked=False)
        world.put(clip, "notes", after)


class ClipNotes(LomObject):
    """Notes by id, which keep what the interface cannot say; and the old calls, which do not."""

    __slots__ = ()

    def _vector(self, found: dict[int, Note]) -> MidiNoteVector:
        self._rt.clock.spend(NOTE_S * len(found))
        note = self._rt.classes["MidiNote"]
        ordered = sorted(found.items(), key=lambda one: (one[1].start, one[1].pitch))
        return MidiNoteVector([note(number, value) for number, value in ordered])

    def _notes(self) -> dict[int, Note]:
        midi_clip_only(self)
        return self._node["notes"]  # type: ignore[no-any-return]

    @calling(cost_s=LIST_READ_S, changes=False, since=(11, 1, 0))
    def get_all_notes_extended(self) -> MidiNoteVector:
        """All notes, wherever they are."""
        return self._vector(self._notes())

    @calling(INT, INT, FLOAT, FLOAT, cost_s=LIST_READ_S, changes=False)
    def get_notes_extended(
        self, from_pitch: int, pitch_span: int, from_time: float, time_span: float
    ) -> MidiNoteVector:
        """Notes that start in a range; both spans end before their end."""
        found = notes.within(self._notes(), from_pitch, pitch_span, from_time, time_span)
        return self._vector(found)

    @calling(IDS, cost_s=LIST_READ_S, changes=False)
    def get_notes_by_id(self, note_ids: Iterable[int]) -> MidiNoteVector:
        """Notes by id; every id has to be there."""
        wanted = list(note_ids)
        mine = self._notes()
        notes.require(mine, wanted)
        return self._vector({number: mine[number] for number in wanted})

    @calling(cost_s=LIST_READ_S, changes=False)
    def get_selected_notes_extended(self) -> MidiNoteVector:
        """Notes that are selected."""
        mine = self._notes()
        return self._vector({n: mine[n] for n in self._node["selected"] if n in mine})

    @calling(IDS, since=(11, 1, 0))
    def select_notes_by_id(self, note_ids: Iterable[int]) -> None:
        """Select notes, which the human sees."""
        wanted = frozenset(note_ids)
        notes.require(self._notes(), wanted)
        self._world.put(self._node, "selected", wanted, tracked=False)

    @calling()
    def select_all_notes(self) -> None:
        """Select all notes."""
        self._world.put(self._node, "selected", frozenset(self._notes()), tracked=False)

    @calling()
    def deselect_all_notes(self) -> None:
        """Select none."""
        self._world.put(self._node, "selected", frozenset(), tracked=False)

    @calling(SPECS)
    def add_new_notes(self, notes_: Iterable[Any]) -> IntU64Vector | None:
        """Add notes: the same pitch and start replaces, the same pitch over it cuts."""
        mine = self._notes()
        new = [one._note() for one in notes_]
        if self._rt.rules.note_limits:
            for note in new:
                notes.check(note)
        self._rt.clock.spend(NOTE_S * len(new))
        first = self._node["next_note_id"]
        after, ids = notes.add(mine, new, first)
        write_notes(self._node, after, first + len(new))
        return IntU64Vector(ids) if self._rt.live.version >= (11, 1, 0) else None

    @calling(NOTES)
    def apply_note_modifications(self, notes_: MidiNoteVector) -> None:
        """Change notes that Live gave; only its own vector will do."""
        changed = {one.note_id: one._note() for one in notes_}
        if self._rt.rules.note_limits:
            for note in changed.values():
                notes.check(note)
        self._rt.clock.spend(NOTE_S * len(changed))
        write_notes(self._node, notes.modify(self._notes(), changed))

    @calling(IDS)
    def remove_notes_by_id(self, note_ids: Iterable[int]) -> None:
        """Remove notes; every id has to be there."""
        write_notes(self._node, notes.remove(self._notes(), note_ids))

    @calling(INT, INT, FLOAT, FLOAT)
    def remove_notes_extended(
        self, from_pitch: int, pitch_span: int, from_time: float, time_span: float
    ) -> None:
        """Remove the notes that start in a range."""
        mine = self._notes()
        gone = notes.within(mine, from_pitch, pitch_span, from_time, time_span)
        write_notes(self._node, notes.remove(mine, gone))

    @calling(IDS, FLOAT, INT, required=1, since=(11, 2, 0))
    def duplicate_notes_by_id(
        self, note_ids: Iterable[int], destination_time: float | None = None, transposition: int = 0
    ) -> IntU64Vector:
        """Copy notes to a time, or right behind themselves."""
        mine = self._notes()
        wanted = list(note_ids)
        notes.require(mine, wanted)
        chosen = [mine[number] for number in wanted]
        first = min((note.start for note in chosen), default=0.0)
        end = max((note.start + note.duration for note in chosen), default=0.0)
        shift = (end if destination_time is None else destination_time) - first
        copies = [
            note._replace(start=note.start + shift, pitch=note.pitch + transposition)
            for note in chosen
        ]
        for note in copies:
            notes.check(note)
        number = self._node["next_note_id"]
        after, ids = notes.add(mine, copies, number)
        write_notes(self._node, after, number + len(copies))
        return IntU64Vector(ids)

    @calling(FLOAT, INT, FLOAT, INT, cost_s=LIST_READ_S, changes=False)
    def get_notes(
        self, from_time: float, from_pitch: int, time_span: float, pitch_span: int
    ) -> tuple[tuple[Any, ...], ...]:
        """The old read: five values of each note, arguments in another order."""
        found = notes.within(self._notes(), from_pitch, pitch_span, from_time, time_span)
        return tuple((n.pitch, n.start, n.duration, n.velocity, n.mute) for n in found.values())

    @calling(FLOAT, INT, FLOAT, INT)
    def remove_notes(
        self, from_time: float, from_pitch: int, time_span: float, pitch_span: int
    ) -> None:
        """The old removal; Live warns the human about lost MPE data."""
        self._rt.violation("the old Clip.remove_notes was called")
        mine = self._notes()
        gone = notes.within(mine, from_pitch, pitch_span, from_time, time_span)
        write_notes(self._node, notes.remove(mine, gone))

    @calling(LEGACY)
    def set_notes(self, notes_: tuple[tuple[Any, ...], ...]) -> None:
        """The old way to add; Live warns the human about lost MPE data."""
        self._rt.violation("the old Clip.set_notes was called")
        new = [notes.Note(*one) for one in notes_]
        first = self._node["next_note_id"]
        after, _ = notes.add(self._notes(), new, first)
        write_notes(self._node, after, first + len(new))


__all__ = ["ClipNotes", "MidiNote", "write_notes"]
