"""The notes of one clip in Live: read whole, edited by id, never through the legacy calls.

``apply_note_modifications`` keeps what the API cannot read (per-note pitch bend, slide,
pressure); removing and adding a note loses it. The vector has to be one that Live returned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .failure import Failure
from .fields import read_or
from .noterows import (
    FIELDS,
    MAX_BEATS,
    digest_in_slices,
    plan_replace,
    revision,
    same_notes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .job import Steps
    from .live_types import Clip, Note
    from .noterows import Plan, Row

FRAME = ("looping", "loop_start", "loop_end", "start_marker", "end_marker")
NOTES_PER_SLICE = 64


def row_of(note: Note) -> Row:
    """Row of one of Live's notes."""
    return [
        int(note.note_id),
        int(note.pitch),
        float(note.start_time),
        float(note.duration),
        float(note.velocity),
        bool(note.mute),
        float(note.probability),
        float(note.velocity_deviation),
        float(note.release_velocity),
    ]


def all_notes(clip: Clip) -> Any:
    """Every note, also those left of 1.1.1 and outside the loop, as Live's own vector."""
    whole = read_or(clip, "get_all_notes_extended", None)
    if whole is not None:
        return whole()
    # 11.0 has no such call; the pitch span is half-open, so 128 includes pitch 127.
    return clip.get_notes_extended(0, 128, -MAX_BEATS, 2 * MAX_BEATS)


def read_rows(clip: Clip) -> list[Row]:
    """Rows of every note, by start and pitch."""
    rows = [row_of(note) for note in all_notes(clip)]
    rows.sort(key=lambda row: (row[2], row[1]))
    return rows


def read_rows_in_slices(clip: Clip) -> Steps:
    """Rows of every note, as one state of the clip; the generator's value is the rows."""
    rows = []
    # The vector is a copy: edits that follow do not reach it.
    notes = all_notes(clip)
    if len(notes) > NOTES_PER_SLICE:
        yield None
    for count, note in enumerate(notes):
        rows.append(row_of(note))
        if count % NOTES_PER_SLICE == NOTES_PER_SLICE - 1:
            yield None
    rows.sort(key=lambda row: (row[2], row[1]))
    return rows


def frame_of(clip: Clip) -> list[Any]:
    """Loop and markers: looping, loop start and end, start and end marker."""
    return [getattr(clip, name) for name in FRAME]


def revision_in_slices(clip: Clip, rows: Sequence[Row]) -> Steps:
    """Revision to be handed back as ``expect_revision``; the generator's value."""
    frame = frame_of(clip)
    notes = yield from digest_in_slices(rows)
    return revision(notes, frame)


def check_editable(clip: Clip, where: str) -> None:
    """Refuse what cannot take note edits.

    Raises
    ------
    Failure
        ``wrong_kind`` for audio, ``recording`` while the clip records or overdubs, ``frozen``.
    """
    if not clip.is_midi_clip:
        raise Failure("wrong_kind", "this is an audio clip, it has no notes", where)
    if clip.is_recording or clip.is_overdubbing:
        raise Failure("recording", "the clip is being recorded", where)
    track = clip.canonical_parent
    if read_or(track, "is_group_slot", None) is not None:
        track = track.canonical_parent  # type: ignore[attr-defined]
    if read_or(track, "is_frozen", False):
        raise Failure("frozen", "the track is frozen; unfreeze it first", where)


def carry_out(clip: Clip, plan: Plan) -> None:
    """Remove, modify, add: in this order a new note cannot replace one that was to stay."""
    if plan.remove:
        clip.remove_notes_by_id(list(plan.remove))
    if plan.modify:
        notes = clip.get_notes_by_id(list(plan.modify))
        for note in notes:
            _shape(note, plan.modify[int(note.note_id)])
        clip.apply_note_modifications(notes)
    if plan.add:
        clip.add_new_notes(tuple(_specification(row) for row in plan.add))


def _shape(note: Note, row: Row) -> None:
    now = row_of(note)
    for i, name in enumerate(FIELDS):
        if now[i + 1] != row[i + 1]:
            setattr(note, name, row[i + 1])


def _specification(row: Row) -> object:
    import Live

    return Live.Clip.MidiNoteSpecification(**dict(zip(FIELDS, row[1:])))


def make(clip: Clip, wanted: Sequence[Row], known: Sequence[Row] | None = None) -> None:
    """Edit until the notes are as wanted; one repair, since notes may displace each other.

    Parameters
    ----------
    clip, wanted
        The clip, and the rows it should hold.
    known : list of row, optional
        What it holds now, if that was just read; the repair is left out then, because reading a
        large clip again takes long.
    """
    for current in (known, None):
        rows = read_rows(clip) if current is None else current
        if same_notes(rows, wanted):
            return
        carry_out(clip, plan_replace(rows, wanted))
        if current is not None:
            return
