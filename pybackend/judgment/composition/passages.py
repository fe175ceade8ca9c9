"""Where notes sound: clips laid out in time, as passages of whole bars.

A passage is what is known to sound together: a section, the arrangement, or one clip on its own.
Clips without a place in time never share a passage, so their notes never interleave.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.errors import InputError
from pybackend.judgment.composition.grid import EARLY_BEATS
from pybackend.judgment.composition.notes import Clip, NoteSnapshot, Section

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

MAX_SOUNDING: Final = 500_000
"""Notes of all passages together, loops played out."""
SLACK_BEATS: Final = 1e-6
"""Rounding of note times as Live hands them out."""


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """Notes that sound together, in the order of their onsets.

    Parameters
    ----------
    name : str
        For people.
    bars : int
        Length in bars.
    beats_per_bar : float
        Quarter notes in a bar.
    start, end : ndarray of float64, shape (notes,)
        Quarter notes from the passage's start; a note that has begun before it starts below 0.
    pitch, track : ndarray of int64, shape (notes,)
        Note number, and index of the part.
    velocity, weight : ndarray of float64, shape (notes,)
        0..127, and the chance that the note plays.
    drums : ndarray of bool, shape (notes,)
        Whether the note number is a drum and no pitch.
    section : int
        Index of the section, or -1.
    """

    name: str
    bars: int
    beats_per_bar: float
    start: Array
    end: Array
    pitch: Ints
    track: Ints
    velocity: Array
    weight: Array
    drums: Mask
    section: int = -1

    @property
    def onsets(self) -> Mask:
        """Notes that begin inside the passage, or a moment before it and are meant for it."""
        inside: Mask = self.start >= -EARLY_BEATS
        return inside

    @property
    def bar(self) -> Ints:
        """Bar that each note is meant for, from 0."""
        bar = np.floor((self.start + EARLY_BEATS) / self.beats_per_bar).astype(np.int64)
        return np.minimum(np.maximum(bar, 0), self.bars - 1)


@dataclass(frozen=True, slots=True)
class Layout:
    """Passages of a snapshot, and what is not in them."""

    passages: tuple[Passage, ...]
    notes: tuple[str, ...] = ()

    @property
    def bars(self) -> int:
        """Bars of all passages."""
        return sum(passage.bars for passage in self.passages)


_COLUMNS: Final = 7
_START, _END, _PITCH, _VELOCITY, _WEIGHT, _TRACK, _DRUMS = range(_COLUMNS)


class _Builder:
    """Sounding notes as they come together, within the limit."""

    def __init__(self, snapshot: NoteSnapshot) -> None:
        self.beats_per_bar = snapshot.beats_per_bar
        self.count = 0

    def play(self, clip: Clip, track: int, *, drums: bool, launch: float, until: float) -> Array:
        """Rows of a clip that is played from ``launch`` to ``until``."""
        table = np.array(
            [
                (note.start_beats, note.duration_beats, note.pitch, note.velocity, note.probability)
                for note in clip.notes
                if note.sounds
            ],
            np.float64,
        ).reshape(-1, 5)
        passes = []
        entry = clip.start_beats if clip.entry_beats is None else clip.entry_beats
        at, begin = launch, min(entry, clip.end_beats)
        while at < until - SLACK_BEATS and len(table):
            stop = min(until, at + clip.end_beats - begin)
            inside = (table[:, 0] >= begin - SLACK_BEATS) & (
                table[:, 0] < begin + stop - at - SLACK_BEATS
            )
            rows = np.zeros((int(inside.sum()), _COLUMNS))
            rows[:, _START] = table[inside, 0] - begin + at
            rows[:, _END] = np.minimum(rows[:, _START] + table[inside, 1], stop)
            rows[:, _PITCH : _WEIGHT + 1] = table[inside, 2:]
            rows[:, _TRACK], rows[:, _DRUMS] = track, drums
            passes.append(rows)
            self.count += len(rows)
            if self.count > MAX_SOUNDING:
                raise InputError(
                    f"more than {MAX_SOUNDING} notes sound; give fewer sections or clips at once"
                )
            if not clip.looping:
                break
            at, begin = stop, clip.start_beats
        return np.concatenate(passes) if passes else np.zeros((0, _COLUMNS))

    def passage(
        self, name: str, beats: float, rows: list[Array], section: int = -1, early: float = 0.0
    ) -> Passage:
        table = np.concatenate([np.zeros((0, _COLUMNS)), *rows])
        table = table[(table[:, _START] < beats - early) & (table[:, _END] > 0.0)]
        order = np.lexsort((table[:, _TRACK], table[:, _PITCH], table[:, _START]))
        table = table[order]
        return Passage(
            name=name,
            bars=max(1, math.ceil((beats - SLACK_BEATS) / self.beats_per_bar)),
            beats_per_bar=self.beats_per_bar,
            start=table[:, _START],
            end=table[:, _END],
            pitch=table[:, _PITCH].astype(np.int64),
            track=table[:, _TRACK].astype(np.int64),
            velocity=table[:, _VELOCITY],
            weight=table[:, _WEIGHT],
            drums=table[:, _DRUMS] > 0.0,
            section=section,
        )


def lay_out(snapshot: NoteSnapshot) -> Layout:
    """Lay clips out in time.

    With sections, every section is a passage: of the clips it launches, or of what the arrangement
    holds between its bars. Without, the arrangement is one passage, and every clip that has no
    place in it is one of its own, played once.

    Parameters
    ----------
    snapshot : NoteSnapshot
        Checked notes.

    Returns
    -------
    Layout
        Passages, and which clips belong to none.

    Raises
    ------
    InputError
        If more than 500,000 notes sound.
    """
    builder = _Builder(snapshot)
    parts = [
        (clip, index, track.kind == "drums")
        for index, track in enumerate(snapshot.tracks)
        for clip in track.playing
    ]
    placed = [
        builder.play(clip, index, drums=drums, launch=clip.song_span[0], until=clip.song_span[1])
        for clip, index, drums in parts
        if clip.song_span is not None
    ]
    if snapshot.sections:
        passages = [
            _section(builder, section, number, parts, placed)
            for number, section in enumerate(snapshot.sections)
        ]
        return Layout(tuple(passages), _left_out(snapshot, parts))
    passages = []
    if placed:
        ends = [clip.song_span[1] for clip, _, _ in parts if clip.song_span is not None]
        passages.append(builder.passage("arrangement", max(ends), placed))
    for clip, index, drums in parts:
        if clip.song_span is None:
            rows = builder.play(clip, index, drums=drums, launch=0.0, until=clip.beats)
            passages.append(builder.passage(clip.id, clip.beats, [rows]))
    return Layout(tuple(passages))


def _section(
    builder: _Builder,
    section: Section,
    number: int,
    parts: list[tuple[Clip, int, bool]],
    placed: list[Array],
) -> Passage:
    beats = section.bars * builder.beats_per_bar
    name = section.name or f"section {number + 1}"
    if section.clips is None:
        begin = section.start_bar * builder.beats_per_bar
        rows = []
        for table in placed:
            shifted = table.copy()
            shifted[:, (_START, _END)] -= begin
            rows.append(shifted)
        return builder.passage(name, beats, rows, number, EARLY_BEATS)
    chosen = set(section.clips)
    rows = [
        builder.play(clip, index, drums=drums, launch=0.0, until=beats)
        for clip, index, drums in parts
        if clip.id in chosen
    ]
    return builder.passage(name, beats, rows, number)


def _left_out(snapshot: NoteSnapshot, parts: list[tuple[Clip, int, bool]]) -> tuple[str, ...]:
    launched = {name for section in snapshot.sections for name in section.clips or ()}
    spans = [
        (section.start_bar * snapshot.beats_per_bar, section.end_bar * snapshot.beats_per_bar)
        for section in snapshot.sections
        if section.clips is None
    ]

    def heard(clip: Clip) -> bool:
        if clip.song_span is None:
            return False
        start, stop = clip.song_span
        return any(start < end and stop > begin for begin, end in spans)

    idle = [clip.id for clip, _, _ in parts if clip.id not in launched and not heard(clip)]
    if not idle:
        return ()
    return (f"In no section, so only searched for motifs: {', '.join(idle[:5])}{_more(idle)}.",)


def _more(names: list[str]) -> str:
    return f" and {len(names) - 5} more" if len(names) > 5 else ""
