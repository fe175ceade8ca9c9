"""What an edit really did, computed from the sound without the meter: spectra, no running filters.

Two sets of bands: *sharp* ones cut exactly at the edges, which is what the words mean, and the
*meter's* own, from the magnitude response of its band tree. The difference between the two is a
matter of definition; the meter has to agree with the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.metering import design

Array = npt.NDArray[np.float64]
Edges = npt.NDArray[np.int64]

FADE_S: Final = 0.02
"""Bars fade into one another over this, so that barlines are no clicks in the spectrum."""
TABLE_HZ: Final = 48000.0
SHELF: Final = (
    (1.53512485958697, -2.69169618940638, 1.19839281085285),
    (1.0, -1.69065929318241, 0.73248077421585),
)
HIGH_PASS: Final = ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621))
"""K-weighting as BS.1770-5 tabulates it, at 48 kHz."""


@dataclass(frozen=True)
class Levels:
    """Mean squares of a passage per bar.

    Parameters
    ----------
    sharp, tree : ndarray of float64, shape (9, bars)
        Sum of the channels' mean squares in each band, cut at the edges and as the meter cuts.
    left, right, cross, k_power : ndarray of float64, shape (bars,)
        Mean squares, mean of left times right, and K-weighted sum of channels.
    true_peak : ndarray of float64, shape (bars,)
        Largest magnitude at 8 times the sample rate.
    momentary_lufs : ndarray of float64, shape (frames,)
        Loudness of 400 ms, every 50 ms.
    """

    sharp: Array
    tree: Array
    left: Array
    right: Array
    cross: Array
    k_power: Array
    true_peak: Array
    momentary_lufs: Array


def _k_mask(hz: Array) -> Array:
    # Above 24 kHz the table says nothing; no music is there.
    z = np.exp(-2j * np.pi * np.minimum(hz, 23999.0) / TABLE_HZ)
    response = np.ones(len(hz))
    for b, a in (SHELF, HIGH_PASS):
        response = response * np.abs(np.polyval(b[::-1], z) / np.polyval(a[::-1], z))
    return response


@lru_cache(maxsize=64)
def _power_masks(size: int, rate_hz: int) -> tuple[Array, Array]:
    """Power response of the nine bands, sharp and as the meter's tree: shape (9, bins) each."""
    hz = np.fft.rfftfreq(size, 1.0 / rate_hz)
    edges = np.array(design.BAND_EDGES_HZ)[:, None]
    sharp = ((hz >= edges[:-1]) & (hz < edges[1:])).astype(np.float64)
    z = np.exp(-2j * np.pi * hz / rate_hz)

    def second(section: design.SecondOrder) -> Array:
        top = section.a2 + section.a1 * z + z * z
        return top / (1.0 + section.a1 * z + section.a2 * z * z)

    above, tree = np.ones(len(hz)), []
    for split in design.band_splits(rate_hz):
        first = (split.first.c + z) / (1.0 + split.first.c * z) * second(split.second)
        other = second(split.third) * second(split.fourth)
        tree.append(above * np.abs(first + other) ** 2 / 4.0)
        above = above * np.abs(first - other) ** 2 / 4.0
    return sharp, np.stack(tree[1:10])


def _bands(sound: Array, rate_hz: int, edges: Edges) -> tuple[Array, Array]:
    """Band powers of every bar, sharp and tree."""
    fade = round(FADE_S * rate_hz) // 2
    turn = 0.25 * np.pi * (1.0 + np.arange(-fade + 0.5, fade) / fade)
    sharp, tree = [], []
    for start, end in pairwise(edges.tolist()):
        bar = sound[start - fade : end + fade].copy()
        bar[: 2 * fade] *= np.sin(turn)[:, None]
        bar[-2 * fade :] *= np.cos(turn)[:, None]
        size = 1 << (len(bar) - 1).bit_length()
        power = np.square(np.abs(np.fft.rfft(bar, size, axis=0))).sum(axis=1)
        power[1:-1] *= 2.0
        for masks, found in zip(_power_masks(size, rate_hz), (sharp, tree), strict=True):
            found.append(masks @ power / size / (end - start))
    return np.array(sharp).T, np.array(tree).T


def _per_bar(signal: Array, edges: Edges) -> Array:
    running = np.concatenate(([0.0], np.cumsum(signal)))
    return np.diff(running[edges]) / np.diff(edges)


def levels(sound: Array, rate_hz: int, edges: Edges) -> Levels:
    """Measure a passage between barlines.

    Parameters
    ----------
    sound : ndarray of float64, shape (samples, 2)
        With what sounds before and after.
    rate_hz : int
        Sample rate.
    edges : ndarray of int64, shape (bars + 1,)
        Samples of the barlines.
    """
    size = 1 << (len(sound) - 1).bit_length()
    k_mask = _k_mask(np.fft.rfftfreq(size, 1.0 / rate_hz))[:, None]
    weighted = np.fft.irfft(np.fft.rfft(sound, size, axis=0) * k_mask, size, axis=0)[: len(sound)]
    k_power = np.square(weighted).sum(axis=1)
    sharp, tree = _bands(sound, rate_hz, edges)
    return Levels(
        sharp=sharp,
        tree=tree,
        left=_per_bar(np.square(sound[:, 0]), edges),
        right=_per_bar(np.square(sound[:, 1]), edges),
        cross=_per_bar(sound[:, 0] * sound[:, 1], edges),
        k_power=_per_bar(k_power, edges),
        true_peak=_true_peak(sound, edges),
        momentary_lufs=_momentary(k_power, rate_hz, edges),
    )


def _true_peak(sound: Array, edges: Edges, half: int = 32) -> Array:
    """Largest magnitude of each bar, between samples too, around its highest samples."""
    taps = np.arange(1 - half, half + 1)
    kernels = []
    for phase in np.arange(8) / 8.0:
        x = taps - phase
        kernels.append(np.sinc(x) * np.cos(0.5 * np.pi * x / (half + 1)) ** 2)
    bank = np.array(kernels)
    peaks = []
    for start, end in pairwise(edges.tolist()):
        highest = 0.0
        for channel in range(2):
            part = np.abs(sound[start:end, channel])
            top = np.flatnonzero(part >= 0.8 * part.max())
            # A peak between two samples is next to one of them, on either side.
            at = start + np.unique(np.concatenate((top - 1, top)))
            near = sound[at[:, None] + taps, channel]
            highest = max(highest, float(part.max()), float(np.abs(near @ bank.T).max()))
        peaks.append(highest)
    return np.array(peaks)


def _momentary(k_power: Array, rate_hz: int, edges: Edges) -> Array:
    running = np.concatenate(([0.0], np.cumsum(k_power)))
    ends = np.round(np.arange(edges[0] + 0.05 * rate_hz, edges[-1] + 1, 0.05 * rate_hz)).astype(int)
    window = round(0.4 * rate_hz)
    mean = (running[ends] - running[ends - window]) / window
    return -0.691 + 10.0 * np.log10(np.maximum(mean, 1e-12))


def _db(power: Array) -> Array:
    return 10.0 * np.log10(np.maximum(power, 1e-12))


def per_bar(of: Levels, *, sharp: bool) -> dict[str, Array]:
    """Every dimension that a bar alone shows, in its unit: shape (bars,) each."""
    bands = of.sharp if sharp else of.tree
    middle = bands[3:6].sum(axis=0)
    side = (of.left + of.right - 2.0 * of.cross) / 4.0
    mid = (of.left + of.right + 2.0 * of.cross) / 4.0
    shown = {
        "energy": _db(of.k_power) - 0.691,
        "brightness": _db(bands[6:].sum(axis=0)) - _db(middle),
        "weight": _db(bands[:2].sum(axis=0)) - _db(middle),
        "width": _db(side) - _db(mid),
        "balance": _db(of.right) - _db(of.left),
        "psr": 2.0 * _db(of.true_peak) - _db(of.k_power) + 0.691,
    }
    for k, name in enumerate(design.BAND_NAMES):
        rest = middle - bands[k] if k in (3, 4, 5) else middle
        shown[f"band_{name}"] = _db(bands[k]) - _db(rest)
    return shown


def effects(before: Levels, after: Levels, *, sharp: bool) -> dict[str, float]:
    """True change of every dimension that a master's frames show.

    Returns
    -------
    dict of str to float
        Mean over bars of what each bar changed by; for dynamics, of the window's spread, over the
        moments that are above -70 LUFS on both sides.
    """
    was, now = per_bar(before, sharp=sharp), per_bar(after, sharp=sharp)
    found = {name: float((now[name] - was[name]).mean()) for name in was}
    loud = np.minimum(before.momentary_lufs, after.momentary_lufs) > -70.0
    spreads = [each.momentary_lufs[loud].std() for each in (before, after)]
    return found | {"dynamics": float(spreads[1] - spreads[0]) if loud.any() else 0.0}


def whole(of: Levels) -> Levels:
    """The passage as one long bar: what ears add up."""

    def mean(values: Array) -> Array:
        return values.mean(axis=-1, keepdims=True)

    powers = (of.sharp, of.tree, of.left, of.right, of.cross, of.k_power)
    return Levels(
        *(mean(each) for each in powers), of.true_peak.max(keepdims=True), of.momentary_lufs
    )
