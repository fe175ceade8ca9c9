from __future__ import annotations

import pytest

from pybackend.errors import InputError
from pybackend.judgment.artistic.hybrid import merge
from pybackend.judgment.artistic.packet import ConceptPacket, packet_from


def packet(name: str, **fields: object) -> ConceptPacket:
    return packet_from({"id": name, **fields})


def target(mu: float, tol: float = 1.0, weight: float = 1.0) -> dict:
    return {"mu": mu, "tol": tol, "falloff": 2.0, "weight": weight, "source": f"mu {mu:g}"}


ONE = packet(
    "dub",
    sonic_identity=["deep", "wet"],
    avoid=["bright hats"],
    reach_for={"effects": ["Echo"]},
    move_family_bias={"favor": ["mix", "transition"], "deprioritize": ["sample"]},
    dimensions_in_scope=["spatial"],
    dimensions_deprioritized=["structural", "rhythmic"],
    evaluation_bias={"target_dimensions": {"depth": 1.0}, "protect": {"clarity": 0.4}},
    novelty_budget=0.4,
    tempo_hint={"min": 118, "max": 126, "signature": "4/4"},
    targets={"brightness": target(-10.0), "width": target(-6.0)},
)
TWO = packet(
    "acid",
    sonic_identity=["squelch", "deep"],
    avoid=["pads"],
    reach_for={"effects": ["Saturator"]},
    move_family_bias={"favor": ["mix"], "deprioritize": ["arrangement"]},
    dimensions_in_scope=["timbral"],
    dimensions_deprioritized=["structural"],
    evaluation_bias={"target_dimensions": {"motion": 1.0}, "protect": {"clarity": 0.6}},
    novelty_budget=0.6,
    tempo_hint={"min": 122, "max": 132, "signature": "4/4"},
    targets={"brightness": target(-4.0, 2.0), "dynamics": target(2.0)},
)


def test_merging_unites_identity_and_keeps_what_both_say() -> None:
    merged, warnings = merge(ONE, TWO)
    assert merged.type == "hybrid"
    assert merged.sonic_identity == ("deep", "wet", "squelch")
    assert merged.avoid == ("bright hats", "pads")
    assert merged.reach_for.effects == ("Echo", "Saturator")
    assert merged.move_family_bias.favor == ("mix",)
    assert merged.move_family_bias.deprioritize == ()
    assert merged.dimensions_in_scope == ("spatial", "timbral")
    assert merged.dimensions_deprioritized == ("structural",)
    assert merged.evaluation_bias.target_dimensions == {"depth": 0.5, "motion": 0.5}
    assert merged.evaluation_bias.protect == {"clarity": 0.6}
    assert merged.novelty_budget == 0.6
    assert (merged.tempo_hint.min, merged.tempo_hint.max) == (122.0, 126.0)
    assert merged.tempo_hint.signature == "4/4"
    assert warnings == ("brightness: -10 +-1 and -4 +-2 do not overlap",)


def test_numbers_are_weighted_means() -> None:
    merged, _ = merge(ONE, TWO, share=0.75)
    brightness = merged.targets["brightness"]
    assert (brightness.mu, brightness.tol, brightness.weight) == (-8.5, 1.25, 1.0)
    assert brightness.source == "mu -10; mu -4"
    assert merged.targets["width"].weight == 0.75
    assert merged.targets["dynamics"].weight == 0.25


def test_tempi_that_do_not_overlap_meet_in_the_middle() -> None:
    slow = packet("slow", tempo_hint={"min": 80, "max": 90})
    fast = packet("fast", tempo_hint={"min": 160, "max": 180})
    merged, warnings = merge(slow, fast)
    assert (merged.tempo_hint.min, merged.tempo_hint.max) == (127.5, 127.5)
    assert "tempi do not overlap (80-90 and 160-180 BPM)" in warnings[0]
    assert merge(slow, packet("none"))[0].tempo_hint == slow.tempo_hint


def test_merging_is_the_same_either_way_round() -> None:
    there, back = merge(ONE, TWO, 0.3)[0], merge(TWO, ONE, 0.7)[0]
    for name, each in there.targets.items():
        other = back.targets[name]
        assert (each.mu, each.tol) == pytest.approx((other.mu, other.tol))
    assert set(there.sonic_identity) == set(back.sonic_identity)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, float("nan")])
def test_a_share_of_nothing_is_refused(share: float) -> None:
    with pytest.raises(InputError):
        merge(ONE, TWO, share)
