from __future__ import annotations

import numpy as np
import pytest

from pybackend.metering import design

TABLE_1 = (
    1.53512485958697,
    -2.69169618940638,
    1.19839281085285,
    -1.69065929318241,
    0.73248077421585,
)
TABLE_2 = (1.0, -2.0, 1.0, -1.99004745483398, 0.99007225036621)
AUDIBLE_HZ = np.geomspace(20.0, 20000.0, 400)
LOW_RATES_HZ = (8000, 11025, 22050, 32000)


@pytest.fixture
def k_gain_db(biquad_response):
    def k_gain_db(sections, rate_hz):
        responses = [biquad_response(section, AUDIBLE_HZ, rate_hz) for section in sections]
        return 20.0 * np.log10(np.abs(np.prod(responses, axis=0)))

    return k_gain_db


def test_k_weighting_is_the_table_at_48_khz():
    shelf, high_pass = design.k_weighting(48000)
    assert shelf == pytest.approx(TABLE_1, abs=1e-14)
    assert high_pass == pytest.approx(TABLE_2, abs=1e-14)


@pytest.mark.parametrize("rate_hz", design.EXACT_RATES_HZ)
def test_k_weighting_keeps_the_response_of_48_khz(rate_hz, k_gain_db):
    table = k_gain_db((design.Biquad(*TABLE_1), design.Biquad(*TABLE_2)), 48000)
    derived = k_gain_db(design.k_weighting(rate_hz), rate_hz)
    assert np.abs(derived - table).max() < 0.05


def allpass(split: design.Split, z: np.ndarray):
    def second(section):
        a1, a2 = section
        return (a2 + a1 * z + z * z) / (1.0 + a1 * z + a2 * z * z)

    c = split.first.c
    return (c + z) / (1.0 + c * z) * second(split.second), second(split.third) * second(
        split.fourth
    )


@pytest.mark.parametrize("rate_hz", [*design.EXACT_RATES_HZ, *LOW_RATES_HZ])
def test_splits_are_butterworth_and_lose_nothing(rate_hz, butterworth_response):
    hz = np.geomspace(5.0, 0.499 * rate_hz, 500)
    z = np.exp(-2j * np.pi * hz / rate_hz)
    for split in design.band_splits(rate_hz):
        a0, a1 = allpass(split, z)
        low, high = butterworth_response(hz, split.edge_hz, rate_hz)
        assert np.abs((a0 + a1) / 2.0) == pytest.approx(np.abs(low), abs=1e-9)
        assert np.abs((a1 - a0) / 2.0) == pytest.approx(np.abs(high), abs=1e-9)


@pytest.mark.parametrize(
    ("rate_hz", "bands"), [(8000, 6), (11025, 7), (22050, 8), (32000, 8), (44100, 9), (192000, 9)]
)
def test_bands_stop_at_nyquist(rate_hz, bands):
    assert design.available_bands(rate_hz) == bands
    assert len(design.band_splits(rate_hz)) == bands + 1


@pytest.mark.parametrize("rate_hz", design.EXACT_RATES_HZ)
def test_sub_blocks_are_exact_at_the_standard_rates(rate_hz):
    ends = [design.sub_block_end(k, rate_hz) for k in range(300)]
    assert np.diff([0, *ends]).tolist() == [rate_hz // 100] * 300


def test_rounding_of_sub_blocks_never_adds_up():
    for rate_hz in (8001, 11025, 22050, 37799):
        ends = np.array([design.sub_block_end(k, rate_hz) for k in range(100_000)])
        assert np.abs(ends - (np.arange(100_000) + 1) * rate_hz / 100).max() <= 0.5


def test_interpolator_passes_the_samples_and_mirrors_its_phases():
    bank = np.array(design.true_peak_bank())
    assert bank[0] == pytest.approx([0.0] * 6 + [1.0] + [0.0] * 5, abs=1e-16)
    assert bank[0].max() == 1.0
    assert bank[2] == pytest.approx(bank[2][::-1], abs=1e-15)
    assert bank[1] == pytest.approx(bank[3][::-1], abs=1e-15)
