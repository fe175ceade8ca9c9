"""What becomes of the motifs of before."""

from __future__ import annotations

from dataclasses import dataclass

from pybackend.judgment.composition.likeness import GRADES, WORTH, likenesses
from pybackend.judgment.composition.lines import Lines
from pybackend.judgment.composition.motifs import Motifs


@dataclass(frozen=True, slots=True)
class Survival:
    """What became of them.

    Parameters
    ----------
    value : float or None
        Salience by best likeness, 0..1; None if there was no motif.
    fates : tuple of str
        A line for each motif.
    """

    value: float | None
    fates: tuple[str, ...] = ()


def survival(before: Motifs, after: Lines) -> Survival:
    """Look for the motifs of before in the lines of after.

    Parameters
    ----------
    before : Motifs
        From `find_motifs`.
    after : Lines
        From `read_lines`.
    """
    total = sum(motif.salience for motif in before.found)
    if total <= 0.0:
        return Survival(None)
    kept, fates = 0.0, []
    for motif in before.found:
        grades = likenesses(motif.figure, after)
        best = max(set(grades.tolist()), key=lambda grade: float(WORTH[grade]), default=-1)
        kept += motif.salience * float(WORTH[best])
        fates.append(f"{motif.text}: {GRADES[best][0]}")
    return Survival(kept / total, tuple(fates))
