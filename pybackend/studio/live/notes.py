"""Notes of a MIDI clip as values: what adding, changing and removing do to each other.

A set of notes is a dict from id to `Note`, never changed in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pybackend.studio.live.faults import UNKNOWN_NOTE_IDS

if TYPE_CHECKING:
    from collections.abc import Iterable

LATEST_BEATS = 1576800.0
SHORTEST_BEATS = 1.0 / 4096.0


class Note(NamedTuple):
    """One note. ``expression`` stands for MPE data, which no script can read.

    Times are in beats of the clip.
    """

    pitch: int
    start: float
    duration: float
    velocity: float = 100.0
    mute: bool = False
    probability: float = 1.0
    velocity_deviation: float = 0.0
    release_velocity: float = 64.0
    expression: int = 0


def check(note: Note) -> None:
    """Refuse values that no note can have.

    Raises
    ------
    RuntimeError
        Naming the first value that is out of range.
    """
    limits = (
        ("Pitch", note.pitch, 0, 127),
        ("Start time", note.start, -LATEST_BEATS, LATEST_BEATS),
        ("Duration", note.duration, SHORTEST_BEATS, LATEST_BEATS),
        ("Probability", note.probability, 0.0, 1.0),
        ("Velocity deviation", note.velocity_deviation, -127.0, 127.0),
        ("Release velocity", note.release_velocity, 0.0, 127.0),
    )
    for name, value, low, high in limits:
        if not low <= value <= high:
            raise RuntimeError(f"{name} {value} is not between {low} and {high}")
    if not 0.0 < note.velocity <= 127.0:
        raise RuntimeError(f"Velocity {note.velocity} is not above 0 and at most 127")


def add(
    notes: dict[int, Note], new: Iterable[Note], next_id: int
) -> tuple[dict[int, Note], list[int]]:
    """Add notes; the ids of the new ones are ``next_id`` and up."""
    result = dict(notes)
    ids = []
    for number, note in enumerate(new, next_id):
        result[number] = note
        ids.append(number)
    return resolve(result, ids), ids


def modify(notes: dict[int, Note], changed: dict[int, Note]) -> dict[int, Note]:
    """Change notes by id.

    Raises
    ------
    RuntimeError
        If an id is not in the clip.
    """
    require(notes, changed)
    result = dict(notes)
    moved = []
    for number, note in changed.items():
        old = notes[number]
        result[number] = note._replace(expression=old.expression)
        if (old.pitch, old.start, old.duration) != (note.pitch, note.start, note.duration):
            moved.append(number)
    return resolve(result, moved)


def remove(notes: dict[int, Note], ids: Iterable[int]) -> dict[int, Note]:
    """Remove notes by id.

    Raises
    ------
    RuntimeError
        If an id is not in the clip; then nothing is removed.
    """
    gone = set(ids)
    require(notes, gone)
    return {number: note for number, note in notes.items() if number not in gone}


def require(notes: dict[int, Note], ids: Iterable[int]) -> None:
    """Raise unless every id is there."""
    if not all(number in notes for number in ids):
        raise RuntimeError(UNKNOWN_NOTE_IDS)


def within(
    notes: dict[int, Note], from_pitch: int, pitch_span: int, from_time: float, time_span: float
) -> dict[int, Note]:
    """Return the notes that start in a range; both ends are exclusive above."""
    return {
        number: note
        for number, note in notes.items()
        if from_pitch <= note.pitch < from_pitch + pitch_span
        and from_time <= note.start < from_time + time_span
    }


def resolve(notes: dict[int, Note], newest: list[int]) -> dict[int, Note]:
    """Let the newest notes win: they replace at the same start, and overlaps end the earlier note.

    Parameters
    ----------
    notes
        With the newest ones in it.
    newest
        Their ids, the last one written last.
    """
    if not newest:
        return notes
    rank = {number: place for place, number in enumerate(newest, 1)}
    pitches = {notes[number].pitch for number in newest}
    lanes: dict[int, list[int]] = {pitch: [] for pitch in pitches}
    for number, note in notes.items():
        if note.pitch in lanes:
            lanes[note.pitch].append(number)
    result = dict(notes)
    for lane in lanes.values():
        lane.sort(key=lambda number: (result[number].start, rank.get(number, 0)))
        for earlier, later in zip(lane, lane[1:]):  # noqa: B905, RUF007 - Python 3.7
            gap = result[later].start - result[earlier].start
            if gap < SHORTEST_BEATS:
                del result[earlier]
            elif result[earlier].duration > gap and (earlier in rank or later in rank):
                result[earlier] = result[earlier]._replace(duration=gap)
    return result
