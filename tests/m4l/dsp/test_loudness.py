"""Loudness: EBU Tech 3341 signals, and two meters of others."""

from __future__ import annotations

import numpy as np
import pyebur128
import pyloudnorm
import pytest

from pybackend.metering.design import FRAMES_PER_S
from pybackend.metering.loudness import integrated_lufs
from tests.conformance import signals
from tests.conformance.programme import noise_bursts

TOLERANCE_LU = 0.05
STEPS = (0, 5, 10, 15, 19)
"""Of the twenty steps of case 11, which takes two minutes."""


@pytest.mark.parametrize("level_lufs", [-23.0, -33.0], ids=["3341-1", "3341-2"])
def test_steady_tone(analyzer, rate_hz, level_lufs, deviations):
    frames = analyzer(rate_hz).frames(signals.tone([(4.0, level_lufs)], rate_hz))
    for field, settled_s in (("lufs_m", 0.4), ("lufs_s", 3.0)):
        for name in (field, f"{field}_max"):
            readings = frames.column(name)[round(settled_s * FRAMES_PER_S) - 1 :]
            error = np.abs(readings - level_lufs).max()
            assert deviations.note("3341-1, 2: M and S", "LU", rate_hz, error) <= TOLERANCE_LU


def test_3341_9_short_term_is_constant(analyzer, rate_hz, deviations):
    frames = analyzer(rate_hz).frames(signals.constant_short_term(rate_hz))
    readings = frames.column("lufs_s")[3 * FRAMES_PER_S - 1 :]
    assert len(readings) == 241
    error = np.abs(readings + 23.0).max()
    assert deviations.note("3341-9: S", "LU", rate_hz, error) <= TOLERANCE_LU


def test_3341_12_momentary_is_constant(analyzer, rate_hz, deviations):
    frames = analyzer(rate_hz).frames(signals.constant_momentary(rate_hz))
    for name in ("lufs_m", "lufs_m_max"):
        error = np.abs(frames.column(name)[FRAMES_PER_S - 1 :] + 23.0).max()
        assert deviations.note("3341-12: M", "LU", rate_hz, error) <= TOLERANCE_LU


def step_maxima(frames, name: str, step_s: float) -> np.ndarray:
    """Largest reading within each of successive stretches."""
    step = round(step_s * FRAMES_PER_S)
    readings = frames.column(name)
    return readings[: len(readings) // step * step].reshape(-1, step).max(axis=1)


def test_3341_11_short_term_maxima(analyzer, rate_hz, deviations):
    segments = []
    for i in STEPS:
        segments += [(0.15 * i, None), (3.0, -38.0 + i), (3.0 - 0.15 * i, None)]
    frames = analyzer(rate_hz).frames(signals.tone(segments, rate_hz))
    error = np.abs(step_maxima(frames, "lufs_s_max", 6.0) - np.array(STEPS) + 38.0).max()
    assert deviations.note("3341-11: S max", "LU", rate_hz, error) <= TOLERANCE_LU


def test_3341_11_whole(analyzer):
    frames = analyzer(48000).frames(signals.short_term_stairs(48000))
    error = np.abs(step_maxima(frames, "lufs_s_max", 6.0) - np.arange(-38.0, -18.0))
    assert len(error) == 20
    assert error.max() <= TOLERANCE_LU


def test_3341_13_files(analyzer, rate_hz, deviations):
    for index in range(20):
        pcm = signals.momentary_file(index, rate_hz)[: round((0.02 * index + 0.5) * rate_hz)]
        error = abs(analyzer(rate_hz).frames(pcm).column("lufs_m_max").max() + 23.0)
        assert deviations.note("3341-13: M max", "LU", rate_hz, error) <= TOLERANCE_LU


def test_3341_14_momentary_maxima(analyzer, rate_hz, deviations):
    frames = analyzer(rate_hz).frames(signals.momentary_stairs(rate_hz))
    error = np.abs(step_maxima(frames, "lufs_m_max", 0.8) - np.arange(-38.0, -18.0))
    assert len(error) == 20
    assert deviations.note("3341-14: M max", "LU", rate_hz, error.max()) <= TOLERANCE_LU


@pytest.fixture(scope="module")
def programme(rate_hz):
    return noise_bursts(rate_hz, 6.0)


def test_windows_agree_with_libebur128(analyzer, rate_hz, programme, deviations):
    mode = pyebur128.MeasurementMode.MODE_M | pyebur128.MeasurementMode.MODE_S
    theirs = pyebur128.R128State(2, rate_hz, mode)
    frames = analyzer(rate_hz).frames(programme)
    frame = rate_hz // FRAMES_PER_S
    readings = []
    for start in range(0, len(programme), frame):
        block = programme[start : start + frame]
        theirs.add_frames(np.ascontiguousarray(block).ravel(), len(block))
        readings.append(
            (pyebur128.get_loudness_momentary(theirs), pyebur128.get_loudness_shortterm(theirs))
        )
    momentary, short_term = np.array(readings).T
    for name, reading, settled_s in (("lufs_m", momentary, 0.4), ("lufs_s", short_term, 3.0)):
        first = round(settled_s * FRAMES_PER_S) - 1
        loud = reading[first:] > -70.0
        assert loud.sum() > 50
        error = np.abs(frames.column(name)[first:] - reading[first:])[loud].max()
        what = f"{name} against libebur128"
        assert deviations.note(what, "LU", rate_hz, error) <= TOLERANCE_LU


def test_power_agrees_with_pyloudnorm(analyzer, rate_hz, programme, deviations):
    ours = integrated_lufs(analyzer(rate_hz).frames(programme).column("k_power"))
    theirs = pyloudnorm.Meter(rate_hz).integrated_loudness(programme.astype(np.float64))
    error = abs(ours - theirs)
    what = "k_power against pyloudnorm, integrated"
    assert deviations.note(what, "LU", rate_hz, error) <= 0.1


def test_no_drift_after_loud_sound(analyzer):
    """Silence reads the floor however loud the sound before was."""
    rate_hz = 48000
    rng = np.random.default_rng(1)
    loud = np.clip(rng.standard_normal((rate_hz, 2)) * 300.0, -999.0, 999.0)
    frames = analyzer(rate_hz).frames(np.concatenate((loud, np.zeros((4 * rate_hz, 2)))))
    assert frames.column("lufs_s").max() > 40.0
    assert (frames.column("lufs_m")[-40:] == -120.0).all()
    assert (frames.column("lufs_s_max")[-1:] == -120.0).all()
