"""The mix engine: everything the master shows, headroom, and masking between the tracks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pybackend.judgment.fabric.bundle import SessionSnapshot
from pybackend.judgment.fabric.rows import Rows
from pybackend.judgment.fabric.sums import bar_numbers, bar_peaks_dbtp
from pybackend.judgment.masking.laying import Laid, lay_tracks
from pybackend.judgment.masking.report import (
    MaskingReport,
    clarity_rows,
    master_report,
    report,
)
from pybackend.stream.protocol import FRAME_COLUMNS

if TYPE_CHECKING:
    from pybackend.capture.aligned import AlignedCaptures
    from pybackend.judgment.features import BarFeatures

NO_TRACKS = "no frames of tracks were captured; put an analyzer on every track, before its fader"


def mix_rows(
    aligned: AlignedCaptures,
    features: BarFeatures,
    before: SessionSnapshot,
    after: SessionSnapshot,
    loop_beats: float | None = None,
) -> tuple[Rows, MaskingReport, MaskingReport]:
    """Measure what the mix engine judges.

    Parameters
    ----------
    aligned, features
        The master's captures, and what they measure.
    before, after : SessionSnapshot
        The sides; with tracks for masking.
    loop_beats : float, optional
        As the master was aligned.

    Returns
    -------
    Rows
        Dimensions of the master, headroom, and clarity where tracks show it.
    MaskingReport, MaskingReport
        Before and after.
    """
    rows = Rows.of_frames(features)
    rows.put("headroom", -bar_peaks_dbtp(aligned, features.bars))
    numbers = bar_numbers(aligned)[list(features.bars)]
    laid = _lay(aligned, before, after, numbers, loop_beats)
    if isinstance(laid, str):
        rows.put("clarity", laid)
        n = aligned.n_before
        sides = (slice(0, n), slice(n, None))
        reports = [master_report(_master_bands(aligned, side), laid) for side in sides]
        return rows, reports[0], reports[1]
    captures = range(len(aligned.values))
    reports = [
        report(laid, captures[: aligned.n_before]),
        report(laid, captures[aligned.n_before :]),
    ]
    silent = [each.reason for each in reports if each.reason]
    rows.put("clarity", silent[0] if silent else clarity_rows(laid, numbers))
    return rows, reports[0], reports[1]


def _lay(
    aligned: AlignedCaptures,
    before: SessionSnapshot,
    after: SessionSnapshot,
    numbers: npt.NDArray[np.int64],
    loop_beats: float | None,
) -> Laid | str:
    if not before.tracks and not after.tracks:
        return NO_TRACKS
    if not before.tracks or not after.tracks:
        return f"frames of tracks were captured only {'after' if after.tracks else 'before'}"
    laid = lay_tracks(
        (before.tracks, after.tracks),
        (len(before.master), len(after.master)),
        positions=aligned.positions,
        beats_per_bar=aligned.beats_per_bar,
        tempo_bpm=aligned.tempo_bpm,
        lag_s=aligned.lag_s,
        loop_beats=loop_beats,
    )
    return laid if isinstance(laid, str) else laid.bars(numbers)


def _master_bands(aligned: AlignedCaptures, side: slice) -> npt.NDArray[np.float64]:
    values, valid = aligned.values[side], aligned.valid[side]
    return values[valid][:, FRAME_COLUMNS["band_power"]]
