from __future__ import annotations

from types import ModuleType

import numpy as np
import numpy.typing as npt
import pytest

from pybackend.errors import InputError
from pybackend.judgment.reference import (
    ReferenceComparison,
    ReferenceRow,
    compare_with_reference,
    profile,
)
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FRAME_COLUMNS

Array = npt.NDArray[np.float64]


def frames(values: Array) -> Frames:
    values = values.copy()
    values[:, FRAME_COLUMNS["lufs_s"]] = values[:, FRAME_COLUMNS["lufs_m"]]
    return Frames(values, 0.05 * np.arange(1, len(values) + 1))


def row(found: ReferenceComparison, name: str) -> ReferenceRow:
    return next(each for each in found.rows if each.name == name)


def piece(synth: ModuleType, seed: int = 1, **move: object) -> Frames:
    return frames(synth.capture(synth.programme(seed), np.random.default_rng(0), **move))


def test_a_track_beside_itself_is_nowhere_apart(synth: ModuleType) -> None:
    same = profile([piece(synth)], "song", "track")
    found = compare_with_reference(same, same, same)
    assert found.spectral_distance_after_db == 0.0
    assert found.level_match_lu == 0.0
    assert all(each.distance_after == 0.0 for each in found.rows)
    assert all(each.closer is None for each in found.rows)
    assert "another piece of music" in found.statement


def test_gain_moves_loudness_and_no_band(synth: ModuleType) -> None:
    reference = profile([piece(synth, jitter_ms=0)], "song", "reference")
    louder = profile([piece(synth, jitter_ms=0, gain_db=3.0)], "song", "after")
    found = compare_with_reference(louder, reference)
    assert found.level_match_lu == pytest.approx(-3.0, abs=1e-6)
    assert row(found, "energy").distance_after == pytest.approx(3.0, abs=1e-6)
    assert found.spectral_distance_after_db == pytest.approx(0.0, abs=1e-6)
    for name in ("dynamics", "psr", "width"):
        assert row(found, name).distance_after == pytest.approx(0.0, abs=1e-6), name
    assert found.spectral_distance_before_db is None


def test_a_shelf_towards_the_reference_comes_closer_in_its_bands(synth: ModuleType) -> None:
    reference = profile([piece(synth, jitter_ms=0)], "song", "reference")
    dull = [0] * 6 + [-4] * 3
    before = profile([piece(synth, jitter_ms=0, band_db=dull)], "song", "before")
    found = compare_with_reference(reference, reference, before)
    assert row(found, "band_presence").closer is True
    away = compare_with_reference(before, reference, reference)
    assert row(away, "band_presence").closer is False
    difference = (row(away, "band_air").distance_after or 0.0) - (
        row(away, "band_mid").distance_after or 0.0
    )
    assert difference == pytest.approx(-4.0, abs=0.01)


def test_what_a_side_lacks_is_unavailable_with_the_reason(synth: ModuleType) -> None:
    values = piece(synth).values.copy()
    mono = values.copy()
    mono[:, FRAME_COLUMNS["mean_square"]] = mono[:, FRAME_COLUMNS["mean_square"]].mean(
        axis=1, keepdims=True
    )
    mono[:, FRAME_COLUMNS["lr_product"]] = (
        mono[:, FRAME_COLUMNS["mean_square"]].sum(axis=1, keepdims=True) / 2.0
    )
    found = compare_with_reference(
        profile([frames(values)], "song", "after"), profile([frames(mono)], "song", "reference")
    )
    width = row(found, "width")
    assert width.reference is None
    assert width.distance_after is None
    assert width.reason == "mono, or one side is silent"


@pytest.mark.parametrize("length", [0, 20])
def test_too_little_sound_is_an_error(synth: ModuleType, length: int) -> None:
    short = frames(piece(synth).values[:length])
    with pytest.raises(InputError, match="less than 3 s of sound"):
        profile([short], "song", "reference.wav")


def test_silence_is_an_error(synth: ModuleType) -> None:
    with pytest.raises(InputError, match="less than 3 s of sound"):
        profile([piece(synth, gain_db=-90.0)], "song", "reference.wav")
