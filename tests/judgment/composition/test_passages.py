from __future__ import annotations

import pytest

from pybackend.errors import InputError
from pybackend.judgment.composition.notes import snapshot_from
from pybackend.judgment.composition.passages import lay_out


def note(start: float, pitch: int = 60, duration: float = 0.5, **fields: object) -> dict:
    return {"pitch": pitch, "start_beats": start, "duration_beats": duration, **fields}


def layout(clips: list[dict], sections: list[dict] | None = None, **track: object):
    snapshot = {"tracks": [{"clips": clips, **track}], "sections": sections or []}
    return lay_out(snapshot_from(snapshot, "before"))


def test_clips_without_a_place_never_share_a_passage() -> None:
    made = layout(
        [
            {"id": "a", "end_beats": 4.0, "notes": [note(0.0), note(1.0)]},
            {"id": "b", "end_beats": 8.0, "notes": [note(0.5)]},
        ]
    )
    assert [(p.name, p.bars, p.start.tolist()) for p in made.passages] == [
        ("a", 1, [0.0, 1.0]),
        ("b", 2, [0.5]),
    ]
    assert made.bars == 3


def test_a_loop_in_the_arrangement_repeats_from_its_start() -> None:
    clip = {
        "id": "a",
        "start_beats": 1.0,
        "end_beats": 3.0,
        "entry_beats": 2.0,
        "notes": [note(0.0, 50), note(1.0, 61), note(2.0, 62, 4.0), note(3.0, 63)],
        "song_start_beats": 4.0,
        "song_end_beats": 9.0,
    }
    (passage,) = layout([clip]).passages
    # One beat of lead-in from the entry, then whole loops; the last is cut off by the clip's end.
    assert passage.start.tolist() == [4.0, 5.0, 6.0, 7.0, 8.0]
    assert passage.pitch.tolist() == [62, 61, 62, 61, 62]
    assert passage.end.tolist() == [5.0, 5.5, 7.0, 7.5, 9.0]


def test_a_section_holds_what_the_arrangement_has_between_its_bars() -> None:
    clip = {
        "id": "a",
        "end_beats": 16.0,
        "looping": False,
        "notes": [note(0.0), note(3.98, 61), note(5.0, 62), note(7.5, 63, 2.0), note(12.0)],
        "song_start_beats": 0.0,
        "song_end_beats": 16.0,
    }
    sections = [{"name": "B", "start_bar": 1, "end_bar": 2}, {"start_bar": 2, "end_bar": 3}]
    first, second = layout([clip], sections).passages
    # The note just before the barline is meant for the bar behind it.
    assert first.pitch.tolist() == [61, 62, 63]
    assert first.start.tolist() == pytest.approx([-0.02, 1.0, 3.5])
    assert first.onsets.all()
    assert first.bar.tolist() == [0, 0, 0]
    # A note that rings into a section sounds there and does not begin there.
    assert second.name == "section 2"
    assert second.start.tolist() == [-0.5]
    assert not second.onsets.any()


def test_a_scene_plays_its_clips_together_for_its_length() -> None:
    clips = [
        {"id": "a", "end_beats": 4.0, "notes": [note(0.0, 60)]},
        {"id": "b", "end_beats": 2.0, "notes": [note(1.0, 72)]},
        {"id": "c", "end_beats": 2.0, "notes": [note(1.0, 80)]},
    ]
    made = layout(clips, [{"start_bar": 0, "end_bar": 2, "clips": ["a", "b"]}])
    (passage,) = made.passages
    assert passage.start.tolist() == [0.0, 1.0, 3.0, 4.0, 5.0, 7.0]
    assert passage.pitch.tolist() == [60, 72, 72, 60, 72, 72]
    assert made.notes == ("In no section, so only searched for motifs: c.",)


def test_what_is_silent_is_left_out() -> None:
    clip = {
        "id": "a",
        "end_beats": 4.0,
        "notes": [note(0.0), note(1.0, mute=True), note(2.0, probability=0.25), note(5.0)],
    }
    (passage,) = layout([clip]).passages
    assert passage.start.tolist() == [0.0, 2.0]
    assert passage.weight.tolist() == [1.0, 0.25]
    assert layout([clip | {"muted": True}]).passages == ()
    assert layout([clip], muted=True).passages == ()


def test_there_is_a_limit_of_sounding_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pybackend.judgment.composition.passages.MAX_SOUNDING", 10)
    clip = {"id": "a", "end_beats": 0.25, "notes": [note(0.0, duration=0.1)]}
    layout([clip], [{"start_bar": 0, "end_bar": 0 + 1, "clips": ["a"]}][:0])
    with pytest.raises(InputError, match="more than 10 notes sound"):
        layout([clip], [{"start_bar": 0, "end_bar": 1, "clips": ["a"]}])
