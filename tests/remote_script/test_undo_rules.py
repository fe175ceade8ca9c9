"""The decision table of undo, over every combination of facts."""

from __future__ import annotations

import itertools

from remote_script.MoveJudge.undo_rules import Facts, choose, compare, invertible

EVERY = [Facts(*bits) for bits in itertools.product((False, True), repeat=len(Facts._fields))]


def test_live_undo_only_for_our_own_newest_unmixed_step() -> None:
    for facts in EVERY:
        if choose(facts) == "native":
            assert facts.on_top
            assert facts.can_undo
            assert facts.all_tracked
            assert not any((facts.foreign, facts.revert, facts.splits))


def test_writing_back_only_what_can_be_written_back() -> None:
    for facts in EVERY:
        if choose(facts) == "compensating":
            assert invertible(facts)
            assert not facts.structural or facts.creates


def test_a_deletion_is_never_written_back() -> None:
    for facts in EVERY:
        if facts.structural and not facts.creates and facts.foreign:
            assert choose(facts) == "undo_foreign"


def test_every_case_has_an_answer() -> None:
    known = {"native", "compensating", "undo_foreign", "undo_nothing", "undo_unverified"}
    assert {choose(facts) for facts in EVERY} == known


def test_where_values_stand() -> None:
    assert compare([False, False], [True, True]) == "after"
    assert compare([True, True], [False, False]) == "before"
    assert compare([True, False], [False, True]) == "partly"
    assert compare([True, False], [False, False]) == "elsewhere"
