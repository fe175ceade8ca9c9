"""The meter's definitions a second time: filters over the frequency axis, frames in plain numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pybackend.metering import design
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_WIDTH

ORDER = 7
POLES = np.exp(1j * np.pi * (2 * np.arange(ORDER) + ORDER + 1) / (2 * ORDER))


def butterworth(frequency_hz: np.ndarray, edge_hz: float, rate_hz: int):
    """Low-pass and high-pass of order 7 by the bilinear transform, from the analog poles."""
    with np.errstate(divide="ignore"):
        s = 1j * np.tan(np.pi * frequency_hz / rate_hz) / np.tan(np.pi * edge_hz / rate_hz)
    s = np.where(np.abs(s) > 1e9, 1e9j, s)
    denominator = np.prod(s[..., np.newaxis] - POLES, axis=-1)
    return 1.0 / denominator, s**ORDER / denominator


def biquad(section: design.Biquad, frequency_hz: np.ndarray, rate_hz: int) -> np.ndarray:
    z = np.exp(-2j * np.pi * frequency_hz / rate_hz)
    b0, b1, b2, a1, a2 = section
    return (b0 + b1 * z + b2 * z * z) / (1.0 + a1 * z + a2 * z * z)


class Reference:
    """Signals of one rate, filtered with room for every tail."""

    def __init__(self, pcm: np.ndarray, rate_hz: int) -> None:
        self.pcm = np.asarray(pcm, np.float64)
        self.rate_hz = rate_hz
        self._padded = 1 << int(len(pcm) + 4 * rate_hz).bit_length()
        self._spectrum = np.fft.rfft(self.pcm, self._padded, axis=0)
        self._hz = np.fft.rfftfreq(self._padded, 1.0 / rate_hz)

    def _filtered(self, response: np.ndarray) -> np.ndarray:
        out = np.fft.irfft(self._spectrum * response[:, np.newaxis], self._padded, axis=0)
        return out[: len(self.pcm)]

    def k_weighted(self) -> np.ndarray:
        shelf, high_pass = design.k_weighting(self.rate_hz)
        response = biquad(shelf, self._hz, self.rate_hz) * biquad(high_pass, self._hz, self.rate_hz)
        return self._filtered(response)

    def bands(self) -> list[np.ndarray]:
        """Signals of the bands that lie below Nyquist."""
        passed = np.ones(len(self._hz), complex)
        out = []
        for edge in design.BAND_EDGES_HZ:
            if edge < self.rate_hz / 2:
                low, high = butterworth(self._hz, edge, self.rate_hz)
                out.append(self._filtered(passed * low))
                passed = passed * high
        return out[1:]

    def interpolated(self) -> np.ndarray:
        """Largest magnitude at and after each sample, as a causal meter sees it."""
        bank = design.true_peak_bank()
        phases = [
            [np.convolve(channel, row)[: len(channel)] for channel in self.pcm.T] for row in bank
        ]
        return np.abs(np.array(phases)).max(axis=0).T

    def frames(self) -> np.ndarray:
        """Measured fields of the complete frames; the other columns are 0."""
        ends = [0]
        while (end := design.sub_block_end(len(ends) - 1, self.rate_hz)) <= len(self.pcm):
            ends.append(end)
        blocks = [slice(a, b) for a, b in itertools.pairwise(ends)]
        k_weighted, bands, peaks = self.k_weighted(), self.bands(), self.interpolated()
        energy = np.array([(k_weighted[b] ** 2).sum() for b in blocks])
        band_ms = np.array([[(y[b] ** 2).sum(1).mean() for y in bands] for b in blocks])
        floor = design.FLUX_FLOOR_POWER
        level_db = 10.0 * np.log10(np.maximum(band_ms, floor))
        level_db = np.vstack((np.full(len(bands), 10.0 * np.log10(floor)), level_db))
        rises = np.maximum(0.0, np.diff(level_db, axis=0))
        full_ms = np.array([(self.pcm[b] ** 2).sum(1).mean() for b in blocks])

        def loudness(last: int, window: int) -> float:
            total = energy[max(0, last - window + 1) : last + 1].sum()
            length = ends[last + 1] - design.sub_block_end(last - window, self.rate_hz)
            level = -0.691 + 10.0 * np.log10(max(total / length, 1e-30))
            return max(design.LOUDNESS_FLOOR_LUFS, level)

        per_frame = design.SUB_BLOCKS_PER_FRAME
        out = np.zeros((len(blocks) // per_frame, FRAME_WIDTH))
        for f in range(len(out)):
            row = {name: out[f, where] for name, where in FRAME_COLUMNS.items()}
            first, last = f * per_frame, (f + 1) * per_frame - 1
            inside = slice(ends[first], ends[last + 1])
            low = [k for k in design.PEAK10_LOW_BANDS if k < len(bands)]
            high = [k for k in design.PEAK10_HIGH_BANDS if k < len(bands)]
            row["band_power"][:] = np.nan
            row["band_lr"][:] = np.nan
            for k, y in enumerate(bands):
                row["band_power"][k] = (y[inside] ** 2).sum(1).mean()
                row["band_lr"][k] = y[inside].prod(1).mean()
            row["mean_square"][:] = (self.pcm[inside] ** 2).mean(0)
            row["lr_product"][:] = self.pcm[inside].prod(1).mean()
            row["sample_peak"][:] = np.abs(self.pcm[inside]).max(0)
            row["true_peak"][:] = np.maximum(peaks[inside].max(0), row["sample_peak"])
            m = [loudness(i, design.MOMENTARY_SUB_BLOCKS) for i in range(first, last + 1)]
            s = [loudness(i, design.SHORT_TERM_SUB_BLOCKS) for i in range(first, last + 1)]
            row["lufs_m"][:], row["lufs_m_max"][:] = m[-1], max(m)
            row["lufs_s"][:], row["lufs_s_max"][:] = s[-1], max(s)
            row["k_power"][:] = (k_weighted[inside] ** 2).sum(1).mean()
            row["k_power_prev"][:] = out[f - 1, FRAME_COLUMNS["k_power"]] if f else 0.0
            row["flux_full"][:] = rises[first : last + 1].mean(1).sum()
            low_rises = rises[first : last + 1][:, list(design.FLUX_LOW_BANDS)]
            row["flux_low"][:] = low_rises.mean(1).sum()
            row["peak10_full"][:] = full_ms[first : last + 1].max()
            row["peak10_low"][:] = band_ms[first : last + 1][:, low].sum(1).max()
            row["peak10_high"][:] = band_ms[first : last + 1][:, high].sum(1).max()
        return out


@pytest.fixture(scope="session")
def reference():
    return Reference


@pytest.fixture(scope="session")
def butterworth_response():
    return butterworth


@pytest.fixture(scope="session")
def biquad_response():
    return biquad


@pytest.fixture(scope="session")
def music():
    """Something like music: tones that start and stop, a beat, and noise; stereo, float64."""

    def make(seconds: float, rate_hz: int, seed: int = 1) -> np.ndarray:
        rng = np.random.default_rng(seed)
        n = round(seconds * rate_hz)
        time_s = np.arange(n) / rate_hz
        beat = np.exp(-8.0 * (time_s % 0.25))
        bass = 0.3 * np.sin(2.0 * np.pi * 55.0 * time_s) * beat
        chord = sum(np.sin(2.0 * np.pi * hz * time_s + 1.0) for hz in (220.0, 277.2, 659.3))
        hiss = rng.standard_normal((n, 2)) * (0.02 + 0.1 * beat[::-1, np.newaxis])
        gate = (time_s % 0.7 < 0.5)[:, np.newaxis]
        tonal = np.stack((bass + 0.1 * chord, bass - 0.05 * chord), axis=1)
        return gate * tonal + hiss

    return make
