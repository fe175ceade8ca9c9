import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.capture.align import align
from pybackend.capture.windows import Window, split_passes
from pybackend.errors import InputError, PlanError
from pybackend.stream.frames import Frames


@pytest.fixture(scope="module")
def recording(make):
    """Beats 0 to 24, then the Arrangement's loop from 8 to 24 twice more, the last cut short."""
    beats = np.concatenate([np.arange(240), 80 + np.arange(160), 80 + np.arange(90)]) * 0.1 + 0.1
    frames = make.frames(make.music(len(beats) * 0.05))
    return make.changed(frames, slice(None), song_beats=beats[:, None])


def seqs(frames):
    return frames.column("seq").astype(int).tolist()


def test_by_position(recording):
    assert seqs(Window(start_beats=8, end_beats=24).cut(recording)) == list(range(80, 240))


def test_frames_that_reach_in_are_part(make):
    frames = make.frames(make.music(10.0), phase_ms=30)
    assert seqs(Window(start_beats=4, end_beats=8).cut(frames)) == list(range(39, 80))


def test_by_pass(recording):
    # The frame that holds the jump belongs to no pass.
    window = Window.parse({"start_beats": 8, "end_beats": 16, "pass": 2})
    assert seqs(window.cut(recording)) == list(range(241, 320))
    assert len(Window.parse({"start_beats": 8, "end_beats": 16, "pass": 3}).cut(recording)) == 79


def test_a_pass_that_is_not_there(recording):
    with pytest.raises(InputError, match="played 2 times"):
        Window.parse({"start_beats": 8, "end_beats": 24, "pass": 3}).cut(recording)
    with pytest.raises(InputError, match="played never"):
        Window(start_beats=40, end_beats=48).cut(recording)
    with pytest.raises(InputError, match="played once"):
        Window.parse({"start_beats": 0, "end_beats": 8, "pass": 2}).cut(recording)


def test_by_time(make):
    frames = make.frames(make.music(10.0), phase_ms=30)
    assert seqs(Window(start_s=1.0, end_s=2.0).cut(frames)) == list(range(20, 40))
    with pytest.raises(InputError, match=r"is 10\.0 s long"):
        Window(start_s=20.0, end_s=30.0).cut(frames)
    with pytest.raises(InputError, match="no frames"):
        Window(start_s=0.0, end_s=1.0).cut(Frames.empty())


@given(start=st.floats(0, 5), length=st.floats(0.06, 5))
def test_neighbouring_times_share_no_frame(make, start, length):
    frames = make.frames(make.music(10.0))
    middle = start + length / 2
    parts = [
        Window(start_s=low, end_s=high).cut(frames)
        for low, high in ((start, middle + 0.051), (middle + 0.051, start + length + 0.2))
    ]
    both = seqs(parts[0]) + seqs(parts[1])
    assert both == list(range(both[0], both[0] + len(both)))


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"start_beats": 0},
        {"start_beats": 4, "end_beats": 4},
        {"start_s": 2, "end_s": 1},
        {"start_s": -1, "end_s": 1},
        {"start_s": 0, "end_s": float("nan")},
        {"start_beats": 0, "end_beats": float("inf")},
        {"start_beats": 0, "end_beats": 4, "start_s": 0, "end_s": 1},
        {"start_beats": 0, "end_beats": 4, "end_s": 1},
        {"start_beats": 0, "end_beats": 4, "pass": 0},
        {"start_s": 0, "end_s": 4, "pass": 1},
        {"start_beats": 0, "end_beats": 4, "passes": 1},
        [0, 4],
        None,
    ],
)
def test_windows_that_are_none(bad):
    with pytest.raises(PlanError) as caught:
        Window.parse(bad)
    assert "\n" not in str(caught.value)


def test_a_window_survives_json():
    window = Window.parse({"start_beats": 8, "end_beats": 16, "pass": 2})
    text = window.model_dump_json(by_alias=True, exclude_none=True)
    assert text == '{"start_beats":8.0,"end_beats":16.0,"pass":2}'
    assert Window.model_validate_json(text) == window


def test_passes_of_the_arrangement_loop(make):
    song = make.music(8.0, seed=6)
    beats = (np.arange(400) % 160 + 1) * 0.1
    frames = make.frames(np.concatenate([song, song, song])).select(slice(0, 400))
    looped = make.changed(frames, slice(None), song_beats=beats[:, None])
    passes = split_passes(looped)
    assert [seqs(each)[0] for each in passes] == [0, 161]
    assert [len(each) for each in passes] == [160, 159]
    aligned = align(passes[:1], passes[1:])
    assert aligned.n_bars == 4
    # The same audio in both passes, on the same clock.
    both = aligned.valid.all(axis=0)
    np.testing.assert_allclose(
        aligned.values[0][both][:, 9:30], aligned.values[1][both][:, 9:30], rtol=1e-6
    )


def test_passes_of_a_session_loop_are_repeats(make):
    song = make.music(8.0, seed=6)
    frames = make.frames(np.concatenate([song] * 4), start_beats=36.0, phase_ms=20)
    passes = split_passes(frames, loop_beats=16.0)
    # From beat 36 on the second half of one pass, then three whole ones, then a half.
    assert len(passes) == 3
    assert all(160 <= len(each) <= 162 for each in passes)
    aligned = align(passes[:2], passes[2:], loop_beats=16.0)
    assert aligned.n_bars == 4
    assert aligned.lag_s == (0.0, 0.0, 0.0)


def test_no_passes(make):
    assert split_passes(Frames.empty()) == []
    for loop_beats in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError):
            split_passes(make.frames(make.music(4.0)), loop_beats=loop_beats)
    with pytest.raises(InputError, match="too short"):
        split_passes(make.frames(make.music(4.0)), loop_beats=1e-6)
