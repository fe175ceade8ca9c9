"""Everything that a snapshot of notes measures, and the changes between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pybackend.judgment.composition.bars import FLOORS, section_bars
from pybackend.judgment.composition.contrast import Contrast, contrast
from pybackend.judgment.composition.harmony import Harmony, measure_harmony
from pybackend.judgment.composition.lines import Lines, read_lines
from pybackend.judgment.composition.motifs import Motifs, find_motifs
from pybackend.judgment.composition.notes import NoteSnapshot
from pybackend.judgment.composition.passages import Layout, lay_out
from pybackend.judgment.composition.rhythm import Rhythm, measure_rhythm
from pybackend.judgment.composition.survival import Survival, survival
from pybackend.judgment.statistics import Change

NOTE_DIMENSIONS: Final = (
    "density",
    "groove",
    "tension",
    "motif_coherence",
    "section_contrast",
    "swing",
    "looseness",
    "motif_survival",
)
"""What notes can show."""


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """One side of a move.

    Parameters
    ----------
    layout : Layout
        Where notes sound.
    rhythm, harmony, lines, motifs, contrast
        What they measure.
    """

    layout: Layout
    rhythm: Rhythm
    harmony: Harmony
    lines: Lines
    motifs: Motifs
    contrast: Contrast


@dataclass(frozen=True, slots=True)
class Difference:
    """Two sides compared.

    Parameters
    ----------
    changes : dict of str to Change
        Exact changes of what both sides show.
    missing : dict of str to str
        Why the others are unavailable.
    evidence : dict of str to tuple of str
        What a change consists of, by dimension.
    """

    changes: dict[str, Change]
    missing: dict[str, str]
    evidence: dict[str, tuple[str, ...]]


def read_score(snapshot: NoteSnapshot) -> Score:
    """Measure one side.

    Raises
    ------
    InputError
        If too many notes sound.
    """
    layout = lay_out(snapshot)
    rhythm = measure_rhythm(layout.passages, snapshot.tempo_bpm)
    harmony = measure_harmony(layout.passages)
    lines = read_lines(snapshot, rhythm.swing)
    return Score(
        layout=layout,
        rhythm=rhythm,
        harmony=harmony,
        lines=lines,
        motifs=find_motifs(lines),
        contrast=contrast(section_bars(layout, harmony), FLOORS),
    )


def compare_scores(before: Score, after: Score) -> Difference:
    """Compare two sides.

    Every change is the exact difference of two numbers that are functions of one side each, except
    for the survival of motifs, which asks what became of those of before.
    """
    found: dict[str, tuple[float | None, float | None, str]] = {}
    for name in ("density", "groove", "looseness"):
        field = "looseness_ms" if name == "looseness" else name
        sides = [getattr(score.rhythm, field) for score in (before, after)]
        reasons = [score.rhythm.missing.get(name, "") for score in (before, after)]
        found[name] = (sides[0], sides[1], reasons[0] or reasons[1])
    harmonies = before.harmony, after.harmony
    found["tension"] = (
        harmonies[0].tension,
        harmonies[1].tension,
        harmonies[0].reason or harmonies[1].reason,
    )
    found["section_contrast"] = (
        before.contrast.value,
        after.contrast.value,
        before.contrast.reason or after.contrast.reason,
    )
    found["swing"] = _swing(before.rhythm, after.rhythm)
    found["motif_coherence"] = _coherence(before.motifs, after.motifs)
    kept = survival(before.motifs, after.lines)
    why = before.motifs.reason or "nothing recurs above chance before the move"
    found["motif_survival"] = (None if kept.value is None else 1.0, kept.value, why)
    changes, missing = {}, {}
    for name, (one, two, reason) in found.items():
        if one is None or two is None:
            missing[name] = reason
        else:
            changes[name] = Change.exact(one, two)
    return Difference(changes, missing, _evidence(before, after, kept))


def _swing(before: Rhythm, after: Rhythm) -> tuple[float | None, float | None, str]:
    """Swing of the eighths or the sixteenths, whichever moved more, in percent."""
    pairs = [
        (100.0 * one, 100.0 * two)
        for one, two in (
            (before.swing.sixteenths, after.swing.sixteenths),
            (before.swing.eighths, after.swing.eighths),
        )
        if one is not None and two is not None
    ]
    if not pairs:
        reason = before.missing.get("swing") or after.missing.get("swing")
        return None, None, reason or "the two sides show no off-beats of the same kind"
    one, two = max(pairs, key=lambda pair: abs(pair[1] - pair[0]))
    return one, two, ""


def _coherence(before: Motifs, after: Motifs) -> tuple[float | None, float | None, str]:
    reason = before.reason or after.reason
    if not reason and not before.found and not after.found:
        reason = "nothing recurs above chance, before or after"
    return (None, None, reason) if reason else (before.coherence, after.coherence, "")


def _evidence(before: Score, after: Score, kept: Survival) -> dict[str, tuple[str, ...]]:
    one, two = before.harmony, after.harmony
    evidence = {
        "density": (f"{before.rhythm.onsets:g} to {after.rhythm.onsets:g} notes",),
        "motif_survival": kept.fates,
        "motif_coherence": tuple(motif.text for motif in after.motifs.found),
        "section_contrast": after.contrast.pairs,
    }
    if one.dissonance is not None and two.dissonance is not None:
        evidence["tension"] = (
            f"interval dissonance {one.dissonance:.2f} to {two.dissonance:.2f}",
            f"distance from the key {one.instability:.2f} ({one.key}) to {two.instability:.2f} "
            f"({two.key})",
        )
    return {name: lines for name, lines in evidence.items() if lines}
