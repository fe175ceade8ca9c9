"""Captures to verdicts, end to end on synthesised programmes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pybackend.capture.aligned import AlignedCaptures, Incomparable, Reason
from pybackend.errors import GoalError, InputError
from pybackend.judgment.dimensions import DIMENSIONS, FRAME_DIMENSIONS
from pybackend.judgment.evaluate import evaluate_move, judge
from pybackend.judgment.goal import compile_goal_vector
from pybackend.judgment.verdict import Verdict
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import column

BRIGHTER = compile_goal_vector("brighter", {"brightness": 1})
TIMBRE = [e.name for e in FRAME_DIMENSIONS if e.level_free and e.from_frames]


def no_number_is_made_up(verdict: Verdict) -> None:
    """JSON holds no NaN, and nothing unavailable has a number."""
    text = verdict.model_dump_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in the verdict"))
    for name, entry in verdict.dimensions.items():
        assert DIMENSIONS[name].unit == entry.unit
        numbers = (entry.before, entry.after, entry.delta, entry.ci_low, entry.level_before)
        assert (entry.state == "unavailable") == (numbers == (None,) * 5)
        assert entry.state == "measured" or entry.reason


def test_a_clear_improvement_is_kept(synth: ModuleType) -> None:
    verdict = judge(BRIGHTER, synth.comparison(moves={"band_db": synth.shelf(2.0)}))
    assert (verdict.decision, verdict.keep_change) == ("keep", True)
    brightness = verdict.dimensions["brightness"]
    assert brightness.state == "measured"
    assert brightness.verdict == "improved"
    assert brightness.delta == pytest.approx(2.0, abs=0.05)
    assert brightness.ci_low is not None
    assert brightness.ci_high is not None
    assert brightness.ci_low < 2.0 < brightness.ci_high
    assert brightness.smallest_effect == 0.5
    assert verdict.score is not None
    assert verdict.score > 0.8
    assert verdict.goal_progress == 1.0
    assert verdict.evidence.grade == "good"
    assert verdict.evidence.bars == 8
    assert verdict.evidence.frames == 320
    assert verdict.evidence.loss == 0.0
    assert verdict.evidence.positions == "song"
    no_number_is_made_up(verdict)


def test_every_dimension_is_listed_once_and_unmeasurable_ones_say_why(synth: ModuleType) -> None:
    verdict = judge(BRIGHTER, synth.comparison())
    assert set(verdict.dimensions) == set(DIMENSIONS)
    for name, entry in DIMENSIONS.items():
        if entry.unavailable:
            assert verdict.dimensions[name].state == "unavailable"
            assert (verdict.dimensions[name].reason or "").startswith(entry.unavailable)
        elif entry.min_bars:
            assert verdict.dimensions[name].reason == f"8 bars, {name} needs {entry.min_bars}"
        else:
            assert verdict.dimensions[name].state != "unavailable"


@pytest.mark.parametrize("mode", ["improve", "explore", "finish", "observe", "diagnose"])
@pytest.mark.parametrize("captures", [(1, 1), (2, 1), (2, 2)])
def test_identical_input_scores_a_half_and_is_not_kept(
    synth: ModuleType, mode: str, captures: tuple[int, int]
) -> None:
    frames = synth.capture(synth.programme(4), np.random.default_rng(4))
    goal = compile_goal_vector("x", {"brightness": 0.5, "weight": -0.3, "energy": 0.2}, mode=mode)
    verdict = judge(goal, synth.aligned([frames] * captures[0], [frames] * captures[1]))
    assert verdict.score == 0.5
    assert not verdict.keep_change
    assert verdict.would_be == "undo"
    assert verdict.goal_progress == 0.0
    assert verdict.collateral_damage == ()
    assert verdict.level_match_lu == 0.0
    measured = [e for e in verdict.dimensions.values() if e.state != "unavailable"]
    assert {entry.verdict for entry in measured} == {"same"}
    assert {entry.delta for entry in measured} == {0.0}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 10_000),
    noise=st.sampled_from(["J", "H.25", "H.5"]),
    captures=st.tuples(st.integers(1, 3), st.integers(1, 2)),
    moves=st.tuples(st.floats(-4, 4), st.floats(-6, 6)),
    weights=st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.01, 1)),
)
def test_swapping_before_and_after_mirrors_the_score_exactly(  # noqa: PLR0917
    synth: ModuleType,
    seed: int,
    noise: str,
    captures: tuple[int, int],
    moves: tuple[float, float],
    weights: tuple[float, float, float],
) -> None:
    goal = compile_goal_vector(
        "x", dict(zip(("brightness", "weight", "energy"), weights, strict=True))
    )
    made = {"band_db": synth.shelf(moves[0]), "gain_db": moves[1]}
    there = synth.comparison(seed, noise=noise, n_bars=5, captures=captures, moves=made)
    ahead, back = judge(goal, there), judge(goal, synth.swapped(there))
    assert ahead.score is not None
    assert back.score is not None
    assert back.score == 1.0 - ahead.score
    assert ahead.goal is not None
    assert back.goal is not None
    assert back.goal.estimate == -ahead.goal.estimate
    assert back.level_match_lu == pytest.approx(-(ahead.level_match_lu or 0.0), abs=1e-12)
    for name, entry in ahead.dimensions.items():
        if entry.delta is not None:
            assert back.dimensions[name].delta == -entry.delta
    mirrored = {"up": "down", "down": "up"}
    assert back.goal.outcome == mirrored.get(ahead.goal.outcome, ahead.goal.outcome)


@pytest.mark.parametrize("gain_db", [-6.0, -3.0, -0.1, 0.1, 3.0, 6.0])
def test_gain_moves_no_timbre_dimension(synth: ModuleType, gain_db: float) -> None:
    rng = np.random.default_rng(9)
    piece = synth.programme(9, n_bars=16)
    frames = [synth.capture(piece, rng, jitter_ms=7), synth.capture(piece, rng, jitter_ms=7)]
    louder = synth.capture(piece, rng, gain_db=gain_db, jitter_ms=7)
    verdict = judge(BRIGHTER, synth.aligned(frames, [louder]))
    for name in TIMBRE:
        delta = verdict.dimensions[name].delta
        assert delta is not None
        assert abs(delta) < 0.01 * DIMENSIONS[name].smallest_effect
    assert verdict.dimensions["energy"].delta == pytest.approx(gain_db, abs=1e-9)
    assert verdict.level_match_lu == pytest.approx(-gain_db, abs=1e-9)
    for level in verdict.spectrum.values():
        assert level.after_db == pytest.approx(level.before_db, abs=1e-6)
    assert verdict.decision == "undo"
    assert verdict.score == pytest.approx(0.5, abs=1e-6)
    if gain_db >= 0.5:
        assert "counts for nothing" in verdict.explanation


def test_louder_is_level_only_and_needs_true_peak_room(synth: ModuleType) -> None:
    goal = compile_goal_vector("louder", {"energy": 1})
    quiet = {"band_db": -12.0}
    rng = np.random.default_rng(2)
    piece = synth.programme(2)
    before = [synth.capture(piece, rng, **quiet) for _ in range(2)]
    kept = judge(goal, synth.aligned(before, [synth.capture(piece, rng, band_db=-9.0)]))
    assert kept.evidence.true_peak_after_dbtp is not None
    assert kept.evidence.true_peak_after_dbtp < -1.0
    assert kept.decision == "keep"
    assert kept.tags == ("level_only",)
    assert "level only" in kept.explanation
    hot = judge(goal, synth.aligned(before, [synth.capture(piece, rng, band_db=15.0)]))
    assert hot.decision == "inconclusive"
    assert [reason.code for reason in hot.reasons] == ["true_peak"]


def test_less_is_a_goal_too(synth: ModuleType) -> None:
    darker = compile_goal_vector("less harsh", {"brightness": -1})
    down = synth.comparison(moves={"band_db": synth.shelf(-2.0)})
    up = synth.comparison(moves={"band_db": synth.shelf(2.0)})
    assert judge(darker, down).decision == "keep"
    assert judge(darker, up).decision == "undo"
    assert judge(BRIGHTER, down).decision == "undo"


def test_protect_is_safe_or_violated(synth: ModuleType) -> None:
    goal = compile_goal_vector("x", {"brightness": 1}, {"weight": None})
    thin = judge(goal, synth.comparison(moves={"band_db": synth.shelf(2.0, -4.0)}))
    assert thin.decision == "undo"
    assert thin.protects["weight"].status == "violated"
    assert thin.protects["weight"].loss == pytest.approx(4.0, abs=0.1)
    assert [reason.code for reason in thin.reasons] == ["protect_violated"]
    fine = judge(goal, synth.comparison(moves={"band_db": synth.shelf(2.0)}))
    assert (fine.decision, fine.protects["weight"].status) == ("keep", "safe")
    assert "low end unchanged" in fine.explanation


def test_protect_floor_below_which_it_was_already_is_reported(synth: ModuleType) -> None:
    goal = compile_goal_vector("x", {"brightness": 1}, {"weight": 0.99})
    verdict = judge(goal, synth.comparison(moves={"band_db": synth.shelf(2.0)}))
    assert verdict.protects["weight"].already_below
    assert "already before the move" in verdict.explanation
    assert verdict.decision == "keep"


def test_collateral_lists_numbers_and_not_the_targets_own_bands(synth: ModuleType) -> None:
    verdict = judge(
        BRIGHTER, synth.comparison(moves={"band_db": synth.shelf(2.0), "side_db": -3.0})
    )
    assert [item.dimension for item in verdict.collateral_damage] == ["width"]
    width = verdict.collateral_damage[0]
    assert width.delta == pytest.approx(-3.0, abs=0.2)
    assert width.ci_low < width.delta < width.ci_high
    assert "narrower by" in width.text
    assert "Side effects: narrower by" in verdict.explanation


def test_unavailable_target_forbids_a_keep(synth: ModuleType) -> None:
    captures = synth.comparison(moves={"band_db": synth.shelf(2.0)})
    goal = compile_goal_vector("x", {"brightness": 0.5, "groove": 0.5})
    verdict = judge(goal, captures)
    assert verdict.decision == "inconclusive"
    assert "groove not measured" in verdict.explanation
    optional = compile_goal_vector(
        "x", {"brightness": 0.5, "groove": {"weight": 0.5, "optional": True}}
    )
    assert judge(optional, captures).decision == "keep"


def test_only_unavailable_targets_give_no_score(synth: ModuleType) -> None:
    verdict = judge(compile_goal_vector("x", {"emotion": 1}), synth.comparison())
    assert verdict.score is None
    assert verdict.goal is None
    assert verdict.decision == "inconclusive"
    no_number_is_made_up(verdict)


def test_a_lost_band_makes_its_words_unavailable_and_forbids_a_keep(synth: ModuleType) -> None:
    captures = synth.comparison(moves={"band_db": synth.shelf(2.0)})
    values = captures.values.copy()
    values[:, :, column("band_power") + 8] = np.nan
    verdict = judge(BRIGHTER, replace(captures, values=values))
    assert verdict.decision == "inconclusive"
    assert verdict.dimensions["brightness"].state == "unavailable"
    assert "air" not in verdict.spectrum
    no_number_is_made_up(verdict)


def _broken(captures: AlignedCaptures, kind: str) -> AlignedCaptures:
    values, valid = captures.values.copy(), captures.valid.copy()
    if kind in ("nan", "inf"):
        values[-1, 5, column("k_power")] = float(kind)
    if kind == "silence":
        values[-1, :, column("lufs_m")] = -120.0
        values[-1, :, column("band_power") : column("lufs_m")] = 0.0
    if kind == "truncation":
        valid[-1, 120:] = False
    if kind == "loss":
        return replace(captures, loss=(0.0, 0.0, 0.2))
    return replace(captures, values=values, valid=valid)


@pytest.mark.parametrize("mode", ["improve", "explore"])
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("nan", "non_finite"),
        ("inf", "non_finite"),
        ("silence", "silence"),
        ("truncation", "too_few_bars"),
        ("loss", "loss"),
    ],
)
def test_broken_captures_are_inconclusive_with_the_reason(
    synth: ModuleType, kind: str, code: str, mode: str
) -> None:
    goal = compile_goal_vector("x", {"brightness": 1}, {"weight": None}, mode)
    captures = _broken(synth.comparison(moves={"band_db": synth.shelf(2.0)}), kind)
    verdict = judge(goal, captures)
    assert (verdict.decision, verdict.keep_change, verdict.score) == ("inconclusive", False, None)
    assert [reason.code for reason in verdict.reasons] == [code]
    assert verdict.explanation.startswith("Not comparable")
    assert verdict.evidence.grade == "none"
    assert verdict.protects["weight"].status == "unproven"
    no_number_is_made_up(verdict)


def test_incomparable_captures_pass_every_reason_on() -> None:
    refused = Incomparable(
        (Reason("no_overlap", "No bar in common."), Reason("stale", "Frames are old."))
    )
    verdict = judge(BRIGHTER, refused)
    assert [reason.code for reason in verdict.reasons] == ["no_overlap", "stale"]
    assert "No bar in common. Frames are old." in verdict.explanation
    assert verdict.dimensions["brightness"].reason == "No bar in common. Frames are old."


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_hostile_numbers_are_never_kept_and_never_leak(
    synth: ModuleType, data: st.DataObject
) -> None:
    captures = synth.comparison(n_bars=4, moves={"band_db": synth.shelf(3.0)})
    values, valid = captures.values.copy(), captures.valid.copy()
    for _ in range(data.draw(st.integers(1, 5))):
        where = (
            data.draw(st.integers(0, 2)),
            slice(*sorted(data.draw(st.tuples(st.integers(0, 160), st.integers(0, 160))))),
            data.draw(st.integers(0, values.shape[2] - 1)),
        )
        values[where] = data.draw(st.sampled_from([np.nan, np.inf, -np.inf, -1.0, 0.0, 1e300]))
    if data.draw(st.booleans()):
        valid[data.draw(st.integers(0, 2)), data.draw(st.integers(0, 159)) :] = False
    with np.errstate(all="ignore"):
        verdict = judge(BRIGHTER, replace(captures, values=values, valid=valid))
    no_number_is_made_up(verdict)


def test_tries_and_their_chance_are_printed(synth: ModuleType) -> None:
    captures = synth.comparison()
    verdict = judge(BRIGHTER, captures, tries=20)
    assert verdict.tries == 20
    assert verdict.chance_of_false_keep == pytest.approx(0.182, abs=0.001)
    assert "20 tries" in verdict.explanation
    assert "18%" in verdict.explanation
    assert "tries" not in judge(BRIGHTER, captures).explanation


def test_goal_progress_counts_what_was_kept_before(synth: ModuleType) -> None:
    goal = compile_goal_vector("x", {"brightness": {"weight": 1, "amount": 4.0}})
    captures = synth.comparison(moves={"band_db": synth.shelf(1.0)})
    first = judge(goal, captures)
    assert first.goal is not None
    assert first.goal.amount == 8.0
    assert first.goal_progress == pytest.approx(0.25, abs=0.02)
    second = judge(goal, captures, kept_composite=first.goal.estimate)
    assert second.goal_progress == pytest.approx(0.5, abs=0.04)
    undone = judge(
        goal,
        synth.comparison(moves={"band_db": synth.shelf(-1.0)}),
        kept_composite=first.goal.estimate,
    )
    assert undone.goal_progress == first.goal_progress


def test_without_a_repeat_it_is_said(synth: ModuleType) -> None:
    verdict = judge(
        BRIGHTER, synth.comparison(captures=(1, 1), moves={"band_db": synth.shelf(2.0)})
    )
    assert verdict.evidence.grade == "fair"
    assert "no_repeat" in verdict.tags
    assert "slow modulation" in verdict.explanation


def test_drift_between_repeats_is_said_and_not_kept(synth: ModuleType) -> None:
    rng = np.random.default_rng(5)
    piece = synth.programme(5)
    before = [
        synth.capture(piece, rng, "H.25"),
        synth.capture(piece, rng, "H.25", band_db=synth.shelf(1.5)),
    ]
    after = [synth.capture(piece, rng, "H.25", band_db=synth.shelf(3.0))]
    verdict = judge(BRIGHTER, synth.aligned(before, after))
    assert verdict.decision == "inconclusive"
    assert "drift" in verdict.tags
    assert verdict.bars_needed is None
    assert "drifts" in verdict.explanation


def test_inconclusive_says_how_many_bars_would_decide(synth: ModuleType) -> None:
    found = [
        judge(
            BRIGHTER,
            synth.comparison(seed, noise="H.5", n_bars=4, moves={"band_db": synth.shelf(1)}),
        )
        for seed in range(30)
    ]
    waiting = [v for v in found if v.decision == "inconclusive" and v.bars_needed is not None]
    assert waiting
    for verdict in waiting:
        assert verdict.bars_needed is not None
        assert 4 < verdict.bars_needed <= 64
        assert f"about {verdict.bars_needed} bars would decide it" in verdict.explanation


def test_session_facts_are_recorded(synth: ModuleType) -> None:
    verdict = judge(BRIGHTER, synth.comparison(), device={"version": "1.0.0", "instance": 7})
    assert verdict.evidence.device == {"version": "1.0.0", "instance": 7}
    assert verdict.evidence.sample_rate_hz == 48000.0
    assert verdict.evidence.tempo_bpm == 120.0


def test_bad_goals_and_bad_sessions_are_refused(synth: ModuleType) -> None:
    captures = synth.comparison()
    with pytest.raises(GoalError):
        judge({"targets": {}}, captures)
    for options in ({"tries": 0}, {"alpha": 0.5}, {"alpha": 0.0}, {"kept_composite": float("nan")}):
        with pytest.raises(InputError, match="tries must be"):
            judge(BRIGHTER, captures, **options)


def test_frames_and_lists_of_frames_are_aligned_and_judged(synth: ModuleType) -> None:
    rng = np.random.default_rng(1)
    piece = synth.programme(1)

    def frames(**moves: Any) -> Frames:
        values = synth.capture(piece, rng, jitter_ms=0, **moves)
        return Frames(values, 0.05 * np.arange(1, len(values) + 1))

    brighter = frames(band_db=synth.shelf(2.0))
    verdict = evaluate_move(BRIGHTER, [frames(), frames()], [brighter])
    assert verdict.decision == "keep"
    assert (verdict.evidence.captures_before, verdict.evidence.captures_after) == (2, 1)
    assert evaluate_move(BRIGHTER, frames(), brighter).decision == "keep"


def test_importing_the_evaluator_compiles_nothing() -> None:
    code = (
        "import sys, pybackend.judgment.evaluate\n"
        "assert 'numba' not in sys.modules, 'numba was imported'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
