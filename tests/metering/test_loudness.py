from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pybackend.errors import InputError
from pybackend.metering import design
from pybackend.metering.loudness import (
    integrated_loudness,
    integrated_lufs,
    loudness_range_lu,
)
from pybackend.metering.meter import Meter
from pybackend.metering.units import k_power_from_lufs

LEVELS_LUFS = st.floats(-110.0, 10.0)


def plain_integrated(blocks: list[float]) -> float | None:
    """Both gates of BS.1770-5, written out, from the mean squares of gating blocks."""
    loud = [b for b in blocks if b > 0.0 and -0.691 + 10.0 * np.log10(b) > -70.0]
    if not loud:
        return None
    gate = -0.691 + 10.0 * np.log10(np.mean(loud)) - 10.0
    kept = [b for b in loud if -0.691 + 10.0 * np.log10(b) > gate]
    return -0.691 + 10.0 * np.log10(np.mean(kept))


@given(hnp.arrays(np.float64, st.integers(0, 120), elements=LEVELS_LUFS))
def test_integrated_is_the_standards_gating(levels_lufs):
    power = k_power_from_lufs(levels_lufs)
    blocks = [power[i : i + 8].mean() for i in range(0, len(power) - 7, 2)]
    assert integrated_lufs(power) == pytest.approx(plain_integrated(blocks), abs=1e-9)


def test_the_absolute_gate_is_strict():
    at_gate = np.full(8, k_power_from_lufs(-70.0))
    assert integrated_lufs(at_gate) is None
    assert integrated_lufs(at_gate * (1.0 + 1e-9)) == pytest.approx(-70.0, abs=1e-6)


def test_too_short_or_silent_is_none():
    assert integrated_lufs([]) is None
    assert integrated_lufs(np.ones(7)) is None
    assert integrated_lufs(np.zeros(100)) is None
    assert loudness_range_lu([]) is None
    assert loudness_range_lu(np.full(59, -20.0)) is None
    assert loudness_range_lu(np.full(200, -120.0)) is None


def test_unknown_frames_leave_out_their_blocks():
    power = np.repeat(k_power_from_lufs([-20.0, -10.0, -20.0]), 20)
    known = power.copy()
    known[20:40] = np.nan
    assert integrated_lufs(power) > -15.0
    assert integrated_lufs(known) == pytest.approx(-20.0)
    assert integrated_lufs(np.full(100, np.nan)) is None


@given(hnp.arrays(np.float64, st.integers(60, 300), elements=LEVELS_LUFS))
def test_range_is_tech_3342(lufs_s):
    readings = [x for x in lufs_s[59:] if x >= -70.0]
    if not readings:
        assert loudness_range_lu(lufs_s) is None
        return
    gate = 10.0 * np.log10(np.mean([10.0 ** (x / 10.0) for x in readings])) - 20.0
    if min(abs(x - gate) for x in readings) < 1e-9:
        return  # the last digit of the gate would decide
    kept = sorted(x for x in readings if x >= gate)
    low, high = (int(np.floor((len(kept) - 1) * p / 100.0 + 1.5)) - 1 for p in (10, 95))
    assert loudness_range_lu(lufs_s) == pytest.approx(kept[high] - kept[low], abs=1e-9)


def test_range_starts_when_the_window_is_full():
    filling = np.linspace(-60.0, -20.0, 59)
    assert loudness_range_lu(np.concatenate((filling, np.full(100, -20.0)))) == 0.0


def test_range_ignores_unknown_readings():
    lufs_s = np.full(300, -20.0)
    lufs_s[100:200] = np.nan
    assert loudness_range_lu(lufs_s) == 0.0


@pytest.mark.parametrize("rate_hz", design.EXACT_RATES_HZ)
def test_fast_path_is_the_frames(rate_hz, music):
    pcm = music(5.3, rate_hz)
    frames = Meter(rate_hz).process(pcm)
    assert integrated_loudness(pcm, rate_hz) == pytest.approx(
        integrated_lufs(frames.column("k_power")), abs=1e-9
    )


@pytest.mark.parametrize("rate_hz", [8000, 11025, 22050, 37799])
def test_blocks_end_at_the_nearest_sample(rate_hz, music, reference):
    pcm = music(2.05, rate_hz)
    energy = np.cumsum((reference(pcm, rate_hz).k_weighted() ** 2).sum(axis=1))
    energy = np.concatenate(([0.0], energy))
    edges = [int(np.floor(k * rate_hz / 10.0 + 0.5)) for k in range(21)]
    blocks = [(energy[b] - energy[a]) / (b - a) for a, b in zip(edges, edges[4:], strict=False)]
    assert integrated_loudness(pcm, rate_hz) == pytest.approx(plain_integrated(blocks), abs=1e-6)


def test_channels_weigh_what_they_are_given(music):
    a, b, c = (music(2.0, 48000, seed)[:, 0] for seed in (1, 2, 3))
    pair = np.stack((a, b), axis=1)
    assert integrated_loudness(a, 48000, [2.0]) == pytest.approx(
        integrated_loudness(a, 48000) + 10.0 * np.log10(2.0)
    )
    assert integrated_loudness(pair, 48000, [0.0, 1.0]) == pytest.approx(
        integrated_loudness(b, 48000)
    )
    surround = np.stack((a, np.zeros_like(a), np.zeros_like(a), c, b), axis=1)
    weighted = np.stack((a, np.sqrt(1.41) * c, np.sqrt(1.41) * b), axis=1)
    assert integrated_loudness(surround, 48000, (1, 1, 1, 1.41, 1.41)) == pytest.approx(
        integrated_loudness(weighted, 48000)
    )
    assert integrated_loudness(np.stack((a, a), axis=1), 48000, (0, 0)) is None


def test_samples_that_are_not_finite_leave_out_their_blocks():
    time_s = np.arange(48000 * 6) / 48000
    pcm = 0.1 * np.sin(2.0 * np.pi * 1000.0 * time_s)
    whole = integrated_loudness(pcm, 48000)
    pcm[100_000:101_000] = np.nan
    assert integrated_loudness(pcm, 48000) == pytest.approx(whole, abs=0.05)
    frames = Meter(48000, 1).process(pcm)
    assert integrated_loudness(pcm, 48000) == pytest.approx(
        integrated_lufs(frames.column("k_power")), abs=1e-9
    )
    assert integrated_loudness(np.full((48000, 2), np.inf), 48000) is None


def test_short_signals_are_none():
    assert integrated_loudness(np.ones((19199, 2)), 48000) is None
    assert integrated_loudness(np.ones((19200, 2)), 48000) is not None
    assert integrated_loudness(np.empty((0, 2)), 48000) is None


@pytest.mark.parametrize("weights", [(1.0,), (1.0, -1.0), (1.0, np.nan), ((1.0, 1.0),), 1.0])
def test_weights_that_do_not_fit_are_refused(weights):
    with pytest.raises(InputError, match="weights"):
        integrated_loudness(np.zeros((48000, 2)), 48000, weights)


def test_surround_needs_weights():
    with pytest.raises(InputError, match="loudness of 5 channels needs their weights"):
        integrated_loudness(np.zeros((48000, 5)), 48000)
