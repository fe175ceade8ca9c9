"""The rule's arithmetic on layouts small enough to work out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.judgment.statistics import (
    Change,
    bars_to_decide,
    composite,
    estimate,
    outcome,
)
from pybackend.judgment.tquantile import f_quantile, t_quantile

Array = npt.NDArray[np.float64]


def change(**values: float) -> Change:
    """A change of 1 with a standard error of 0.1 and 7 degrees of freedom, unless told."""
    plain = Change(
        before=0.0,
        after=1.0,
        change=1.0,
        se=0.1,
        bar_sd=0.2,
        variance=0.04,
        shift_variance=0.0,
        floor=0.001,
        drifting=False,
        df_per_bar=1,
        n_bars=8,
        n_before=1,
        n_after=1,
    )
    return replace(plain, **values)


def one(x: list[list[float]], n_before: int, floor: float = 0.001) -> Change:
    return estimate(np.array([x]), n_before, np.array([floor]))[0]


def test_without_a_repeat_it_is_the_paired_t_test() -> None:
    # Differences 1, 2, 3, 4: mean 2.5, variance 5/3; se^2 = (5/3) / 4.
    found = one([[5.0, 1.0, 0.0, 2.0], [6.0, 3.0, 3.0, 6.0]], 1)
    assert found.change == pytest.approx(2.5)
    assert found.before == pytest.approx(2.0)
    assert found.after == pytest.approx(4.5)
    assert found.df == 3
    assert found.variance == pytest.approx(5 / 3 / 2)
    assert found.se == pytest.approx(math.sqrt(5 / 12 + 1e-6))
    assert found.bar_sd == pytest.approx(math.sqrt(5 / 3))
    assert found.shift_variance == 0.0
    assert not found.drifting


def test_one_repeat_takes_the_residual_over_all_captures() -> None:
    # Bar effects cancel. Residuals of [1,-1,0,0], [-1,1,0,0], [0,0,0,0] are the values themselves:
    # sum of squares 4, df = 2 * 3.
    bars = np.array([3.0, -7.0, 5.0, 11.0])
    noise = np.array([[1.0, -1.0, 0.0, 0.0], [-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    x = bars + noise + np.array([[0.0], [0.0], [2.0]])
    found = one(x.tolist(), 2)
    assert found.df == 6
    assert found.variance == pytest.approx(4 / 6)
    assert found.change == pytest.approx(2.0)
    # The repeats have the same mean, so there is no shift: se^2 = (1/2 + 1) (4/6) / 4.
    assert found.shift_variance == 0.0
    assert found.se == pytest.approx(math.sqrt(1.5 * (4 / 6) / 4 + 1e-6))


def test_repeats_on_both_sides_pool_within_the_sides() -> None:
    # The effect differs from bar to bar (1, 3, 1, 3): no noise. Noise is +-0.5 within sides.
    effect = np.array([1.0, 3.0, 1.0, 3.0])
    noise = 0.5 * np.array([1.0, -1.0, 1.0, -1.0])
    x = np.array([noise, -noise, effect + noise, effect - noise])
    found = one(x.tolist(), 2)
    assert found.df == 2 * 3
    assert found.variance == pytest.approx(16 * 0.25 / 6)
    assert found.change == pytest.approx(2.0)
    assert found.bar_sd == pytest.approx(effect.std(ddof=1))


def test_difference_between_repeats_is_shift() -> None:
    # r = 0.2 between the repeats; 2 s^2 / n = 2 * 0.02 / 8: shift^2 = (0.04 - 0.005) / 2.
    noise = np.array([1.0, -1.0] * 4) * math.sqrt(0.035)
    x = np.array([noise, -noise + 0.2, np.zeros(8)])
    found = one(x.tolist(), 2)
    s2 = 2 * 8 * 0.035 / 14
    assert found.variance == pytest.approx(s2)
    assert found.shift_variance == pytest.approx((0.2**2 - 2 * s2 / 8) / 2)
    assert found.se == pytest.approx(
        math.sqrt(1.5 * (s2 / 8 + found.shift_variance) + 1e-6), rel=1e-9
    )
    # (0.2^2 / 2) / (s2 / 8) = 4: more than noise, but not significantly more at 1 %.
    assert f_quantile(0.99, 1, 14) > 4.0
    assert not found.drifting
    assert found.df == 14


def test_significant_drift_is_reported_if_it_is_larger_than_the_floor() -> None:
    noise = np.array([1.0, -1.0] * 4) * 0.05
    x = np.array([noise, 0.6 - noise, noise + 1.0]).tolist()
    assert one(x, 2).drifting
    assert one(x, 2).shift_variance == pytest.approx(0.18, rel=0.01)
    assert not one(x, 2, floor=0.6).drifting


def test_deterministic_replay_has_the_floor_as_its_error() -> None:
    found = one([[1.0, 2.0, 3.0, 4.0]] * 3, 2, floor=0.03)
    assert found.change == 0.0
    assert found.se == pytest.approx(0.03)
    assert not found.drifting


@given(
    st.lists(st.floats(-30, 30), min_size=24, max_size=24),
    st.integers(1, 2),
)
def test_swapping_the_sides_negates_the_change_to_the_last_bit(
    values: list[float], n_before: int
) -> None:
    x = np.array(values).reshape(1, 3, 8)
    swapped = np.concatenate((x[:, n_before:], x[:, :n_before]), axis=1)
    floor = np.array([0.03])
    there = estimate(x, n_before, floor)[0]
    back = estimate(swapped, 3 - n_before, floor)[0]
    assert back.change == -there.change
    assert back.se == pytest.approx(there.se, rel=1e-9)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(0.0, 0.4, (4000, 3, 8)) + rng.normal(0.0, 3.0, (4000, 1, 8))
    x[:, 2] += 0.7
    rows = estimate(x, 2, np.full(4000, 1e-6))
    covered = np.mean([abs(row.change - 0.7) <= row.half_width for row in rows])
    # 90 % from the residual alone, somewhat more with the shift term.
    assert 0.895 < covered < 0.95


def test_outcome_has_three_answers_and_none() -> None:
    reach = t_quantile(0.99, 7)
    assert outcome(change(change=0.5, se=0.49 / reach), 0.5, 0.01) == "up"
    assert outcome(change(change=-0.5, se=0.49 / reach), 0.5, 0.01) == "down"
    assert outcome(change(change=0.49, se=0.001), 0.5, 0.01) == "same"
    assert outcome(change(change=0.6, se=0.61 / reach), 0.5, 0.01) == "inconclusive"
    assert outcome(change(change=0.0, se=0.49 / t_quantile(0.95, 7)), 0.5, 0.01) == "same"
    assert outcome(change(change=0.0, se=0.51 / t_quantile(0.95, 7)), 0.5, 0.01) == "inconclusive"
    # A smaller alpha asks for more.
    assert outcome(change(change=0.5, se=0.49 / reach), 0.5, 0.005) == "inconclusive"


def test_p_value_is_one_sided_and_a_half_for_nothing() -> None:
    assert change(change=0.0).p_not_up == 0.5
    assert change(change=1e-12).p_not_up == 0.5
    assert change(change=0.2998, se=0.1).p_not_up == pytest.approx(0.01, rel=1e-3)
    assert change(change=-0.2998, se=0.1).p_not_up == pytest.approx(0.99, rel=1e-3)


def test_bars_to_decide_solves_for_the_number_of_bars() -> None:
    # se^2 = 2 * 0.5 / n + tiny; a change of 0.5 is clear when t(.99, n-1) / sqrt(n) < 0.5.
    noisy = change(change=0.5, variance=0.5, se=math.sqrt(2 * 0.5 / 8))

    def clear(se: float, df: float) -> bool:
        return noisy.change > t_quantile(0.99, df) * se

    needed = bars_to_decide(noisy, clear)
    assert needed is not None
    expected = next(n for n in range(9, 65) if t_quantile(0.99, n - 1) / math.sqrt(n) < 0.5 - 1e-6)
    assert needed == expected
    # The rule of thumb n (half-width / smallest effect)^2 lies close by.
    thumb = 8 * (t_quantile(0.99, 7) * noisy.se / 0.5) ** 2
    assert needed == pytest.approx(thumb, rel=0.35)


def test_no_number_of_bars_beats_drift_or_the_floor() -> None:
    def clear(se: float, df: float) -> bool:
        return t_quantile(0.99, df) * se < 0.5

    assert bars_to_decide(change(change=0.5, drifting=True), clear) is None
    assert bars_to_decide(change(change=0.5, variance=0.5, floor=0.3), clear) is None
    assert bars_to_decide(change(change=0.5, variance=0.5, shift_variance=0.2), clear) is None


def test_composite_weighs_in_smallest_effects() -> None:
    x = np.array([[[1.0, 2.0]], [[4.0, 8.0]]])
    np.testing.assert_allclose(composite(x, np.array([0.5 / 0.5, -0.5 / 2.0])), [[[0.0, 0.0]]])
