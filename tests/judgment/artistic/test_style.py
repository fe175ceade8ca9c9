from __future__ import annotations

import numpy as np
import pytest

from pybackend.judgment.artistic.packet import NumericTarget, packet_from
from pybackend.judgment.artistic.style import fit, style_fit
from pybackend.judgment.dimensions import FRAME_INDEX

TREBLE = {"band_db": [0, 0, 0, 0, 0, 0, 3, 3, 3]}


def target(mu: float, weight: float = 1.0, tol: float = 0.5, falloff: float = 5.0) -> dict:
    return {"mu": mu, "tol": tol, "falloff": falloff, "weight": weight, "source": "by hand"}


def value(features, name: str, captures) -> float:
    return float(features.x[FRAME_INDEX[name], captures].mean())


def test_fit_by_hand() -> None:
    targets = [NumericTarget(mu=0.0, tol=1.0, falloff=2.0, weight=3.0, source="x")]
    targets.append(NumericTarget(mu=10.0, tol=0.0, falloff=1.0, weight=1.0, source="x"))
    values = np.array([[0.5, 10.0], [2.0, 10.0], [-9.0, 10.0], [0.0, 10.5], [99.0, -99.0]])
    assert fit(values, targets).tolist() == [1.0, 0.625, 0.25, 0.875, 0.0]


def test_a_move_towards_the_packet_is_better_and_away_is_worse(sound) -> None:
    features = sound(2, moves=TREBLE)
    bright = value(features, "brightness", slice(2, None))
    packet = packet_from({"id": "a", "targets": {"brightness": target(bright)}})
    towards = style_fit(packet, features, {})
    assert (towards.state, towards.movement) == ("measured", "better")
    assert towards.after == pytest.approx(1.0)
    assert towards.before < 0.6
    assert towards.ci_low > 0.05
    away = style_fit(packet, sound(2, moves=TREBLE, swapped=True), {})
    assert away.movement == "worse"
    assert away.delta == pytest.approx(-towards.delta)


def test_a_gain_alone_changes_nothing(sound) -> None:
    features = sound(2, moves={"gain_db": 6.0})
    packet = packet_from(
        {"id": "a", "targets": {"brightness": target(-9.0), "weight": target(0.0)}}
    )
    found = style_fit(packet, features, {})
    assert found.movement == "same"
    assert abs(found.delta) < 0.01


def test_coverage_below_half_is_unavailable(sound) -> None:
    targets = {"brightness": target(-9.0), "groove": target(0.4, weight=1.2, tol=0.1, falloff=0.3)}
    packet = packet_from({"id": "a", "targets": targets})
    found = style_fit(packet, sound(1), {})
    assert (found.state, found.value) == ("unavailable", None)
    assert found.coverage == pytest.approx(1.0 / 2.2)
    assert "45%" in found.reason
    assert "groove" in found.reason
    whole = style_fit(packet, sound(1), {"groove": (0.4, 1.9)})
    assert whole.coverage == 1.0
    assert whole.movement == "worse"


def test_notes_alone_are_exact() -> None:
    packet = packet_from({"id": "a", "targets": {"swing": target(58.0, tol=1.0, falloff=4.0)}})
    found = style_fit(packet, None, {"swing": (50.0, 58.0)})
    assert (found.before, found.after, found.delta) == (0.0, 1.0, 1.0)
    assert (found.ci_low, found.ci_high, found.movement) == (1.0, 1.0, "better")
    assert found.evidence == ("swing 50.00 to 58.00, wanted 58 +-1 % (by hand)",)


def test_prose_is_no_number() -> None:
    prose = packet_from({"id": "dub", "sonic_identity": ["deep"]})
    assert "prose only" in style_fit(prose, None, {}).reason
    with_tempo = packet_from({"id": "dub", "tempo_hint": {"min": 118, "max": 124}})
    found = style_fit(with_tempo, None, {"tempo_bpm": (120.0, 140.0)})
    assert (found.state, found.value) == ("unavailable", None)
    assert "but for its tempo" in found.reason
    assert found.evidence == ("tempo_bpm 120.00 to 140.00, wanted 121 +-3 BPM (tempo_hint)",)
