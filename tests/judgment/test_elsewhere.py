"""Dimensions that come from stems and from listeners, and goals that hold them."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from pybackend.errors import GoalError, InputError
from pybackend.judgment.elsewhere import depth, rated
from pybackend.judgment.evaluate import judge
from pybackend.judgment.goal import compile_goal_vector
from pybackend.judgment.statistics import Change

LIKED = rated("emotion", [50, 55, 45, 60, 52], [78, 80, 70, 85, 79])


def test_paired_ratings_are_a_paired_t_test() -> None:
    assert LIKED.change == pytest.approx(26.0)
    differences = np.array([28.0, 25.0, 25.0, 25.0, 27.0])
    assert LIKED.se == pytest.approx(np.hypot(differences.std(ddof=1) / np.sqrt(5), 1.0))
    assert LIKED.df == 4


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("brightness", [50] * 5, [60] * 5),
        ("emotion", [50] * 3, [60] * 3),
        ("emotion", [50] * 5, [60] * 4),
        ("cohesion", [50] * 5, [101] * 5),
        ("cohesion", [50] * 5, [float("nan")] * 5),
    ],
)
def test_ratings_that_say_nothing_are_refused(name: str, before: list, after: list) -> None:
    with pytest.raises(InputError):
        rated(name, before, after)


def test_depth_is_wet_against_dry(synth: ModuleType) -> None:
    dry = synth.comparison(4)
    wet = synth.comparison(4, moves={"gain_db": 3.0})
    found = depth(dry, wet)
    assert found.change == pytest.approx(3.0, abs=0.05)
    assert found.n_before == 2
    with pytest.raises(InputError, match="same captures"):
        depth(dry, synth.comparison(4, n_bars=16))


def test_a_goal_is_met_by_what_was_measured_elsewhere(synth: ModuleType) -> None:
    goal = compile_goal_vector("touching", {"emotion": 1})
    captures = synth.comparison()
    assert judge(goal, captures).decision == "inconclusive"
    verdict = judge(goal, captures, extra={"emotion": LIKED})
    assert verdict.decision == "keep"
    assert verdict.dimensions["emotion"].delta == pytest.approx(26.0)


def test_a_goal_may_mix_sound_and_ratings(synth: ModuleType) -> None:
    goal = compile_goal_vector("brighter and touching", {"brightness": 1, "emotion": 1})
    captures = synth.comparison(moves={"band_db": synth.shelf(2.0)})
    verdict = judge(goal, captures, extra={"emotion": LIKED})
    assert verdict.decision == "keep"
    assert verdict.goal is not None
    assert verdict.goal.estimate == pytest.approx(0.5 * 2.0 / 0.5 + 0.5 * 2.6, abs=0.1)
    assert verdict.goal.df == 4  # as few as the ratings allow
    worse = Change.exact(60.0, 40.0)
    mixed = judge(goal, captures, extra={"emotion": worse})
    assert (mixed.decision, "mixed" in mixed.tags) == ("inconclusive", True)


def test_what_is_no_dimension_is_refused(synth: ModuleType) -> None:
    goal = compile_goal_vector("x", {"brightness": 1})
    with pytest.raises(GoalError, match="unknown dimension"):
        judge(goal, synth.comparison(), extra={"emotoin": LIKED})
