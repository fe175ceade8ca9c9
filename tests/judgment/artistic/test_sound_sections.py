from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pybackend.judgment.artistic.sound_sections import sound_contrast
from pybackend.judgment.composition.notes import Section
from pybackend.judgment.dimensions import FRAME_INDEX

AB = (
    Section(name="verse", start_bar=0, end_bar=6),
    Section(name="chorus", start_bar=6, end_bar=12),
)


def lifted(features, after_db: float, before_db: float = 0.0):
    """The last six bars brighter and louder by so much."""
    x = features.x.copy()
    for name in ("brightness", "energy"):
        x[FRAME_INDEX[name], : features.n_before, 6:] += before_db
        x[FRAME_INDEX[name], features.n_before :, 6:] += after_db
    return replace(features, x=x)


def test_lifting_one_section_is_more_contrast(sound) -> None:
    features = sound(4, n_bars=12, captures=(1, 1))
    found = sound_contrast(lifted(features, 6.0), 0, AB)
    assert (found.state, found.movement) == ("measured", "better")
    assert found.ci_low > 0.0
    assert found.evidence[0].startswith("verse to chorus: d' ")
    flat = sound_contrast(lifted(features, 0.0, before_db=6.0), 0, AB)
    assert flat.movement == "worse"
    assert flat.delta == pytest.approx(-found.delta, abs=0.02)


def test_lifting_everything_is_none(sound) -> None:
    features = sound(4, n_bars=12, moves={"gain_db": 6.0, "band_db": [0] * 6 + [3] * 3})
    found = sound_contrast(features, 0, AB)
    assert abs(found.delta) < 0.02
    assert found.movement == "same"


def test_bars_count_from_the_captures_place_in_the_song(sound) -> None:
    features = lifted(sound(4, n_bars=12), 6.0)
    late = tuple(
        each.model_copy(update={"start_bar": each.start_bar + 32, "end_bar": each.end_bar + 32})
        for each in AB
    )
    assert sound_contrast(features, 32, late) == sound_contrast(features, 0, AB)
    assert sound_contrast(features, 0, late).state == "unavailable"


@pytest.mark.parametrize(
    "sections",
    [
        (),
        AB[:1],
        (AB[0], Section(start_bar=6, end_bar=9)),
        (AB[0], Section(start_bar=6, end_bar=9), Section(start_bar=9, end_bar=12)),
    ],
    ids=["none", "one", "short", "short between"],
)
def test_it_needs_two_neighbours_of_four_bars(sound, sections) -> None:
    found = sound_contrast(sound(4, n_bars=12), 0, sections)
    assert (found.state, found.value) == ("unavailable", None)
    assert "4 captured bars" in found.reason


def test_exactly_four_bars_are_enough(sound) -> None:
    sections = (Section(start_bar=0, end_bar=4), Section(start_bar=4, end_bar=8))
    found = sound_contrast(sound(4, n_bars=8), 0, sections)
    assert found.state != "unavailable"
    assert 0.0 <= found.value <= 1.0


def test_intervals_hold_the_truth(sound) -> None:
    """60 performances with half a dB of noise per bar, of a move that lifts the chorus."""
    clean = lifted(sound(4, n_bars=12, captures=(2, 2)), 3.0)
    truth = sound_contrast(clean, 0, AB).delta
    held = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        noisy = replace(clean, x=clean.x + rng.normal(0.0, 0.5, clean.x.shape))
        found = sound_contrast(noisy, 0, AB)
        held += found.ci_low <= truth <= found.ci_high
    assert truth > 0.05
    assert held >= 46
