"""Critics: what measurement finds wrong with one state, for observing and diagnosing.

A finding says what, where, with which figures, how much it matters, and which goal would address
it. Nothing is read off names. Limits that are no standard say so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pybackend.capture.timeline import Positions, trace
from pybackend.judgment.features import GATE_LUFS
from pybackend.judgment.findings import SEVERITIES, Diagnosis, Finding, Heard, Severity
from pybackend.judgment.obstacles import SAFE_TRUE_PEAK_DBTP
from pybackend.judgment.polish import BASS_LIKENESS, MONO_FOLD_DB, REST_DB
from pybackend.metering.design import BAND_EDGES_HZ, BAND_NAMES, FRAME_S
from pybackend.stream.frames import Frames

if TYPE_CHECKING:
    from pybackend.judgment.masking.report import MaskingReport

FULL_SCALE: Final = 0.9995
CANCELLING_DB: Final = MONO_FOLD_DB - 0.5
"""Unrelated channels lose 3.0 dB in mono; what loses half a decibel more cancels."""
LOW_WIDTH_DB: Final = 10.0 * math.log10((1.0 - BASS_LIKENESS) / (1.0 + BASS_LIKENESS))
"""Side against mid below 120 Hz; a convention of vinyl and club systems, no standard."""
BRIGHTNESS_DB: Final = (-17.0, 2.0)
"""No standard: pink noise reads 0.4 dB, and most records lie well inside."""
PSR_LU: Final = 8.0
"""Shepherd, Grimm et al., AES e-Brief 373: below 8 LU sound is heard as squashed."""
BALANCE_DB: Final = 1.5
OUTSIDE_SHARE: Final = 10.0 ** (REST_DB / 10.0)
"""Power outside 20 Hz-20 kHz, where nothing is heard but headroom is spent."""
AUDIBLE_BAND: Final = 1e-3
"""A band 30 dB below the whole does not cancel audibly."""


def _db(part: float, whole: float) -> float:
    return 10.0 * float(np.log10(max(part, 1e-12) / max(whole, 1e-12)))


def diagnose(
    frames: Frames, positions: Positions = "song", masking: MaskingReport | None = None
) -> Diagnosis:
    """Look for problems in a window of the master's frames.

    Parameters
    ----------
    frames : Frames
        One capture.
    positions : {"song", "start"}
        As in `align`.
    masking : MaskingReport, optional
        Of the same window, where tracks were captured.

    Returns
    -------
    Diagnosis
        Without findings, and with the reason, for silence and for frames that cannot be used.
    """
    timeline = trace(frames, positions)
    usable = timeline.valid & (timeline.frames.column("lufs_m") > GATE_LUFS)
    unavailable = {}
    if masking is None or masking.clarity is None:
        unavailable["masking"] = (masking and masking.reason) or "no frames of tracks were captured"
    if not usable.any():
        why = "no frame can be used" if not timeline.valid.any() else "nothing is above -70 LUFS"
        reason = f"{why}; play the passage and capture again"
        return Diagnosis(findings=(), frames=0, unavailable={"master": reason, **unavailable})
    beats_per_bar = timeline.survey.beats_per_bar or 4.0
    heard = Heard(
        timeline.frames.select(usable),
        np.asarray(timeline.seq[usable] * FRAME_S, np.float64),
        np.floor(timeline.start_beats[usable] / beats_per_bar + 1e-6),
        positions,
    )
    findings = [found for critic in CRITICS if (found := critic(heard)) is not None]
    findings += _masked(masking) if masking is not None else []
    findings.sort(key=lambda found: SEVERITIES.index(found.severity))
    return Diagnosis(findings=tuple(findings), frames=len(heard.frames), unavailable=unavailable)


def _goal(
    targets: Mapping[str, float], protect: tuple[str, ...] = ()
) -> dict[str, dict[str, float | None]]:
    return {"targets": dict(targets), "protect": dict.fromkeys(protect)}


def _finding(what: str, severity: Severity, **fields: Any) -> Finding:
    return Finding(what=what, severity=severity, **{"where": "throughout", "unit": "dB", **fields})


def _true_peak(heard: Heard) -> Finding | None:
    peaks = heard.frames.column("true_peak").max(axis=1)
    row = int(peaks.argmax())
    level = 20.0 * float(np.log10(max(float(peaks[row]), 1e-6)))
    if level <= SAFE_TRUE_PEAK_DBTP:
        return None
    return _finding(
        "true_peak",
        "high" if level > 0.0 else "medium",
        where=heard.where(row),
        evidence=f"true peak {level:.1f} dBTP, {SAFE_TRUE_PEAK_DBTP:g} is allowed (EBU R128)",
        value=level,
        limit=SAFE_TRUE_PEAK_DBTP,
        unit="dBTP",
        engine="mix",
        goal=_goal({"headroom": 1.0}, ("dynamics",)),
    )


def _clipping(heard: Heard) -> Finding | None:
    full = heard.frames.column("sample_peak").max(axis=1) >= FULL_SCALE
    count = int(full.sum())
    if count == 0:
        return None
    share = count / len(full)
    return _finding(
        "clipping",
        "high" if share > 0.01 else "medium" if count > 2 else "low",
        where=f"first at {heard.where(int(full.argmax()))}",
        evidence=f"{count} frames of 50 ms ({share:.1%}) reach full scale",
        value=100.0 * share,
        limit=0.0,
        unit="%",
        engine="mix",
        goal=_goal({"headroom": 1.0, "psr": 1.0}),
    )


def _mono(heard: Heard) -> Finding | None:
    left, right = heard.total("mean_square")
    loss = _db((left + right + 2.0 * float(heard.total("lr_product")[0])) / 2.0, left + right)
    bands, cross = heard.total("band_power"), heard.total("band_lr")
    cancelling = [
        name
        for name, power, product in zip(BAND_NAMES, bands, cross, strict=True)
        if power > AUDIBLE_BAND * bands.sum()
        and _db((power + 2.0 * product) / 2.0, power) < CANCELLING_DB
    ]
    if loss >= CANCELLING_DB and not cancelling:
        return None
    return _finding(
        "mono",
        "high" if loss < 2.0 * CANCELLING_DB else "medium",
        where=", ".join(each.replace("_", " ") for each in cancelling) or "all bands together",
        evidence=f"the mono sum lies {loss:.1f} dB against the channels; -3 dB is unrelated",
        value=loss,
        limit=CANCELLING_DB,
        engine="translation",
        goal=_goal({"mono_level": 1.0}, ("brightness", "weight")),
    )


def _wide_low_end(heard: Heard) -> Finding | None:
    power, cross = (heard.total(name)[:2].sum() for name in ("band_power", "band_lr"))
    if power <= AUDIBLE_BAND * heard.total("band_power").sum():
        return None
    width = _db(power - 2.0 * cross, power + 2.0 * cross)
    if width <= LOW_WIDTH_DB:
        return None
    return _finding(
        "wide_low_end",
        "high" if width > 3.0 else "low",
        where=f"below {BAND_EDGES_HZ[2]:g} Hz",
        evidence=f"side against mid {width:.1f} dB; at most {LOW_WIDTH_DB:.1f} is the convention",
        value=width,
        limit=LOW_WIDTH_DB,
        engine="translation",
        goal=_goal({"mono_low_end": 1.0}, ("weight",)),
    )


def _tone(heard: Heard) -> Finding | None:
    bands = heard.total("band_power")
    mid = bands[3:6].sum()
    if mid <= AUDIBLE_BAND * bands.sum():
        return None
    level = _db(bands[6:].sum(), mid)
    low, high = BRIGHTNESS_DB
    if low <= level <= high:
        return None
    harsh = level > high
    limit = high if harsh else low
    return _finding(
        "harsh" if harsh else "dull",
        "medium" if abs(level - limit) > 3.0 else "low",
        where="above 2 kHz",
        evidence=f"{level:.1f} dB against 250 Hz-2 kHz; {low:g} to {high:g} is usual, no standard",
        value=level,
        limit=limit,
        engine="sonic",
        goal=_goal({"brightness": -1.0 if harsh else 1.0}, ("weight",)),
    )


def _squashed(heard: Heard) -> Finding | None:
    window = round(3.0 / FRAME_S)
    if len(heard.frames) < 2 * window:
        return None
    peaks = np.maximum(heard.frames.column("true_peak").max(axis=1), 1e-6)
    largest = np.lib.stride_tricks.sliding_window_view(peaks, window).max(axis=1)
    psr = 20.0 * np.log10(largest) - heard.frames.column("lufs_s")[window - 1 :]
    middle = float(np.median(psr))
    if middle >= PSR_LU:
        return None
    return _finding(
        "squashed",
        "high" if middle < PSR_LU - 3.0 else "medium",
        evidence=f"true peak {middle:.1f} LU above short-term loudness in the middle; 8 is safe",
        value=middle,
        limit=PSR_LU,
        unit="LU",
        engine="sonic",
        goal=_goal({"psr": 1.0}, ("weight",)),
    )


def _balance(heard: Heard) -> Finding | None:
    left, right = heard.total("mean_square")
    level = _db(right, left)
    if abs(level) <= BALANCE_DB:
        return None
    side = "right" if level > 0.0 else "left"
    return _finding(
        "imbalance",
        "high" if abs(level) > 6.0 else "medium",
        where=side,
        evidence=f"the {side} is {abs(level):.1f} dB louder; over {BALANCE_DB:g} is off centre",
        value=level,
        limit=BALANCE_DB,
        engine="sonic",
        goal=_goal({"balance": -1.0 if level > 0.0 else 1.0}, ("width",)),
    )


def _outside(heard: Heard) -> Finding | None:
    """The band tree's powers add up to the whole, so what is missing lies outside of it."""
    if np.isnan(heard.frames.column("band_power")).any():
        return None
    whole = float(heard.total("mean_square").sum())
    share = 1.0 - float(heard.total("band_power").sum()) / whole
    if share <= OUTSIDE_SHARE:
        return None
    return _finding(
        "subsonic",
        "high" if share > 0.2 else "medium" if share > 0.02 else "low",
        where="below 20 Hz, a constant offset, or above 20 kHz: the bands do not say which",
        evidence=f"{share:.1%} of the power lies outside 20 Hz-20 kHz",
        value=100.0 * share,
        limit=100.0 * OUTSIDE_SHARE,
        unit="%",
        engine="mix",
        goal=_goal({"headroom": 1.0}, ("weight", "brightness")),
    )


CRITICS: Final[tuple[Callable[[Heard], Finding | None], ...]] = (
    _true_peak,
    _clipping,
    _mono,
    _wide_low_end,
    _tone,
    _squashed,
    _balance,
    _outside,
)


def _masked(masking: MaskingReport) -> list[Finding]:
    return [
        _finding(
            "masking",
            "high" if pair.loss > 0.8 else "medium",
            where=f"{pair.maskee} under {pair.masker}"
            + (
                f", {', '.join(each.replace('_', ' ') for each in pair.bands)}"
                if pair.bands
                else ""
            ),
            evidence=f"{pair.masker} alone takes {pair.loss:.0%} of what {pair.maskee} adds",
            value=100.0 * pair.loss,
            limit=50.0,
            unit="%",
            engine="mix",
            goal=_goal({"clarity": 1.0}),
        )
        for pair in masking.pairs
    ]
