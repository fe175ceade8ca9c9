"""How much later one capture's sound is than another's, at the same song positions.

A move that adds latency (a linear-phase equaliser, oversampling without compensation) shifts the
sound against the song. Every band's envelope is compared with itself in the other capture, so an
equaliser, however strong, shifts nothing: a broadband envelope would follow whatever it favours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from pybackend.capture.bars import Bars
from pybackend.capture.timeline import Timeline
from pybackend.metering.design import FLUX_FLOOR_POWER, FRAME_S
from pybackend.stream.protocol import FRAME_COLUMNS, column

Array = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

MAX_LAG_S: Final = 0.3
CLEAR_LAG_S: Final = 0.015
"""Lags below this are not corrected: unchanged music reads up to 0.011 s."""
COARSE_LAG_S: Final = 0.035
"""The same for sound that shows its time less exactly than frames are long (see `Lag.clear_s`)."""
ALIKE: Final = 0.2
"""Likeness below which two captures do not show a common envelope."""
ALIKE_LATE: Final = 0.35
"""Likeness that a lag of more than a frame needs to be believed: real lags reach 0.38 in dense
music and 0.6 elsewhere, sounds that have nothing in common 0.24 in 95 % of cases."""
LEAD: Final = 0.15
"""How much more alike a shift must be than its rival to be believed: real lags lead by 0.27."""
LOCKED: Final = 0.95
"""Concentration of the onsets at one point of the frame above which frames cannot tell when."""
FLAT: Final = 0.2
"""Height of a peak over its neighbours below which the envelope is slower than frames."""
HARMLESS_DB: Final = 0.1
"""A shift that changes no level by more than this needs no correction."""
STEADY_DB: Final = 0.1
"""A band whose level moves less from frame to frame shows no time."""

_BANDS: Final = np.arange(FRAME_COLUMNS["band_power"].start, FRAME_COLUMNS["band_power"].stop)
_GROUPS: Final = (slice(0, 2), slice(2, 6), slice(6, 9))


@dataclass(frozen=True, slots=True)
class Lag:
    """Lag of one capture's sound against another's.

    Parameters
    ----------
    lag_s : float
        Seconds that the second is later; 0 unless ``state`` is "found".
    likeness : float
        Correlation of the envelopes at that lag, with both points of a divided peak.
    state : {"found", "steady", "unlike", "ambiguous"}
        Whether the envelopes show it: a steady sound has no envelope, sounds that are unlike show
        nothing in common, and a regular pulse fits at several lags.
    clear_s : float
        Smallest lag that is believed. An onset's time is known to a frame only; onsets all over the
        frame average that out, but notes at a tempo that fits the frame clock (quarters at 120 BPM)
        all fall at one point of it.
    """

    lag_s: float
    likeness: float
    state: Literal["found", "steady", "unlike", "ambiguous"]
    clear_s: float = CLEAR_LAG_S


@dataclass(frozen=True, slots=True)
class Unclear:
    """Two captures whose lag is not clear although it would matter.

    Parameters
    ----------
    first, second : int
        The captures.
    lag : Lag
        What their envelopes showed.
    effect_db : float
        How much a shift by the largest lag changes levels.
    """

    first: int
    second: int
    lag: Lag
    effect_db: float


@dataclass(frozen=True, slots=True, eq=False)
class Envelope:
    """What one capture's timing is told by.

    Parameters
    ----------
    timeline : Timeline
        The capture.
    bars : Bars
        Its share of the bars that all captures have.
    used : ndarray of int64, shape (n,)
        Frames in those bars.
    bar : ndarray of int64, shape (n,)
        Index of the bar of each.
    rises : ndarray of float64, shape (frames, bands)
        Rise of each band's level from frame to frame; 0 outside the bars.
    lock : float
        How much the onsets keep to one point of the frame, 0..1, if they are on sixteenths.
    """

    timeline: Timeline
    bars: Bars
    used: Ints
    bar: Ints
    rises: Array
    lock: float


def envelope(timeline: Timeline, bars: Bars) -> Envelope:
    """Envelope of a capture over its bars, in every band that its sample rate carries."""
    from pybackend.capture.kernels import rises  # noqa: PLC0415

    lengths = bars.last - bars.first + 1
    bar = np.repeat(np.arange(len(lengths)), lengths)
    used = np.arange(len(bar)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + bars.first[bar]
    # A frame that reaches into two bars is listed with the first.
    fresh = np.diff(used, prepend=-1) != 0
    used, bar = used[fresh], bar[fresh]
    inside = np.zeros(len(timeline.valid), np.bool_)
    inside[used] = True
    follows = inside & timeline.valid
    follows[1:] &= timeline.valid[:-1] & (np.diff(timeline.seq) == 1)
    follows[:1] = False
    values = timeline.frames.values
    carried = _BANDS[np.isfinite(values[timeline.valid][:1, _BANDS]).all(axis=0)]
    out = np.empty((len(values), len(carried)))
    onset = np.empty(len(values))
    rises(values, follows, carried, FLUX_FLOOR_POWER, out, onset)
    return Envelope(timeline, bars, used, bar, out, _lock(timeline, onset))


def _lock(timeline: Timeline, onset: Array) -> float:
    """Length of the mean of unit vectors, one per onset, turned by its place within the frame."""
    rising = np.flatnonzero(onset)
    if len(rising) == 0:
        return 0.0
    start, end, weight = timeline.start_beats[rising], timeline.end_beats[rising], onset[rising]
    sixteenth = np.round(2.0 * (start + end)) / 4.0
    turns = 2.0 * np.pi * (sixteenth - start) / (end - start)
    return math.hypot(weight @ np.cos(turns), weight @ np.sin(turns)) / float(weight.sum())


def pair_lag(first: Envelope, second: Envelope, max_lag_s: float) -> Lag:
    """Lag of the second capture's sound against the first's.

    Notes
    -----
    Frames as they are, not rows of a grid, are compared: both clocks tick every 50 ms, so the
    offset between them is constant, and whole frames carry more of an onset's time than rows that
    are already mixed from two. An onset falls into one of two neighbouring frames, so between
    frames the lag is the centre of the two highest points over the third. Among peaks about as
    high (within `LEAD`) the one next to zero is taken: a pulse of sixteenths fits at every one.
    """
    from pybackend.capture.kernels import likeness  # noqa: PLC0415

    seq, offset = _paired(first, second)
    reach = math.ceil(max_lag_s / FRAME_S) + 1
    bands = min(first.rises.shape[1], second.rises.shape[1])
    curve = np.empty(2 * reach + 1)
    quiet = STEADY_DB * math.log(10.0) / 10.0
    likeness(
        first.rises[:, :bands],
        second.rises[:, :bands],
        first.used,
        seq,
        second.timeline.seq,
        reach,
        quiet,
        curve,
    )
    if not curve.any():
        return Lag(0.0, 0.0, "steady")
    best = _peak(curve)
    if isinstance(best, Lag):
        return best
    left, top, right = curve[best - 1 : best + 2]
    height = float(top - min(left, right))
    between = (right - left) / (height + abs(right - left)) if height > 0.0 else 0.0
    coarse = max(first.lock, second.lock) > LOCKED or height < FLAT
    return Lag(
        float((best - reach + between + offset) * FRAME_S),
        float(top),
        "found",
        COARSE_LAG_S if coarse else CLEAR_LAG_S,
    )


def _paired(first: Envelope, second: Envelope) -> tuple[Ints, float]:
    """Frame counter of the second capture at the first's frames, and how much later those are.

    The offset, in frames, is the same everywhere, but at each bar it may be counted from the frame
    before or the frame after: the count is the one closest to the mean of them all.
    """
    one, two = first.timeline, second.timeline
    lead_one, lead_two = first.bars.first, second.bars.first
    frame_beats = one.end_beats[lead_one] - one.start_beats[lead_one]
    apart = (
        (two.end_beats[lead_two] - second.bars.number * _bar_beats(second))
        - (one.end_beats[lead_one] - first.bars.number * _bar_beats(first))
    ) / frame_beats
    mean = float(np.angle(np.exp(2j * np.pi * apart).sum())) / (2.0 * np.pi)
    whole = np.round(apart - mean).astype(np.int64)
    ahead = two.seq[lead_two] - whole - one.seq[lead_one]
    return one.seq[first.used] + ahead[first.bar], float((apart - whole).mean())


def _bar_beats(envelope: Envelope) -> float:
    return envelope.timeline.survey.beats_per_bar


def _peak(curve: Array) -> int | Lag:
    """Index of the peak that shows the lag, or why none does."""
    reach = len(curve) // 2
    sides = np.maximum(curve[:-2], curve[2:])
    # Onsets between two frames divide a peak between two points: both count.
    alike = np.full(len(curve), -1.0)
    alike[1:-1] = curve[1:-1] + np.maximum(sides, 0.0)
    peaks = np.flatnonzero(curve[1:-1] >= sides) + 1
    if len(peaks) == 0 or alike[peaks].max() < ALIKE:
        return Lag(0.0, float(alike.max()), "unlike")
    best = peaks[np.argmax(alike[peaks])]
    near = peaks[np.abs(peaks - reach) <= 1]
    if len(near) and alike[near].max() > alike[best] - LEAD:
        return int(near[np.argmax(alike[near])])
    if np.any((np.abs(peaks - best) > 1) & (alike[peaks] > alike[best] - LEAD)):
        return Lag(0.0, float(alike[best]), "ambiguous")
    if alike[best] < ALIKE_LATE:
        return Lag(0.0, float(alike[best]), "unlike")
    return int(best)


def find_lags(
    timelines: Sequence[Timeline], shared: Sequence[Bars], max_lag_s: float = MAX_LAG_S
) -> Array | Unclear:
    """Lag of each capture, the smallest being 0; all zero if no lag is clear.

    Parameters
    ----------
    timelines : sequence of Timeline
        The captures.
    shared : sequence of Bars
        The bars that all of them have, at their uncorrected positions.
    max_lag_s : float
        Largest lag to look for.

    Returns
    -------
    ndarray of float64, shape (captures,), or Unclear
        Least-squares fit to the lags of all pairs, so that no capture is the reference and the
        order in which they are given changes nothing.
    """
    envelopes = [envelope(*each) for each in zip(timelines, shared, strict=True)]
    count = len(envelopes)
    clear_s = CLEAR_LAG_S
    pairs = np.zeros((count, count))
    for i in range(count):
        for j in range(i + 1, count):
            lag = pair_lag(envelopes[i], envelopes[j], max_lag_s)
            if lag.state in ("unlike", "ambiguous"):
                effect_db = max(shift_effect_db(envelopes[k], max_lag_s) for k in (i, j))
                if effect_db > HARMLESS_DB:
                    return Unclear(i, j, lag, effect_db)
            pairs[i, j], pairs[j, i] = lag.lag_s, -lag.lag_s
            clear_s = max(clear_s, lag.clear_s)
    return snapped(pairs.mean(axis=0), clear_s)


def snapped(lags: Array, clear_s: float) -> Array:
    """Lags with those closer together than ``clear_s`` replaced by their mean, from 0 up."""
    order = np.argsort(lags)
    group = np.concatenate([[0], np.cumsum(np.diff(lags[order]) >= clear_s)])
    means = np.bincount(group, lags[order]) / np.bincount(group)
    out = np.empty_like(lags)
    out[order] = means[group]
    return np.asarray(out - out.min())


def shift_effect_db(heard: Envelope, shift_s: float) -> float:
    """Most that a shift of the window changes a level of this capture, in dB.

    The window without its last frames is compared with the window without its first ones: below
    120 Hz, between 120 Hz and 2 kHz, above 2 kHz, and K-weighted.
    """
    count = math.ceil(shift_s / FRAME_S)
    used = heard.used[heard.timeline.valid[heard.used]]
    if len(used) <= 2 * count:
        return math.inf
    values = heard.timeline.frames.values[used]
    bands = np.nan_to_num(values[:, _BANDS])
    powers = [bands[:, group].sum(axis=1) for group in _GROUPS] + [values[:, column("k_power")]]
    effect = 0.0
    for power in powers:
        early, late = power[:-count].mean(), power[count:].mean()
        if min(early, late) > FLUX_FLOOR_POWER:
            effect = max(effect, abs(10.0 * math.log10(late / early)))
    return effect
