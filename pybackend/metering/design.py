"""The one description of the analyzer's filters and clocks, for the device and for the backend.

Only the standard library is used, so that the commands that build the Max for Live device can
import it without numpy. Everything that two implementations have to agree on stands here: band
names and edges, the allpass sections of the band tree, the K-weighting coefficients, the true-peak
interpolator, and the lengths of sub-blocks, frames and loudness windows.

Sources
-------
ITU-R BS.1770-5 Annex 1 (K-weighting, tables 1 and 2) and Annex 2 (true peak); EBU Tech 3341 2.2
(momentary 400 ms, short-term 3 s). Band tree: a Butterworth low-pass and high-pass of the same odd
order are half the sum and half the difference of two allpass branches, so their powers add up to
one; see A. Favrot and C. Faller, "Complementary N-band IIR filterbank based on 2-band
complementary filters", IWAENC 2010.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

BAND_NAMES: Final = (
    "sub_low",
    "sub",
    "low",
    "low_mid",
    "mid",
    "high_mid",
    "high",
    "presence",
    "air",
)
BAND_EDGES_HZ: Final = (20.0, 60.0, 120.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 20000.0)
"""Edges of the nine bands; band ``k`` lies between edges ``k`` and ``k + 1``."""

SUB_BLOCKS_PER_S: Final = 100
SUB_BLOCKS_PER_FRAME: Final = 5
FRAMES_PER_S: Final = SUB_BLOCKS_PER_S // SUB_BLOCKS_PER_FRAME
FRAME_S: Final = 1.0 / FRAMES_PER_S
MOMENTARY_SUB_BLOCKS: Final = 40
SHORT_TERM_SUB_BLOCKS: Final = 300
GATING_STEP_SUB_BLOCKS: Final = 10

LOUDNESS_OFFSET_LU: Final = -0.691
LOUDNESS_FLOOR_LUFS: Final = -120.0
FLUX_FLOOR_POWER: Final = 1e-9
"""A band's mean square below this (-90 dB) counts as this when flux measures rises."""

FLUX_LOW_BANDS: Final = (1, 2)
"""Indices of the bands in ``flux_low``: sub and low, 60-250 Hz."""
PEAK10_LOW_BANDS: Final = (0, 1, 2)
"""Indices of the bands in ``peak10_low``: 20-250 Hz."""
PEAK10_HIGH_BANDS: Final = (6, 7, 8)
"""Indices of the bands in ``peak10_high``: 2-20 kHz."""

EXACT_RATES_HZ: Final = (44100, 48000, 88200, 96000, 176400, 192000)
MIN_RATE_HZ: Final = 8000
MAX_RATE_HZ: Final = 192000

TRUE_PEAK_PHASES: Final = 4
"""Oversampling, at every rate: at 192 kHz twice would read a burst at 48 kHz 0.5 dB low."""
TRUE_PEAK_TAPS: Final = 12
TRUE_PEAK_KAISER_BETA: Final = 5.0


class FirstOrder(NamedTuple):
    """Allpass ``(c + z^-1) / (1 + c z^-1)``."""

    c: float


class SecondOrder(NamedTuple):
    """Allpass ``(a2 + a1 z^-1 + z^-2) / (1 + a1 z^-1 + a2 z^-2)``."""

    a1: float
    a2: float


class Split(NamedTuple):
    """One split of the band tree at ``edge_hz``.

    With ``A0 = first * second`` and ``A1 = third * fourth`` the band below the edge is
    ``(A0 + A1) / 2`` and what goes on to the next split is ``(A1 - A0) / 2``.
    """

    edge_hz: float
    first: FirstOrder
    second: SecondOrder
    third: SecondOrder
    fourth: SecondOrder


class Biquad(NamedTuple):
    """``(b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2)``."""

    b0: float
    b1: float
    b2: float
    a1: float
    a2: float


BRANCH_Q: Final = (
    0.5 / math.cos(2 * math.pi / 7),
    0.5 / math.cos(math.pi / 7),
    0.5 / math.cos(3 * math.pi / 7),
)
"""Q of ``Split.second``, ``third`` and ``fourth``: the pole pairs of an order-7 Butterworth."""


def first_order(edge_hz: float, sample_rate_hz: float) -> FirstOrder:
    """Allpass section of the real pole, by the bilinear transform."""
    k = math.tan(math.pi * edge_hz / sample_rate_hz)
    return FirstOrder((k - 1.0) / (k + 1.0))


def second_order(edge_hz: float, q: float, sample_rate_hz: float) -> SecondOrder:
    """Allpass section of a pole pair of quality ``q``, by the bilinear transform."""
    k = math.tan(math.pi * edge_hz / sample_rate_hz)
    a0 = 1.0 + k / q + k * k
    return SecondOrder(2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0)


def edges_below_nyquist(sample_rate_hz: float) -> tuple[float, ...]:
    """Band edges that the sample rate can carry, in Hz."""
    return tuple(edge for edge in BAND_EDGES_HZ if edge < sample_rate_hz / 2.0)


def band_splits(sample_rate_hz: float) -> tuple[Split, ...]:
    """Splits of the band tree, from 20 Hz up, as far as the sample rate carries them.

    At 44.1 kHz and above there are ten: what falls below the first is the rest below 20 Hz, then
    the nine bands, and what passes the last is the rest above 20 kHz. At lower rates the splits at
    or above Nyquist are missing and what passes the last split belongs to no band.
    """
    second_q, third_q, fourth_q = BRANCH_Q
    return tuple(
        Split(
            edge,
            first_order(edge, sample_rate_hz),
            second_order(edge, second_q, sample_rate_hz),
            second_order(edge, third_q, sample_rate_hz),
            second_order(edge, fourth_q, sample_rate_hz),
        )
        for edge in edges_below_nyquist(sample_rate_hz)
    )


def available_bands(sample_rate_hz: float) -> int:
    """Count of bands, from sub_low up, that lie wholly below Nyquist."""
    return max(0, len(edges_below_nyquist(sample_rate_hz)) - 1)


SHELF_HZ: Final = 1681.974450955533
SHELF_GAIN_DB: Final = 3.999843853973347
SHELF_Q: Final = 0.7071752369554196
SHELF_VB_EXPONENT: Final = 0.4996667741545416
HIGH_PASS_HZ: Final = 38.13547087602444
HIGH_PASS_Q: Final = 0.5003270373238773


def k_weighting(sample_rate_hz: float) -> tuple[Biquad, Biquad]:
    """K-weighting for any sample rate: the shelf, then the high-pass.

    The analog prototypes reproduce both 48 kHz tables of BS.1770-5 Annex 1 to 1e-15.
    """
    k = math.tan(math.pi * SHELF_HZ / sample_rate_hz)
    vh = 10.0 ** (SHELF_GAIN_DB / 20.0)
    vb = vh**SHELF_VB_EXPONENT
    a0 = 1.0 + k / SHELF_Q + k * k
    shelf = Biquad(
        (vh + vb * k / SHELF_Q + k * k) / a0,
        2.0 * (k * k - vh) / a0,
        (vh - vb * k / SHELF_Q + k * k) / a0,
        2.0 * (k * k - 1.0) / a0,
        (1.0 - k / SHELF_Q + k * k) / a0,
    )
    pair = second_order(HIGH_PASS_HZ, HIGH_PASS_Q, sample_rate_hz)
    return shelf, Biquad(1.0, -2.0, 1.0, pair.a1, pair.a2)


def _bessel_i0(x: float) -> float:
    total, term, k = 1.0, 1.0, 1
    while term > 1e-17 * total:
        term *= (x / (2.0 * k)) ** 2
        total += term
        k += 1
    return total


def true_peak_bank() -> tuple[tuple[float, ...], ...]:
    """Kaiser-windowed sinc interpolator, one row of taps per phase.

    Row ``p`` reads the signal ``p / 4`` of a sample after sample ``n - 6``, where ``n`` is the
    newest of the 12 samples and tap ``k`` weighs sample ``n - k``. Row 0 is a pure delay: a true
    peak is never below the sample peak.
    """
    half = TRUE_PEAK_TAPS // 2
    norm = _bessel_i0(TRUE_PEAK_KAISER_BETA)
    rows = []
    for phase in range(TRUE_PEAK_PHASES):
        row = []
        for tap in range(TRUE_PEAK_TAPS):
            distance = tap - half + phase / TRUE_PEAK_PHASES
            window = math.sqrt(max(0.0, 1.0 - (distance / half) ** 2))
            sinc = 1.0 if distance == 0.0 else math.sin(math.pi * distance) / (math.pi * distance)
            row.append(sinc * _bessel_i0(TRUE_PEAK_KAISER_BETA * window) / norm)
        rows.append(tuple(row))
    return tuple(rows)


def sub_block_end(index: int, sample_rate_hz: int) -> int:
    """Count of samples up to the end of sub-block ``index`` (0-based).

    Exact multiples at the six standard rates, elsewhere rounded so that errors never add up.
    """
    return ((index + 1) * sample_rate_hz + SUB_BLOCKS_PER_S // 2) // SUB_BLOCKS_PER_S
