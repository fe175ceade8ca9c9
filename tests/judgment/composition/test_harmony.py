from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.judgment.composition.harmony import DISSONANCE, key_weights, measure_harmony
from pybackend.judgment.composition.notes import snapshot_from
from pybackend.judgment.composition.passages import lay_out

TRIADS = ((60, 64, 67), (65, 69, 72), (67, 71, 74), (60, 64, 67))


def harmony(chords: list[tuple[int, ...]], kind: str = "pitched", length: float = 4.0):
    notes = [
        {"pitch": pitch, "start_beats": 4.0 * bar, "duration_beats": length}
        for bar, chord in enumerate(chords)
        for pitch in chord
    ]
    clip = {"id": "a", "end_beats": 4.0 * len(chords), "notes": notes}
    snapshot = snapshot_from({"tracks": [{"clips": [clip], "kind": kind}]}, "")
    return measure_harmony(lay_out(snapshot).passages)


def test_dissonance_orders_intervals_as_huron_does() -> None:
    order = [7, 3, 4, 6, 2, 1]
    assert [DISSONANCE[k] for k in order] == sorted(DISSONANCE[k] for k in order)
    assert DISSONANCE[0] == DISSONANCE[5] == DISSONANCE[7] == 0.0
    assert DISSONANCE[1] == DISSONANCE[11] == 1.0


def test_dissonance_is_the_mean_over_time_of_the_pairs_that_sound() -> None:
    assert harmony([(60, 67)] * 4).dissonance == 0.0
    assert harmony([(60, 61)] * 4).dissonance == 1.0
    half = harmony([(60, 61), (60, 67)] * 2)
    assert half.dissonance == pytest.approx(0.5)
    triad = harmony([(60, 64, 67)] * 4)
    assert triad.dissonance == pytest.approx((DISSONANCE[4] + DISSONANCE[3]) / 3)
    assert harmony([(60,), (62,), (64,), (65,)]).dissonance == 0.0


def test_brief_overlap_of_a_legato_is_no_chord() -> None:
    notes = [
        {"pitch": 60 + k % 2, "start_beats": float(k), "duration_beats": 1.02} for k in range(16)
    ]
    clip = {"id": "a", "end_beats": 16.0, "notes": notes}
    found = measure_harmony(lay_out(snapshot_from({"tracks": [{"clips": [clip]}]}, "")).passages)
    assert 0.0 < found.dissonance < 0.03


def test_the_key_is_found() -> None:
    assert harmony(list(TRIADS)).key == "C major"
    minor = [(57, 60, 64), (62, 65, 69), (64, 68, 71), (57, 60, 64)]
    assert harmony(minor).key == "A minor"


@given(st.integers(-24, 24))
@settings(max_examples=20)
def test_transposing_everything_changes_nothing(semitones: int) -> None:
    moved = [tuple(pitch + semitones for pitch in chord) for chord in TRIADS]
    assert harmony(moved).tension == pytest.approx(harmony(list(TRIADS)).tension, abs=1e-9)


def test_tension_grows_with_foreign_and_with_rubbing_notes() -> None:
    plain = harmony(list(TRIADS))
    foreign = harmony([*TRIADS[:3], (61, 65, 68)])
    rubbing = harmony([*TRIADS[:3], (60, 61, 67)])
    assert foreign.instability > plain.instability + 0.02
    assert rubbing.dissonance > plain.dissonance + 0.05
    assert min(foreign.tension, rubbing.tension) > plain.tension + 0.02


def test_weights_of_keys_are_shared_where_nothing_decides() -> None:
    assert key_weights(np.ones(12)) == pytest.approx(np.full(24, 1 / 24))
    assert key_weights(np.zeros(12)).sum() == pytest.approx(1.0)


def test_drums_and_single_notes_have_no_harmony() -> None:
    assert harmony(list(TRIADS), kind="drums").tension is None
    few = harmony([(60,)])
    assert few.tension is None
    assert "4 pitched notes" in few.reason


def test_bars_without_pitches_are_unknown() -> None:
    found = harmony([(60, 64, 67), (), (60, 64, 67), (65, 69)])
    assert np.isnan(found.by_bar[0]).tolist() == [False, True, False, False]
