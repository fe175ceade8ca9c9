"""What makes a capture unfit to be compared, in words that say what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pybackend.capture.aligned import Reason
from pybackend.capture.timeline import Positions, Survey
from pybackend.config import STALE_AFTER_S

MAX_LOSS: Final = 0.05
MAX_NON_FINITE: Final = 0.05
MIN_BARS: Final = 4
SILENCE_LUFS: Final = -70.0


def side_labels(n_before: int, n_after: int) -> list[str]:
    """Names of the captures for people: "Before", or "After, capture 2" if there are several."""
    return [
        side if count == 1 else f"{side}, capture {number}"
        for side, count in (("Before", n_before), ("After", n_after))
        for number in range(1, count + 1)
    ]


def no_frames(label: str) -> Reason:
    """A capture without a single whole frame."""
    return Reason(
        "no_frames",
        f"{label}: no frames arrived; check that the MoveJudge device is on the master track, "
        "switched on, and sends to this computer's port, then capture again.",
    )


def silence(label: str, loudest_lufs: float) -> Reason:
    """A capture in which nothing rises above `SILENCE_LUFS`."""
    return Reason(
        "silence",
        f"{label}: silent, the loudest moment is {loudest_lufs:.0f} LUFS and has to be above "
        f"{SILENCE_LUFS:.0f}; play a passage with sound on the master.",
    )


def too_few_bars(label: str, bars: int, min_bars: int) -> Reason:
    """Fewer whole bars than a verdict needs."""
    return Reason(
        "too_few_bars",
        f"{label}: {bars} whole bar{'' if bars == 1 else 's'}, at least {min_bars} are needed; "
        "capture a longer passage without stopping.",
    )


def stale(label: str, age_s: float) -> Reason:
    """The newest frame is too old, or the stream stood still in between."""
    return Reason(
        "stale",
        f"{label}: no frame for {age_s:.1f} s, at most {STALE_AFTER_S:.0f} s are allowed; check "
        "that the device and the audio engine are on, then capture again.",
    )


def capture_problems(
    survey: Survey,
    label: str,
    *,
    bars: int,
    min_bars: int = MIN_BARS,
    positions: Positions = "song",
) -> list[Reason]:
    """Every reason why one capture cannot be compared.

    Parameters
    ----------
    survey : Survey
        What its frames told.
    label : str
        How to call the capture.
    bars : int
        Whole bars that it holds.
    min_bars : int
        Whole bars that are needed.
    positions : {"song", "start"}
        Whether the transport matters.
    """
    if survey.frames == 0:
        found = [no_frames(label)]
        if survey.non_finite:
            found.append(_non_finite(label, survey))
        return found
    found = _device_problems(survey, label)
    if survey.loss > MAX_LOSS:
        found.append(
            Reason(
                "loss",
                f"{label}: {survey.loss:.1%} of the frames are missing ({survey.missing} of "
                f"{survey.frames + survey.missing}), at most {MAX_LOSS:.0%} may be; close programs "
                "that load the computer and capture again.",
            )
        )
    if survey.gap_s > STALE_AFTER_S:
        found.append(stale(label, survey.gap_s))
    if survey.non_finite > MAX_NON_FINITE * (survey.frames + survey.missing):
        found.append(_non_finite(label, survey))
    if positions == "song":
        found += _transport_problems(survey, label, bars, min_bars)
    if survey.loudest_lufs <= SILENCE_LUFS:
        found.append(silence(label, survey.loudest_lufs))
    if bars < min_bars:
        found.append(too_few_bars(label, bars, min_bars))
    return found


def _non_finite(label: str, survey: Survey) -> Reason:
    return Reason(
        "non_finite",
        f"{label}: {survey.non_finite} frames hold values that are no numbers (NaN or infinite); "
        "find the plug-in or file that produces them and capture again.",
    )


def _device_problems(survey: Survey, label: str) -> list[Reason]:
    found = []
    if survey.interleaved:
        found.append(
            Reason(
                "two_masters",
                f"{label}: {len(survey.instances)} analyzers sent at the same time; keep one "
                "MoveJudge device on the master track and capture again.",
            )
        )
    elif len(survey.instances) > 1:
        found.append(
            Reason(
                "device_changed",
                f"{label}: the device was loaded again during the capture "
                f"({len(survey.instances)} instances); capture again.",
            )
        )
    if len(survey.sample_rates_hz) > 1:
        found.append(sample_rate_changed(label, survey.sample_rates_hz))
    return found


def sample_rate_changed(label: str, rates_hz: Sequence[float]) -> Reason:
    """Several sample rates where there has to be one."""
    rates = ", ".join(f"{rate:g}" for rate in sorted(rates_hz))
    return Reason(
        "sample_rate_changed",
        f"{label}: the sample rate changed ({rates} Hz); set one rate and capture again.",
    )


def device_changed(before_version: str, after_version: str) -> Reason:
    """Two versions of the device."""
    return Reason(
        "device_changed",
        f"The device was version {before_version} before and {after_version} after; use one "
        "version and capture both again.",
    )


def _transport_problems(survey: Survey, label: str, bars: int, min_bars: int) -> list[Reason]:
    if survey.stopped == survey.frames or (survey.stopped and bars < min_bars):
        return [
            Reason(
                "transport_stopped",
                f"{label}: the transport was stopped in {survey.stopped} of {survey.frames} "
                "frames; press play and let the passage run through.",
            )
        ]
    return []
