"""Contrast and novelty between sections."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pybackend.errors import InputError
from pybackend.judgment.evaluate import judge
from pybackend.judgment.goal import compile_goal_vector
from pybackend.judgment.sections import section_of_bars
from pybackend.judgment.verdict import Verdict

GOAL = compile_goal_vector("more contrast", {"contrast": 1})
HALVES = [(0.0, 32.0), (32.0, 64.0)]


def capture(synth: ModuleType, step_db: float, treble_db: float, jitter_ms: int) -> Any:
    """Sixteen bars whose second half is louder, and brighter, than the first."""
    frames = synth.capture(
        synth.programme(3, 16), np.random.default_rng(1), "J", jitter_ms=jitter_ms
    )
    bands = frames[:, synth.FRAME_COLUMNS["band_power"]].copy()
    bands[320:] *= 10 ** ((step_db + np.array(synth.shelf(treble_db))) / 10)
    return synth.frames_of(bands, np.full(9, 0.2))


def judged(
    synth: ModuleType, step_db: float, treble_db: float = 0.0, sections: Any = HALVES
) -> Verdict:
    before = [capture(synth, 3.0, 0.0, late) for late in (0, 10)]
    after = capture(synth, 3.0 + step_db, treble_db, 5)
    return judge(GOAL, synth.aligned(before, [after]), sections=sections)


def test_a_bigger_step_in_loudness_is_more_contrast(synth: ModuleType) -> None:
    verdict = judged(synth, 2.0)
    found = verdict.dimensions["contrast"]
    assert found.delta == pytest.approx(2.0, abs=0.05)
    assert found.verdict == "improved"
    assert verdict.decision == "keep"
    # Only the level changed.
    assert verdict.dimensions["novelty"].verdict == "same"


def test_a_change_of_timbre_is_novelty(synth: ModuleType) -> None:
    found = judged(synth, 0.0, 6.0).dimensions["novelty"]
    assert found.delta is not None
    assert found.delta > 1.0
    assert found.verdict == "improved"


def test_a_smaller_step_is_less_contrast_and_undone(synth: ModuleType) -> None:
    verdict = judged(synth, -2.0)
    assert verdict.dimensions["contrast"].verdict == "worse"
    assert verdict.decision == "undo"


@pytest.mark.parametrize(
    ("sections", "reason"),
    [
        ((), "one passage has nothing to contrast with"),
        ([(0.0, 32.0)], "1 sections of 4 bars or more were captured, two are needed"),
        ([(0.0, 32.0), (40.0, 52.0)], "1 sections of 4 bars or more"),
        ([(0.0, 32.0), (400.0, 500.0)], "1 sections of 4 bars or more"),
    ],
)
def test_without_two_sections_there_is_none(synth: ModuleType, sections: Any, reason: str) -> None:
    verdict = judged(synth, 2.0, sections=sections)
    assert reason in (verdict.dimensions["contrast"].reason or "")
    assert verdict.decision == "inconclusive"


def test_bars_lie_in_a_section_with_their_whole_length() -> None:
    place = section_of_bars([(8.0, 18.0), (0.0, 4.0)], 0.0, 4.0, np.arange(6))
    assert place.tolist() == [0, -1, 1, 1, -1, -1]


@pytest.mark.parametrize(
    "sections", [[(4.0, 4.0)], [(0.0, 8.0), (4.0, 12.0)], [(0.0, float("nan"))], [(0.0, 1.0)] * 65]
)
def test_sections_that_are_none_are_refused(sections: Any) -> None:
    with pytest.raises(InputError):
        section_of_bars(sections, 0.0, 4.0, np.arange(4))
