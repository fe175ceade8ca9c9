"""Non-inferiority of protected dimensions, on changes made by hand."""

from __future__ import annotations

import pytest

from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.goal import GoalVector, compile_goal_vector, goal_from
from pybackend.judgment.protect import Protected, check_protects
from pybackend.judgment.statistics import Change
from pybackend.judgment.tquantile import t_quantile

T95 = t_quantile(0.95, 7)


def change(before: float, delta: float, half_width: float, variance: float = 0.0) -> Change:
    return Change(
        before=before,
        after=before + delta,
        change=delta,
        se=half_width / T95,
        bar_sd=0.1,
        variance=variance,
        shift_variance=0.0,
        floor=0.001,
        drifting=False,
        df_per_bar=1,
        n_bars=8,
        n_before=1,
        n_after=1,
    )


def goal(protect: object) -> GoalVector:
    return goal_from(compile_goal_vector("x", {"brightness": 1}, protect))  # type: ignore[arg-type]


def check(protect: dict[str, object], found: Change) -> Protected:
    (name,) = protect
    (result,) = check_protects(goal(protect), {name: found}, {})
    return result


@pytest.mark.parametrize(
    ("delta", "half_width", "status"),
    [
        (0.0, 0.1, "safe"),
        (3.0, 5.0, "unproven"),  # a gain that is not known well enough
        (-1.4, 0.09, "safe"),  # weight may lose 1.5 dB
        (-1.4, 0.11, "unproven"),
        (-1.6, 0.11, "unproven"),
        (-1.6, 0.09, "violated"),
        (-3.0, 1.0, "violated"),
    ],
)
def test_margin(delta: float, half_width: float, status: str) -> None:
    assert check({"weight": None}, change(0.0, delta, half_width)).status == status


def test_floor_is_translated_to_native_units() -> None:
    found = check({"weight": 0.5}, change(1.0, -1.2, 0.1))
    assert found.floor_native == pytest.approx(DIMENSIONS["weight"].midpoint)
    assert found.status == "violated"  # from 1.0 to -0.2, although 1.5 dB may be lost
    assert "below its floor" in found.reason
    assert found.loss == pytest.approx(1.2)


def test_floor_that_may_have_been_crossed_is_unproven() -> None:
    assert check({"weight": 0.5}, change(1.0, -1.05, 0.1)).status == "unproven"
    assert check({"weight": 0.5}, change(1.0, -0.95, 0.1)).status == "safe"


def test_already_below_the_floor_is_said_and_only_the_margin_counts() -> None:
    found = check({"weight": 0.5}, change(-1.0, -0.5, 0.1))
    assert found.already_below
    assert found.status == "safe"
    assert check({"weight": 0.5}, change(-1.0, -2.0, 0.1)).status == "violated"
    assert not check({"weight": 0.5}, change(0.1, 0.0, 0.05)).already_below


def test_ends_of_the_scale_are_no_floor_and_always_below() -> None:
    bottom = check({"weight": 0.0}, change(-30.0, -1.0, 0.1))
    assert (bottom.status, bottom.already_below, bottom.floor_native) == ("safe", False, None)
    top = check({"weight": 1.0}, change(30.0, 0.0, 0.1))
    assert (top.status, top.already_below, top.floor_native) == ("safe", True, None)


def test_balance_is_protected_towards_the_centre() -> None:
    assert check({"balance": None}, change(2.0, -1.9, 0.1)).status == "safe"
    assert check({"balance": None}, change(0.5, 1.5, 0.1)).status == "violated"
    assert check({"balance": None}, change(-0.5, -1.5, 0.1)).status == "violated"
    through = check({"balance": None}, change(0.5, -1.0, 0.1))
    assert through.status == "safe"
    assert through.loss == pytest.approx(0.0)
    assert check({"balance": 0.5}, change(2.5, 0.8, 0.1)).status == "violated"  # 0.5 is at 3 dB


def test_stated_margin_replaces_the_default() -> None:
    assert check({"weight": {"margin": 4.0}}, change(0.0, -3.0, 0.1)).status == "safe"


def test_unmeasured_is_unproven_with_the_reason() -> None:
    (found,) = check_protects(goal({"clarity": 0.7}), {}, {"clarity": "needs stems"})
    assert (found.status, found.reason, found.loss) == ("unproven", "needs stems", None)


def test_bars_that_would_settle_it() -> None:
    noisy = change(0.0, -1.0, 1.0, variance=1.0)
    found = check({"weight": None}, noisy)
    assert found.status == "unproven"
    assert found.bars_needed is not None
    assert 9 <= found.bars_needed <= 40
    assert check({"weight": None}, change(0.0, -1.5, 0.1, variance=0.01)).bars_needed is None
