import numpy as np
import pytest

from pybackend.capture.bars import (
    bars_once,
    common_bars,
    has_bars,
    loop_cycle,
    played_bars,
    whole_bars,
)
from pybackend.capture.timeline import trace
from pybackend.errors import InputError


@pytest.fixture(scope="module")
def timeline(make):
    return trace(make.frames(make.music(11.0), start_beats=5.0))


def test_bars_are_counted_from_position_zero(timeline):
    bars = played_bars(timeline, 4.0)
    assert bars.place.tolist() == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(bars.covered, [0.75, 1, 1, 1, 1, 0.75])
    assert bars.whole.tolist() == [2, 3, 4, 5]
    assert whole_bars(timeline) == 4
    assert (bars.first[1], bars.last[1]) == (30, 69)


def test_a_frame_on_the_barline_belongs_to_both(make):
    bars = played_bars(trace(make.frames(make.music(5.0), phase_ms=20)), 4.0)
    assert bars.last[0] == bars.first[1] == 39
    np.testing.assert_allclose(bars.covered[:2], [0.99, 1.0])


def test_a_lag_shifts_the_bars(timeline):
    bars = played_bars(timeline, 4.0, shift_beats=0.4)
    np.testing.assert_allclose(bars.covered[[0, -1]], [0.85, 0.65])


def test_frames_that_are_not_valid_do_not_cover(make):
    frames = make.frames(make.music(8.0))
    bars = played_bars(trace(make.changed(frames, slice(44, 56), k_power=np.nan)), 4.0)
    np.testing.assert_allclose(bars.covered, [1.0, 0.7, 1.0, 1.0])


def test_the_best_covered_playing_counts_and_the_latest_of_equals(make):
    frames = make.frames(make.music(24.0))
    beats = np.concatenate([np.arange(160), np.arange(160), np.arange(160)]) * 0.1 + 0.1
    looped = make.changed(frames, slice(None), song_beats=beats[:, None])
    kept = looped.select(np.delete(np.arange(480), [210, 330, 371]))
    once = bars_once(played_bars(trace(kept), 4.0))
    assert once.place.tolist() == [0, 1, 2, 3]
    firsts = trace(kept).seq[once.first]
    # Bar 0 is whole in the first pass only, bar 1 lacks a frame in the second and third.
    assert firsts.tolist() == [0, 40, 400, 440]


def test_a_cycle_folds_bars(make):
    timeline = trace(make.frames(make.music(12.2), start_beats=12.0))
    once = bars_once(played_bars(timeline, 4.0), cycle_bars=4)
    assert once.place.tolist() == [0, 1, 2, 3]
    assert once.number.tolist() == [8, 5, 6, 7]


def test_common_bars_are_the_same_places(timeline, make):
    later = played_bars(trace(make.frames(make.music(11.0), start_beats=12.0)), 4.0)
    both = common_bars([bars_once(played_bars(timeline, 4.0)), bars_once(later)])
    assert both[0].place.tolist() == both[1].place.tolist() == [3, 4, 5]


def test_bars_need_a_tempo_and_a_length(make):
    frames = make.frames(make.music(3.0))
    assert has_bars(trace(frames).survey)
    for fault in ({"tempo": 0.0}, {"beats_per_bar": 0.0}, {"beats_per_bar": 0.01}):
        survey = trace(make.changed(frames, slice(None), **fault)).survey
        assert not has_bars(survey)
        assert whole_bars(trace(make.changed(frames, slice(None), **fault))) == 0


@pytest.mark.parametrize(
    ("loop_beats", "shortest", "cycle"),
    [(16.0, 4, 4), (16.0, 9, 8), (4.0, 7, 7), (3.0, 4, 3), (6.0, 4, 3), (16.0, 2, 4), (2.0, 0, 1)],
)
def test_loop_cycle(loop_beats, shortest, cycle):
    assert loop_cycle(loop_beats, 4.0, shortest) == cycle


@pytest.mark.parametrize("loop_beats", [0.0, -4.0, float("nan"), 3.1415])
def test_loops_that_are_none(loop_beats):
    with pytest.raises(InputError):
        loop_cycle(loop_beats, 4.0, 4)
