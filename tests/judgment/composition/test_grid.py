from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.judgment.composition.grid import (
    STEPS_PER_BEAT,
    Swing,
    find_swing,
    metre,
    steps,
    straighten,
)


def one_hand(onsets) -> np.ndarray:
    return np.zeros(len(onsets), np.int64)


def sixteenths(place: float, beats: int = 8) -> np.ndarray:
    return np.array([b / 2 + o for b in range(2 * beats) for o in (0.0, place / 2)])


@pytest.mark.parametrize("place", [0.5, 0.54, 0.58, 0.62, 0.667, 0.7])
def test_swing_of_sixteenths_is_found(place: float) -> None:
    onset = sixteenths(place)
    found = find_swing(onset, np.ones(len(onset)))
    assert found.sixteenths == pytest.approx(place, abs=1e-9)
    assert found.eighths in (None, pytest.approx(0.5, abs=1e-9))
    even = straighten(onset, found)
    assert np.allclose(even, sixteenths(0.5), atol=1e-9)


@pytest.mark.parametrize("place", [0.5, 0.6, 2 / 3])
def test_swing_of_eighths_is_found(place: float) -> None:
    onset = np.array([b + o for b in range(16) for o in (0.0, place)])
    found = find_swing(onset, np.ones(len(onset)))
    assert found.eighths == pytest.approx(place, abs=1e-9)
    assert np.allclose(straighten(onset, found) % 0.5, 0.0, atol=1e-9)


def test_too_few_off_beats_show_no_swing() -> None:
    onset = sixteenths(0.6, beats=5)
    assert find_swing(onset, np.ones(len(onset))) == Swing(None, None)


@given(st.lists(st.integers(0, 63), min_size=1, max_size=32, unique=True), st.integers(0, 2**32))
def test_played_sixteenths_go_to_their_steps(places: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    meant = np.sort(np.array(places)) / 4
    played = meant + np.clip(rng.normal(0.0, 0.012, len(meant)), -0.03, 0.03)
    assert np.array_equal(steps(played, one_hand(played)), np.rint(meant * STEPS_PER_BEAT))


@pytest.mark.parametrize("division", [3, 6, 8])
def test_triplets_and_thirty_seconds_have_their_own_steps(division: int) -> None:
    meant = np.arange(4 * division) / division
    played = meant + 0.008 * np.sin(np.arange(len(meant)))
    assert np.array_equal(steps(played, one_hand(played)), np.rint(meant * STEPS_PER_BEAT))


def test_two_hands_are_read_apart() -> None:
    straight, triplets = np.arange(16) / 4, np.arange(12) / 3
    both = np.concatenate((straight, triplets))
    hand = np.concatenate((np.zeros(16, np.int64), np.ones(12, np.int64)))
    assert np.array_equal(steps(both, hand), np.rint(both * STEPS_PER_BEAT))


def test_metre_of_common_bars() -> None:
    four = metre(4.0)
    assert len(four) == 96
    assert [four[k] for k in (0, 48, 24, 72, 12, 6, 8)] == [0, -1, -2, -2, -3, -4, -4]
    three = metre(3.0)
    assert [three[k] for k in (0, 24, 48, 12, 36, 6)] == [0, -1, -1, -2, -2, -3]
    assert len(metre(3.5)) == 84
