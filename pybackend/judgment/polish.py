"""Polish: compliance checks, passed and failed, before and after a move; never an amount."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from pybackend.judgment.columns import BASS_CROSS, CLIPPED, CROSS, LEFT, N_BANDS, RIGHT
from pybackend.judgment.obstacles import SAFE_TRUE_PEAK_DBTP
from pybackend.metering.design import BAND_NAMES

if TYPE_CHECKING:
    from pybackend.judgment.features import BarFeatures

Array = npt.NDArray[np.float64]
State = Literal["passed", "failed", "unavailable"]

MONO_FOLD_DB: Final = -3.0
"""What unrelated channels lose in mono; more is lost to cancellation."""
BASS_LIKENESS: Final = 0.5
"""Below 120 Hz: 2 LR / (LL + RR), 1 in mono; at 0.5 a fold to mono loses 1.2 dB."""
REST_DB: Final = -30.0
"""What may lie outside 20 Hz-20 kHz; a constant offset of 1 % of full scale lies at -37 dBFS."""
BALANCE_DB: Final = 6.0
"""How far a band may stand from the reference, both against their own mean."""
EMPTY: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one side.

    Parameters
    ----------
    name : str
        true_peak, clipping, mono_fold, bass_in_mono, rest or balance.
    state : {"passed", "failed", "unavailable"}
        The result.
    text : str
        The value with its limit, or why there is none.
    value : float or None
        In the unit of the text.
    """

    name: str
    state: State
    text: str
    value: float | None = None


def polish_checks(
    features: BarFeatures, reference_db: Sequence[float] | None = None
) -> tuple[tuple[Check, ...], tuple[Check, ...]]:
    """Run every check on both sides of a move.

    Parameters
    ----------
    features : BarFeatures
        From `bar_features`; repeats of a side count together, peaks and clipping by
        the worst of them.
    reference_db : sequence of float, optional
        Level of the nine bands of a reference; its loudness does not matter.

    Returns
    -------
    before, after : tuple of Check
        In the same order.
    """
    n, totals, peaks = features.n_before, features.totals, features.true_peak_dbtp
    return (
        _side(totals[:n], float(peaks[:n].max()), reference_db),
        _side(totals[n:], float(peaks[n:].max()), reference_db),
    )


def _side(
    totals: Array, peak_dbtp: float, reference_db: Sequence[float] | None
) -> tuple[Check, ...]:
    sums = totals.sum(axis=0)
    return (
        _limit("true_peak", peak_dbtp, "dBTP", highest=SAFE_TRUE_PEAK_DBTP),
        _limit("clipping", float(totals[:, CLIPPED].max()), "frames at full scale", highest=0.0),
        _mono_fold(sums),
        _bass_in_mono(sums),
        _rest(sums),
        _balance(sums[:N_BANDS], reference_db),
    )


def _limit(name: str, value: float, unit: str, *, highest: float) -> Check:
    state: State = "passed" if value <= highest else "failed"
    return Check(name, state, f"{value:.4g} {unit}, at most {highest:g}", value)


def _mono_fold(sums: Array) -> Check:
    both = float(sums[LEFT] + sums[RIGHT])
    if both <= EMPTY:
        return Check("mono_fold", "unavailable", "there is no sound")
    fold_db = 10.0 * math.log10(max((both + 2.0 * float(sums[CROSS])) / (2.0 * both), EMPTY))
    state: State = "passed" if fold_db >= MONO_FOLD_DB else "failed"
    text = f"{fold_db:.1f} dB in mono, at least {MONO_FOLD_DB:g}"
    return Check("mono_fold", state, text, fold_db)


def _bass_in_mono(sums: Array) -> Check:
    both = float(sums[:2].sum())
    if both <= EMPTY:
        return Check("bass_in_mono", "unavailable", "there is no sound below 120 Hz")
    likeness = 2.0 * float(sums[BASS_CROSS]) / both
    state: State = "passed" if likeness >= BASS_LIKENESS else "failed"
    text = f"likeness of left and right {likeness:.2f} below 120 Hz, at least {BASS_LIKENESS:g}"
    return Check("bass_in_mono", state, text, likeness)


def _rest(sums: Array) -> Check:
    both, bands = float(sums[LEFT] + sums[RIGHT]), sums[:N_BANDS]
    if both <= EMPTY or not np.isfinite(bands).all():
        return Check("rest", "unavailable", "the sample rate does not carry every band")
    rest_db = 10.0 * math.log10(max((both - float(bands.sum())) / both, EMPTY))
    state: State = "passed" if rest_db <= REST_DB else "failed"
    text = f"{rest_db:.0f} dB of the whole outside 20 Hz-20 kHz (offset, rumble), "
    return Check("rest", state, f"{text}at most {REST_DB:g}", rest_db)


def _balance(bands: Array, reference_db: Sequence[float] | None) -> Check:
    if reference_db is None:
        return Check("balance", "unavailable", "no reference was given")
    wanted = np.asarray(reference_db, dtype=float)
    if wanted.shape != (N_BANDS,) or not np.isfinite([*wanted, *bands]).all():
        return Check("balance", "unavailable", "reference and sound need all nine bands")
    levels = 10.0 * np.log10(np.maximum(bands, EMPTY))
    off_db = (levels - levels.mean()) - (wanted - wanted.mean())
    worst = int(np.argmax(np.abs(off_db)))
    state: State = "passed" if abs(off_db[worst]) <= BALANCE_DB else "failed"
    text = f"{BAND_NAMES[worst]} {off_db[worst]:+.1f} dB off the reference, at most {BALANCE_DB:g}"
    return Check("balance", state, text, float(off_db[worst]))


def polish_text(features: BarFeatures) -> str:
    """The checks in one line: what fails after the move, and what the move changed."""
    before, after = polish_checks(features)
    failed = [f"{check.name} failed ({check.text})" for check in after if check.state == "failed"]
    changed = [
        f"{new.name} {old.state} before and {new.state} after"
        for old, new in zip(before, after, strict=True)
        if old.state != new.state
    ]
    passed = sum(check.state == "passed" for check in after)
    return "; ".join((f"{passed} checks passed", *failed, *changed))
