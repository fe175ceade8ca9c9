"""Figures of notes per bar of every section, for contrast."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.composition.contrast import SectionBars
from pybackend.judgment.composition.harmony import Harmony
from pybackend.judgment.composition.passages import Layout, Passage

Array = npt.NDArray[np.float64]

FIGURES: Final = (
    ("onsets (doublings)", 0.25),
    ("register (semitones)", 2.0),
    ("parts", 0.5),
    ("tension", 0.1),
)
"""What is measured per bar, and the smallest spread of bars that counts."""
FLOORS: Final = np.array([floor for _, floor in FIGURES])


def section_bars(layout: Layout, harmony: Harmony) -> list[SectionBars]:
    """Figures of every section.

    Parameters
    ----------
    layout : Layout
        From `lay_out`; passages that are no sections are left out.
    harmony : Harmony
        Of the same passages.
    """
    return [
        SectionBars(passage.name, _figures(passage, tension))
        for passage, tension in zip(layout.passages, harmony.by_bar, strict=True)
        if passage.section >= 0
    ]


def _figures(passage: Passage, tension: Array) -> Array:
    bar, onsets, pitched = passage.bar, passage.onsets, passage.onsets & ~passage.drums
    count = np.bincount(bar[onsets], passage.weight[onsets], passage.bars)
    notes = np.bincount(bar[pitched], passage.weight[pitched], passage.bars)
    heights = passage.weight[pitched] * passage.pitch[pitched]
    height = np.bincount(bar[pitched], heights, passage.bars)
    register = np.full(passage.bars, np.nan)
    np.divide(height, notes, out=register, where=notes > 0.0)
    playing = set(zip(bar[onsets].tolist(), passage.track[onsets].tolist(), strict=True))
    parts = np.bincount(np.array([each for each, _ in playing], np.int64), minlength=passage.bars)
    return np.stack((np.log2(1.0 + count), register, parts.astype(np.float64), tension))
