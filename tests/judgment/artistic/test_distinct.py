from __future__ import annotations

import numpy as np
import pytest

from pybackend.judgment.artistic.distinct import distinctiveness
from pybackend.judgment.artistic.history import Action, History, HistoryItem
from pybackend.judgment.artistic.packet import FROM_FRAMES
from pybackend.judgment.dimensions import DIMENSIONS, FRAME_INDEX

EQ = Action(family="mix", target="bass", device="EQ Eight", parameter="gain")
ECHO = Action(family="mix", target="vocal", device="Echo", parameter="mix")


def history(features, count: int = 12, spread: float = 1.0, actions=()) -> History:
    """Results around the state before, a smallest effect or so apart."""
    rng = np.random.default_rng(5)
    shown = [name for name in FROM_FRAMES if not features.reasons[FRAME_INDEX[name]]]
    n = features.n_before
    items = []
    for k in range(count):
        figures = {
            name: float(features.x[FRAME_INDEX[name], :n].mean())
            + spread * DIMENSIONS[name].smallest_effect * float(rng.standard_normal())
            for name in shown
        }
        items.append(HistoryItem(id=f"move {k}", figures=figures, actions=actions))
    return History(items=tuple(items))


def test_a_move_away_from_what_was_usual_is_distinct(sound) -> None:
    features = sound(3, moves={"band_db": [6, 6, 0, 0, 0, 0, -6, -6, -6]})
    found = distinctiveness(history(features), features, None)
    assert found.movement == "better"
    assert found.before < 0.5
    assert found.after > 0.9
    assert found.value_low < found.value <= found.value_high
    assert any("actions are not known" in line for line in found.evidence)


def test_nothing_done_is_no_more_distinct(sound) -> None:
    features = sound(3, noise="J")
    found = distinctiveness(history(features), features, None)
    assert abs(found.delta) < 0.1
    assert found.movement in ("same", "inconclusive")


@pytest.mark.parametrize("count", [0, 1, 7])
def test_below_eight_results_there_is_no_saying(sound, count: int) -> None:
    features = sound(3)
    found = distinctiveness(history(features, count), features, None)
    assert (found.state, found.value) == ("unavailable", None)
    assert f"{count} earlier results, 8 needed" == found.reason


def test_without_sound_or_shared_figures_it_is_unavailable(sound) -> None:
    features = sound(3)
    assert distinctiveness(history(features), None, None).state == "unavailable"
    foreign = tuple(HistoryItem(id=str(k), figures={"width": 1.0}) for k in range(9))
    found = distinctiveness(History(items=foreign), features, None)
    assert "share 1 figures" in found.reason


def test_actions_that_were_just_done_halve_it(sound) -> None:
    features = sound(3, moves={"band_db": [6, 6, 0, 0, 0, 0, -6, -6, -6]})
    past = history(features, actions=(EQ,))
    same = distinctiveness(past, features, (EQ,))
    new = distinctiveness(past, features, (ECHO,))
    mixed = distinctiveness(past, features, (EQ, ECHO))
    percentile = distinctiveness(past, features, None).value
    assert new.value == pytest.approx((percentile + 1.0) / 2.0)
    assert same.value == pytest.approx(percentile / 2.0)
    assert mixed.value == pytest.approx((percentile + 0.5) / 2.0)
    assert "100% of the actions are those of move" in same.evidence[1]
    assert same.delta == new.delta


def test_few_results_make_a_wide_interval(sound) -> None:
    features = sound(3, moves={"band_db": [2, 2, 0, 0, 0, 0, 0, 0, 0]})
    few, many = (distinctiveness(history(features, count), features, None) for count in (8, 100))
    assert few.value_high - few.value_low > many.value_high - many.value_low
