"""Masking between the tracks of one state, from their frames alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pybackend.capture.timeline import Positions, trace
from pybackend.judgment.masking.laying import frames_of, lay_tracks
from pybackend.judgment.masking.report import MaskingReport, report
from pybackend.judgment.masking.tracks import TrackCapture


def masking_of_tracks(
    tracks: Mapping[str, TrackCapture], positions: Positions = "song"
) -> MaskingReport:
    """Masking between tracks that were captured together, each once.

    Parameters
    ----------
    tracks : mapping of str to TrackCapture
        By name.
    positions : {"song", "start"}
        As in `align`.

    Returns
    -------
    MaskingReport
        With the reason, if there are not two tracks or they have no bar in common.
    """
    surveys = [trace(frames_of(track.frames[0]), positions).survey for track in tracks.values()]
    known = [survey for survey in surveys if survey.tempo_bpm > 0.0 and survey.beats_per_bar > 0.0]
    if not known:
        return MaskingReport(clarity=None, reason="no track was captured while the transport ran")
    laid = lay_tracks(
        (tracks,),
        (1,),
        positions=positions,
        beats_per_bar=known[0].beats_per_bar,
        tempo_bpm=float(np.median([survey.tempo_bpm for survey in known])),
        lag_s=(0.0,),
    )
    return MaskingReport(clarity=None, reason=laid) if isinstance(laid, str) else report(laid, (0,))
