"""Registry entries that the engines measure and `evaluate_move` does not.

Smallest effects and error floors are defaults from experiment; docs/engines.md has their grounds.
"""

from __future__ import annotations

from typing import Final

from pybackend.judgment.dimension import Dimension

_MIX: Final = "not measured by evaluate_move; the mix and translation engines measure it"
_TRANSLATION: Final = "not measured by evaluate_move; the translation engine measures it"
_TRANSITION: Final = (
    "the same bars before and after hold no boundary of their own; the transition engine measures "
    "it where sections are given"
)


CLARITY: Final = Dimension(
    name="clarity",
    family="technical",
    measured_as="loudness that the parts keep beside one another against their loudness alone "
    "(E^0.23, spread over nine bands)",
    needs="frames of every track and the mixer's faders",
    smallest_effect=0.01,
    error_floor=0.002,
    share=True,
    more="clearer",
    less="more masked",
    subject="clarity of the parts",
    unavailable="masking is between parts, and a master's frames hold only their sum; "
    "it needs frames of every track",
)
"""The word that frames of every track can show."""


def _step(word: str, measured_as: str, unit: str, smallest: float, spoken: str) -> Dimension:
    return Dimension(
        name=f"transition_{word}",
        family="measured",
        measured_as=f"{measured_as}, bars behind a section boundary against as many ahead of it",
        needs="frames of both sections, and where the boundary is",
        unit=unit,
        smallest_effect=smallest,
        direction="either",
        spread=2.0 * smallest,
        more=f"bigger step in {spoken} across the boundary",
        less=f"smaller step in {spoken} across the boundary",
        subject=f"step in {spoken} across the boundary",
        unavailable=_TRANSITION,
    )


ENGINE_MEASUREMENTS: Final = (
    Dimension(
        name="headroom",
        family="measured",
        measured_as="distance of a bar's true peak to 0 dBTP, mean over the bars",
        unit="dB",
        smallest_effect=1.0,
        error_floor=0.2,
        midpoint=1.0,
        spread=1.0,
        more="more headroom",
        less="less headroom",
        subject="headroom",
        unavailable=_MIX,
    ),
    Dimension(
        name="mono_level",
        family="measured",
        measured_as="10 lg of the power of the mono sum (L + R) / 2 against the mean of L and R "
        "(0 dB is mono, -3 dB unrelated channels)",
        unit="dB",
        smallest_effect=0.5,
        midpoint=-3.0,
        spread=1.0,
        more="louder in mono",
        less="quieter in mono",
        subject="level in mono",
        unavailable=_TRANSLATION,
    ),
    Dimension(
        name="mono_low_end",
        family="measured",
        measured_as="the same below 120 Hz",
        unit="dB",
        smallest_effect=0.5,
        midpoint=-3.0,
        spread=1.0,
        more="more low end in mono",
        less="less low end in mono",
        subject="low end in mono",
        unavailable=_TRANSLATION,
    ),
    Dimension(
        name="small_speaker",
        family="measured",
        measured_as="10 lg of the power above 120 Hz, the band edge nearest to where small "
        "speakers begin, against the whole",
        unit="dB",
        smallest_effect=0.5,
        midpoint=-3.0,
        spread=1.5,
        more="more left on small speakers",
        less="less left on small speakers",
        subject="what small speakers play",
        unavailable=_TRANSLATION,
    ),
    Dimension(
        name="low_level",
        family="measured",
        measured_as="10 lg of the power weighted by what each band loses when playback sinks from "
        "80 to 50 phon (ISO 226:2003), against the whole",
        unit="dB",
        smallest_effect=0.5,
        midpoint=-4.0,
        spread=1.5,
        more="more left at low level",
        less="less left at low level",
        subject="what is left at low level",
        unavailable=_TRANSLATION,
    ),
    _step("energy", "K-weighted loudness", "LU", 0.5, "loudness"),
    _step("brightness", "brightness", "dB", 0.75, "brightness"),
    _step("weight", "weight", "dB", 1.0, "low end"),
    _step("width", "width", "dB", 1.0, "width"),
    _step(
        "density",
        "binary logarithm of the rises of level per second (flux)",
        "doublings",
        0.2,
        "density",
    ),
    Dimension(
        name="transition_gap",
        family="measured",
        measured_as="loudness of the bars ahead of a section boundary against that of their last "
        "beat; one observation per capture, its error is the floor",
        needs="frames of both sections, and where the boundary is",
        unit="dB",
        smallest_effect=3.0,
        error_floor=0.7,
        direction="either",
        midpoint=6.0,
        spread=4.0,
        more="deeper gap before the boundary",
        less="shallower gap before the boundary",
        subject="gap before the boundary",
        unavailable=_TRANSITION,
    ),
)
"""Measurements of the engines."""
