"""Registry entries that frames of the master can show, with where each comes from and its limits.

Smallest effects are defaults from experiment, not from listening tests: docs/judgment.md.
"""

from __future__ import annotations

from typing import Final

from pybackend.judgment.dimension import Dimension
from pybackend.metering.design import BAND_EDGES_HZ, BAND_NAMES

MID_BANDS: Final = (3, 4, 5)
"""Indices of the bands between 250 Hz and 2 kHz, which most ratios are measured against."""
BODY_LOW_BANDS: Final = (2, 3)
"""120-500 Hz, the lower half of a mix's body."""
BODY_HIGH_BANDS: Final = (4, 5)
"""500 Hz-2 kHz, the upper half."""
MIN_MOTION_BARS: Final = 16
"""Fewer bars hold too little of a slow modulation."""

BS_1770: Final = "ITU-R BS.1770-5 Annex 1"
RATIO_TRIALS: Final = "a gain moves it by less than 0.01: tests/judgment/test_evaluate.py"
LABELLED_MOVES: Final = "no trial on labelled moves is published yet"


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
        source=RATIO_TRIALS,
        limits="relative: what it is measured against moves it too",
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


FRAME_WORDS: Final = (
    Dimension(
        name="energy",
        family="technical",
        measured_as="10 lg of the K-weighted power per bar, before any level matching",
        source=BS_1770,
        limits="loudness and nothing else: not arousal, not drive",
        level_free=False,
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
        source="AudioCommons timbral_models 0.4.0: rank correlation of changes 0.93; "
        + RATIO_TRIALS,
        limits="a boost of the mids darkens it; harshness is not told from air",
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
        source="AudioCommons timbral_models 0.4.0 (its word is depth): rank correlation of changes "
        "0.8; " + RATIO_TRIALS,
        limits="how much, not how tight; what a room or small speakers make of it is not heard",
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
        name="warmth",
        family="technical",
        measured_as="10 lg of the power in 120-500 Hz against 500 Hz-2 kHz: the tilt within the "
        "body, which neither treble nor bass can move",
        source="AudioCommons timbral_models 0.4.0: rank correlation of changes 0.66 alone, R2 0.76 "
        "together with brightness and weight; " + LABELLED_MOVES,
        limits="the part of warmth that brightness and weight do not tell: a warmer goal may ask "
        "for less brightness as well; mud is not told from warmth",
        unit="dB",
        smallest_effect=0.75,
        midpoint=5.0,
        spread=4.0,
        more="warmer",
        less="thinner in the body",
        subject="warmth",
        bands=(2, 3, 4, 5),
    ),
    Dimension(
        name="width",
        family="technical",
        measured_as="10 lg of the side power against the mid power",
        source="side against mid, from sums of LL, RR and LR; " + RATIO_TRIALS,
        limits="says nothing about how well it folds to mono: polish checks that",
        unit="dB",
        smallest_effect=1.0,
        midpoint=-10.0,
        spread=4.0,
        more="wider",
        less="narrower",
        subject="width",
    ),
    Dimension(
        name="punch",
        family="technical",
        measured_as="share of the energy that arrives as a rise from one 50 ms frame to the next, "
        "10 lg per band, mean over the bands; peaks against loudness (psr) must not fall",
        source="after Fenton and Lee, AES 142 (transient against steady loudness per band); "
        + LABELLED_MOVES,
        limits="a proxy: it follows drums against what sustains, transient shaping and slow "
        "compression; what a limiter or a clipper takes off peaks is in psr alone, and the move "
        "of a fast bus compressor has no reliable sign",
        unit="dB",
        smallest_effect=0.4,
        midpoint=-6.0,
        spread=1.5,
        more="punchier",
        less="softer in its onsets",
        subject="punch",
        supports=True,
        guard="psr",
    ),
    Dimension(
        name="motion",
        family="technical",
        measured_as="standard deviation over bars of the levels below 120, 120-500, 500-2000 and "
        "above 2000 Hz against their mean, per quarter of a bar, jackknife over bars",
        needs=f"frames of the master, {MIN_MOTION_BARS} bars or more",
        source=LABELLED_MOVES,
        limits="a proxy: what repeats in every bar (a synced sweep, the rhythm) is no motion here, "
        "faster than 1 Hz at 120 BPM is not seen, and nothing says that motion is wanted",
        unit="dB",
        smallest_effect=0.2,
        midpoint=1.0,
        spread=0.5,
        more="more in motion",
        less="more static",
        subject="motion",
        supports=True,
        min_bars=MIN_MOTION_BARS,
    ),
)
"""Words of the technical vocabulary that one passage of the master can show."""

FRAME_MEASUREMENTS: Final = (
    Dimension(
        name="dynamics",
        family="measured",
        measured_as="standard deviation of momentary loudness over the window, jackknife over bars",
        source=f"momentary loudness: {BS_1770}, EBU Tech 3341; jackknife: Tukey 1958",
        limits="of the passage, not of the song: no loudness range",
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
        source=RATIO_TRIALS,
        limits="by level; a delay between the channels is not seen",
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
        source=f"peak-to-short-term ratio, AES e-Brief 373 (2017), per bar; {BS_1770} and 2",
        limits="one sample of a bar decides it, so humanised timing moves it",
        unit="LU",
        smallest_effect=0.5,
        error_floor=0.05,
        midpoint=10.0,
        spread=2.5,
        more="peakier",
        less="flatter in its peaks",
        subject="peaks against loudness",
    ),
    Dimension(
        name="fill",
        family="measured",
        measured_as="mean of the frames' levels against the level of their mean, per band (no "
        "deeper than 30 dB), mean over the bands: 0 is sound without gaps",
        source=LABELLED_MOVES,
        limits="how filled in time, not how many parts: density of notes needs the notes",
        unit="dB",
        smallest_effect=0.25,
        direction="either",
        midpoint=-3.0,
        spread=1.0,
        more="more filled in time",
        less="more gaps in time",
        subject="fill",
    ),
    *(_band(index) for index in range(len(BAND_NAMES))),
)
"""Plain measurements beside the words."""

SECTION_WORDS: Final = (
    Dimension(
        name="contrast",
        family="technical",
        measured_as="mean difference in loudness between pairs of sections, jackknife over bars",
        needs="frames of two or more sections of 4 bars or more",
        source=BS_1770,
        limits="loudness contrast alone; a change of timbre between sections is novelty",
        unit="LU",
        smallest_effect=0.5,
        midpoint=3.0,
        spread=1.5,
        more="more contrast between sections",
        less="less contrast between sections",
        subject="contrast of sections in loudness",
        unavailable="one passage has nothing to contrast with; it needs the bars of two sections",
    ),
    Dimension(
        name="novelty",
        family="technical",
        measured_as="root mean square difference of the level-free band spectra between pairs of "
        "sections, jackknife over bars",
        needs="frames of two or more sections of 4 bars or more",
        source="self-similarity of spectra after Foote 2000, as a change between two versions",
        limits="how unlike each other sections sound, not whether that is good or new to anybody; "
        "noise between bars counts as a little novelty",
        unit="dB",
        smallest_effect=0.5,
        midpoint=3.0,
        spread=1.5,
        more="sections more unlike each other",
        less="sections more alike",
        subject="novelty between sections",
        unavailable="one passage has nothing to be new against; it needs the bars of two sections",
    ),
)
"""Words that need the bars of two sections."""
