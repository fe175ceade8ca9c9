"""Edits of known truth: what each has to move, and what it must leave where it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pybackend.judgment.composition.measure import NOTE_DIMENSIONS, compare_scores, read_score
from pybackend.judgment.composition.notes import snapshot_from
from pybackend.judgment.dimensions import DIMENSIONS

SEEDS = range(4)
UP, DOWN, SAME = "up", "down", "same"


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(100 + seed)


def changes(before: dict, after: dict) -> dict[str, float]:
    sides = [read_score(snapshot_from(side, "")) for side in (before, after)]
    return {name: change.change for name, change in compare_scores(*sides).changes.items()}


def outcome(name: str, change: float) -> str:
    effect = DIMENSIONS[name].smallest_effect
    if abs(change) < effect:
        return SAME
    return UP if change > 0.0 else DOWN


# What an edit of the lead alone has to do to the lead alone, in every piece.
MELODIC: dict[str, tuple[Callable, dict[str, str]]] = {
    "transposed": (
        lambda p, s: p.transposed(3),
        {name: SAME for name in NOTE_DIMENSIONS if name != "motif_survival"},
    ),
    "up an octave": (lambda p, s: p.transposed(12), {"tension": SAME, "motif_coherence": SAME}),
    "inverted": (
        lambda p, s: p.inverted,
        {"density": SAME, "groove": SAME, "motif_coherence": SAME, "motif_survival": DOWN},
    ),
    "augmented": (
        lambda p, s: p.stretched(2.0),
        {"density": DOWN, "motif_coherence": SAME, "motif_survival": DOWN},
    ),
    "thinned out by half": (
        lambda p, s: p.thinned(rng(s), 0.5),
        {"density": DOWN, "groove": UP, "motif_coherence": DOWN, "motif_survival": DOWN},
    ),
    "swung": (
        lambda p, s: p.swung(0.6),
        {"density": SAME, "groove": SAME, "motif_coherence": SAME, "motif_survival": SAME},
    ),
    "shuffled": (
        lambda p, s: p.shuffled(rng(s)),
        {"density": SAME, "motif_coherence": DOWN, "motif_survival": DOWN},
    ),
    "motif deleted": (
        lambda p, s: p.without_bars(0, 2, 4, 6),
        {"density": DOWN, "motif_coherence": DOWN, "motif_survival": DOWN},
    ),
}


@pytest.mark.parametrize("name", MELODIC)
def test_edits_of_a_melody(pieces, name: str) -> None:
    edit, expected = MELODIC[name]
    for seed in SEEDS:
        before = pieces.only(pieces.piece(seed), "lead")
        after = pieces.edited(before, edit(pieces, seed))
        if name == "augmented":
            after["tracks"][0]["clips"][0] |= {"end_beats": 64.0, "song_end_beats": 64.0}
        found = changes(before, after)
        got = {each: outcome(each, found[each]) for each in expected if each in found}
        assert got == {each: want for each, want in expected.items() if each in found}, seed
        assert {"density", "motif_survival"} & set(expected) <= set(found)


@pytest.mark.parametrize(("turn", "worth"), [("inverted", 0.7), ("transposed", 0.9)])
def test_survival_is_what_the_turned_motif_is_worth(pieces, turn: str, worth: float) -> None:
    before = pieces.only(pieces.piece(0), "lead")
    edit = pieces.inverted if turn == "inverted" else pieces.transposed(3)
    found = changes(before, pieces.edited(before, edit))
    assert found["motif_survival"] == pytest.approx(worth - 1.0)


def test_edits_of_a_whole_piece(pieces) -> None:
    for seed in SEEDS[:2]:
        before = pieces.piece(seed)
        pitched = ("lead", "chords", "bass")
        moved = changes(before, pieces.edited(before, pieces.transposed(3), *pitched))
        for name in set(NOTE_DIMENSIONS) - {"motif_survival"}:
            assert outcome(name, moved.get(name, 0.0)) == SAME, name
        chromatic = pieces.edited(before, pieces.chromatic(rng(seed), 0.5), "chords")
        assert outcome("tension", changes(before, chromatic)["tension"]) == UP
        later = changes(before, pieces.edited(before, pieces.without_bars(4, 5, 6, 7), "chords"))
        assert later["section_contrast"] > 0.0
        assert outcome("density", later["density"]) == SAME


def test_swing_and_looseness_follow_timing_alone(pieces) -> None:
    for seed in SEEDS[:2]:
        before = pieces.edited(pieces.piece(seed), pieces.performed(rng(seed)))
        tight = changes(before, pieces.edited(before, pieces.quantised))
        swung = changes(before, pieces.edited(before, pieces.swung(0.6)))
        assert outcome("looseness", tight["looseness"]) == DOWN
        assert outcome("swing", tight["swing"]) == SAME
        assert outcome("swing", swung["swing"]) == UP
        assert swung["swing"] == pytest.approx(10.0, abs=1.0)
        assert outcome("looseness", swung["looseness"]) == SAME
        for found in (tight, swung):
            for name in set(NOTE_DIMENSIONS) - {"swing", "looseness"}:
                assert outcome(name, found[name]) == SAME, name


def test_the_same_notes_played_again_are_no_change(pieces) -> None:
    """What smallest effects have to exceed: a second take of the same notes."""
    for seed in range(6):
        takes = [
            pieces.edited(pieces.piece(seed), pieces.performed(rng(k))) for k in (seed, 900 + seed)
        ]
        found = changes(*takes)
        assert {name: outcome(name, change) for name, change in found.items()} == dict.fromkeys(
            found, SAME
        ), seed


def test_identical_notes_are_exactly_the_same(pieces) -> None:
    before = pieces.piece(1)
    assert set(changes(before, before).values()) == {0.0}


def test_swapped_sides_are_the_mirror(pieces) -> None:
    before = pieces.piece(2)
    after = pieces.edited(before, pieces.thinned(rng(2), 0.3))
    there, back = changes(before, after), changes(after, before)
    for name in set(there) - {"motif_survival"}:
        assert back[name] == -there[name]
    assert there["motif_survival"] <= 0.0
    assert back["motif_survival"] <= 0.0


def test_music_without_motifs_has_none_to_lose(pieces) -> None:
    before = pieces.only(pieces.piece(0, motif=False), "lead")
    sides = [read_score(snapshot_from(each, "")) for each in (before, before)]
    found = compare_scores(*sides)
    assert "nothing recurs" in found.missing["motif_survival"]
    assert "nothing recurs" in found.missing["motif_coherence"]


def test_what_one_side_does_not_show_is_unavailable(pieces) -> None:
    before = pieces.piece(0)
    after = pieces.only(before, "drums") | {"tempo_bpm": None, "sections": []}
    sides = [read_score(snapshot_from(each, "")) for each in (before, after)]
    found = compare_scores(*sides)
    assert "pitched notes" in found.missing["tension"]
    assert "tempo" in found.missing["looseness"]
    assert "sections" in found.missing["section_contrast"]
    assert set(found.changes) | set(found.missing) == set(NOTE_DIMENSIONS)
