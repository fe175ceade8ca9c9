"""Frames to dimensions, by hand on small captures."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pybackend.capture.aligned import AlignedCaptures, Incomparable
from pybackend.judgment.dimensions import FRAME_INDEX
from pybackend.judgment.features import BarFeatures, bar_features
from pybackend.judgment.jackknife import jackknife_spread
from pybackend.stream.protocol import FRAME_COLUMNS, column

Array = npt.NDArray[np.float64]


@pytest.fixture
def flat(synth: ModuleType) -> AlignedCaptures:
    """Two captures of 4 bars with the same power in every band and frame."""
    frames = synth.frames_of(np.full((160, 9), 0.001), np.full(9, 0.1))
    return synth.aligned([frames], [frames.copy()])


def measured(captures: AlignedCaptures) -> BarFeatures:
    found = bar_features(captures)
    assert isinstance(found, BarFeatures), found
    return found


def refused(captures: AlignedCaptures) -> str:
    found = bar_features(captures)
    assert isinstance(found, Incomparable)
    return found.reasons[0].code


def value(features: BarFeatures, name: str) -> Array:
    return features.x[FRAME_INDEX[name]]


def edit(captures: AlignedCaptures, name: str, where: Any, content: Any) -> AlignedCaptures:
    values = captures.values.copy()
    values[where][..., FRAME_COLUMNS[name]] = content
    return replace(captures, values=values)


def test_ratios_of_equal_bands(flat: AlignedCaptures) -> None:
    features = measured(flat)
    assert features.n_bars == 4
    assert features.frames == 160
    np.testing.assert_allclose(value(features, "brightness"), 0.0, atol=1e-12)
    np.testing.assert_allclose(value(features, "weight"), 10 * np.log10(2 / 3))
    np.testing.assert_allclose(value(features, "band_air"), 10 * np.log10(1 / 3))
    np.testing.assert_allclose(value(features, "band_mid"), 10 * np.log10(1 / 2))
    np.testing.assert_allclose(value(features, "width"), 10 * np.log10(0.1))
    np.testing.assert_allclose(value(features, "balance"), 0.0, atol=1e-12)
    np.testing.assert_allclose(value(features, "dynamics"), 0.0, atol=1e-6)
    np.testing.assert_allclose(features.band_db, -30.0)


def test_energy_and_psr_are_those_of_the_standard(flat: AlignedCaptures) -> None:
    captures = edit(flat, "k_power", (slice(None), slice(None)), 0.01)
    captures = edit(captures, "true_peak", (slice(None), slice(None)), 0.3)
    captures = edit(captures, "true_peak", (0, slice(5, 6)), 0.5)
    features = measured(captures)
    np.testing.assert_allclose(value(features, "energy"), -20.691)
    np.testing.assert_allclose(features.k_level_lufs, -20.691)
    first = 20 * np.log10(0.5) + 20.691
    rest = 20 * np.log10(0.3) + 20.691
    np.testing.assert_allclose(value(features, "psr")[0], [first, rest, rest, rest])
    np.testing.assert_allclose(features.true_peak_dbtp, 20 * np.log10([0.5, 0.3]))


def test_powers_are_summed_before_the_logarithm(synth: ModuleType) -> None:
    bands = np.full((160, 9), 0.001)
    bands[::2, 6:] = 0.009  # every other frame is bright: the ratio is that of the sums
    frames = synth.frames_of(bands, np.full(9, 0.1))
    features = measured(synth.aligned([frames], [frames]))
    np.testing.assert_allclose(value(features, "brightness"), 10 * np.log10(5.0))


def test_the_mask_is_joint(flat: AlignedCaptures) -> None:
    # A bright frame that the other capture lacks counts in neither.
    captures = edit(flat, "band_power", (0, slice(3, 4)), 0.5)
    valid = captures.valid.copy()
    valid[1, 3] = False
    features = measured(replace(captures, valid=valid))
    np.testing.assert_allclose(value(features, "brightness"), 0.0, atol=1e-12)
    assert features.frames == 159


def test_what_is_silent_in_one_capture_only_still_counts(flat: AlignedCaptures) -> None:
    captures = edit(flat, "lufs_m", (1, slice(10, 20)), -100.0)
    assert measured(captures).frames == 160
    both = edit(captures, "lufs_m", (0, slice(10, 20)), -100.0)
    assert measured(both).frames == 150


def test_a_bar_with_gaps_is_left_out(synth: ModuleType) -> None:
    frames = synth.frames_of(np.full((200, 9), 0.001), np.full(9, 0.1))
    captures = synth.aligned([frames], [frames])
    valid = captures.valid.copy()
    valid[0, 0:8] = False  # 80 % of the first bar remain: enough
    assert measured(replace(captures, valid=valid)).n_bars == 5
    valid[1, 20:21] = False
    assert measured(replace(captures, valid=valid)).n_bars == 4
    valid[0, 80:100] = False
    assert refused(replace(captures, valid=valid)) == "too_few_bars"


def test_a_bar_that_is_silent_in_a_capture_is_left_out(synth: ModuleType) -> None:
    frames = synth.frames_of(np.full((200, 9), 0.001), np.full(9, 0.1))
    bands = np.full((200, 9), 0.001)
    bands[40:80] = 1e-8  # 50 dB down: a tail, although above the gate
    tail = synth.frames_of(bands, np.full(9, 0.1))
    features = measured(synth.aligned([frames, frames], [tail]))
    assert features.n_bars == 4
    assert features.frames == 160
    assert features.notes == ("Left out: 1 bar silent in a capture.",)
    assert measured(synth.aligned([frames], [frames])).notes == ()


@pytest.mark.parametrize("gain", [0.01, 0.5, 2.0])
def test_gain_moves_no_ratio_in_music_that_stops(synth: ModuleType, gain: float) -> None:
    """After the music ends, momentary loudness stays above the gate for 400 ms of silence."""
    rng = np.random.default_rng(1)
    bands = 0.01 * rng.random((240, 9)) ** 2
    bands[200:] = 1e-14 * rng.random((40, 9))
    plain = synth.frames_of(bands, np.full(9, 0.1))
    louder = synth.frames_of(gain * bands, np.full(9, 0.1))
    features = measured(synth.aligned([plain], [louder]))
    assert features.n_bars == 5
    change = features.x[:, 1].mean(axis=1) - features.x[:, 0].mean(axis=1)
    np.testing.assert_allclose(np.delete(change, FRAME_INDEX["energy"]), 0.0, atol=1e-6)


def test_sparse_music_is_no_gap(synth: ModuleType) -> None:
    """A hit of 50 ms on every bar with digital silence between."""
    bands = np.zeros((320, 9))
    bands[::40] = 0.01
    frames = synth.frames_of(bands, np.full(9, 0.1))
    features = measured(synth.aligned([frames], [frames]))
    assert features.n_bars == 8
    assert features.frames < 0.4 * 320


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("name", ["k_power", "mean_square", "true_peak", "band_power"])
def test_impossible_numbers_refuse(flat: AlignedCaptures, name: str, bad: float) -> None:
    assert refused(edit(flat, name, (1, slice(7, 8)), bad)) == "non_finite"


def test_impossible_momentary_loudness_refuses(flat: AlignedCaptures) -> None:
    for bad in (np.nan, np.inf, -np.inf):
        assert refused(edit(flat, "lufs_m", (0, slice(7, 8)), bad)) == "non_finite"


def test_numbers_of_invalid_frames_are_never_read(flat: AlignedCaptures) -> None:
    values, valid = flat.values.copy(), flat.valid.copy()
    values[1, 7], valid[1, 7] = np.nan, False
    features = measured(replace(flat, values=values, valid=valid))
    assert np.isfinite(features.x).all()


def test_bands_above_nyquist_make_what_needs_them_unavailable(flat: AlignedCaptures) -> None:
    values = flat.values.copy()
    values[:, :, column("band_power") + 8] = np.nan
    features = measured(replace(flat, values=values))
    assert "sample rate" in features.reasons[FRAME_INDEX["band_air"]]
    assert "sample rate" in features.reasons[FRAME_INDEX["brightness"]]
    assert not features.reasons[FRAME_INDEX["weight"]]
    assert np.isnan(features.band_db[:, 8]).all()
    assert np.isfinite(features.x).all()


def test_an_empty_band_is_unavailable_and_a_removed_one_is_bounded(synth: ModuleType) -> None:
    bands = np.full((160, 9), 0.01)
    bands[:, 0] = 0.0
    empty = synth.frames_of(bands, np.full(9, 0.1))
    full = synth.frames_of(np.full((160, 9), 0.01), np.full(9, 0.1))
    index = FRAME_INDEX["band_sub_low"]
    assert "noise floor" in measured(synth.aligned([empty], [empty])).reasons[index]
    removed = measured(synth.aligned([full], [empty]))
    assert not removed.reasons[index]
    assert "at least" in removed.remarks[index]
    # Down to 70 dB below the whole of nine bands (eight are left).
    np.testing.assert_allclose(removed.x[index, 1], 10 * np.log10(1e-7 * 8 / 3))


def test_quiet_bands_end_at_the_noise_of_16_bits(synth: ModuleType) -> None:
    bands = np.full((160, 9), 1e-4)
    bands[:, 8] = 0.5e-9
    frames = synth.frames_of(bands, np.full(9, 0.1))
    assert measured(synth.aligned([frames], [frames])).reasons[FRAME_INDEX["band_air"]]


def test_mono_and_one_sided_sound_have_no_width(synth: ModuleType) -> None:
    mono = synth.frames_of(np.full((160, 9), 0.001), np.zeros(9))
    features = measured(synth.aligned([mono], [mono]))
    assert "mono" in features.reasons[FRAME_INDEX["width"]]
    assert not features.reasons[FRAME_INDEX["balance"]]
    left = synth.frames_of(np.full((160, 9), 0.001), np.full(9, 1.0), balance=0.5)
    features = measured(synth.aligned([left], [left]))
    assert "right channel is silent" in features.reasons[FRAME_INDEX["width"]]
    assert "right channel is silent" in features.reasons[FRAME_INDEX["balance"]]


def test_jackknife_equals_leaving_bars_out_one_by_one() -> None:
    rng = np.random.default_rng(0)
    count = np.array([40, 38, 40, 31, 40])
    loudness = [[rng.normal(-20, 3, n) for n in count] for _ in range(3)]
    total = np.array([[bar.sum() for bar in capture] for capture in loudness])
    square = np.array([[(bar**2).sum() for bar in capture] for capture in loudness])
    expected = np.empty((3, 5))
    for c, capture in enumerate(loudness):
        whole = np.concatenate(capture).std()
        for i in range(5):
            rest = np.concatenate([bar for k, bar in enumerate(capture) if k != i]).std()
            expected[c, i] = 5 * whole - 4 * rest
    np.testing.assert_allclose(
        jackknife_spread(total, square, count.astype(float)), expected, rtol=1e-9
    )


def test_dynamics_need_sound_in_all_captures(flat: AlignedCaptures) -> None:
    captures = edit(flat, "lufs_m", (1, slice(0, 100)), -100.0)
    assert "silent" in measured(captures).reasons[FRAME_INDEX["dynamics"]]


def test_refusals_of_the_layout(flat: AlignedCaptures, synth: ModuleType) -> None:
    assert refused(replace(flat, n_before=2)) == "no_frames"
    assert refused(replace(flat, n_before=0)) == "no_frames"
    assert refused(replace(flat, loss=(0.0, 0.06))) == "loss"
    assert refused(replace(flat, loss=(float("nan"), 0.0))) == "loss"
    short = synth.frames_of(np.full((120, 9), 0.001), np.full(9, 0.1))
    assert refused(synth.aligned([short], [short])) == "too_few_bars"
    nothing = np.empty((0, flat.values.shape[2]))
    assert refused(synth.aligned([nothing], [nothing])) == "too_few_bars"
    quiet = edit(flat, "lufs_m", (slice(None), slice(None)), -90.0)
    assert refused(quiet) == "silence"
    half = edit(flat, "lufs_m", (1, slice(None)), -90.0)
    assert refused(half) == "silence"


def test_arrays_that_do_not_fit_are_a_fault_of_the_caller(flat: AlignedCaptures) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        bar_features(replace(flat, values=flat.values[:, :, :5]))
    with pytest.raises(ValueError, match="numbered"):
        bar_features(replace(flat, bar=np.where(np.arange(160) < 3, 77, flat.bar)))
