import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.capture.point import EIGHT_BAND_NAMES, PointSnapshot
from pybackend.errors import InputError
from pybackend.metering.design import BAND_NAMES

NINE = dict.fromkeys(BAND_NAMES, 0.1)
EIGHT = dict.fromkeys(EIGHT_BAND_NAMES, 0.1)


def test_nine_bands():
    snapshot = PointSnapshot.parse({"spectrum": NINE, "rms": 0.2, "peak": 0.9})
    assert snapshot.layout == "nine"
    assert list(snapshot.powers) == list(BAND_NAMES)
    assert snapshot.powers["mid"] == pytest.approx(0.01)
    assert snapshot.edges_hz["sub"] == (60.0, 120.0)


def test_eight_bands_are_other_bands_under_the_same_names():
    snapshot = PointSnapshot.parse({"spectrum": EIGHT})
    assert snapshot.layout == "eight"
    assert snapshot.edges_hz["sub"] == (20.0, 60.0)
    assert snapshot.edges_hz["air"] == (12000.0, 20000.0)
    assert (snapshot.rms, snapshot.peak) == (None, None)


def test_the_layout_may_be_named():
    named = PointSnapshot.parse({"spectrum": EIGHT, "layout": "eight"})
    assert named == PointSnapshot.parse({"spectrum": EIGHT})
    with pytest.raises(InputError, match="lacks sub_low"):
        PointSnapshot.parse({"spectrum": EIGHT, "layout": "nine"})


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        ({}, "spectrum"),
        (None, "snapshot"),
        ({"spectrum": {}}, "lacks"),
        ({"spectrum": {**NINE, "treble": 0.1}}, "treble"),
        ({"spectrum": {k: v for k, v in NINE.items() if k != "air"}}, "lacks air"),
        ({"spectrum": {**NINE, "air": -0.1}}, "spectrum.air"),
        ({"spectrum": {**NINE, "air": float("nan")}}, "spectrum.air"),
        ({"spectrum": {**NINE, "air": float("inf")}}, "spectrum.air"),
        ({"spectrum": {**NINE, "air": "loud"}}, "spectrum.air"),
        ({"spectrum": {**NINE, "air": True}}, "spectrum.air"),
        ({"spectrum": {**NINE, "air": 1e9}}, "spectrum.air"),
        ({"spectrum": NINE, "rms": float("nan")}, "rms"),
        ({"spectrum": NINE, "peak": -1.0}, "peak"),
        ({"spectrum": NINE, "rsm": 0.1}, "rsm"),
        ({"spectrum": [0.1] * 9}, "spectrum"),
    ],
)
def test_readings_that_are_none(bad, what):
    with pytest.raises(InputError, match=what) as caught:
        PointSnapshot.parse(bad)
    assert "\n" not in str(caught.value)


def test_silence():
    assert PointSnapshot.parse({"spectrum": dict.fromkeys(BAND_NAMES, 0.0)}).silent
    assert not PointSnapshot.parse({"spectrum": NINE}).silent


@given(st.lists(st.floats(0.0, 1.0), min_size=8, max_size=9))
def test_a_summary_is_the_reading(amplitudes):
    names = BAND_NAMES if len(amplitudes) == 9 else EIGHT_BAND_NAMES
    reading = {"spectrum": dict(zip(names, amplitudes, strict=True)), "rms": 0.5, "peak": None}
    summary = PointSnapshot.parse(reading).summary()
    assert summary.pop("form") == "point"
    layout = summary.pop("layout")
    assert summary == reading | {"momentary_lufs": None, "true_peak_dbtp": None}
    assert (layout == "nine") == (len(amplitudes) == 9)
