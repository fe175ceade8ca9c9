"""Notes, clips, tracks and sections as they are written down, and a snapshot of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final, Literal, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from pybackend.errors import InputError

MAX_NOTES: Final = 100_000
MAX_CLIPS: Final = 2_000
MAX_TRACKS: Final = 500
MAX_SECTIONS: Final = 500
MAX_BEATS: Final = 1_576_800.0
"""Longest time Live knows, in quarter notes."""

Beats = float


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Note(_Model):
    """One note of a clip, with the fields that Live's notes have.

    Parameters
    ----------
    pitch : int
        MIDI note number.
    start_beats, duration_beats : float
        In quarter notes of the clip's own time. ``start_time`` and ``duration`` are accepted too.
    velocity : float
        Above 0, up to 127.
    mute : bool
        Whether the note is switched off.
    probability : float
        Chance that it plays.
    """

    pitch: int = Field(ge=0, le=127)
    start_beats: Beats = Field(
        ge=-MAX_BEATS, le=MAX_BEATS, validation_alias=AliasChoices("start_beats", "start_time")
    )
    duration_beats: Beats = Field(
        gt=0.0, le=MAX_BEATS, validation_alias=AliasChoices("duration_beats", "duration")
    )
    velocity: float = Field(default=100.0, gt=0.0, le=127.0)
    mute: bool = False
    probability: float = Field(default=1.0, ge=0.0, le=1.0)
    velocity_deviation: float = 0.0
    release_velocity: float = 64.0
    note_id: int | None = None

    @property
    def sounds(self) -> bool:
        """Whether it can be heard at all."""
        return not self.mute and self.probability > 0.0


class Clip(_Model):
    """Notes in their own time, and where in the song they are played.

    Parameters
    ----------
    id : str
        Unique in the snapshot; sections name clips by it.
    start_beats, end_beats : float
        The part that plays: of a looping clip its loop, else what lies between its markers. Notes
        that start outside are silent.
    entry_beats : float, optional
        Where a looping clip starts in its own time; by default at ``start_beats``.
    looping : bool
        Whether it repeats for as long as it is played.
    muted : bool
        Whether it is switched off.
    song_start_beats, song_end_beats : float, optional
        Place in the arrangement; both or none.
    """

    id: str = Field(max_length=200)
    notes: tuple[Note, ...] = ()
    start_beats: Beats = Field(default=0.0, ge=-MAX_BEATS, le=MAX_BEATS)
    end_beats: Beats = Field(ge=-MAX_BEATS, le=MAX_BEATS)
    entry_beats: Beats | None = Field(default=None, ge=-MAX_BEATS, le=MAX_BEATS)
    looping: bool = True
    muted: bool = False
    song_start_beats: Beats | None = Field(default=None, ge=0.0, le=MAX_BEATS)
    song_end_beats: Beats | None = Field(default=None, ge=0.0, le=MAX_BEATS)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.end_beats - self.start_beats < 1e-3:
            raise ValueError("end_beats must lie behind start_beats")
        if (self.song_start_beats is None) != (self.song_end_beats is None):
            raise ValueError("give song_start_beats and song_end_beats, or neither")
        if self.song_span is not None and self.song_span[1] <= self.song_span[0]:
            raise ValueError("song_end_beats must lie behind song_start_beats")
        return self

    @property
    def beats(self) -> float:
        """Length of the part that plays."""
        return self.end_beats - self.start_beats

    @property
    def song_span(self) -> tuple[float, float] | None:
        """Place in the arrangement, in quarter notes from the song's start."""
        if self.song_start_beats is None or self.song_end_beats is None:
            return None
        return self.song_start_beats, self.song_end_beats


class Track(_Model):
    """A part.

    Parameters
    ----------
    kind : {"pitched", "drums"}
        Whether note numbers are pitches, or sounds of a drum rack. It is never guessed from names.
    muted : bool
        Whether it is switched off.
    """

    name: str = Field(default="", max_length=200)
    kind: Literal["pitched", "drums"] = "pitched"
    muted: bool = False
    clips: tuple[Clip, ...] = Field(default=(), max_length=MAX_CLIPS)

    @property
    def playing(self) -> tuple[Clip, ...]:
        """Clips that are not switched off."""
        return () if self.muted else tuple(clip for clip in self.clips if not clip.muted)


class Section(_Model):
    """A part of the song between two boundaries.

    Parameters
    ----------
    start_bar, end_bar : int
        Whole bars from the song's start, from 0; the end is not included.
    clips : tuple of str, optional
        Clips that are launched together at its start (a scene). Without it the section is what the
        arrangement holds between its bars.
    """

    name: str = Field(default="", max_length=200)
    start_bar: int = Field(ge=0, le=1_000_000)
    end_bar: int = Field(ge=1, le=1_000_000)
    clips: tuple[str, ...] | None = Field(default=None, max_length=MAX_CLIPS)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.end_bar <= self.start_bar:
            raise ValueError("end_bar must lie behind start_bar")
        return self

    @property
    def bars(self) -> int:
        """Length."""
        return self.end_bar - self.start_bar


class NoteSnapshot(_Model):
    """Everything that is written down in notes at one moment.

    Parameters
    ----------
    beats_per_bar : float
        Quarter notes in a bar.
    tempo_bpm : float, optional
        For times in milliseconds; what needs them is unavailable without it.
    """

    tracks: tuple[Track, ...] = Field(max_length=MAX_TRACKS)
    sections: tuple[Section, ...] = Field(default=(), max_length=MAX_SECTIONS)
    beats_per_bar: float = Field(default=4.0, ge=0.5, le=64.0)
    tempo_bpm: float | None = Field(default=None, ge=20.0, le=999.0)

    @model_validator(mode="after")
    def _check(self) -> Self:
        clips = [clip for track in self.tracks for clip in track.clips]
        known = {clip.id for clip in clips}
        if len(known) != len(clips):
            raise ValueError("two clips have the same id")
        if len(clips) > MAX_CLIPS:
            raise ValueError(f"{len(clips)} clips, {MAX_CLIPS} allowed")
        if sum(len(clip.notes) for clip in clips) > MAX_NOTES:
            raise ValueError(f"more than {MAX_NOTES} notes")
        for section in self.sections:
            unknown = set(section.clips or ()) - known
            if unknown:
                raise ValueError(f"section {section.name!r} names no clip {min(unknown)!r}")
        ordered = sorted(self.sections, key=lambda section: section.start_bar)
        for one, two in pairwise(ordered):
            if two.start_bar < one.end_bar:
                raise ValueError(f"sections {one.name!r} and {two.name!r} overlap")
        if tuple(ordered) != self.sections:
            raise ValueError("sections must stand in the order of their bars")
        return self


def snapshot_from(value: Any, label: str) -> NoteSnapshot:
    """Read a snapshot of notes from a mapping.

    Parameters
    ----------
    value : NoteSnapshot or mapping
        ``{"tracks": [{"clips": [{"id", "end_beats", "notes": [...]}]}], "sections": [...]}``.
    label : str
        Which side it is, for the message.

    Raises
    ------
    InputError
        If it is no snapshot of notes, with the first thing that is wrong.
    """
    if isinstance(value, NoteSnapshot):
        return value
    if not isinstance(value, Mapping):
        raise InputError(
            f"the snapshot {label} the move must hold notes (a mapping with 'tracks'), got "
            f"{type(value).__name__}"
        )
    if "tracks" not in value:
        raise InputError(
            f"the snapshot {label} the move holds no notes: it has no 'tracks'; read the clips' "
            "notes first"
        )
    try:
        return NoteSnapshot.model_validate(dict(value))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "snapshot"
        raise InputError(
            f"the snapshot {label} the move: {where}: {first['msg']}; correct it and try again"
        ) from None
