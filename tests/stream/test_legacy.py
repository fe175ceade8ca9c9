from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pythonosc.osc_message_builder import OscMessageBuilder

from pybackend.metering.design import BAND_NAMES
from pybackend.stream.codec import Reject
from pybackend.stream.legacy import (
    EIGHT_BAND_EDGES_HZ,
    EIGHT_BAND_NAMES,
    LegacyAnalyzer,
    parse_legacy,
)


def message(address: str, *values: float) -> bytes:
    builder = OscMessageBuilder(address)
    for value in values:
        builder.add_arg(value)
    return builder.build().dgram


NINE = [0.5, 0.25, 0.125, 0.0625, 0.03125, 1.0, 0.75, 0.0, 0.375]


def test_nine_bands_make_a_point_snapshot():
    analyzer = LegacyAnalyzer()
    assert analyzer.feed(message("/rms", 0.25), 10.0) is None
    assert analyzer.feed(message("/peak", 0.5), 10.0) is None
    assert analyzer.feed(message("/loudness", -14.5, -0.5), 10.0) is None
    assert analyzer.feed(message("/spectrum", *NINE), 10.1) == {
        "spectrum": dict(zip(BAND_NAMES, NINE, strict=True)),
        "layout": "nine",
        "rms": 0.25,
        "peak": 0.5,
        "momentary_lufs": -14.5,
        "true_peak_dbtp": -0.5,
    }


def test_eight_bands_have_their_own_layout():
    snapshot = LegacyAnalyzer().feed(message("/spectrum", *NINE[:8]), 0.0)
    assert snapshot == {
        "spectrum": dict(zip(EIGHT_BAND_NAMES, NINE[:8], strict=True)),
        "layout": "eight",
    }
    assert next(iter(snapshot["spectrum"])) == "sub"
    assert EIGHT_BAND_EDGES_HZ[:2] == (20.0, 60.0)
    assert len(EIGHT_BAND_EDGES_HZ) == len(EIGHT_BAND_NAMES) + 1


def test_old_readings_are_left_out():
    analyzer = LegacyAnalyzer()
    analyzer.feed(message("/rms", 0.25), 10.0)
    assert "rms" not in analyzer.feed(message("/spectrum", *NINE), 11.5)


def test_integers_are_numbers_and_loudness_may_stand_alone():
    analyzer = LegacyAnalyzer()
    analyzer.feed(message("/loudness", -20), 0.0)
    snapshot = analyzer.feed(message("/spectrum", *[0] * 9), 0.1)
    assert snapshot["momentary_lufs"] == -20.0
    assert "true_peak_dbtp" not in snapshot
    assert set(snapshot["spectrum"].values()) == {0.0}


SPECTRUM = message("/spectrum", *NINE)


@pytest.mark.parametrize(
    ("datagram", "reason"),
    [
        (SPECTRUM[:-2], Reject.LENGTH),
        (SPECTRUM[:-4], Reject.LENGTH),
        (SPECTRUM + bytes(4), Reject.LENGTH),
        (message("/spectrum", *NINE[:7]), Reject.LENGTH),
        (message("/spectrum", *NINE, 0.5), Reject.LENGTH),
        (message("/rms"), Reject.LENGTH),
        (message("/peak", 0.5, 0.5), Reject.LENGTH),
        (message("/spectrum", *NINE[:8], math.nan), Reject.NON_FINITE),
        (message("/rms", math.inf), Reject.NON_FINITE),
        (message("/loudness", -math.inf, 0.0), Reject.NON_FINITE),
        (message("/spectrum", *NINE[:8], -0.1), Reject.OUT_OF_RANGE),
        (message("/peak", 5000.0), Reject.OUT_OF_RANGE),
        (message("/loudness", 99.0, 0.0), Reject.OUT_OF_RANGE),
        (b"/rms\0\0\0\0", Reject.TYPE_TAGS),
        (b"/rms\0\0\0\0" + struct.pack(">f", 0.5), Reject.TYPE_TAGS),
        (message("/rms", "loud"), Reject.TYPE_TAGS),
        (b"/rms\0\0\0\0,d\0\0" + struct.pack(">d", 0.5), Reject.TYPE_TAGS),
        (message("/pitch", 60.0), Reject.UNKNOWN_ADDRESS),
        (b"#bundle\0" + bytes(8), Reject.BUNDLE),
        (b"noise", Reject.NOT_OSC),
        (b"/rms" + bytes(4000), Reject.OVERSIZE),
    ],
)
def test_what_python_osc_would_misread_is_rejected(datagram, reason):
    analyzer = LegacyAnalyzer()
    assert parse_legacy(datagram) is reason
    assert analyzer.feed(datagram, 0.0) is None
    assert analyzer.rejects == {reason: 1}


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(SPECTRUM)), st.binary(max_size=6), st.integers(0, len(SPECTRUM) + 4))
def test_mutated_messages_never_raise_or_give_implausible_numbers(at, patch, length):
    mutated = (SPECTRUM[:at] + patch + SPECTRUM[at + len(patch) :])[:length]
    snapshot = LegacyAnalyzer().feed(mutated, 0.0)
    if snapshot is not None:
        assert all(0.0 <= value <= 1000.0 for value in snapshot["spectrum"].values())
