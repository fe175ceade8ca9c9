"""The decision table, on changes made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.judgment.decide import Case, Decision, TruePeak, decide
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.goal import MODES, compile_goal_vector, goal_from
from pybackend.judgment.statistics import Change
from pybackend.judgment.weigh import shares

MISSING = {name: entry.unavailable for name, entry in DIMENSIONS.items() if entry.unavailable}
QUIET = TruePeak(before_dbtp=-6.0, after_dbtp=-6.0)


def change(delta: float, se: float = 0.05, before: float = 0.0) -> Change:
    return Change(
        before=before,
        after=before + delta,
        change=delta,
        se=se,
        bar_sd=0.1,
        variance=8 * se**2 / 1.5,
        shift_variance=0.0,
        floor=0.0,
        drifting=False,
        df_per_bar=2,
        n_bars=8,
        n_before=2,
        n_after=1,
    )


def decided(
    targets: dict[str, Any],
    deltas: dict[str, float | tuple[float, float]],
    peak: TruePeak = QUIET,
    **options: Any,
) -> Decision:
    """Decide about changes given as delta or (delta, standard error)."""
    goal = goal_from(compile_goal_vector("x", targets, **options))
    pairs = {
        name: each if isinstance(each, tuple) else (each, 0.05) for name, each in deltas.items()
    }
    changes = {name: change(*pair) for name, pair in pairs.items()}
    weights = shares(goal, changes)
    scale = {name: weight / DIMENSIONS[name].smallest_effect for name, weight in weights.items()}
    composite = None
    if weights:
        total = sum(factor * changes[name].change for name, factor in scale.items())
        error = sum((factor * changes[name].se) ** 2 for name, factor in scale.items()) ** 0.5
        composite = change(total, error)
    missing = {
        **MISSING,
        **{name: "not in this test" for name in goal.targets if name not in changes},
    }
    missing |= {name: "not in this test" for name in goal.protect if name not in changes}
    return decide(Case(goal, changes, composite, missing, peak))


def codes(decision: Decision) -> set[str]:
    return {code for code, _ in decision.reasons}


def test_goal_up_and_nothing_in_the_way_is_kept() -> None:
    found = decided({"brightness": 1}, {"brightness": 1.5})
    assert (found.call, found.keep_change, found.goal_outcome) == ("keep", True, "up")
    assert found.answers == {"brightness": "improved"}


def test_goal_down_is_undone() -> None:
    found = decided({"brightness": 1}, {"brightness": -1.5})
    assert (found.call, found.keep_change, found.goal_outcome) == ("undo", False, "down")
    assert codes(found) == {"goal_worse"}


def test_a_negative_weight_turns_the_direction_around() -> None:
    assert decided({"brightness": -1}, {"brightness": 1.5}).answers["brightness"] == "worse"
    # The composite carries the sign.
    assert decided({"brightness": -1}, {"brightness": -1.5}).call == "keep"
    assert decided({"brightness": -1}, {"brightness": 1.5}).call == "undo"


def test_shown_to_be_the_same_is_undone() -> None:
    found = decided({"brightness": 1}, {"brightness": 0.02})
    assert (found.call, found.goal_outcome) == ("undo", "same")
    assert codes(found) == {"no_change_shown"}


def test_not_significant_is_never_undone() -> None:
    found = decided({"brightness": 1}, {"brightness": (0.3, 0.4)})
    assert (found.call, found.keep_change, found.goal_outcome) == (
        "inconclusive",
        False,
        "inconclusive",
    )
    assert found.bars_needed is None or found.bars_needed > 8


def test_significant_but_smaller_than_what_counts_is_not_kept() -> None:
    assert decided({"brightness": 1}, {"brightness": (0.45, 0.01)}).call == "undo"
    assert decided({"brightness": 1}, {"brightness": (0.45, 0.05)}).call == "inconclusive"


def test_violated_protect_outweighs_a_better_goal() -> None:
    found = decided(
        {"brightness": 1}, {"brightness": 2.0, "weight": -3.0}, protect={"weight": None}
    )
    assert (found.call, found.goal_outcome) == ("undo", "up")
    assert codes(found) == {"protect_violated"}


def test_unproven_protect_forbids_a_keep_and_names_the_bars() -> None:
    found = decided(
        {"brightness": 1}, {"brightness": 2.0, "weight": (-1.0, 0.5)}, protect={"weight": None}
    )
    assert found.call == "inconclusive"
    assert codes(found) == {"protect_unproven"}
    assert found.bars_needed is not None
    assert found.bars_needed > 8


def test_unavailable_target_forbids_a_keep_unless_optional() -> None:
    found = decided({"brightness": 0.5, "groove": 0.5}, {"brightness": 2.0})
    assert (found.call, found.goal_outcome) == ("inconclusive", "up")
    assert codes(found) == {"target_unavailable"}
    optional = {"brightness": 0.5, "groove": {"weight": 0.5, "optional": True}}
    assert decided(optional, {"brightness": 2.0}).call == "keep"


def test_unavailable_target_forbids_an_undo_for_no_change_but_not_for_worse() -> None:
    targets = {"brightness": 0.5, "groove": 0.5}
    assert decided(targets, {"brightness": 0.0}).call == "inconclusive"
    assert decided(targets, {"brightness": -2.0}).call == "undo"


def test_no_measured_target_is_inconclusive() -> None:
    found = decided({"groove": {"weight": 1, "optional": True}}, {"brightness": 2.0})
    assert (found.call, found.goal_outcome, found.keep_change) == ("inconclusive", None, False)
    assert codes(found) == {"goal_unmeasured"}
    explored = decided({"groove": 1}, {"brightness": 2.0}, mode="explore")
    assert not explored.keep_change


def test_goal_up_with_a_target_worse_is_mixed() -> None:
    found = decided({"brightness": 0.7, "weight": 0.3}, {"brightness": 3.0, "weight": -1.5})
    assert (found.call, found.goal_outcome) == ("inconclusive", "up")
    assert "mixed" in found.tags
    assert "target_worse" in codes(found)


def test_collateral_is_what_got_worse_outside_the_goal() -> None:
    found = decided(
        {"brightness": 1},
        {
            "brightness": 2.0,
            "width": -1.5,
            "weight": 2.0,
            "dynamics": (-0.35, 0.5),
            "band_air": 2.0,  # inside brightness: the goal itself
            "band_low_mid": 1.2,
            "band_mid": 0.3,
            "balance": 1.0,
        },
    )
    assert found.collateral == ["width", "band_low_mid", "balance"]
    assert found.answers["weight"] == "improved"
    assert found.answers["band_low_mid"] == "moved"
    assert found.call == "keep"


def test_a_step_towards_the_centre_is_no_damage() -> None:
    goal = goal_from(compile_goal_vector("x", {"brightness": 1}))
    changes = {"brightness": change(2.0), "balance": change(-1.0, before=1.5)}
    composite = change(4.0)
    found = decide(Case(goal, changes, composite, MISSING, QUIET))
    assert found.answers["balance"] == "improved"
    assert found.collateral == []


def test_finish_allows_no_side_effect_and_asks_for_more() -> None:
    deltas: dict[str, float | tuple[float, float]] = {"brightness": 2.0, "width": -1.5}
    assert decided({"brightness": 1}, deltas).call == "keep"
    found = decided({"brightness": 1}, deltas, mode="finish")
    assert (found.call, codes(found)) == ("inconclusive", {"collateral"})
    # t(.99, 14) = 2.62 and t(.995, 14) = 2.98.
    edge: dict[str, float | tuple[float, float]] = {"brightness": (2.8, 1.0)}
    assert decided({"brightness": 1}, edge).call == "keep"
    assert decided({"brightness": 1}, edge, mode="finish").call == "inconclusive"


def test_explore_keeps_what_is_merely_unproven() -> None:
    unclear: dict[str, float | tuple[float, float]] = {"brightness": (0.6, 0.4)}
    found = decided({"brightness": 1}, unclear, mode="explore")
    assert (found.call, found.keep_change) == ("inconclusive", True)
    protected = {"brightness": 2.0, "weight": (-1.0, 0.5)}
    assert decided(
        {"brightness": 1}, protected, mode="explore", protect={"weight": None}
    ).keep_change


@pytest.mark.parametrize(
    ("targets", "deltas", "protect"),
    [
        ({"brightness": 1}, {"brightness": 0.0}, None),
        ({"brightness": 1}, {"brightness": -2.0}, None),
        ({"brightness": 1}, {"brightness": 2.0, "weight": -3.0}, {"weight": None}),
        ({"brightness": 0.5, "groove": 0.5}, {"brightness": (0.6, 0.4)}, None),
        ({"brightness": 1}, {"brightness": (0.6, 0.4)}, {"clarity": 0.5}),
        ({"brightness": 0.7, "weight": 0.3}, {"brightness": 3.0, "weight": -1.5}, None),
    ],
)
def test_explore_keeps_nothing_else(
    targets: dict[str, Any], deltas: dict[str, Any], protect: Any
) -> None:
    assert not decided(targets, deltas, mode="explore", protect=protect).keep_change


@pytest.mark.parametrize("mode", ["observe", "diagnose"])
def test_read_only_modes_neither_keep_nor_undo(mode: str) -> None:
    better = decided({"brightness": 1}, {"brightness": 2.0}, mode=mode)
    assert (better.call, better.keep_change, better.would_be) == ("inconclusive", False, "keep")
    worse = decided({"brightness": 1}, {"brightness": -2.0}, mode=mode)
    assert (worse.call, worse.would_be) == ("inconclusive", "undo")
    assert "read_only" in worse.tags


@pytest.mark.parametrize(
    ("before_dbtp", "after_dbtp", "call"),
    [
        (-6.0, -1.0, "keep"),
        (-6.0, -0.9, "inconclusive"),
        (0.5, 0.5, "keep"),
        (0.5, 0.6, "inconclusive"),
    ],
)
def test_louder_needs_room_for_true_peaks(before_dbtp: float, after_dbtp: float, call: str) -> None:
    peak = TruePeak(before_dbtp, after_dbtp)
    found = decided({"energy": 1}, {"energy": 3.0}, peak)
    assert found.call == call
    assert "level_only" in found.tags
    assert decided({"energy": -1}, {"energy": -3.0}, TruePeak(-6.0, 3.0)).call == "keep"


def test_aggression_moves_margins_but_not_certainty() -> None:
    deltas: dict[str, float | tuple[float, float]] = {"brightness": 2.0, "weight": -1.2}
    options: dict[str, Any] = {"protect": {"weight": None}}
    assert decided({"brightness": 1}, deltas, aggression=0.0, **options).call == "undo"
    assert decided({"brightness": 1}, deltas, aggression=1.0, **options).call == "keep"
    unclear: dict[str, float | tuple[float, float]] = {"brightness": (0.6, 0.4)}
    assert decided({"brightness": 1}, unclear, aggression=1.0).call == "inconclusive"


DELTA = st.tuples(st.floats(-6.0, 6.0), st.floats(0.001, 2.0))


@given(
    st.dictionaries(
        st.sampled_from(["brightness", "weight", "width", "energy"]),
        st.floats(-1, 1).filter(lambda weight: abs(weight) > 0.01),
        min_size=1,
    ),
    st.fixed_dictionaries(dict.fromkeys(("brightness", "weight", "width", "energy"), DELTA)),
    st.sampled_from(MODES),
    st.sampled_from([None, {"width": None}, {"weight": 0.4}, {"clarity": 0.5}]),
    st.floats(0, 1),
)
def test_no_keep_without_a_better_goal_and_safe_protects(
    targets: dict[str, float],
    deltas: dict[str, tuple[float, float]],
    mode: str,
    protect: Any,
    aggression: float,
) -> None:
    found = decided(targets, dict(deltas), mode=mode, protect=protect, aggression=aggression)
    statuses = {item.status for item in found.protects}
    if found.call == "keep":
        assert found.keep_change
        assert found.goal_outcome == "up"
        assert statuses <= {"safe"}
        assert "worse" not in {found.answers[name] for name in targets}
    if found.call == "undo":
        assert not found.keep_change
        assert "violated" in statuses or found.goal_outcome in ("down", "same")
    if found.keep_change:
        assert mode not in ("observe", "diagnose")
        assert "violated" not in statuses
        assert found.goal_outcome in ("up", "inconclusive")
        assert found.call == "keep" or mode == "explore"
    assert found.reasons
