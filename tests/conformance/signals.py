"""The test signals of EBU Tech 3341 table 1 and EBU Tech 3342 table 1, synthesised.

Every level is the peak level in dBFS of each channel. Cases 7 and 8 of Tech 3341 and cases 5 and 6
of Tech 3342 are recorded programme and cannot be synthesised. Sines of 1 kHz run on through the
segments of a signal, so that segments of whole milliseconds meet at a zero crossing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

Pcm = npt.NDArray[np.float32]
Segment = tuple[float, float | None]
"""Duration in seconds and level in dBFS; None is silence."""

RATES_HZ = (44100, 48000, 96000)
SURROUND_WEIGHTS = (1.0, 1.0, 1.0, 1.41, 1.41)
"""BS.1770-5 table 3, in the order L, R, C, Ls, Rs."""


def _gain(level_dbfs: float | None) -> float:
    return 0.0 if level_dbfs is None else 10.0 ** (level_dbfs / 20.0)


def _envelope(segments: Sequence[Segment], rate_hz: int) -> npt.NDArray[np.float64]:
    ends = np.rint(np.cumsum([seconds for seconds, _ in segments]) * rate_hz).astype(np.int64)
    counts = np.diff(ends, prepend=0)
    return np.repeat([_gain(level) for _, level in segments], counts)


def tone(segments: Sequence[Segment], rate_hz: int) -> Pcm:
    """Stereo sine of 1 kHz, in phase, through segments of given levels; shape (n, 2)."""
    envelope = _envelope(segments, rate_hz)
    phase = 2.0 * math.pi * 1000.0 / rate_hz * np.arange(len(envelope))
    mono = (envelope * np.sin(phase)).astype(np.float32)
    return np.column_stack((mono, mono))


def surround_tone(levels_dbfs: Sequence[float], seconds: float, rate_hz: int) -> Pcm:
    """Sine of 1 kHz at one level per channel; shape (n, channels)."""
    mono = tone([(seconds, 0.0)], rate_hz)[:, :1]
    gains = np.array([_gain(level) for level in levels_dbfs], np.float32)
    return mono * gains


def _fades(count: int, rate_hz: int) -> npt.NDArray[np.float64]:
    fade = np.linspace(0.0, 1.0, round(0.01 * rate_hz), endpoint=False)
    shape = np.ones(count)
    shape[: len(fade)] = fade
    shape[-len(fade) :] = fade[::-1]
    return shape


def peak_sine(divisor: int, amplitude: float, phase_deg: float, rate_hz: int) -> Pcm:
    """Half a second of a sine of ``rate_hz / divisor`` with fades of 10 ms (cases 15 to 19)."""
    count = rate_hz // 2
    phase = 2.0 * math.pi / divisor * np.arange(count) + math.radians(phase_deg)
    mono = (amplitude * np.sin(phase) * _fades(count, rate_hz)).astype(np.float32)
    return np.column_stack((mono, mono))


def _half_band(taps_per_side: int = 256, beta: float = 8.0) -> npt.NDArray[np.float64]:
    """Kaiser-windowed low-pass for decimation by four, cut off at half the lower rate."""
    n = np.arange(-taps_per_side, taps_per_side + 1)
    taps = np.sinc(n / 4.0) * np.kaiser(len(n), beta)
    return np.asarray(taps / taps.sum())


def peak_burst(offset: int, rate_hz: int) -> Pcm:
    """One period of fs/4 at full scale inside a sine of fs/6 at half scale (cases 20 to 23).

    Made at four times the rate, where the carrier takes 24 samples per period and the burst 16,
    both meeting at rising zero crossings; then band-limited and decimated from sample ``offset``.
    """
    periods = rate_hz // 24
    carrier = 0.5 * np.sin(2.0 * math.pi / 24.0 * np.arange(24 * periods))
    burst = np.sin(2.0 * math.pi / 16.0 * np.arange(16))
    fast = np.concatenate((carrier, burst, carrier))
    limited = np.convolve(fast * _fades(len(fast), 4 * rate_hz), _half_band(), mode="same")
    mono = limited[offset::4].astype(np.float32)
    return np.column_stack((mono, mono))


def constant_short_term(rate_hz: int) -> Pcm:
    """Tech 3341 case 9: short-term loudness is constant after 3 s."""
    return tone([(1.34, -20.0), (1.66, -30.0)] * 5, rate_hz)


def constant_momentary(rate_hz: int) -> Pcm:
    """Tech 3341 case 12: momentary loudness is constant after 1 s."""
    return tone([(0.18, -20.0), (0.22, -30.0)] * 25, rate_hz)


def short_term_file(index: int, rate_hz: int) -> Pcm:
    """Tech 3341 case 10, file ``index`` of 20: a tone of exactly 3 s at a shifted start."""
    return tone([(0.15 * index, None), (3.0, -23.0), (1.0, None)], rate_hz)


def momentary_file(index: int, rate_hz: int) -> Pcm:
    """Tech 3341 case 13, file ``index`` of 20: a tone of exactly 400 ms at a shifted start."""
    return tone([(0.02 * index, None), (0.4, -23.0), (1.0, None)], rate_hz)


def short_term_stairs(rate_hz: int) -> Pcm:
    """Tech 3341 case 11: twenty tones of 3 s, 1 dB louder each, one in every 6 s."""
    segments: list[Segment] = []
    for i in range(20):
        segments += [(0.15 * i, None), (3.0, -38.0 + i), (3.0 - 0.15 * i, None)]
    return tone(segments, rate_hz)


def momentary_stairs(rate_hz: int) -> Pcm:
    """Tech 3341 case 14: twenty tones of 400 ms, 1 dB louder each, one in every 0.8 s."""
    segments: list[Segment] = []
    for i in range(20):
        segments += [(0.02 * i, None), (0.4, -38.0 + i), (0.4 - 0.02 * i, None)]
    return tone(segments, rate_hz)


Quantity = Literal["integrated", "short_term_max", "momentary_max", "true_peak", "range"]


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a conformance table: a signal, what a meter shall read, and how closely."""

    name: str
    what: str
    make: Callable[[int], Pcm]
    quantity: Quantity
    expected: float
    tolerance: tuple[float, float] = (-0.1, 0.1)

    def accepts(self, reading: float | None) -> bool:
        """Whether a reading lies inside the document's tolerance."""
        low, high = self.tolerance
        return reading is not None and low <= reading - self.expected <= high


def _tone_case(name: str, what: str, quantity: Quantity, expected: float, *segs: Segment) -> Case:
    return Case(name, what, partial(tone, list(segs)), quantity, expected)


SHORT_TERM_CONSTANT = Case(
    "3341-9", "S constant after 3 s", constant_short_term, "short_term_max", -23.0
)
MOMENTARY_CONSTANT = Case(
    "3341-12", "M constant after 1 s", constant_momentary, "momentary_max", -23.0
)
SHORT_TERM_STAIRS = Case(
    "3341-11", "S maxima -38 to -19 in turn", short_term_stairs, "short_term_max", -19.0
)
MOMENTARY_STAIRS = Case(
    "3341-14", "M maxima -38 to -19 in turn", momentary_stairs, "momentary_max", -19.0
)

STEADY = (
    _tone_case("3341-1", "1 kHz at -23 dBFS", "integrated", -23.0, (20.0, -23.0)),
    _tone_case("3341-2", "1 kHz at -33 dBFS", "integrated", -33.0, (20.0, -33.0)),
)
"""Cases whose momentary and short-term loudness shall read the same as integrated loudness."""

INTEGRATED = (
    *STEADY,
    _tone_case(
        "3341-3", "relative gate", "integrated", -23.0, (10.0, -36.0), (60.0, -23.0), (10.0, -36.0)
    ),
    _tone_case(
        "3341-4",
        "absolute and relative gate",
        "integrated",
        -23.0,
        (10.0, -72.0),
        (10.0, -36.0),
        (60.0, -23.0),
        (10.0, -36.0),
        (10.0, -72.0),
    ),
    _tone_case(
        "3341-5",
        "gating blocks across steps",
        "integrated",
        -23.0,
        (20.0, -26.0),
        (20.1, -20.0),
        (20.0, -26.0),
    ),
)

SURROUND = Case(
    "3341-6",
    "5.0 surround weights",
    partial(surround_tone, (-28.0, -28.0, -24.0, -30.0, -30.0), 20.0),
    "integrated",
    -23.0,
)

FILES = (
    *(
        Case(
            f"3341-10-{i + 1}",
            "3 s tone in a file",
            partial(short_term_file, i),
            "short_term_max",
            -23.0,
        )
        for i in range(20)
    ),
    *(
        Case(
            f"3341-13-{i + 1}",
            "400 ms tone in a file",
            partial(momentary_file, i),
            "momentary_max",
            -23.0,
        )
        for i in range(20)
    ),
)

_PEAK_TOLERANCE_DB = (-0.4, 0.2)


def _peak_case(number: int, what: str, expected: float, make: Callable[[int], Pcm]) -> Case:
    return Case(f"3341-{number}", what, make, "true_peak", expected, _PEAK_TOLERANCE_DB)


TRUE_PEAK = (
    _peak_case(15, "fs/4, 0 degrees", -6.0, partial(peak_sine, 4, 0.5, 0.0)),
    _peak_case(16, "fs/4, 45 degrees", -6.0, partial(peak_sine, 4, 0.5, 45.0)),
    _peak_case(17, "fs/6, 60 degrees", -6.0, partial(peak_sine, 6, 0.5, 60.0)),
    _peak_case(18, "fs/8, 67.5 degrees", -6.0, partial(peak_sine, 8, 0.5, 67.5)),
    _peak_case(19, "fs/4, 45 degrees, +3 dBTP", 3.0, partial(peak_sine, 4, 1.41, 45.0)),
    *(
        _peak_case(20 + offset, f"burst, offset {offset}", 0.0, partial(peak_burst, offset))
        for offset in range(4)
    ),
)


def _range_case(number: int, expected_lu: float, *levels_dbfs: float) -> Case:
    return Case(
        f"3342-{number}",
        " ".join(f"{level:.0f}" for level in levels_dbfs) + " dBFS, 20 s each",
        partial(tone, [(20.0, level) for level in levels_dbfs]),
        "range",
        expected_lu,
        (-1.0, 1.0),
    )


RANGE = (
    _range_case(1, 10.0, -20.0, -30.0),
    _range_case(2, 5.0, -20.0, -15.0),
    _range_case(3, 20.0, -40.0, -20.0),
    _range_case(4, 15.0, -50.0, -35.0, -20.0, -35.0, -50.0),
)
