"""Speed of judging: all frame dimensions and the jackknife, warm, on one thread."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from pybackend.capture.aligned import AlignedCaptures
from pybackend.judgment.evaluate import judge
from pybackend.judgment.goal import compile_goal_vector, goal_from

LIMIT_MS = 20.0
ROUNDS = 30
GOAL = goal_from(
    compile_goal_vector(
        "all of it",
        {"brightness": 0.4, "weight": 0.3, "dynamics": 0.3},
        {"width": None, "psr": 0.2},
    )
)


@pytest.fixture(scope="module")
def synth() -> ModuleType:
    path = Path(__file__).parents[1] / "judgment" / "synth.py"
    spec = importlib.util.spec_from_file_location("movejudge_judgment_synth", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def medians_ms(cases: dict[int, AlignedCaptures]) -> dict[int, float]:
    """Median time of judging each case, the cases taking turns."""
    times: dict[int, list[float]] = {n_bars: [] for n_bars in cases}
    for captures in cases.values():
        judge(GOAL, captures)
    for _ in range(ROUNDS):
        for n_bars, captures in cases.items():
            start = time.perf_counter()
            judge(GOAL, captures)
            times[n_bars].append(1e3 * (time.perf_counter() - start))
    return {n_bars: float(np.median(taken)) for n_bars, taken in times.items()}


@pytest.mark.benchmark
def test_three_captures_of_64_bars_within_20_ms_and_linear(synth: ModuleType) -> None:
    moves = {"band_db": synth.shelf(1.0)}
    cases = {
        n_bars: synth.comparison(noise="H.25", n_bars=n_bars, moves=moves)
        for n_bars in (8, 64, 256, 1024)
    }
    taken = medians_ms(cases)
    for n_bars, ms in taken.items():
        print(f"\n{n_bars:5d} bars, {n_bars * synth.FRAMES_PER_BAR:6d} frames x 3: {ms:7.2f} ms")
    assert taken[64] < LIMIT_MS
    # The fixed part apart, time grows with the frames: slopes between sizes stay within a factor.
    slope = [(taken[b] - taken[a]) / (b - a) for a, b in ((8, 64), (64, 256), (256, 1024))]
    assert max(slope[1:]) < 2.5 * min(slope[1:])
    assert taken[1024] < 16 * 1.5 * taken[64]
