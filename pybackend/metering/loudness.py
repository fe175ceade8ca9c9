"""Integrated loudness (BS.1770-5 Annex 1) and loudness range (EBU Tech 3342).

Both are exact, from one number per frame each: 1.2 MB for an hour of stream, so there is no
histogram. A caller that listens without end keeps the stretch it reports on, as the ring does.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.errors import InputError
from pybackend.metering import design
from pybackend.metering.units import k_power_from_lufs, lufs, power_from_db

Array = npt.NDArray[np.float64]

ABSOLUTE_GATE_LUFS: Final = -70.0
RELATIVE_GATE_LU: Final = -10.0
RANGE_GATE_LU: Final = -20.0
RANGE_PERCENTILES: Final = (10, 95)
STEPS_PER_BLOCK: Final = design.MOMENTARY_SUB_BLOCKS // design.GATING_STEP_SUB_BLOCKS
FRAMES_PER_STEP: Final = design.GATING_STEP_SUB_BLOCKS // design.SUB_BLOCKS_PER_FRAME
FRAMES_PER_BLOCK: Final = STEPS_PER_BLOCK * FRAMES_PER_STEP
SHORT_TERM_FRAMES: Final = design.SHORT_TERM_SUB_BLOCKS // design.SUB_BLOCKS_PER_FRAME
MAX_UNWEIGHTED_CHANNELS: Final = 3


def _gated_lufs(block_power: Array) -> float | None:
    """Loudness of the gating blocks above both gates; a block that is NaN is above neither."""
    above = block_power[block_power > k_power_from_lufs(ABSOLUTE_GATE_LUFS)]
    if not len(above):
        return None
    # The loudest of them is always above a gate 10 LU below their mean.
    kept = above[above > above.mean() * power_from_db(RELATIVE_GATE_LU)]
    return float(lufs(kept.mean()))


def integrated_lufs(k_power: npt.ArrayLike) -> float | None:
    """Gated programme loudness of consecutive frames.

    Gating blocks of 400 ms are 8 frames and overlap by 75 %, so one begins every 2 frames; both
    gates are strict, -70 LUFS and 10 LU below the mean of the blocks above that. The last block
    counts only when it is complete.

    Parameters
    ----------
    k_power : array_like of float, shape (n,)
        K-weighted mean square of each frame, summed over channels (FS^2). NaN, a frame that was
        lost or that holds samples that are not finite, leaves out the blocks that contain it.

    Returns
    -------
    float or None
        LUFS; None when no block is above -70 LUFS.
    """
    power = np.asarray(k_power, np.float64)
    if len(power) < FRAMES_PER_BLOCK:
        return None
    blocks = np.lib.stride_tricks.sliding_window_view(power, FRAMES_PER_BLOCK)
    return _gated_lufs(blocks[::FRAMES_PER_STEP].mean(axis=1))


def loudness_range_lu(lufs_s: npt.ArrayLike) -> float | None:
    """Loudness range of consecutive frames.

    Spread from the 10th to the 95th percentile of the short-term readings that are at least
    -70 LUFS and at least 20 LU below the mean power of those; the percentile of n sorted readings
    is number ``round((n - 1) * p / 100 + 1)``, counted from 1.

    Parameters
    ----------
    lufs_s : array_like of float, shape (n,)
        Short-term loudness of each frame, from the stream's first on. The first 59 do not count:
        their window of 3 s is not full. NaN is left out.

    Returns
    -------
    float or None
        LU; None when no reading is above the gates. Below 60 s of programme it is not stable
        (EBU R 128 s1).
    """
    readings = np.asarray(lufs_s, np.float64)[SHORT_TERM_FRAMES - 1 :]
    above = readings[readings >= ABSOLUTE_GATE_LUFS]
    if not len(above):
        return None
    gate_lufs = lufs(k_power_from_lufs(above).mean()) + RANGE_GATE_LU
    kept = np.sort(above[above >= gate_lufs])
    low, high = (percentile_index(len(kept), percent) for percent in RANGE_PERCENTILES)
    return float(kept[high] - kept[low])


def percentile_index(count: int, percent: int) -> int:
    """0-based index of a percentile in ``count`` sorted readings, as Tech 3342 rounds it."""
    return ((count - 1) * percent + 50) // 100


def integrated_loudness(
    pcm: npt.ArrayLike, sample_rate_hz: int, channel_weights: npt.ArrayLike | None = None
) -> float | None:
    """Gated programme loudness straight from PCM, for any count of channels.

    Gating blocks begin and end at the nearest sample to multiples of 100 ms.

    Parameters
    ----------
    pcm : array_like of float, shape (n,) or (n, channels)
        Samples, full scale 1.
    sample_rate_hz : int
        Sample rate in Hz.
    channel_weights : array_like of float, shape (channels,), optional
        Weight of each channel's power: 1 for front channels, 1.41 for surrounds, 0 for LFE, so
        1, 1, 1, 1.41, 1.41 for 5.0. Up to three channels it may be left out, for 1 each.

    Returns
    -------
    float or None
        LUFS; None when no gating block is above -70 LUFS. Blocks that contain samples that are not
        finite are left out.

    Raises
    ------
    InputError
        When the PCM, the sample rate or the weights cannot be used.
    """
    from pybackend.metering.lanes import as_pcm, channel_pairs, check_rate  # noqa: PLC0415 - numba

    rate = check_rate(sample_rate_hz)
    samples = as_pcm(pcm)
    weights = _weights(channel_weights, samples.shape[1])
    steps = _whole_steps(len(samples), rate)
    if steps < STEPS_PER_BLOCK:
        return None
    energy = np.zeros(steps)
    for left, right in channel_pairs(samples.shape[1]):
        pair = np.array([weights[left], weights[right] if right >= 0 else 0.0])
        if pair.any():
            energy += _step_energies(samples, (left, right), rate, steps) @ pair
    edges = np.array([_step_edge(step, rate) for step in range(steps + 1)])
    blocks = np.lib.stride_tricks.sliding_window_view(energy, STEPS_PER_BLOCK).sum(axis=1)
    return _gated_lufs(blocks / (edges[STEPS_PER_BLOCK:] - edges[:-STEPS_PER_BLOCK]))


def _weights(channel_weights: npt.ArrayLike | None, channels: int) -> Array:
    if channel_weights is None:
        if channels > MAX_UNWEIGHTED_CHANNELS:
            raise InputError(
                f"loudness of {channels} channels needs their weights: "
                "1 for front, 1.41 for surround, 0 for LFE channels"
            )
        return np.ones(channels)
    weights = np.asarray(channel_weights, np.float64)
    if weights.shape != (channels,) or not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise InputError(f"channel weights {channel_weights} do not fit {channels} channels")
    return weights


def _step_edge(step: int, sample_rate_hz: int) -> int:
    return design.sub_block_end(step * design.GATING_STEP_SUB_BLOCKS - 1, sample_rate_hz)


def _whole_steps(samples: int, sample_rate_hz: int) -> int:
    steps = samples * design.SUB_BLOCKS_PER_S // (design.GATING_STEP_SUB_BLOCKS * sample_rate_hz)
    return steps + (_step_edge(steps + 1, sample_rate_hz) <= samples)


def _step_energies(
    samples: npt.NDArray[np.float32 | np.float64], channels: tuple[int, int], rate: int, steps: int
) -> Array:
    """K-weighted energy per 100 ms step and channel, shape (steps, 2); NaN where not finite."""
    from pybackend.metering import kernel  # noqa: PLC0415 - numba
    from pybackend.metering.lanes import coefficients  # noqa: PLC0415 - numba
    from pybackend.metering.segments import spread  # noqa: PLC0415 - numba

    run, rows_per_lane = spread(0, len(samples), rate)
    rows = np.empty((len(run.starts), rows_per_lane, 4))
    kernel.k_energies(
        kernel.Signal(samples, *channels), run, coefficients(rate), kernel.at_rest(), rows
    )
    sub_blocks = rows.reshape(-1, 4)[: steps * design.GATING_STEP_SUB_BLOCKS]
    sums = sub_blocks.reshape(steps, design.GATING_STEP_SUB_BLOCKS, 4).sum(axis=1)
    return np.where(sums[:, 2:] > 0.0, np.nan, sums[:, :2])
