"""What the measurements of a file are computed from, summed up in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from pybackend.metering.design import BAND_NAMES, LOUDNESS_FLOOR_LUFS
from pybackend.metering.whole import frames_by_slab
from pybackend.stream.frames import Frames

Array = npt.NDArray[np.float64]
Pcm = npt.NDArray[np.float32]

TAIL_S: Final = 1
"""Silence metered after the end, in which the band filters and the interpolator ring out."""


class Tally:
    """Sums over a signal of any length: a few numbers, and two per frame for the gates.

    Parameters
    ----------
    blocks : iterable of ndarray of float32, shape (n, channels)
        The signal; taken to its end.
    sample_rate_hz : int
        Sample rate in Hz.

    Attributes
    ----------
    samples : int
        Samples per channel.
    bad_samples, first_bad : int
        Count of values that are NaN or infinite, and the index of the first sample with one, -1 if
        there is none. Nothing is measured from its block on.
    energy : ndarray of float64, shape (2,)
        Sum of squares per channel (FS^2); ``energy_lr`` is the sum of L*R.
    band_energy : ndarray of float64, shape (9,)
        Sum of L^2 + R^2 per band (FS^2), the filters' ringing after the end included; NaN for a
        band that the rate does not carry.
    sample_peak, true_peak : float
        Largest magnitudes (FS) over the channels.
    momentary_max, short_term_max : float
        Largest loudness at the ends of sub-blocks (LUFS).
    """

    def __init__(self, blocks: Iterable[Pcm], sample_rate_hz: int) -> None:
        self._rate_hz = sample_rate_hz
        self._ends: list[Array] = []
        self._k_power: list[Array] = []
        self._lufs_s: list[Array] = []
        self.samples = 0
        self.bad_samples = 0
        self.first_bad = -1
        self.energy = np.zeros(2)
        self.energy_lr = 0.0
        self.band_energy = np.zeros(len(BAND_NAMES))
        self.sample_peak = 0.0
        self.true_peak = 0.0
        self.momentary_max = LOUDNESS_FLOOR_LUFS
        self.short_term_max = LOUDNESS_FLOOR_LUFS
        for frames in frames_by_slab(self._finite(blocks), sample_rate_hz):
            if len(frames):
                self._take(frames)

    def _finite(self, blocks: Iterable[Pcm]) -> Iterator[Pcm]:
        """Blocks up to the first with a value that is not finite, or else all and a silent tail."""
        channels = 1
        for block in blocks:
            finite = np.isfinite(block)
            if not finite.all():
                if self.first_bad < 0:
                    self.first_bad = self.samples + int(np.argmin(finite.all(axis=1)))
                self.bad_samples += int(np.count_nonzero(~finite))
            self.samples += len(block)
            if self.first_bad < 0:
                channels = block.shape[1]
                yield block
        if self.first_bad < 0:
            yield np.zeros((TAIL_S * self._rate_hz, channels), np.float32)

    def _take(self, frames: Frames) -> None:
        ends = np.rint(frames.received_s * self._rate_hz)
        start = self._ends[-1][-1] if self._ends else 0.0
        lengths = np.diff(ends, prepend=start)
        self.energy += lengths @ frames.column("mean_square")
        self.energy_lr += float(lengths @ frames.column("lr_product"))
        self.band_energy += lengths @ frames.column("band_power")
        self.sample_peak = max(self.sample_peak, float(frames.column("sample_peak").max()))
        self.true_peak = max(self.true_peak, float(frames.column("true_peak").max()))
        self.momentary_max = max(self.momentary_max, float(frames.column("lufs_m_max").max()))
        self.short_term_max = max(self.short_term_max, float(frames.column("lufs_s_max").max()))
        self._ends.append(ends)
        self._k_power.append(frames.column("k_power").copy())
        self._lufs_s.append(frames.column("lufs_s").copy())

    def _inside(self, parts: list[Array]) -> Array:
        whole = np.concatenate(self._ends) <= self.samples
        return np.concatenate(parts)[whole]

    @property
    def k_power(self) -> Array:
        """K-weighted power of every frame that lies wholly inside the signal, shape (frames,)."""
        return self._inside(self._k_power)

    @property
    def lufs_s(self) -> Array:
        """Short-term loudness at the end of each of the same frames (LUFS), shape (frames,)."""
        return self._inside(self._lufs_s)
