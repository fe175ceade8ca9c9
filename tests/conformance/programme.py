"""Synthetic programme for comparing the meter with others: nothing steady, several rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Pcm = npt.NDArray[np.float32]


def pink_noise(count: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Noise of equal power per octave, RMS 1."""
    spectrum = np.fft.rfft(rng.standard_normal(count))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    spectrum[0] = 0.0
    noise = np.fft.irfft(spectrum, count)
    return np.asarray(noise / np.std(noise))


def _stereo(rng: np.random.Generator, count: int, spread: float) -> npt.NDArray[np.float64]:
    middle = pink_noise(count, rng)
    side = pink_noise(count, rng)
    return np.column_stack((middle + spread * side, middle - spread * side))


def noise_bursts(rate_hz: int, seconds: float) -> Pcm:
    """Pink noise in bursts of 30 to 800 ms at -45 to -10 dBFS, with pauses."""
    rng = np.random.default_rng(3341)
    count = round(seconds * rate_hz)
    gain = np.zeros(count)
    at = 0
    while at < count:
        length = round(rng.uniform(0.03, 0.8) * rate_hz)
        gain[at : at + length] = 10.0 ** (rng.uniform(-45.0, -10.0) / 20.0)
        at += length + round(rng.uniform(0.0, 0.4) * rate_hz)
    return np.asarray(gain[:, None] * _stereo(rng, count, 0.4), np.float32)


def sweep(rate_hz: int, seconds: float) -> Pcm:
    """Logarithmic sweep from 20 Hz to 0.45 of the rate, louder on the right."""
    time = np.arange(round(seconds * rate_hz)) / rate_hz
    top_hz = min(20000.0, 0.45 * rate_hz)
    growth = np.log(top_hz / 20.0) / seconds
    phase = 2.0 * np.pi * 20.0 / growth * np.expm1(growth * time)
    return np.column_stack((0.1 * np.sin(phase), 0.2 * np.sin(phase + 0.5))).astype(np.float32)


def speech(rate_hz: int, seconds: float) -> Pcm:
    """Noise with the rhythm of speech: syllables at 4 Hz in phrases of 2 s, pauses at -75 dBFS."""
    rng = np.random.default_rng(3342)
    count = round(seconds * rate_hz)
    time = np.arange(count) / rate_hz
    syllables = np.clip(np.sin(2.0 * np.pi * 4.0 * time), 0.0, None) ** 1.5
    phrases = np.where(time % 3.1 < 2.0, 10.0 ** (-20.0 / 20.0), 10.0 ** (-75.0 / 20.0))
    mono = phrases * syllables * pink_noise(count, rng)
    return np.column_stack((mono, mono)).astype(np.float32)


def crescendo(rate_hz: int, seconds: float) -> Pcm:
    """Wide pink noise that rises from -50 to -15 dBFS."""
    rng = np.random.default_rng(1770)
    count = round(seconds * rate_hz)
    gain = 10.0 ** (np.linspace(-50.0, -15.0, count) / 20.0)
    return np.asarray(gain[:, None] * _stereo(rng, count, 1.0), np.float32)


@dataclass(frozen=True, slots=True)
class Programme:
    """A kind of programme at one rate."""

    name: str
    build: Callable[[int, float], Pcm]
    rate_hz: int
    seconds: float = 20.0

    def make(self) -> Pcm:
        """Samples, shape (n, 2)."""
        return self.build(self.rate_hz, self.seconds)


PROGRAMMES = tuple(
    Programme(f"{build.__name__}-{rate_hz}Hz", build, rate_hz)
    for build in (noise_bursts, sweep, speech, crescendo)
    for rate_hz in (22050, 44100, 48000, 96000)
)

LONG_PROGRAMMES = tuple(
    Programme(f"{build.__name__}-90s", build, 44100, 90.0)
    for build in (noise_bursts, speech, crescendo)
)
