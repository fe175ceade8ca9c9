from __future__ import annotations

import json
import math
import tracemalloc

import numpy as np
import pytest
import soundfile

from pybackend.metering.analysis import Analysis, analyze_file, load_frames
from pybackend.metering.design import BAND_NAMES
from pybackend.metering.meter import Meter

RATE_HZ = 48000
LOUDNESS = ("integrated_lufs", "momentary_max_lufs", "short_term_max_lufs", "loudness_range_lu")


def sine(hz: float, level_dbfs: float, seconds: float, rate_hz: int = RATE_HZ) -> np.ndarray:
    time = np.arange(round(seconds * rate_hz)) / rate_hz
    return 10.0 ** (level_dbfs / 20.0) * np.sin(2.0 * np.pi * hz * time)


def stereo(left: np.ndarray, right: np.ndarray | None = None) -> np.ndarray:
    return np.column_stack((left, left if right is None else right)).astype(np.float32)


def noise(count: int, channels: int = 2, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (0.1 * rng.standard_normal((count, channels))).astype(np.float32)


@pytest.fixture
def analyze(tmp_path):
    def analyze(pcm: np.ndarray, rate_hz: int = RATE_HZ) -> Analysis:
        path = tmp_path / "a.wav"
        soundfile.write(path, pcm, rate_hz, subtype="FLOAT")
        return analyze_file(path)

    return analyze


def powers(analysis: Analysis) -> float:
    """Level of all bands together, dBFS."""
    known = [db for db in analysis.bands_db.values() if db is not None]
    return 10.0 * math.log10(sum(10.0 ** (db / 10.0) for db in known))


def test_tone_reads_its_level_everywhere(analyze):
    got = analyze(stereo(sine(1000.0, -23.0, 4.0)))
    for field in LOUDNESS[:3]:
        assert getattr(got, field) == pytest.approx(-23.0, abs=0.02)
    assert got.loudness_range_lu == pytest.approx(0.0, abs=0.01)
    assert got.sample_peak_dbfs == pytest.approx(-23.0, abs=1e-3)
    assert got.true_peak_dbtp == pytest.approx(-23.0, abs=0.05)
    assert got.rms_dbfs == pytest.approx(-23.0 - 3.0103, abs=1e-3)
    assert got.plr_lu == pytest.approx(got.true_peak_dbtp - got.integrated_lufs)
    assert got.correlation == pytest.approx(1.0)
    assert (got.sample_rate, got.channels, got.duration_s) == (RATE_HZ, 2, 4.0)
    assert got.unavailable == {}


def test_mono_is_one_channel_of_loudness_and_the_same_rms(analyze):
    mono = sine(1000.0, -23.0, 4.0).astype(np.float32)[:, None]
    got = analyze(mono)
    assert got.integrated_lufs == pytest.approx(-26.01, abs=0.02)
    assert got.rms_dbfs == pytest.approx(-26.01, abs=0.01)
    assert got.correlation is None
    assert got.unavailable == {"correlation": "a mono file has no second channel"}


@pytest.mark.parametrize("hz", [42.0, 90.0, 180.0, 350.0, 700.0, 1400.0, 2800.0, 5600.0, 12000.0])
def test_tone_lies_in_its_band(analyze, hz):
    got = analyze(stereo(sine(hz, -12.0, 2.0)))
    name = BAND_NAMES[np.searchsorted((60, 120, 250, 500, 1000, 2000, 4000, 8000), hz)]
    assert max(got.bands_db, key=got.bands_db.get) == name
    assert got.bands_db[name] == pytest.approx(got.rms_dbfs, abs=0.1)


@pytest.mark.parametrize("seconds", [0.31, 1.0, 3.0077])
def test_bands_add_up_to_the_rms_of_a_signal_inside_them(analyze, seconds):
    # Tones that fade, so that nothing lies outside 20 Hz-20 kHz; the end falls inside a frame.
    count = round(seconds * RATE_HZ)
    fade = np.sin(np.pi * np.arange(count) / count) ** 2
    tones = sum(sine(hz, -20.0, seconds) for hz in (150.0, 333.0, 1250.0, 5100.0, 9000.0))
    got = analyze(stereo(fade * tones, fade * sine(700.0, -15.0, seconds)))
    assert powers(got) == pytest.approx(got.rms_dbfs, abs=0.001)


@pytest.mark.parametrize("count", [1, 100, 2399, 2401, 24000, 50001])
@pytest.mark.parametrize("rate_hz", [8000, 11025, 48000])
def test_levels_are_those_of_every_sample(analyze, count, rate_hz):
    pcm = noise(count)
    pcm[-1] = (0.9, -0.7)
    got = analyze(pcm, rate_hz)
    assert got.rms_dbfs == pytest.approx(10.0 * np.log10(np.mean(pcm.astype(float) ** 2)), abs=1e-9)
    assert got.sample_peak_dbfs == pytest.approx(20.0 * np.log10(0.9), abs=1e-5)
    assert got.true_peak_dbtp >= got.sample_peak_dbfs
    assert got.duration_s == count / rate_hz
    left, right = pcm.astype(float).T
    expected = np.sum(left * right) / np.sqrt(np.sum(left**2) * np.sum(right**2))
    assert got.correlation == pytest.approx(expected, abs=1e-9)


def test_integrated_ignores_the_incomplete_last_block(analyze):
    # The last whole gating block ends at 3.9 s; what follows belongs to none (BS.1770-5 Annex 1).
    loud_tail = np.concatenate((sine(1000.0, -30.0, 3.95), sine(1000.0, 0.0, 0.04)))
    assert analyze(stereo(loud_tail)).integrated_lufs == pytest.approx(-30.0, abs=0.03)


def test_correlation_of_opposite_channels(analyze):
    tone = sine(440.0, -10.0, 0.5)
    assert analyze(stereo(tone, -0.3 * tone)).correlation == pytest.approx(-1.0)


def test_correlation_with_a_silent_channel_is_unknown(analyze):
    tone = sine(440.0, -10.0, 0.5)
    got = analyze(stereo(tone, 0.0 * tone))
    assert got.correlation is None
    assert got.unavailable["correlation"] == "a channel is silent"


@pytest.mark.parametrize(
    ("seconds", "momentary", "short_term"),
    [(0.39, False, False), (0.4, True, False), (2.99, True, False), (3.0, True, True)],
)
def test_short_files(analyze, seconds, momentary, short_term):
    got = analyze(stereo(sine(1000.0, -20.0, seconds)))
    expected = dict(zip(LOUDNESS, (momentary, momentary, short_term, short_term), strict=True))
    for field, known in expected.items():
        value = getattr(got, field)
        assert (value is not None) == known
        assert (field in got.unavailable) != known
        if known and field != "loudness_range_lu":
            assert value == pytest.approx(-20.0, abs=0.1)
    assert (got.plr_lu is not None) == momentary
    assert got.rms_dbfs == pytest.approx(-23.01, abs=0.02)


def test_three_seconds_are_measured_whole_and_the_range_is_flagged(analyze):
    got = analyze(stereo(sine(1000.0, -18.0, 3.0)))
    assert got.short_term_max_lufs == pytest.approx(-18.0, abs=0.02)
    assert got.loudness_range_lu == 0.0
    assert any("not stable below 60 s" in note for note in got.notes)


def test_range_of_a_minute_is_not_flagged(analyze):
    steps = np.concatenate((sine(1000.0, -30.0, 30.0, 8000), sine(1000.0, -20.0, 30.0, 8000)))
    got = analyze(stereo(steps), 8000)
    assert got.loudness_range_lu == pytest.approx(10.0, abs=0.2)
    assert got.notes == ()


def test_silence_has_no_levels(analyze):
    got = analyze(np.zeros((4 * RATE_HZ, 2), np.float32))
    for field in (*LOUDNESS, "true_peak_dbtp", "sample_peak_dbfs", "rms_dbfs", "plr_lu"):
        assert getattr(got, field) is None
        assert got.unavailable[field]
    assert got.unavailable["integrated_lufs"] == "nothing is above the absolute gate of -70 LUFS"
    assert set(got.bands_db.values()) == {None}
    assert got.duration_s == 4.0


def test_below_the_gate_there_is_a_level_but_no_loudness(analyze):
    got = analyze(stereo(sine(1000.0, -90.0, 4.0)))
    assert got.integrated_lufs is None
    assert got.loudness_range_lu is None
    assert got.momentary_max_lufs == pytest.approx(-90.0, abs=0.1)
    assert got.rms_dbfs == pytest.approx(-93.01, abs=0.1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_one_sample_that_is_not_finite_makes_everything_unknown(analyze, value):
    pcm = noise(4 * RATE_HZ)
    pcm[2 * RATE_HZ, 1] = value
    got = analyze(pcm)
    reason = "1 of 384000 samples are NaN or infinite, the first at 2.000 s"
    for field in (*LOUDNESS, "true_peak_dbtp", "sample_peak_dbfs", "rms_dbfs", "correlation"):
        assert getattr(got, field) is None
        assert got.unavailable[field] == reason
    assert got.unavailable["bands_db"] == reason
    assert set(got.bands_db.values()) == {None}
    assert got.duration_s == 4.0


def test_file_of_nan(analyze):
    got = analyze(np.full((RATE_HZ, 2), np.nan, np.float32))
    assert "96000 of 96000 samples" in got.unavailable["rms_dbfs"]


def test_absurd_but_finite_samples_never_put_infinity_into_json(analyze):
    got = analyze(noise(RATE_HZ) * np.float32(1e38))
    text = json.dumps(got.model_dump(mode="json"), allow_nan=False)
    assert json.loads(text)["rms_dbfs"] == pytest.approx(740.0, abs=0.5)


def test_bands_that_the_rate_does_not_carry(analyze):
    got = analyze(noise(16000), 8000)
    assert [name for name, value in got.bands_db.items() if value is None] == [
        "high",
        "presence",
        "air",
    ]
    assert (
        got.unavailable["bands_db.air"] == "a sample rate of 8000 Hz does not carry the whole band"
    )


def test_progress_adds_up_to_one(tmp_path):
    path = tmp_path / "a.mp3"
    soundfile.write(path, noise(10 * RATE_HZ), RATE_HZ)
    shares: list[float] = []
    analyze_file(path, shares.append)
    assert len(shares) > 2
    assert sum(shares) == pytest.approx(1.0)

    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    shares.clear()
    got = analyze_file(path, shares.append)
    assert sum(shares) == pytest.approx(1.0)
    assert any("ends early" in note for note in got.notes)


def test_memory_does_not_grow_with_the_file(tmp_path):
    def peak_bytes(minutes: int) -> int:
        path = tmp_path / f"{minutes}.wav"
        with soundfile.SoundFile(path, "w", 8000, 1, subtype="PCM_16") as file:
            for _ in range(minutes):
                file.write(noise(8000 * 60, 1))
        tracemalloc.start()
        analyze_file(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak_bytes(1)
    short, long = peak_bytes(4), peak_bytes(24)
    # 20 minutes more are 38 MB of samples and 9 MB of frames, of which two numbers each are kept.
    assert long - short < 3_000_000


def test_load_frames_meters_the_file_and_stamps_the_transport(tmp_path):
    path = tmp_path / "a.wav"
    pcm = noise(3 * RATE_HZ + 1000)
    soundfile.write(path, pcm, RATE_HZ, subtype="FLOAT")
    frames = load_frames(path, 120.0, 4.0)
    expected = Meter(RATE_HZ, 2).process(pcm)
    assert len(frames) == len(expected) == 60
    for name in ("k_power", "band_power", "band_lr", "true_peak", "lufs_s_max", "flux_full"):
        np.testing.assert_allclose(
            frames.column(name), expected.column(name), rtol=1e-9, atol=1e-12
        )
    assert frames.running.all()
    np.testing.assert_allclose(frames.column("song_beats"), 0.1 * np.arange(1, 61))
    assert set(frames.column("tempo")) == {120.0}
    np.testing.assert_allclose(frames.received_s, 0.05 * np.arange(1, 61))


def test_load_frames_marks_what_is_not_finite(tmp_path):
    path = tmp_path / "a.wav"
    pcm = noise(RATE_HZ)
    pcm[RATE_HZ // 2] = np.nan
    soundfile.write(path, pcm, RATE_HZ, subtype="FLOAT")
    bad = np.isnan(load_frames(path, 100.0).column("k_power"))
    assert np.flatnonzero(bad).tolist() == [10]
