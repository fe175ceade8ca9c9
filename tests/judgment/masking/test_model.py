from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.errors import InputError
from pybackend.judgment.fabric.equal_loudness import contour_db, quiet_weights
from pybackend.judgment.masking.laying import Laid
from pybackend.judgment.masking.model import EXPONENT, bark, excitation, kept, loudness
from pybackend.judgment.masking.report import clarity_rows, master_report, report
from pybackend.judgment.masking.tracks import Strip
from pybackend.metering.design import BAND_NAMES

powers = st.lists(st.floats(1e-8, 1.0), min_size=9, max_size=9).map(np.array)


def band(k: int, power: float = 1.0) -> np.ndarray:
    only = np.zeros(9)
    only[k] = power
    return only


def test_bark_is_zwickers_scale() -> None:
    # Zwicker's critical bands 1, 8, 18 and 24 end at these frequencies.
    assert bark([100.0, 920.0, 4400.0, 15500.0]) == pytest.approx([1, 8, 18, 24], abs=0.25)


def test_spreading_reaches_further_up_than_down() -> None:
    assert excitation(band(4)).argmax() == 4
    assert excitation(band(4))[6] > 100.0 * excitation(band(6))[4] > 0.0


def test_equal_loudness_contours_are_the_standards() -> None:
    # At 1 kHz phon is dB SPL by definition; 60 phon at 20 Hz is 109.5 dB in ISO 226:2003.
    for phon in (40.0, 60.0, 80.0):
        assert contour_db(phon, 1000.0) == pytest.approx(phon, abs=0.05)
    assert contour_db(60.0, 20.0) == pytest.approx(109.51, abs=0.01)
    weights = quiet_weights()
    assert weights[0] < weights[1] < weights[2] < weights[3]
    assert weights[5] == pytest.approx(1.0, abs=0.25)


@given(powers, powers)
def test_a_part_keeps_less_beside_more_and_never_less_than_nothing(
    part: np.ndarray, beside: np.ndarray
) -> None:
    excited, other = excitation(part), excitation(beside)
    alone = loudness(excited).sum()
    assert kept(excited, np.zeros(9)).sum() == pytest.approx(alone)
    some, more = kept(excited, other).sum(), kept(excited, 10.0 * other).sum()
    assert 0.0 <= more <= some <= alone * (1 + 1e-9)


@given(powers, powers, st.floats(-20.0, 20.0))
def test_the_share_kept_does_not_depend_on_level(
    part: np.ndarray, beside: np.ndarray, gain_db: float
) -> None:
    gain = 10 ** (gain_db / 10)
    shares = []
    for factor in (1.0, gain):
        excited, other = excitation(factor * part), excitation(factor * beside)
        shares.append(kept(excited, other).sum() / loudness(excited).sum())
    assert shares[0] == pytest.approx(shares[1], rel=1e-6)


def laid(*tracks: np.ndarray) -> Laid:
    """Eight bars of ten rows of steady parts, captured once."""
    power = np.repeat(np.stack(tracks)[None, :, None, :], 80, axis=2)
    names = tuple(f"part {k}" for k in range(len(tracks)))
    return Laid(names, power, np.repeat(np.arange(8), 10))


def test_two_equal_parts_keep_what_doubling_adds() -> None:
    found = report(laid(band(4), band(4)), (0,))
    expected = 1.0 - (2.0**EXPONENT - 1.0)
    assert [part.loss for part in found.parts] == pytest.approx([expected] * 2)
    assert found.clarity == pytest.approx(1.0 - expected)
    assert {(pair.masker, pair.maskee) for pair in found.pairs} == {
        ("part 0", "part 1"),
        ("part 1", "part 0"),
    }
    rows = clarity_rows(laid(band(4), band(4)), np.arange(8))
    assert rows == pytest.approx(np.full((1, 8), 1.0 - expected))


def test_parts_far_apart_leave_one_another_alone() -> None:
    found = report(laid(band(1), band(7)), (0,))
    assert found.pairs == ()
    assert (found.clarity or 0.0) > 0.9


def test_low_masks_high_more_than_high_masks_low() -> None:
    parts = {part.name: part.loss for part in report(laid(band(4), band(6, 1e-5)), (0,)).parts}
    mirrored = {part.name: part.loss for part in report(laid(band(6), band(4, 1e-5)), (0,)).parts}
    assert parts["part 1"] > mirrored["part 1"] + 0.1


def test_a_silent_part_is_said_to_be_silent() -> None:
    found = report(laid(band(4), np.zeros(9)), (0,))
    assert found.parts[1].reason == "silent behind its fader"
    assert found.clarity == pytest.approx(1.0)
    nothing = report(laid(np.zeros(9), np.zeros(9)), (0,))
    assert nothing.clarity is None
    assert nothing.reason


def test_the_master_alone_tells_bands_and_no_parts() -> None:
    power = np.tile(band(4) + band(5, 1e-3), (20, 1))
    found = master_report(power, "no tracks")
    assert found.clarity is None
    assert found.parts == found.pairs == ()
    assert set(found.master_bands) == {BAND_NAMES[4], BAND_NAMES[5]}
    assert found.master_bands[BAND_NAMES[5]] > 0.8 > found.master_bands[BAND_NAMES[4]]


def test_a_strip_applies_fader_pan_and_mute() -> None:
    row, left, right = np.ones((1, 9)), np.array([0.5]), np.array([0.5])
    assert Strip().through(row, left, right) == pytest.approx(row)
    assert Strip(-10.0).through(row, left, right) == pytest.approx(0.1 * row)
    # Constant power: a centred sound keeps its power wherever it is panned.
    assert Strip(pan=-1.0).through(row, left, right) == pytest.approx(row)
    assert Strip(pan=1.0).through(row, np.array([1.0]), np.array([0.0])) == pytest.approx(0 * row)
    assert Strip(muted=True).through(row, left, right).max() == 0.0
    assert Strip(-math.inf).powers == (0.0, 0.0)


@pytest.mark.parametrize("wrong", [{"gain_db": math.nan}, {"gain_db": 40.0}, {"pan": 2.0}])
def test_a_strip_that_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="read it again"):
        Strip(**wrong)
