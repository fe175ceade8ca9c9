from __future__ import annotations

import numpy as np
import pytest

from pybackend.judgment.artistic.propagate import propagate, sides_of
from pybackend.judgment.dimensions import FRAME_INDEX
from pybackend.judgment.statistics import estimate

NAMES = ("brightness", "weight", "width")


def linear(values):
    return values @ np.array([0.5, 0.3, -0.2])


@pytest.mark.parametrize("captures", [(1, 1), (2, 1), (2, 2)])
def test_a_linear_function_has_the_error_of_its_own_bars(sound, captures) -> None:
    features = sound(3, noise="H.5", captures=captures)
    found = propagate(linear, sides_of(features, NAMES))
    rows = features.x[[FRAME_INDEX[name] for name in NAMES]]
    direct = estimate(
        np.einsum("rcn,r->cn", rows, np.array([0.5, 0.3, -0.2]))[None],
        features.n_before,
        np.array([0.02]),
    )[0]
    assert found.change == pytest.approx(direct.change)
    assert found.half_width == pytest.approx(direct.half_width, rel=0.35)


def test_swapped_sides_give_the_mirrored_change(sound) -> None:
    moves = {"band_db": [0, 0, 0, 0, 0, 0, 2, 2, 2]}
    one = propagate(linear, sides_of(sound(4, noise="H.25", moves=moves), NAMES))
    two = propagate(linear, sides_of(sound(4, noise="H.25", moves=moves, swapped=True), NAMES))
    assert two.change == -one.change
    assert two.se == pytest.approx(one.se, rel=1e-9)


def test_intervals_hold_the_truth_of_a_bent_function(sound) -> None:
    """90 % intervals over 60 performances; the noise-free change is known."""

    def bent(values):
        return np.minimum(1.0, np.maximum(0.0, np.abs(values[..., 0] + 9.0) - 1.0) / 4.0)

    moves = {"band_db": [0, 0, 0, 0, 0, 0, 2, 2, 2]}
    truth = propagate(bent, sides_of(sound(7, moves=moves), NAMES[:1])).change
    held = 0
    for seed in range(60):
        found = _repeat(sound, seed, moves, bent)
        held += abs(found.change - truth) <= found.half_width
    assert truth != 0.0
    assert 47 <= held <= 60


def _repeat(sound, seed, moves, function):
    """The programme of seed 7, performed anew."""
    clean = sound(7, moves=moves)
    rng = np.random.default_rng(seed)
    x = clean.x + rng.normal(0.0, 0.5, clean.x.shape)
    from dataclasses import replace

    return propagate(function, sides_of(replace(clean, x=x), NAMES[:1]))


def test_what_is_unavailable_is_left_out(sound) -> None:
    features = sound(1)
    sides = sides_of(features, ("contrast", "brightness"))
    assert sides.names == ("brightness",)
    assert sides_of(features, ("contrast",)) is None
    some = sides_of(features, NAMES).only(("width", "weight"))
    assert some.names == ("width", "weight")
    assert some.error.shape == (2, 2000, 2)
