from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.errors import InputError
from pybackend.metering import design
from pybackend.metering.truepeak import true_peak

RATES_HZ = (*design.EXACT_RATES_HZ, 8000, 11025, 22050, 32000)


def faded(hz: float, rate_hz: int, phase: float) -> np.ndarray:
    """Full-scale sine of 50 ms with fades of 10 ms, so that its ends make no peaks."""
    n = rate_hz // 20
    ramp = np.minimum(1.0, np.minimum(np.arange(n), np.arange(n)[::-1]) / (0.01 * rate_hz))
    return ramp * np.sin(2.0 * np.pi * hz / rate_hz * np.arange(n) + phase)


def worst_db(frequencies, rate_hz) -> tuple[float, float]:
    """Smallest and largest reading over frequencies and phases."""
    phases = np.linspace(0.0, np.pi, 13)
    tones = [faded(hz, rate_hz, phase) for hz in frequencies for phase in phases]
    readings_db = 20.0 * np.log10(true_peak(np.stack(tones, axis=1), rate_hz))
    return float(readings_db.min()), float(readings_db.max())


def fractions(rate_hz: int, low: float, high: float) -> list[float]:
    """Simple fractions of the rate, where the samples meet the same phases again and again."""
    simple = {a / b for b in range(3, 13) for a in range(1, b)}
    even = np.linspace(low, high, 12)[1:]
    return [share * rate_hz for share in sorted({*simple, *even}) if low < share <= high]


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_sines_up_to_a_quarter_of_the_rate(rate_hz):
    low_db, high_db = worst_db(fractions(rate_hz, 0.01, 0.25), rate_hz)
    assert low_db > -0.3
    assert high_db < 0.1


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_sines_up_to_20_khz(rate_hz):
    limit = min(20000.0 / rate_hz, 20000.0 / 44100.0)
    low_db, high_db = worst_db(fractions(rate_hz, 0.01, limit), rate_hz)
    assert low_db > -0.6
    assert high_db < 0.1


@given(st.integers(0, 600), st.integers(1, 5), st.sampled_from([48000, 192000]))
@settings(max_examples=30, deadline=None)
def test_it_is_the_convolution_with_the_bank(length, channels, rate_hz):
    pcm = np.random.default_rng(length).standard_normal((length, channels))
    bank = design.true_peak_bank()
    want = [
        max((np.abs(np.convolve(channel, row)).max() for row in bank if length), default=0.0)
        for channel in pcm.T
    ]
    assert true_peak(pcm, rate_hz) == pytest.approx(want, rel=1e-12)
    assert (true_peak(pcm, rate_hz) >= np.abs(pcm).max(axis=0, initial=0.0)).all()


def test_edges_count():
    """A peak on the very first or last sample, and between the last two, is found."""
    pcm = np.zeros((1000, 3))
    pcm[0, 0] = pcm[-1, 1] = 0.7
    pcm[-2:, 2] = 0.7
    peaks = true_peak(pcm, 48000)
    assert peaks[:2] == pytest.approx([0.7, 0.7])
    assert peaks[2] > 0.8


def test_a_channel_that_is_not_finite_is_nan_and_the_others_are_not():
    pcm = np.full((100, 3), 0.5, np.float32)
    pcm[50, 1] = np.inf
    assert np.isnan(true_peak(pcm, 48000)).tolist() == [False, True, False]


def test_mono_and_refusals():
    assert true_peak(np.array([0.0, 1.0, 0.0]), 48000) == pytest.approx([1.0])
    with pytest.raises(InputError, match="sample rate"):
        true_peak(np.zeros(10), 384000)
    with pytest.raises(InputError, match="PCM of type int64"):
        true_peak(np.zeros(10, np.int64), 48000)
