"""Registry entries that no frames of the master can show, and the input that could.

Changes of these come through `elsewhere`: from stems or from listeners.
"""

from __future__ import annotations

from typing import Final

from pybackend.judgment.dimension import Dimension

RATING_POINTS: Final = 100.0
"""Ratings run from 0 to 100, as on the continuous scale of ITU-R BS.1534."""


def _rated(name: str, measured_as: str, why: str, more: str, less: str) -> Dimension:
    return Dimension(
        name=name,
        family="technical",
        measured_as=measured_as,
        needs="ratings by listeners, before and after",
        source="a scale of 0-100 as in ITU-R BS.1534; paired ratings",
        limits="of these listeners, who know what they rate",
        unit="points",
        smallest_effect=10.0,
        error_floor=1.0,
        midpoint=RATING_POINTS / 2.0,
        spread=20.0,
        more=more,
        less=less,
        subject=name,
        unavailable=why,
    )


OTHER_WORDS: Final = (
    Dimension(
        name="depth",
        family="technical",
        measured_as="10 lg of the K-weighted power of the wet stem against the dry stem",
        needs="frames of the dry and the wet stem",
        source="direct-to-reverberant ratio as the cue of distance (Zahorik 2002)",
        limits="front to back only, and of the reverberation that was tapped",
        unit="dB",
        smallest_effect=2.0,
        midpoint=-12.0,
        spread=4.0,
        more="deeper in the room",
        less="closer",
        subject="depth",
        unavailable="direct and reverberant sound cannot be told apart in a master's frames; "
        "it needs wet and dry stems",
    ),
    _rated(
        "cohesion",
        "how well the parts hold together, as rated",
        "no accepted measure exists; it needs a listener's rating",
        "more cohesive",
        "less cohesive",
    ),
    _rated(
        "emotion",
        "what a listener feels, as rated",
        "no measurement shows it; it needs a listener's rating",
        "more moving",
        "less moving",
    ),
    Dimension(
        name="polish",
        family="technical",
        measured_as="a list of compliance checks passed and failed: true peak, clipping, mono "
        "fold, bass in mono, rest outside 20 Hz-20 kHz, balance against a reference",
        needs="frames of the master; a reference for its balance",
        source="EBU R128 (-1 dBTP), ITU-R BS.1770-5 Annex 2",
        limits="a list and no amount: it cannot be a target, and passing it is no praise",
        unavailable="polish is a list of checks passed and failed, not an amount; "
        "no number stands for it in a goal",
    ),
)
"""Words of the technical vocabulary that need more than the master's frames and the notes."""
