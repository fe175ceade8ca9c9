"""Listeners: order, duplicates, the guard, lifetimes."""

from __future__ import annotations

from typing import Any

import pytest

from pybackend.studio.live import Studio, install


def test_listeners_run_in_the_setter_in_order(live: Studio) -> None:
    song, heard = live.song, []
    song.add_tempo_listener(lambda: heard.append(("one", live.song.tempo)))
    song.add_tempo_listener(lambda: heard.append(("two", live.song.tempo)))
    song.tempo = 100.0
    assert heard == [("one", 100.0), ("two", 100.0)]


def test_an_equal_value_is_no_change(live: Studio) -> None:
    heard: list[int] = []
    live.song.add_tempo_listener(lambda: heard.append(1))
    live.song.tempo = 120.0
    live.turn()
    assert heard == []
    assert not live.song.can_undo


def test_no_duplicates_and_no_strangers(live: Studio) -> None:
    def callback() -> None: ...

    live.song.add_tempo_listener(callback)
    with pytest.raises(RuntimeError, match="Observer already connected"):
        live.song.add_tempo_listener(callback)
    assert live.song.tempo_has_listener(callback)
    live.song.remove_tempo_listener(callback)
    assert not live.song.tempo_has_listener(callback)
    with pytest.raises(RuntimeError, match="Observer not connected"):
        live.song.remove_tempo_listener(callback)


class _Owner:
    def __init__(self) -> None:
        self.heard = 0

    def callback(self) -> None:
        self.heard += 1


def test_bound_methods_are_equal_by_object_and_do_not_keep_it_alive(live: Studio) -> None:
    owner = _Owner()
    live.song.add_tempo_listener(owner.callback)
    assert live.song.tempo_has_listener(owner.callback)
    live.song.add_tempo_listener(_Owner().callback)
    live.song.tempo = 100.0
    assert owner.heard == 1
    del owner
    live.song.tempo = 101.0
    assert live.listeners() == []


def test_a_listener_that_writes_is_stopped_logged_and_recorded() -> None:
    with install("12.4") as live:
        song = live.song

        def react() -> None:
            song.tracks[1].name = "changed"

        song.add_tempo_listener(react)
        song.tempo = 100.0
        assert song.tracks[1].name == "Drums"
        assert "Changes cannot be triggered by notifications" in live.runtime.log[-1]
        with pytest.raises(AssertionError, match="written in a listener"):
            live.check()


@pytest.mark.parametrize(
    "attempt",
    [
        lambda song: song.begin_undo_step(),
        lambda song: song.undo(),
        lambda song: song.create_scene(-1),
        lambda song: setattr(song, "loop", True),
        lambda song: setattr(song.view, "selected_track", song.tracks[0]),
    ],
)
def test_not_even_untracked_things_may_be_written_in_one(attempt: Any) -> None:
    with install("12.4") as live:
        failures: list[str] = []

        def react() -> None:
            try:
                attempt(live.song)
            except RuntimeError as error:
                failures.append(str(error))

        live.song.add_tempo_listener(react)
        live.song.tempo = 100.0
        assert failures
        assert "written in a listener" in live.violations[0]


def test_nothing_may_be_written_during_undo() -> None:
    with install("12.4") as live:
        song = live.song
        song.tempo = 100.0
        live.turn()
        failures: list[str] = []

        def react() -> None:
            try:
                song.tracks[1].name = "changed"
            except RuntimeError as error:
                failures.append(str(error))

        song.add_tempo_listener(react)
        song.undo()
        assert failures == ["Changes cannot be triggered during undo or redo."]


def test_listeners_may_be_added_and_removed_in_one(live: Studio) -> None:
    song = live.song

    def once() -> None:
        song.remove_tempo_listener(once)
        song.tracks[1].add_name_listener(print)

    song.add_tempo_listener(once)
    song.tempo = 100.0
    assert live.listeners() == ["Track.name"]
    song.tracks[1].remove_name_listener(print)


def test_an_exception_in_a_listener_stops_nothing_but_is_recorded() -> None:
    with install("12.4") as live:
        heard = []

        def broken() -> None:
            raise ValueError("mine")

        live.song.add_tempo_listener(broken)
        live.song.add_tempo_listener(lambda: heard.append(1))
        live.song.tempo = 100.0
        assert heard == [1]
        assert "ValueError: mine" in live.violations[0]


def test_a_compound_change_is_complete_before_anybody_hears(live: Studio) -> None:
    song, seen = live.song, []
    song.add_return_tracks_listener(
        lambda: seen.append((len(song.return_tracks), len(song.tracks[1].mixer_device.sends)))
    )
    song.create_return_track()
    assert seen == [(3, 3)]


def test_undo_and_redo_notify(live: Studio) -> None:
    song, heard = live.song, []
    volume = song.tracks[1].mixer_device.volume
    volume.value = 0.5
    live.turn()
    volume.add_value_listener(lambda: heard.append(volume.value))
    song.undo()
    song.redo()
    assert heard == [pytest.approx(0.85), 0.5]


def test_what_the_set_says_when_its_structure_changes(live: Studio) -> None:
    song = live.song
    heard: list[str] = []
    for name in ("tracks", "visible_tracks", "scenes", "return_tracks", "cue_points"):
        getattr(song, f"add_{name}_listener")(lambda name=name: heard.append(name))
    slot = song.tracks[2].clip_slots[0]
    slot.add_has_clip_listener(lambda: heard.append("has_clip"))
    song.tracks[2].add_devices_listener(lambda: heard.append("devices"))
    song.create_midi_track(-1)
    song.create_scene(-1)
    slot.create_clip(4.0)
    song.tracks[2].insert_device("Utility")
    song.tracks[0].fold_state = True
    live.user.add_cue(4.0)
    assert heard == [
        *("tracks", "visible_tracks", "scenes", "has_clip", "devices", "visible_tracks"),
        "cue_points",
    ]


def test_a_member_can_be_broken_as_some_are_in_some_builds(live: Studio) -> None:
    live.break_member("Song.add_scenes_listener", RuntimeError("beta"))
    live.break_member("Track.color", RuntimeError("beta"))
    with pytest.raises(RuntimeError, match="beta"):
        live.song.add_scenes_listener(print)
    with pytest.raises(RuntimeError, match="beta"):
        live.song.tracks[0].color = 0
    assert live.song.tracks[0].name == "Rhythm"
    live.break_member("Track.color", None)
    assert live.song.tracks[0].color


def test_the_notes_listener_says_only_that_something_changed(live: Studio) -> None:
    clip, heard = live.song.tracks[1].clip_slots[0].clip, []
    clip.add_notes_listener(lambda: heard.append(1))
    assert not hasattr(clip, "notes")
    clip.remove_notes_by_id([1])
    assert heard == [1]
