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
from pybackend.judgment.fabric.entries import CLARITY, ENGINE_MEASUREMENTS
from pybackend.judgment.frame_dimensions import FRAME_MEASUREMENTS, FRAME_WORDS, SECTION_WORDS
from pybackend.judgment.note_dimensions import ARTISTIC_WORDS, NOTE_MEASUREMENTS, NOTE_WORDS
from pybackend.judgment.other_dimensions import OTHER_WORDS

DIMENSIONS: Final = MappingProxyType(
    {
        dimension.name: dimension
        for dimension in (
            *FRAME_WORDS,
            *SECTION_WORDS,
            *NOTE_WORDS,
            CLARITY,
            *OTHER_WORDS,
            *ARTISTIC_WORDS,
            *FRAME_MEASUREMENTS,
            *NOTE_MEASUREMENTS,
            *ENGINE_MEASUREMENTS,
        )
    }
)
"""Every dimension by name."""

FRAME_DIMENSIONS: Final = (*FRAME_WORDS, *SECTION_WORDS, *FRAME_MEASUREMENTS)
"""The dimensions that a master's frames can show, of one passage or of two sections, in the order
of the feature arrays."""

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
    measured += [
        f"| {d.name} | {d.family} | {d.unit} | {d.smallest_effect:g} | {_scale_text(d)} "
        f"| from {d.needs}: {d.measured_as} |"
        for d in DIMENSIONS.values()
        if not d.from_frames and d.smallest_effect
    ]
    others = [
        f"| {d.name} | {d.family} | | | | unavailable: {d.unavailable} |"
        for d in DIMENSIONS.values()
        if not d.from_frames and not d.smallest_effect
    ]
    return "\n".join((*head, *measured, *others)) + "\n"


def word_table() -> str:
    """Markdown table of the technical words: definition, input, source and limits."""
    head = (
        "| word | measured as | needs | unit, smallest effect | gain moves it | source | limits |",
        "|---|---|---|---|---|---|---|",
    )
    rows = []
    for entry in DIMENSIONS.values():
        if entry.family == "technical":
            unit = f"{entry.unit} {entry.smallest_effect:g}" if entry.smallest_effect else "none"
            limits = entry.limits + ("; only supports a goal" if entry.supports else "")
            rows.append(
                f"| {entry.name} | {entry.measured_as} | {entry.needs} | {unit} "
                f"| {'no' if entry.level_free else 'yes'} | {entry.source} | {limits} |"
            )
    return "\n".join((*head, *rows)) + "\n"


def _scale_text(entry: Dimension) -> str:
    if entry.share:
        return "as it is"
    if entry.direction == "centre":
        return f"1 at 0, 0.5 at +-{entry.spread:g}"
    return f"0.5 at {entry.midpoint:g}, 0.73 at {entry.midpoint + entry.spread:g}"
