from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.errors import InputError
from pybackend.judgment.tags import PROMOTION, TAGS, verdict_tag

# The rubric again, one condition per tag, written so that no two can hold: this is the claim that
# the function in the product has neither hole nor overlap.
Facts = tuple[float | None, float | None, float | None, str, bool | None]


def known(facts: Facts) -> bool:
    technical, artistic, _, protects, kept = facts
    return (
        protects == "safe" and technical is not None and artistic is not None and kept is not None
    )


def bold_win(facts: Facts) -> bool:
    t, a, n, _, kept = facts
    return known(facts) and kept and t >= 0.55 and a >= 0.65 and n is not None and n >= 0.5


def safe_win(facts: Facts) -> bool:
    t, a, _, _, kept = facts
    return known(facts) and kept and t >= 0.60 and a >= 0.55 and not bold_win(facts)


def interesting_failure(facts: Facts) -> bool:
    t, a, _, _, kept = facts
    return known(facts) and kept and t < 0.55 and a >= 0.60


def identity_break(facts: Facts) -> bool:
    t, a, _, protects, kept = facts
    if protects == "violated":
        return not kept
    return known(facts) and not kept and t >= 0.55 and a < 0.45


def neutral(facts: Facts) -> bool:
    t, a, _, _, _ = facts
    return known(facts) and 0.45 <= t < 0.55 and 0.45 <= a < 0.55


def generic_fallback(facts: Facts) -> bool:
    t, a, _, _, kept = facts
    return known(facts) and not kept and t < 0.55 and a < 0.55 and not neutral(facts)


def inconclusive(facts: Facts) -> bool:
    return facts[3] != "violated" and not known(facts)


RULES = {
    "bold_win": bold_win,
    "safe_win": safe_win,
    "interesting_failure": interesting_failure,
    "identity_break": identity_break,
    "neutral": neutral,
    "generic_fallback": generic_fallback,
    "inconclusive": inconclusive,
}


def expected(facts: Facts) -> str:
    holding = [tag for tag, holds in RULES.items() if holds(facts)]
    assert len(holding) <= 1, (facts, holding)
    return holding[0] if holding else "mixed"


EDGES = (0.0, 0.2, 0.45, 0.5, 0.55, 0.60, 0.65, 0.9, 1.0)
SCORES = (None, *sorted({edge + step for edge in EDGES for step in (-1e-9, 0.0)} - {-1e-9}))
PROTECTS = ("safe", "violated", "unproven")
KEPT = (True, False, None)


def test_no_hole_and_no_overlap_on_a_grid() -> None:
    seen = set()
    for facts in product(SCORES, SCORES, (None, 0.0, 0.5 - 1e-9, 0.5, 1.0), PROTECTS, KEPT):
        tag = verdict_tag(*facts)
        assert tag == expected(facts), facts
        seen.add(tag)
    assert seen == set(TAGS)


scores = st.none() | st.floats(0.0, 1.0)


@given(scores, scores, scores, st.sampled_from(PROTECTS), st.sampled_from(KEPT))
@settings(max_examples=400)
def test_no_hole_and_no_overlap_anywhere(technical, artistic, novelty, protects, kept) -> None:
    facts = (technical, artistic, novelty, protects, kept)
    assert verdict_tag(*facts) == expected(facts)


@given(scores, scores, scores, st.sampled_from(PROTECTS), st.sampled_from(KEPT))
def test_what_may_be_promoted_was_kept_shown_and_broke_nothing(t, a, n, protects, kept) -> None:
    tag = verdict_tag(t, a, n, protects, kept)
    if tag in ("safe_win", "bold_win"):
        assert (kept, protects) == (True, "safe")
        assert min(t, a) >= 0.55
    else:
        assert "never" in PROMOTION[tag] or tag == "neutral"


def test_the_rubric_of_the_five() -> None:
    assert verdict_tag(0.60, 0.55, 0.1, "safe", True) == "safe_win"
    assert verdict_tag(0.55, 0.65, 0.9, "safe", True) == "bold_win"
    assert verdict_tag(0.54, 0.60, 0.5, "safe", True) == "interesting_failure"
    assert verdict_tag(0.55, 0.44, 0.5, "safe", False) == "identity_break"
    assert verdict_tag(0.54, 0.54, 0.5, "violated", False) == "identity_break"
    assert verdict_tag(0.40, 0.40, 0.5, "safe", False) == "generic_fallback"


def test_the_holes_of_the_rubric() -> None:
    assert verdict_tag(0.50, 0.50, None, "safe", True) == "neutral"
    assert verdict_tag(0.50, 0.50, None, "safe", False) == "neutral"
    assert verdict_tag(0.57, 0.57, 0.1, "safe", True) == "mixed"
    assert verdict_tag(0.90, 0.90, 0.9, "safe", False) == "mixed"
    assert verdict_tag(0.90, 0.90, 0.9, "violated", True) == "mixed"
    assert verdict_tag(0.90, 0.90, 0.9, "safe", None) == "inconclusive"
    assert verdict_tag(0.90, None, 0.9, "safe", True) == "inconclusive"
    assert verdict_tag(0.90, 0.90, 0.9, "unproven", True) == "inconclusive"


def test_unknown_novelty_is_never_bold_and_the_budget_moves_the_line() -> None:
    assert verdict_tag(0.9, 0.9, None, "safe", True) == "safe_win"
    assert verdict_tag(0.9, 0.9, 0.6, "safe", True, novelty_budget=0.7) == "safe_win"
    assert verdict_tag(0.9, 0.9, 0.7, "safe", True, novelty_budget=0.7) == "bold_win"


@pytest.mark.parametrize("wrong", [-0.1, 1.1, np.nan, np.inf])
def test_what_is_no_score_is_refused(wrong: float) -> None:
    for position in range(3):
        facts = [0.5, 0.5, 0.5]
        facts[position] = wrong
        with pytest.raises(InputError, match="must lie in"):
            verdict_tag(*facts, "safe", True)


def test_every_tag_says_what_memory_may_do() -> None:
    assert set(PROMOTION) == set(TAGS)
