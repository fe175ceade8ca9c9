"""The smallest edit that turns one list of notes into another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote_script.MoveJudge.failure import Failure
from remote_script.MoveJudge.noterows import (
    ROWS,
    digest,
    plan_patch,
    plan_replace,
    revision,
    same_notes,
)

NOTE = st.tuples(
    st.integers(0, 127), st.integers(-8, 64), st.integers(1, 8), st.integers(1, 127), st.booleans()
)


def rows(notes: list[Any], first: int = 0) -> list[list[Any]]:
    unique = {(pitch, start): rest for pitch, start, *rest in notes}
    return [
        [first + i if first else 0, p, s / 4.0, d / 4.0, float(v), m, 1.0, 0.0, 64.0]
        for i, ((p, s), (d, v, m)) in enumerate(unique.items())
    ]


def carried_out(current: list[Any], plan: Any) -> list[Any]:
    kept = [plan.modify.get(row[0], row) for row in current if row[0] not in plan.remove]
    return kept + plan.add


@given(st.lists(NOTE, max_size=20), st.lists(NOTE, max_size=20))
def test_a_plan_gives_what_was_wanted(now: list[Any], then: list[Any]) -> None:
    current, wanted = rows(now, 1), rows(then)
    plan = plan_replace(current, wanted)
    assert same_notes(carried_out(current, plan), wanted)
    assert len(set(plan.remove)) == len(plan.remove)
    assert not set(plan.remove) & set(plan.modify)


@given(st.lists(NOTE, max_size=20))
def test_equal_notes_need_no_edit(notes: list[Any]) -> None:
    current = rows(notes, 1)
    assert not plan_replace(current, [[0, *row[1:]] for row in reversed(current)])
    assert digest(current) == digest([[9, *row[1:]] for row in reversed(current)])


@given(st.lists(NOTE, min_size=1, max_size=20), st.integers(0, 19))
def test_a_note_that_changes_keeps_its_id(notes: list[Any], at: int) -> None:
    current = rows(notes, 1)
    wanted = [list(row) for row in current]
    changed = wanted[at % len(wanted)]
    changed[4] = 1.0 if changed[4] > 64 else 127.0
    plan = plan_replace(current, [[0, *row[1:]] for row in wanted])
    assert (plan.remove, list(plan.modify), plan.add) == ([], [changed[0]], [])


def test_a_note_that_moves_a_little_keeps_its_id() -> None:
    current = rows([(60, 0, 4, 100, False), (60, 8, 4, 100, False)], 1)
    wanted = [[0, 60, 0.1, 1.0, 100.0, False, 1.0, 0.0, 64.0], current[1]]
    plan = plan_replace(current, wanted)
    assert list(plan.modify) == [1]
    assert not plan.remove
    assert not plan.add


@given(st.lists(NOTE, min_size=1, max_size=12))
def test_revision_knows_notes_and_frame(notes: list[Any]) -> None:
    current = rows(notes, 1)
    frame = [True, 0.0, 4.0, 0.0, 4.0]
    found = revision(digest(current), frame)
    assert found == revision(digest(list(reversed(current))), frame)
    assert found != revision(digest(current), [True, 0.0, 8.0, 0.0, 4.0])
    assert found != revision(digest(current[1:]), frame)


def test_patches_are_checked_before_anything_happens() -> None:
    current = rows([(60, 0, 4, 100, False), (62, 0, 4, 100, False)], 1)
    for patch, code in (
        ({"remove": [9]}, "unknown_object"),
        ({"remove": [1, 1]}, "bad_request"),
        ({"remove": [1], "modify": [{"id": 1, "pitch": 3}]}, "bad_request"),
        ({"add": [[0, 60, 0.0, 1.0, 100.0, False, 1.0, 0.0, 64.0]]}, "bad_request"),
        ({"modify": [{"id": 1, "pitch": 62}]}, "bad_request"),
    ):
        with pytest.raises(Failure) as caught:
            plan_patch(current, patch, "patch")
        assert caught.value.code == code


@pytest.mark.parametrize(
    "row",
    [
        [0, 128, 0, 1],
        [0, -1, 0, 1],
        [0, 60.5, 0, 1],
        [0, 60, 0, 0],
        [0, 60, 0, 1, 0],
        [0, 60, 0, 1, 128],
        [0, 60, 0, 1, 100, 1],
        [0, 60, 0, 1, 100, False, 1.1],
        [0, 60, 0],
        [0, 60, 2e6, 1],
        ["x", 60, 0, 1],
    ],
)
def test_notes_out_of_range_are_refused(row: list[Any]) -> None:
    with pytest.raises(Failure):
        ROWS.check([row], "notes")


def test_pitch_0_and_127_are_notes() -> None:
    assert [row[1] for row in ROWS.check([[0, 0, 0, 1], [0, 127, 0, 1]], "notes")] == [0, 127]
