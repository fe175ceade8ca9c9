"""Captures laid over one another at the same song positions, or the reasons why they cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.capture import quality
from pybackend.capture.aligned import AlignedCaptures, Incomparable, Reason
from pybackend.capture.bars import COVERED_BAR, has_bars, loop_cycle, whole_bars
from pybackend.capture.grid import Grid, Ruler, lay, share_bars
from pybackend.capture.lag import MAX_LAG_S, Unclear, find_lags
from pybackend.capture.timeline import Positions, Timeline, trace
from pybackend.errors import InputError
from pybackend.metering.units import lufs
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import column

Array = npt.NDArray[np.float64]

MAX_CAPTURES: Final = 8
SAME_TEMPO: Final = 1e-3


def align(
    before: Sequence[Frames],
    after: Sequence[Frames],
    *,
    min_bars: int = quality.MIN_BARS,
    loop_beats: float | None = None,
    positions: Positions = "song",
    max_lag_s: float = MAX_LAG_S,
) -> AlignedCaptures | Incomparable:
    """Lay captures before and after a move over one another.

    Parameters
    ----------
    before, after : sequence of Frames
        One to eight captures per side; several are repeats of the same passage.
    min_bars : int
        Whole bars that all captures have to share.
    loop_beats : float, optional
        In Session View: least common multiple of the sounding clips' loop lengths, in quarter
        notes; positions are then taken modulo whole loops.
    positions : {"song", "start"}
        Pair by song position, or count from each capture's first frame (files without positions).
    max_lag_s : float
        Largest lag between the sounds that is looked for.

    Returns
    -------
    AlignedCaptures or Incomparable
        With every reason found, not only the first.

    Raises
    ------
    InputError
        If there are no captures or too many on a side, no bars are asked for, or the loop never
        fills whole bars.

    Notes
    -----
    A bar that is played several times in one capture (a loop) counts once, with the latest playing
    that is complete; `windows.split_passes` makes repeats of the others. Frames whose step in song
    position contradicts the tempo, and frames with a signature other than the capture's most
    frequent one, are left out. Tempo may change: positions rule. Rows that a capture lacks are NaN
    and not valid: nothing is interpolated over a lost frame.
    """
    _check(before, after, min_bars)
    timelines = [trace(frames, positions) for frames in (*before, *after)]
    labels = quality.side_labels(len(before), len(after))
    played = [whole_bars(timeline) for timeline in timelines]
    reasons = _rate_problems(timelines)
    for timeline, label, bars in zip(timelines, labels, played, strict=True):
        reasons += quality.capture_problems(
            timeline.survey, label, bars=bars, min_bars=min_bars, positions=positions
        )
    mismatch = _bar_problems(timelines, labels)
    if mismatch or not all(has_bars(timeline.survey) for timeline in timelines):
        return Incomparable((*reasons, *mismatch))
    ruler = _ruler(timelines, loop_beats, min(played))
    lags = np.zeros(len(timelines))
    shared = share_bars(timelines, ruler, lags)
    if len(shared[0].place) >= min_bars:
        found = find_lags(timelines, shared, max_lag_s)
        if isinstance(found, Unclear):
            reasons.append(_lag_unclear(found, labels, max_lag_s))
        elif found.any():
            lags = found
            shared = share_bars(timelines, ruler, lags)
    count = len(shared[0].place)
    grid = lay(timelines, shared, ruler, lags)
    if count >= min_bars:
        reasons += _silent_rows(timelines, labels, grid)
    elif min(played) >= min_bars and count > 0:
        reasons.append(quality.too_few_bars("In common", count, min_bars))
    elif min(played) >= min_bars or (loop_beats is None and _disjoint(timelines)):
        reasons.append(Reason("no_overlap", _positions_text(timelines, labels)))
    if reasons:
        return Incomparable(tuple(reasons))
    lag_s = tuple(float(lag) for lag in lags - lags[0])
    return AlignedCaptures(
        values=grid.values,
        valid=grid.valid,
        bar=grid.bar,
        n_before=len(before),
        beats_per_bar=ruler.beats_per_bar,
        tempo_bpm=ruler.tempo_bpm,
        start_beats=float(grid.bars[0] * ruler.beats_per_bar),
        end_beats=float((grid.bars[-1] + 1) * ruler.beats_per_bar),
        positions=positions,
        lag_s=lag_s,
        loss=tuple(timeline.survey.loss for timeline in timelines),
        notes=tuple(_notes(timelines, labels, grid, ruler, lag_s)),
    )


def _check(before: Sequence[Frames], after: Sequence[Frames], min_bars: int) -> None:
    for side, captures in (("before", before), ("after", after)):
        if not 1 <= len(captures) <= MAX_CAPTURES:
            raise InputError(
                f"{len(captures)} captures {side} the move; give 1 to {MAX_CAPTURES} per side"
            )
    if min_bars < 1:
        raise InputError(f"{min_bars} bars cannot be compared; ask for at least 1")


def _ruler(timelines: Sequence[Timeline], loop_beats: float | None, shortest: int) -> Ruler:
    beats_per_bar = timelines[0].survey.beats_per_bar
    tempo_bpm = float(np.median([timeline.survey.tempo_bpm for timeline in timelines]))
    cycle = None if loop_beats is None else loop_cycle(loop_beats, beats_per_bar, shortest)
    return Ruler(beats_per_bar, tempo_bpm, cycle)


def _rate_problems(timelines: Sequence[Timeline]) -> list[Reason]:
    """One sample rate within each capture, but not the same in all."""
    rates = {timeline.survey.sample_rates_hz for timeline in timelines}
    single = {each[0] for each in rates if len(each) == 1}
    if len(single) > 1:
        return [quality.sample_rate_changed("Between the captures", sorted(single))]
    return []


def _bar_problems(timelines: Sequence[Timeline], labels: Sequence[str]) -> list[Reason]:
    """Captures that cannot be divided into the same bars at all."""
    found = [
        Reason(
            "no_overlap",
            f"{label}: the frames tell no usable tempo and bar length "
            f"({timeline.survey.tempo_bpm:g} BPM, {timeline.survey.beats_per_bar:g} quarter notes "
            "per bar); start the transport and capture again.",
        )
        for timeline, label in zip(timelines, labels, strict=True)
        if timeline.survey.stopped < timeline.survey.frames and not has_bars(timeline.survey)
    ]
    lengths = {t.survey.beats_per_bar for t in timelines if has_bars(t.survey)}
    if len(lengths) > 1:
        each = " and ".join(f"{length:g}" for length in sorted(lengths))
        found.append(
            Reason(
                "no_overlap",
                f"The captures have bars of {each} quarter notes; capture the same passage in the "
                "same signature.",
            )
        )
    return found


def _silent_rows(timelines: Sequence[Timeline], labels: Sequence[str], grid: Grid) -> list[Reason]:
    """Captures that sound elsewhere but not in the shared bars."""
    k_power = np.where(grid.valid, grid.values[:, :, column("k_power")], 0.0)
    loudest = lufs(k_power.max(axis=1))
    return [
        quality.silence(label, float(level))
        for timeline, label, level in zip(timelines, labels, loudest, strict=True)
        if level <= quality.SILENCE_LUFS < timeline.survey.loudest_lufs
    ]


def _disjoint(timelines: Sequence[Timeline]) -> bool:
    spans = [_span(timeline) for timeline in timelines if timeline.valid.any()]
    return len(spans) == len(timelines) and max(start for start, _ in spans) >= min(
        end for _, end in spans
    )


def _span(timeline: Timeline) -> tuple[float, float]:
    start, end = timeline.start_beats[timeline.valid], timeline.end_beats[timeline.valid]
    return float(start.min()), float(end.max())


def _positions_text(timelines: Sequence[Timeline], labels: Sequence[str]) -> str:
    spans = []
    for timeline, label in zip(timelines, labels, strict=True):
        start, end = _span(timeline)
        spans.append(f"{label.lower()} beats {start:.1f} to {end:.1f}")
    return (
        f"The captures have no bar in common ({'; '.join(spans)}); play the same passage before "
        "and after, or give the loop length in Session View."
    )


def _lag_unclear(unclear: Unclear, labels: Sequence[str], max_lag_s: float) -> Reason:
    pair = f"{labels[unclear.first].lower()} and {labels[unclear.second].lower()}"
    why = (
        "the rhythm fits at several lags"
        if unclear.lag.state == "ambiguous"
        else f"their envelopes hardly resemble each other ({unclear.lag.likeness:.2f} of 1)"
    )
    return Reason(
        "lag_unclear",
        f"The timing of {pair} could not be checked: {why}, and a shift of {max_lag_s:g} s would "
        f"change levels by {unclear.effect_db:.1f} dB; capture a longer passage, or change less "
        "at once.",
    )


def _notes(
    timelines: Sequence[Timeline],
    labels: Sequence[str],
    grid: Grid,
    ruler: Ruler,
    lag_s: Sequence[float],
) -> list[str]:
    notes = []
    for timeline, label, lag in zip(timelines, labels, lag_s, strict=True):
        survey = timeline.survey
        if survey.missing:
            notes.append(f"{label}: {survey.missing} frames ({survey.loss:.1%}) are missing.")
        if survey.non_finite:
            notes.append(f"{label}: {survey.non_finite} frames that are no numbers left out.")
        if lag:
            notes.append(f"{label}: {1e3 * lag:+.0f} ms against the first capture, corrected.")
        if abs(survey.tempo_bpm / ruler.tempo_bpm - 1.0) > SAME_TEMPO:
            notes.append(
                f"{label}: tempo {survey.tempo_bpm:g} BPM, not {ruler.tempo_bpm:g}; paired by song "
                "position."
            )
    if grid.bars[-1] - grid.bars[0] + 1 > len(grid.bars):
        notes.append(
            f"{len(grid.bars)} of {grid.bars[-1] - grid.bars[0] + 1} bars are in all captures "
            f"(at least {COVERED_BAR:.0%} of each); the others were left out."
        )
    return notes
