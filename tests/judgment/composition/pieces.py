"""Pieces of known make, and edits of known effect."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

Piece = dict[str, Any]
Rng = np.random.Generator

SCALE = (0, 2, 4, 5, 7, 9, 11)
BEATS = 4


def note(pitch: float, start: float, duration: float, velocity: float = 100.0) -> dict[str, Any]:
    return {
        "pitch": int(pitch),
        "start_beats": float(start),
        "duration_beats": float(duration),
        "velocity": float(velocity),
    }


def degree(step: int, root: int = 60) -> int:
    return root + 12 * (step // 7) + SCALE[step % 7]


def figure(rng: Rng, notes: int = 6) -> list[tuple[float, int, float]]:
    """A figure of one bar: onset in beats, scale degree, duration."""
    slots = np.sort(rng.choice(np.arange(1, 14), notes - 1, replace=False))
    onsets = np.concatenate(([0], slots)) / 4
    degrees = np.clip(np.cumsum(rng.choice((-3, -2, -1, 1, 2, 3), notes)) + 4, -3, 10)
    ends = np.append(onsets[1:], 4.0)
    return [
        (float(onset), int(step), float(0.9 * (end - onset)))
        for onset, step, end in zip(onsets, degrees, ends, strict=True)
    ]


def random_line(rng: Rng, bars: int, notes_per_bar: int = 6) -> list[dict[str, Any]]:
    """Bars that have nothing to do with one another."""
    line = []
    for bar in range(bars):
        for onset, step, duration in figure(rng, notes_per_bar):
            line.append(note(degree(step), BEATS * bar + onset, duration, rng.uniform(70, 110)))
    return line


def motif_line(rng: Rng, bars: int) -> list[dict[str, Any]]:
    """A figure in every other bar, on another degree, with free bars between."""
    theme = figure(rng)
    line = []
    for bar in range(bars):
        shift = int(rng.choice((0, 0, 7, -7)))
        shape = theme if bar % 2 == 0 else figure(rng)
        for onset, step, duration in shape:
            pitch = degree(step + shift)
            line.append(note(pitch, BEATS * bar + onset, duration, rng.uniform(70, 110)))
    return line


def chords(rng: Rng, bars: int) -> list[dict[str, Any]]:
    roots = rng.choice((0, 3, 4, 5), bars)
    return [
        note(degree(int(root) + third, 48), BEATS * bar, 3.9, 80)
        for bar, root in enumerate(roots)
        for third in (0, 2, 4)
    ]


def bass(rng: Rng, bars: int) -> list[dict[str, Any]]:
    pattern = [float(onset) for onset, _, _ in figure(rng, 5)]
    return [
        note(degree(int(rng.choice((0, 0, 4, 2))), 36), BEATS * bar + onset, 0.4, 95)
        for bar in range(bars)
        for onset in pattern
    ]


def drums(rng: Rng, bars: int) -> list[dict[str, Any]]:
    kick = [0.0, *(float(k) / 4 for k in rng.choice((3, 6, 7, 10, 11, 14), 2, replace=False))]
    line = []
    for bar in range(bars):
        at = BEATS * bar
        line += [note(36, at + onset, 0.2, 110) for onset in kick]
        line += [note(38, at + onset, 0.2, 105) for onset in (1.0, 3.0)]
        line += [note(42, at + step / 4, 0.1, 60 + 30 * (step % 2 == 0)) for step in range(16)]
    return line


def clip(name: str, notes: list[dict[str, Any]], bars: int, **fields: Any) -> dict[str, Any]:
    return {"id": name, "end_beats": float(BEATS * bars), "notes": notes, **fields}


def piece(seed: int, bars: int = 8, *, motif: bool = True) -> Piece:
    """Lead, chords, bass and drums, in 8 bars of two sections or more."""
    rng = np.random.default_rng(seed)
    lead = motif_line(rng, bars) if motif else random_line(rng, bars)
    parts = {
        "lead": lead,
        "chords": chords(rng, bars),
        "bass": bass(rng, bars),
        "drums": drums(rng, bars),
    }
    return {
        "tempo_bpm": 120.0,
        "beats_per_bar": 4.0,
        "tracks": [
            {
                "name": name,
                "kind": "drums" if name == "drums" else "pitched",
                "clips": [clip(name, notes, bars, song_start_beats=0.0, song_end_beats=4.0 * bars)],
            }
            for name, notes in parts.items()
        ],
        "sections": [
            {"name": f"part {k + 1}", "start_bar": 4 * k, "end_bar": 4 * k + 4}
            for k in range(bars // 4)
        ],
    }


def only(original: Piece, *names: str) -> Piece:
    """Some of the tracks."""
    made = copy.deepcopy(original)
    made["tracks"] = [track for track in made["tracks"] if track["name"] in names]
    return made


Edit = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def edited(original: Piece, edit: Edit, *names: str) -> Piece:
    """Apply an edit to the notes of the named tracks, or of all."""
    made = copy.deepcopy(original)
    for track in made["tracks"]:
        if not names or track["name"] in names:
            for each in track["clips"]:
                each["notes"] = edit(each["notes"])
    return made


def transposed(semitones: int) -> Edit:
    return lambda notes: [{**n, "pitch": n["pitch"] + semitones} for n in notes]


def inverted(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    first = notes[0]["pitch"]
    return [{**n, "pitch": 2 * first - n["pitch"]} for n in notes]


def reversed_in_time(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Retrograde of the onsets."""
    last = max(n["start_beats"] for n in notes)
    turned = [{**n, "start_beats": last - n["start_beats"]} for n in notes]
    return sorted(turned, key=lambda n: n["start_beats"])


def stretched(factor: float) -> Edit:
    return lambda notes: [
        {
            **n,
            "start_beats": n["start_beats"] * factor,
            "duration_beats": n["duration_beats"] * factor,
        }
        for n in notes
    ]


def thinned(rng: Rng, share: float) -> Edit:
    """Leave out a share of the notes."""

    def edit(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        gone = set(rng.choice(len(notes), round(share * len(notes)), replace=False).tolist())
        return [n for k, n in enumerate(notes) if k not in gone]

    return edit


def quantised(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**n, "start_beats": round(4 * n["start_beats"]) / 4} for n in notes]


def swung(place: float, unit: float = 0.5) -> Edit:
    """Move the off-beats to a place between their neighbours."""

    def at(start: float) -> float:
        whole, phase = divmod(start / unit, 1.0)
        moved = phase * place / 0.5 if phase < 0.5 else place + (phase - 0.5) * (1 - place) / 0.5
        return (whole + moved) * unit

    return lambda notes: [{**n, "start_beats": at(n["start_beats"])} for n in notes]


def performed(rng: Rng, timing_beats: float = 0.012, velocity: float = 6.0) -> Edit:
    """The same notes played again, with a player's timing and accents."""

    def edit(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {
                **n,
                "start_beats": max(0.0, n["start_beats"] + float(rng.normal(0.0, timing_beats))),
                "velocity": float(np.clip(n["velocity"] + rng.normal(0.0, velocity), 1, 127)),
            }
            for n in notes
        ]

    return edit


def shuffled(rng: Rng) -> Edit:
    """The same pitches and the same gaps in random order."""

    def edit(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        ordered = sorted(notes, key=lambda n: n["start_beats"])
        starts = np.array([n["start_beats"] for n in ordered])
        gaps = rng.permutation(np.diff(starts))
        onsets = starts[0] + np.concatenate(([0.0], np.cumsum(gaps)))
        pitches = rng.permutation([n["pitch"] for n in ordered])
        return [
            {**n, "start_beats": float(onset), "pitch": int(pitch)}
            for n, onset, pitch in zip(ordered, onsets, pitches, strict=True)
        ]

    return edit


def without_bars(*bars: int) -> Edit:
    """Leave out the notes of some bars."""
    return lambda notes: [n for n in notes if int(n["start_beats"] // BEATS) not in bars]


def chromatic(rng: Rng, share: float) -> Edit:
    """Move a share of the notes a semitone up."""

    def edit(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        gone = set(rng.choice(len(notes), round(share * len(notes)), replace=False).tolist())
        return [{**n, "pitch": n["pitch"] + (k in gone)} for k, n in enumerate(notes)]

    return edit


def shifted(beats: float) -> Edit:
    """Move every note later, those at the end round to the start."""

    def edit(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        length = BEATS * (1 + max(int(n["start_beats"] // BEATS) for n in notes))
        moved = [{**n, "start_beats": (n["start_beats"] + beats) % length} for n in notes]
        return sorted(moved, key=lambda n: n["start_beats"])

    return edit
