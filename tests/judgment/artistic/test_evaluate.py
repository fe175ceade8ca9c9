from __future__ import annotations

import json

import numpy as np
import pytest

from pybackend.errors import GoalError
from pybackend.judgment.artistic.evaluate import ARTISTIC, evaluate_artistic
from pybackend.judgment.artistic.history import History, HistoryItem
from pybackend.judgment.artistic.inputs import ArtisticInputs
from pybackend.judgment.artistic.packet import FROM_FRAMES, packet_from
from pybackend.judgment.artistic.restraint import Inventory
from pybackend.judgment.composition.notes import Section, snapshot_from
from pybackend.judgment.dimensions import DIMENSIONS, FRAME_INDEX
from pybackend.judgment.goal import compile_goal_vector

ALL = dict.fromkeys(ARTISTIC, 1.0)
TREBLE = {"band_db": [0, 0, 0, 0, 0, 0, 3, 3, 3]}


def goal(targets: dict, protect: object = None, mode: str = "improve") -> dict:
    return compile_goal_vector("artistic", targets, protect, mode)


def means(features, captures) -> dict[str, float]:
    return {
        name: float(features.x[FRAME_INDEX[name], captures].mean())
        for name in FROM_FRAMES
        if not features.reasons[FRAME_INDEX[name]]
    }


@pytest.fixture(scope="module")
def inputs(sound, pieces) -> ArtisticInputs:
    """A brighter chorus that the packet asks for, with the motif kept and one device added."""
    features = sound(6, n_bars=8, moves=TREBLE)
    rng = np.random.default_rng(1)
    before = means(features, slice(0, 2))
    items = [
        HistoryItem(
            id=f"move {k}",
            figures={
                name: value + 0.7 * DIMENSIONS[name].smallest_effect * float(rng.standard_normal())
                for name, value in before.items()
            },
        )
        for k in range(12)
    ]
    bright = means(features, slice(2, None))["brightness"]
    target = {"mu": bright, "tol": 0.5, "falloff": 6.0, "source": "by hand"}
    notes = pieces.piece(3)
    varied = pieces.edited(notes, pieces.transposed(12), "lead")
    return ArtisticInputs(
        packet=packet_from({"id": "a", "targets": {"brightness": target}, "novelty_budget": 0.6}),
        features=features,
        before_notes=snapshot_from(notes, "before"),
        after_notes=snapshot_from(varied, "after"),
        sections=(Section(start_bar=0, end_bar=4), Section(start_bar=4, end_bar=8)),
        history=History(items=tuple(items)),
        inventory=Inventory(tracks=0, devices=1, automation_lanes=0, clips=0, parameters=2),
    )


def test_everything_known_gives_all_six(inputs) -> None:
    verdict = evaluate_artistic(goal(ALL), inputs)
    assert set(verdict.results) == set(ARTISTIC)
    for name, result in verdict.results.items():
        assert result.state != "unavailable", (name, result.reason)
        assert 0.0 <= result.value_low <= result.value <= result.value_high <= 1.0
        assert result.evidence
        assert result.coverage > 0.0
    assert verdict.coverage == pytest.approx(1.0)
    assert verdict.score == pytest.approx(np.mean([r.value for r in verdict.results.values()]))
    assert verdict.score_low <= verdict.score <= verdict.score_high
    assert verdict.novelty == verdict.results["distinctiveness"].value
    assert verdict.novelty_budget == 0.6
    assert verdict.results["style_fit"].movement == "better"
    assert verdict.results["motif_coherence"].value > 0.85
    assert json.loads(verdict.model_dump_json())["passed"] is verdict.passed


def test_notes_and_sound_fill_in_the_inventory(inputs) -> None:
    evidence = evaluate_artistic(goal(ALL), inputs).results["restraint"]
    assert evidence.coverage == 1.0
    assert not any("density" in line for line in evidence.evidence)


def test_nothing_known_gives_reasons_and_no_number() -> None:
    verdict = evaluate_artistic(goal(ALL), ArtisticInputs())
    assert (verdict.score, verdict.passed, verdict.coverage) == (None, None, 0.0)
    for result in verdict.results.values():
        assert (result.state, result.value) == ("unavailable", None)
        assert len(result.reason) > 10
    assert "no artistic score" in verdict.explanation.lower()


def test_a_missing_target_is_never_a_pass_unless_optional(inputs) -> None:
    without = ArtisticInputs(packet=inputs.packet, features=inputs.features)
    needed = evaluate_artistic(goal({"style_fit": 1, "distinctiveness": 1}), without)
    assert needed.passed is None
    assert needed.coverage == pytest.approx(0.5)
    assert "distinctiveness is unavailable" in needed.reasons[0]
    optional = {"style_fit": 1, "distinctiveness": {"weight": 1, "optional": True}}
    found = evaluate_artistic(goal(optional), without)
    assert found.passed is True
    assert found.score == found.results["style_fit"].value


def test_a_target_that_got_worse_fails_whatever_the_score(inputs, sound) -> None:
    away = ArtisticInputs(
        packet=packet_from(
            {
                "id": "a",
                "targets": {
                    "brightness": {
                        "mu": means(inputs.features, slice(0, 2))["brightness"],
                        "tol": 0.5,
                        "falloff": 20.0,
                        "source": "x",
                    }
                },
            }
        ),
        features=inputs.features,
    )
    verdict = evaluate_artistic(goal({"style_fit": 1}), away)
    assert verdict.score > 0.8
    assert verdict.passed is False
    assert verdict.reasons == ("style_fit got worse",)
    wanted = evaluate_artistic(goal({"style_fit": -1}), away)
    assert wanted.score == pytest.approx(1.0 - verdict.score)
    assert wanted.reasons[0].startswith("the artistic score")
    assert wanted.passed is False


def test_low_values_fail(inputs) -> None:
    lavish = ArtisticInputs(
        inventory=Inventory(
            tracks=2,
            devices=3,
            automation_lanes=0,
            clips=0,
            parameters=0,
            density_doublings=0.0,
            level_lu=0.0,
        )
    )
    verdict = evaluate_artistic(goal({"restraint": 1}), lavish)
    assert (verdict.passed, verdict.score) == (False, 0.0)


def test_an_unproven_protect_leaves_restraint_open(inputs) -> None:
    open_ = ArtisticInputs(
        inventory=inputs.inventory.model_copy(update={"density_doublings": 0.0, "level_lu": 0.0}),
        protects={"weight": "unproven"},
    )
    verdict = evaluate_artistic(goal({"restraint": 1}), open_)
    assert verdict.passed is None
    assert "restraint is inconclusive" in verdict.reasons[0]


def test_sections_of_notes_are_structural_only(inputs) -> None:
    notes = ArtisticInputs(before_notes=inputs.before_notes, after_notes=inputs.after_notes)
    result = evaluate_artistic(goal(ALL), notes).results["section_contrast"]
    assert result.coverage == 0.5
    assert result.evidence[0].startswith("structural only")


def test_artistic_protects_and_motifs(pieces, inputs) -> None:
    shuffled = pieces.edited(pieces.piece(3), pieces.shuffled(np.random.default_rng(2)))
    broken = ArtisticInputs(
        packet=inputs.packet,
        features=inputs.features,
        before_notes=inputs.before_notes,
        after_notes=snapshot_from(shuffled, "after"),
    )
    names = ["style_fit", "motif_survival", "motif_coherence", "distinctiveness", "weight"]
    found = evaluate_artistic(goal({"style_fit": 1}, names), broken).protects
    assert found == {
        "style_fit": "safe",
        "motif_survival": "violated",
        "motif_coherence": "violated",
        "distinctiveness": "unproven",
    }
    floor = evaluate_artistic(goal({"style_fit": 1}, {"motif_survival": 0.05}), broken)
    assert floor.protects["motif_survival"] == "violated"


def test_a_goal_without_artistic_targets_has_no_artistic_verdict(inputs) -> None:
    verdict = evaluate_artistic(goal({"brightness": 1}), inputs)
    assert (verdict.score, verdict.passed) == (None, None)
    assert verdict.results["style_fit"].value is not None
    with pytest.raises(GoalError):
        evaluate_artistic({"targets": {"style": 1}}, inputs)
