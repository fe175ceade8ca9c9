import numpy as np
import pytest

from pybackend.capture.bars import bars_once, common_bars, played_bars
from pybackend.capture.lag import (
    CLEAR_LAG_S,
    COARSE_LAG_S,
    Unclear,
    envelope,
    find_lags,
    pair_lag,
    shift_effect_db,
    snapped,
)
from pybackend.capture.timeline import trace


def shared(captures):
    timelines = [trace(capture) for capture in captures]
    return timelines, common_bars([bars_once(played_bars(each, 4.0)) for each in timelines])


def pair(first, second):
    timelines, bars = shared([first, second])
    return pair_lag(*(envelope(*each) for each in zip(timelines, bars, strict=True)), 0.3)


def pulse(period_ms, decay_ms, bands, seconds=9.0):
    power = np.full((int(seconds * 1000), 9), 1e-7)
    for at in range(0, len(power), period_ms):
        length = min(300, len(power) - at)
        shape = np.exp(-np.arange(length) / decay_ms)[:, None]
        power[at : at + length, bands] += 0.03 * shape
    return power


@pytest.mark.parametrize("tempo_bpm", [96.0, 120.0, 125.0, 174.0])
@pytest.mark.parametrize("lag_ms", [-250, -20, 0, 20, 40, 130, 300])
def test_lags_are_measured_whatever_the_phase(make, tempo_bpm, lag_ms):
    bar_ms = 240000.0 / tempo_bpm
    song = make.music(6.0 * bar_ms / 1000.0, seed=11, tempo_bpm=tempo_bpm)
    rng = np.random.default_rng(abs(lag_ms))
    late = [0, lag_ms] if lag_ms >= 0 else [-lag_ms, 0]
    captures = [
        make.frames(
            make.played_again(song * eq, seed, bar_ms),
            phase_ms=int(rng.integers(50)),
            tempo_bpm=tempo_bpm,
            lag_ms=lag,
        )
        for seed, (lag, eq) in enumerate(
            zip(late, [1.0, 10.0 ** (rng.uniform(-9, 9, 9) / 10.0)], strict=True)
        )
    ]
    found = pair(*captures)
    assert found.state == "found"
    assert found.clear_s == CLEAR_LAG_S
    assert found.lag_s == pytest.approx(lag_ms / 1000.0, abs=0.012)


def test_swapping_changes_the_sign(make):
    song = make.music(12.0, seed=2)
    early, late = make.frames(song, phase_ms=8), make.frames(song, phase_ms=37, lag_ms=90)
    assert pair(early, late).lag_s == pytest.approx(-pair(late, early).lag_s, abs=1e-12)


def test_lost_frames_do_not_move_the_lag(make):
    song = make.music(12.0, seed=2)
    early, late = make.frames(song, phase_ms=8), make.frames(song, phase_ms=37, lag_ms=90)
    kept = np.arange(len(late)) % 23 != 7
    assert pair(early, late.select(kept)).lag_s == pytest.approx(0.09, abs=0.01)


def test_a_steady_sound_shows_no_time(make):
    drone = np.full((9000, 9), 0.01)
    assert pair(make.frames(drone), make.frames(drone, phase_ms=20)).state == "steady"


def test_sounds_that_have_nothing_in_common_are_unlike(make):
    one, other = make.music(9.0, seed=1), make.music(9.0, seed=2)
    assert pair(make.frames(one), make.frames(other)).state == "unlike"


def test_a_regular_pulse_is_taken_as_not_late_if_it_fits(make):
    """Sixteenths at 120 BPM: a lag of 125 ms is none."""
    hats = pulse(125, 25.0, [6, 7, 8])
    found = pair(make.frames(hats), make.frames(hats, phase_ms=31, lag_ms=125))
    assert found.state == "found"
    assert abs(found.lag_s) < CLEAR_LAG_S


def test_a_regular_pulse_that_fits_at_several_lags_is_ambiguous(make):
    quarters = pulse(500, 120.0, [0, 1, 2])
    found = pair(make.frames(quarters), make.frames(quarters, lag_ms=250))
    assert found.state == "ambiguous"


def test_onsets_at_one_point_of_the_frame_show_time_coarsely(make):
    quarters = pulse(500, 120.0, [0, 1, 2])
    for phase in range(0, 50, 7):
        found = pair(make.frames(quarters), make.frames(quarters, phase_ms=phase))
        assert found.clear_s == COARSE_LAG_S
        assert abs(found.lag_s) < COARSE_LAG_S


def test_a_slow_envelope_shows_time_coarsely(make):
    slow = 0.01 * (1.0 + 0.6 * np.sin(np.arange(17000) / 640.0))[:, None] * np.ones(9)
    found = pair(make.frames(slow), make.frames(slow, phase_ms=23))
    assert found.clear_s == COARSE_LAG_S
    assert abs(found.lag_s) < COARSE_LAG_S


def test_lags_of_several_captures_fit_all_pairs(make):
    song = make.music(13.0, seed=4)
    captures = [
        make.frames(make.played_again(song, seed), phase_ms=11 * seed, lag_ms=lag)
        for seed, lag in enumerate([60, 60, 0, 200])
    ]
    lags = find_lags(*shared(captures))
    np.testing.assert_allclose(lags, [0.06, 0.06, 0.0, 0.2], atol=0.01)
    assert lags[0] == lags[1]
    order = [3, 1, 0, 2]
    again = find_lags(*shared([captures[i] for i in order]))
    np.testing.assert_allclose(again, lags[order], atol=1e-12)


def test_an_unclear_lag_that_matters_is_reported(make):
    captures = [make.frames(make.music(9.0, seed=seed)) for seed in (1, 2)]
    found = find_lags(*shared(captures))
    assert isinstance(found, Unclear)
    assert (found.first, found.second) == (0, 1)
    assert found.effect_db > 0.1


def test_an_unclear_lag_that_cannot_matter_is_none(make):
    rng = np.random.default_rng(0)
    noises = [0.01 * rng.gamma(30.0, 1.0 / 30.0, (17000, 9)).repeat(1, axis=0) for _ in range(2)]
    flutter = [np.repeat(noise[::50], 50, axis=0)[:17000] for noise in noises]
    captures = [make.frames(noise) for noise in flutter]
    assert pair(*captures).state == "unlike"
    np.testing.assert_array_equal(find_lags(*shared(captures)), 0.0)


def test_shift_effect(make):
    power = np.full((8000, 9), 1e-3)
    power[4000:] *= 10.0
    timelines, bars = shared([make.frames(power)])
    heard = envelope(timelines[0], bars[0])
    # 300 ms fewer of the quiet half and 300 ms fewer of the loud half.
    early, late = (4.0 + 37.0) / 7.7, (3.7 + 40.0) / 7.7
    expected = 10.0 * np.log10(late / early)
    assert shift_effect_db(heard, 0.3) == pytest.approx(expected, abs=1e-6)
    assert shift_effect_db(heard, 4.0) == np.inf


def test_lags_that_are_not_clear_are_zero():
    np.testing.assert_array_equal(snapped(np.array([0.004, -0.003, 0.0]), 0.012), 0.0)
    np.testing.assert_allclose(
        snapped(np.array([0.05, 0.001, -0.001, 0.054]), 0.012), [0.052, 0, 0, 0.052]
    )
