"""Threads, wrappers, deleted objects, arguments."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from pybackend.studio.live import ArgumentError, Studio, WrongThread, install


def test_another_thread_is_refused_and_remembered_even_if_it_swallows_the_error() -> None:
    with install("12.4") as live:
        song, caught = live.song, []

        def intrude() -> None:
            for attempt in (lambda: song.tracks, song.undo, lambda: song == None):  # noqa: E711
                try:
                    attempt()
                except WrongThread as error:
                    caught.append(error)

        thread = threading.Thread(target=intrude, name="socket")
        thread.start()
        thread.join()
        assert len(caught) == 3
        assert not isinstance(caught[0], Exception)
        with pytest.raises(AssertionError, match="thread socket"):
            live.check()


def test_identity_is_equality_and_pointer_and_nothing_else(live: Studio) -> None:
    first, again = live.song.tracks[1], live.song.tracks[1]
    assert first == again
    assert first is not again
    assert hash(first) == hash(again)
    assert first._live_ptr == again._live_ptr
    assert first != live.song.tracks[2]
    assert first != None  # noqa: E711 - what liveobj_valid does
    assert live.song.groove_pool.canonical_parent == live.song


def test_unknown_attributes_cannot_be_hung_on_a_wrapper(live: Studio) -> None:
    with pytest.raises(AttributeError):
        live.song.tracks[0].my_note = 1
    with pytest.raises(AttributeError, match="can't set"):
        live.song.tracks = []


def test_a_deleted_object_is_none_and_raises_on_everything(live: Studio) -> None:
    slot = live.song.tracks[1].clip_slots[0]
    clip = slot.clip
    clip.add_name_listener(print)
    slot.delete_clip()
    assert clip == None  # noqa: E711
    assert bool(clip)
    for access in (
        lambda: clip.name,
        lambda: clip._live_ptr,
        lambda: clip.get_all_notes_extended(),  # noqa: PLW0108 - the access may raise
        lambda: setattr(clip, "name", "x"),
        lambda: clip.add_name_listener(print),
        lambda: clip.name_has_listener(print),
    ):
        with pytest.raises(ArgumentError, match=r"None\.None\(Clip\)"):
            access()
    with pytest.raises(RuntimeError, match="Observer not connected"):
        clip.remove_name_listener(print)
    assert live.listeners() == []


def test_everything_below_a_deleted_track_is_dead(live: Studio) -> None:
    track = live.song.tracks[3]
    below = [track.devices[0], track.devices[0].parameters[1], track.mixer_device.volume]
    below.append(track.arrangement_clips[0])
    live.song.delete_track(3)
    assert all(one == None for one in below)  # noqa: E711


def test_a_dead_objects_pointer_goes_to_a_new_one_but_does_not_make_them_equal(
    live: Studio,
) -> None:
    song = live.song
    old = song.create_audio_track(-1)
    ptr = old._live_ptr
    live.turn()
    song.delete_track(7)
    made = [song.create_midi_track(-1) for _ in range(3)]
    assert ptr in [one._live_ptr for one in made]
    assert all(one != old for one in made)
    assert old == None  # noqa: E711


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (lambda song: song.create_scene("0"), "str"),
        (lambda song: song.create_scene(1.0), "float"),
        (lambda song: song.create_scene(True), "bool"),
        (lambda song: song.create_scene(), ""),
        (lambda song: song.create_scene(0, 0), "int, int"),
        (lambda song: song.create_scene(index=0), "index="),
        (lambda song: song.begin_undo_step(1), "int"),
        (lambda song: song.tracks[1].delete_clip(song.tracks[1]), "Track"),
        (lambda song: setattr(song.tracks[1], "name", 3), "int"),
        (lambda song: setattr(song.tracks[1], "mute", None), "NoneType"),
        (lambda song: setattr(song.tracks[1], "mute", 0.0), "float"),
        (lambda song: setattr(song.tracks[1], "color", None), "NoneType"),
        (lambda song: setattr(song.tracks[1], "color", 1.0), "float"),
        (lambda song: setattr(song.tracks[1].mixer_device, "crossfade_assign", 1.0), "float"),
        (lambda song: setattr(song.tracks[1].mixer_device.volume, "value", "0.5"), "str"),
        (lambda song: setattr(song.tracks[1].mixer_device.volume, "value", True), "bool"),
    ],
)
def test_wrong_arguments_match_no_signature(live: Studio, call: Any, given: str) -> None:
    before = live.dump()
    with pytest.raises(ArgumentError) as error:
        call(live.song)
    assert isinstance(error.value, TypeError)
    assert given in str(error.value)
    assert "did not match C++ signature" in str(error.value)
    assert live.dump() == before


def test_an_int_does_for_a_float_and_0_and_1_for_a_bool(live: Studio) -> None:
    live.song.tempo = 100
    live.song.tracks[1].mute = 1
    assert live.song.tempo == 100.0
    assert live.song.tracks[1].mute is True


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused_and_remembered(number: float) -> None:
    with install("12.4") as live:
        with pytest.raises(ArgumentError):
            live.song.tracks[1].mixer_device.volume.value = number
        with pytest.raises(AssertionError, match="not finite"):
            live.check()


def test_a_vector_is_a_sequence_and_no_list(live: Studio) -> None:
    tracks = live.song.tracks
    assert len(tracks) == 7
    assert tracks[-1] == live.song.tracks[6]
    assert [one.name for one in tracks[1:3]] == ["Drums", "Bass"]
    assert live.song.tracks[2] in tracks
    assert not hasattr(tracks, "index")
    assert not isinstance(tracks, (list, tuple))
