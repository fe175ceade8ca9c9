from __future__ import annotations

import numpy as np

from pybackend.studio.groove import Groove, high_shelf


def test_a_seed_is_a_performance() -> None:
    groove = Groove(bars=2)
    one = groove.perform(1)
    assert one.shape == (2 * 96000, 2)
    assert np.array_equal(one, groove.perform(1))
    assert not np.array_equal(one, groove.perform(2))
    assert 0.2 < np.abs(one).max() < 0.9


def test_another_performance_is_the_same_music() -> None:
    groove = Groove(bars=4)
    levels = [10 * np.log10(np.mean(groove.perform(seed) ** 2)) for seed in range(4)]
    assert np.ptp(levels) < 0.5


def test_without_humanising_all_performances_are_equal() -> None:
    groove = Groove(bars=1, timing_s=0.0, velocity_db=0.0)
    assert np.array_equal(groove.perform(1), groove.perform(2))


def test_the_shelf_moves_what_lies_above_its_corner_and_nothing_below() -> None:
    rate = 48000
    t = np.arange(rate) / rate
    low, high = (np.sin(2 * np.pi * hz * t)[:, None] for hz in (100.0, 12000.0))
    assert np.allclose(high_shelf(low, rate, corner_hz=3000, gain_db=6), low, atol=1e-5)
    lifted = high_shelf(high, rate, corner_hz=3000, gain_db=6)
    assert abs(20 * np.log10(np.std(lifted) / np.std(high)) - 6) < 0.05
