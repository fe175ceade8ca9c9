"""Frames of all tracks laid over the same rows of the same bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.capture.bars import loop_cycle, whole_bars
from pybackend.capture.grid import Ruler, lay, share_bars
from pybackend.capture.snapshot import Snapshot
from pybackend.capture.timeline import Positions, trace
from pybackend.judgment.masking.tracks import TrackCapture
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import FRAME_COLUMNS

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MAX_TRACKS: Final = 128
_BANDS: Final = FRAME_COLUMNS["band_power"]
_CHANNELS: Final = FRAME_COLUMNS["mean_square"]

Side = Mapping[str, TrackCapture]


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """Tracks behind their faders.

    Parameters
    ----------
    names : tuple of str
        The tracks.
    power : ndarray of float64, shape (captures, tracks, rows, 9)
        Band powers; 0 where a capture lacks the row.
    bar : ndarray of int64, shape (rows,)
        Number of each row's bar since position 0.
    """

    names: tuple[str, ...]
    power: Array
    bar: Ints

    def bars(self, numbers: Ints) -> Laid | str:
        """Only these bars, or which are missing."""
        lacking = np.setdiff1d(numbers, self.bar)
        if len(lacking):
            return (
                f"frames of the tracks cover {len(numbers) - len(lacking)} of the "
                f"{len(numbers)} bars compared; capture all analyzers at once"
            )
        inside = np.isin(self.bar, numbers)
        return Laid(self.names, self.power[:, :, inside], self.bar[inside])


def frames_of(window: Snapshot | Frames) -> Frames:
    """Frames of a window in either form."""
    return window.frames if isinstance(window, Snapshot) else window


def lay_tracks(
    sides: Sequence[Side],
    captures: Sequence[int],
    *,
    positions: Positions,
    beats_per_bar: float,
    tempo_bpm: float,
    lag_s: Sequence[float],
    loop_beats: float | None = None,
) -> Laid | str:
    """Lay every capture of every track over the bars that all of them have.

    Parameters
    ----------
    sides : sequence of mapping
        Tracks by name, of one state or of the states before and after a move.
    captures : sequence of int
        Captures of each side's master.
    positions, beats_per_bar, tempo_bpm, lag_s, loop_beats
        As the master's captures were aligned, one lag per capture of all sides.

    Returns
    -------
    Laid or str
        Or why that is not possible.
    """
    names = tuple(sides[0])
    fault = _fault(sides, captures)
    if fault:
        return fault
    timelines, lags, strips = [], [], []
    capture = 0
    for side, count in zip(sides, captures, strict=True):
        for k in range(count):
            for name in names:
                timelines.append(trace(frames_of(side[name].frames[k]), positions))
                lags.append(lag_s[capture])
                strips.append(side[name].strip)
            capture += 1
    cycle = None
    if loop_beats is not None:
        cycle = loop_cycle(loop_beats, beats_per_bar, min(whole_bars(each) for each in timelines))
    ruler = Ruler(beats_per_bar, tempo_bpm, cycle)
    shared = share_bars(timelines, ruler, np.array(lags))
    if len(shared[0].place) == 0:
        return "the tracks' captures have no bar in common; capture all analyzers at once"
    grid = lay(timelines, shared, ruler, np.array(lags))
    heard = np.asarray(grid.valid.all(axis=0))
    values = np.where(heard[None, :, None], np.nan_to_num(grid.values), 0.0)
    power = np.stack(
        [
            strip.through(row[:, _BANDS], row[:, _CHANNELS.start], row[:, _CHANNELS.start + 1])
            for strip, row in zip(strips, values, strict=True)
        ]
    )
    shape = (sum(captures), len(names), *power.shape[1:])
    return Laid(names, power.reshape(shape), grid.bars[grid.bar])


def _fault(sides: Sequence[Side], captures: Sequence[int]) -> str:
    names = set(sides[0])
    if len(names) < 2:
        return "masking is between parts; it needs frames of two tracks or more"
    if len(names) > MAX_TRACKS:
        return f"{len(names)} tracks, {MAX_TRACKS} allowed"
    for side, count in zip(sides, captures, strict=True):
        if set(side) != names:
            odd = min(names ^ set(side))
            return f"track {odd!r} has frames on one side of the move only"
        short = [name for name, track in side.items() if len(track.frames) != count]
        if short:
            return f"track {short[0]!r} was not captured as often as the master ({count} times)"
    return ""
