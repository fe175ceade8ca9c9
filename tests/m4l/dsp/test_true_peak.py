"""True peak on the signals of EBU Tech 3341, and sample peak."""

from __future__ import annotations

import numpy as np
import pytest

from pybackend.metering.design import EXACT_RATES_HZ, true_peak_phases
from pybackend.metering.truepeak import true_peak
from tests.conformance import signals

SINES = {15: (4, 0.5, 0.0), 16: (4, 0.5, 45.0), 17: (6, 0.5, 60.0), 18: (8, 0.5, 67.5)}
SINES |= {19: (4, 1.41, 45.0)}
LOW_DB, HIGH_DB = -0.4, 0.2
FOUR_TIMES = [rate for rate in EXACT_RATES_HZ if true_peak_phases(rate) == 4]
TWICE = [rate for rate in EXACT_RATES_HZ if true_peak_phases(rate) == 2]
"""Here the frequencies of the cases would be ultrasonic: they are taken as at half the rate."""


def reading_db(frames) -> float:
    return float(20.0 * np.log10(frames.column("true_peak").max()))


@pytest.mark.parametrize("rate_hz", FOUR_TIMES)
@pytest.mark.parametrize("case", signals.TRUE_PEAK, ids=lambda case: case.name)
def test_cases_15_to_23(analyzer, rate_hz, case, deviations):
    reading = reading_db(analyzer(rate_hz).frames(case.make(rate_hz)))
    deviations.note("3341-15 to 23: true peak", "dB", rate_hz, abs(reading - case.expected))
    assert case.accepts(reading), reading


@pytest.mark.parametrize("rate_hz", TWICE)
@pytest.mark.parametrize("case", signals.TRUE_PEAK[:5], ids=lambda case: case.name)
def test_sines_twice_oversampled(analyzer, rate_hz, case, deviations):
    divisor, amplitude, phase_deg = SINES[int(case.name.split("-")[1])]
    pcm = signals.peak_sine(2 * divisor, amplitude, phase_deg, rate_hz)
    reading = reading_db(analyzer(rate_hz).frames(pcm))
    deviations.note("3341-15 to 23: true peak", "dB", rate_hz, abs(reading - case.expected))
    assert case.accepts(reading), reading


@pytest.mark.parametrize("rate_hz", TWICE)
@pytest.mark.parametrize("offset", range(8))
def test_bursts_twice_oversampled(analyzer, rate_hz, offset, deviations):
    """Cases 20 to 23, at the eight offsets that there are now."""
    carrier = 0.5 * np.sin(2.0 * np.pi / 48.0 * np.arange(48 * (rate_hz // 48)))
    burst = np.sin(2.0 * np.pi / 32.0 * np.arange(32))
    fast = np.concatenate((carrier, burst, carrier))
    mono = np.convolve(fast, signals._half_band(), mode="same")[offset::4]
    faded = mono * signals._fades(len(mono), rate_hz)
    reading = reading_db(analyzer(rate_hz).frames(np.column_stack((faded, faded))))
    deviations.note("3341-15 to 23: true peak", "dB", rate_hz, abs(reading))
    assert LOW_DB <= reading <= HIGH_DB


@pytest.mark.parametrize("rate_hz", TWICE)
@pytest.mark.parametrize("case", signals.TRUE_PEAK, ids=lambda case: case.name)
def test_ultrasonic_cases_read_at_most_half_a_decibel_low(analyzer, rate_hz, case):
    """A burst at 48 kHz between four samples: what twice oversampling costs, see `design`."""
    reading = reading_db(analyzer(rate_hz).frames(case.make(rate_hz)))
    assert -0.5 <= reading - case.expected <= HIGH_DB


def test_peaks_agree_with_the_whole_signal(analyzer, rate_hz):
    rng = np.random.default_rng(rate_hz)
    pcm = rng.standard_normal((rate_hz // 4, 2)) * [0.1, 0.3]
    frames = analyzer(rate_hz).frames(np.concatenate((pcm, np.zeros((rate_hz // 20, 2)))))
    largest = frames.column("true_peak").max(axis=0)
    np.testing.assert_allclose(largest, true_peak(pcm, rate_hz), rtol=1e-12)
    np.testing.assert_array_equal(frames.column("sample_peak").max(axis=0), np.abs(pcm).max(axis=0))
    assert (frames.column("true_peak") >= frames.column("sample_peak")).all()
