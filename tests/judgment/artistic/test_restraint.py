from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pybackend.judgment.artistic.restraint import BUDGETS, COSTS, Inventory, budget, restraint

NOTHING = Inventory(
    tracks=0,
    devices=0,
    automation_lanes=0,
    clips=0,
    parameters=0,
    density_doublings=0.0,
    level_lu=0.0,
)


def with_(**fields: float) -> Inventory:
    return NOTHING.model_copy(update=fields)


def test_doing_nothing_is_wholly_restrained() -> None:
    found = restraint(NOTHING, {}, "improve", 0.5)
    assert (found.state, found.value, found.coverage) == ("measured", 1.0, 1.0)
    assert found.factors == {"protects": 1.0, "additions": 1.0}
    assert (found.before, found.delta) == (None, None)


def test_additions_cost_and_subtractions_earn() -> None:
    one = restraint(with_(devices=1), {}, "improve", 0.5)
    assert one.value == pytest.approx(0.5)
    assert "devices: +1" in one.evidence
    paid = restraint(with_(devices=1, tracks=-1), {}, "improve", 0.5)
    assert paid.value == 1.0
    assert restraint(with_(tracks=1), {}, "improve", 0.5).value == 0.0


@given(st.floats(-0.5, 0.5))
def test_half_a_lu_of_level_costs_nothing(level: float) -> None:
    assert restraint(with_(level_lu=level), {}, "improve", 0.5).value == 1.0


def test_louder_and_quieter_cost_the_same() -> None:
    louder, quieter = (
        restraint(with_(level_lu=level), {}, "improve", 0.5).value for level in (1.5, -1.5)
    )
    assert louder == quieter == pytest.approx(0.5)


def test_a_larger_budget_allows_more() -> None:
    values = [
        restraint(with_(devices=1), {}, mode, novelty).value
        for mode in ("finish", "improve", "explore")
        for novelty in (0.0, 0.5, 1.0)
    ]
    thirds = [pytest.approx(k / 3) for k in (1, 2)]
    assert values == [0.0, 0.0, thirds[0], 0.0, 0.5, thirds[1], 0.5, 0.75, pytest.approx(5 / 6)]
    assert set(BUDGETS) == {"observe", "diagnose", "finish", "improve", "explore"}
    assert budget("improve", 0.5) == 2.0


def test_a_violated_protect_is_no_restraint_and_an_unproven_one_is_open() -> None:
    broken = restraint(NOTHING, {"weight": "violated", "width": "unproven"}, "improve", 0.5)
    assert (broken.state, broken.value) == ("measured", 0.0)
    open_ = restraint(with_(devices=1), {"width": "unproven"}, "improve", 0.5)
    assert (open_.state, open_.value_low, open_.value_high) == ("inconclusive", 0.0, 0.5)
    assert open_.reason == "unproven: width"
    safe = restraint(NOTHING, {"width": "safe"}, "improve", 0.5)
    assert (safe.state, safe.value) == ("measured", 1.0)


def test_what_nobody_counted_is_not_zero() -> None:
    assert restraint(None, {}, "improve", 0.5).state == "unavailable"
    partly = restraint(Inventory(devices=0, tracks=0), {}, "improve", 0.5)
    assert (partly.state, partly.value) == ("unavailable", None)
    assert "automation_lanes" in partly.reason
    assert partly.coverage == pytest.approx(2 / len(COSTS))


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValidationError):
        Inventory(parameters=-1)
    with pytest.raises(ValidationError):
        Inventory(level_lu=float("nan"))
