"""Notes: the pure rules against a slow model, and the calls of the clip."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.studio.live import ArgumentError, Note, Studio, install, notes

NOTE = st.builds(
    Note,
    st.integers(60, 62),
    st.integers(-4, 12).map(lambda n: n / 4.0),
    st.integers(1, 8).map(lambda n: n / 4.0),
    velocity=st.integers(1, 127).map(float),
)


def _add_one(existing: dict[int, Note], number: int, new: Note) -> dict[int, Note]:
    """The words of the rule, one note at a time."""
    result: dict[int, Note] = {}
    end = new.duration
    for other, note in existing.items():
        if note.pitch != new.pitch:
            result[other] = note
        elif note.start == new.start:
            continue
        elif note.start < new.start < note.start + note.duration:
            result[other] = note._replace(duration=new.start - note.start)
        else:
            result[other] = note
            if new.start < note.start:
                end = min(end, note.start - new.start)
    result[number] = new._replace(duration=end)
    return result


@given(st.lists(NOTE, max_size=12))
def test_adding_one_by_one_follows_the_rule(new: list[Note]) -> None:
    model: dict[int, Note] = {}
    real: dict[int, Note] = {}
    for number, note in enumerate(new, 1):
        model = _add_one(model, number, note)
        real, ids = notes.add(real, [note], number)
        assert ids == [number]
        assert real == model


@given(st.lists(NOTE, max_size=12), st.data())
def test_no_overlaps_survive_anything(new: list[Note], data: st.DataObject) -> None:
    mine, _ = notes.add({}, new, 1)
    if mine:
        number = data.draw(st.sampled_from(sorted(mine)))
        mine = notes.modify(mine, {number: data.draw(NOTE)})
        assert number in mine
    for first, one in mine.items():
        for second, other in mine.items():
            if first != second and one.pitch == other.pitch and one.start <= other.start:
                assert one.start + one.duration <= other.start


@given(st.lists(NOTE, max_size=8), st.sets(st.integers(1, 10)))
def test_removal_takes_exactly_these_or_nothing(new: list[Note], ids: set[int]) -> None:
    mine, _ = notes.add({}, new, 1)
    if ids <= set(mine):
        assert set(notes.remove(mine, ids)) == set(mine) - ids
    else:
        with pytest.raises(RuntimeError, match="All given IDs must be present in clip"):
            notes.remove(mine, ids)


@pytest.fixture
def clip(live: Studio) -> Any:
    return live.song.tracks[1].clip_slots[0].clip


@pytest.fixture
def spec(live: Studio) -> Any:
    return live.modules["Live.Clip"].MidiNoteSpecification


def _rows(clip: Any) -> list[tuple[Any, ...]]:
    return [(n.note_id, n.pitch, n.start_time, n.duration) for n in clip.get_all_notes_extended()]


def test_new_ids_are_returned_counted_per_clip_and_never_used_again(clip: Any, spec: Any) -> None:
    assert list(clip.add_new_notes([spec(60, 0.0, 1.0), spec(61, 0.0, 1.0)])) == [5, 6]
    clip.remove_notes_by_id([6])
    assert list(clip.add_new_notes((spec(62, 0.0, 1.0),))) == [7]


def test_what_is_read_back_is_the_truth_not_what_was_asked(clip: Any, spec: Any) -> None:
    clip.add_new_notes([spec(36, 0.5, 1.0), spec(36, 2.0, 0.125)])
    assert _rows(clip) == [
        *((1, 36, 0.0, 0.25), (5, 36, 0.5, 0.5), (2, 36, 1.0, 0.25)),
        *((6, 36, 2.0, 0.125), (4, 36, 3.0, 0.25)),
    ]


@pytest.mark.parametrize(
    "bad",
    [
        {"pitch": 128},
        {"pitch": -1},
        {"velocity": 0.0},
        {"velocity": 127.5},
        {"duration": 0.0},
        {"duration": -1.0},
        {"start_time": 2e6},
        {"probability": 1.5},
        {"velocity_deviation": 128.0},
        {"release_velocity": -1.0},
    ],
)
def test_values_out_of_range_are_refused_before_anything_changes(
    clip: Any, spec: Any, bad: dict[str, Any]
) -> None:
    values = {"pitch": 60, "start_time": 0.0, "duration": 1.0, **bad}
    before = _rows(clip)
    with pytest.raises(RuntimeError):
        clip.add_new_notes([spec(60, 0.0, 1.0), spec(**values)])
    vector = clip.get_notes_by_id([1])
    for name, value in bad.items():
        setattr(vector[0], name, value)
    with pytest.raises(RuntimeError):
        clip.apply_note_modifications(vector)
    assert _rows(clip) == before


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ((60, 0.0), {}),
        ((60.0, 0.0, 1.0), {}),
        ((60, "0", 1.0), {}),
        ((60, 0.0, 1.0), {"pitch": 61}),
        ((60, 0.0, 1.0), {"color": 1}),
        ((60, 0.0, 1.0, None), {}),
        ((60, 0.0, 1.0, 100.0, None), {}),
    ],
)
def test_specifications_are_strict(
    spec: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    with pytest.raises(ArgumentError):
        spec(*arguments, **keywords)


def test_only_lives_vector_modifies(clip: Any) -> None:
    vector = clip.get_all_notes_extended()
    vector[0].pitch = 40
    assert _rows(clip)[0][1] == 36
    with pytest.raises(ArgumentError):
        clip.apply_note_modifications(list(vector))
    clip.apply_note_modifications(vector)
    assert _rows(clip)[0][:2] == (1, 40)


def test_a_slice_of_a_vector_is_a_vector_and_one_can_be_filled(live: Studio, clip: Any) -> None:
    some = live.modules["Live.Clip"].MidiNoteVector()
    note = clip.get_all_notes_extended()[1]
    note.velocity = 1.0
    some.append(note)
    clip.apply_note_modifications(some)
    clip.apply_note_modifications(clip.get_all_notes_extended()[:2])
    assert clip.get_notes_by_id([2])[0].velocity == 1.0


def test_notes_that_are_gone_cannot_be_modified(clip: Any) -> None:
    vector = clip.get_all_notes_extended()
    clip.remove_notes_by_id([2])
    with pytest.raises(RuntimeError, match="All given IDs must be present in clip"):
        clip.apply_note_modifications(vector)
    with pytest.raises(RuntimeError, match="All given IDs"):
        clip.get_notes_by_id([2])
    with pytest.raises(RuntimeError, match="All given IDs"):
        clip.remove_notes_by_id([1, 2])


def _expressions(live: Studio) -> dict[int, int]:
    node = live.world.song["tracks"][1]["clip_slots"][0]["clip"]
    return {number: note.expression for number, note in node["notes"].items()}


def test_mpe_data_survives_edits_by_id_and_nothing_else(live: Studio, clip: Any, spec: Any) -> None:
    assert _expressions(live)[3] == 7
    vector = clip.get_notes_by_id([3])
    vector[0].pitch, vector[0].start_time = 48, 2.5
    clip.apply_note_modifications(vector)
    assert _expressions(live)[3] == 7
    clip.remove_notes_by_id([3])
    (new,) = clip.add_new_notes([spec(48, 2.5, 0.25)])
    assert _expressions(live)[new] == 0


def test_spans_end_before_their_end(clip: Any, spec: Any) -> None:
    clip.add_new_notes([spec(127, 0.0, 1.0), spec(0, 4.0, 1.0)])
    assert len(clip.get_notes_extended(0, 127, -100.0, 200.0)) == 5
    assert len(clip.get_notes_extended(0, 128, -100.0, 200.0)) == 6
    assert len(clip.get_notes_extended(0, 128, 0.0, 4.0)) == 5
    clip.remove_notes_extended(0, 127, -100.0, 200.0)
    assert [row[1] for row in _rows(clip)] == [127]


def test_notes_left_of_the_start_are_in_all_but_not_in_the_usual_range(live: Studio) -> None:
    line = live.song.tracks[2].clip_slots[1].clip
    assert len(line.get_all_notes_extended()) == 7
    assert len(line.get_notes_extended(0, 128, 0.0, line.length)) == 4


def test_times_are_exact_and_the_rest_has_32_bits(clip: Any, spec: Any) -> None:
    third = 1.0 / 3.0
    (new,) = clip.add_new_notes([spec(60, third, third, probability=0.7)])
    note = clip.get_notes_by_id([new])[0]
    assert (note.start_time, note.duration) == (third, third)
    assert note.probability != 0.7
    assert note.probability == pytest.approx(0.7)


def test_duplicates_go_behind_or_where_they_are_sent(clip: Any) -> None:
    assert list(clip.duplicate_notes_by_id([1, 2])) == [5, 6]
    assert [row[2] for row in _rows(clip) if row[0] in (5, 6)] == [1.25, 2.25]
    (moved,) = clip.duplicate_notes_by_id([1], 8.0, 12)
    assert [row[1:3] for row in _rows(clip) if row[0] == moved] == [(48, 8.0)]


def test_selection_is_no_step(live: Studio, clip: Any) -> None:
    clip.select_notes_by_id([2])
    assert [one.note_id for one in clip.get_selected_notes_extended()] == [2]
    clip.deselect_all_notes()
    live.turn()
    assert not live.song.can_undo


def test_the_old_calls_work_lose_mpe_data_and_are_recorded() -> None:
    with install("12.4") as live:
        clip = live.song.tracks[1].clip_slots[0].clip
        assert clip.get_notes(0.0, 0, 1.0, 128) == ((36, 0.0, 0.25, 100.0, False),)
        clip.remove_notes(2.0, 0, 1.0, 128)
        clip.set_notes(((36, 2.0, 0.25, 100.0, False),))
        assert 7 not in _expressions(live).values()
        assert len(live.violations) == 2


def test_a_frozen_track_takes_notes_silently_but_no_clips(live: Studio, spec: Any) -> None:
    frozen = live.song.tracks[5]
    assert frozen.is_frozen
    assert len(frozen.clip_slots[0].clip.add_new_notes([spec(61, 0.0, 1.0)])) == 1
    with pytest.raises(RuntimeError, match="Clips cannot be created on frozen tracks"):
        frozen.clip_slots[1].create_clip(4.0)
    with pytest.raises(RuntimeError, match="Clips cannot be created on frozen tracks"):
        frozen.create_midi_clip(0.0, 4.0)
