"""What the device computes once per sample rate: `pybackend.metering.design`, as GenExpr."""

from __future__ import annotations

from typing import Final

from pybackend.metering import design

HIGHEST_EDGE: Final = 0.49
"""Highest edge in units of the sample rate; splits above it carry no band, but must be stable."""


def number(value: float) -> str:
    """A literal, with as many digits as gen~ keeps."""
    return f"{value:.14g}" if value != int(value) or abs(value) > 1e9 else f"{value:.1f}"


def tangents() -> dict[str, str]:
    """Prewarped frequencies ``tan(pi f / rate)``, which only the coefficients need."""
    found = {
        f"k{split}": f"tan(pi * min({number(edge)} / samplerate, {HIGHEST_EDGE}))"
        for split, edge in enumerate(design.BAND_EDGES_HZ)
    }
    found["ks"] = f"tan(pi * {number(design.SHELF_HZ)} / samplerate)"
    found["kh"] = f"tan(pi * {number(design.HIGH_PASS_HZ)} / samplerate)"
    return found


def coefficients() -> dict[str, str]:
    """Values that live until the sample rate changes."""
    found = {
        "sample_minutes": "1.0 / (60.0 * samplerate)",
    }
    for split in range(len(design.BAND_EDGES_HZ)):
        found[f"c{split}"] = f"(k{split} - 1.0) / (k{split} + 1.0)"
        for section, q in zip("pqr", design.BRANCH_Q, strict=True):
            found |= _second_order(f"{section}{split}", f"k{split}", q)
    return found | _shelf() | _second_order("h", "kh", design.HIGH_PASS_Q)


def _second_order(name: str, k: str, q: float) -> dict[str, str]:
    """`design.second_order`, as text."""
    slope, square = f"{k} * {number(1.0 / q)}", f"{k} * {k}"
    return {
        f"{name}a": f"2.0 * ({square} - 1.0) / (1.0 + {slope} + {square})",
        f"{name}b": f"(1.0 - {slope} + {square}) / (1.0 + {slope} + {square})",
    }


def _shelf() -> dict[str, str]:
    """Shelf of `design.k_weighting`, as text."""
    vh = 10.0 ** (design.SHELF_GAIN_DB / 20.0)
    high, slope = number(vh), f"ks * {number(vh**design.SHELF_VB_EXPONENT / design.SHELF_Q)}"
    denominator = f"(1.0 + ks * {number(1.0 / design.SHELF_Q)} + ks * ks)"
    return {
        "g0": f"({high} + {slope} + ks * ks) / {denominator}",
        "g1": f"2.0 * (ks * ks - {high}) / {denominator}",
        "g2": f"({high} - {slope} + ks * ks) / {denominator}",
        **_second_order("g", "ks", design.SHELF_Q),
    }
