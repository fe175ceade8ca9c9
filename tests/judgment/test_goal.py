from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.errors import GoalError
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.goal import GoalVector, compile_goal_vector, goal_from

NAMES = sorted(DIMENSIONS)
WEIGHTS = st.dictionaries(
    st.sampled_from(NAMES),
    st.floats(-1e6, 1e6).filter(lambda w: abs(w) > 1e-3),
    min_size=1,
    max_size=8,
)


def test_weights_are_signed_and_normalised() -> None:
    goal = compile_goal_vector("less harsh", {"brightness": -3, "weight": 1})
    assert goal["targets"] == {"brightness": -0.75, "weight": 0.25}
    assert goal["mode"] == "improve"
    assert goal["aggression"] == 0.5


@given(WEIGHTS)
def test_what_was_compiled_is_accepted_verbatim(weights: dict[str, float]) -> None:
    compiled = compile_goal_vector("x", weights, {"width": 0.4}, "finish", 0.9)
    assert sum(abs(weight) for weight in compiled["targets"].values()) == pytest.approx(1.0)
    assert goal_from(compiled).model_dump(mode="json") == compiled
    assert goal_from(json.dumps(compiled)).model_dump(mode="json") == compiled
    assert goal_from(goal_from(compiled)) == goal_from(compiled)


def test_options_survive_the_round_trip() -> None:
    compiled = compile_goal_vector(
        "x",
        {"brightness": {"weight": 1.0, "amount": 3.0}, "groove": {"weight": 1, "optional": True}},
        {"weight": {"floor": 0.25, "margin": 2.0}, "width": None},
    )
    assert compiled["optional"] == ["groove"]
    assert compiled["amounts"] == {"brightness": 3.0}
    assert compiled["protect"] == {"weight": 0.25, "width": None}
    assert compiled["margins"] == {"weight": 2.0}
    assert goal_from(compiled).model_dump(mode="json") == compiled


def test_json_text_is_accepted_for_targets_and_protect() -> None:
    compiled = compile_goal_vector("x", '{"brightness": 2}', '["weight", "width"]')
    assert compiled["targets"] == {"brightness": 1.0}
    assert compiled["protect"] == {"weight": None, "width": None}


def test_measurable_and_unmeasurable_dimensions_are_told_apart() -> None:
    compiled = compile_goal_vector("x", {"brightness": 1, "groove": 1}, {"clarity": 0.7})
    assert compiled["measurable_dimensions"] == ["brightness"]
    assert set(compiled["unmeasurable_dimensions"]) == {"groove", "clarity"}
    assert "notes" in compiled["unmeasurable_dimensions"]["groove"]


def test_a_weight_of_zero_is_no_target() -> None:
    compiled = compile_goal_vector("x", {"brightness": 1, "weight": 0.0})
    assert compiled["targets"] == {"brightness": 1.0}


def test_numbers_of_numpy_are_numbers() -> None:
    compiled = compile_goal_vector("x", {"brightness": np.float32(2.0)}, {"width": np.float64(0.5)})
    assert compiled["targets"] == {"brightness": 1.0}


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ({}, "at least one weight"),
        ({"brightness": 0}, "at least one weight"),
        ({"brightness": math.nan}, "finite"),
        ({"brightness": math.inf}, "finite"),
        ({"brightness": 10**400}, "finite"),
        ({"brightness": "1"}, "must be a number"),
        ({"brightness": True}, "must be a number"),
        ({"brightness": None}, "must be a number"),
        ({"brightness": 1e300, "weight": 1e-300}, "differ too much"),
        ({"brightnes": 1}, "did you mean 'brightness'"),
        ({"brightness": {"weigth": 1}}, "unknown key 'weigth'"),
        ({"brightness": {"weight": 1, "optional": "yes"}}, "true or false"),
        ({"brightness": {"weight": 1, "amount": 0}}, "above 0"),
        ({"brightness": {"weight": 1, "amount": -1}}, "above 0"),
        ([("brightness", 1)], "must be a mapping"),
        ({1: 1.0}, "must be a mapping"),
        ("{", "is no JSON"),
        ("[" * 50_000, "is no JSON"),
        ("[1]", "must be a mapping"),
        ("x" * 200_000, "longer than"),
        (None, "must be a mapping"),
    ],
)
def test_bad_targets_are_refused_in_one_line(targets: object, message: str) -> None:
    with pytest.raises(GoalError, match=message) as caught:
        compile_goal_vector("x", targets)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("protect", "message"),
    [
        ({"width": 1.2}, "0 to 1"),
        ({"width": -0.1}, "0 to 1"),
        ({"width": math.nan}, "finite"),
        ({"widht": 0.5}, "did you mean 'width'"),
        ({"width": {"margin": 0.0}}, "above 0"),
        ({"width": {"flor": 0.1}}, "unknown key"),
        ([1], "list of dimension names"),
        (5, "must be a mapping"),
    ],
)
def test_bad_protects_are_refused(protect: object, message: str) -> None:
    with pytest.raises(GoalError, match=message):
        compile_goal_vector("x", {"brightness": 1}, protect)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mode": "improv"}, "did you mean 'improve'"),
        ({"mode": None}, "unknown mode"),
        ({"aggression": 1.5}, "0 to 1"),
        ({"aggression": math.nan}, "finite"),
        ({"request_text": None}, "must be text"),
        ({"request_text": "x" * 5000}, "must be text"),
    ],
)
def test_bad_mode_aggression_and_text_are_refused(changes: dict[str, object], message: str) -> None:
    arguments = {"request_text": "x", "targets": {"brightness": 1}, **changes}
    with pytest.raises(GoalError, match=message):
        compile_goal_vector(**arguments)  # type: ignore[arg-type]


def test_unknown_fields_of_a_goal_vector_are_refused() -> None:
    with pytest.raises(GoalError, match="did you mean 'targets'"):
        goal_from({"target": {"brightness": 1}})
    with pytest.raises(GoalError, match="no targets"):
        goal_from({"mode": "improve"})
    with pytest.raises(GoalError, match="list of dimension names"):
        goal_from({"targets": {"brightness": 1}, "optional": 3})
    with pytest.raises(GoalError, match="target groove"):
        goal_from({"targets": {"brightness": 1}, "optional": ["groove"]})


def test_a_hand_written_mapping_is_normalised() -> None:
    goal = goal_from({"targets": {"brightness": 2, "weight": -2}})
    assert goal.targets == {"brightness": 0.5, "weight": -0.5}
    assert isinstance(goal, GoalVector)


def test_margin_follows_aggression_and_mode_unless_the_goal_states_it() -> None:
    def margin(**options: object) -> float:
        return goal_from(
            compile_goal_vector("x", {"brightness": 1}, {"weight": None}, **options)
        ).margin("weight")

    assert margin() == pytest.approx(1.5)
    assert margin(aggression=0.0) == pytest.approx(0.75)
    assert margin(aggression=1.0) == pytest.approx(2.25)
    assert margin(mode="finish") == pytest.approx(0.75)
    stated = {
        "targets": {"brightness": 1},
        "protect": {"weight": {"margin": 4.0}},
        "mode": "finish",
    }
    assert goal_from(stated).margin("weight") == 4.0


def test_amount_is_two_smallest_effects_unless_the_goal_states_it() -> None:
    goal = goal_from({"targets": {"brightness": 1, "weight": 1}, "amounts": {"weight": 3.0}})
    assert goal.amount("brightness") == 2.0
    assert goal.amount("weight") == pytest.approx(4.0)


def test_who_asks_is_kept_and_a_director_asks_for_something_artistic() -> None:
    made = compile_goal_vector("x", {"brightness": 1}, invoked_by="mix engineer")
    assert goal_from(made).invoked_by == "mix engineer"
    assert compile_goal_vector("x", {"brightness": 1})["invoked_by"] is None
    director = "livepilot-creative-director"
    assert compile_goal_vector("x", {"style_fit": 1}, invoked_by=director)["targets"]
    with pytest.raises(GoalError, match="needs an artistic target; add one of style_fit"):
        compile_goal_vector("x", {"brightness": 1}, ["style_fit"], invoked_by=director)
    with pytest.raises(GoalError, match="invoked_by must be text"):
        compile_goal_vector("x", {"brightness": 1}, invoked_by=7)
