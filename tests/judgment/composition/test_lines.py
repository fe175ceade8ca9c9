from __future__ import annotations

import numpy as np
import pytest

from pybackend.judgment.composition.grid import Swing
from pybackend.judgment.composition.lines import read_lines
from pybackend.judgment.composition.notes import snapshot_from


def note(start: float, pitch: int, duration: float = 0.4) -> dict:
    return {"pitch": pitch, "start_beats": start, "duration_beats": duration}


def lines(*clips: list[dict], kind: str = "pitched", swing: Swing | None = None):
    made = [{"id": f"clip{k}", "end_beats": 16.0, "notes": notes} for k, notes in enumerate(clips)]
    snapshot = snapshot_from({"tracks": [{"kind": kind, "clips": made}]}, "")
    return read_lines(snapshot, swing or Swing())


MELODY = [(0.0, 60), (1.0, 64), (1.5, 62), (2.5, 67), (3.0, 65)]


def test_a_melody_is_one_line_of_intervals_and_gaps() -> None:
    found = lines([note(*each) for each in MELODY])
    assert found.names == ("clip0 (melody)",)
    assert found.interval[:4].tolist() == [4, -2, 5, -2]
    assert found.gap.tolist() == [24, 12, 24, 12, -1]


def test_two_clips_never_interleave() -> None:
    one, two = [note(*each) for each in MELODY], [note(s, p + 12) for s, p in MELODY]
    found = lines(one, two)
    assert found.names == ("clip0 (melody)", "clip1 (melody)")
    assert found.interval[:4].tolist() == found.interval[5:9].tolist() == [4, -2, 5, -2]


@pytest.mark.parametrize("order", [0, 1, 2])
def test_chords_are_heard_by_their_outer_notes_in_any_order(order: int) -> None:
    rng = np.random.default_rng(order)
    notes = []
    for bar, root in enumerate((60, 65, 62, 67)):
        chord = [
            note(4.0 * bar + 0.01 * k, pitch) for k, pitch in enumerate((root, root + 4 + bar, 84))
        ]
        notes += [chord[k] for k in rng.permutation(3)]
    found = lines(notes)
    assert found.names == ("clip0 (top)", "clip0 (bass)")
    assert found.pitch.tolist() == [84, 84, 84, 84, 60, 65, 62, 67]


def test_block_chords_that_move_in_parallel_are_one_line() -> None:
    notes = [
        note(float(k), pitch + third)
        for k, pitch in enumerate((60, 65, 62, 67))
        for third in (0, 7)
    ]
    found = lines(notes)
    assert found.gap.tolist() == [24, 24, 24, -1, -1, -1, -1, -1]


def test_accompaniment_under_a_held_note_is_not_in_the_top_line() -> None:
    notes = [note(0.0, 72, 4.0), note(4.0, 74, 4.0), note(8.0, 76, 4.0), note(12.0, 77, 4.0)]
    notes += [note(0.5 + k, 48) for k in range(16)][:15]
    found = lines(notes)
    assert found.pitch[found.line == 0].tolist() == [72, 74, 76, 77]


def test_legato_is_no_chord() -> None:
    found = lines([note(k / 2, pitch, 0.6) for k, pitch in enumerate((60, 62, 64, 62, 60, 67))])
    assert found.names == ("clip0 (melody)",)
    assert len(found) == 6


def test_drums_are_lines_of_rhythm() -> None:
    notes = [note(k / 4, 42) for k in range(8)] + [note(float(k), 36) for k in range(4)]
    notes.append(note(1.0, 38))
    found = lines(notes, kind="drums")
    assert found.names == ("clip0 (drum 36)", "clip0 (drum 42)")
    assert set(found.pitch.tolist()) == {0}
    assert found.drums.all()


def test_a_rest_longer_than_a_bar_ends_the_phrase() -> None:
    found = lines([note(*each) for each in [*MELODY, (10.0, 60), (11.0, 62)]])
    assert found.gap.tolist() == [24, 12, 24, 12, -1, 24, -1]


def test_swing_changes_no_line() -> None:
    straight = [note(k / 4, 60 + k % 5, 0.2) for k in range(16)]
    swung = [note(k / 4 + (0.05 if k % 2 else 0.0), 60 + k % 5, 0.2) for k in range(16)]
    assert lines(swung, swing=Swing(sixteenths=0.6)).gap.tolist() == lines(straight).gap.tolist()


def test_nothing_makes_no_lines() -> None:
    assert len(lines([])) == 0
    assert len(lines([note(0.0, 60), note(1.0, 62), note(2.0, 64)])) == 0
