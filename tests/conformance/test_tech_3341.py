"""EBU Tech 3341 (2023) table 1, minimum requirements, from frames as a live meter sends them."""

from __future__ import annotations

import numpy as np
import pytest

from pybackend.metering.design import FRAMES_PER_S
from pybackend.metering.loudness import integrated_loudness, integrated_lufs
from pybackend.metering.truepeak import true_peak

TOLERANCE_LU = 0.1


def reading(frames, quantity: str) -> float | None:
    if quantity == "integrated":
        return integrated_lufs(frames.column("k_power"))
    if quantity == "short_term_max":
        return float(frames.column("lufs_s_max").max())
    if quantity == "momentary_max":
        return float(frames.column("lufs_m_max").max())
    return float(20.0 * np.log10(frames.column("true_peak").max()))


def test_integrated_from_frames(integrated_case, rate_hz, frames_of):
    value = reading(frames_of(integrated_case, rate_hz), "integrated")
    assert integrated_case.accepts(value), value


def test_integrated_of_whole_signal(integrated_case, rate_hz):
    value = integrated_loudness(integrated_case.make(rate_hz), rate_hz)
    assert integrated_case.accepts(value), value


@pytest.mark.parametrize(
    ("column", "settled_s"),
    [("lufs_m", 0.4), ("lufs_m_max", 0.4), ("lufs_s", 3.0), ("lufs_s_max", 3.0)],
)
def test_steady_tone_reads_the_same_on_every_scale(
    steady_case, rate_hz, frames_of, column, settled_s
):
    frames = frames_of(steady_case, rate_hz)
    first = round(settled_s * FRAMES_PER_S) - 1
    readings = frames.column(column)[first : 20 * FRAMES_PER_S]
    assert np.abs(readings - steady_case.expected).max() <= TOLERANCE_LU


def test_3341_6_surround(signals, rate_hz):
    case = signals.SURROUND
    value = integrated_loudness(case.make(rate_hz), rate_hz, signals.SURROUND_WEIGHTS)
    assert case.accepts(value), value


def test_3341_9_short_term_is_constant(signals, rate_hz, frames_of):
    frames = frames_of(signals.SHORT_TERM_CONSTANT, rate_hz)
    readings = frames.column("lufs_s")[3 * FRAMES_PER_S - 1 : 15 * FRAMES_PER_S]
    assert len(readings) == 241
    assert np.abs(readings + 23.0).max() <= TOLERANCE_LU


def test_3341_12_momentary_is_constant(signals, rate_hz, frames_of):
    frames = frames_of(signals.MOMENTARY_CONSTANT, rate_hz)
    inside = slice(FRAMES_PER_S - 1, 10 * FRAMES_PER_S)
    for column in ("lufs_m", "lufs_m_max"):
        assert np.abs(frames.column(column)[inside] + 23.0).max() <= TOLERANCE_LU


def test_3341_10_and_13_files(file_case, rate_hz, frames_of):
    value = reading(frames_of(file_case, rate_hz), file_case.quantity)
    assert file_case.accepts(value), value


def stair_error_lu(frames, column: str, step_s: float) -> float:
    """Largest deviation of the maxima of twenty successive steps from -38, -37 .. -19 LUFS."""
    step = round(step_s * FRAMES_PER_S)
    maxima = frames.column(column)[: 20 * step].reshape(20, step).max(axis=1)
    return float(np.abs(maxima - np.arange(-38.0, -18.0)).max())


def test_3341_11_short_term_maxima(signals, rate_hz, frames_of):
    frames = frames_of(signals.SHORT_TERM_STAIRS, rate_hz)
    assert stair_error_lu(frames, "lufs_s_max", 6.0) <= TOLERANCE_LU


def test_3341_14_momentary_maxima(signals, rate_hz, frames_of):
    frames = frames_of(signals.MOMENTARY_STAIRS, rate_hz)
    assert stair_error_lu(frames, "lufs_m_max", 0.8) <= TOLERANCE_LU


def test_true_peak_from_frames(peak_case, rate_hz, frames_of):
    value = reading(frames_of(peak_case, rate_hz), "true_peak")
    assert peak_case.accepts(value), value


def test_true_peak_of_whole_signal(peak_case, rate_hz):
    value = float(20.0 * np.log10(np.max(true_peak(peak_case.make(rate_hz), rate_hz))))
    assert peak_case.accepts(value), value
