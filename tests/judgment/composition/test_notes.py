from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from pybackend.errors import InputError
from pybackend.judgment.composition.notes import Clip, Note, NoteSnapshot, Track, snapshot_from


def clip(name: str = "a", **fields: object) -> dict[str, object]:
    return {"id": name, "end_beats": 4.0, **fields}


def test_notes_are_accepted_with_the_names_that_live_uses() -> None:
    note = Note.model_validate({"pitch": 60, "start_time": 1.5, "duration": 0.25, "note_id": 3})
    assert (note.start_beats, note.duration_beats, note.velocity) == (1.5, 0.25, 100.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"pitch": 128},
        {"pitch": -1},
        {"pitch": 60.5},
        {"duration_beats": 0.0},
        {"velocity": 0.0},
        {"velocity": 128.0},
        {"probability": 1.1},
        {"start_beats": math.nan},
        {"start_beats": math.inf},
        {"strat_beats": 1.0},
    ],
    ids=str,
)
def test_impossible_notes_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Note.model_validate({"pitch": 60, "start_beats": 0.0, "duration_beats": 1.0} | wrong)


def test_muted_and_impossible_notes_do_not_sound() -> None:
    note = {"pitch": 60, "start_beats": 0.0, "duration_beats": 1.0}
    assert Note.model_validate(note).sounds
    assert not Note.model_validate(note | {"mute": True}).sounds
    assert not Note.model_validate(note | {"probability": 0.0}).sounds


@pytest.mark.parametrize(
    ("snapshot", "said"),
    [
        (7, "must hold notes"),
        ({"spectrum": {}, "rms": 0.1}, "holds no notes"),
        ({"tracks": [{"clips": [{"id": "a"}]}]}, r"tracks\.0\.clips\.0\.end_beats"),
        ({"tracks": [{"clips": [clip(), clip()]}]}, "same id"),
        ({"tracks": [{"clips": [clip(end_beats=0.0)]}]}, "end_beats must lie behind"),
        ({"tracks": [{"clips": [clip(song_start_beats=0.0)]}]}, "or neither"),
        (
            {"tracks": [{"clips": [clip(song_start_beats=4.0, song_end_beats=4.0)]}]},
            "song_end_beats must lie behind",
        ),
        ({"tracks": [], "sections": [{"start_bar": 2, "end_bar": 2}]}, "end_bar must lie behind"),
        (
            {"tracks": [], "sections": [{"start_bar": 0, "end_bar": 4, "clips": ["x"]}]},
            "names no clip 'x'",
        ),
        (
            {
                "tracks": [],
                "sections": [{"start_bar": 0, "end_bar": 4}, {"start_bar": 3, "end_bar": 8}],
            },
            "overlap",
        ),
        (
            {
                "tracks": [],
                "sections": [{"start_bar": 4, "end_bar": 8}, {"start_bar": 0, "end_bar": 4}],
            },
            "in the order",
        ),
        ({"tracks": [], "tempo_bpm": 5}, "tempo_bpm"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_snapshot_of_notes_is_one_line(snapshot: object, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        snapshot_from(snapshot, "before")
    assert "before the move" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_there_is_a_limit_of_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pybackend.judgment.composition.notes.MAX_NOTES", 3)
    note = {"pitch": 60, "start_beats": 0.0, "duration_beats": 1.0}
    snapshot_from({"tracks": [{"clips": [clip(notes=[note] * 3)]}]}, "before")
    with pytest.raises(InputError, match="more than 3 notes"):
        snapshot_from({"tracks": [{"clips": [clip(notes=[note] * 4)]}]}, "before")


def test_snapshots_survive_json() -> None:
    snapshot = NoteSnapshot(
        tracks=(Track(name="lead", clips=(Clip(id="a", end_beats=4.0),)),), tempo_bpm=120.0
    )
    assert snapshot_from(snapshot.model_dump(mode="json"), "after") == snapshot
    assert snapshot_from(snapshot, "after") is snapshot


def test_what_is_switched_off_does_not_play() -> None:
    clips = (Clip(id="a", end_beats=4.0), Clip(id="b", end_beats=4.0, muted=True))
    assert [each.id for each in Track(clips=clips).playing] == ["a"]
    assert Track(clips=clips, muted=True).playing == ()
