from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pybackend.judgment.critics import diagnose
from pybackend.judgment.findings import Diagnosis, Finding
from pybackend.judgment.goal import compile_goal_vector
from pybackend.judgment.masking.report import MaskingPair, MaskingReport
from pybackend.metering.meter import Meter
from pybackend.stream.frames import Frames, stamp_transport
from pybackend.stream.protocol import column

Array = npt.NDArray[np.float64]
RATE = 48000


@pytest.fixture(scope="module")
def music() -> Array:
    """Ten seconds of pink-like noise and beats: left and right half related, nothing wrong."""
    rng = np.random.default_rng(4)
    n = 10 * RATE
    hz = np.fft.rfftfreq(n, 1 / RATE)
    shape = np.where((hz > 30) & (hz < 18000), 1 / np.sqrt(np.maximum(hz, 30)), 0.0)

    def pink() -> Array:
        made = np.fft.irfft(np.fft.rfft(rng.normal(size=n)) * shape, n)
        return np.asarray(made / made.std())

    centre, left, right = pink(), pink(), pink()
    high = np.fft.rfft(np.stack((left, right), axis=1), axis=0)
    high[hz < 200] = 0.0  # a mono low end
    sides = np.fft.irfft(high, n, axis=0)
    beat = 0.3 + np.exp(-(np.arange(n) % (RATE // 2)) / 3000)
    sound = 0.05 * beat[:, None] * (centre[:, None] + 0.5 * sides)
    return np.asarray(sound)


def examine(sound: Array, **more: Any) -> Diagnosis:
    frames = stamp_transport(Meter(RATE).process(sound), tempo_bpm=120)
    return diagnose(frames, **more)


def names(found: Diagnosis) -> list[str]:
    return [finding.what for finding in found.findings]


def only(found: Diagnosis, what: str) -> Finding:
    matching = [finding for finding in found.findings if finding.what == what]
    assert len(matching) == 1, names(found)
    finding = matching[0]
    # Every finding names a goal that compiles.
    compile_goal_vector("", finding.goal["targets"], finding.goal["protect"])
    return finding


def test_sound_music_has_no_findings(music: Array) -> None:
    found = examine(music)
    assert names(found) == []
    assert found.frames > 150
    assert "no frames of tracks" in found.unavailable["masking"]


def test_clipped_music_is_found_to_clip_and_peak(music: Array) -> None:
    found = examine(np.clip(30.0 * music, -1.0, 1.0))
    assert only(found, "clipping").severity == "high"
    peak = only(found, "true_peak")
    assert peak.value > -1.0
    assert peak.where.startswith("bar ")
    assert only(found, "squashed").value < 8.0


def test_one_channel_turned_over_cancels_in_mono(music: Array) -> None:
    found = examine(music * [1.0, -1.0])
    assert only(found, "mono").severity == "high"
    assert only(found, "wide_low_end").severity == "high"


def test_unrelated_channels_do_not_count_as_cancelling(music: Array) -> None:
    shifted = np.stack((music[:, 0], np.roll(music[:, 0], RATE)), axis=1)
    found = examine(shifted)
    assert "mono" not in names(found)
    assert only(found, "wide_low_end").severity == "low"


def test_the_louder_side_is_named_with_its_decibels(music: Array) -> None:
    right = only(examine(music * [0.5, 1.0]), "imbalance")
    assert right.where == "right"
    assert right.value == pytest.approx(6.02, abs=0.3)
    assert right.goal["targets"] == {"balance": -1.0}
    left = only(examine(music * [1.0, 0.5]), "imbalance")
    assert left.goal["targets"] == {"balance": 1.0}


def test_an_offset_is_power_that_nobody_hears(music: Array) -> None:
    found = only(examine(music + 0.1), "subsonic")
    assert found.severity == "high"
    powers = (music**2).mean(), 0.01
    assert found.value == pytest.approx(100 * powers[1] / sum(powers), abs=2.0)


@pytest.mark.parametrize(
    ("band_db", "what"),
    [([0] * 6 + [20] * 3, "harsh"), ([0] * 6 + [-20] * 3, "dull")],
)
def test_tone_far_outside_the_usual_is_found(
    synth: ModuleType, band_db: list[float], what: str
) -> None:
    values = synth.capture(synth.programme(1), np.random.default_rng(1), band_db=band_db)
    frames = Frames(values, 0.05 * np.arange(len(values)))
    finding = only(diagnose(frames), what)
    assert finding.where == "above 2 kHz"
    weight = finding.goal["targets"]["brightness"]
    assert weight is not None
    assert (weight < 0) == (what == "harsh")


def test_masking_pairs_are_findings_with_their_bands(music: Array) -> None:
    pair = MaskingPair(masker="track 1", maskee="track 2", loss=0.9, bands={"low_mid": 0.7})
    report = MaskingReport(clarity=0.4, pairs=(pair,))
    found = examine(music, masking=report)
    assert only(found, "masking").where == "track 2 under track 1, low mid"
    assert found.unavailable == {}


@pytest.mark.parametrize("silence", [np.zeros((RATE, 2)), np.full((RATE, 2), np.nan)])
def test_nothing_to_examine_is_no_clean_bill(silence: Array) -> None:
    found = examine(silence)
    assert found.findings == ()
    assert found.frames == 0
    assert found.unavailable["master"]


def test_a_stopped_transport_is_nothing_to_examine(synth: ModuleType) -> None:
    values = synth.capture(synth.programme(1), np.random.default_rng(1))
    values[:, column("flags")] = 1.0
    found = diagnose(Frames(values, 0.05 * np.arange(len(values))))
    assert "no frame can be used" in found.unavailable["master"]
