from __future__ import annotations

import pytest

from pybackend.errors import InputError
from pybackend.judgment.composition.wire import clip_from_read, note_from_row

FRAME = {
    "looping": True,
    "loop_start": 4.0,
    "loop_end": 12.0,
    "start_marker": 2.0,
    "end_marker": 16.0,
}


def test_a_row_is_a_note() -> None:
    note = note_from_row([7, 64, 1.5, 0.5, 90.0, False, 0.8, 0.0, 64.0])
    assert (note.note_id, note.pitch, note.start_beats, note.duration_beats) == (7, 64, 1.5, 0.5)
    assert (note.velocity, note.mute, note.probability) == (90.0, False, 0.8)
    assert note_from_row([0, 64, 1.5, 0.5]).velocity == 100.0


@pytest.mark.parametrize(
    "row", [[0, 64, 1.5], [0] * 10, "note", [0, 200, 0.0, 1.0], [0, 60, 0.0, -1.0]], ids=str
)
def test_what_is_no_row_is_refused(row: object) -> None:
    with pytest.raises(InputError):
        note_from_row(row)


def test_a_looping_clip_plays_its_loop_and_starts_at_its_marker() -> None:
    clip = clip_from_read("12", FRAME, [[1, 60, 0.0, 1.0]])
    assert (clip.start_beats, clip.end_beats, clip.entry_beats) == (4.0, 12.0, 2.0)
    assert clip.song_span is None


def test_a_clip_without_loop_plays_between_its_markers() -> None:
    clip = clip_from_read("12", FRAME | {"looping": False}, [], song_span=(8.0, 22.0), muted=True)
    assert (clip.start_beats, clip.end_beats, clip.looping) == (2.0, 16.0, False)
    assert clip.song_span == (8.0, 22.0)
    assert clip.muted


def test_a_frame_that_lacks_something_is_refused() -> None:
    with pytest.raises(InputError, match="clip 12"):
        clip_from_read("12", {"looping": True}, [])
    with pytest.raises(InputError, match=r"clip 12: .*end_beats"):
        clip_from_read("12", FRAME | {"loop_end": 4.0}, [])
