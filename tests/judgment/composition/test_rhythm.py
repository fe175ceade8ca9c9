from __future__ import annotations

import pytest

from pybackend.judgment.composition.notes import snapshot_from
from pybackend.judgment.composition.passages import lay_out
from pybackend.judgment.composition.rhythm import measure_rhythm


def rhythm(onsets: list[float], bars: int = 4, tempo: float | None = 120.0, kind="pitched"):
    notes = [
        {"pitch": 60, "start_beats": 4 * bar + onset, "duration_beats": 0.2}
        for bar in range(bars)
        for onset in onsets
    ]
    clip = {"id": "a", "end_beats": 4.0 * bars, "notes": notes}
    snapshot = snapshot_from({"tracks": [{"clips": [clip], "kind": kind}]}, "")
    return measure_rhythm(lay_out(snapshot).passages, tempo)


def test_density_is_in_doublings_of_notes_per_bar() -> None:
    assert rhythm([0.0, 1.0, 2.0, 3.0]).density == 2.0
    assert rhythm([k / 2 for k in range(8)]).density == 3.0


@pytest.mark.parametrize(
    ("onsets", "levels"),
    [
        ([0.0, 1.0, 2.0, 3.0], 0.0),
        ([k / 4 for k in range(16)], 0.0),
        # A 16th before the beat, held over it: a weak place in front of a strong one.
        ([0.0, 1.75], 1.5),
        # Off-beat eighths alone pass over beats (1), the middle (2) and the downbeat (3).
        ([0.5, 1.5, 2.5, 3.5], (1 + 2 + 1 + 3) / 4),
    ],
    ids=["beats", "sixteenths", "anticipation", "off-beats"],
)
def test_syncopation_by_hand(onsets: list[float], levels: float) -> None:
    assert rhythm(onsets, bars=8).groove == pytest.approx(levels)


def test_drums_are_heard_one_by_one() -> None:
    """Hats on every 16th do not hide the syncopation of a kick."""
    notes = []
    for bar in range(4):
        notes += [{"pitch": 36, "start_beats": 4 * bar + 1.75, "duration_beats": 0.1}]
        notes += [
            {"pitch": 42, "start_beats": 4 * bar + k / 4, "duration_beats": 0.1} for k in range(16)
        ]
    clip = {"id": "a", "end_beats": 16.0, "notes": notes}
    found = {}
    for kind in ("drums", "pitched"):
        snapshot = snapshot_from({"tracks": [{"clips": [clip], "kind": kind}]}, "")
        found[kind] = measure_rhythm(lay_out(snapshot).passages, 120.0).groove
    assert found["drums"] > 0.0
    assert found["pitched"] == 0.0


def test_looseness_is_in_milliseconds() -> None:
    shifts = [0.0, 0.02, -0.02, 0.0]
    onsets = [beat + shift for beat, shift in zip((0.0, 1.0, 2.0, 3.0), shifts, strict=True)]
    expected = 0.02 * 500 * (2 / 4) ** 0.5
    assert rhythm(onsets).looseness_ms == pytest.approx(expected, rel=1e-6)
    assert rhythm(onsets, tempo=60.0).looseness_ms == pytest.approx(2 * expected, rel=1e-6)


def test_what_cannot_be_known_has_a_reason() -> None:
    few = rhythm([0.0], bars=4)
    assert few.groove is None
    assert "8 notes" in few.missing["groove"]
    assert "off-beats" in few.missing["swing"]
    assert "tempo" in rhythm([0.0, 1.0, 2.0], tempo=None).missing["looseness"]
    assert rhythm([], bars=4).density is None


def test_chance_counts_as_its_expectation() -> None:
    notes = [
        {"pitch": 60, "start_beats": k / 2, "duration_beats": 0.2, "probability": 0.5}
        for k in range(8)
    ]
    clip = {"id": "a", "end_beats": 4.0, "notes": notes}
    snapshot = snapshot_from({"tracks": [{"clips": [clip]}]}, "")
    assert measure_rhythm(lay_out(snapshot).passages, None).density == 2.0
