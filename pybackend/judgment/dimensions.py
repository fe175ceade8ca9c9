"""The registry of dimensions: what each word means, how it is measured, and when it is unavailable.

The 17 technical and 6 artistic words are all here, whether or not a master's frames can show them:
a word that cannot be measured carries the reason instead of a number. Beside them stand measured
dimensions that are no words of taste (dynamics, balance, psr and the nine bands).

Smallest effects and measurement errors are defaults taken from experiment, not from listening
tests; see docs/judgment-core.md.
"""

from __future__ import annotations

import difflib
from types import MappingProxyType
from typing import Final

from pybackend.errors import GoalError
from pybackend.judgment.dimension import Dimension
from pybackend.metering.design import BAND_EDGES_HZ, BAND_NAMES

MID_BANDS: Final = (3, 4, 5)
"""Indices of the bands between 250 Hz and 2 kHz, which every ratio is measured against."""


def _word(name: str, measured_as: str, needs: str, unavailable: str) -> Dimension:
    return Dimension(name, "technical", measured_as, needs, unavailable=unavailable)


def _artistic(name: str, measured_as: str, needs: str) -> Dimension:
    reason = f"a master's frames say nothing about {name}; it needs {needs}"
    return Dimension(name, "artistic", measured_as, needs, unavailable=reason)


def _hz(edge: float) -> str:
    return f"{edge / 1000:g} kHz" if edge >= 1000 else f"{edge:g} Hz"


def band_range(index: int) -> str:
    """Edges of a band, for people."""
    low, high = BAND_EDGES_HZ[index], BAND_EDGES_HZ[index + 1]
    if low >= 1000:
        return f"{low / 1000:g}-{high / 1000:g} kHz"
    return f"{low:g}-{high:g} Hz" if high < 1000 else f"{_hz(low)}-{_hz(high)}"


_BAND_MIDPOINTS_DB: Final = (-8.0, -1.0, -1.0, 0.0, -3.0, -5.0, -8.0, -11.0, -15.0)


def _band(index: int) -> Dimension:
    name, edges = BAND_NAMES[index], band_range(index)
    against = "the rest of 250 Hz-2 kHz" if index in MID_BANDS else "250 Hz-2 kHz"
    spoken = name.replace("_", " ")
    return Dimension(
        name=f"band_{name}",
        family="measured",
        measured_as=f"10 lg of the power in {edges} against {against}",
        unit="dB",
        smallest_effect=1.0 if name == "sub_low" else 0.75,
        direction="either",
        midpoint=_BAND_MIDPOINTS_DB[index],
        spread=4.0,
        more=f"more {spoken} ({edges})",
        less=f"less {spoken} ({edges})",
        subject=f"{spoken} ({edges})",
        bands=(index,),
    )


_NO_PROOF: Final = "no stand-in from a master's frames has been shown to follow it"

_MEASURED_WORDS: Final = (
    Dimension(
        name="energy",
        family="technical",
        measured_as="10 lg of the K-weighted power per bar (BS.1770), before any level matching",
        unit="LUFS",
        smallest_effect=0.5,
        midpoint=-18.0,
        spread=4.0,
        more="louder",
        less="quieter",
        subject="loudness",
    ),
    Dimension(
        name="brightness",
        family="technical",
        measured_as="10 lg of the power above 2 kHz against 250 Hz-2 kHz",
        unit="dB",
        smallest_effect=0.5,
        midpoint=-6.0,
        spread=4.0,
        more="brighter",
        less="darker",
        subject="brightness",
        bands=(6, 7, 8),
    ),
    Dimension(
        name="weight",
        family="technical",
        measured_as="10 lg of the power below 120 Hz against 250 Hz-2 kHz",
        unit="dB",
        smallest_effect=0.75,
        midpoint=0.0,
        spread=4.0,
        more="heavier in the low end",
        less="lighter in the low end",
        subject="low end",
        bands=(0, 1),
    ),
    Dimension(
        name="width",
        family="technical",
        measured_as="10 lg of the side power against the mid power",
        unit="dB",
        smallest_effect=1.0,
        midpoint=-10.0,
        spread=4.0,
        more="wider",
        less="narrower",
        subject="width",
    ),
)

_UNMEASURED_WORDS: Final = (
    _word(
        "punch",
        "loudness of transients against what sustains",
        "transients apart from sustained sound, over 16 bars or more",
        f"{_NO_PROOF}: peak against loudness hardly moves under a bus compressor that everybody "
        "hears (psr and dynamics show what peaks and level do)",
    ),
    _word(
        "density",
        "how much sounds at once",
        "notes, or frames of every track",
        f"{_NO_PROOF}; it needs notes or frames of every track",
    ),
    _word(
        "warmth",
        "a tilt towards the low mids without boom",
        "a measure proven on labelled moves",
        f"{_NO_PROOF} apart from the tilt that brightness already measures "
        "(band_low_mid shows the low mids themselves)",
    ),
    _word(
        "depth",
        "distance: direct against reverberant sound",
        "wet and dry stems",
        "direct and reverberant sound cannot be told apart in a master's frames; "
        "it needs wet and dry stems",
    ),
    _word(
        "motion",
        "slow modulation of timbre and level",
        "16 bars or more and a known free-running part",
        f"{_NO_PROOF} within a handful of bars; it needs 16 bars or more",
    ),
    _word(
        "contrast",
        "difference between sections",
        "frames of two sections",
        "the same bars before and after hold one passage; it needs frames of two sections",
    ),
    _word(
        "clarity",
        "how little the parts mask one another",
        "frames of every track",
        "masking is between parts, and a master's frames hold only their sum; "
        "it needs frames of every track",
    ),
    _word(
        "cohesion",
        "how well the parts hold together",
        "a listener's rating",
        "no accepted measure exists; it needs a listener's rating",
    ),
    _word(
        "groove",
        "timing and accents of the notes",
        "notes and clips",
        "microtiming is in the notes, not in 50 ms frames; it needs notes and clips",
    ),
    _word(
        "tension",
        "expectation built by harmony, register and rhythm",
        "notes and clips",
        "harmony and register are in the notes, not in band powers; it needs notes and clips",
    ),
    _word(
        "novelty",
        "how unlike the session's own past it is",
        "a history of earlier moves and sections",
        "one pair of captures has no past to be new against; it needs a history of the session",
    ),
    _word(
        "polish",
        "a list of compliance checks passed and failed",
        "the list of checks",
        "polish is a list of checks passed and failed, not an amount; "
        "no number stands for it in a goal",
    ),
    _word(
        "emotion",
        "what a listener feels",
        "a listener's rating",
        "no measurement shows it; it needs a listener's rating",
    ),
)

_ARTISTIC_WORDS: Final = (
    _artistic("style_fit", "distance to a concept packet", "a concept packet with numeric targets"),
    _artistic("distinctiveness", "distance to the usual result", "a history of earlier results"),
    _artistic("motif_coherence", "whether motifs survive and evolve", "notes and clips"),
    _artistic("section_contrast", "distance between sections", "the song's sections"),
    _artistic("restraint", "what was added against what was asked", "an inventory of the actions"),
    _artistic(
        "surprise_without_breakage",
        "distinctiveness with style_fit and motifs intact",
        "distinctiveness, style_fit, motif_coherence and restraint",
    ),
)

_MEASUREMENTS: Final = (
    Dimension(
        name="dynamics",
        family="measured",
        measured_as="standard deviation of momentary loudness over the window, jackknife over bars",
        unit="LU",
        smallest_effect=0.3,
        midpoint=3.0,
        spread=1.5,
        more="more dynamic",
        less="less dynamic",
        subject="dynamics",
    ),
    Dimension(
        name="balance",
        family="measured",
        measured_as="10 lg of the right power against the left power",
        unit="dB",
        smallest_effect=0.5,
        direction="centre",
        spread=3.0,
        more="further right",
        less="further left",
        subject="left-right balance",
    ),
    Dimension(
        name="psr",
        family="measured",
        measured_as="true peak of a bar against the K-weighted loudness of the same bar",
        unit="LU",
        smallest_effect=0.5,
        error_floor=0.05,
        midpoint=10.0,
        spread=2.5,
        more="peakier",
        less="flatter in its peaks",
        subject="peaks against loudness",
    ),
    *(_band(index) for index in range(len(BAND_NAMES))),
)

DIMENSIONS: Final = MappingProxyType(
    {
        dimension.name: dimension
        for dimension in (*_MEASURED_WORDS, *_UNMEASURED_WORDS, *_ARTISTIC_WORDS, *_MEASUREMENTS)
    }
)
"""Every dimension by name."""

FRAME_DIMENSIONS: Final = tuple(d for d in DIMENSIONS.values() if d.from_frames)
"""The dimensions that a master's frames can show, in the order of the feature arrays."""

FRAME_INDEX: Final = MappingProxyType({d.name: i for i, d in enumerate(FRAME_DIMENSIONS)})


def nearest(name: str, known: tuple[str, ...]) -> str:
    """Phrase that suggests the known name closest to ``name``, or lists all of them."""
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.55)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"


def dimension(name: str) -> Dimension:
    """Registry entry of a name.

    Raises
    ------
    GoalError
        If there is no such dimension; the message suggests the nearest one.
    """
    found = DIMENSIONS.get(name)
    if found is None:
        raise GoalError(f"unknown dimension {name[:60]!r}; {nearest(name, tuple(DIMENSIONS))}")
    return found


def dimension_table() -> str:
    """Markdown table of the registry, for the documentation."""
    head = (
        "| dimension | family | unit | smallest effect | shown 0..1 | measured as |",
        "|---|---|---|---|---|---|",
    )
    measured = [
        f"| {d.name} | {d.family} | {d.unit} | {d.smallest_effect:g} | {_scale_text(d)} "
        f"| {d.measured_as} |"
        for d in FRAME_DIMENSIONS
    ]
    others = [
        f"| {d.name} | {d.family} | | | | unavailable: {d.unavailable} |"
        for d in DIMENSIONS.values()
        if not d.from_frames
    ]
    return "\n".join((*head, *measured, *others)) + "\n"


def _scale_text(entry: Dimension) -> str:
    if entry.direction == "centre":
        return f"1 at 0, 0.5 at +-{entry.spread:g}"
    return f"0.5 at {entry.midpoint:g}, 0.73 at {entry.midpoint + entry.spread:g}"
