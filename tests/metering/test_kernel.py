"""The filters as they run, and the sums that frames do not show."""

from __future__ import annotations

import numpy as np
import pytest

from pybackend.metering import design
from pybackend.metering.assemble import Assembler
from pybackend.metering.columns import BAND, COLUMNS, FULL, K_ENERGY
from pybackend.metering.kernel import Run, sub_block_end
from pybackend.metering.lanes import Lanes, as_pcm
from pybackend.metering.simd import LANES
from pybackend.stream.protocol import SEQ_MODULUS

RATES_HZ = (*design.EXACT_RATES_HZ, 8000, 11025, 22050, 32000)


@pytest.fixture
def rows_of():
    """Rows of a stereo signal, shape (sub-blocks, COLUMNS), from one of the lanes."""

    def rows_of(pcm: np.ndarray, rate_hz: int, lane: int = 0) -> np.ndarray:
        starts = np.zeros(LANES, np.int64)
        return Lanes(rate_hz).advance(as_pcm(pcm), Run(starts, len(pcm), 0))[lane]

    return rows_of


def tail(rate_hz: int) -> np.ndarray:
    return np.zeros((3 * rate_hz, 2))


def noise(rate_hz: int) -> np.ndarray:
    return np.random.default_rng(5).standard_normal((rate_hz, 2))


def tone(hz: float):
    def make(rate_hz: int) -> np.ndarray:
        phase = 2.0 * np.pi * hz * np.arange(rate_hz) / rate_hz
        return np.stack((np.sin(phase), 0.5 * np.cos(phase)), axis=1)

    return make


def burst(rate_hz: int) -> np.ndarray:
    return tone(90.0)(rate_hz)[: rate_hz // 30] * [1.0, -1.0]


def impulse(rate_hz: int) -> np.ndarray:
    pcm = np.zeros((rate_hz // 10, 2))
    pcm[17] = (1.0, 0.3)
    return pcm


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize(
    "signal",
    [noise, tone(11.0), tone(60.0), tone(997.0), tone(2000.0), tone(3700.0), burst, impulse],
)
def test_bands_and_rests_add_up_to_the_signal(signal, rate_hz, rows_of):
    rows = rows_of(np.concatenate((signal(rate_hz), tail(rate_hz))), rate_hz)
    sums = rows.sum(axis=0)
    bands = sums[BAND:FULL].reshape(-1, 3)
    total = sums[FULL : FULL + 3]
    for column in range(2):
        assert 10.0 * np.log10(bands[:, column].sum() / total[column]) == pytest.approx(0, abs=1e-3)
    # Both channels pass the same filters, so even L * R adds up.
    assert bands[:, 2].sum() == pytest.approx(total[2], abs=1e-6 * total[:2].sum())


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_bands_have_the_butterworth_response(rate_hz, rows_of, butterworth_response):
    """An impulse's energy per band is the integral of the analytic response over frequency."""
    pcm = np.concatenate((np.array([[1.0, 1.0]]), tail(rate_hz)))
    rows = rows_of(pcm, rate_hz)
    got = rows.sum(axis=0)[BAND:FULL].reshape(-1, 3)[:, 0]
    count = 1 << 18
    hz = (np.arange(count) + 0.5) * rate_hz / 2 / count
    passed = np.ones(count)
    for band, split in enumerate(design.band_splits(rate_hz)):
        low, high = butterworth_response(hz, split.edge_hz, rate_hz)
        want = (passed * np.abs(low) ** 2).mean()
        assert got[band] == pytest.approx(want, rel=1e-6)
        passed *= np.abs(high) ** 2
    assert got[len(design.band_splits(rate_hz))] == pytest.approx(passed.mean(), rel=1e-6)


@pytest.mark.parametrize("rate_hz", design.EXACT_RATES_HZ)
def test_k_weighting_keeps_the_response_of_48_khz(rate_hz, rows_of, biquad_response):
    """Tones of 20 Hz to 20 kHz, measured over whole periods after the filters have settled."""
    for hz in (20, 40, 60, 100, 200, 500, 1000, 1500, 2000, 2700, 4000, 8000, 12000, 16000, 20000):
        rows = rows_of(tone(hz)(rate_hz), rate_hz)[50:].sum(axis=0)
        got_db = 10.0 * np.log10(rows[K_ENERGY] / rows[FULL])
        shelf, high_pass = (
            biquad_response(section, np.array([float(hz)]), 48000)
            for section in design.k_weighting(48000)
        )
        want_db = 20.0 * np.log10(np.abs(shelf * high_pass)[0])
        assert got_db == pytest.approx(want_db, abs=0.05), hz


def test_every_lane_computes_the_same(rows_of):
    pcm = noise(8000)
    first = rows_of(pcm, 8000)
    for lane in range(1, LANES):
        assert np.array_equal(rows_of(pcm, 8000, lane), first)


def test_lanes_read_where_they_are_told_and_silence_elsewhere():
    pcm = noise(8000)
    starts = np.array([-80, 0, 80, 160, 4000, 7920, 7960, 100_000])
    rows = Lanes(8000).advance(as_pcm(pcm), Run(starts, 160, 0))
    for lane, start in enumerate(starts):
        for block in range(2):
            first = start + 80 * block
            part = pcm[max(0, first) : max(0, first + 80), 0]
            assert rows[lane, block, FULL] == pytest.approx((part**2).sum(), rel=1e-12)


def test_skipped_rows_are_those_of_the_run_up():
    pcm = as_pcm(noise(8000))
    starts = np.zeros(LANES, np.int64)
    every = Lanes(8000).advance(pcm, Run(starts, 8000, 0))
    assert np.array_equal(Lanes(8000).advance(pcm, Run(starts, 8000, 30)), every[:, 30:])
    assert Lanes(8000).advance(pcm, Run(starts, 8000, 100)).shape == (LANES, 0, COLUMNS)


@pytest.mark.parametrize("rate_hz", [8000, 8001, 11025, 44100, 191999])
def test_the_compiled_clock_is_the_designed_one(rate_hz):
    for index in [*range(-300, 300), 10**6, 10**12]:
        assert sub_block_end(index, rate_hz) == design.sub_block_end(index, rate_hz)


def test_the_frame_counter_wraps():
    assembler = Assembler(48000, 1)
    assembler._index = (SEQ_MODULUS - 2) * design.SUB_BLOCKS_PER_FRAME
    frames = assembler.add(np.zeros((20, COLUMNS)))
    assert frames.column("seq").tolist() == [SEQ_MODULUS - 2, SEQ_MODULUS - 1, 0, 1]
    assert np.all(np.diff(frames.received_s) > 0.049)
