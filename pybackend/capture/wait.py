"""Waiting for whole bars of a live stream."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np
import numpy.typing as npt

from pybackend.capture.bars import has_bars
from pybackend.capture.lag import MAX_LAG_S
from pybackend.capture.timeline import Timeline, trace
from pybackend.errors import MoveJudgeError, TargetMissing
from pybackend.metering.design import FRAME_S, MOMENTARY_SUB_BLOCKS, SUB_BLOCKS_PER_S
from pybackend.stream.frames import Frames

Ints = npt.NDArray[np.int64]

POLL_S: Final = 0.1
TIMEOUT_S: Final = 120.0
SETTLE_S: Final = MOMENTARY_SUB_BLOCKS / SUB_BLOCKS_PER_S
"""Frames count from this long after the call, so that momentary loudness has left behind what was
heard before it."""

EXPORT_SPEED: Final = 1.5
EXPORT_SLACK_S: Final = 1.0
"""Frames that come faster than this times real time, beyond what a stall can explain, are rendered
offline. A render slower than real time looks like playing and cannot be told from it."""

State = Literal["no_frames", "stopped", "export", "waiting", "capturing"]


class FrameSource(Protocol):
    """Where the newest frames of one analyzer come from."""

    def latest(self, seconds: float) -> Frames:
        """Frames of the last ``seconds``, oldest first."""


class CaptureAborted(MoveJudgeError):  # noqa: N818
    """The user stopped the capture."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a capture is.

    Parameters
    ----------
    state : {"no_frames", "stopped", "export", "waiting", "capturing"}
        Nothing arrives; the transport is stopped; the song is being exported, which is ignored; it
        plays before or after the passage; inside it.
    beats_to_start : float
        Quarter notes until the passage begins: 0 inside it, NaN if the transport is past it.
    bars_done : float
        Bars heard so far.
    """

    state: State
    beats_to_start: float = math.nan
    bars_done: float = 0.0


def _ignore(progress: Progress) -> None:
    """Tell nobody."""


def capture_live(
    source: FrameSource,
    *,
    bars: int = 4,
    start_beats: float | None = None,
    loop_beats: float | None = None,
    timeout_s: float = TIMEOUT_S,
    on_progress: Callable[[Progress], None] = _ignore,
    aborted: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Frames:
    """Wait until whole bars have been played from now on, and return their frames.

    Parameters
    ----------
    source : FrameSource
        The stream of the master's analyzer.
    bars : int
        Whole bars to capture in one go.
    start_beats : float, optional
        Song position of the first bar, in quarter notes; by default the next bar that begins.
    loop_beats : float, optional
        In Session View, where song time never comes back: the passage may begin any number of
        these after ``start_beats``.
    timeout_s : float
        Give up after this long.
    on_progress : callable
        Told at every poll how far the capture is: a countdown.
    aborted : callable
        Asked at every poll whether to stop.
    clock, sleep : callable
        Time, for tests.

    Returns
    -------
    Frames
        The bars, with up to 0.3 s on either side so that a lag can be taken off.

    Raises
    ------
    TargetMissing
        If nothing arrives or the passage is not played before the time is up.
    CaptureAborted
        If ``aborted`` says so.
    """
    begun_s = clock()
    recent = source.latest(1.0)
    since_s = float(recent.received_s.max()) + SETTLE_S if len(recent) else -math.inf
    while True:
        if aborted():
            raise CaptureAborted("capture stopped before all bars were played; nothing was judged")
        waited_s = clock() - begun_s
        frames = source.latest(waited_s + 2.0)
        timeline = trace(frames.select(frames.received_s > since_s))
        wanted = _Passage(bars, start_beats, loop_beats)
        found = wanted.look(timeline)
        if isinstance(found, slice):
            return timeline.frames.select(found)
        on_progress(found)
        if waited_s >= timeout_s:
            raise TargetMissing(_given_up(found, bars, timeout_s))
        sleep(POLL_S)


@dataclass(frozen=True, slots=True)
class _Passage:
    """The bars that are waited for."""

    bars: int
    start_beats: float | None
    loop_beats: float | None

    def look(self, timeline: Timeline) -> slice | Progress:
        """Frames of the passage if it has been played, else how far it is."""
        survey = timeline.survey
        if survey.frames == 0:
            return Progress("no_frames")
        if not timeline.valid.any() or not has_bars(survey):
            return Progress("stopped")
        frame_beats = survey.tempo_bpm / 60.0 * FRAME_S
        length = self.bars * survey.beats_per_bar
        margin = MAX_LAG_S / FRAME_S * frame_beats
        runs = np.unique(timeline.run[timeline.valid])
        progress = Progress("stopped")
        for run in runs:
            rows = np.flatnonzero(timeline.valid & (timeline.run == run))
            if _is_export(timeline, rows):
                progress = Progress("export")
                continue
            reached = float(timeline.end_beats[rows[-1]])
            start = self._start(float(timeline.start_beats[rows[0]]), timeline, frame_beats)
            # A loop's last frame holds the jump back, so what ends with the loop ends a frame
            # earlier; a run that goes on is given time for the lag that may have to be taken off.
            over = run != timeline.run[-1]
            if start is not None and reached >= start + length + (-frame_beats if over else margin):
                low = timeline.end_beats[rows] > start - margin
                high = timeline.start_beats[rows] < start + length + margin
                chosen = rows[low & high]
                return slice(int(chosen[0]), int(chosen[-1]) + 1)
            progress = _progress(start, reached, length, survey.beats_per_bar)
        return progress if timeline.valid[-1] else Progress("stopped")

    def _start(self, run_start: float, timeline: Timeline, frame_beats: float) -> float | None:
        """Where the passage begins in a run that starts here; None if it has been missed."""
        # The first frame after a jump holds the jump and belongs to no run.
        earliest = run_start - 1.5 * frame_beats
        if self.start_beats is None:
            beats_per_bar = timeline.survey.beats_per_bar
            return math.ceil(earliest / beats_per_bar) * beats_per_bar
        if self.loop_beats is not None:
            loops = math.ceil((earliest - self.start_beats) / self.loop_beats)
            return self.start_beats + loops * self.loop_beats
        return self.start_beats if self.start_beats >= earliest else None


def _is_export(timeline: Timeline, rows: Ints) -> bool:
    """Whether a run came faster than it can have been played."""
    took_s = np.ptp(timeline.frames.received_s[rows])
    return bool(len(rows) * FRAME_S > EXPORT_SPEED * took_s + EXPORT_SLACK_S)


def _progress(start: float | None, reached: float, length: float, beats_per_bar: float) -> Progress:
    if start is None:
        return Progress("waiting")
    if reached <= start:
        return Progress("waiting", start - reached)
    return Progress("capturing", 0.0, min(reached - start, length) / beats_per_bar)


def _given_up(progress: Progress, bars: int, timeout_s: float) -> str:
    waited = f"after {timeout_s:.0f} s"
    if progress.state == "no_frames":
        return (
            f"no frames arrived {waited}; check that the MoveJudge device is on the master track "
            "and switched on"
        )
    if progress.state == "export":
        return f"the song was still being exported {waited}; capture again when it has ended"
    if progress.state == "stopped":
        return f"the transport was not running {waited}; press play and capture again"
    return (
        f"{bars} bars were not played without a jump {waited} ({progress.bars_done:.1f} so far); "
        "let the passage run through, or ask for fewer bars"
    )
