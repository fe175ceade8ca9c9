"""How much windows of some lines are like a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.composition.grid import STEPS_PER_BEAT
from pybackend.judgment.composition.lines import Lines

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

GRADES: Final = (
    ("exact", 1.0),
    ("transposed", 0.9),
    ("in another rhythm", 0.8),
    ("inverted, reversed or stretched", 0.7),
    ("a fragment", 0.5),
    ("lost", 0.0),
)
"""What a likeness is called and what it is worth; the last stands for none (index -1)."""
WORTH: Final = np.array([worth for _, worth in GRADES])


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A few notes in a row.

    Parameters
    ----------
    interval, gap : ndarray of int64, shape (steps,)
        Semitones, and twenty-fourths of a quarter note, from each of its notes to the next.
    pitch : int
        First note.
    drums : bool
        Whether it is only a rhythm.
    """

    interval: Ints
    gap: Ints
    pitch: int
    drums: bool

    @property
    def text(self) -> str:
        """Its steps, for people."""
        beats = " ".join(f"{gap / STEPS_PER_BEAT:.3g}" for gap in self.gap)
        if self.drums:
            return f"rhythm {beats}"
        return f"{' '.join(f'{step:+d}' for step in self.interval)} in {beats} beats"


def likenesses(figure: Figure, lines: Lines) -> Ints:
    """Index into `GRADES` for the window at every note.

    Parameters
    ----------
    figure : Figure
        What is looked for.
    lines : Lines
        Where.

    Returns
    -------
    ndarray of int64, shape (notes,)
        -1 for no likeness.
    """
    from pybackend.judgment.composition.likeness_kernels import likeness  # noqa: PLC0415 - compiles

    out = np.full(len(lines), -1)
    likeness(
        (figure.interval, figure.gap, figure.pitch),
        (lines.pitch, lines.interval, lines.gap),
        (figure.drums, lines.drums),
        out,
    )
    return out
