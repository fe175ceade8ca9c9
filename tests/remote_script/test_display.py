"""Printed values, and back."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote_script.MoveJudge.display import parse, raw_for
from remote_script.MoveJudge.failure import Failure


class Knob:
    """A parameter with a printer."""

    is_quantized = False
    value_items: tuple[str, ...] = ()

    def __init__(self, low: float, high: float, printer: Any) -> None:
        self.min, self.max, self.str_for_value = low, high, printer


def decibel(value: float) -> str:
    return "-inf dB" if value <= 0.0 else f"{max(40.0 * value - 34.0, -69.9):.1f} dB"


FADER = Knob(0.0, 1.0, decibel)


def hertz(value: float) -> str:
    found = 20.0 * 1000.0**value
    return f"{found / 1000:.2f} kHz" if found >= 1000 else f"{found:.0f} Hz"


CUTOFF = Knob(0.0, 1.0, hertz)
FALLING = Knob(0.0, 1.0, lambda v: f"{10.0 - 20.0 * v:.1f} dB")


@given(st.floats(-30.0, 6.0).map(lambda db: round(db, 1)))
def test_a_fader_in_decibel(db: float) -> None:
    raw = raw_for(FADER, db, "")
    assert abs(parse(FADER.str_for_value(raw))[0] - db) < 1e-9
    assert raw == pytest.approx((db + 34.0) / 40.0, abs=1e-4)


def test_ends_and_beyond() -> None:
    assert raw_for(FADER, "-inf dB", "") == 0.0
    assert raw_for(FADER, 6.0, "") == 1.0
    with pytest.raises(Failure) as caught:
        raw_for(FADER, 7.0, "")
    assert caught.value.code == "out_of_range"


def test_units() -> None:
    assert raw_for(CUTOFF, "2 kHz", "") == pytest.approx(raw_for(CUTOFF, 2000.0, ""))
    assert raw_for(FALLING, -3.0, "") == pytest.approx(0.65, abs=0.01)
    with pytest.raises(Failure, match="db"):
        raw_for(FADER, "3 kHz", "")


def test_panning_is_signed() -> None:
    assert [parse(text)[0] for text in ("50L", "C", "25R", "1L")] == [-50.0, 0.0, 25.0, -1.0]
    assert parse("-inf dB") == (-math.inf, "db")
    with pytest.raises(Failure):
        parse("Repitch")


def test_what_cannot_be_printed_is_unavailable() -> None:
    def broken(value: float) -> str:
        raise RuntimeError("Invalid display value")

    with pytest.raises(Failure) as caught:
        raw_for(Knob(0.0, 1.0, broken), 1.0, "")
    assert caught.value.code == "unavailable"
