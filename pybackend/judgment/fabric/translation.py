"""The translation engine: what other places of playback leave of the sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pybackend.judgment.critics import CANCELLING_DB
from pybackend.judgment.fabric.equal_loudness import quiet_weights
from pybackend.judgment.fabric.rows import Rows
from pybackend.judgment.fabric.sums import bar_peaks_dbtp, bar_sums
from pybackend.judgment.fabric.written import Check
from pybackend.judgment.obstacles import SAFE_TRUE_PEAK_DBTP
from pybackend.judgment.ratios import STEREO_RANGE

if TYPE_CHECKING:
    from pybackend.capture.aligned import AlignedCaptures
    from pybackend.judgment.features import BarFeatures

Array = npt.NDArray[np.float64]

BELOW_120_HZ: Final = (0, 1)
LOUD_PEAK_DBTP: Final = -2.0
LOUD_LUFS: Final = -14.0
"""Above this loudness streaming services ask for -2 dBTP."""
_LEAST: Final = 1e-12


def _db(part: Array, whole: Array) -> Array:
    # Cancellation ends where the float32 sums of the analyzer do.
    floor = np.maximum(whole * STEREO_RANGE, _LEAST)
    return np.asarray(10.0 * np.log10(np.maximum(part, floor) / np.maximum(whole, floor)))


def translation_rows(aligned: AlignedCaptures, features: BarFeatures) -> Rows:
    """Measure what the translation engine judges, per capture and bar.

    The mono fold-down is (L + R) / 2 from the sums of L^2, R^2 and L R. A small speaker is taken
    to play what lies above 120 Hz: the band edge next to the 150 Hz of a telephone.
    """
    rows = Rows.of_frames(features)
    bars = features.bars
    channels = bar_sums(aligned, "mean_square", bars)
    cross = bar_sums(aligned, "lr_product", bars)[..., 0]
    bands = bar_sums(aligned, "band_power", bars)
    band_cross = bar_sums(aligned, "band_lr", bars)
    total = channels.sum(axis=2)
    if np.any(channels.sum(axis=1) <= STEREO_RANGE * total.sum(axis=1)[:, None]):
        rows.put("mono_level", "a channel is silent")
        rows.put("mono_low_end", "a channel is silent")
    else:
        rows.put("mono_level", _db((total + 2.0 * cross) / 4.0, total / 2.0))
        low = bands[..., BELOW_120_HZ].sum(axis=2)
        low_cross = band_cross[..., BELOW_120_HZ].sum(axis=2)
        some = np.all(low.sum(axis=1) > STEREO_RANGE * total.sum(axis=1))
        rows.put(
            "mono_low_end",
            _db((low + 2.0 * low_cross) / 4.0, low / 2.0)
            if some
            else "nothing sounds below 120 Hz",
        )
    whole = bands.sum(axis=2)
    rows.put("small_speaker", _db(whole - bands[..., BELOW_120_HZ].sum(axis=2), whole))
    rows.put("low_level", _db(bands @ quiet_weights(), whole))
    rows.put("headroom", -bar_peaks_dbtp(aligned, bars))
    return rows


def translation_checks(rows: Rows, features: BarFeatures) -> tuple[Check, ...]:
    """Limits of other places of playback, before and after."""
    n = features.n_before
    peak = _sides(features.true_peak_dbtp, n, np.max)
    loudness = _sides(features.k_level_lufs, n, np.mean)
    limit = LOUD_PEAK_DBTP if loudness[1] > LOUD_LUFS else SAFE_TRUE_PEAK_DBTP
    checks = [
        Check(
            name="codec_headroom",
            limit=f"true peak at most {limit:g} dBTP"
            + (
                f", since it is louder than {LOUD_LUFS:g} LUFS"
                if limit < SAFE_TRUE_PEAK_DBTP
                else ""
            ),
            before=peak[0],
            after=peak[1],
            unit="dBTP",
            passed=peak[1] <= limit,
        )
    ]
    for name in ("mono_level", "mono_low_end"):
        values = rows.values.get(name)
        levels = (None, None) if values is None else _sides(values.mean(axis=1), n, np.mean)
        checks.append(
            Check(
                name=name,
                limit=f"at least {CANCELLING_DB:g} dB; unrelated channels give -3 dB",
                before=levels[0],
                after=levels[1],
                unit="dB",
                passed=None if levels[1] is None else levels[1] >= CANCELLING_DB,
            )
        )
    return tuple(checks)


def _sides(
    values: Array, n_before: int, fold: Callable[[Array], np.floating]
) -> tuple[float, float]:
    return float(fold(values[:n_before])), float(fold(values[n_before:]))
