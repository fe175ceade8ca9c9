"""What sound and hosts may do to a meter: numbers that are none, silence, new rates, extremes."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest

from m4l.genexpr.c_backend import compile_c
from m4l.genexpr.lower import lower
from m4l.genexpr.machine import Machine
from m4l.genexpr.parser import parse
from pybackend.metering.design import FRAMES_PER_S
from pybackend.metering.meter import Meter
from pybackend.stream.codec import Reject, decode, encode_frame
from pybackend.stream.protocol import MAX_AMPLITUDE, column

RATE_HZ = 48000
FRAME = RATE_HZ // FRAMES_PER_S
MEASURED = slice(column("band_power"), column("seq_check"))
LOUDNESS = slice(column("lufs_m"), column("lufs_s_max") + 1)
SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)


def music(seconds: float, seed: int = 6, rate_hz: int = RATE_HZ) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 0.2 * rng.standard_normal((round(seconds * rate_hz), 2))


# ---- samples that are no numbers, or too large


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf], ids=str)
def test_a_sample_that_is_no_number_spoils_its_frame_alone(analyzer, bad):
    pcm = music(5.0)
    pcm[10 * FRAME + 700, 1] = bad
    frames = analyzer(RATE_HZ).frames(pcm)
    assert np.isfinite(frames.values).all()
    accepted = [not isinstance(decode(encode_frame(row)), Reject) for row in frames.values]
    assert [i for i, good in enumerate(accepted) if not good] == [10]
    assert decode(encode_frame(frames.values[10])) == Reject.OUT_OF_RANGE
    # The backend's meter takes the sample as 0, too.
    expected = Meter(RATE_HZ, 2).process(pcm).values
    others = np.arange(100) != 10
    np.testing.assert_allclose(
        frames.values[others, MEASURED], expected[others, MEASURED], rtol=1e-6, atol=1e-9
    )


def test_recovers_from_a_second_of_garbage(analyzer):
    rng = np.random.default_rng(0)
    garbage = rng.choice([np.nan, np.inf, -np.inf, 1e308, -1e200, 1e38, 5e-324], (RATE_HZ, 2))
    after = music(5.0)
    frames = analyzer(RATE_HZ).frames(np.concatenate((garbage, after)))
    assert np.isfinite(frames.values).all()
    clean = analyzer(RATE_HZ).frames(after)
    # What was clipped to the protocol's limit has to ring out of the lowest bands first.
    settled = slice(-20, None)
    ours = frames.values[settled, MEASURED]
    np.testing.assert_allclose(ours, clean.values[settled, MEASURED], rtol=1e-6, atol=1e-9)


def test_a_peak_beyond_the_protocol_is_shown_and_refused(analyzer):
    pcm = music(0.3)
    pcm[2 * FRAME + 5, 0] = 5.0 * MAX_AMPLITUDE
    frames = analyzer(RATE_HZ).frames(pcm)
    assert frames.column("sample_peak")[2, 0] == 5.0 * MAX_AMPLITUDE
    assert decode(encode_frame(frames.values[2])) == Reject.OUT_OF_RANGE


def test_hot_tracks_are_not_clipped(analyzer):
    """Inside of Live a track may be far above full scale."""
    pcm = 400.0 * np.clip(music(1.0), -1.0, 1.0)
    frames = analyzer(RATE_HZ).frames(pcm)
    expected = Meter(RATE_HZ, 2).process(pcm)
    np.testing.assert_allclose(
        frames.values[:, MEASURED], expected.values[:, MEASURED], rtol=1e-6, atol=1e-9
    )


# ---- silence


def test_silence_from_the_start(analyzer, rate_hz):
    frames = analyzer(rate_hz).frames(np.zeros((rate_hz // 2, 2)))
    assert (frames.values[:, LOUDNESS] == -120.0).all()
    other = np.delete(frames.values[:, MEASURED], np.s_[25:29], axis=1)
    assert LOUDNESS.start - MEASURED.start == 25
    assert (other == 0.0).all()
    assert not any(isinstance(decode(encode_frame(row)), Reject) for row in frames.values)


def test_silence_after_music_is_silent(analyzer, rate_hz):
    """Five seconds later nothing is left in any filter, at any rate."""
    pcm = np.concatenate((music(0.2, rate_hz=rate_hz), np.zeros((5 * rate_hz, 2))))
    frames = analyzer(rate_hz).frames(pcm)
    assert (frames.values[-1, LOUDNESS] == -120.0).all()
    assert (np.delete(frames.values[-1, MEASURED], np.s_[25:29]) == 0.0).all()


def denormal_milliseconds(machine: Machine, pcm: np.ndarray) -> int:
    """Count of milliseconds at whose ends a state of the machine is denormal."""
    found = 0
    for start in range(0, len(pcm), RATE_HZ // 1000):
        block = pcm[start : start + RATE_HZ // 1000]
        inputs = np.zeros((len(block), 7))
        inputs[:, :2] = block
        machine.run(inputs)
        states = np.abs(machine._history)
        found += bool(((states > 0.0) & (states < SMALLEST_NORMAL)).any())
    return found


def fading_music() -> np.ndarray:
    """A second of music, a fade down to denormal samples, and silence."""
    fade = 10.0 ** np.linspace(0.0, -320.0, 2 * RATE_HZ)[:, None]
    return np.concatenate((music(1.0), music(2.0) * fade, np.zeros((15 * RATE_HZ, 2))))


def test_states_do_not_linger_among_denormals(analyzer, source):
    """Steep filters pass through them within a sub-block; without the flush they stay there."""
    pcm = fading_music()
    protected = denormal_milliseconds(analyzer(RATE_HZ).machine, pcm)
    unflushed = source.replace("tiny = 1e-30;", "tiny = 0.0;")
    assert unflushed != source
    code = lower(parse(unflushed))
    assert denormal_milliseconds(Machine(code, compile_c(code), RATE_HZ), pcm) > 1000
    assert protected <= 50


def test_silence_is_not_slower_than_music(analyzer):
    running = analyzer(RATE_HZ)
    sound, silence = music(1.0), np.zeros((RATE_HZ, 2))
    fade = music(1.0) * 10.0 ** np.linspace(0.0, -320.0, RATE_HZ)[:, None]
    taken_s: dict[str, list[float]] = {"sound": [], "fade": [], "silence": []}
    for _ in range(3):
        for name, pcm in (("sound", sound), ("fade", fade), *[("silence", silence)] * 4):
            start_s = time.perf_counter()
            running.outlets(pcm)
            taken_s[name].append(time.perf_counter() - start_s)
    fastest = min(taken_s["sound"])
    print(f"\none second of music takes {1000 * fastest:.1f} ms: {1 / fastest:.0f} x real time")
    for name in ("fade", "silence"):
        print(f"  {name}: {np.median(taken_s[name]) / np.median(taken_s['sound']):.2f} of that")
        assert min(taken_s[name]) < 2.0 * fastest
        assert np.median(taken_s[name]) < 2.0 * np.median(taken_s["sound"])


# ---- new sample rates


def playing(beats: float, count: int) -> dict[str, np.ndarray]:
    """The position polled once, and the song running on from there."""
    return {"song_beats": np.full(count, beats), "flags": np.full(count, 5.0)}


@pytest.mark.parametrize("rates_hz", [(48000, 96000), (192000, 44100)], ids=str)
@pytest.mark.parametrize("is_reset", [True, False], ids=["reset", "no reset"])
def test_a_new_rate_starts_afresh(analyzer, rates_hz, is_reset):
    """In the middle of a sub-block, of a frame and of its read-out, while the song plays."""
    before_hz, after_hz = rates_hz
    running = analyzer(before_hz)
    stretch = 100.0 * music(4.0, rate_hz=before_hz)[: round(3.55 * before_hz) + 20]
    running.outlets(stretch, **playing(0.0, len(stretch)))
    if is_reset:
        running.machine.reset(after_hz)
    else:
        running.change_rate(after_hz)
    pcm = music(4.0, seed=7, rate_hz=after_hz)
    position = playing(7.2, len(pcm))  # a tenth of a quarter note from where it was
    outlets = running.outlets(pcm, **position)
    np.testing.assert_array_equal(outlets, analyzer(after_hz).outlets(pcm, **position))


# ---- extremes of stereo and time


def test_anti_phase(analyzer):
    mono = music(4.0)[:, 0]
    opposite = analyzer(RATE_HZ).frames(np.column_stack((mono, -mono)))
    same = analyzer(RATE_HZ).frames(np.column_stack((mono, mono)))
    np.testing.assert_array_equal(opposite.column("lr_product"), -same.column("lr_product"))
    np.testing.assert_allclose(
        opposite.column("lr_product"), -opposite.column("mean_square")[:, 0], rtol=1e-12
    )
    np.testing.assert_array_equal(opposite.column("band_lr"), -same.column("band_lr"))
    np.testing.assert_allclose(
        opposite.column("band_lr"), -0.5 * opposite.column("band_power"), rtol=1e-12
    )
    for name in ("lufs_m", "lufs_s", "band_power", "true_peak", "flux_full", "peak10_low"):
        np.testing.assert_array_equal(opposite.column(name), same.column(name))


@pytest.mark.parametrize("at", [0, 1, FRAME - 1, FRAME, 2 * FRAME - 6, 2 * FRAME + 1])
def test_an_impulse_of_one_sample(analyzer, at):
    pcm = np.zeros((RATE_HZ, 2))
    pcm[at, 0] = -0.5
    frames = analyzer(RATE_HZ).frames(pcm)
    expected = Meter(RATE_HZ, 2).process(pcm)
    np.testing.assert_allclose(
        frames.values[:, MEASURED], expected.values[:, MEASURED], rtol=1e-6, atol=1e-12
    )
    hit = at // FRAME
    assert np.flatnonzero(frames.column("sample_peak")[:, 0]).tolist() == [hit]
    assert frames.column("sample_peak")[hit, 0] == 0.5
    assert frames.column("true_peak").max() == pytest.approx(0.5, abs=1e-9)
    energies = frames.column("mean_square")[:, 0] * FRAME
    assert energies.sum() == pytest.approx(0.25, rel=1e-12)
    # 20 Hz to 20 kHz of the flat spectrum of an impulse.
    bands = frames.column("band_power").sum() * FRAME / 0.25
    assert bands == pytest.approx((20000.0 - 20.0) / 24000.0, rel=0.01)


def test_frames_follow_each_other_without_a_gap(analyzer, rate_hz):
    outlets = analyzer(rate_hz).outlets(np.zeros((3 * rate_hz, 2)))
    starts = np.flatnonzero((outlets[1:, 1] >= 0) & (outlets[:-1, 1] < 0)) + 1
    frame = rate_hz // FRAMES_PER_S
    assert starts.tolist() == [frame * k for k in range(1, 60)]
    assert {b - a for a, b in pairwise(starts)} == {frame}
