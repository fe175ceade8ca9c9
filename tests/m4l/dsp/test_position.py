"""Song position: carried on between polls, latched at a frame's end, and honest about jumps."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from pybackend.metering.design import FRAME_S

RATE_HZ = 48000
POLL_S = 0.015
STOPPED, RUNNING = 1.0, 5.0

Song = Callable[[float], float]
"""Song position in quarter notes at a time in seconds."""


def steady(tempo_bpm: float, start_beats: float = 0.0) -> Song:
    return lambda time_s: start_beats + tempo_bpm / 60.0 * time_s


def held(polls: Iterable[tuple[float, float]], seconds: float) -> np.ndarray:
    """A signal that takes each value at its time (seconds, value), as sig~ does."""
    signal = np.zeros(round(seconds * RATE_HZ))
    for time_s, value in polls:
        signal[round(time_s * RATE_HZ) :] = value
    return signal


def polls(song: Song, times_s: Iterable[float], seconds: float) -> np.ndarray:
    return held([(time_s, song(time_s)) for time_s in times_s], seconds)


def latched(analyzer, seconds: float = 2.0, **signals: np.ndarray):
    count = round(seconds * RATE_HZ)
    full = {name: np.broadcast_to(np.asarray(x), count) for name, x in signals.items()}
    return analyzer(RATE_HZ).frames(np.zeros((count, 2)), **full)


def ends_s(frames) -> np.ndarray:
    return FRAME_S * np.arange(1, len(frames) + 1)


def test_between_regular_polls(analyzer):
    song = steady(128.0, 17.25)
    beats = polls(song, np.arange(0.0, 2.0, POLL_S), 2.0)
    frames = latched(analyzer, song_beats=beats, tempo=128.0, flags=RUNNING)
    np.testing.assert_allclose(frames.column("song_beats"), song(ends_s(frames)), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_late_polls_do_not_shift_positions(analyzer, seed):
    """Polls that come up to half a second late, with the position at their time."""
    rng = np.random.default_rng(seed)
    times_s = np.cumsum(rng.choice([POLL_S, 0.1, 0.5], 20))
    song = steady(174.0)
    beats = polls(song, [0.0, *times_s], 2.0)
    frames = latched(analyzer, song_beats=beats, tempo=174.0, flags=RUNNING)
    np.testing.assert_allclose(frames.column("song_beats"), song(ends_s(frames)), atol=1e-9)


def test_stale_positions_are_evened_out(analyzer):
    """Positions that are up to one long audio vector old by the time they arrive."""
    rng = np.random.default_rng(4)
    song = steady(120.0)
    times_s = np.arange(0.0, 6.0, POLL_S)
    stale_s = rng.uniform(0.0, 0.04, len(times_s))
    given = [(t, song(max(0.0, t - old))) for t, old in zip(times_s, stale_s, strict=True)]
    beats = held(given, 6.0)
    frames = latched(analyzer, 6.0, song_beats=beats, tempo=120.0, flags=RUNNING)
    error_s = (frames.column("song_beats") - song(ends_s(frames)))[20:] / 2.0
    at_ends = np.round(ends_s(frames) * RATE_HZ).astype(int) - 1
    untreated_s = (beats[at_ends] - song(ends_s(frames)))[20:] / 2.0
    assert np.std(error_s) < 0.5 * np.std(stale_s)
    assert np.std(error_s) < 0.4 * np.std(untreated_s)
    assert np.mean(error_s) == pytest.approx(-0.02, abs=0.003)
    steps_s = np.diff(error_s) + FRAME_S
    assert np.abs(steps_s - FRAME_S).max() < 0.5 * FRAME_S


def test_tempo_change(analyzer):
    def song(time_s: float) -> float:
        return 2.0 * time_s if time_s < 1.0 else 2.0 + 1.5 * (time_s - 1.0)

    times_s = np.arange(0.0, 2.0, POLL_S)
    beats = polls(song, times_s, 2.0)
    tempo = held([(t, 120.0 if t < 1.0 else 90.0) for t in times_s], 2.0)
    frames = latched(analyzer, song_beats=beats, tempo=tempo, flags=RUNNING)
    errors = frames.column("song_beats") - np.array([song(t) for t in ends_s(frames)])
    assert np.abs(errors[:19]).max() < 1e-9
    # Until the next poll the old tempo runs on; what that adds is gone within a few polls.
    assert np.abs(errors).max() < 0.5 * POLL_S
    assert np.abs(errors[30:]).max() < 1e-4
    assert frames.column("tempo")[[18, 21]].tolist() == [120.0, 90.0]


def test_start_and_stop(analyzer):
    """The position stands still while stopped, and the flag says so."""
    times_s = np.arange(0.0, 2.0, POLL_S)

    def song(time_s: float) -> float:
        return 8.0 + 2.0 * np.clip(time_s - 0.5, 0.0, 1.0)

    def is_running(time_s: float) -> bool:
        return 0.5 <= time_s < 1.5

    beats = polls(song, times_s, 2.0)
    flags = held([(t, RUNNING if is_running(t) else STOPPED) for t in times_s], 2.0)
    frames = latched(analyzer, song_beats=beats, flags=flags, tempo=120.0)
    positions = frames.column("song_beats")
    expected = np.array([song(t) for t in ends_s(frames)])
    assert (positions[:9] == 8.0).all()
    assert np.abs(positions - expected).max() < 2.0 * POLL_S
    assert np.abs(positions - expected)[11:29].max() < 1e-9
    assert np.ptp(positions[32:]) == 0.0
    assert positions[-1] == pytest.approx(10.0, abs=2.0 * POLL_S)
    assert frames.running.tolist() == [False] * 10 + [True] * 20 + [False] * 10


def test_a_stop_is_not_evened_out(analyzer):
    """The polled position holds from the very sample that says that the song stopped."""
    last = round(FRAME_S * RATE_HZ) - 1
    flags, beats = np.full(RATE_HZ, RUNNING), np.zeros(RATE_HZ)
    flags[last:], beats[last:] = STOPPED, 0.07
    frames = latched(analyzer, 1.0, song_beats=beats, flags=flags, tempo=120.0)
    assert (frames.column("song_beats") == 0.07).all()


@pytest.mark.parametrize("jump_beats", [-16.0, -0.5, 0.25, 64.0])
def test_jump(analyzer, jump_beats):
    """A jump shows as soon as it is polled, and is not smeared."""

    def song(time_s: float) -> float:
        return 32.0 + 2.0 * time_s + (jump_beats if time_s >= 0.98 else 0.0)

    beats = polls(song, np.arange(0.0, 2.0, POLL_S), 2.0)
    frames = latched(analyzer, song_beats=beats, tempo=120.0, flags=RUNNING)
    expected = np.array([song(t) for t in ends_s(frames)])
    np.testing.assert_allclose(frames.column("song_beats"), expected, atol=1e-9)
    steps = np.diff(frames.column("song_beats"))
    assert (np.abs(steps - 0.1) > 1e-9).sum() == 1


def test_without_a_tempo_the_position_is_the_polled_one(analyzer):
    times_s = np.arange(0.0, 2.0, POLL_S)
    beats = polls(steady(60.0), times_s, 2.0)
    frames = latched(analyzer, song_beats=beats, tempo=0.0, flags=RUNNING)
    at_ends = np.round(ends_s(frames) * RATE_HZ).astype(int) - 1
    np.testing.assert_array_equal(frames.column("song_beats"), beats[at_ends])


def test_bar_signature_and_flags_are_latched_at_the_end(analyzer):
    """What arrives with a frame's last sample is in it, what comes one sample later is not."""
    frame = round(FRAME_S * RATE_HZ)
    bar, length, flags = (np.zeros(2 * RATE_HZ) for _ in range(3))
    bar[5 * frame :] = 7.0
    length[5 * frame - 1 :] = 3.0
    flags[5 * frame :] = 3.0
    frames = latched(analyzer, bar=bar, beats_per_bar=length, flags=flags)
    assert frames.column("bar")[4:6].tolist() == [0.0, 7.0]
    assert frames.column("beats_per_bar")[3:5].tolist() == [0.0, 3.0]
    assert frames.column("flags")[4:6].tolist() == [0.0, 3.0]
