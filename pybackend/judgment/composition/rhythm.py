"""What onsets measure: density, syncopation, swing and how loose the timing is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.composition import grid
from pybackend.judgment.composition.grid import Swing
from pybackend.judgment.composition.passages import Passage

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MIN_ONSETS: Final = 8
MS_PER_MINUTE: Final = 60_000.0


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Figures of one side of a move; what cannot be known is None, with the reason.

    Parameters
    ----------
    onsets : float
        Expected count of note onsets.
    density : float or None
        Binary logarithm of the expected onsets per bar.
    groove : float or None
        Syncopation in metrical levels per note.
    swing : Swing
        Of eighths and sixteenths.
    looseness_ms : float or None
        Root mean square distance from the swung grid.
    missing : dict of str to str
        Reasons.
    """

    onsets: float
    density: float | None
    groove: float | None
    swing: Swing
    looseness_ms: float | None
    missing: dict[str, str] = field(default_factory=dict)


def measure_rhythm(passages: Sequence[Passage], tempo_bpm: float | None) -> Rhythm:
    """Measure the onsets of all passages.

    Parameters
    ----------
    passages : sequence of Passage
        From `lay_out`.
    tempo_bpm : float or None
        For looseness.
    """
    missing: dict[str, str] = {}
    onset = np.concatenate([p.start[p.onsets] for p in passages] or [np.zeros(0)])
    weight = np.concatenate([p.weight[p.onsets] for p in passages] or [np.zeros(0)])
    hands = [p.track[p.onsets] + 1000 * k for k, p in enumerate(passages)]
    hand = np.concatenate(hands or [np.zeros(0, np.int64)])
    total, bars = float(weight.sum()), sum(p.bars for p in passages)
    if total <= 0.0:
        missing["density"] = "no note sounds"
    swing = grid.find_swing(onset, weight)
    if swing == Swing():
        missing["swing"] = f"fewer than {grid.MIN_OFF_BEATS} off-beats show it"
    groove = looseness = None
    if len(onset) < MIN_ONSETS:
        missing["groove"] = missing["looseness"] = f"fewer than {MIN_ONSETS} notes begin"
    else:
        groove = _syncopation(passages, swing)
        if tempo_bpm is None:
            missing["looseness"] = "the snapshot has no tempo"
        else:
            looseness = _looseness_beats(onset, weight, hand, swing) * MS_PER_MINUTE / tempo_bpm
    return Rhythm(
        onsets=total,
        density=math.log2(total / bars) if total > 0.0 else None,
        groove=groove,
        swing=swing,
        looseness_ms=looseness,
        missing=missing,
    )


def _looseness_beats(onset: Array, weight: Array, hand: Ints, swing: Swing) -> float:
    straight = grid.straighten(onset, swing)
    distance = straight - grid.steps(straight, hand) / grid.STEPS_PER_BEAT
    return float(np.sqrt(np.average(distance**2, weights=weight)))


def voices(passage: Passage) -> Iterator[npt.NDArray[np.bool_]]:
    """Masks of what is one line of rhythm: a pitched part, or one drum of a kit."""
    lane = np.where(passage.drums, passage.pitch, -1)
    for track, number in sorted(set(zip(passage.track.tolist(), lane.tolist(), strict=True))):
        yield passage.onsets & (passage.track == track) & (lane == number)


def _syncopation(passages: Sequence[Passage], swing: Swing) -> float:
    from pybackend.judgment.composition.kernels import syncopations  # noqa: PLC0415 - compiles

    levels = importance = 0.0
    for passage in passages:
        places = grid.metre(passage.beats_per_bar)
        steps = grid.steps(grid.straighten(passage.start, swing), passage.track)
        accent = passage.weight * passage.velocity
        for voice in voices(passage):
            step, index = np.unique(steps[voice], return_inverse=True)
            if not len(step):
                continue
            weight = np.zeros(len(step))
            np.maximum.at(weight, index, accent[voice])
            found = np.zeros(len(step), np.int64)
            syncopations(step, places, passage.bars, found)
            levels += float(found @ weight)
            importance += float(weight.sum())
    return levels / importance
