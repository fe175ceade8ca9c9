from __future__ import annotations

import numpy as np
import pytest

from pybackend.judgment.artistic.history import (
    History,
    HistoryItem,
    distances,
    own_distances,
    percentile,
    shrunk_covariance,
)
from pybackend.judgment.dimensions import DIMENSIONS


def test_covariance_is_shrunk_less_the_more_there_is_to_learn() -> None:
    rng = np.random.default_rng(1)
    mix = rng.standard_normal((5, 5))
    truth = mix @ mix.T
    errors = []
    for n in (6, 20, 200):
        samples = [rng.multivariate_normal(np.zeros(5), truth, n) for _ in range(40)]
        plain = [np.cov(s.T, bias=True) for s in samples]
        shrunk = [shrunk_covariance(s) for s in samples]
        errors.append(
            tuple(
                float(np.mean([((m - truth) ** 2).sum() for m in each])) for each in (plain, shrunk)
            )
        )
    assert errors[0][1] < errors[0][0]
    assert errors[2][1] == pytest.approx(errors[2][0], rel=0.2)
    assert errors[2][1] < errors[0][1]


def test_fewer_items_than_figures_still_have_a_distance() -> None:
    table = np.random.default_rng(2).standard_normal((8, 14))
    assert np.isfinite(own_distances(table)).all()
    assert np.linalg.eigvalsh(shrunk_covariance(table)).min() > 0.0


def test_items_that_are_all_alike_make_anything_distinct() -> None:
    table = np.zeros((8, 3))
    own = own_distances(table)
    assert distances(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), table).tolist() == [0.0, 10.0]
    assert percentile(np.array([10.0]), own)[0] == 1.0


@pytest.mark.parametrize("items", [8, 20])
def test_one_more_of_the_same_is_ordinary(items: int) -> None:
    """The percentile of a result from the same source is about uniform."""
    found = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        mix = rng.standard_normal((6, 6))
        table = rng.standard_normal((items + 1, 6)) @ mix
        rest = table[:-1]
        found.append(float(percentile(distances(table[-1:], rest), own_distances(rest))[0]))
    assert np.mean(found) == pytest.approx(0.5, abs=0.06)
    assert np.mean(np.array(found) > 0.9) < 0.2


def test_percentile_climbs_without_steps() -> None:
    own = np.array([1.0, 2.0, 3.0, 4.0])
    values = percentile(np.linspace(0.0, 6.0, 200), own)
    assert (np.diff(values) >= 0.0).all()
    assert np.diff(values).max() < 0.02
    assert values[0] == 0.0
    assert values[-1] == 1.0


def test_tables_are_in_smallest_effects_and_of_items_that_have_all() -> None:
    items = [HistoryItem(id=str(k), figures={"width": 2.0 * k}) for k in range(9)]
    items.append(HistoryItem(id="x", figures={"weight": 1.0}))
    history = History(items=tuple(items))
    assert history.common(("width", "weight")) == ("width",)
    table = history.table(("width",))
    assert table[:, 0].tolist() == [2.0 * k / DIMENSIONS["width"].smallest_effect for k in range(9)]
