"""One-shots of instruments, synthesised: drums, tones and pads."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def time_s(seconds: float, rate_hz: int) -> Array:
    """Sample times of a stretch."""
    return np.arange(round(seconds * rate_hz)) / rate_hz


def midi_hz(note: float) -> float:
    """Frequency of a MIDI note, A4 = 69 = 440 Hz."""
    return float(440.0 * 2.0 ** ((note - 69) / 12))


def kick(rate_hz: int, *, hz: float = 48.0, drop_hz: float = 9.0, decay_s: float = 0.11) -> Array:
    """Sine that falls in pitch and dies away; shape (samples, 2), as of all shots."""
    t = time_s(0.35, rate_hz)
    phase = 2 * np.pi * (hz * t + drop_hz * (1.0 - np.exp(-t / 0.03)))
    sweep = np.sin(phase) * np.exp(-t / decay_s)
    return np.column_stack([sweep, sweep])


def snare(rate_hz: int, noise: Array, *, hz: float = 190.0, decay_s: float = 0.07) -> Array:
    """Drum head in the middle, wires on both sides."""
    t = time_s(0.22, rate_hz)
    body = 0.6 * np.sin(2 * np.pi * hz * t) * np.exp(-t / 0.05)
    wires = 0.5 * noise[: len(t)] * np.exp(-t / decay_s)[:, None]
    struck: Array = body[:, None] + wires
    return struck


def hat(rate_hz: int, noise: Array, *, decay_s: float = 0.02) -> Array:
    """Bright noise that dies away, a little to the right."""
    t = time_s(4.0 * decay_s, rate_hz)
    hiss = np.diff(noise[: len(t) + 1], axis=0) * np.exp(-t / decay_s)[:, None]
    placed: Array = hiss * np.array([0.8, 1.0])
    return placed


def tone(
    note: float,
    seconds: float,
    rate_hz: int,
    *,
    partials: int,
    tilt: float,
    attack_s: float = 0.005,
) -> Array:
    """Harmonic tone with soft ends; partial ``n`` has the amplitude ``n ** -tilt``."""
    t = time_s(seconds, rate_hz)
    hz = midi_hz(note)
    wave = np.zeros(len(t))
    for partial in range(1, partials + 1):
        wave += np.sin(2 * np.pi * hz * partial * t) / partial**tilt
    wave *= np.minimum(1.0, np.minimum(t / attack_s, (t[-1] - t) / 0.01))
    return np.column_stack([wave, wave])


def panned(sound: Array, place: float) -> Array:
    """Sound at a place from -1 (left) to 1 (right); the sum of the gains is constant."""
    moved: Array = sound * np.array([1.0 - place, 1.0 + place])
    return moved
