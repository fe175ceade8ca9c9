"""Clips as the control surface reads them, brought to the model that is judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from pybackend.errors import InputError
from pybackend.judgment.composition.notes import Clip, Note

ROW: Final = (
    "note_id",
    "pitch",
    "start_beats",
    "duration_beats",
    "velocity",
    "mute",
    "probability",
    "velocity_deviation",
    "release_velocity",
)
"""Fields of a note's row, in order; the last five may be left out."""


def note_from_row(row: Sequence[Any]) -> Note:
    """Note from a row of ``notes.read``.

    Raises
    ------
    InputError
        If it is none.
    """
    if not isinstance(row, list | tuple) or not 4 <= len(row) <= len(ROW):
        raise InputError(f"a note is a row of 4 to {len(ROW)} values, got {str(row)[:60]}")
    try:
        return Note.model_validate(dict(zip(ROW, row, strict=False)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"note {str(row)[:60]}: {where}: {first['msg']}") from None


def clip_from_read(
    identity: str,
    frame: Mapping[str, Any],
    rows: Iterable[Sequence[Any]],
    *,
    muted: bool = False,
    song_span: tuple[float, float] | None = None,
) -> Clip:
    """Clip from what ``notes.read`` answers.

    Parameters
    ----------
    identity : str
        Id of the clip, unique in the snapshot.
    frame : mapping
        ``looping``, ``loop_start``, ``loop_end``, ``start_marker`` and ``end_marker``, in beats of
        the clip.
    rows : iterable of sequences
        Its notes: id, pitch, start, duration, velocity, mute, probability, deviation of velocity,
        release velocity.
    muted : bool
        Whether the clip is switched off.
    song_span : tuple of float, optional
        Start and end in the arrangement, in beats.

    Raises
    ------
    InputError
        If the frame or a row is none.
    """
    try:
        looping = bool(frame["looping"])
        names = ("loop_start", "loop_end") if looping else ("start_marker", "end_marker")
        start, end = (float(frame[name]) for name in names)
        entry = float(frame["start_marker"]) if looping else None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"clip {identity}: its frame lacks loop or markers ({error})") from None
    begin, stop = (None, None) if song_span is None else song_span
    try:
        return Clip(
            id=identity,
            notes=tuple(note_from_row(row) for row in rows),
            start_beats=start,
            end_beats=end,
            entry_beats=entry,
            looping=looping,
            muted=muted,
            song_start_beats=begin,
            song_end_beats=stop,
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(f"clip {identity}: {first['msg']}") from None
