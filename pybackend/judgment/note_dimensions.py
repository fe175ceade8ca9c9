"""Registry entries that notes, sections, packets, history or an inventory can show, and frames not.

Smallest effects are those of docs/decisions/0010-notes-are-exact.md: above what a second
performance of the same notes does, and below the smallest edit that was meant to count.
"""

from __future__ import annotations

from typing import Final

from pybackend.judgment.dimension import Dimension

NOTE_WORDS: Final = (
    Dimension(
        name="density",
        family="technical",
        measured_as="binary logarithm of the expected note onsets per bar (structural only)",
        needs="notes and clips",
        source="a count",
        limits="written notes, not what is heard of them",
        unit="doublings",
        smallest_effect=0.2,
        direction="either",
        midpoint=4.0,
        spread=1.0,
        more="denser in notes",
        less="thinner in notes",
        subject="note density",
        unavailable="how much sounds at once is in the notes or in frames of every track; no "
        "stand-in from a master's frames has been shown to follow it",
    ),
    Dimension(
        name="groove",
        family="technical",
        measured_as="syncopation: metrical levels per note (Longuet-Higgins and Lee 1984), the "
        "swing taken out first",
        needs="notes and clips",
        source="Longuet-Higgins and Lee 1984",
        limits="of what is written; a rest counts, so thinning out syncopates, and liking peaks in "
        "the middle (Witek et al. 2014)",
        unit="levels",
        smallest_effect=0.1,
        direction="either",
        midpoint=0.4,
        spread=0.2,
        more="more syncopated",
        less="less syncopated",
        subject="syncopation",
        unavailable="microtiming is in the notes, not in 50 ms frames; it needs notes and clips",
    ),
    Dimension(
        name="tension",
        family="technical",
        measured_as="mean of interval dissonance (Huron 1994) and distance from the key "
        "(Krumhansl and Kessler 1982) over bars with pitched notes",
        needs="notes and clips",
        source="Huron 1994; Krumhansl and Kessler 1982",
        limits="of western tonal pitch; no timbre, register or expectation over time",
        smallest_effect=0.03,
        direction="either",
        share=True,
        more="tenser",
        less="more at rest",
        subject="harmonic tension",
        unavailable="harmony and register are in the notes, not in band powers; it needs notes "
        "and clips",
    ),
)
"""Words of the technical vocabulary that notes can show."""

NOTE_MEASUREMENTS: Final = (
    Dimension(
        name="swing",
        family="measured",
        measured_as="mean place of the off-beat between its neighbours (50 % is straight, 66.7 % "
        "a triplet)",
        needs="notes and clips",
        source="place of the off-beat, as sequencers state it",
        limits="one mean for eighths and one for sixteenths; the one that moved more is shown",
        unit="%",
        smallest_effect=2.0,
        direction="either",
        midpoint=56.0,
        spread=4.0,
        more="more swung",
        less="straighter",
        subject="swing",
        unavailable="swing is in the notes, not in 50 ms frames; it needs notes and clips",
    ),
    Dimension(
        name="looseness",
        family="measured",
        measured_as="root mean square distance of onsets from the swung grid of 16ths and triplets",
        needs="notes, clips and the tempo",
        source="distance from the grid",
        limits="blind to how parts lie against one another",
        unit="ms",
        smallest_effect=4.0,
        direction="either",
        midpoint=8.0,
        spread=4.0,
        more="looser in timing",
        less="tighter in timing",
        subject="timing",
        unavailable="microtiming is in the notes, not in 50 ms frames; it needs notes and clips",
    ),
    Dimension(
        name="motif_survival",
        family="measured",
        measured_as="salience of the motifs before, each by its best likeness after (1 is intact)",
        needs="notes and clips",
        source="docs/decisions/0010-notes-are-exact.md",
        limits="can only fall, so it can be protected and is no target",
        smallest_effect=0.1,
        share=True,
        more="motifs restored",
        less="motifs lost",
        subject="the motifs of before",
        unavailable="motifs are in the notes; it needs notes and clips",
    ),
)
"""Plain measurements of notes."""


def _artistic(
    name: str,
    measured_as: str,
    needs: str,
    *,
    limits: str,
    effect: float,
    more: str,
    less: str,
    subject: str,
) -> Dimension:
    return Dimension(
        name=name,
        family="artistic",
        measured_as=measured_as,
        needs=needs,
        source="docs/artistic.md",
        limits=limits,
        smallest_effect=effect,
        share=True,
        more=more,
        less=less,
        subject=subject,
        unavailable=f"a master's frames say nothing about {name}; it needs {needs}",
    )


ARTISTIC_WORDS: Final = (
    _artistic(
        "style_fit",
        "weighted closeness to the numeric targets of a concept packet",
        "a concept packet with numeric targets",
        limits="only what the packet has numbers for; prose is not measured",
        effect=0.05,
        more="closer to the packet",
        less="further from the packet",
        subject="fit to the packet",
    ),
    _artistic(
        "distinctiveness",
        "percentile of the distance to earlier results, and what the actions have not in common "
        "with recent ones",
        "a history of 8 or more earlier results",
        limits="unlike these results, which may be few; unlike is not good",
        effect=0.1,
        more="less like earlier results",
        less="more like earlier results",
        subject="distance to earlier results",
    ),
    _artistic(
        "motif_coherence",
        "share of the notes that belong to recurring motifs, by likeness",
        "notes and clips",
        limits="figures that repeat in the notes, in one of four forms; no harmony, no timbre",
        effect=0.1,
        more="more of it from motifs",
        less="less of it from motifs",
        subject="motifs",
    ),
    _artistic(
        "section_contrast",
        "1 - exp(-d'/2) of the distance between neighbouring sections, mean over boundaries",
        "two sections of 4 bars or more",
        limits="notes alone are structural; sound needs frames of every section",
        effect=0.15,
        more="sections further apart",
        less="sections closer together",
        subject="contrast of sections",
    ),
    _artistic(
        "restraint",
        "protects kept, times what the additions left of their budget",
        "an inventory of the actions",
        limits="counts what was added, not whether it was needed",
        effect=0.1,
        more="more restrained",
        less="less restrained",
        subject="restraint",
    ),
    _artistic(
        "surprise_without_breakage",
        "distinctiveness near the novelty budget, times what did not break",
        "distinctiveness, style_fit, motif_survival and restraint",
        limits="no better than the figures it is made of",
        effect=0.1,
        more="better measured surprise",
        less="worse measured surprise",
        subject="surprise without breakage",
    ),
)
"""The artistic vocabulary."""
