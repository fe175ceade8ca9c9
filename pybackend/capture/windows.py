"""Cutting captures out of a longer recording."""

from __future__ import annotations

from typing import Annotated, Any, Final, Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pybackend.capture.bars import COVERED_BAR
from pybackend.capture.timeline import Timeline, trace
from pybackend.errors import InputError, PlanError
from pybackend.metering.design import FRAME_S
from pybackend.stream.frames import Frames

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MAX_PASSES: Final = 10_000

Beats = Annotated[float, Field(ge=-1e6, le=1e7, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0.0, le=1e7, allow_inf_nan=False)]


class Window(BaseModel):
    """A stretch of a recording, by song position or by time.

    In a plan: ``{"start_beats": 0, "end_beats": 32, "pass": 2}`` or
    ``{"start_s": 1.5, "end_s": 17.5}``.

    Parameters
    ----------
    start_beats, end_beats : float, optional
        Song positions in quarter notes.
    start_s, end_s : float, optional
        Seconds since the start of the recording's first frame.
    pass_number : int, optional
        Which time the song positions were played, from 1; ``pass`` in JSON. A pass counts if it
        plays at least 80 % of the window without a jump. The first is the default.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    start_beats: Beats | None = None
    end_beats: Beats | None = None
    start_s: Seconds | None = None
    end_s: Seconds | None = None
    pass_number: Annotated[int, Field(ge=1, le=MAX_PASSES)] | None = Field(None, alias="pass")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        beats = (self.start_beats, self.end_beats)
        seconds = (self.start_s, self.end_s)
        given = [pair for pair in (beats, seconds) if pair != (None, None)]
        if len(given) != 1 or None in given[0]:
            raise ValueError("give start_beats and end_beats, or start_s and end_s")
        start, end = given[0]
        if start is not None and end is not None and start >= end:
            raise ValueError(f"the end ({end:g}) has to come after the start ({start:g})")
        if self.pass_number is not None and self.start_beats is None:
            raise ValueError("pass counts playings of song positions; it does not go with seconds")
        return self

    @classmethod
    def parse(cls, data: Any) -> Window:
        """Validate a window of a plan.

        Raises
        ------
        PlanError
            If it is none.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            what = first["msg"].removeprefix("Value error, ")
            raise PlanError(f"window{f' {where}' if where else ''}: {what}") from None

    def cut(self, frames: Frames) -> Frames:
        """Frames of this window.

        Parameters
        ----------
        frames : Frames
            The recording of one analyzer.

        Returns
        -------
        Frames
            In order, no repeats. By position, frames that lie partly outside are included; by
            time, those whose middle lies inside.

        Raises
        ------
        InputError
            If the recording does not hold the window.
        """
        if self.start_beats is not None and self.end_beats is not None:
            return self._cut_beats(frames, self.start_beats, self.end_beats)
        return self._cut_seconds(frames, self.start_s or 0.0, self.end_s or 0.0)

    def _cut_beats(self, frames: Frames, start: float, end: float) -> Frames:
        timeline = trace(frames)
        passes = _passes(timeline, start, end)
        wanted = self.pass_number or 1
        if wanted > len(passes):
            times = {0: "never", 1: "once"}.get(len(passes), f"{len(passes)} times")
            raise InputError(
                f"beats {start:g} to {end:g} are played {times} in the recording, so there is no "
                f"pass {wanted}; check the window against where the transport ran"
            )
        return timeline.frames.select(passes[wanted - 1])

    @staticmethod
    def _cut_seconds(frames: Frames, start_s: float, end_s: float) -> Frames:
        if len(frames) == 0:
            raise InputError("the recording holds no frames; record with the device switched on")
        time_s = frames.received_s - frames.received_s.min() + 0.5 * FRAME_S
        inside = (time_s >= start_s) & (time_s < end_s)
        if not inside.any():
            raise InputError(
                f"the recording is {time_s.max() + 0.5 * FRAME_S:.1f} s long and has no frame "
                f"from {start_s:g} to {end_s:g} s; check the window"
            )
        return frames.select(inside)


def _passes(timeline: Timeline, start: float, end: float) -> list[slice]:
    """Frames of each run that plays enough of a stretch, in the order played."""
    overlap = np.minimum(timeline.end_beats, end) - np.maximum(timeline.start_beats, start)
    inside = timeline.valid & (overlap > 0.0)
    share = np.bincount(timeline.run[inside], overlap[inside]) / (end - start)
    return [_reach(inside & (timeline.run == run)) for run in np.flatnonzero(share >= COVERED_BAR)]


def _reach(which: npt.NDArray[np.bool_]) -> slice:
    """From the first to the last; what cannot be used in between stays visible as such."""
    rows = np.flatnonzero(which)
    return slice(int(rows[0]), int(rows[-1]) + 1)


def split_passes(frames: Frames, loop_beats: float | None = None) -> list[Frames]:
    """Each complete pass through a loop, as a capture of its own: repeats for free.

    Parameters
    ----------
    frames : Frames
        One capture.
    loop_beats : float, optional
        Session View: length of the loop in quarter notes; song time goes on and passes are whole
        multiples of it. Without it, passes are told by the jumps back of the Arrangement's loop.

    Returns
    -------
    list of Frames
        In the order played; of the Arrangement's loop those that play at least 80 % of what all
        of them together cover. Align them with the same ``loop_beats``.

    Raises
    ------
    InputError
        If the loop has no length.
    """
    timeline = trace(frames)
    if not timeline.valid.any():
        return []
    start = float(timeline.start_beats[timeline.valid].min())
    end = float(timeline.end_beats[timeline.valid].max())
    if loop_beats is None:
        passes = _passes(timeline, start, end)
    elif loop_beats > 0.0:
        first, last = int(np.floor(start / loop_beats)), int(np.ceil(end / loop_beats))
        if last - first > MAX_PASSES:
            raise InputError(f"a loop of {loop_beats:g} beats is too short; give its length")
        passes = [
            part
            for number in range(first, last)
            for part in _passes(timeline, number * loop_beats, (number + 1) * loop_beats)
        ]
    else:
        raise InputError(f"a loop of {loop_beats:g} beats has no length; give its beats, say 16")
    return [timeline.frames.select(part) for part in passes]
