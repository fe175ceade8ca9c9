"""Punch, fill and motion, on frames made by hand."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from pybackend.capture.aligned import Incomparable
from pybackend.judgment.dimensions import FRAME_INDEX
from pybackend.judgment.features import BarFeatures, bar_features
from pybackend.judgment.jackknife import jackknife_departure

Array = np.ndarray
FRAMES = 40


def features(synth: ModuleType, before: Array, after: Array) -> BarFeatures:
    """Features of band powers per frame, before and after."""
    side = np.full(9, 0.2)
    frames = [synth.frames_of(bands, side) for bands in (before, after)]
    found = bar_features(synth.aligned([frames[0]], [frames[1]]))
    assert not isinstance(found, Incomparable)
    return found


def values(found: BarFeatures, name: str) -> list[float]:
    assert not found.reasons[FRAME_INDEX[name]]
    return [float(value) for value in found.x[FRAME_INDEX[name]].mean(axis=1)]


def pulses(n_bars: int, height: float, sustain: float = 0.01) -> Array:
    """Every band sounds on, and rises for one frame in eight."""
    course = np.full(n_bars * FRAMES, sustain)
    course[4::8] += height
    return np.repeat(course[:, None], 9, axis=1)


def test_punch_is_the_share_of_the_energy_that_arrives_as_a_rise(synth: ModuleType) -> None:
    before, after = values(features(synth, pulses(8, 0.02), pulses(8, 0.2)), "punch")
    # A pulse of one frame lies in two pairs of frames and rises in the first of them.
    assert before == pytest.approx(10 * np.log10(0.01 / 8 / (0.01 + 0.02 / 8)), abs=0.05)
    assert after == pytest.approx(10 * np.log10(0.1 / 8 / (0.01 + 0.2 / 8)), abs=0.05)


def test_a_transient_spread_over_two_frames_is_the_same_punch(synth: ModuleType) -> None:
    sharp = pulses(8, 0.1)
    spread = 0.5 * (sharp + np.roll(sharp, 1, axis=0))
    before, after = values(features(synth, sharp, spread), "punch")
    assert after == pytest.approx(before, abs=0.01)


def test_an_equaliser_moves_neither_punch_nor_fill(synth: ModuleType) -> None:
    music = pulses(8, 0.1) * np.linspace(1.0, 0.1, 9)
    found = features(synth, music, music * 10 ** (np.array(synth.shelf(6.0, -6.0)) / 10))
    for name in ("punch", "fill"):
        before, after = values(found, name)
        assert after == pytest.approx(before, abs=1e-6)


def test_sound_without_gaps_is_full_and_gaps_are_counted(synth: ModuleType) -> None:
    steady = np.full((8 * FRAMES, 9), 0.05)
    gated = steady.copy()
    gated[np.arange(len(gated)) % 20 >= 10] = 1e-9
    before, after = values(features(synth, steady, gated), "fill")
    assert before == pytest.approx(0.0, abs=1e-9)
    # Of 20 pairs of frames 9 are full, 3 dB above the mean, 2 half full and 9 30 dB below it.
    assert after == pytest.approx((9 * 3.0 + 2 * 0.0 - 9 * 30.0) / 20.0, abs=0.1)


def test_steady_sound_has_no_rises(synth: ModuleType) -> None:
    steady = np.full((8 * FRAMES, 9), 0.05)
    assert values(features(synth, steady, steady), "punch") == pytest.approx([-20.0, -20.0])


def test_what_repeats_in_every_bar_is_no_motion_and_a_free_sweep_is(synth: ModuleType) -> None:
    loop = pulses(16, 0.1)
    turn = np.sin(2 * np.pi * np.arange(len(loop)) / 133.0)
    swept = loop.copy()
    swept[:, 6:] *= 10 ** (3.0 * turn[:, None] / 10)
    before, after = values(features(synth, loop, swept), "motion")
    assert before == pytest.approx(0.0, abs=1e-9)
    # One region of four moves by 3 sin, against the mean of the four.
    moved = 3.0 / np.sqrt(2.0) * np.sqrt((0.75**2 + 3 * 0.25**2) / 4.0)
    assert after == pytest.approx(moved, rel=0.15)


def test_motion_needs_sixteen_bars(synth: ModuleType) -> None:
    found = features(synth, pulses(15, 0.1), pulses(15, 0.1))
    assert found.reasons[FRAME_INDEX["motion"]] == "15 bars, motion needs 16"


def test_two_bands_are_too_few_for_courses(synth: ModuleType) -> None:
    music = pulses(16, 0.1)
    music[:, 2:] = 0.0
    found = features(synth, music, music)
    for name in ("punch", "fill", "motion"):
        assert "fewer than 3 bands" in found.reasons[FRAME_INDEX[name]]


def test_departure_equals_leaving_bars_out_one_by_one() -> None:
    levels = np.random.default_rng(4).normal(0.0, 1.0, (2, 6, 5))

    def departure(of: Array) -> Array:
        return np.sqrt(of.var(axis=1, ddof=1).mean(axis=1))

    found = jackknife_departure(levels)
    for bar in range(6):
        without = np.delete(levels, bar, axis=1)
        wanted = 6 * departure(levels) - 5 * departure(without)
        np.testing.assert_allclose(found[:, bar], wanted)
