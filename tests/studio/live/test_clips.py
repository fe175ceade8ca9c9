"""Clips: loops and markers, slots, the arrangement."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.studio.live import Studio, install


@pytest.fixture
def clip(live: Studio) -> Any:
    return live.song.tracks[1].clip_slots[0].clip


@pytest.fixture
def keys(live: Studio) -> Any:
    return live.song.tracks[3]


def test_loop_setters_keep_start_before_end(clip: Any) -> None:
    with pytest.raises(RuntimeError, match="LoopStart behind LoopEnd"):
        clip.loop_start = 4.0
    clip.loop_end = 8.0
    clip.loop_start = 4.0
    assert (clip.loop_start, clip.loop_end, clip.length) == (4.0, 8.0, 4.0)
    with pytest.raises(RuntimeError, match="LoopEnd before LoopStart"):
        clip.loop_end = 4.0
    assert (clip.start_marker, clip.end_marker) == (0.0, 4.0)


def test_without_a_loop_its_setters_move_the_markers_and_markers_cannot_be_set(clip: Any) -> None:
    clip.looping = False
    clip.loop_end = 3.0
    clip.loop_start = 1.0
    assert (clip.start_marker, clip.end_marker, clip.length) == (1.0, 3.0, 2.0)
    clip.start_marker = 0.0
    assert clip.start_marker == 1.0
    clip.looping = True
    assert (clip.loop_start, clip.loop_end) == (0.0, 4.0)


def test_moving_a_loop(clip: Any) -> None:
    clip.position = 2.0
    assert (clip.loop_start, clip.loop_end) == (2.0, 6.0)


def test_slots_hold_what_fits(live: Studio) -> None:
    drums, vocal = live.song.tracks[1], live.song.tracks[4]
    slot = drums.clip_slots[2]
    made = slot.create_clip(8.0)
    assert made.length == 8.0
    assert made.canonical_parent == slot
    with pytest.raises(RuntimeError, match="already has a clip"):
        slot.create_clip(4.0)
    with pytest.raises(RuntimeError, match="MIDI tracks"):
        vocal.clip_slots[0].create_clip(4.0)
    with pytest.raises(RuntimeError, match="MIDI tracks"):
        live.song.tracks[0].clip_slots[0].create_clip(4.0)
    with pytest.raises(RuntimeError, match="has no clip"):
        vocal.clip_slots[0].delete_clip()
    with pytest.raises(RuntimeError, match="Incompatible"):
        slot.duplicate_clip_to(vocal.clip_slots[0])
    slot.duplicate_clip_to(drums.clip_slots[3])
    assert drums.clip_slots[3].clip.length == 8.0
    assert drums.clip_slots[3].clip != made


def test_scenes_are_rows(live: Studio) -> None:
    scene = live.song.scenes[1]
    assert [slot.has_clip for slot in scene.clip_slots] == [
        *(False, True, True, False, False, False, False),
    ]
    assert not scene.is_empty
    assert live.song.scenes[3].is_empty
    assert scene.tempo == -1.0
    scene.tempo = 90.0
    assert scene.tempo_enabled
    live.song.create_scene(0)
    assert [len(track.clip_slots) for track in live.song.tracks] == [5] * 7
    live.song.duplicate_scene(2)
    assert live.song.tracks[1].clip_slots[3].clip.name == "Verse beat"
    with pytest.raises(IndexError):
        live.song.delete_scene(-1)


def test_arrangement_clips_tell_where_they_are(keys: Any) -> None:
    theme = keys.arrangement_clips[0]
    assert theme.is_arrangement_clip
    assert (theme.start_time, theme.end_time) == (0.0, 16.0)
    assert theme.canonical_parent == keys
    with pytest.raises(AttributeError):
        theme.start_time = 4.0


def test_only_the_loop_trick_changes_how_long_an_arrangement_clip_is(keys: Any) -> None:
    theme = keys.arrangement_clips[0]
    theme.loop_end = 4.0
    theme.end_marker = 8.0
    assert theme.end_time == 16.0
    theme.looping = False
    theme.loop_end = theme.loop_start + 24.0
    theme.looping = True
    assert theme.end_time == 24.0
    assert (theme.loop_start, theme.loop_end) == (0.0, 4.0)


def test_an_unwarped_audio_clip_shows_its_extent_a_turn_later(live: Studio) -> None:
    take = live.song.tracks[4].arrangement_clips[0]
    take.warping = False
    take.loop_end = 16.0
    assert take.end_time == 64.0
    live.turn()
    assert take.end_time == 48.0
    with pytest.raises(RuntimeError, match="warped"):
        take.looping = True


def test_a_new_clip_cuts_what_is_under_it_and_moves_the_playhead(live: Studio, keys: Any) -> None:
    theme = keys.arrangement_clips[0]
    keys.create_midi_clip(4.0, 4.0)
    spans = [(one.start_time, one.end_time, one.name) for one in keys.arrangement_clips]
    assert spans == [
        *((0.0, 4.0, "Theme"), (4.0, 8.0, ""), (8.0, 16.0, "Theme"), (32.0, 40.0, "Answer")),
    ]
    assert theme.end_time == 4.0
    assert keys.arrangement_clips[2].start_marker == 8.0
    assert live.song.current_song_time == 4.0


def test_cutting_is_one_step_and_comes_back(live: Studio, keys: Any) -> None:
    before = live.dump()
    keys.create_midi_clip(2.0, 40.0)
    live.turn()
    live.song.undo()
    assert live.dump() == before


SPAN = st.tuples(st.integers(0, 24), st.integers(1, 12))


@given(st.lists(SPAN, min_size=1, max_size=6))
def test_the_arrangement_never_overlaps_and_the_newest_is_whole(
    spans: list[tuple[int, int]],
) -> None:
    with install("12.4", set="tiny") as live:
        track = live.song.tracks[0]
        covered: set[int] = set()
        for start, length in spans:
            made = track.create_midi_clip(float(start), float(length))
            covered.update(range(start, start + length))
            assert (made.start_time, made.end_time) == (start, start + length)
            clips = list(track.arrangement_clips)
            ends = [(one.start_time, one.end_time) for one in clips]
            assert ends == sorted(ends)
            for (_, end), (begin, _) in itertools.pairwise(ends):
                assert end <= begin
            beats = {n for begin, end in ends for n in range(int(begin), int(end))}
            assert beats == covered


def test_copies_from_session_and_deletion(live: Studio, keys: Any) -> None:
    drums = live.song.tracks[1]
    copy = drums.duplicate_clip_to_arrangement(drums.clip_slots[0].clip, 8.0)
    assert (copy.start_time, copy.end_time, copy.name) == (8.0, 12.0, "Four")
    assert len(copy.get_all_notes_extended()) == 4
    with pytest.raises(RuntimeError, match="another track"):
        keys.delete_clip(copy)
    drums.delete_clip(copy)
    assert copy == None  # noqa: E711
    live.turn()
    drums.delete_clip(drums.clip_slots[0].clip)
    assert not drums.clip_slots[0].has_clip
    with pytest.raises(RuntimeError, match="Incompatible"):
        live.song.tracks[4].duplicate_clip_to_arrangement(drums.clip_slots[1].clip, 0.0)


def test_before_12_2_there_were_no_midi_clips_to_create() -> None:
    with install("12.1") as live:
        assert not hasattr(live.song.tracks[1], "create_midi_clip")
        assert not hasattr(live.song.tracks[1].clip_slots[0].clip, "is_session_clip")


def test_firing_and_stopping_take_a_turn(live: Studio) -> None:
    drums, song = live.song.tracks[1], live.song
    heard: list[int] = []
    drums.add_playing_slot_index_listener(lambda: heard.append(drums.playing_slot_index))
    clip = drums.clip_slots[0].clip
    clip.fire()
    assert (drums.playing_slot_index, drums.fired_slot_index) == (-1, 0)
    assert drums.clip_slots[0].is_triggered
    live.turn()
    assert (drums.playing_slot_index, drums.fired_slot_index) == (0, -1)
    assert clip.is_playing
    assert song.is_playing
    song.stop_all_clips()
    live.turn()
    assert not clip.is_playing
    assert song.is_playing
    song.scenes[1].fire()
    live.turn()
    assert drums.clip_slots[1].is_playing
    assert heard == [0, -1, 1]
