"""docs/artistic.md says what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pybackend.judgment.artistic.restraint import BUDGETS, COSTS
from pybackend.judgment.composition.likeness import GRADES
from pybackend.judgment.composition.measure import NOTE_DIMENSIONS
from pybackend.judgment.composition.notes import snapshot_from
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.judgment.tags import TAGS

TEXT = (Path(__file__).parents[3] / "docs" / "artistic.md").read_text(encoding="utf-8")


def test_the_example_is_a_snapshot() -> None:
    example = re.search(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert example is not None
    snapshot = snapshot_from(json.loads(example[1]), "before")
    assert snapshot.tracks[0].clips[0].notes[0].pitch == 60


@pytest.mark.parametrize("name", NOTE_DIMENSIONS)
def test_units_and_smallest_effects(name: str) -> None:
    row = re.search(rf"^\| {name} \| ([^|]*) \| ([^|]*) \|", TEXT, re.MULTILINE)
    assert row is not None
    entry = DIMENSIONS[name]
    assert row[1] == (entry.unit or "0..1")
    assert float(row[2]) == entry.smallest_effect


def test_every_tag_has_a_line() -> None:
    assert set(re.findall(r"^\| ([a-z_]+) \| [^|]+ \|", TEXT, re.MULTILINE)) >= set(TAGS)


def test_worths_costs_and_budgets() -> None:
    for worth in dict(GRADES).values():
        assert f"{worth:g}" in TEXT
    assert f"track {COSTS['tracks']:g}, device {COSTS['devices']:g}" in TEXT
    assert f"parameter {COSTS['parameters']:g}" in TEXT
    assert f"finish {BUDGETS['finish']:g}, improve {BUDGETS['improve']:g}" in TEXT
    assert f"explore {BUDGETS['explore']:g}" in TEXT
