"""Rows of exact bars that all captures share, and each capture's frames spread over them.

Captures' frame clocks have an arbitrary phase against the song, so frames are not paired one by
one: each row takes from the frames that overlap it, by how much they do. The measurement behind
this is docs/decisions/0001-overlap-pairing.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.capture.bars import Bars, bars_once, common_bars, played_bars
from pybackend.capture.timeline import Timeline
from pybackend.metering.design import FRAME_S
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_WIDTH, column

Array = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def _columns(*names: str) -> Ints:
    return np.concatenate(
        [np.arange(FRAME_COLUMNS[name].start, FRAME_COLUMNS[name].stop) for name in names]
    )


SUMMED: Final = np.array(
    [
        [FRAME_COLUMNS["band_power"].start, FRAME_COLUMNS["lr_product"].stop],
        [FRAME_COLUMNS["k_power_prev"].start, FRAME_COLUMNS["flux_low"].stop],
    ]
)
"""Blocks of columns that are additive over time: weighted by overlap."""
LOUD: Final = _columns("lufs_m", "lufs_s")
"""Sliding means of power: weighted by overlap as powers, which is where the row ends."""
LARGEST: Final = _columns(
    "sample_peak",
    "true_peak",
    "lufs_m_max",
    "lufs_s_max",
    "peak10_full",
    "peak10_low",
    "peak10_high",
)
"""Largest of the frames whose middle lies in the row, so that each peak counts once."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """How a song is divided into rows.

    Parameters
    ----------
    beats_per_bar, tempo_bpm : float
        Length of a bar in quarter notes, and tempo.
    cycle_bars : int, optional
        Bars after which the sound repeats.
    """

    beats_per_bar: float
    tempo_bpm: float
    cycle_bars: int | None = None

    @property
    def rows_per_bar(self) -> int:
        """Rows in a bar: as many as make them closest to the length of a frame."""
        return max(1, round(self.beats_per_bar * 60.0 / self.tempo_bpm / FRAME_S))

    @property
    def row_beats(self) -> float:
        """Length of a row in quarter notes."""
        return self.beats_per_bar / self.rows_per_bar

    @property
    def row_s(self) -> float:
        """Length of a row in seconds."""
        return self.row_beats * 60.0 / self.tempo_bpm

    def shift_beats(self, lag_s: float) -> float:
        """How much later than its barline a bar is taken from a capture, in quarter notes.

        By the capture's lag, less one row: the loudest onsets are on barlines, and a frame that
        holds one and a piece of the bar before would be divided between two bars.
        """
        return lag_s * self.tempo_bpm / 60.0 - self.row_beats


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """All captures over the bars that they share.

    Parameters
    ----------
    values : ndarray of float64, shape (captures, rows, FRAME_WIDTH)
        Frame rows; NaN where a capture lacks one.
    valid : ndarray of bool, shape (captures, rows)
        Whether the capture has the row.
    bar : ndarray of int64, shape (rows,)
        Index of the row's bar among the shared ones.
    bars : ndarray of int64, shape (bars,)
        Number of each shared bar since position 0.
    """

    values: Array
    valid: Bools
    bar: Ints
    bars: Ints


def share_bars(timelines: Sequence[Timeline], ruler: Ruler, lags_s: Array) -> list[Bars]:
    """Bars that every capture has, the same places in all of them.

    Parameters
    ----------
    timelines : sequence of Timeline
        The captures.
    ruler : Ruler
        How the song is divided.
    lags_s : ndarray of float64, shape (captures,)
        How much later each capture's sound is than its song position.
    """
    return common_bars(
        [
            bars_once(
                played_bars(timeline, ruler.beats_per_bar, ruler.shift_beats(float(lag_s))),
                ruler.cycle_bars,
            )
            for timeline, lag_s in zip(timelines, lags_s, strict=True)
        ]
    )


def lay(timelines: Sequence[Timeline], shared: Sequence[Bars], ruler: Ruler, lags_s: Array) -> Grid:
    """Spread captures over the rows of the bars that all of them have.

    Parameters
    ----------
    timelines, ruler, lags_s
        As for `share_bars`.
    shared : sequence of Bars
        As from `share_bars` with the same lags.
    """
    bars = shared[0].place
    rows = ruler.rows_per_bar
    values = np.empty((len(timelines), len(bars) * rows, FRAME_WIDTH))
    valid = np.zeros(values.shape[:2], np.bool_)
    end_beats = (bars[:, None] * rows + np.arange(rows)).ravel() * ruler.row_beats
    for i, timeline in enumerate(timelines):
        barlines = shared[i].number.astype(np.float64) * ruler.beats_per_bar
        origin = barlines + ruler.shift_beats(float(lags_s[i]))
        _spread(timeline, shared[i], origin, ruler, (values[i], valid[i]))
        values[i, valid[i], column("song_beats")] = end_beats[valid[i]]
    return Grid(values, valid, np.repeat(np.arange(len(bars)), rows), bars)


def _spread(
    timeline: Timeline, bars: Bars, origin: Array, ruler: Ruler, out: tuple[Array, Bools]
) -> None:
    from pybackend.capture.kernels import overlap_rows  # noqa: PLC0415

    values = timeline.frames.values
    overlap_rows(
        values,
        10.0 ** (values[:, LOUD] / 10.0),
        timeline.start_beats,
        timeline.end_beats,
        timeline.valid,
        origin,
        bars.first,
        bars.last,
        ruler.rows_per_bar,
        ruler.row_beats,
        SUMMED,
        LOUD,
        LARGEST,
        *out,
    )
