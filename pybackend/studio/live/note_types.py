"""The note objects that pass between a script and Live: copies, not references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pybackend.studio.live.arguments import BOOL, FLOAT, INT, Argument
from pybackend.studio.live.faults import mismatch
from pybackend.studio.live.notes import Note
from pybackend.studio.live.values import float32
from pybackend.studio.live.vectors import FilledVector

if TYPE_CHECKING:
    from pybackend.studio.live.runtime import Runtime

_FIELDS: dict[str, Argument] = {
    "pitch": INT,
    "start_time": FLOAT,
    "duration": FLOAT,
    "velocity": FLOAT,
    "mute": BOOL,
    "probability": FLOAT,
    "velocity_deviation": FLOAT,
    "release_velocity": FLOAT,
}
_DEFAULTS: dict[str, Any] = {
    "velocity": 100.0,
    "mute": False,
    "probability": 1.0,
    "velocity_deviation": 0.0,
    "release_velocity": 64.0,
}


class _NoteValues:
    """Eight values with strict types."""

    __slots__ = ("_values",)
    _rt: Runtime

    def __init__(self, values: dict[str, Any]) -> None:
        self._values: dict[str, Any] = {}
        for name, value in values.items():
            self._set(name, value)

    def _set(self, name: str, value: Any) -> None:
        kind = _FIELDS[name]
        if not kind.accepts(value, self._rt):
            if self._rt.rules.strict_arguments or kind.coerce is None:
                raise mismatch(
                    type(self).__name__, name, f", {type(value).__name__}", f", {kind.name}"
                )
            value = kind.coerce(value)
        self._values[name] = float(value) if kind is FLOAT else value

    def _note(self) -> Note:
        values = self._values
        return Note(
            values["pitch"],
            values["start_time"],
            values["duration"],
            float32(values["velocity"]),
            bool(values["mute"]),
            float32(values["probability"]),
            float32(values["velocity_deviation"]),
            float32(values["release_velocity"]),
        )


class MidiNoteSpecification(_NoteValues):
    """What a new note shall be; the one constructor that takes keywords."""

    __slots__ = ()
    __module__ = "Clip"

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        if len(arguments) > len(_FIELDS) or not set(keywords) <= set(_FIELDS):
            raise mismatch("MidiNoteSpecification", "__init__", ", ...", ", int, double, double")
        given = dict(zip(_FIELDS, arguments))  # noqa: B905 - Python 3.7
        given.update(keywords)
        values = dict(_DEFAULTS)
        values.update(given)
        if set(values) != set(_FIELDS) or len(arguments) + len(keywords) != len(given):
            raise mismatch("MidiNoteSpecification", "__init__", ", ...", ", int, double, double")
        super().__init__(values)


class MidiNote(_NoteValues):
    """A copy of a note of a clip; changing it changes nothing until it is handed back."""

    __slots__ = ("_number",)
    __module__ = "Clip"

    def __init__(self, number: int, note: Note) -> None:
        self._number = number
        super().__init__(dict(zip(_FIELDS, note)))  # noqa: B905 - Python 3.7

    @property
    def note_id(self) -> int:
        """Number within the clip."""
        return self._number


def _note_property(name: str) -> property:
    def read(self: _NoteValues) -> Any:
        return self._values[name]

    def write(self: _NoteValues, value: Any) -> None:
        self._set(name, value)

    return property(read, write)


for _name in _FIELDS:
    setattr(MidiNote, _name, _note_property(_name))


class MidiNoteVector(FilledVector[MidiNote]):
    """What the clip gives and ``apply_note_modifications`` takes; a list will not do."""

    __slots__ = ()
    __module__ = "Clip"
