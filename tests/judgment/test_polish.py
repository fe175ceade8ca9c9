"""Compliance checks, on frames made by hand."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from pybackend.capture.aligned import Incomparable
from pybackend.judgment.evaluate import judge
from pybackend.judgment.features import BarFeatures, bar_features
from pybackend.judgment.goal import compile_goal_vector
from pybackend.judgment.polish import Check, polish_checks, polish_text


def frames(synth: ModuleType, power: float = 1e-3, side: float = 0.1) -> np.ndarray:
    return synth.frames_of(np.full((8 * 40, 9), power), np.full(9, side))


def checked(
    synth: ModuleType, after: np.ndarray, reference_db: list[float] | None = None
) -> dict[str, Check]:
    found = bar_features(synth.aligned([frames(synth)], [after]))
    assert isinstance(found, BarFeatures)
    return {check.name: check for check in polish_checks(found, reference_db)[1]}


def test_a_clean_mix_passes_what_can_be_checked(synth: ModuleType) -> None:
    found = checked(synth, frames(synth))
    states = {name: check.state for name, check in found.items()}
    assert states == {
        "true_peak": "passed",
        "clipping": "passed",
        "mono_fold": "passed",
        "bass_in_mono": "passed",
        "rest": "passed",
        "balance": "unavailable",
    }
    assert found["mono_fold"].value == pytest.approx(10 * np.log10(1 / 1.1), abs=0.01)


def test_each_fault_fails_its_own_check(synth: ModuleType) -> None:
    peaks = frames(synth)
    peaks[100, synth.FRAME_COLUMNS["true_peak"]] = 10 ** (-0.5 / 20)
    clipped = frames(synth)
    clipped[100, synth.FRAME_COLUMNS["sample_peak"]] = 1.0
    offset = frames(synth)
    offset[:, synth.FRAME_COLUMNS["mean_square"]] *= 1.01
    faults = {
        "true_peak": peaks,
        "clipping": clipped,
        "mono_fold": frames(synth, side=3.0),
        "bass_in_mono": frames(synth, side=0.5),
        "rest": offset,
    }
    for name, after in faults.items():
        failed = {check.name for check in checked(synth, after).values() if check.state == "failed"}
        assert name in failed
        assert failed <= {name, "bass_in_mono"}


def test_balance_is_judged_against_a_reference_at_any_level(synth: ModuleType) -> None:
    flat = [-20.0] * 9
    assert checked(synth, frames(synth), flat)["balance"].state == "passed"
    dull = [*[-20.0] * 8, -33.0]
    found = checked(synth, frames(synth), dull)["balance"]
    assert found.state == "failed"
    assert "air" in found.text
    assert checked(synth, frames(synth), [0.0])["balance"].state == "unavailable"


def test_the_verdict_tells_the_list_and_makes_no_number_of_it(synth: ModuleType) -> None:
    hot = frames(synth)
    hot[:, synth.FRAME_COLUMNS["true_peak"]] = 1.0
    captures = synth.aligned([frames(synth)], [hot])
    goal = compile_goal_vector("polished", {"polish": 1})
    verdict = judge(goal, captures)
    assert verdict.decision == "inconclusive"
    polish = verdict.dimensions["polish"]
    assert polish.state == "unavailable"
    assert polish.delta is None
    assert "true_peak failed (0 dBTP, at most -1)" in (polish.reason or "")
    assert "true_peak passed before and failed after" in (polish.reason or "")
    found = bar_features(captures)
    assert not isinstance(found, Incomparable)
    assert polish_text(found).startswith("4 checks passed")
