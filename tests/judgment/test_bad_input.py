"""Bad input: a one-line error, or inconclusive with the reason; never a keep."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pybackend.errors import MoveJudgeError
from pybackend.judgment.evaluate import evaluate_move
from pybackend.judgment.goal import compile_goal_vector
from pybackend.metering.design import BAND_NAMES
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import column

GOAL = compile_goal_vector("brighter", {"brightness": 1})
NINE = {"spectrum": dict.fromkeys(BAND_NAMES, 0.1), "rms": 0.1, "peak": 0.5}
EIGHT_BANDS = ("sub", "low", "low_mid", "mid", "high_mid", "high", "presence", "air")
EIGHT = {"spectrum": dict.fromkeys(EIGHT_BANDS, 0.1), "rms": 0.1, "peak": 0.5}


def frames(synth: ModuleType, count: int | None = None, rate_hz: float = 48000.0) -> Frames:
    values = synth.capture(synth.programme(1), np.random.default_rng(1))[:count].copy()
    values[:, column("sample_rate")] = rate_hz
    return Frames(values, 0.05 * np.arange(1, len(values) + 1))


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ({"targets": {"brigthness": 1}}, "did you mean 'brightness'"),
        ({"targets": {"warmht": 1}}, "did you mean 'warmth'"),
        ({"targets": {"brightness": 0, "weight": 0}}, "at least one weight other than 0"),
        ({"targets": {"brightness": math.nan}}, "finite"),
        ({"targets": {"brightness": 1}, "protect": {"weight": 1.5}}, "0 to 1"),
        ({"targets": {"brightness": 1}, "protect": {"weight": -0.5}}, "0 to 1"),
    ],
)
def test_goals_that_are_none(synth: ModuleType, goal: dict[str, Any], text: str) -> None:
    with pytest.raises(MoveJudgeError, match=text) as caught:
        evaluate_move(goal, frames(synth), frames(synth))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("empty", [{}, {"spectrum": {}}, [], None, "", 5])
def test_empty_snapshots_are_one_line_errors(empty: Any) -> None:
    for pair in ((empty, NINE), (NINE, empty), (empty, empty)):
        with pytest.raises(MoveJudgeError) as caught:
            evaluate_move(GOAL, *pair)
        assert "\n" not in str(caught.value)


def test_frames_without_a_row_and_with_one_are_inconclusive(synth: ModuleType) -> None:
    whole = frames(synth)
    for count in (0, 1, 30):
        verdict = evaluate_move(GOAL, whole, frames(synth, count))
        assert (verdict.decision, verdict.keep_change) == ("inconclusive", False)
        assert verdict.score is None
        assert verdict.reasons
        assert verdict.reasons[0].text


def test_another_sample_rate_is_inconclusive(synth: ModuleType) -> None:
    verdict = evaluate_move(GOAL, frames(synth), frames(synth, rate_hz=44100.0))
    assert verdict.decision == "inconclusive"
    assert {reason.code for reason in verdict.reasons} == {"sample_rate_changed"}


def test_eight_bands_against_nine_are_compared_on_common_edges_and_said_so() -> None:
    verdict = evaluate_move(GOAL, NINE, EIGHT)
    assert (verdict.decision, verdict.keep_change) == ("inconclusive", False)
    assert "edges that both have" in verdict.explanation


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_readings_that_are_no_numbers_are_inconclusive(bad: float) -> None:
    spectrum = {**NINE["spectrum"], "air": bad}  # type: ignore[dict-item]
    verdict = evaluate_move(GOAL, NINE, {**NINE, "spectrum": spectrum})
    assert (verdict.decision, verdict.keep_change) == ("inconclusive", False)
    assert verdict.reasons[0].code == "non_finite"


def test_negative_readings_are_one_line_errors() -> None:
    spectrum = {**NINE["spectrum"], "air": -1.0}  # type: ignore[dict-item]
    with pytest.raises(MoveJudgeError, match="air"):
        evaluate_move(GOAL, NINE, {**NINE, "spectrum": spectrum})
