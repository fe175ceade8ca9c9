from __future__ import annotations

import numpy as np
import pytest

from pybackend.judgment.composition.grid import Swing
from pybackend.judgment.composition.lines import read_lines
from pybackend.judgment.composition.motifs import find_motifs
from pybackend.judgment.composition.notes import snapshot_from

THEME = [(0.0, 0), (0.75, 4), (1.5, 7), (2.0, 5), (3.0, 2)]


def note(start: float, pitch: int, duration: float = 0.2) -> dict:
    return {"pitch": pitch, "start_beats": start, "duration_beats": duration}


def motifs(*clips: list[dict], kind: str = "pitched", apart: bool = False):
    """Motifs of clips on one track, or each on a track of its own."""
    made = [{"id": f"clip{k}", "end_beats": 64.0, "notes": notes} for k, notes in enumerate(clips)]
    tracks = [[each] for each in made] if apart else [made]
    snapshot = {"tracks": [{"kind": kind, "clips": each} for each in tracks]}
    return find_motifs(read_lines(snapshot_from(snapshot, ""), Swing()))


def filler(rng: np.random.Generator, at: float) -> list[dict]:
    slots = np.sort(rng.choice(16, 5, replace=False)) / 4
    return [note(at + slot, int(rng.integers(55, 79))) for slot in slots]


def themed(shapes: list[list[tuple[float, int]]], seed: int = 1) -> list[dict]:
    """Shapes in every other bar, and nothing that repeats between."""
    rng = np.random.default_rng(seed)
    notes = []
    for k, shape in enumerate(shapes):
        notes += [note(8.0 * k + start, 60 + pitch) for start, pitch in shape]
        notes += filler(rng, 8.0 * k + 4.0)
    return notes


def test_a_figure_that_returns_is_found_and_nothing_else() -> None:
    found = motifs(themed([THEME] * 4))
    assert len(found.found) == 1
    (motif,) = found.found
    assert motif.figure.interval.tolist() == [4, 3, -2, -3]
    assert motif.figure.gap.tolist() == [18, 18, 12, 24]
    assert (motif.count, motif.figure.pitch) == (4, 60)
    assert motif.p_value <= 0.01
    # Five notes of each ten belong to it.
    assert found.coherence == pytest.approx(0.5, abs=0.03)
    assert "+4 +3 -2 -3 in 0.75 0.75 0.5 1 beats, 4 times" in motif.text


@pytest.mark.parametrize(
    "turned",
    [
        [(s, p + 5) for s, p in THEME],
        [(s, -p) for s, p in THEME],
        [(3.0 - s, p) for s, p in reversed(THEME)],
        [(3.0 - s, -p) for s, p in reversed(THEME)],
        [(s / 2, p) for s, p in THEME],
    ],
    ids=["transposed", "inverted", "reversed", "reversed and inverted", "twice as fast"],
)
def test_a_figure_is_the_same_in_every_form(turned: list[tuple[float, int]]) -> None:
    found = motifs(themed([THEME, turned, THEME, turned]))
    assert len(found.found) == 1
    assert found.found[0].count == 4


def test_a_figure_may_return_on_another_track() -> None:
    rng = np.random.default_rng(4)
    one = [note(s, 60 + p) for s, p in THEME] + filler(rng, 4.0)
    two = filler(rng, 0.0) + [note(4.0 + s, 72 + p) for s, p in THEME]
    three = filler(rng, 0.0) + [note(4.0 + s, 43 + p) for s, p in THEME]
    found = motifs(one, two, three, apart=True)
    assert [motif.count for motif in found.found] == [3]


def test_equal_hats_scales_and_pulses_are_no_motifs() -> None:
    hats = [note(k / 4, 42) for k in range(64)]
    found = motifs(hats, kind="drums")
    assert found.found == ()
    assert found.coherence == 0.0
    scale = [note(k / 4, 40 + k) for k in range(64)]
    assert motifs(scale).found == ()
    assert motifs([note(k / 4, 60) for k in range(64)]).found == ()


def test_a_rhythm_of_drums_is_a_motif_and_hats_do_not_dilute_it() -> None:
    kick = [note(4.0 * bar + s, 36) for bar in range(8) for s in (0.0, 0.75, 2.5, 3.25)]
    hats = [note(k / 4, 42) for k in range(128)]
    found = motifs(kick + hats, kind="drums")
    assert [motif.figure.drums for motif in found.found] == [True]
    assert found.coherence > 0.8


def test_block_chords_are_no_motif_of_themselves() -> None:
    rng = np.random.default_rng(2)
    notes = []
    for bar, root in enumerate(rng.permutation(12)):
        notes += [note(4.0 * bar, 48 + int(root) + third, 3.9) for third in (0, 4, 7)]
    assert motifs(notes).found == ()


def test_too_few_notes_say_nothing() -> None:
    found = motifs([note(k / 2, 60 + k) for k in range(8)])
    assert found.coherence is None
    assert "12 needed" in found.reason
    assert motifs([]).coherence is None


def test_more_than_can_be_searched_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = themed([THEME] * 4)
    monkeypatch.setattr("pybackend.judgment.composition.motifs.MANY_NOTES", 20)
    assert motifs(notes).found[0].p_value == pytest.approx(0.01)
    monkeypatch.setattr("pybackend.judgment.composition.motifs.MAX_NOTES", 30)
    found = motifs(notes)
    assert (found.found, found.coherence) == ((), None)
    assert "40 notes in lines, 30 can be searched" in found.reason


def test_the_same_notes_always_give_the_same_motifs() -> None:
    notes = themed([THEME] * 4)
    one, two = motifs(notes), motifs(notes)
    assert one.coherence == two.coherence
    assert [m.text for m in one.found] == [m.text for m in two.found]


RANDOM_PIECES = 60


@pytest.mark.parametrize("make", ["notes drawn at random", "a walk in small steps"])
def test_random_music_has_no_motif_above_chance(make: str) -> None:
    """At most one piece of twenty may show one; 60 pieces with 9 or more would refute that."""
    hits = 0
    for seed in range(RANDOM_PIECES):
        rng = np.random.default_rng(seed)
        count = int(rng.integers(24, 100))
        onsets = np.cumsum(rng.choice((0.25, 0.5, 0.5, 1.0), count))
        if make == "a walk in small steps":
            pitches = np.clip(64 + np.cumsum(rng.choice((-2, -1, 1, 2), count)), 0, 127)
        else:
            pitches = rng.choice((60, 62, 64, 65, 67, 69, 71, 72), count)
        notes = [note(s, int(p)) for s, p in zip(onsets, pitches, strict=True) if s < 63]
        hits += bool(motifs(notes).found)
    assert hits <= 8
