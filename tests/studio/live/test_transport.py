"""What is readable from the next turn on only, and how the playhead moves."""

from __future__ import annotations

from typing import Any

import pytest

from pybackend.studio.live import Studio, StudioHost


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("loop", False, True),
        ("loop_start", 0.0, 8.0),
        ("loop_length", 16.0, 4.0),
        ("punch_in", False, True),
        ("punch_out", False, True),
        ("metronome", False, True),
        ("record_mode", False, True),
        ("session_record", False, True),
        ("arrangement_overdub", False, True),
        ("is_playing", False, True),
        ("current_song_time", 0.0, 8.0),
        ("start_time", 0.0, 8.0),
    ],
)
def test_writes_are_readable_in_the_next_turn(
    live: Studio, name: str, before: Any, after: Any
) -> None:
    heard: list[Any] = []
    getattr(live.song, f"add_{name}_listener")(lambda: heard.append(getattr(live.song, name)))
    assert getattr(live.song, name) == before
    setattr(live.song, name, after)
    assert getattr(live.song, name) == before
    assert heard == []
    live.turn()
    assert getattr(live.song, name) == after
    assert heard[0] == after


def test_tempo_and_signature_are_readable_at_once(live: Studio) -> None:
    live.song.tempo = 90.0
    live.song.signature_numerator = 3
    assert (live.song.tempo, live.song.signature_numerator) == (90.0, 3)


def test_a_cue_is_toggled_where_the_playhead_was(live: Studio) -> None:
    song = live.song
    song.current_song_time = 10.1
    song.set_or_delete_cue()
    assert [cue.name for cue in song.cue_points] == ["Verse", "Chorus"]
    live.turn()
    song.set_or_delete_cue()
    assert [cue.time for cue in song.cue_points] == [10.0, 32.0, 64.0]
    song.cue_points[1].name = "Verse 1"
    song.cue_points[1].jump()
    live.turn()
    assert song.current_song_time == 32.0
    assert song.is_cue_point_selected()
    song.start_playing()
    live.turn()
    with pytest.raises(RuntimeError, match="stopped"):
        song.set_or_delete_cue()


def test_the_playhead_cannot_pass_the_songs_end(live: Studio) -> None:
    live.song.current_song_time = 5000.0
    live.turn()
    assert live.song.current_song_time == live.song.song_length == 128.0
    with pytest.raises(RuntimeError, match="Time"):
        live.song.current_song_time = -1.0


def test_playing_moves_the_playhead_with_the_tempo_and_the_loop(host: StudioHost) -> None:
    song = host.song
    song.tempo = 60.0
    song.loop, song.loop_length = True, 4.0
    song.start_playing()
    host.turn()
    host.run(3.0)
    assert song.current_song_time == pytest.approx(3.0, abs=0.1)
    host.run(2.5)
    assert song.current_song_time == pytest.approx(1.5, abs=0.1)
    song.stop_playing()
    host.turn()
    stopped = song.current_song_time
    host.run(1.0)
    assert song.current_song_time == stopped
    song.start_playing()
    host.turn()
    assert song.current_song_time == pytest.approx(0.0, abs=0.01)
