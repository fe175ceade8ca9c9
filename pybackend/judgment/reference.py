"""A state beside a reference track: another piece of music, at matched loudness.

Nothing is judged. Different music differs in every figure, and nobody says that a reference is
right; the figures show where a mix stands apart from it, and whether a move came closer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from pybackend.capture.timeline import Positions, trace
from pybackend.errors import InputError
from pybackend.judgment.dimensions import DIMENSIONS
from pybackend.metering.design import BAND_NAMES, FRAME_S
from pybackend.metering.units import lufs
from pybackend.stream.frames import Frames

Array = npt.NDArray[np.float64]

STATEMENT: Final = (
    "The reference is another piece of music: its figures are a place to look, not a goal. Bands "
    "are compared at matched loudness, and no interval is given, since different music does not "
    "repeat the same bars."
)
ABSOLUTE_GATE_LUFS: Final = -70.0
RELATIVE_GATE_LU: Final = -10.0
PEAK_WINDOW_S: Final = 3.0
LOWEST_DB: Final = -60.0
"""A band this far below the whole is shown at this level: what lies below is noise."""
MIN_S: Final = 3.0
FIGURES: Final = (
    ("energy", "LUFS", "loudness_lufs"),
    ("dynamics", "LU", "dynamics_lu"),
    ("psr", "LU", "psr_lu"),
    ("width", "dB", "width_db"),
)
"""Dimension whose smallest effect counts, unit, and field of a profile."""
ABSENT: Final = {"psr": "shorter than 3 s", "width": "mono, or one side is silent"}


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ReferenceRow(_Record):
    """One figure of the state before (if given), the state after, and the reference.

    ``distance_before`` and ``distance_after`` are those from the reference; ``closer`` says whether
    the move reduced it by the smallest effect or more, None if it changed less or there is no
    state before. A figure that is unavailable is None, with the reason.
    """

    name: str
    unit: str
    before: float | None
    after: float | None
    reference: float | None
    distance_before: float | None
    distance_after: float | None
    closer: bool | None
    reason: str | None = None


class ReferenceComparison(_Record):
    """A state, or the two sides of a move, beside a reference.

    ``spectral_distance_before_db`` and ``..._after_db`` are root mean squares over the bands.
    ``level_match_lu`` is the gain that brings the state after to the reference's loudness.
    """

    rows: tuple[ReferenceRow, ...]
    spectral_distance_before_db: float | None
    spectral_distance_after_db: float | None
    level_match_lu: float
    statement: str = STATEMENT


@dataclass(frozen=True, slots=True)
class Profile:
    """Figures of one piece; None where there is none.

    Parameters
    ----------
    loudness_lufs : float
        Gated twice as in BS.1770-5, on momentary loudness every 50 ms.
    bands : tuple of float or None
        Level of each band against that loudness, in dB.
    dynamics_lu : float
        Standard deviation of momentary loudness within the gates.
    psr_lu : float or None
        Median of true peak in 3 s against short-term loudness.
    width_db : float or None
        Side against mid.
    """

    loudness_lufs: float
    bands: tuple[float | None, ...]
    dynamics_lu: float
    psr_lu: float | None
    width_db: float | None


def profile(captures: Sequence[Frames], positions: Positions, label: str) -> Profile:
    """Measure a piece from one or more captures.

    Parameters
    ----------
    captures : sequence of Frames
        Repeats of one state, or a whole track.
    positions : {"song", "start"}
        As in `align`.
    label : str
        For the message.

    Raises
    ------
    InputError
        If less than 3 s of sound can be used.
    """
    parts = []
    for frames in captures:
        timeline = trace(frames, positions)
        parts.append(timeline.frames.select(timeline.valid))
    whole = Frames.concatenate(parts)
    momentary = whole.column("lufs_m")
    heard = momentary > ABSOLUTE_GATE_LUFS
    if heard.any():
        mean = float(lufs(np.mean(10.0 ** ((momentary[heard] + 0.691) / 10.0))))
        heard &= momentary > mean + RELATIVE_GATE_LU
    if heard.sum() * FRAME_S < MIN_S:
        raise InputError(f"{label}: less than {MIN_S:g} s of sound; give a longer passage")
    loud = whole.select(heard)
    level = float(lufs(loud.column("k_power").mean()))
    powers = loud.column("band_power").mean(axis=0)
    total = float(np.nansum(powers))
    lowest = total * 10.0 ** (LOWEST_DB / 10.0)
    return Profile(
        loudness_lufs=level,
        bands=tuple(
            None if math.isnan(power) else 10.0 * math.log10(max(power, lowest)) - level
            for power in powers.tolist()
        ),
        dynamics_lu=float(loud.column("lufs_m").std()),
        psr_lu=_psr_lu(parts),
        width_db=_width_db(loud),
    )


def _psr_lu(parts: Sequence[Frames]) -> float | None:
    window = round(PEAK_WINDOW_S / FRAME_S)
    found = []
    for frames in parts:
        if len(frames) < window:
            continue
        peaks = np.maximum(frames.column("true_peak").max(axis=1), 1e-6)
        largest = np.lib.stride_tricks.sliding_window_view(peaks, window).max(axis=1)
        short = frames.column("lufs_s")[window - 1 :]
        heard = short > ABSOLUTE_GATE_LUFS
        found.append(20.0 * np.log10(largest[heard]) - short[heard])
    values = np.concatenate(found) if found else np.empty(0)
    return float(np.median(values)) if len(values) else None


def _width_db(frames: Frames) -> float | None:
    both = float(frames.column("mean_square").sum())
    cross = 2.0 * float(frames.column("lr_product").sum())
    side, mid = both - cross, both + cross
    floor = 1e-5 * both
    return 10.0 * math.log10(side / mid) if side > floor and mid > floor else None


def compare_with_reference(
    after: Profile, reference: Profile, before: Profile | None = None
) -> ReferenceComparison:
    """Lay a state, or both sides of a move, beside a reference.

    Parameters
    ----------
    after, reference : Profile
        The state, and the reference.
    before : Profile, optional
        The state before the move.
    """
    sides = (before, after, reference)
    rows = [
        _row(name, unit, [None if each is None else getattr(each, field) for each in sides])
        for name, unit, field in FIGURES
    ]
    rows += [
        _row(
            f"band_{name}",
            "dB",
            [None if each is None else each.bands[k] for each in sides],
        )
        for k, name in enumerate(BAND_NAMES)
    ]
    return ReferenceComparison(
        rows=tuple(rows),
        spectral_distance_before_db=None if before is None else _spectral_db(before, reference),
        spectral_distance_after_db=_spectral_db(after, reference),
        level_match_lu=reference.loudness_lufs - after.loudness_lufs,
    )


def _row(name: str, unit: str, values: Sequence[float | None]) -> ReferenceRow:
    before, after, reference = values
    distances = [
        None if value is None or reference is None else value - reference
        for value in (before, after)
    ]
    closer = None
    if distances[0] is not None and distances[1] is not None:
        gained = abs(distances[0]) - abs(distances[1])
        if abs(gained) >= DIMENSIONS[name].smallest_effect:
            closer = gained > 0.0
    absent = after is None or reference is None
    return ReferenceRow(
        name=name,
        unit=unit,
        before=before,
        after=after,
        reference=reference,
        distance_before=distances[0],
        distance_after=distances[1],
        closer=closer,
        reason=ABSENT.get(name, "a sample rate does not carry the band") if absent else None,
    )


def _spectral_db(of: Profile, reference: Profile) -> float | None:
    steps = [
        one - other
        for one, other in zip(of.bands, reference.bands, strict=True)
        if one is not None and other is not None
    ]
    return math.sqrt(math.fsum(step * step for step in steps) / len(steps)) if steps else None
