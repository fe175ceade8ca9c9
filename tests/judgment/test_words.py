"""Explanations, word for word where it matters."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.evaluate import judge
from pybackend.judgment.goal import compile_goal_vector
from pybackend.judgment.words import moved, number, sentence


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.84, "1.8"),
        (-1.25, "-1.2"),
        (0.123, "0.12"),
        (-0.001, "0.00"),
        (12.0, "12.0"),
        (0.0, "0.00"),
    ],
)
def test_numbers_are_rounded_sensibly(value: float, text: str) -> None:
    assert number(value) == text


def test_movement_has_a_direction_and_an_interval_seen_from_it() -> None:
    brightness, energy = DIMENSIONS["brightness"], DIMENSIONS["energy"]
    assert moved(brightness, 1.8, 0.3) == "brighter by 1.8 dB (1.5 to 2.1)"
    assert moved(brightness, -1.8, 0.3) == "darker by 1.8 dB (1.5 to 2.1)"
    assert moved(brightness, 0.8, 0.3) == "brighter by 0.80 dB (0.50 to 1.10)"
    assert moved(energy, -3.0) == "quieter by 3.0 LU"
    assert moved(energy, 0.001) == "loudness unchanged"


def test_sentences_start_with_a_capital_and_end_once() -> None:
    assert sentence(" keep. ") == "Keep."
    assert sentence("") == ""


def test_an_improvement_reads_like_one(synth: ModuleType) -> None:
    goal = compile_goal_vector("x", {"brightness": 1}, {"weight": None, "width": None})
    rng, piece = np.random.default_rng(0), synth.programme(0)
    plain = synth.capture(piece, rng, jitter_ms=0)
    after = synth.capture(piece, rng, band_db=synth.shelf(2.0), jitter_ms=0)
    text = judge(goal, synth.aligned([plain, plain], [after])).explanation
    assert text.startswith(
        "Brighter by 2.0 dB (1.9 to 2.1) at matched loudness. Protected: low end unchanged; "
        "width unchanged. "
    )
    assert text.endswith(" Keep.")


def test_worse_says_against_the_goal_and_undo_says_why(synth: ModuleType) -> None:
    goal = compile_goal_vector("x", {"brightness": 1})
    text = judge(goal, synth.comparison(moves={"band_db": synth.shelf(-2.0)})).explanation
    assert "at matched loudness, against the goal." in text
    assert "Undo: the goal got worse." in text


def test_a_violated_protect_shows_what_was_lost_and_allowed(synth: ModuleType) -> None:
    goal = compile_goal_vector("x", {"brightness": 1}, {"weight": None})
    text = judge(goal, synth.comparison(moves={"band_db": synth.shelf(2.0, -4.0)})).explanation
    assert "Protected: lighter in the low end by 4.0 dB" in text
    assert "1.5 dB allowed, it lost more than its margin." in text
    assert "Undo: low end is protected and it lost more than its margin." in text
    assert "hardly counts bass" in text
    # What is protected is told once, and its bands with it.
    assert "less sub" not in text


def test_read_only_says_what_it_would_be(synth: ModuleType) -> None:
    goal = compile_goal_vector("x", {"brightness": 1}, mode="diagnose")
    text = judge(goal, synth.comparison(moves={"band_db": synth.shelf(2.0)})).explanation
    assert "Diagnose mode is read-only; improve mode would keep it: the goal got better." in text


def test_explore_says_why_it_kept(synth: ModuleType) -> None:
    goal = compile_goal_vector("x", {"brightness": 1}, mode="explore")
    kept = [
        verdict
        for seed in range(40)
        if (verdict := judge(goal, synth.comparison(seed, noise="H.5", n_bars=4))).keep_change
    ]
    assert kept
    for verdict in kept:
        assert verdict.decision == "inconclusive" or "Keep." in verdict.explanation
        if verdict.decision == "inconclusive":
            assert "Kept, as explore mode allows." in verdict.explanation
