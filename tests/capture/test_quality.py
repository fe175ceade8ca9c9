import pytest

from pybackend.capture import quality
from pybackend.capture.timeline import Survey

GOOD = {
    "frames": 400,
    "missing": 0,
    "non_finite": 0,
    "stopped": 0,
    "jumps": 0,
    "instances": (7,),
    "interleaved": False,
    "sample_rates_hz": (48000.0,),
    "gap_s": 0.06,
    "loudest_lufs": -12.0,
    "tempo_bpm": 120.0,
    "beats_per_bar": 4.0,
}


def problems(bars=8, positions="song", **faults):
    return quality.capture_problems(
        Survey(**{**GOOD, **faults}), "Before", bars=bars, positions=positions
    )


@pytest.mark.parametrize(
    ("code", "faults", "words"),
    [
        ("no_frames", {"frames": 0}, "no frames arrived"),
        ("loss", {"missing": 30}, "7.0%"),
        ("stale", {"gap_s": 7.25}, "7.2 s"),
        ("non_finite", {"non_finite": 21}, "21 frames"),
        ("two_masters", {"instances": (7, 9), "interleaved": True}, "2 analyzers"),
        ("device_changed", {"instances": (7, 9)}, "2 instances"),
        ("sample_rate_changed", {"sample_rates_hz": (44100.0, 48000.0)}, "44100, 48000 Hz"),
        ("transport_stopped", {"stopped": 400}, "400 of 400"),
        ("silence", {"loudest_lufs": -70.0}, "-70 LUFS"),
        ("too_few_bars", {"bars": 3}, "3 whole bars"),
    ],
)
def test_each_reason_names_its_numbers(code, faults, words):
    found = problems(**faults)
    assert [reason.code for reason in found] == [code]
    assert words in found[0].text
    assert found[0].text.startswith("Before: ")
    assert ";" in found[0].text


def test_at_the_limits_nothing_is_wrong():
    assert problems(missing=21, gap_s=5.0, non_finite=20, loudest_lufs=-69.9, bars=4) == []


def test_a_stop_before_enough_bars_were_played_does_not_matter():
    assert problems(stopped=200, bars=4) == []
    assert {reason.code for reason in problems(stopped=200, bars=3)} == {
        "transport_stopped",
        "too_few_bars",
    }
    assert problems(stopped=400, positions="start") == []


def test_silence_is_not_claimed_without_a_usable_frame():
    assert problems(loudest_lufs=float("nan")) == []


def test_labels():
    assert quality.side_labels(1, 1) == ["Before", "After"]
    assert quality.side_labels(2, 1) == ["Before, capture 1", "Before, capture 2", "After"]
