from __future__ import annotations

import pytest

from pybackend.errors import GoalError
from pybackend.judgment.artistic.director import (
    director_turn,
    technical_goal,
    technical_score,
    worst,
)
from pybackend.judgment.artistic.evaluate import ArtisticVerdict, evaluate_artistic
from pybackend.judgment.artistic.inputs import ArtisticInputs
from pybackend.judgment.composition.notes import snapshot_from
from pybackend.judgment.evaluate import judge
from pybackend.judgment.goal import DIRECTOR, compile_goal_vector, goal_from

BRIGHTER = {"band_db": [0, 0, 0, 0, 0, 0, 3, 3, 3]}
DARKER = {"band_db": [0, 0, 0, 0, 0, 0, -3, -3, -3]}


def director_goal(mode: str = "improve", protect: object = None, **targets: float) -> dict:
    return compile_goal_vector(
        "turn", targets or {"brightness": 1, "motif_coherence": 1}, protect, mode,
        invoked_by=DIRECTOR,
    )  # fmt: skip


def artistic(passed: bool | None, score: float | None = 0.8, **fields: object) -> ArtisticVerdict:
    return ArtisticVerdict(
        results={},
        score=score,
        score_low=score,
        score_high=score,
        coverage=1.0,
        passed=passed,
        protects=fields.get("protects", {}),
        novelty=fields.get("novelty"),
        novelty_budget=0.5,
        reasons=("the artistic reason",),
        explanation="",
    )


@pytest.fixture(scope="module")
def technical(synth):
    def technical(moves: dict | None = None, mode: str = "improve", protect: object = None):
        made = technical_goal(goal_from(director_goal(mode, protect)))
        return judge(made, synth.comparison(2, moves=moves or {}))

    return technical


def test_a_director_has_to_ask_for_something_artistic() -> None:
    with pytest.raises(GoalError, match="needs an artistic target; add one of style_fit"):
        compile_goal_vector("turn", {"brightness": 1}, invoked_by=DIRECTOR)
    made = director_goal()
    assert made["invoked_by"] == DIRECTOR
    assert goal_from(made).invoked_by == DIRECTOR
    with pytest.raises(GoalError, match="artistic target"):
        goal_from({"targets": {"brightness": 1}, "invoked_by": DIRECTOR})


def test_the_technical_part_of_a_goal_is_judged_by_itself() -> None:
    goal = goal_from(
        director_goal(
            "finish",
            {"weight": {"margin": 1.0}, "style_fit": 0.4, "motif_survival": None},
            brightness=2,
            width=-1,
            style_fit=1,
        )
    )
    part = technical_goal(goal)
    assert part.targets == {"brightness": pytest.approx(2 / 3), "width": pytest.approx(-1 / 3)}
    assert part.protect == {"weight": None}
    assert part.margins == {"weight": 1.0}
    assert (part.mode, part.invoked_by) == ("finish", None)
    assert technical_goal(goal_from(director_goal(style_fit=1))) is None


def test_both_families_have_to_pass(technical) -> None:
    better = technical(BRIGHTER)
    assert better.decision == "keep"
    turn = director_turn(better, artistic(True))
    assert (turn.decision, turn.keep_change) == ("keep", True)
    failed = director_turn(better, artistic(False, 0.3))
    assert (failed.decision, failed.keep_change) == ("undo", False)
    assert failed.reasons == ("the artistic reason",)
    assert failed.tag == "identity_break"
    unknown = director_turn(better, artistic(None, None))
    assert (unknown.decision, unknown.keep_change, unknown.tag) == (
        "inconclusive",
        False,
        "inconclusive",
    )


def test_an_artistic_pass_does_not_save_a_worse_sound(technical) -> None:
    turn = director_turn(technical(DARKER), artistic(True))
    assert (turn.decision, turn.keep_change) == ("undo", False)
    assert turn.tag == "mixed"
    kept = director_turn(technical(DARKER), artistic(True), user_kept=True)
    assert kept.tag == "interesting_failure"


def test_nothing_is_won_before_the_user_has_spoken(technical) -> None:
    better = technical(BRIGHTER)
    assert director_turn(better, artistic(True)).tag == "inconclusive"
    assert director_turn(better, artistic(True), user_kept=True).tag == "safe_win"
    bold = director_turn(better, artistic(True, novelty=0.7), user_kept=True)
    assert (bold.tag, bold.novelty) == ("bold_win", 0.7)
    assert "promote now" in bold.promotion


def test_without_technical_targets_nothing_is_kept() -> None:
    turn = director_turn(None, artistic(True), user_kept=True)
    assert (turn.decision, turn.keep_change, turn.tag) == ("inconclusive", False, "inconclusive")


def test_a_violated_protect_is_undone_and_breaks_identity(technical) -> None:
    protects = {"motif_survival": "violated"}
    turn = director_turn(technical(BRIGHTER), artistic(True, protects=protects))
    assert (turn.decision, turn.tag, turn.protects) == ("undo", "identity_break", "violated")
    unproven = director_turn(
        technical(BRIGHTER), artistic(True, protects={"style_fit": "unproven"}), user_kept=True
    )
    assert (unproven.decision, unproven.keep_change) == ("inconclusive", False)
    assert unproven.tag == "inconclusive"


def test_reading_modes_keep_and_undo_nothing(technical) -> None:
    for moves in (BRIGHTER, DARKER):
        for passed in (True, False):
            turn = director_turn(technical(moves, "observe"), artistic(passed))
            assert (turn.decision, turn.keep_change) == ("inconclusive", False)


def test_explore_mode_leaves_what_is_open_only_with_the_artistic_family(technical) -> None:
    small = technical({"band_db": [0, 0, 0, 0, 0, 0, 0.45, 0.45, 0.45]}, "explore")
    assert (small.decision, small.keep_change) == ("inconclusive", True)
    assert director_turn(small, artistic(True)).keep_change
    assert director_turn(small, artistic(True)).decision == "inconclusive"
    assert not director_turn(small, artistic(None)).keep_change
    open_ = artistic(True, protects={"style_fit": "unproven"})
    assert not director_turn(small, open_).keep_change


def test_scores_count_only_where_an_outcome_was_shown(technical, synth) -> None:
    assert technical_score(technical(BRIGHTER)) > 0.7
    assert technical_score(technical()) == pytest.approx(0.5, abs=0.05)
    assert technical_score(None) is None
    refused = judge(goal_from({"targets": {"brightness": 1}}), synth.comparison(2, n_bars=3))
    assert technical_score(refused) is None


def test_the_worst_of_protects() -> None:
    assert worst([]) == "safe"
    assert worst(["safe", "unproven"]) == "unproven"
    assert worst(["unproven", "violated", "safe"]) == "violated"


def test_a_whole_turn_from_notes_and_sound(pieces, technical) -> None:
    piece = pieces.piece(4)
    shuffled = pieces.edited(piece, pieces.inverted, "lead")
    goal = director_goal()
    inputs = ArtisticInputs(
        before_notes=snapshot_from(piece, "before"), after_notes=snapshot_from(shuffled, "after")
    )
    turn = director_turn(technical(BRIGHTER), evaluate_artistic(goal, inputs), user_kept=True)
    assert (turn.decision, turn.tag) == ("keep", "safe_win")
    assert turn.artistic == pytest.approx(0.7, abs=0.2)
