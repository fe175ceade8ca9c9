"""Melodic and rhythmic lines of clips, in which motifs are searched.

Every clip is read in its own time, so that notes of two clips never interleave. Chords are heard by
their outer notes: a pitched clip gives a top line and a bass line, a clip of drums one line of
rhythm for each drum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.composition import grid
from pybackend.judgment.composition.grid import Swing
from pybackend.judgment.composition.notes import Clip, Note, NoteSnapshot

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

TOGETHER_BEATS: Final = 0.1
"""Notes that begin within a tenth of a quarter note, less than half a 16th, are one chord."""
MIN_LINE: Final = 4
"""Notes that the shortest motif needs."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines of all clips, one behind another.

    Parameters
    ----------
    pitch, step : ndarray of int64, shape (notes,)
        Note number (0 in lines of drums), and onset in twenty-fourths of a quarter note, in the
        clip's own time.
    interval, gap : ndarray of int64, shape (notes,)
        From each note to the next of its line: semitones, and twenty-fourths of a quarter note, at
        least 1. The last note of a line has a gap of -1, and so have a rest longer than a bar and
        a step of the bass that is parallel to the top.
    line, part : ndarray of int64, shape (notes,)
        Index of the line, and of the track.
    drums : ndarray of bool, shape (notes,)
        Whether only the rhythm counts.
    offsets : ndarray of int64, shape (lines + 1,)
        Where lines begin.
    names : tuple of str
        Clip and line, for people.
    break_steps : int
        Gap above which a phrase ends.
    """

    pitch: Ints
    step: Ints
    interval: Ints
    gap: Ints
    line: Ints
    part: Ints
    drums: Mask
    offsets: Ints
    names: tuple[str, ...]
    break_steps: int

    def __len__(self) -> int:
        """Count of notes in lines."""
        return len(self.pitch)


def read_lines(snapshot: NoteSnapshot, swing: Swing) -> Lines:
    """Read the lines of every clip.

    Parameters
    ----------
    snapshot : NoteSnapshot
        Checked notes.
    swing : Swing
        Of all of them; it is taken out before onsets go to the grid, so that swing changes no
        motif.
    """
    pitches, steps, parts, drums = [], [], [], []
    names: list[str] = []
    above: dict[int, int] = {}
    for index, track in enumerate(snapshot.tracks):
        for clip in track.playing:
            found = _drum_lines(clip) if track.kind == "drums" else _pitched_lines(clip)
            for name, pitch, onset in found:
                if len(pitch) < MIN_LINE:
                    continue
                if name == "bass" and names and names[-1] == f"{clip.id} (top)":
                    above[len(names)] = len(names) - 1
                pitches.append(pitch)
                one_hand = np.zeros(len(onset), np.int64)
                steps.append(grid.steps(grid.straighten(onset, swing), one_hand))
                parts.append(np.full(len(pitch), index))
                drums.append(np.full(len(pitch), track.kind == "drums"))
                names.append(f"{clip.id} ({name})")
    lengths = [len(pitch) for pitch in pitches]
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    pitch = np.concatenate([np.zeros(0, np.int64), *pitches])
    step = np.concatenate([np.zeros(0, np.int64), *steps])
    interval = np.append(np.diff(pitch), 0)[: len(pitch)]
    gap = np.maximum(np.append(np.diff(step), 0)[: len(step)], 1)
    break_steps = round(snapshot.beats_per_bar * grid.STEPS_PER_BEAT)
    gap[gap > break_steps] = -1
    gap[offsets[1:] - 1] = -1
    for bass, top in above.items():
        _break_parallels(step, interval, gap, offsets[[top, top + 1]], offsets[[bass, bass + 1]])
    return Lines(
        pitch=pitch,
        step=step,
        interval=interval,
        gap=gap,
        line=np.repeat(np.arange(len(lengths)), lengths),
        part=np.concatenate([np.zeros(0, np.int64), *parts]),
        drums=np.concatenate([np.zeros(0, np.bool_), *drums]),
        offsets=offsets,
        names=tuple(names),
        break_steps=break_steps,
    )


def _break_parallels(step: Ints, interval: Ints, gap: Ints, top: Ints, bass: Ints) -> None:
    """End phrases of the bass where it moves with the top line: block chords are one line."""
    moves = {(step[i], interval[i], gap[i]) for i in range(int(top[0]), int(top[1])) if gap[i] >= 0}
    for i in range(int(bass[0]), int(bass[1])):
        if (step[i], interval[i], gap[i]) in moves:
            gap[i] = -1


def _playing(clip: Clip) -> list[Note]:
    inside = [n for n in clip.notes if n.sounds and clip.start_beats <= n.start_beats]
    kept = [note for note in inside if note.start_beats < clip.end_beats - 1e-6]
    return sorted(kept, key=lambda note: (note.start_beats, note.pitch))


def _drum_lines(clip: Clip) -> Iterator[tuple[str, Ints, Array]]:
    notes = _playing(clip)
    for pitch in sorted({note.pitch for note in notes}):
        onset = np.array([note.start_beats for note in notes if note.pitch == pitch])
        yield f"drum {pitch}", np.zeros(len(onset), np.int64), onset


def _pitched_lines(clip: Clip) -> Iterator[tuple[str, Ints, Array]]:
    notes = _playing(clip)
    top, bass = _outer(notes, 1), _outer(notes, -1)
    yield "top" if top != bass else "melody", *_arrays(top)
    if top != bass:
        yield "bass", *_arrays(bass)


def _arrays(line: list[Note]) -> tuple[Ints, Array]:
    pitch = np.array([note.pitch for note in line], np.int64)
    return pitch, np.array([note.start_beats for note in line], np.float64)


def _outer(notes: list[Note], side: int) -> list[Note]:
    """Highest (side 1) or lowest (side -1) note of every chord, unless a further one still sounds.

    A note that begins under a held melody note is accompaniment and no part of the top line.
    """
    line: list[Note] = []
    sounding: list[Note] = []
    index = 0
    while index < len(notes):
        begin = notes[index].start_beats
        stop = index
        while stop < len(notes) and notes[stop].start_beats < begin + TOGETHER_BEATS:
            stop += 1
        chord = notes[index:stop]
        outer = max(chord, key=lambda note: side * note.pitch)
        # Legato is no chord: a note is held if it lasts through half of the next.
        held_after = begin + max(TOGETHER_BEATS, 0.5 * outer.duration_beats)
        sounding = [n for n in sounding if n.start_beats + n.duration_beats > held_after]
        if all(side * note.pitch <= side * outer.pitch for note in sounding):
            line.append(outer)
        sounding += chord
        index = stop
    return line
