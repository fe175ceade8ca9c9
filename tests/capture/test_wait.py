import numpy as np
import pytest

from pybackend.capture.align import align
from pybackend.capture.wait import CaptureAborted, Progress, capture_live
from pybackend.errors import TargetMissing
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FRAME_COLUMNS


class Live:
    """Frames that arrive as the fake clock goes on."""

    def __init__(self, frames, now_s=0.0):
        self.frames, self.now_s = frames, now_s
        self.seen = []

    def latest(self, seconds):
        arrived = self.frames.received_s <= self.now_s
        recent = self.frames.received_s > self.now_s - seconds
        return self.frames.select(arrived & recent)

    def clock(self):
        return self.now_s

    def sleep(self, seconds):
        self.now_s += seconds

    def capture(self, **options):
        return capture_live(
            self, clock=self.clock, sleep=self.sleep, on_progress=self.seen.append, **options
        )


@pytest.fixture(scope="module")
def song(make):
    return make.frames(make.music(40.0, seed=9), phase_ms=15)


def test_whole_bars_from_the_next_barline(song):
    live = Live(song, now_s=3.0)
    frames = live.capture(bars=4)
    beats = frames.column("song_beats")
    # The next bar begins at beat 8, and 0.3 s are kept on either side for a lag.
    assert beats[0] == pytest.approx(8.0 - 0.6, abs=0.11)
    assert beats[-1] == pytest.approx(24.0 + 0.6, abs=0.11)
    assert live.now_s == pytest.approx(12.3, abs=0.2)
    assert align([frames], [frames]).n_bars == 4


def test_what_was_heard_before_the_call_does_not_count(song):
    live = Live(song, now_s=3.9)
    # The next barline is 0.1 s away, sooner than momentary loudness forgets.
    assert live.capture(bars=1).column("song_beats")[0] > 11.0


def test_the_countdown(song):
    live = Live(song, now_s=1.0)
    live.capture(bars=2, start_beats=8.0)
    states = [progress.state for progress in live.seen]
    assert states == sorted(states, key=["no_frames", "waiting", "capturing"].index)
    ahead = [p.beats_to_start for p in live.seen if p.state == "waiting"]
    assert ahead == sorted(ahead, reverse=True)
    assert ahead[0] == pytest.approx(8.0 - 2.0 - 0.8, abs=0.3)
    done = [p.bars_done for p in live.seen if p.state == "capturing"]
    assert done == sorted(done)
    assert max(done) <= 2.0


def test_the_same_position_comes_back_with_the_loop(make):
    beats = np.arange(800) % 160 * 0.1 + 0.1
    looped = make.frames(np.concatenate([make.music(8.0, seed=9)] * 5))
    frames = make.changed(looped, slice(None), song_beats=beats[:, None])
    live = Live(frames, now_s=3.0)
    captured = live.capture(bars=4, start_beats=0.0)
    assert live.now_s == pytest.approx(16.0, abs=0.3)
    assert align([frames.select(slice(0, 160))], [captured]).n_bars == 4
    assert any(np.isnan(p.beats_to_start) for p in live.seen)


def test_a_loop_in_session_view(song):
    live = Live(song, now_s=5.0)
    captured = live.capture(bars=4, start_beats=0.0, loop_beats=16.0)
    assert captured.column("song_beats")[0] == pytest.approx(16.0 - 0.6, abs=0.11)


def test_a_stop_starts_over(make, song):
    stopped = make.changed(song, slice(120, 160), flags=1)
    live = Live(stopped, now_s=1.0)
    captured = live.capture(bars=3)
    assert captured.column("song_beats")[0] > 16.0
    assert "stopped" in {p.state for p in live.seen}


def test_an_export_is_ignored(song):
    """The song is rendered five times as fast as it plays, then played."""
    played = song.received_s + 20.0
    rendered = Frames(song.values.copy(), 2.0 + song.received_s / 5.0)
    seq = FRAME_COLUMNS["seq"].start, FRAME_COLUMNS["seq_check"].start
    later = song.values.copy()
    later[:, seq] += 1000.0
    both = Frames.concatenate([rendered, Frames(later, played)])
    live = Live(both, now_s=1.0)
    captured = live.capture(bars=4)
    assert captured.column("seq").min() >= 1000.0
    assert "export" in {p.state for p in live.seen}
    with pytest.raises(TargetMissing, match="exported"):
        Live(rendered, now_s=1.0).capture(bars=4, timeout_s=8.0)


def test_a_stalled_receiver_is_no_export(song):
    stalled = song.received_s.copy()
    stalled[(stalled > 4.0) & (stalled < 4.8)] = 4.8
    captured = Live(Frames(song.values, stalled), now_s=1.0).capture(bars=2)
    assert captured.column("song_beats")[0] < 4.0


def test_abort(song):
    live = Live(song)
    with pytest.raises(CaptureAborted):
        live.capture(aborted=lambda: live.now_s > 2.0)
    assert live.now_s == pytest.approx(2.1, abs=0.11)


def test_giving_up(make, song):
    with pytest.raises(TargetMissing, match="no frames arrived after 3 s"):
        Live(Frames.empty()).capture(timeout_s=3.0)
    with pytest.raises(TargetMissing, match="press play"):
        Live(make.changed(song, slice(None), flags=1)).capture(timeout_s=3.0)
    with pytest.raises(TargetMissing, match="8 bars were not played"):
        Live(song).capture(bars=8, timeout_s=6.0)
    with pytest.raises(TargetMissing, match="1 bars were not played"):
        Live(song, now_s=10.0).capture(bars=1, start_beats=0.0, timeout_s=6.0)


def test_stale_frames_are_not_taken_for_new_ones(song):
    live = Live(song, now_s=60.0)
    with pytest.raises(TargetMissing, match="no frames"):
        live.capture(timeout_s=2.0)
    assert live.seen[-1] == Progress("no_frames")
