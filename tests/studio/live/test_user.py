"""The human's edits, and how one finds out that a script lost one."""

from __future__ import annotations

from typing import Any

import pytest

from pybackend.studio.live import Note, Studio


def test_every_action_is_one_step_of_theirs_that_undo_takes_back(live: Studio) -> None:
    song, user = live.song, live.user
    drums = song.tracks[1]
    actions: list[Any] = [
        lambda: user.set_parameter(drums.mixer_device.volume, 0.5),
        lambda: user.set_tempo(99.0),
        lambda: user.mute(drums),
        lambda: user.rename(drums, "Beat"),
        lambda: user.set_property(song, "signature_numerator", 3),
        lambda: user.draw_notes(drums.clip_slots[0].clip, Note(50, 0.0, 1.0)),
        lambda: user.erase_notes(drums.clip_slots[0].clip, 1),
        lambda: user.create_track("audio", 0),
        user.create_scene,
        lambda: user.create_clip(drums.clip_slots[2]),
        lambda: user.delete_clip(drums.clip_slots[2]),
        lambda: user.load_device(song.tracks[5], "Plug-in"),
        lambda: user.delete_device(song.tracks[5], 0),
        lambda: user.add_cue(8.0, "B"),
        lambda: user.group(song.tracks[4], song.tracks[5], name="Pair"),
        lambda: user.freeze(drums),
        lambda: user.draw_automation(drums.mixer_device.volume, 0.3),
        lambda: user.disable(drums.mixer_device.volume),
        lambda: user.delete_scene(0),
        lambda: user.delete_track(6),
    ]
    states = []
    for action in actions:
        states.append(live.dump())
        action()
    assert [step.origin for step in live.world.history.done] == ["user"] * len(actions)
    assert live.user.lost() == []
    for state in reversed(states):
        user.undo()
        assert live.dump() == state
    assert live.user.lost() == []
    for _ in actions:
        user.redo()
    assert live.user.lost() == []


def test_an_undo_of_a_script_that_takes_the_humans_edit_is_seen(live: Studio) -> None:
    live.user.rename(live.song.tracks[1], "mine")
    live.song.undo()
    assert [(str(edit), why) for edit, why in live.user.lost()] == [
        ("Track.given_name = 'mine'", "undone")
    ]
    live.song.redo()
    assert live.user.lost() == []


def test_what_the_human_took_back_is_not_lost(live: Studio) -> None:
    live.user.rename(live.song.tracks[1], "mine")
    live.user.undo()
    assert live.user.lost() == []
    live.user.create_track("midi", 0, "temporary")
    live.user.rename(live.song.tracks[0], "soon gone")
    live.user.delete_track(0)
    assert live.user.lost() == []


def test_a_script_that_deletes_what_the_human_made_is_seen(live: Studio) -> None:
    live.user.create_track("midi", 0, "mine")
    live.user.rename(live.song.tracks[0], "still mine")
    live.song.delete_track(0)
    reasons = {why for _, why in live.user.lost()}
    assert reasons == {"deleted"}


def test_writing_over_an_edit_is_told_apart_from_losing_it(live: Studio) -> None:
    volume = live.song.tracks[1].mixer_device.volume
    live.user.set_parameter(volume, 0.5)
    since = len(live.world.puts)
    volume.value = 0.6
    assert live.user.lost() == []
    assert [str(edit) for edit in live.user.overwritten(since)] == ["DeviceParameter.value = 0.5"]
    live.turn()
    live.song.undo()
    assert volume.value == 0.5
    assert live.user.lost() == []
    assert live.user.overwritten(len(live.world.puts)) == []


def test_edits_that_live_refuses_are_refused_to_the_human_too(live: Studio) -> None:
    with pytest.raises(RuntimeError, match="disabled"):
        live.user.set_parameter(live.song.tracks[2].devices[2].parameters[1], 0.5)
    assert live.world.history.done == []
    for _ in range(3):
        live.user.delete_scene(0)
    with pytest.raises(RuntimeError, match="last"):
        live.user.delete_scene(0)


def test_the_last_member_of_a_group_and_the_last_track_stay(live: Studio) -> None:
    live.user.delete_track(1)
    with pytest.raises(RuntimeError, match="Couldn't delete track"):
        live.song.delete_track(1)
    live.turn()
    live.user.delete_track(0)
    assert [track.name for track in live.song.tracks] == ["Keys", "Vocal", "Frozen", "4-MIDI"]
    for _ in range(3):
        live.user.delete_track(0)
    with pytest.raises(RuntimeError, match="Couldn't delete track"):
        live.user.delete_track(0)


def test_selection_is_theirs_and_no_edit(live: Studio) -> None:
    live.user.select_track(live.song.tracks[3])
    assert live.song.view.selected_track == live.song.tracks[3]
    assert live.user.edits == []
    live.user.delete_track(3)
    assert live.song.view.selected_track == None  # noqa: E711


def test_another_set_another_human(live: Studio) -> None:
    live.user.set_tempo(90.0)
    live.open_set("tiny")
    assert live.user.edits == []
    assert live.user.lost() == []
    assert live.song.tempo == 120.0
