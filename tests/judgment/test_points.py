"""Point snapshots: changes are shown, nothing is ever kept."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.capture.point import EIGHT_BAND_NAMES, PointSnapshot
from pybackend.errors import InputError
from pybackend.judgment.evaluate import evaluate_move
from pybackend.judgment.goal import MODES, compile_goal_vector
from pybackend.metering.design import BAND_NAMES
from pybackend.stream.frames import Frames

NINE = dict(zip(BAND_NAMES, [0.3, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.04], strict=True))
EIGHT = dict(zip(EIGHT_BAND_NAMES, [0.3, 0.6, 0.3, 0.3, 0.1, 0.07, 0.03, 0.02], strict=True))
BRIGHTER = compile_goal_vector("brighter", {"brightness": 1})


def point(spectrum: dict[str, float], rms: float = 0.2, peak: float = 0.5) -> dict[str, Any]:
    return {"spectrum": dict(spectrum), "rms": rms, "peak": peak}


def louder_treble(db: float) -> dict[str, float]:
    factor = 10 ** (db / 20)
    treble = ("high", "presence", "air")
    return {name: x * (factor if name in treble else 1) for name, x in NINE.items()}


@pytest.mark.parametrize("mode", MODES)
def test_no_mode_keeps_a_change_between_single_readings(mode: str) -> None:
    goal = compile_goal_vector("x", {"brightness": 1}, {"weight": 0.1}, mode)
    verdict = evaluate_move(goal, point(NINE), point(louder_treble(6.0)))
    assert (verdict.decision, verdict.keep_change) == ("inconclusive", False)
    assert verdict.evidence.grade == "low"
    assert "carries no spread" in verdict.explanation
    assert verdict.protects["weight"].status == "unproven"
    assert verdict.goal_progress == 0.0


def test_changes_are_shown() -> None:
    verdict = evaluate_move(BRIGHTER, point(NINE), point(louder_treble(6.0), rms=0.4))
    brightness = verdict.dimensions["brightness"]
    assert brightness.state == "inconclusive"
    assert brightness.delta == pytest.approx(6.0)
    assert brightness.ci_low is None
    assert verdict.dimensions["weight"].delta == pytest.approx(0.0)
    assert verdict.dimensions["band_air"].delta == pytest.approx(6.0)
    energy = verdict.dimensions["energy"]
    assert energy.delta == pytest.approx(20 * math.log10(2))
    assert energy.unit == "dBFS"
    assert "not K-weighted" in str(energy.reason)
    assert verdict.dimensions["width"].state == "unavailable"
    assert "Brighter" not in verdict.explanation
    assert "brighter by 6.0 dB" in verdict.explanation


def test_identical_readings_score_a_half_and_swapped_ones_mirror() -> None:
    after = point(louder_treble(2.0))
    assert evaluate_move(BRIGHTER, after, after).score == 0.5
    there = evaluate_move(BRIGHTER, point(NINE), after).score
    back = evaluate_move(BRIGHTER, after, point(NINE)).score
    assert there is not None
    assert back == 1.0 - there
    assert there > 0.5


def test_gain_moves_no_ratio() -> None:
    verdict = evaluate_move(BRIGHTER, point(NINE), point({name: 2 * x for name, x in NINE.items()}))
    assert verdict.dimensions["brightness"].delta == pytest.approx(0.0, abs=1e-12)


def test_eight_bands_against_nine_share_edges_and_not_names() -> None:
    # The same sound, seen through both layouts; by name, "sub" would differ by 4 dB.
    power = {name: x**2 for name, x in NINE.items()}
    sound = {
        "sub": power["sub_low"],
        "low": power["sub"] + power["low"] / 2,
        "low_mid": power["low"] / 2 + power["low_mid"],
        "mid": power["mid"] + power["high_mid"],
        "high_mid": power["high"],
        "high": power["presence"],
        "presence": power["air"] / 2,
        "air": power["air"] / 2,
    }
    eight = {name: math.sqrt(x) for name, x in sound.items()}
    verdict = evaluate_move(BRIGHTER, point(NINE), {"spectrum": eight, "rms": 0.2, "peak": 0.5})
    shown = {name: e.delta for name, e in verdict.dimensions.items() if e.delta is not None}
    assert set(shown) == {
        "brightness", "weight", "energy", "band_sub_low", "band_high", "band_presence", "band_air",
    }  # fmt: skip
    assert list(shown.values()) == pytest.approx([0.0] * 7, abs=1e-9)
    assert "8 bands and the other 9" in verdict.explanation
    assert "500 Hz-2 kHz" in str(verdict.dimensions["brightness"].reason)
    assert "do not show 120-250 Hz" in str(verdict.dimensions["band_low"].reason)


def test_eight_bands_on_both_sides_are_judged_on_their_own_edges() -> None:
    verdict = evaluate_move(BRIGHTER, point(EIGHT), point({**EIGHT, "high": 0.14}))
    assert "2-20 kHz against 200 Hz-2 kHz" in str(verdict.dimensions["brightness"].reason)
    assert verdict.dimensions["band_presence"].delta == pytest.approx(20 * math.log10(2))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["air", "rms", "peak"])
def test_numbers_that_are_not_finite_are_inconclusive(bad: float, field: str) -> None:
    after = point(NINE)
    (after["spectrum"] if field == "air" else after)[field] = bad
    for pair in ((point(NINE), after), (after, point(NINE))):
        verdict = evaluate_move(BRIGHTER, *pair)
        assert (verdict.decision, verdict.keep_change) == ("inconclusive", False)
        assert [reason.code for reason in verdict.reasons] == ["non_finite"]


def test_silence_is_inconclusive() -> None:
    silent = point(dict.fromkeys(BAND_NAMES, 0.0), rms=0.0, peak=0.0)
    for pair in ((silent, silent), (point(NINE), silent), (silent, point(NINE))):
        verdict = evaluate_move(BRIGHTER, *pair)
        assert [reason.code for reason in verdict.reasons] == ["silence"]
        assert verdict.score is None


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"spectrum": {}},
        {"rms": 0.2, "peak": 0.5},
        {"spectrum": {**NINE, "air": -0.1}},
        {"spectrum": {name: x for name, x in NINE.items() if name != "mid"}},
        {"spectrum": {**NINE, "ultra": 0.1}},
        {"spectrum": {**NINE, "air": "loud"}},
        {"spectrum": [0.1] * 9},
        {"spectrum": NINE, "rms": -1.0},
        5,
        "x",
        None,
        [],
        [NINE],
    ],
)
def test_wrong_shapes_are_one_line_errors(bad: Any) -> None:
    for pair in ((point(NINE), bad), (bad, point(NINE))):
        with pytest.raises(InputError) as caught:
            evaluate_move(BRIGHTER, *pair)
        assert "\n" not in str(caught.value)


def test_a_reading_against_frames_is_inconclusive() -> None:
    verdict = evaluate_move(BRIGHTER, point(NINE), Frames.empty())
    assert [reason.code for reason in verdict.reasons] == ["point_snapshot"]


def test_missing_rms_leaves_energy_unavailable() -> None:
    verdict = evaluate_move(BRIGHTER, {"spectrum": NINE}, PointSnapshot(spectrum=NINE))
    assert verdict.dimensions["energy"].state == "unavailable"


def test_only_unmeasurable_targets_give_no_score() -> None:
    verdict = evaluate_move(compile_goal_vector("x", {"groove": 1}), point(NINE), point(NINE))
    assert verdict.score is None
    assert "groove not measured" in verdict.explanation


AMPLITUDES = st.lists(st.floats(0, 1000), min_size=9, max_size=9)


@given(AMPLITUDES, AMPLITUDES, st.floats(0, 1000))
def test_any_reading_gives_finite_json_and_no_keep(
    before: list[float], after: list[float], rms: float
) -> None:
    pair = [point(dict(zip(BAND_NAMES, x, strict=True)), rms, rms) for x in (before, after)]
    verdict = evaluate_move(compile_goal_vector("x", {"brightness": 1}, mode="explore"), *pair)
    assert not verdict.keep_change
    text = verdict.model_dump_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in the verdict"))
    assert np.isfinite(verdict.score if verdict.score is not None else 0.5)
