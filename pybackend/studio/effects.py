"""What a producer does to a mix, on sound: equalisers, dynamics, stereo, saturation, room, sweeps.

Filters are the biquads of the Audio EQ Cookbook (R. Bristow-Johnson, W3C note of 2021). This module
compiles numba kernels; import it inside functions.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from pybackend.jit import kernel
from pybackend.studio.shots import Array

LINEAR_KNEE_DB: Final = 6.0


class Biquad(NamedTuple):
    """``b0 + b1 z^-1 + b2 z^-2`` over ``1 + a1 z^-1 + a2 z^-2``."""

    b0: float
    b1: float
    b2: float
    a1: float
    a2: float


def _biquad(b: tuple[float, float, float], a: tuple[float, float, float]) -> Biquad:
    return Biquad(b[0] / a[0], b[1] / a[0], b[2] / a[0], a[1] / a[0], a[2] / a[0])


def shelf(corner_hz: float, gain_db: float, rate_hz: int, *, high: bool) -> Biquad:
    """Shelf of slope 1; at the corner half of the gain is reached."""
    amp, w = 10.0 ** (gain_db / 40.0), 2.0 * math.pi * corner_hz / rate_hz
    side = 1.0 if high else -1.0
    cos, root = side * math.cos(w), math.sqrt(2.0 * amp) * math.sin(w)
    up, down = amp + 1.0, amp - 1.0
    b = (up + down * cos + root, -2.0 * (down + up * cos), up + down * cos - root)
    a = (up - down * cos + root, 2.0 * (down - up * cos), up - down * cos - root)
    # The low shelf is the high shelf mirrored at a quarter of the rate, which turns odd signs.
    return _biquad((amp * b[0], side * amp * b[1], amp * b[2]), (a[0], side * a[1], a[2]))


def bell(centre_hz: float, gain_db: float, rate_hz: int, *, q: float) -> Biquad:
    """Peaking equaliser."""
    amp, w = 10.0 ** (gain_db / 40.0), 2.0 * math.pi * centre_hz / rate_hz
    cos, alpha = math.cos(w), math.sin(w) / (2.0 * q)
    return _biquad(
        (1.0 + alpha * amp, -2.0 * cos, 1.0 - alpha * amp),
        (1.0 + alpha / amp, -2.0 * cos, 1.0 - alpha / amp),
    )


def high_pass(corner_hz: float, rate_hz: int) -> Biquad:
    """12 dB per octave, Butterworth."""
    w = 2.0 * math.pi * corner_hz / rate_hz
    cos, alpha = math.cos(w), math.sin(w) / math.sqrt(2.0)
    edge = (1.0 + cos) / 2.0
    return _biquad((edge, -2.0 * edge, edge), (1.0 + alpha, -2.0 * cos, 1.0 - alpha))


@kernel
def _filter(sound: Array, f: Biquad) -> Array:
    out = np.empty_like(sound)
    for c in range(sound.shape[1]):
        s1, s2 = 0.0, 0.0
        for i in range(len(sound)):
            x = sound[i, c]
            y = f.b0 * x + s1
            s1 = f.b1 * x - f.a1 * y + s2
            s2 = f.b2 * x - f.a2 * y
            out[i, c] = y
    return out


def filtered(sound: Array, f: Biquad) -> Array:
    """Sound of shape (samples, channels) through a filter that starts from rest."""
    done: Array = _filter(np.ascontiguousarray(sound), f)
    return done


@kernel
def _envelope(sound: Array, attack: float, release: float) -> Array:
    """Level of the louder channel, in the amplitude of a peak follower."""
    out = np.empty(len(sound))
    held = 0.0
    for i in range(len(sound)):
        level = 0.0
        for c in range(sound.shape[1]):
            level = max(level, abs(sound[i, c]))
        held += (level - held) * (attack if level > held else release)
        out[i] = held
    return out


@kernel
def _smoothed(wanted: Array, attack: float, release: float) -> Array:
    """Gain in dB that falls with ``attack`` and recovers with ``release``."""
    out = np.empty_like(wanted)
    held = 0.0
    for i in range(len(wanted)):
        held += (wanted[i] - held) * (attack if wanted[i] < held else release)
        out[i] = held
    return out


def _speed(seconds: float, rate_hz: int) -> float:
    return 1.0 - math.exp(-1.0 / (seconds * rate_hz)) if seconds > 0.0 else 1.0


def _db(amplitude: Array) -> Array:
    level: Array = 20.0 * np.log10(np.maximum(amplitude, 1e-6))
    return level


def _with_gain(sound: Array, gain_db: Array) -> Array:
    out: Array = sound * np.exp(gain_db * (math.log(10.0) / 20.0))[:, None]
    return out


def compressed(
    sound: Array, rate_hz: int, *, depth_db: float, ratio: float, attack_s: float, release_s: float
) -> Array:
    """Stereo-linked feed-forward compressor whose threshold lies ``depth_db`` below the peaks."""
    level_db = _db(_envelope(sound, 1.0, _speed(0.01, rate_hz)))
    threshold_db = float(np.quantile(level_db[::64], 0.98)) - depth_db
    wanted_db = np.minimum(0.0, threshold_db - level_db) * (1.0 - 1.0 / ratio)
    gain_db = _smoothed(wanted_db, _speed(attack_s, rate_hz), _speed(release_s, rate_hz))
    return _with_gain(sound, gain_db)


def limited(sound: Array, rate_hz: int, *, push_db: float) -> Array:
    """Pushed against its own highest peak: nothing gets past, what is below gets louder."""
    pushed = sound * 10.0 ** (push_db / 20.0)
    ceiling_db = float(_db(np.abs(sound).max()))
    wanted_db = np.minimum(0.0, ceiling_db - _db(np.abs(pushed).max(axis=1)))
    return _with_gain(pushed, _smoothed(wanted_db, 1.0, _speed(0.08, rate_hz)))


def shaped(sound: Array, rate_hz: int, *, attack_db: float) -> Array:
    """Transient shaper: up to ``attack_db`` where a fast envelope outruns a slow one."""
    fast = _envelope(sound, _speed(0.001, rate_hz), _speed(0.03, rate_hz))
    slow = _envelope(sound, _speed(0.03, rate_hz), _speed(0.03, rate_hz))
    outrun_db = np.clip(_db(fast) - _db(slow), 0.0, LINEAR_KNEE_DB)
    gain_db = _smoothed(outrun_db * (attack_db / LINEAR_KNEE_DB), *[_speed(0.001, rate_hz)] * 2)
    return _with_gain(sound, gain_db)


def widened(sound: Array, side_db: float) -> Array:
    """Side up or down."""
    mid, side = sound.mean(axis=1), (sound[:, 0] - sound[:, 1]) * (10.0 ** (side_db / 20.0) / 2.0)
    return np.stack((mid + side, mid - side), axis=1)


def turned(sound: Array, right_db: float) -> Array:
    """Right up and left down, half each."""
    moved: Array = sound * 10.0 ** (np.array([-0.5, 0.5]) * right_db / 20.0)
    return moved


def saturated(sound: Array, drive_db: float) -> Array:
    """Soft clipping, driven ``drive_db`` harder than the loudest samples reach 1."""
    loud = float(np.quantile(np.abs(sound[::16]), 0.999))
    drive = 10.0 ** (drive_db / 20.0) / loud
    shaped_sound: Array = np.tanh(sound * drive) / drive
    return shaped_sound


def clipped(sound: Array, depth_db: float) -> Array:
    """Hard clipping below the highest peak."""
    limit = float(np.abs(sound).max()) * 10.0 ** (-depth_db / 20.0)
    return np.clip(sound, -limit, limit)


def roomed(sound: Array, rate_hz: int, *, wet_db: float, decay_s: float = 0.8) -> Array:
    """Room: decaying noise, another one on each side; decay to -60 dB."""
    t = np.arange(round(1.2 * decay_s * rate_hz)) / rate_hz
    tail = np.random.default_rng(3).standard_normal((len(t), 2))
    tail *= np.exp(-6.9 * t / decay_s)[:, None]
    tail /= np.sqrt(np.square(tail).sum(axis=0))
    size = _fft_size(len(sound) + len(tail))
    spectrum = np.fft.rfft(sound.mean(axis=1), size)[:, None] * np.fft.rfft(tail, size, axis=0)
    wet = np.fft.irfft(spectrum, size, axis=0)[: len(sound)]
    out: Array = sound + wet * 10.0 ** (wet_db / 20.0)
    return out


def _fft_size(wanted: int) -> int:
    return min(odd << (-(-wanted // odd) - 1).bit_length() for odd in (1, 3, 5, 9, 15))


def swept(sound: Array, rate_hz: int, *, depth_db: float, period_s: float) -> Array:
    """Everything above 500 Hz up and down by ``depth_db``, slowly, as a free filter sweep."""
    high = sound - filtered(sound, _low_pass(500.0, rate_hz))
    t = np.arange(len(sound)) / rate_hz
    gain = 10.0 ** (depth_db * np.sin(2.0 * np.pi * t / period_s) / 20.0)
    out: Array = sound + high * (gain - 1.0)[:, None]
    return out


def _low_pass(corner_hz: float, rate_hz: int) -> Biquad:
    """One pole, so that the rest is what lies above."""
    a = _speed(1.0 / (2.0 * math.pi * corner_hz), rate_hz)
    return Biquad(a, 0.0, 0.0, a - 1.0, 0.0)
