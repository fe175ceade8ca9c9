"""What sounds together: interval dissonance, distance from the key, and tension from both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.composition.passages import Passage

Array = npt.NDArray[np.float64]

_CONSONANCE: Final = np.array(
    (1.240, -1.428, -0.582, 0.594, 0.386, 1.240, -0.453, 1.240, 0.386, 0.594, -0.582, -1.428)
)
"""Huron (1994), table of interval-class consonance; the octave counts as the fifth does."""
DISSONANCE: Final = (1.240 - _CONSONANCE) / (1.240 + 1.428)
"""By semitones modulo 12: 0 for the perfect intervals, 1 for the minor second."""

_MAJOR: Final = (6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88)
_MINOR: Final = (6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17)
"""Probe-tone profiles of Krumhansl and Kessler (1982)."""

KEY_NAMES: Final = tuple(
    f"{tonic} {mode}"
    for mode in ("major", "minor")
    for tonic in ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
)
SHARPNESS: Final = 30.0
"""How fast a key that fits worse stops counting: a correlation 0.1 lower counts a twentieth."""
MIN_NOTES: Final = 4


def _profiles() -> Array:
    rows = [np.roll(profile, tonic) for profile in (_MAJOR, _MINOR) for tonic in range(12)]
    return np.array(rows)


_PROFILES: Final = _profiles()
_RANGE: Final = np.ptp(_PROFILES, axis=1, keepdims=True)
_DISTANCE: Final = 1.0 - (_PROFILES - _PROFILES.min(axis=1, keepdims=True)) / _RANGE
"""Distance of a pitch class from the tonic of a key, 0 for the tonic and 1 for the furthest."""


@dataclass(frozen=True, slots=True, eq=False)
class Harmony:
    """Pitched notes of one side of a move.

    Parameters
    ----------
    tension, dissonance, instability : float or None
        Means over the bars in which pitches sound, each 0..1; tension is the mean of the others.
    key : str
        The best of the 24 keys, for people.
    by_bar : list of ndarray of float64
        Tension per bar of every passage; NaN where no pitch sounds.
    reason : str
        Why there is none.
    """

    tension: float | None
    dissonance: float | None
    instability: float | None
    key: str
    by_bar: list[Array]
    reason: str = ""


def key_weights(classes: Array) -> Array:
    """How much each of the 24 keys counts, by correlation with the time that each class sounds.

    Parameters
    ----------
    classes : ndarray of float64, shape (12,)
        Time that each pitch class sounds.

    Returns
    -------
    ndarray of float64, shape (24,)
        Adds up to 1. Keys are weighed and none is chosen, so that a small edit cannot make tension
        jump.
    """
    centred = _PROFILES - _PROFILES.mean(axis=1, keepdims=True)
    deviation = classes - classes.mean()
    norm = np.sqrt((centred**2).sum(axis=1) * (deviation**2).sum())
    fit = centred @ deviation / norm if norm.all() else np.zeros(len(centred))
    weight = np.exp(SHARPNESS * (fit - fit.max()))
    result: Array = weight / weight.sum()
    return result


def measure_harmony(passages: Sequence[Passage]) -> Harmony:
    """Measure tension: dissonance of intervals that sound together, and distance from the key.

    The key is that of all passages of this side, so that transposing everything changes nothing.

    Parameters
    ----------
    passages : sequence of Passage
        From `lay_out`.
    """
    from pybackend.judgment.composition import kernels  # noqa: PLC0415 - compiles

    bars = [np.full(p.bars, np.nan) for p in passages]
    pitched = [~p.drums for p in passages]
    if sum(int(mask.sum()) for mask in pitched) < MIN_NOTES:
        reason = f"fewer than {MIN_NOTES} pitched notes sound"
        return Harmony(None, None, None, "", bars, reason)
    classes, pairs = [], []
    for passage, mask in zip(passages, pitched, strict=True):
        times = np.column_stack((passage.start, passage.end, passage.weight))[mask]
        sums = np.zeros((passage.bars, 12)), np.zeros((passage.bars, 2))
        pitch, beats = passage.pitch[mask], passage.beats_per_bar
        kernels.class_durations(times, pitch, beats, sums[0])
        barlines = beats * np.arange(passage.bars + 1)
        edges = np.unique(np.concatenate((times[:, :2].ravel(), barlines)))
        inside = (edges >= 0.0) & (edges <= barlines[-1])
        kernels.dissonance(times, pitch, DISSONANCE, edges[inside], sums[1])
        classes.append(sums[0])
        pairs.append(sums[1])
    table, pair = np.concatenate(classes), np.concatenate(pairs)
    weights = key_weights(table.sum(axis=0))
    time = table.sum(axis=1)
    sounding = time > 0.0
    unstable = (table @ (weights @ _DISTANCE))[sounding] / time[sounding]
    rough = pair[sounding, 0] / pair[sounding, 1]
    by_bar = np.full(len(table), np.nan)
    by_bar[sounding] = 0.5 * (rough + unstable)
    return Harmony(
        tension=float(0.5 * (rough.mean() + unstable.mean())),
        dissonance=float(rough.mean()),
        instability=float(unstable.mean()),
        key=KEY_NAMES[int(weights.argmax())],
        by_bar=np.split(by_bar, np.cumsum([p.bars for p in passages])[:-1]),
    )
