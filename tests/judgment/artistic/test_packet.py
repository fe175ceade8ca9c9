from __future__ import annotations

import json

import pytest

from pybackend.errors import InputError, TargetMissing
from pybackend.judgment.artistic.packet import (
    FROM_FRAMES,
    FROM_NOTES,
    TEMPO,
    ConceptPacket,
    load_packet,
    packet_from,
)
from pybackend.judgment.dimensions import DIMENSIONS, FRAME_INDEX
from pybackend.judgment.goal import compile_goal_vector

TARGET = {"mu": -5.0, "tol": 1.0, "falloff": 4.0, "source": "by hand"}


def test_prose_is_kept_and_numbers_are_checked() -> None:
    packet = packet_from(
        {
            "id": "dub",
            "type": "genre",
            "sonic_identity": ["deep", "wet"],
            "reach_for": {"effects": ["Echo"]},
            "avoid": ["bright hats"],
            "evaluation_bias": {"target_dimensions": {"depth": 1.0}, "protect": {"low_end": 0.5}},
            "tempo_hint": {"min": 118, "max": 124},
            "targets": {"brightness": TARGET},
        }
    )
    assert packet.sonic_identity == ("deep", "wet")
    assert packet.evaluation_bias.protect == {"low_end": 0.5}
    assert packet.targets["brightness"].weight == 1.0
    assert packet_from(json.loads(packet.model_dump_json())) == packet


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "id: "),
        ({"id": "a", "targets": {"brigthness": TARGET}}, "did you mean 'brightness'"),
        ({"id": "a", "targets": {"energy": TARGET}}, "no measurement is called 'energy'"),
        ({"id": "a", "targets": {"width": TARGET | {"falloff": 0.0}}}, "falloff"),
        ({"id": "a", "targets": {"width": TARGET | {"tol": -1.0}}}, "tol"),
        ({"id": "a", "targets": {"width": TARGET | {"mu": float("nan")}}}, "mu"),
        ({"id": "a", "targets": {"width": {"mu": 1.0, "tol": 1.0, "falloff": 1.0}}}, "source"),
        ({"id": "a", "novelty_budget": 1.5}, "novelty_budget"),
        ({"id": "a", "tempo_hint": {"min": 130, "max": 120}}, "max must not be below min"),
        ({"id": "a", "mood": "dark"}, "mood"),
        ("prose", "packet: "),
    ],
    ids=str,
)
def test_what_is_no_packet_is_one_line(fields: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        packet_from(fields)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_targets_are_measurements_with_units_and_effects() -> None:
    assert set(FROM_FRAMES) <= set(FRAME_INDEX)
    for name in (*FROM_FRAMES, *FROM_NOTES):
        assert DIMENSIONS[name].smallest_effect > 0.0
    assert all(DIMENSIONS[name].level_free for name in FROM_FRAMES)


def test_a_tempo_is_a_target_and_alone_it_is_prose() -> None:
    packet = ConceptPacket(id="a", tempo_hint={"min": 120.0, "max": 130.0})
    tempo = packet.numeric_targets()[TEMPO]
    assert (tempo.mu, tempo.tol) == (125.0, 5.0)
    assert packet.prose_only
    numeric = packet_from({"id": "a", "targets": {"width": TARGET}})
    assert not numeric.prose_only
    assert set(numeric.numeric_targets()) == {"width"}


def test_a_packet_says_what_a_goal_could_aim_at_and_protect() -> None:
    bias = {"target_dimensions": {"depth": 2.0, "vibe": 1.0}, "protect": {"low_end": 0.5}}
    packet = packet_from({"id": "a", "evaluation_bias": bias})
    targets, protect, unknown = packet.goal_parts()
    assert (targets, protect, unknown) == ({"depth": 2.0}, {"weight": 0.5}, ("vibe",))
    assert compile_goal_vector("x", targets, protect)["protect"] == {"weight": 0.5}


def test_packets_come_from_files(tmp_path) -> None:
    path = tmp_path / "dub.packet.json"
    path.write_text(json.dumps({"id": "dub"}))
    assert load_packet(path).id == "dub"
    path.write_text("{}")
    with pytest.raises(InputError, match=r"dub\.packet\.json: concept packet: id"):
        load_packet(path)
    with pytest.raises(TargetMissing):
        load_packet(tmp_path / "none.json")
