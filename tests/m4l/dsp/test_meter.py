"""Field by field against the backend's own meter, on programme with pauses and steps."""

from __future__ import annotations

import numpy as np
import pytest

from m4l import ring
from pybackend.metering.meter import Meter
from tests.conformance.programme import noise_bursts

POWER_FLOOR = 1e-18
"""-180 dB: what lies below is rounding noise of both."""

POWERS = (
    *("band_power", "mean_square", "k_power_prev", "k_power"),
    *("peak10_full", "peak10_low", "peak10_high"),
)
PEAKS = ("sample_peak", "true_peak")
CROSS = ("band_lr", "lr_product")
LEVELS = ("lufs_m", "lufs_m_max", "lufs_s", "lufs_s_max", "flux_full", "flux_low")
POSITION = ("flags", "song_beats", "bar", "beats_per_bar", "tempo")
EXACT = ("sample_rate", "seq", "seq_check")

TOLERANCE = 1e-6
"""dB, LU, or share of the power."""


def power_db(power: np.ndarray) -> np.ndarray:
    return 10.0 * np.log10(np.maximum(power, POWER_FLOOR))


@pytest.fixture(scope="module")
def both(analyzer, rate_hz):
    pcm = 2.0 * noise_bursts(rate_hz, 5.0)
    return analyzer(rate_hz).frames(pcm), Meter(rate_hz, 2).process(pcm)


def test_every_field_is_compared():
    assert {*POWERS, *PEAKS, *CROSS, *LEVELS, *POSITION, *EXACT} == set(ring.FIELDS)


def test_as_many_frames(both):
    ours, theirs = both
    assert len(ours) == len(theirs) == 100


@pytest.mark.parametrize("name", EXACT)
def test_exact(both, name):
    ours, theirs = both
    np.testing.assert_array_equal(ours.column(name), theirs.column(name))


@pytest.mark.parametrize("name", POWERS)
def test_powers(both, rate_hz, name, deviations):
    ours, theirs = (power_db(frames.column(name)) for frames in both)
    assert theirs.max() > -60.0
    assert deviations.note(name, "dB", rate_hz, np.abs(ours - theirs).max()) < TOLERANCE


@pytest.mark.parametrize("name", PEAKS)
def test_peaks(both, rate_hz, name, deviations):
    ours, theirs = (power_db(frames.column(name) ** 2) for frames in both)
    assert theirs.max() > -30.0
    assert deviations.note(name, "dB", rate_hz, np.abs(ours - theirs).max()) < TOLERANCE


@pytest.mark.parametrize("name", CROSS)
def test_products_of_left_and_right(both, rate_hz, name, deviations):
    ours, theirs = both
    share = np.abs(ours.column(name) - theirs.column(name))
    power = theirs.column("band_power" if name == "band_lr" else "mean_square")
    share = share / np.maximum(power if name == "band_lr" else power.sum(axis=1), POWER_FLOOR)
    assert np.abs(theirs.column(name)).max() > 1e-5
    assert deviations.note(name, "share of power", rate_hz, share.max()) < TOLERANCE


@pytest.mark.parametrize("name", LEVELS)
def test_levels(both, rate_hz, name, deviations):
    ours, theirs = (frames.column(name) for frames in both)
    assert np.ptp(theirs) > 10.0
    unit = "dB" if name.startswith("flux") else "LU"
    assert deviations.note(name, unit, rate_hz, np.abs(ours - theirs).max()) < TOLERANCE


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 32000])
def test_lower_rates_measure_the_bands_they_carry(analyzer, rate):
    pcm = noise_bursts(rate, 2.0)
    ours, theirs = analyzer(rate).frames(pcm), Meter(rate, 2).process(pcm)
    missing = np.isnan(theirs.values)
    assert missing.any()
    assert not ours.values[missing].any()
    for name in ring.FIELDS:
        if name in POSITION:
            continue
        expected = np.nan_to_num(theirs.column(name))
        # A loudness window that is no whole number of samples is a sample longer or shorter.
        is_window = name.startswith("lufs")
        limits = {"rtol": 0.0, "atol": 0.002} if is_window else {"rtol": 1e-6, "atol": 1e-9}
        np.testing.assert_allclose(ours.column(name), expected, err_msg=name, **limits)
