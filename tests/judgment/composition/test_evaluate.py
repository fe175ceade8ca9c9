from __future__ import annotations

import json

import numpy as np
import pytest

from pybackend.errors import GoalError, InputError
from pybackend.judgment.composition.evaluate import evaluate_composition_move
from pybackend.judgment.composition.measure import NOTE_DIMENSIONS
from pybackend.judgment.goal import compile_goal_vector


def goal(targets: dict, protect: object = None, mode: str = "improve") -> dict:
    return compile_goal_vector("notes", targets, protect, mode)


@pytest.fixture(scope="module")
def before(pieces) -> dict:
    return pieces.piece(5)


@pytest.fixture(scope="module")
def thinner(pieces, before) -> dict:
    return pieces.edited(before, pieces.thinned(np.random.default_rng(1), 0.4), "drums")


def test_a_move_that_does_what_was_asked_is_kept(before, thinner) -> None:
    verdict = evaluate_composition_move(before, thinner, goal({"density": -1}))
    assert (verdict.decision, verdict.keep_change) == ("keep", True)
    assert verdict.score > 0.5
    density = verdict.dimensions["density"]
    assert (density.verdict, density.state) == ("improved", "measured")
    assert density.ci_low == density.delta == density.ci_high
    assert verdict.goal.outcome == "up"
    assert (verdict.goal.p, verdict.goal.df) == (None, None)
    assert "exact" in verdict.tags
    assert "no_repeat" not in verdict.tags
    assert verdict.explanation.startswith("Thinner in notes by 0.")
    assert "loudness" not in verdict.explanation
    assert any(note.startswith("density: ") for note in verdict.notes)


def test_the_opposite_of_what_was_asked_is_undone(before, thinner) -> None:
    verdict = evaluate_composition_move(before, thinner, goal({"density": 1}))
    assert (verdict.decision, verdict.keep_change) == ("undo", False)
    assert verdict.score < 0.5
    assert verdict.dimensions["density"].verdict == "worse"


@pytest.mark.parametrize("mode", ["improve", "explore", "finish"])
def test_nothing_done_is_exactly_half_and_undone(before, mode: str) -> None:
    targets = {"density": 1, "groove": 1, "tension": -1, "motif_coherence": 1}
    verdict = evaluate_composition_move(before, before, goal(targets, mode=mode))
    assert verdict.score == 0.5
    assert verdict.goal.estimate == 0.0
    assert (verdict.decision, verdict.keep_change) == ("undo", False)
    assert verdict.collateral_damage == ()
    assert verdict.chance_of_false_keep == 0.0


def test_swapped_sides_mirror_the_score(before, thinner) -> None:
    targets = goal({"density": 0.5, "groove": 0.3, "motif_coherence": 0.2, "section_contrast": 0.4})
    there = evaluate_composition_move(before, thinner, targets)
    back = evaluate_composition_move(thinner, before, targets)
    assert back.score == 1.0 - there.score
    assert there.score != 0.5


def test_a_lost_motif_violates_its_protect(pieces, before) -> None:
    shuffled = pieces.edited(before, pieces.shuffled(np.random.default_rng(3)), "lead", "drums")
    busier = pieces.edited(shuffled, lambda notes: [*notes, *notes, *notes], "bass")
    for protect, decision in ((["motif_survival"], "undo"), (None, "keep")):
        verdict = evaluate_composition_move(before, busier, goal({"density": 1}, protect))
        assert verdict.decision == decision
    protected = evaluate_composition_move(
        before, busier, goal({"density": 1}, {"motif_survival": 0.5})
    )
    assert protected.protects["motif_survival"].status == "violated"
    assert "motifs lost" in protected.explanation
    # A motif that is only transposed keeps nine tenths, within the default margin of two.
    moved = pieces.edited(before, pieces.transposed(2), "lead", "chords", "bass")
    kept = evaluate_composition_move(before, moved, goal({"density": 1}, ["motif_survival"]))
    assert kept.protects["motif_survival"].status == "safe"


def test_survival_can_be_protected_and_is_no_target(before) -> None:
    verdict = evaluate_composition_move(before, before, goal({"motif_survival": 1}))
    assert (verdict.decision, verdict.score) == ("inconclusive", None)
    assert "no target" in verdict.dimensions["motif_survival"].reason


def test_what_notes_cannot_show_is_unavailable_and_never_kept(before, thinner) -> None:
    verdict = evaluate_composition_move(before, thinner, goal({"density": -1, "brightness": 1}))
    assert verdict.decision == "inconclusive"
    assert verdict.dimensions["brightness"].state == "unavailable"
    assert "frames of the master" in verdict.dimensions["brightness"].reason
    shown = {name for name, each in verdict.dimensions.items() if each.state == "measured"}
    assert shown <= set(NOTE_DIMENSIONS)
    optional = goal({"density": -1, "brightness": {"weight": 1, "optional": True}})
    assert evaluate_composition_move(before, thinner, optional).decision == "keep"
    blind = goal({"density": -1}, ["brightness"])
    assert evaluate_composition_move(before, thinner, blind).decision == "inconclusive"


@pytest.mark.parametrize("mode", ["observe", "diagnose"])
def test_reading_modes_keep_nothing(before, thinner, mode: str) -> None:
    verdict = evaluate_composition_move(before, thinner, goal({"density": -1}, mode=mode))
    assert (verdict.decision, verdict.keep_change) == ("inconclusive", False)
    assert verdict.would_be == "keep"


def test_finish_allows_no_side_effect(before, thinner) -> None:
    verdict = evaluate_composition_move(before, thinner, goal({"density": -1}, mode="finish"))
    side = {each.dimension for each in verdict.collateral_damage}
    assert side
    assert verdict.decision == "inconclusive"


def test_silence_and_another_metre_are_not_compared(before) -> None:
    silent = before | {"tracks": []}
    for sides, side in (((silent, before), "before"), ((before, silent), "after")):
        verdict = evaluate_composition_move(*sides, goal({"density": 1}, mode="explore"))
        assert (verdict.decision, verdict.keep_change, verdict.score) == (
            "inconclusive",
            False,
            None,
        )
        assert f"No note sounds {side} the move." in verdict.explanation
    waltz = evaluate_composition_move(before, before | {"beats_per_bar": 3.0}, goal({"density": 1}))
    assert [reason.code for reason in waltz.reasons] == ["metre_changed"]


@pytest.mark.parametrize(
    "snapshot",
    [None, [], {}, {"issues": []}, {"spectrum": {"low": 0.1}, "rms": 0.1, "peak": 0.2}],
    ids=str,
)
def test_the_wrong_shape_is_an_error(before, snapshot: object) -> None:
    with pytest.raises(InputError, match="after the move"):
        evaluate_composition_move(before, snapshot, goal({"density": 1}))


def test_a_goal_that_is_none_is_an_error(before) -> None:
    with pytest.raises(GoalError):
        evaluate_composition_move(before, before, {"targets": {"densty": 1}})


def test_the_verdict_is_json_and_takes_the_goal_verbatim(before, thinner) -> None:
    made = goal({"density": -1}, ["tension"])
    verdict = evaluate_composition_move(before, thinner, json.dumps(made), kept_composite=1.0)
    document = json.loads(verdict.model_dump_json())
    assert document["dimensions"]["density"]["unit"] == "doublings"
    assert document["goal_progress"] == 1.0
    assert document["evidence"]["grade"] == "good"


def test_tries_are_printed_without_a_chance_of_error(before, thinner) -> None:
    verdict = evaluate_composition_move(before, thinner, goal({"density": -1}), tries=7)
    assert verdict.tries == 7
    assert "false keep" not in verdict.explanation
