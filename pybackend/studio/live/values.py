"""Parameters: ranges, 32 bit storage, steps, and the numbers and strings that Live displays.

The curves have the shape of Live's (a fader is linear in dB above -18 dB and steepens below) and
its anchor points, not its exact values.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SILENCE_DB = -70.0


@dataclass(frozen=True)
class ParameterSpec:
    """What all parameters of one name in one class of device share.

    Parameters
    ----------
    name
        The original name.
    unit
        One of `UNITS`.
    low, high
        Range of the raw value.
    default
        Raw value of a new device.
    items
        Names of the values of a quantised parameter.
    whole
        Stores whole numbers only although it is not quantised (semitones).
    shown_low, shown_high
        Range in display units, where they differ from the raw ones.
    odd_strings
        ``str_for_value`` raises in the upper half of the range, as some of Live's do.
    """

    name: str
    unit: str = "plain"
    low: float = 0.0
    high: float = 1.0
    default: float = 0.0
    items: tuple[str, ...] = ()
    whole: bool = False
    shown_low: float = 0.0
    shown_high: float = 1.0
    odd_strings: bool = False

    @property
    def quantized(self) -> bool:
        """Whether the values have names."""
        return bool(self.items)


def float32(value: float) -> float:
    """Round to what 32 bits hold."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def settle(spec: ParameterSpec, value: float) -> float:
    """Return what a parameter stores when given a raw value in its range."""
    if spec.quantized or spec.whole:
        return float(math.floor(value + 0.5))
    return float32(value)


def shown(spec: ParameterSpec, value: float) -> float:
    """Return a raw value in display units (dB, Hz, ms, percent), as ``display_value`` gives it."""
    if spec.unit == "volume":
        return _fader_db(value, unity=0.85)
    if spec.unit == "send":
        return _fader_db(value, unity=1.0)
    part = (value - spec.low) / (spec.high - spec.low)
    if spec.unit in ("hz", "ms"):
        return float(spec.shown_low * (spec.shown_high / spec.shown_low) ** part)
    if spec.unit in ("db", "percent", "ratio"):
        return spec.shown_low + part * (spec.shown_high - spec.shown_low)
    if spec.unit == "pan":
        return value * 50.0
    return value


def from_shown(spec: ParameterSpec, display: float) -> float:
    """Return the raw value that displays like this; out of range gives the nearest end."""
    low, high = spec.low, spec.high
    if display <= shown(spec, low):
        return low
    if display >= shown(spec, high):
        return high
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if shown(spec, middle) < display else (low, middle)
    return (low + high) / 2.0


def text(spec: ParameterSpec, value: float) -> str:
    """Return a raw value as Live prints it."""
    if spec.quantized:
        return spec.items[min(max(round(value - spec.low), 0), len(spec.items) - 1)]
    number = shown(spec, value)
    return _PRINTERS[spec.unit](number)


def _fader_db(value: float, unity: float) -> float:
    knee = unity - 0.45
    if value >= knee:
        return 40.0 * (value - unity)
    if value <= 0.0:
        return SILENCE_DB
    slope = 40.0 * knee / 20.0 * math.log(10.0)
    return max(SILENCE_DB, -18.0 + slope * 20.0 * math.log10(value / knee))


def _print_fader(db: float) -> str:
    return "-inf dB" if db <= SILENCE_DB else f"{db:.1f} dB"


def _print_pan(value: float) -> str:
    side = round(abs(value))
    if side == 0:
        return "C"
    return f"{side}{'L' if value < 0 else 'R'}"


def _print_hz(hz: float) -> str:
    return f"{hz:.1f} Hz" if hz < 1000.0 else f"{hz / 1000.0:.2f} kHz"


def _print_ms(ms: float) -> str:
    return f"{ms:.2f} ms" if ms < 1000.0 else f"{ms / 1000.0:.2f} s"


def _plain(unit: str) -> Callable[[float], str]:
    return lambda value: f"{value:.2f}{unit}"


_PRINTERS: dict[str, Callable[[float], str]] = {
    "volume": _print_fader,
    "send": _print_fader,
    "pan": _print_pan,
    "hz": _print_hz,
    "ms": _print_ms,
    "db": _plain(" dB"),
    "percent": lambda percent: f"{percent:.1f} %",
    "ratio": _plain(" : 1"),
    "semitones": lambda steps: f"{steps:+.0f} st" if steps else "0 st",
    "bpm": _plain(""),
    "plain": _plain(""),
}
UNITS = tuple(_PRINTERS)
