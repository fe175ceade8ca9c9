import numpy as np
import pytest

from pybackend.capture.timeline import trace
from pybackend.stream.frames import Frames


def test_an_empty_capture_has_a_timeline():
    timeline = trace(Frames.empty())
    assert timeline.survey.frames == 0
    assert timeline.survey.loss == 0.0
    assert np.isnan(timeline.survey.loudest_lufs)


def test_frames_abut(make):
    timeline = trace(make.frames(make.music(4.0), phase_ms=30))
    np.testing.assert_allclose(timeline.end_beats - timeline.start_beats, 0.1)
    np.testing.assert_array_equal(timeline.start_beats[1:], timeline.end_beats[:-1])
    assert timeline.start_beats[0] == pytest.approx(0.06)
    assert timeline.valid.all()


def test_jitter_of_positions_is_averaged_out(make):
    steady = trace(make.frames(make.music(30.0)))
    late = trace(make.frames(make.music(30.0), jitter_ms=20.0))
    error_ms = (late.end_beats - steady.end_beats) * 500.0
    assert error_ms.mean() == pytest.approx(-10.0, abs=1.0)
    assert error_ms.std() < 1.0


def test_positions_that_are_no_line_stay_as_read(make):
    frames = make.frames(make.music(10.0))
    bent = frames.column("song_beats") + 0.2 * np.sin(np.arange(len(frames)) / 20.0)
    timeline = trace(make.changed(frames, slice(None), song_beats=bent[:, None]))
    np.testing.assert_array_equal(timeline.end_beats, bent)


def test_a_jump_ends_a_run_and_its_frame_is_not_valid(make):
    frames = make.frames(make.music(10.0))
    beats = frames.column("song_beats").copy()
    beats[90:] -= 4.0
    timeline = trace(make.changed(frames, slice(None), song_beats=beats[:, None]))
    assert np.flatnonzero(~timeline.valid).tolist() == [90]
    assert timeline.run[89] != timeline.run[90] == timeline.run[91]
    assert timeline.survey.jumps == 1


def test_a_lost_frame_is_no_jump(make):
    frames = make.frames(make.music(5.0))
    timeline = trace(frames.select(np.delete(np.arange(100), [40, 41])))
    assert timeline.survey.jumps == 0
    assert timeline.survey.missing == 2
    assert timeline.valid.all()
    # The gap is not filled: frame 42 covers its own 50 ms only.
    assert timeline.start_beats[40] - timeline.end_beats[39] == pytest.approx(0.2)


def test_a_stop_is_counted_and_the_frame_of_the_start_is_not_valid(make):
    frames = make.frames(make.music(5.0))
    beats = frames.column("song_beats").copy()
    beats[20:40] = beats[19]
    beats[40:] -= beats[40] - beats[19] - 0.03
    stopped = make.changed(frames, slice(20, 40), flags=1)
    timeline = trace(make.changed(stopped, slice(None), song_beats=beats[:, None]))
    assert timeline.survey.stopped == 20
    assert np.flatnonzero(~timeline.valid).tolist() == list(range(20, 41))


def test_counting_from_the_start_needs_no_transport(make):
    frames = make.changed(make.frames(make.music(5.0)), slice(None), flags=0, tempo=0)
    timeline = trace(frames.select(np.delete(np.arange(100), [10])), "start")
    assert timeline.valid.all()
    assert timeline.end_beats[9] == pytest.approx(1.0)
    assert timeline.end_beats[10] == pytest.approx(1.2)


def test_the_most_frequent_sender_is_followed(make):
    music = make.music(5.0)
    other = make.frames(music, instance=9).select(slice(0, 30))
    timeline = trace(Frames.concatenate([make.frames(music), other]))
    assert timeline.survey.instances == (7, 9)
    assert not timeline.survey.interleaved
    assert timeline.survey.frames == 100


def test_the_longest_silence_of_the_stream_is_measured(make):
    frames = make.frames(make.music(5.0))
    late = frames.received_s.copy()
    late[60:] += 3.0
    assert trace(Frames(frames.values, late)).survey.gap_s == pytest.approx(3.05)
