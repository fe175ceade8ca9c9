"""True peak on the signals of EBU Tech 3341, and sample peak."""

from __future__ import annotations

import numpy as np
import pytest

from pybackend.metering.design import EXACT_RATES_HZ
from pybackend.metering.truepeak import true_peak
from tests.conformance import signals


def reading_db(frames) -> float:
    return float(20.0 * np.log10(frames.column("true_peak").max()))


@pytest.mark.parametrize("rate_hz", EXACT_RATES_HZ)
@pytest.mark.parametrize("case", signals.TRUE_PEAK, ids=lambda case: case.name)
def test_cases_15_to_23(analyzer, rate_hz, case, deviations):
    reading = reading_db(analyzer(rate_hz).frames(case.make(rate_hz)))
    deviations.note("3341-15 to 23: true peak", "dB", rate_hz, abs(reading - case.expected))
    assert case.accepts(reading), reading


def test_peaks_agree_with_the_whole_signal(analyzer, rate_hz):
    rng = np.random.default_rng(rate_hz)
    pcm = rng.standard_normal((rate_hz // 4, 2)) * [0.1, 0.3]
    frames = analyzer(rate_hz).frames(np.concatenate((pcm, np.zeros((rate_hz // 20, 2)))))
    largest = frames.column("true_peak").max(axis=0)
    np.testing.assert_allclose(largest, true_peak(pcm, rate_hz), rtol=1e-12)
    np.testing.assert_array_equal(frames.column("sample_peak").max(axis=0), np.abs(pcm).max(axis=0))
    assert (frames.column("true_peak") >= frames.column("sample_peak")).all()
