from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.errors import GoalError
from pybackend.judgment.dimensions import (
    DIMENSIONS,
    FRAME_DIMENSIONS,
    dimension,
    dimension_table,
)
from pybackend.judgment.fabric.entries import ENGINE_MEASUREMENTS
from pybackend.judgment.frame_dimensions import band_range
from pybackend.metering.design import BAND_NAMES

TECHNICAL = {
    "energy",
    "punch",
    "weight",
    "density",
    "brightness",
    "warmth",
    "width",
    "depth",
    "motion",
    "contrast",
    "clarity",
    "cohesion",
    "groove",
    "tension",
    "novelty",
    "polish",
    "emotion",
}
ARTISTIC = {
    "style_fit",
    "distinctiveness",
    "motif_coherence",
    "section_contrast",
    "restraint",
    "surprise_without_breakage",
}
ENGINES = {entry.name for entry in ENGINE_MEASUREMENTS}
DOCUMENT = Path(__file__).parents[2] / "docs" / "judgment-core.md"


def test_every_word_of_the_vocabulary_is_registered() -> None:
    by_family = {
        family: {name for name, entry in DIMENSIONS.items() if entry.family == family}
        for family in ("technical", "artistic", "measured")
    }
    assert by_family["technical"] == TECHNICAL
    assert by_family["artistic"] == ARTISTIC
    bands = {f"band_{name}" for name in BAND_NAMES}
    notes = {"swing", "looseness", "motif_survival"}
    assert by_family["measured"] == {"dynamics", "balance", "psr", "fill"} | bands | notes | ENGINES


def test_words_of_the_vocabulary_that_frames_can_show() -> None:
    shown = {entry.name for entry in FRAME_DIMENSIONS if entry.family != "measured"}
    assert shown == {
        *("energy", "brightness", "weight", "warmth", "width", "punch", "motion"),
        *("contrast", "novelty"),
    }


@pytest.mark.parametrize("entry", DIMENSIONS.values(), ids=lambda entry: entry.name)
def test_entry_is_complete(entry: object) -> None:
    assert entry.measured_as
    assert entry.needs
    assert entry.from_frames or len(entry.unavailable) > 20
    if entry.from_frames or entry.smallest_effect:
        assert entry.unit or entry.share
        assert entry.smallest_effect > 0.0
        assert entry.error_floor > 0.0
        assert entry.more
        assert entry.less
        assert entry.subject
        assert entry.protect_margin == 2.0 * entry.smallest_effect


@pytest.mark.parametrize("entry", FRAME_DIMENSIONS, ids=lambda entry: entry.name)
@given(spreads=st.floats(-12.0, 12.0))
def test_display_scale_is_inverted_by_native(entry: object, spreads: float) -> None:
    centre = entry.direction == "centre"
    value = spreads * entry.spread
    native = value if centre else entry.midpoint + value
    level = entry.squash(native)
    assert 0.0 < level <= 1.0
    assert entry.native(level) == pytest.approx(abs(native) if centre else native, abs=1e-6)


def test_ends_of_the_display_scale_are_infinitely_far() -> None:
    assert DIMENSIONS["brightness"].native(0.0) == -float("inf")
    assert DIMENSIONS["brightness"].native(1.0) == float("inf")
    assert DIMENSIONS["balance"].native(1.0) == 0.0
    assert DIMENSIONS["balance"].native(0.0) == float("inf")
    assert DIMENSIONS["brightness"].squash(-1e6) == pytest.approx(0.0, abs=1e-300)
    with pytest.raises(ValueError, match=r"0\.\.1"):
        DIMENSIONS["brightness"].native(1.5)


def test_a_share_is_its_own_display_level() -> None:
    entry = DIMENSIONS["style_fit"]
    assert [entry.squash(value) for value in (-0.1, 0.3, 1.0, 1.1)] == [0.0, 0.3, 1.0, 1.0]
    assert entry.native(0.3) == 0.3


def test_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(GoalError, match="did you mean 'brightness'"):
        dimension("brigthness")
    with pytest.raises(GoalError, match="did you mean 'band_low_mid'"):
        dimension("low_mid")
    with pytest.raises(GoalError, match="known: energy, brightness"):
        dimension("qqqq")


def test_band_ranges_are_those_of_the_design() -> None:
    assert [band_range(k) for k in range(9)] == [
        "20-60 Hz",
        "60-120 Hz",
        "120-250 Hz",
        "250-500 Hz",
        "500 Hz-1 kHz",
        "1-2 kHz",
        "2-4 kHz",
        "4-8 kHz",
        "8-20 kHz",
    ]


def test_document_holds_the_current_table() -> None:
    assert dimension_table() in DOCUMENT.read_text(encoding="utf-8"), (
        "docs/judgment-core.md is out of date; paste the output of dimension_table()"
    )
