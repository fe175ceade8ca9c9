"""One capture put in order: which song position each frame covers, and what is wrong with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from pybackend.metering.design import BAND_NAMES, FRAME_S, available_bands
from pybackend.metering.units import lufs
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import (
    FLAG_RUNNING,
    FRAME_COLUMNS,
    FRAME_WIDTH,
    SEQ_MODULUS,
    column,
)

Array = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Positions = Literal["song", "start"]

STEP_TOLERANCE: Final = 0.5
"""Largest difference between a step in beats and what the tempo says, in frames."""
PLAIN_TEMPO_BPM: Final = 120.0
PLAIN_BEATS_PER_BAR: Final = 4.0
"""Bars of 2 s, for captures that are counted from their starts and have no tempo."""

_SEQ, _SEQ_CHECK = column("seq"), column("seq_check")
_INSTANCE, _FLAGS, _RATE = column("instance"), column("flags"), column("sample_rate")
_BEATS, _TEMPO, _SIGNATURE = column("song_beats"), column("tempo"), column("beats_per_bar")
_K_POWER = column("k_power")
_MAX_CONTROL = 1e9
_CONTROL = [*range(FRAME_COLUMNS["band_power"].start), _SEQ_CHECK]


@dataclass(frozen=True, slots=True)
class Survey:
    """What one capture is like, as far as its frames can tell.

    Parameters
    ----------
    frames : int
        Frames that arrived whole, each counted once.
    missing : int
        Frames that the counter says were sent and did not arrive whole.
    non_finite, stopped, jumps : int
        Frames with a needed number that is not finite; frames with the transport stopped; frames
        whose step in song position contradicts the tempo.
    instances : tuple of int
        Every instance of the analyzer in the capture.
    interleaved : bool
        Whether frames of several instances alternate, as from two analyzers at once.
    sample_rates_hz : tuple of float
        Every sample rate in the capture.
    gap_s : float
        Longest time without a frame, in seconds of the receiver's clock.
    loudest_lufs : float
        Loudest single frame, K-weighted; NaN without a usable frame.
    tempo_bpm, beats_per_bar : float
        The most frequent tempo and bar length (quarter notes); 0 if unknown.
    """

    frames: int
    missing: int
    non_finite: int
    stopped: int
    jumps: int
    instances: tuple[int, ...]
    interleaved: bool
    sample_rates_hz: tuple[float, ...]
    gap_s: float
    loudest_lufs: float
    tempo_bpm: float
    beats_per_bar: float

    @property
    def loss(self) -> float:
        """Share of frames missing, 0..1."""
        sent = self.frames + self.missing
        return self.missing / sent if sent else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Frames of one capture in the order they were metered, each with the position it covers.

    Parameters
    ----------
    frames : Frames
        The frames, no torn ones and no repeats.
    seq : ndarray of int64, shape (n,)
        Frame counter since the first frame, not wrapped: neighbours in time differ by one.
    start_beats, end_beats : ndarray of float64, shape (n,)
        Song position at each frame's start and end, in quarter notes.
    run : ndarray of int64, shape (n,)
        Index of the stretch of unbroken playing that the frame belongs to.
    valid : ndarray of bool, shape (n,)
        Whether the frame may be paired.
    survey : Survey
        What the capture is like.
    """

    frames: Frames
    seq: Ints
    start_beats: Array
    end_beats: Array
    run: Ints
    valid: Bools
    survey: Survey


def trace(frames: Frames, positions: Positions = "song") -> Timeline:
    """Put a capture in order and find the song position of every frame.

    Parameters
    ----------
    frames : Frames
        One capture, in any order that the network may have made of it. Its counter may wrap.
    positions : {"song", "start"}
        Read positions from the frames, or count them from the first frame on (then it does not
        matter whether the transport ran).

    Returns
    -------
    Timeline
        Only frames of the instance that sent most of them; the survey names the others.

    Notes
    -----
    Positions are latched from messages that come when the host's scheduler has time, so single
    ones are early or late by milliseconds. Frames are contiguous, so within a stretch of one tempo
    position is a straight line over the frame counter: it is fitted by least squares, which
    averages that jitter out. A stretch that is no line (within half a frame) stays as it was read.
    """
    whole = _whole_frames(frames)
    values, seq = whole.frames.values, whole.seq
    rates = np.unique(values[:, _RATE])
    finite = _finite(values, float(rates[0]) if len(rates) else 0.0)
    running = np.ones(len(seq), np.bool_)
    if positions == "song":
        running = (values[:, _FLAGS].astype(np.int64) & FLAG_RUNNING) != 0
    tempo_bpm = _most_frequent(values[running, _TEMPO])
    beats_per_bar = _most_frequent(values[running, _SIGNATURE])
    if positions == "start":
        tempo_bpm = tempo_bpm or PLAIN_TEMPO_BPM
        beats_per_bar = beats_per_bar or PLAIN_BEATS_PER_BAR
        start, end = _counted(seq, tempo_bpm)
        run, jumped = np.zeros(len(seq), np.int64), np.zeros(len(seq), np.bool_)
        valid = finite
    else:
        start, end, run, jumped = _followed(values, seq, running)
        valid = finite & running & ~jumped & (values[:, _TEMPO] > 0.0)
        valid &= values[:, _SIGNATURE] == beats_per_bar
    received_s = np.sort(frames.received_s)
    survey = Survey(
        frames=len(seq),
        missing=int(seq[-1] - seq[0]) + 1 - len(seq) if len(seq) else 0,
        non_finite=int(np.count_nonzero(~finite)) + whole.unreadable,
        stopped=int(np.count_nonzero(~running)),
        jumps=int(np.count_nonzero(jumped & running)),
        instances=whole.instances,
        interleaved=whole.interleaved,
        sample_rates_hz=tuple(float(rate) for rate in rates),
        gap_s=float(np.diff(received_s).max()) if len(received_s) > 1 else 0.0,
        loudest_lufs=float(lufs(values[valid, _K_POWER].max())) if valid.any() else math.nan,
        tempo_bpm=tempo_bpm,
        beats_per_bar=beats_per_bar,
    )
    return Timeline(whole.frames, seq, start, end, run, valid, survey)


@dataclass(frozen=True, slots=True, eq=False)
class _Whole:
    """Frames of one instance that arrived whole, in order, and what was sorted out."""

    frames: Frames
    seq: Ints
    instances: tuple[int, ...]
    interleaved: bool
    unreadable: int


def _whole_frames(frames: Frames) -> _Whole:
    values = frames.values
    readable = (np.abs(values[:, _CONTROL]) < _MAX_CONTROL).all(axis=1)
    rows = np.flatnonzero(readable & (values[:, _SEQ] == values[:, _SEQ_CHECK]))
    senders = values[rows, _INSTANCE]
    instances, counts = np.unique(senders, return_counts=True)
    changes = np.count_nonzero(np.diff(senders))
    if len(instances) > 1:
        rows = rows[senders == instances[np.argmax(counts)]]
    rows, seq = _in_order(rows, values[rows, _SEQ].astype(np.int64))
    return _Whole(
        frames if np.array_equal(rows, np.arange(len(frames))) else frames.select(rows),
        seq,
        tuple(int(each) for each in instances),
        bool(changes > len(instances) - 1),
        len(frames) - int(np.count_nonzero(readable)),
    )


def _in_order(rows: Ints, seq: Ints) -> tuple[Ints, Ints]:
    """Rows sorted by an unwrapped counter, without repeats, and that counter."""
    if len(seq) == 0:
        return rows, seq
    half = SEQ_MODULUS // 2
    steps = (np.diff(seq) + half) % SEQ_MODULUS - half
    unwrapped = np.concatenate([[0], np.cumsum(steps)])
    if (steps > 0).all():
        return rows, unwrapped
    unwrapped, first = np.unique(unwrapped, return_index=True)
    return rows[first], unwrapped


def _finite(values: Array, sample_rate_hz: float) -> Bools:
    """Rows in which every number is finite that the sample rate can carry."""
    carried = available_bands(sample_rate_hz)
    if carried == len(BAND_NAMES):
        with np.errstate(invalid="ignore", over="ignore"):
            finite: Bools = np.isfinite(values @ np.ones(FRAME_WIDTH))
        return finite
    each = np.isfinite(values)
    # Bands that the sample rate cannot carry are NaN by contract.
    for name in ("band_power", "band_lr"):
        each[:, FRAME_COLUMNS[name].start + carried : FRAME_COLUMNS[name].stop] = True
    return np.asarray(each.all(axis=1))


def _most_frequent(numbers: Array) -> float:
    numbers = numbers[numbers > 0.0]
    if len(numbers) == 0:
        return 0.0
    if numbers.min() == numbers.max():
        return float(numbers[0])
    each, counts = np.unique(numbers, return_counts=True)
    return float(each[np.argmax(counts)])


def _counted(seq: Ints, tempo_bpm: float) -> tuple[Array, Array]:
    frame_beats = tempo_bpm / 60.0 * FRAME_S
    first = seq[0] if len(seq) else 0
    end = (seq - first + 1) * frame_beats
    return end - frame_beats, end


def _followed(values: Array, seq: Ints, running: Bools) -> tuple[Array, Array, Ints, Bools]:
    """Start and end of each frame in beats, its run, and whether it holds a jump."""
    n = len(seq)
    beats, tempo = values[:, _BEATS], values[:, _TEMPO]
    frame_beats = tempo / 60.0 * FRAME_S
    jumped, fresh = np.zeros(n, np.bool_), np.ones(n, np.bool_)
    gap = np.diff(seq)
    expected = 0.5 * (frame_beats[1:] + frame_beats[:-1])
    jumped[1:] = np.abs(np.diff(beats) - gap * expected) > STEP_TOLERANCE * expected
    fresh[1:] = jumped[1:] | (running[1:] != running[:-1])
    run = np.cumsum(fresh) - 1
    end = _fitted(seq, beats, frame_beats, fresh)
    start = end - frame_beats
    joined = ~fresh[1:] & (gap == 1)
    start[1:][joined] = end[:-1][joined]
    return start, end, run, jumped


def _fitted(seq: Ints, beats: Array, frame_beats: Array, fresh: Bools) -> Array:
    """Song positions with each stretch of one tempo replaced by its straight line."""
    if len(seq) == 0:
        return beats.copy()
    edges = fresh.copy()
    edges[1:] |= np.diff(frame_beats) != 0.0
    first = np.flatnonzero(edges)
    stretch = np.cumsum(edges) - 1
    count = np.diff(np.append(first, len(seq)))
    x = seq.astype(np.float64)
    x -= (np.add.reduceat(x, first) / count)[stretch]
    middle = (np.add.reduceat(beats, first) / count)[stretch]
    y = beats - middle
    sxx = np.add.reduceat(x * x, first)
    sxy = np.add.reduceat(x * y, first)
    slope = np.where(count > 1, sxy / np.where(count > 1, sxx, 1.0), frame_beats[first])[stretch]
    line = middle + slope * x
    off = np.maximum.reduceat(np.abs(line - beats), first)[stretch]
    return np.where(off <= STEP_TOLERANCE * frame_beats, line, beats)
