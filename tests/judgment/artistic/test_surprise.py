from __future__ import annotations

import math

import pytest

from pybackend.judgment.artistic.restraint import Inventory, restraint
from pybackend.judgment.artistic.result import ArtisticResult, of_sides, unavailable
from pybackend.judgment.artistic.surprise import surprise
from pybackend.judgment.statistics import Change

FREE = Inventory(
    tracks=0, devices=0, automation_lanes=0, clips=0, parameters=0, density_doublings=0, level_lu=0
)


def part(name: str, before: float, after: float, value: float | None = None) -> ArtisticResult:
    shown = None if value is None else (value, value, value)
    return of_sides(name, Change.exact(before, after), value=shown)


def judged(
    novelty: float = 0.5,
    style: tuple[float, float] = (0.8, 0.8),
    motifs: float = 1.0,
    protects: dict | None = None,
    budget: float = 0.5,
) -> ArtisticResult:
    return surprise(
        part("distinctiveness", 0.3, novelty),
        part("style_fit", *style),
        part("motif_coherence", 0.6, 0.6, motifs),
        restraint(FREE, protects or {}, "improve", budget),
        budget,
    )


def test_as_new_as_wanted_and_nothing_broken_is_one() -> None:
    found = judged()
    assert (found.state, found.value) == ("measured", 1.0)
    assert found.factors == {"novelty": 1.0, "unbroken": 1.0}


@pytest.mark.parametrize("away", [-0.3, -0.15, 0.15, 0.3])
def test_too_little_and_too_much_novelty_are_worth_the_same(away: float) -> None:
    found = judged(novelty=0.5 + away)
    assert found.value == pytest.approx(math.exp(-(away**2) / (2 * 0.15**2)))
    assert found.factors["unbroken"] == 1.0


@pytest.mark.parametrize(
    ("fields", "unbroken"),
    [
        ({"style": (0.8, 0.7)}, 1.0),
        ({"style": (0.8, 0.65)}, 0.5),
        ({"style": (0.8, 0.5)}, 0.0),
        ({"style": (0.5, 0.9)}, 1.0),
        ({"motifs": 0.8}, 1.0),
        ({"motifs": 0.7}, 0.5),
        ({"motifs": 0.2}, 0.0),
        ({"motifs": 0.7, "style": (0.8, 0.5)}, 0.0),
        ({"protects": {"weight": "violated"}}, 0.0),
    ],
    ids=str,
)
def test_breakage_begins_at_the_margin_and_is_whole_at_twice_it(fields, unbroken: float) -> None:
    found = judged(**fields)
    assert found.factors["unbroken"] == pytest.approx(unbroken, abs=1e-9)
    assert found.value == pytest.approx(unbroken, abs=1e-9)


def test_the_worst_breakage_is_named() -> None:
    assert "worst breakage: motifs 0.50" in judged(motifs=0.7).evidence


def test_without_one_of_its_parts_it_is_unavailable() -> None:
    found = surprise(
        unavailable("distinctiveness", "no history"),
        part("style_fit", 0.8, 0.8),
        unavailable("motif_coherence", "no notes"),
        restraint(FREE, {}, "improve", 0.5),
        0.5,
    )
    assert (found.state, found.value, found.coverage) == ("unavailable", None, 0.5)
    assert found.reason == ("it needs distinctiveness, motif_coherence, which are unavailable")


def test_an_unproven_protect_leaves_it_open() -> None:
    found = judged(protects={"weight": "unproven"})
    assert (found.state, found.value_low, found.value_high) == ("inconclusive", 0.0, 1.0)


def test_intervals_of_the_parts_are_carried_on() -> None:
    wide = of_sides("distinctiveness", Change.exact(0.3, 0.5), value=(0.5, 0.35, 0.8))
    found = surprise(
        wide,
        part("style_fit", 0.8, 0.8),
        part("motif_coherence", 0.6, 0.6, 1.0),
        restraint(FREE, {}, "improve", 0.6),
        0.6,
    )
    assert found.value_high == 1.0
    assert found.value_low == pytest.approx(math.exp(-(0.25**2) / (2 * 0.15**2)))
    assert found.value_low < found.value < found.value_high
