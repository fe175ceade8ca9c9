"""Captures to numbers: per dimension, capture and bar, from powers summed over one joint mask.

This module compiles numba kernels; import it inside functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.capture.aligned import AlignedCaptures, Incomparable, Reason, ReasonCode
from pybackend.jit import kernel
from pybackend.judgment.barsums import sum_bars
from pybackend.judgment.columns import K_POWER, N_BANDS
from pybackend.judgment.ratios import measure
from pybackend.judgment.sections import Section, section_of_bars
from pybackend.stream.protocol import FRAME_WIDTH, column

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]

MIN_BARS: Final = 4
MIN_BAR_COVERAGE: Final = 0.8
MAX_LOSS: Final = 0.05
MIN_AUDIBLE: Final = 0.1
"""Share of the frames heard in some capture that a capture must be heard in, or it is silent."""
BAR_RANGE: Final = 1e-4
"""A bar 40 LU below the average of its capture is silence: the end of a tail, not music."""
GATE_LUFS: Final = -70.0
"""Absolute gate of BS.1770-5 Annex 1, applied to momentary loudness."""

_BANDS: Final = column("band_power")
_LEFT: Final = column("mean_square")
_RIGHT: Final = _LEFT + 1
_LR: Final = column("lr_product")
_PEAK_LEFT: Final = column("true_peak")
_PEAK_RIGHT: Final = _PEAK_LEFT + 1
_MOMENTARY: Final = column("lufs_m")
_K_POWER: Final = column("k_power")
_RATE: Final = column("sample_rate")

# Columns of the counts per bar: all frames, frames valid in every capture, of those above the gate
# in some capture, above it in every capture.
_FRAMES, _VALID, _HEARD, _LOUD = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class BarFeatures:
    """Every dimension that frames can show, per capture and bar.

    Parameters
    ----------
    x : ndarray of float64, shape (dimensions, captures, bars)
        Values in native units, in the order of `FRAME_DIMENSIONS`; a dimension that is unavailable
        is all zeros.
    reasons : tuple of str
        Why a dimension is unavailable; empty where it is available.
    remarks : tuple of str
        What limits a dimension that is available; usually empty.
    n_before : int
        Count of captures before the move.
    frames : int
        Frames per capture that were compared.
    k_level_lufs : ndarray of float64, shape (captures,)
        Ungated K-weighted loudness over the joint mask.
    band_db : ndarray of float64, shape (captures, 9)
        Band levels over the joint mask, in dB; NaN for a band that the sample rate cannot carry.
    true_peak_dbtp : ndarray of float64, shape (captures,)
        Largest true peak over the joint mask.
    totals : ndarray of float64, shape (captures, WIDTH)
        Sums over the joint mask, in the columns of `columns`; bands that the sample rate cannot
        carry are NaN.
    sample_rate_hz : float
        Sample rate of all captures.
    notes : tuple of str
        What was left out.
    bars : tuple of int
        Which bars of the aligned captures were compared.
    """

    x: Array
    reasons: tuple[str, ...]
    remarks: tuple[str, ...]
    n_before: int
    frames: int
    k_level_lufs: Array
    band_db: Array
    true_peak_dbtp: Array
    totals: Array
    sample_rate_hz: float
    notes: tuple[str, ...] = ()
    bars: tuple[int, ...] = ()

    @property
    def n_bars(self) -> int:
        """Count of bars that were compared."""
        return int(self.x.shape[2])


@kernel
def _faults(values: Array, valid: Mask) -> tuple[int, Counts]:
    """Count of valid frames with impossible numbers, and per band of impossible powers."""
    captures, frames = valid.shape
    bands = np.zeros(N_BANDS, np.int64)
    faults = 0
    for c in range(captures):
        for f in range(frames):
            if not valid[c, f]:
                continue
            row = values[c, f]
            for k in range(N_BANDS):
                if not 0.0 <= row[_BANDS + k] < np.inf:
                    bands[k] += 1
            if not (
                0.0 <= row[_LEFT] < np.inf
                and 0.0 <= row[_RIGHT] < np.inf
                and abs(row[_LR]) < np.inf
                and 0.0 <= row[_K_POWER] < np.inf
                and abs(row[_MOMENTARY]) < np.inf
                and 0.0 <= row[_PEAK_LEFT] < np.inf
                and 0.0 <= row[_PEAK_RIGHT] < np.inf
            ):
                faults += 1
    return faults, bands


@kernel
def _joint_mask(
    values: Array, valid: Mask, bar: Counts, n_bars: int
) -> tuple[npt.NDArray[np.int8], Counts, Counts]:
    """Mask (1 heard in some capture, 2 in every), counts per bar, audible frames per capture."""
    captures, frames = valid.shape
    mask = np.zeros(frames, np.int8)
    counts = np.zeros((n_bars, 4), np.int64)
    audible = np.zeros(captures, np.int64)
    for f in range(frames):
        counts[bar[f], _FRAMES] += 1
        whole = True
        above = 0
        for c in range(captures):
            whole = whole and valid[c, f]
            above += values[c, f, _MOMENTARY] > GATE_LUFS
        if not whole:
            continue
        counts[bar[f], _VALID] += 1
        if above > 0:
            counts[bar[f], _HEARD] += 1
            mask[f] = 1
            for c in range(captures):
                audible[c] += values[c, f, _MOMENTARY] > GATE_LUFS
        if above == captures:
            counts[bar[f], _LOUD] += 1
            mask[f] = 2
    return mask, counts, audible


def bar_features(
    aligned: AlignedCaptures, sections: Sequence[Section] = ()
) -> BarFeatures | Incomparable:
    """Measure every dimension that frames can show, per capture and bar.

    A frame counts if every capture has it and momentary loudness is above -70 LUFS in at least one
    of them: what is silent everywhere adds nothing to a power sum, and a move cannot shift the mask
    by being louder or quieter. A bar counts if at least 80 % of its frames are there in every
    capture and it sounds in every capture, within 40 LU of that capture's average. Powers are
    summed over the mask before any logarithm. Time grows linearly with the number of frames.

    Parameters
    ----------
    aligned : AlignedCaptures
        At least one capture before and one after.
    sections : sequence of (float, float)
        Sections of the song in the captures, as starts and ends in quarter notes; contrast and
        novelty need two.

    Returns
    -------
    BarFeatures or Incomparable
        `Incomparable` for fewer than 4 usable bars, loss above 5 %, a silent capture, or numbers
        that are not finite powers.

    Raises
    ------
    ValueError
        If the arrays do not fit one another.
    InputError
        If a section is empty or overlaps another.
    """
    fault = _layout_fault(aligned)
    if fault is not None:
        return fault
    faults, band_faults = _faults(aligned.values, aligned.valid)
    partly = (band_faults > 0) & (band_faults < np.count_nonzero(aligned.valid))
    if faults or partly.any():
        return _refuse("non_finite", "frames hold numbers that are not finite powers")
    mask, counts, audible = _joint_mask(aligned.values, aligned.valid, aligned.bar, aligned.n_bars)
    refused = _silence(counts, audible, aligned.n_before)
    if refused is not None:
        return refused
    sums = sum_bars(aligned.values, mask, aligned.bar, aligned.n_bars)
    covered = counts[:, _VALID] >= MIN_BAR_COVERAGE * counts[:, _FRAMES]
    sounding = _sounding(sums[..., K_POWER])
    kept = covered & sounding
    left_out = _left_out(int((~covered).sum()), int((covered & ~sounding).sum()))
    if kept.sum() < MIN_BARS:
        text = f"{int(kept.sum())} usable bars, {MIN_BARS} needed{left_out and f' ({left_out})'}"
        return _refuse("too_few_bars", text)
    heard, loud = counts[kept, _HEARD], counts[kept, _LOUD]
    place = None
    if sections:
        place = section_of_bars(
            sections, aligned.start_beats, aligned.beats_per_bar, np.flatnonzero(kept)
        )
    measured = measure(sums[:, kept], heard, loud, band_faults > 0, place)
    return BarFeatures(
        x=measured.x,
        reasons=tuple(measured.reasons),
        remarks=tuple(measured.remarks),
        n_before=aligned.n_before,
        frames=int(heard.sum()),
        k_level_lufs=measured.k_level_lufs,
        band_db=measured.band_db,
        true_peak_dbtp=measured.true_peak_dbtp,
        totals=sums[:, kept].sum(axis=1),
        sample_rate_hz=float(aligned.values[0, int(np.argmax(mask > 0)), _RATE]),
        notes=(f"Left out: {left_out}.",) if left_out else (),
        bars=tuple(np.flatnonzero(kept).tolist()),
    )


def _refuse(code: ReasonCode, text: str) -> Incomparable:
    return Incomparable((Reason(code, text),))


def _layout_fault(aligned: AlignedCaptures) -> Incomparable | None:
    captures, frames = aligned.valid.shape
    if aligned.values.shape != (captures, frames, FRAME_WIDTH) or aligned.bar.shape != (frames,):
        raise ValueError(f"values {aligned.values.shape} do not fit valid {aligned.valid.shape}")
    if not 0 < aligned.n_before < captures:
        return _refuse("no_frames", "there is no capture on one side of the move")
    n_bars = aligned.n_bars
    if n_bars < MIN_BARS:
        return _refuse("too_few_bars", f"{n_bars} whole bars in common, {MIN_BARS} needed")
    if aligned.bar.min() < 0 or aligned.bar.max() >= n_bars:
        raise ValueError("bars must be numbered 0 .. n_bars - 1 in order")
    worst = max(aligned.loss, default=0.0)
    if not worst <= MAX_LOSS:
        return _refuse("loss", f"{worst:.1%} of the frames are missing, {MAX_LOSS:.0%} allowed")
    return None


def _silence(counts: Counts, audible: Counts, n_before: int) -> Incomparable | None:
    heard = int(counts[:, _HEARD].sum())
    if heard == 0 and counts[:, _VALID].any():
        return _refuse("silence", f"nothing is louder than {GATE_LUFS:g} LUFS in any capture")
    for capture, count in enumerate(audible):
        if heard and count < MIN_AUDIBLE * heard:
            side = "before" if capture < n_before else "after"
            return _refuse("silence", f"a capture {side} the move is silent")
    return None


def _sounding(k_power: Array) -> Mask:
    """Bars that sound in every capture, each measured against its own average."""
    average = k_power.mean(axis=1, keepdims=True)
    sounding: Mask = ((k_power > 0.0) & (k_power >= BAR_RANGE * average)).all(axis=0)
    return sounding


def _left_out(gaps: int, quiet: int) -> str:
    parts = []
    if gaps:
        parts.append(f"{gaps} bars with gaps" if gaps > 1 else "1 bar with gaps")
    if quiet:
        parts.append(
            f"{quiet} bars silent in a capture" if quiet > 1 else "1 bar silent in a capture"
        )
    return ", ".join(parts)
