"""Agreement with independent meters on programme that is nothing like a test tone."""

from __future__ import annotations

import numpy as np
import pyebur128
import pyloudnorm
import pytest

from pybackend.metering.design import FRAMES_PER_S
from pybackend.metering.loudness import (
    SHORT_TERM_FRAMES,
    integrated_loudness,
    integrated_lufs,
    loudness_range_lu,
)
from pybackend.metering.meter import Meter
from pybackend.metering.truepeak import true_peak

MODES = (
    pyebur128.MeasurementMode.MODE_I
    | pyebur128.MeasurementMode.MODE_LRA
    | pyebur128.MeasurementMode.MODE_TRUE_PEAK
)


def libebur128(pcm: np.ndarray, rate_hz: int) -> pyebur128.R128State:
    state = pyebur128.R128State(pcm.shape[1], rate_hz, MODES)
    state.add_frames(np.ascontiguousarray(pcm).ravel(), len(pcm))
    return state


def test_integrated_agrees_with_libebur128(programme):
    pcm = programme.make()
    theirs = pyebur128.get_loudness_global(libebur128(pcm, programme.rate_hz))
    assert -40.0 < theirs < -5.0
    assert integrated_loudness(pcm, programme.rate_hz) == pytest.approx(theirs, abs=0.02)


def test_integrated_agrees_with_pyloudnorm(programme):
    pcm = programme.make()
    theirs = pyloudnorm.Meter(programme.rate_hz).integrated_loudness(pcm.astype(np.float64))
    assert integrated_loudness(pcm, programme.rate_hz) == pytest.approx(theirs, abs=0.1)


@pytest.mark.parametrize("channels", [1, 2])
def test_frames_range_and_peak_agree_with_libebur128(long_programme, channels):
    rate_hz = long_programme.rate_hz
    pcm = np.ascontiguousarray(long_programme.make()[:, :channels])
    theirs = libebur128(pcm, rate_hz)
    frames = Meter(rate_hz, channels).process(pcm)
    integrated = integrated_lufs(frames.column("k_power"))
    assert integrated == pytest.approx(pyebur128.get_loudness_global(theirs), abs=0.02)

    # They take a short-term reading every second and we take one every frame; on their grid both
    # have to agree closely, on ours the percentiles of 90 s still scatter.
    lufs_s = frames.column("lufs_s")
    before, first = lufs_s[: SHORT_TERM_FRAMES - 1], SHORT_TERM_FRAMES - 1
    on_their_grid = np.concatenate((before, lufs_s[first::FRAMES_PER_S]))
    their_lra = pyebur128.get_loudness_range(theirs)
    assert loudness_range_lu(on_their_grid) == pytest.approx(their_lra, abs=0.02)
    assert loudness_range_lu(lufs_s) == pytest.approx(their_lra, abs=1.0)

    peaks_db = 20.0 * np.log10(true_peak(pcm, rate_hz))
    for channel in range(channels):
        their_peak_db = 20.0 * np.log10(pyebur128.get_true_peak(theirs, channel))
        assert peaks_db[channel] == pytest.approx(their_peak_db, abs=0.15)
