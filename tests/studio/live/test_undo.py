"""The undo history: grouping, landing, labels, and the disputed variants."""

from __future__ import annotations

from typing import Any

import pytest

from pybackend.studio.live import UNDO_VARIANTS, Studio, UndoProfile, install, profile


def _studio(version: str = "12.4", locale: str = "en", **changes: Any) -> Studio:
    return install(profile(version, UndoProfile(**changes), locale), set="band")


def _steps(live: Studio) -> int:
    """Count what undo takes back until there is nothing."""
    live.turn()
    count = 0
    while live.song.can_undo:
        live.song.undo()
        count += 1
    return count


def _volumes(live: Studio, count: int = 3) -> list[Any]:
    return [track.mixer_device.volume for track in live.song.tracks][:count]


def test_a_group_is_one_step(live: Studio) -> None:
    song, before = live.song, live.dump()
    song.begin_undo_step()
    for volume in _volumes(live):
        volume.value = 0.5
    song.tracks[1].name = "Beat"
    song.create_midi_track(-1)
    song.end_undo_step()
    assert _steps(live) == 1
    assert live.dump() == before


def test_without_a_group_each_call_is_a_step_and_a_knob_merges(live: Studio) -> None:
    before = live.dump()
    first, second, _ = _volumes(live)
    for value in (0.1, 0.2, 0.3):
        first.value = value
    second.value = 0.5
    first.value = 0.4
    live.song.create_return_track()
    assert _steps(live) == 4
    assert live.dump() == before


def test_begin_is_not_counted_and_a_lone_end_does_nothing(live: Studio) -> None:
    song = live.song
    one, two, _ = _volumes(live)
    song.end_undo_step()
    song.begin_undo_step()
    song.begin_undo_step()
    one.value = 0.1
    song.end_undo_step()
    two.value = 0.2
    song.end_undo_step()
    assert _steps(live) == 2


def test_an_empty_group_leaves_nothing(live: Studio) -> None:
    live.song.begin_undo_step()
    live.song.end_undo_step()
    assert _steps(live) == 0
    assert live.song.undo() == ""


def test_a_group_left_open_is_a_violation_and_swallows_what_follows() -> None:
    with _studio() as live:
        live.song.begin_undo_step()
        _volumes(live)[0].value = 0.1
        live.turn()
        live.user.rename(live.song.tracks[1], "mine")
        live.turn()
        assert len(live.violations) == 1
        live.song.undo()
        assert live.song.tracks[1].name == "Drums"
        assert live.user.lost()


def test_or_the_human_closes_it() -> None:
    with _studio(user_closes_open_group=True) as live:
        live.song.begin_undo_step()
        _volumes(live)[0].value = 0.1
        live.turn()
        live.user.rename(live.song.tracks[1], "mine")
        live.song.undo()
        assert live.song.tracks[1].name == "Drums"
        assert _volumes(live)[0].value == pytest.approx(0.1)


def test_a_step_is_seen_in_the_next_turn_so_undo_at_once_takes_what_was_before() -> None:
    with _studio() as live:
        live.user.rename(live.song.tracks[1], "mine")
        live.song.begin_undo_step()
        _volumes(live)[0].value = 0.1
        live.song.end_undo_step()
        live.song.undo()
        assert _volumes(live)[0].value == pytest.approx(0.1)
        assert [str(edit) for edit, _ in live.user.lost()] == ["Track.given_name = 'mine'"]
        live.song.redo()
        assert live.user.lost() == []


def test_can_undo_and_can_redo(live: Studio) -> None:
    song = live.song
    assert not song.can_undo
    song.tempo = 100.0
    assert not song.can_undo
    live.turn()
    assert song.can_undo
    song.undo()
    assert song.can_redo
    assert not song.can_undo
    song.tempo = 90.0
    live.turn()
    assert not song.can_redo


@pytest.mark.parametrize(
    ("version", "label", "nothing"), [("11.3", "Undo Custom Action", ""), ("11.3.2", None, None)]
)
def test_labels_by_version(version: str, label: str | None, nothing: str | None) -> None:
    with _studio(version) as live:
        live.song.tempo = 100.0
        live.turn()
        assert live.song.undo() == label
        assert live.song.undo() == nothing


def test_labels_tell_the_humans_steps_and_come_in_any_language() -> None:
    with _studio() as live:
        live.user.set_tempo(90.0)
        assert live.song.undo() == "Undo Change Tempo"
        assert live.song.redo() == "Redo Change Tempo"
    with _studio(locale="xx") as live:
        live.song.tempo = 100.0
        live.turn()
        assert live.song.undo() not in ("", "Undo Custom Action")


def test_transport_selection_and_arm_are_in_no_step(live: Studio) -> None:
    song = live.song
    song.loop = True
    song.metronome = True
    song.start_playing()
    song.tracks[1].arm = True
    song.tracks[0].fold_state = True
    song.view.selected_track = song.tracks[2]
    song.tracks[1].clip_slots[0].fire()
    live.turn()
    assert _steps(live) == 0


def test_k_parameter_writes_in_a_group_may_be_k_plus_1_steps() -> None:
    with _studio(parameter_writes="own_step") as live:
        live.song.begin_undo_step()
        for volume in _volumes(live):
            volume.value = 0.5
        live.song.end_undo_step()
        live.turn()
        live.song.undo()
        assert [one.value for one in _volumes(live)] == pytest.approx([0.5, 0.5, 0.85])
        assert _steps(live) == 3


def test_renames_may_be_their_own_steps() -> None:
    with _studio(track_renames="own_step") as live:
        live.song.begin_undo_step()
        live.song.tracks[1].name = "Beat"
        live.song.create_midi_track(-1)
        live.song.end_undo_step()
        assert _steps(live) == 2


@pytest.mark.parametrize(("synced", "steps"), [(True, 1), (False, 3)])
def test_parameter_writes_may_need_to_be_synced(synced: bool, steps: int) -> None:
    with _studio(parameter_writes="own_step_unless_synced") as live:
        live.song.begin_undo_step()
        for volume in _volumes(live):
            volume.value = 0.5
        if synced:
            live.song.sync_parameter_changes()
        live.song.end_undo_step()
        assert _steps(live) == steps


def test_sync_came_with_12_4() -> None:
    with install("12.3") as live:
        assert not hasattr(live.song, "sync_parameter_changes")


@pytest.mark.parametrize(("pairs", "steps"), [("separate", 2), ("coalesce", 1)])
def test_pairs_in_one_turn_may_coalesce(pairs: str, steps: int) -> None:
    with _studio(pairs_in_one_turn=pairs) as live:
        for volume in _volumes(live, 2):
            live.song.begin_undo_step()
            volume.value = 0.5
            live.song.end_undo_step()
        assert _steps(live) == steps


@pytest.mark.parametrize(("ungrouped", "steps"), [("each", 2), ("per_turn", 1)])
def test_loose_writes_of_a_turn_may_be_one_step(ungrouped: str, steps: int) -> None:
    with _studio(ungrouped_writes=ungrouped) as live:
        live.song.create_midi_track(-1)
        live.song.tracks[7].name = "New"
        assert _steps(live) == steps


def test_pairs_of_different_turns_never_coalesce() -> None:
    with _studio(pairs_in_one_turn="coalesce") as live:
        for volume in _volumes(live, 2):
            live.song.begin_undo_step()
            volume.value = 0.5
            live.song.end_undo_step()
            live.turn()
        assert _steps(live) == 2


@pytest.mark.parametrize("new", [False, True])
def test_what_comes_back_may_have_another_pointer(new: bool) -> None:
    with _studio(new_handles=new) as live:
        track = live.song.tracks[1]
        ptr = track._live_ptr
        clip = track.clip_slots[0].clip
        live.song.delete_track(1)
        live.turn()
        assert track == None  # noqa: E711
        live.song.undo()
        assert (live.song.tracks[1]._live_ptr != ptr) is new
        assert (track == None) is new  # noqa: E711
        assert (clip == None) is new  # noqa: E711
        assert live.song.tracks[1].clip_slots[0].clip.name == "Four"


@pytest.mark.parametrize("new", [False, True])
def test_notes_that_come_back_may_have_other_ids(new: bool) -> None:
    with _studio(new_note_ids=new) as live:
        clip = live.song.tracks[1].clip_slots[0].clip
        ids = {note.note_id for note in clip.get_all_notes_extended()}
        clip.remove_notes_by_id([1, 2])
        live.turn()
        live.song.undo()
        after = {note.note_id for note in clip.get_all_notes_extended()}
        assert (after == ids) is not new
        assert {3, 4} < after


def test_solo_may_be_tracked_or_not() -> None:
    for tracked in (True, False):
        with _studio(solo_tracked=tracked) as live:
            live.song.tracks[1].solo = True
            assert _steps(live) == int(tracked)


def test_undoing_the_move_of_a_max_device_crashes() -> None:
    with _studio() as live:
        master = live.song.master_track
        live.user.move_device(master.devices[1], master, 0)
        assert [one.name for one in master.devices] == ["MoveJudge Analyzer", "Limiter"]
        with pytest.raises(BaseException, match="Max device"):
            live.song.undo()
        assert "crash" in live.violations[0]


def test_other_devices_move_and_come_back_alive(live: Studio) -> None:
    song, before = live.song, live.dump()
    device = song.tracks[4].devices[0]
    song.move_device(device, song.tracks[3], 1)
    assert device.canonical_parent == song.tracks[3]
    live.turn()
    song.undo()
    assert live.dump() == before
    assert device.canonical_parent == song.tracks[4]
    song.redo()
    assert [one.name for one in song.tracks[3].devices][1] == "EQ Eight"


@pytest.mark.parametrize("name", sorted(UNDO_VARIANTS))
def test_every_variant_restores_exactly_in_the_end(name: str) -> None:
    with install(profile("12.4", UNDO_VARIANTS[name]), set="band") as live:
        before = live.dump()
        song = live.song
        song.begin_undo_step()
        for volume in _volumes(live):
            volume.value = 0.5
        song.tracks[1].name = "Beat"
        song.tracks[1].clip_slots[0].clip.remove_notes_by_id([1])
        song.end_undo_step()
        live.turn()
        live.user.delete_track(2)
        after = live.dump()
        steps = _steps(live)
        assert live.dump() == before
        for _ in range(steps):
            song.redo()
        assert live.dump() == after
        live.check()


def test_unknown_behaviour_is_refused() -> None:
    with pytest.raises(ValueError, match="parameter_writes is one of"):
        UndoProfile(parameter_writes="sometimes")
    with pytest.raises(ValueError, match="no Live version"):
        profile("12")
    with pytest.raises(ValueError, match="older"):
        profile("10.1.0")
