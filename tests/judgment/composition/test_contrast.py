from __future__ import annotations

import numpy as np
import pytest

from pybackend.judgment.composition.contrast import SectionBars, contrast, d_prime

FLOORS = np.array([0.5, 0.5])


def section(name: str, mean: float, bars: int = 8, seed: int = 0, spread: float = 1.0):
    rng = np.random.default_rng(seed)
    return SectionBars(name, mean + spread * rng.standard_normal((2, bars)))


def test_contrast_grows_with_distance_and_is_symmetric() -> None:
    values = [
        contrast([section("A", 0.0, seed=1), section("B", shift, seed=2)], FLOORS).value
        for shift in (0.5, 1.0, 2.0, 4.0)
    ]
    assert values == sorted(values)
    one, two = section("A", 0.0, seed=1), section("B", 2.0, seed=2)
    assert contrast([one, two], FLOORS).value == contrast([two, one], FLOORS).value


def test_sections_of_the_same_material_have_little() -> None:
    """Without the correction for few bars the mean d' of equal material would be 0.5."""
    found = [
        d_prime(
            np.random.default_rng(seed).standard_normal((2, 8)),
            np.random.default_rng(seed + 10_000).standard_normal((2, 8)),
            FLOORS,
        )
        for seed in range(300)
    ]
    assert np.mean(np.square(found)) < 0.16
    assert np.median(found) < 0.25


def test_exact_loops_differ_in_floors() -> None:
    one, two = np.zeros((2, 4)), np.full((2, 4), 1.0)
    assert d_prime(one, two, FLOORS) == pytest.approx(2.0)
    assert d_prime(one, one, FLOORS) == 0.0


def test_only_neighbours_of_four_bars_count() -> None:
    a, b = section("A", 0.0), section("B", 3.0, bars=3)
    found = contrast([a, b, section("C", 3.0)], FLOORS)
    assert found.value is None
    assert "4 bars" in found.reason
    assert contrast([a], FLOORS).value is None
    both = contrast([a, section("B", 3.0), section("C", 3.1, seed=9)], FLOORS)
    assert len(both.pairs) == 2
    assert both.pairs[0].startswith("A to B: d' ")


def test_what_is_unknown_is_left_out() -> None:
    one, two = np.zeros((2, 4)), np.ones((2, 4))
    one[0], two[0, :3] = np.nan, np.nan
    assert d_prime(one, two, FLOORS) == pytest.approx(2.0)
    one[1] = np.nan
    assert d_prime(one, two, FLOORS) is None
