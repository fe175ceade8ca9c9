from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pybackend.judgment.verdict import Collateral, chance_of_false_keep, score


def test_score_of_nothing_is_a_half() -> None:
    assert score(0.0) == 0.5
    assert score(9e-10) == 0.5
    assert score(-9e-10) == 0.5


def test_score_of_a_composite() -> None:
    assert score(2.0) == 0.75
    assert score(-2.0) == 0.25
    assert score(6.0) == 0.875


@given(st.floats(-1e9, 1e9))
def test_swapped_scores_add_up_to_one_exactly(composite: float) -> None:
    assert score(-composite) == 1.0 - score(composite)
    assert 0.0 <= score(composite) <= 1.0


@given(st.floats(0, 100), st.floats(0.001, 100))
def test_score_rises_with_the_composite(composite: float, more: float) -> None:
    assert score(composite + more) >= score(composite)


def test_chance_of_a_false_keep_among_tries() -> None:
    assert chance_of_false_keep(1, 0.01) == pytest.approx(0.01)
    assert chance_of_false_keep(20, 0.01) == pytest.approx(0.1821, abs=1e-4)


def test_records_hold_finite_numbers_only() -> None:
    with pytest.raises(ValidationError):
        Collateral(
            dimension="width",
            delta=math.nan,
            unit="dB",
            ci_low=0.0,
            ci_high=0.0,
            smallest_effect=1.0,
            text="",
        )
