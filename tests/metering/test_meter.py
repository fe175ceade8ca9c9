from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.errors import InputError
from pybackend.metering import design
from pybackend.metering.meter import Meter
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_FIELDS

MEASURED = slice(FRAME_COLUMNS["band_power"].start, FRAME_COLUMNS["seq_check"].start)
RATES_HZ = (*design.EXACT_RATES_HZ, 8000, 11025, 22050, 32000)


def same(a, b) -> bool:
    return np.array_equal(a.values, b.values, equal_nan=True) and np.array_equal(
        a.received_s, b.received_s
    )


def sine(hz: float, seconds: float, rate_hz: int = 48000, amplitude: float = 1.0) -> np.ndarray:
    return amplitude * np.sin(2.0 * np.pi * hz * np.arange(round(seconds * rate_hz)) / rate_hz)


def twice(signal: np.ndarray) -> np.ndarray:
    return np.stack((signal, signal), axis=1)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_frames_are_their_definition(rate_hz, music, reference):
    pcm = music(3.6 if rate_hz < 50000 else 0.9, rate_hz)
    frames = Meter(rate_hz, instance=77).process(pcm)
    expected = reference(pcm, rate_hz).frames()
    assert frames.values.shape == expected.shape
    for field in FRAME_FIELDS:
        where = FRAME_COLUMNS[field.name]
        if MEASURED.start <= where.start < MEASURED.stop:
            got, want = frames.values[:, where], expected[:, where]
            scale = np.nanmax(np.abs(want))
            np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9 * scale, err_msg=field.name)
    assert (frames.column("protocol") == 1).all()
    assert (frames.column("instance") == 77).all()
    assert (frames.column("flags") == 1).all()
    assert (frames.column("sample_rate") == rate_hz).all()
    assert frames.column("seq").tolist() == list(range(len(frames)))
    assert frames.column("seq_check").tolist() == frames.column("seq").tolist()
    assert frames.received_s == pytest.approx(
        0.05 * np.arange(1, len(frames) + 1), abs=0.51 / rate_hz
    )
    for name in ("song_beats", "bar", "beats_per_bar", "tempo"):
        assert not frames.column(name).any()


@given(
    rate_hz=st.sampled_from((8000, 11025, 48000)),
    sizes=st.lists(st.integers(0, 700), min_size=1, max_size=40),
    seed=st.integers(0, 100),
    single=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_chunk_sizes_change_no_bit(rate_hz, sizes, seed, single):
    rng = np.random.default_rng(seed)
    pcm = rng.standard_normal((sum(sizes), 2)) * 10.0 ** rng.uniform(-8, 1)
    if single:
        pcm = pcm.astype(np.float32)
    whole = Meter(rate_hz).process(pcm)
    meter = Meter(rate_hz)
    ends = np.cumsum(sizes)
    parts = [meter.process(pcm[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
    assert same(type(whole).concatenate(parts), whole)


def test_sample_by_sample_changes_no_bit(music):
    pcm = music(0.2, 8000)
    meter = Meter(8000)
    parts = [meter.process(pcm[i : i + 1]) for i in range(len(pcm))]
    assert same(type(parts[0]).concatenate(parts), Meter(8000).process(pcm))


def test_float32_is_measured_as_what_it_is(music):
    pcm = music(0.5, 48000).astype(np.float32)
    assert same(Meter(48000).process(pcm), Meter(48000).process(pcm.astype(np.float64)))
    assert same(Meter(48000).process(pcm), Meter(48000).process(np.asfortranarray(pcm)))


def test_silence():
    frames = Meter(48000).process(np.zeros((48000, 2)))
    assert len(frames) == 20
    levels = [
        FRAME_COLUMNS[name].start for name in ("lufs_m", "lufs_m_max", "lufs_s", "lufs_s_max")
    ]
    assert (frames.values[:, levels] == -120.0).all()
    others = [i for i in range(MEASURED.start, MEASURED.stop) if i not in levels]
    assert not frames.values[:, others].any()


def test_silence_after_music_becomes_exact_silence(music):
    """Filter tails end in zeros, not in denormal numbers, which are slow."""
    meter = Meter(48000)
    meter.process(music(1.0, 48000))
    meter.process(np.zeros((48000 * 6, 2)))
    last = meter.process(np.zeros((4800, 2)))
    assert not last.column("band_power").any()
    assert not last.column("k_power").any()
    assert (last.column("lufs_s") == -120.0).all()


def test_denormal_input_is_harmless():
    frames = Meter(48000).process(np.full((9600, 2), 5e-324))
    assert np.isfinite(frames.values).all()
    assert frames.column("mean_square").max() < 1e-300


def test_opposite_channels_are_as_loud_but_correlate_negatively():
    tone = sine(1000.0, 1.0, amplitude=0.1)
    together = Meter(48000).process(twice(tone))
    opposed = Meter(48000).process(np.stack((tone, -tone), axis=1))
    for name in ("lufs_m", "k_power", "band_power", "peak10_full", "flux_full"):
        assert np.array_equal(opposed.column(name), together.column(name))
    for name in ("band_lr", "lr_product"):
        assert np.array_equal(opposed.column(name), -together.column(name))
    last = opposed.select(slice(-1, None))
    assert last.column("lr_product") == pytest.approx(-0.005, rel=1e-9)


def test_full_scale_sine_reads_as_the_standards_say():
    """BS.1770-5: 997 Hz at 0 dBFS in one channel is -3.01 LKFS."""
    one = np.zeros((48000 * 4, 2))
    one[:, 0] = sine(997.0, 4.0)
    frames = Meter(48000).process(one)
    assert frames.column("lufs_s")[-1] == pytest.approx(-3.01, abs=0.005)
    assert frames.column("mean_square")[-1] == pytest.approx([0.5, 0.0], abs=1e-3)
    both = Meter(48000).process(twice(sine(1000.0, 4.0, amplitude=10.0 ** (-18.0 / 20.0))))
    assert both.column("lufs_s")[-1] == pytest.approx(-18.0, abs=0.01)


@pytest.mark.parametrize("rate_hz", [11025, 48000])
def test_an_impulse_shows_where_it_is(rate_hz):
    pcm = np.zeros((rate_hz, 2))
    at = design.sub_block_end(23, rate_hz)  # first sample of sub-block 24, of frame 4
    pcm[at] = (0.5, -0.25)
    frames = Meter(rate_hz).process(pcm)
    length = design.sub_block_end(24, rate_hz) - at
    expected = np.zeros((20, 2))
    expected[4] = (0.5, 0.25)
    assert np.array_equal(frames.column("sample_peak"), expected)
    assert frames.column("true_peak")[4] == pytest.approx([0.5, 0.25])
    assert frames.column("peak10_full")[4] == pytest.approx(0.3125 / length)
    assert np.argmax(frames.column("flux_full")) == 4
    assert np.count_nonzero(frames.column("peak10_full")) == 1


def test_peak_between_samples():
    tone = twice(np.sin(2.0 * np.pi * 12000.0 * np.arange(9600) / 48000 + np.pi / 4.0))
    last = Meter(48000).process(tone).select(slice(-1, None))
    assert last.column("sample_peak")[0] == pytest.approx([np.sqrt(0.5)] * 2)
    assert 20.0 * np.log10(last.column("true_peak")[0, 0]) == pytest.approx(0.0, abs=0.2)


def test_loudness_maxima_see_between_frames():
    """A burst of 400 ms that ends inside a frame is at its loudest there (Tech 3341 case 13)."""
    pcm = np.zeros((48000, 2))
    pcm[960 : 960 + 19200] = twice(sine(1000.0, 0.4, amplitude=10.0 ** (-23.0 / 20.0)))
    frames = Meter(48000).process(pcm)
    assert frames.column("lufs_m_max").max() == pytest.approx(-23.0, abs=0.02)
    assert frames.column("lufs_m").max() < -23.1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e39])
def test_a_sample_that_is_not_finite_costs_one_frame(bad, music):
    pcm = music(1.0, 48000)
    pcm[2400 * 7 + 100, 1] = bad
    quiet = pcm.copy()
    quiet[2400 * 7 + 100, 1] = 0.0
    meter = Meter(48000)
    frames = meter.process(pcm)
    clean = Meter(48000).process(quiet)
    assert meter.nonfinite_samples == 1
    assert np.isnan(frames.values[7, MEASURED]).all()
    others = np.arange(20) != 7
    assert same(frames.select(others), clean.select(others))
    header = [FRAME_COLUMNS[name].start for name in ("seq", "seq_check", "sample_rate", "flags")]
    assert frames.values[7, header].tolist() == [7.0, 7.0, 48000.0, 1.0]


def test_a_stream_of_nan_recovers(music):
    pcm = music(1.0, 48000)
    meter = Meter(48000)
    assert np.isnan(meter.process(np.full((48000, 2), np.nan)).column("k_power")).all()
    assert meter.nonfinite_samples == 96000
    after = meter.process(pcm).column("band_power")
    assert np.array_equal(after, Meter(48000).process(pcm).column("band_power"))


def test_large_but_finite_samples_pass(music):
    meter = Meter(48000)
    loud = meter.process(np.full((4800, 2), 3e38, np.float32))
    assert np.isfinite(loud.values).all()
    assert meter.nonfinite_samples == 0


def test_mono_is_left_only(music):
    pcm = music(0.5, 48000)[:, 0]
    silent_right = np.stack((pcm, np.zeros_like(pcm)), axis=1)
    flat = Meter(48000, 1).process(pcm)
    assert same(flat, Meter(48000, 1).process(pcm[:, np.newaxis]))
    assert same(flat, Meter(48000, 2).process(silent_right))
    assert not flat.column("mean_square")[:, 1].any()
    assert not flat.column("band_lr").any()


@pytest.mark.parametrize(("rate_hz", "bands"), [(8000, 6), (11025, 7), (22050, 8), (44100, 9)])
def test_bands_above_nyquist_are_nan(rate_hz, bands, music):
    frames = Meter(rate_hz).process(music(0.5, rate_hz))
    for name in ("band_power", "band_lr"):
        assert np.isfinite(frames.column(name)[:, :bands]).all()
        assert np.isnan(frames.column(name)[:, bands:]).all()
    rest = np.delete(
        frames.values,
        [*range(FRAME_COLUMNS["band_power"].start, FRAME_COLUMNS["band_lr"].stop)],
        axis=1,
    )
    assert np.isfinite(rest).all()


def test_a_rate_change_is_a_new_meter_and_reset_is_too(music):
    meter = Meter(44100)
    first = meter.process(music(0.4, 44100))
    meter.process(np.full((100, 2), np.nan))
    meter.reset()
    assert meter.nonfinite_samples == 0
    assert same(meter.process(music(0.4, 44100)), first)
    assert (Meter(96000).process(music(0.1, 96000)).column("sample_rate") == 96000).all()


@pytest.mark.parametrize("rate_hz", [0, 7999, 192001, 44100.5, float("nan"), -48000])
def test_unusable_rates_are_refused(rate_hz):
    with pytest.raises(InputError, match=r"sample rate .* cannot be metered: convert"):
        Meter(rate_hz)


@pytest.mark.parametrize("channels", [0, 3, 8])
def test_other_channel_counts_are_refused(channels):
    with pytest.raises(InputError, match="channels cannot be metered"):
        Meter(48000, channels)


@pytest.mark.parametrize(
    "pcm",
    [
        np.zeros(100),
        np.zeros((100, 1)),
        np.zeros((100, 3)),
        np.zeros((100, 0)),
        np.zeros((2, 100, 2)),
        np.zeros((100, 2), np.int16),
        np.zeros((100, 2), complex),
    ],
)
def test_pcm_that_does_not_fit_is_refused(pcm):
    with pytest.raises(InputError, match="PCM of"):
        Meter(48000, 2).process(pcm)


def test_an_endless_stream_holds_no_more_memory(music):
    pcm = music(1.0, 8000)
    meter = Meter(8000)
    tracemalloc.start()
    try:
        held = []
        for _ in range(2):
            for _ in range(60):
                meter.process(pcm)
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert held[1] - held[0] < 4096


def test_empty_chunks_are_no_event(music):
    pcm = music(0.2, 48000)
    meter = Meter(48000)
    assert len(meter.process(np.empty((0, 2)))) == 0
    first = meter.process(pcm[:5000])
    assert len(meter.process(np.empty((0, 2), np.float32))) == 0
    rest = meter.process(pcm[5000:])
    assert same(type(first).concatenate([first, rest]), Meter(48000).process(pcm))


@pytest.mark.soak
def test_an_hour_of_stream_holds_no_more_memory(music):
    pcm = music(10.0, 48000)
    meter = Meter(48000)
    meter.process(pcm)
    tracemalloc.start()
    try:
        held = []
        for _ in range(6):
            frames = sum(len(meter.process(pcm)) for _ in range(60))
            assert frames == 12000
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(held) - min(held) < 65536
