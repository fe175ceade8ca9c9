from __future__ import annotations

import numpy as np
import pytest

from pybackend.judgment.composition.grid import Swing
from pybackend.judgment.composition.likeness import GRADES
from pybackend.judgment.composition.lines import Lines, read_lines
from pybackend.judgment.composition.motifs import Motifs, find_motifs
from pybackend.judgment.composition.notes import snapshot_from
from pybackend.judgment.composition.survival import survival

THEME = [(0.0, 0), (0.75, 4), (1.5, 7), (2.0, 5), (3.0, 2), (3.5, 3)]


def lines(shape: list[tuple[float, float]], kind: str = "pitched") -> Lines:
    notes = [
        {"pitch": int(60 + pitch), "start_beats": 4.0 * bar + start, "duration_beats": 0.2}
        for bar in (0, 2, 4, 6)
        for start, pitch in shape
    ]
    rng = np.random.default_rng(3)
    notes += [
        {"pitch": int(rng.integers(50, 80)), "start_beats": 4.0 * bar + slot, "duration_beats": 0.2}
        for bar in (1, 3, 5, 7)
        for slot in np.sort(rng.choice(16, 5, replace=False)) / 4
    ]
    clip = {"id": "a", "end_beats": 32.0, "notes": notes}
    return read_lines(snapshot_from({"tracks": [{"clips": [clip], "kind": kind}]}, ""), Swing())


@pytest.fixture(scope="module")
def before() -> Motifs:
    found = find_motifs(lines(THEME))
    assert len(found.found) == 1
    return found


@pytest.mark.parametrize(
    ("shape", "fate"),
    [
        (THEME, "exact"),
        ([(s, p + 3) for s, p in THEME], "transposed"),
        ([(s, p) for (_, p), s in zip(THEME, (0, 0.5, 1, 2.5, 3, 3.25), strict=True)],
         "in another rhythm"),
        ([(s, -p) for s, p in THEME], "inverted, reversed or stretched"),
        ([(3.5 - s, p) for s, p in reversed(THEME)], "inverted, reversed or stretched"),
        ([(s / 2, p) for s, p in THEME], "inverted, reversed or stretched"),
        (THEME[:5], "a fragment"),
        ([(s, (7 * k) % 11) for k, (s, _) in enumerate(THEME)], "lost"),
    ],
    ids=["same", "transposed", "rhythm", "inverted", "reversed", "faster", "cut", "replaced"],
)  # fmt: skip
def test_every_fate_has_its_worth(before, shape: list[tuple[float, float]], fate: str) -> None:
    found = survival(before, lines(shape))
    assert found.fates[0].endswith(f": {fate}")
    assert found.value == pytest.approx(dict(GRADES)[fate])


def test_drums_are_compared_with_drums_only(before) -> None:
    found = survival(before, lines(THEME, kind="drums"))
    assert found.value == 0.0


def test_without_motifs_nothing_survives_or_is_lost() -> None:
    assert survival(Motifs(), lines(THEME)).value is None
