"""Two point snapshots to changes of dimensions, on the band edges that both have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pybackend.capture.point import PointSnapshot
from pybackend.judgment.dimensions import DIMENSIONS, FRAME_DIMENSIONS
from pybackend.metering.design import BAND_EDGES_HZ

Range = tuple[float, float]

MID_HZ: Final[Range] = (250.0, 2000.0)
WORDS_HZ: Final[dict[str, Range]] = {"brightness": (2000.0, 20000.0), "weight": (20.0, 120.0)}
BANDS_HZ: Final[dict[str, Range]] = {
    entry.name: (BAND_EDGES_HZ[entry.bands[0]], BAND_EDGES_HZ[entry.bands[0] + 1])
    for entry in FRAME_DIMENSIONS
    if len(entry.bands) == 1
}
LOWEST_SHARE: Final = 1e-7
"""A part 70 dB below the whole counts as nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Value of a dimension before and after, with its unit and what it was measured on."""

    before: float
    after: float
    unit: str = "dB"
    remark: str = ""

    @property
    def change(self) -> float:
        """After minus before."""
        return self.after - self.before


def compare_readings(
    before: PointSnapshot, after: PointSnapshot
) -> tuple[dict[str, Reading], dict[str, str]]:
    """Measure what two point snapshots can show.

    Parameters
    ----------
    before, after : PointSnapshot
        Of the same layout or of two.

    Returns
    -------
    readings : dict of str to Reading
        Dimensions that both can show. Where the layouts do not share an edge that a word needs, the
        nearest edge that they share stands in, and the remark says so.
    missing : dict of str to str
        Why the others are unavailable.
    """
    missing = {
        name: entry.unavailable or "a point snapshot holds no stereo image and no course of time"
        for name, entry in DIMENSIONS.items()
    }
    readings: dict[str, Reading] = {}
    for name, wanted in (*WORDS_HZ.items(), *BANDS_HZ.items()):
        found = _ratio(before, after, wanted, exactly=name in BANDS_HZ)
        if isinstance(found, Reading):
            readings[name] = found
        else:
            missing[name] = found
    if before.rms and after.rms:
        readings["energy"] = Reading(
            20.0 * math.log10(before.rms),
            20.0 * math.log10(after.rms),
            "dBFS",
            "RMS, which is not K-weighted",
        )
    else:
        missing["energy"] = "a reading has no RMS above zero"
    return readings, {name: why for name, why in missing.items() if name not in readings}


def _ratio(
    before: PointSnapshot, after: PointSnapshot, wanted: Range, *, exactly: bool
) -> Reading | str:
    common = sorted(_edges(before) & _edges(after))
    part = _nearest(wanted, common)
    if exactly and part != wanted:
        return f"the bands that both readings have do not show {_hz(wanted)}"
    inside = MID_HZ[0] <= wanted[0] and wanted[1] <= MID_HZ[1]
    mid = _nearest(MID_HZ, common)
    if inside and mid != MID_HZ:
        return f"the bands that both readings have do not show the rest of {_hz(MID_HZ)}"
    against = [(mid[0], part[0]), (part[1], mid[1])] if inside else [mid]
    levels = []
    for reading in (before, after):
        whole = sum(reading.powers.values())
        powers = _power(reading, [part]), _power(reading, against)
        levels.append([power / whole if whole else 0.0 for power in powers])
    for index, what in ((0, _hz(part)), (1, _hz(MID_HZ))):
        if all(level[index] < LOWEST_SHARE for level in levels):
            return f"{what} reads nothing, before and after"
    db = [
        10.0 * math.log10(max(level[0], LOWEST_SHARE) / max(level[1], LOWEST_SHARE))
        for level in levels
    ]
    exact = part == wanted and mid == MID_HZ
    remark = "" if exact else f"{_hz(part)} against {_hz(mid)}, the bands that both readings have"
    return Reading(db[0], db[1], remark=remark)


def _edges(reading: PointSnapshot) -> set[float]:
    return {edge for edges in reading.edges_hz.values() for edge in edges}


def _nearest(wanted: Range, common: Sequence[float]) -> Range:
    low, high = (min(common, key=lambda edge: abs(math.log(edge / each))) for each in wanted)
    return low, high


def _power(reading: PointSnapshot, ranges: Sequence[Range]) -> float:
    return sum(
        power
        for name, power in reading.powers.items()
        for low, high in ranges
        if low <= reading.edges_hz[name][0] and reading.edges_hz[name][1] <= high
    )


def _hz(edges: Range) -> str:
    low, high = edges
    if low >= 1000.0:
        return f"{low / 1000:g}-{high / 1000:g} kHz"
    return f"{low:g} Hz-{high / 1000:g} kHz" if high >= 1000.0 else f"{low:g}-{high:g} Hz"
