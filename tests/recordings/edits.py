"""Edits that a producer makes, done on sound: equalisers, level, width, dynamics, stems, room.

Filters are the biquads of the "Audio EQ Cookbook" (R. Bristow-Johnson), applied in the frequency
domain with their exact complex response, so that what an edit does can also be computed without
any filter running (see truth.py). Nothing here uses the package under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numba
import numpy as np
import numpy.typing as npt

Sound = npt.NDArray[np.float64]
Edit = Callable[[Sequence[Sound], int], Sound]
"""From stems, each of shape (samples, 2), and the sample rate to the master."""

_TAIL_S: Final = 1.0


@dataclass(frozen=True)
class Biquad:
    """Coefficients of a second-order section, a0 = 1."""

    b: tuple[float, float, float]
    a: tuple[float, float, float]

    def response(self, frequency_hz: npt.NDArray[np.float64], rate_hz: int) -> Sound:
        """Complex response."""
        z = np.exp(-2j * np.pi * frequency_hz / rate_hz)
        return np.polyval(self.b[::-1], z) / np.polyval(self.a[::-1], z)


def _normal(b: Sequence[float], a: Sequence[float]) -> Biquad:
    return Biquad(tuple(x / a[0] for x in b), tuple(x / a[0] for x in a))  # type: ignore[arg-type]


def _shelf(kind: str, corner_hz: float, gain_db: float, rate_hz: int) -> Biquad:
    amp, w = 10.0 ** (gain_db / 40.0), 2.0 * math.pi * corner_hz / rate_hz
    cos, alpha = math.cos(w), math.sin(w) / math.sqrt(2.0)
    root, sign = 2.0 * math.sqrt(amp) * alpha, 1.0 if kind == "low" else -1.0
    up, down = amp + 1.0, sign * (amp - 1.0)
    b = (
        amp * (up - down * cos + root),
        2.0 * amp * sign * ((amp - 1.0) - sign * up * cos),
        amp * (up - down * cos - root),
    )
    a = (
        up + down * cos + root,
        -2.0 * sign * ((amp - 1.0) + sign * up * cos),
        up + down * cos - root,
    )
    return _normal(b, a)


def _bell(centre_hz: float, gain_db: float, q: float, rate_hz: int) -> Biquad:
    amp, w = 10.0 ** (gain_db / 40.0), 2.0 * math.pi * centre_hz / rate_hz
    alpha, cos = math.sin(w) / (2.0 * q), math.cos(w)
    return _normal(
        (1.0 + alpha * amp, -2.0 * cos, 1.0 - alpha * amp),
        (1.0 + alpha / amp, -2.0 * cos, 1.0 - alpha / amp),
    )


def _pass(kind: str, corner_hz: float, rate_hz: int) -> Biquad:
    w = 2.0 * math.pi * corner_hz / rate_hz
    alpha, cos = math.sin(w) / math.sqrt(2.0), math.cos(w)
    edge = (1.0 + cos) / 2.0 if kind == "high" else (1.0 - cos) / 2.0
    middle = -2.0 * edge if kind == "high" else 2.0 * edge
    return _normal((edge, middle, edge), (1.0 + alpha, -2.0 * cos, 1.0 - alpha))


def filtered(sound: Sound, rate_hz: int, make: Callable[[int], Biquad]) -> Sound:
    """Sound through a filter that starts from rest."""
    size = 1 << (len(sound) + round(_TAIL_S * rate_hz) - 1).bit_length()
    frequency = np.fft.rfftfreq(size, 1.0 / rate_hz)
    response = make(rate_hz).response(frequency, rate_hz)[:, None]
    return np.fft.irfft(np.fft.rfft(sound, size, axis=0) * response, size, axis=0)[: len(sound)]


def total(stems: Sequence[Sound]) -> Sound:
    """The mix as it is."""
    return np.sum(stems, axis=0)


def mid_side(sound: Sound, mid_db: float, side_db: float) -> Sound:
    """Middle and side turned up or down."""
    mid = sound.mean(axis=1) * 10.0 ** (mid_db / 20.0)
    side = (sound[:, 0] - sound[:, 1]) / 2.0 * 10.0 ** (side_db / 20.0)
    return np.stack((mid + side, mid - side), axis=1)


@numba.njit(cache=True)
def _reduction_db(
    level_db: Sound, threshold_db: float, ratio: float, up: float, down: float
) -> Sound:
    out = np.empty_like(level_db)
    held = 0.0
    for i in range(len(level_db)):
        wanted = max(0.0, level_db[i] - threshold_db) * (1.0 - 1.0 / ratio)
        held += (wanted - held) * (up if wanted > held else down)
        out[i] = held
    return out


def compressed(
    sound: Sound, rate_hz: int, *, ratio: float, depth_db: float, attack_s: float, release_s: float
) -> Sound:
    """Stereo-linked compressor; ``depth_db`` is how far the threshold is below the loud parts."""
    power = np.maximum(np.square(sound).max(axis=1), 1e-12)
    level_db = 10.0 * np.log10(power)
    threshold_db = float(np.quantile(level_db, 0.99)) - depth_db
    up, down = (1.0 - math.exp(-1.0 / (time_s * rate_hz)) for time_s in (attack_s, release_s))
    reduction = _reduction_db(level_db, threshold_db, ratio, up, down)
    return sound * 10.0 ** (-reduction / 20.0)[:, None]


def limited(sound: Sound, rate_hz: int, push_db: float, ceiling_db: float = -1.0) -> Sound:
    """Louder into a limiter (instant attack, 80 ms release) that holds samples at the ceiling."""
    pushed = sound * 10.0 ** (push_db / 20.0)
    level_db = 20.0 * np.log10(np.maximum(np.abs(pushed).max(axis=1), 1e-6))
    reduction = _reduction_db(
        level_db, ceiling_db, 1e9, 1.0, 1.0 - math.exp(-1.0 / (0.08 * rate_hz))
    )
    return pushed * 10.0 ** (-reduction / 20.0)[:, None]


def same_rms(sound: Sound, like: Sound) -> Sound:
    """Sound at the level of another: make-up gain."""
    return sound * math.sqrt(float(np.square(like).mean() / np.square(sound).mean()))


def saturated(sound: Sound, drive_db: float) -> Sound:
    """Soft clipping at the same level."""
    peak = float(np.quantile(np.abs(sound), 0.999))
    drive = 10.0 ** (drive_db / 20.0) / peak
    return same_rms(np.tanh(sound * drive), sound)


def clipped(sound: Sound, depth_db: float) -> Sound:
    """Hard clipping ``depth_db`` below the peak."""
    limit = float(np.abs(sound).max()) * 10.0 ** (-depth_db / 20.0)
    return np.clip(sound, -limit, limit)


def roomed(sound: Sound, rate_hz: int, wet_db: float, decay_s: float = 0.6) -> Sound:
    """Reverb: exponentially decaying noise, another one on either side."""
    rng = np.random.default_rng(3)
    time_s = np.arange(round(2.0 * decay_s * rate_hz)) / rate_hz
    tail = rng.standard_normal((len(time_s), 2)) * np.exp(-6.9 * time_s / decay_s)[:, None]
    tail /= np.sqrt(np.square(tail).sum(axis=0))
    size = 1 << (len(sound) + len(tail) - 1).bit_length()
    mono = np.fft.rfft(sound.mean(axis=1), size)[:, None]
    wet = np.fft.irfft(mono * np.fft.rfft(tail, size, axis=0), size, axis=0)[: len(sound)]
    return sound + wet * 10.0 ** (wet_db / 20.0)


def echoed(sound: Sound, rate_hz: int, time_s: float, level_db: float) -> Sound:
    """One echo."""
    return sound + delayed(sound, rate_hz, time_s) * 10.0 ** (level_db / 20.0)


def delayed(sound: Sound, rate_hz: int, time_s: float) -> Sound:
    """The sound later, as by a plug-in that reports no latency."""
    late = round(time_s * rate_hz)
    return np.concatenate((np.zeros((late, 2)), sound[: len(sound) - late]))


# What follows makes edits of the form (stems, rate) -> master.


def nothing() -> Edit:
    """The mix as it is."""
    return lambda stems, _: total(stems)


def gain(db: float) -> Edit:
    """Master fader."""
    return lambda stems, _: total(stems) * 10.0 ** (db / 20.0)


def _equaliser(make: Callable[[int], Biquad]) -> Edit:
    return lambda stems, rate_hz: filtered(total(stems), rate_hz, make)


def high_shelf(corner_hz: float, db: float) -> Edit:
    """High shelf."""
    return _equaliser(partial(_shelf, "high", corner_hz, db))


def low_shelf(corner_hz: float, db: float) -> Edit:
    """Low shelf."""
    return _equaliser(partial(_shelf, "low", corner_hz, db))


def bell(centre_hz: float, db: float, q: float = 1.0) -> Edit:
    """Bell."""
    return _equaliser(partial(_bell, centre_hz, db, q))


def high_pass(corner_hz: float) -> Edit:
    """High-pass, 12 dB per octave."""
    return _equaliser(partial(_pass, "high", corner_hz))


def low_pass(corner_hz: float) -> Edit:
    """Low-pass, 12 dB per octave."""
    return _equaliser(partial(_pass, "low", corner_hz))


def side(db: float) -> Edit:
    """Side up or down."""
    return lambda stems, _: mid_side(total(stems), 0.0, db)


def pan(db: float) -> Edit:
    """Right up, left down."""
    turn = np.array([10.0 ** (-db / 40.0), 10.0 ** (db / 40.0)])
    return lambda stems, _: total(stems) * turn


def stem(number: int, db: float) -> Edit:
    """One stem up or down."""

    def mixed(stems: Sequence[Sound], _: int) -> Sound:
        parts = list(stems)
        parts[number] = parts[number] * 10.0 ** (db / 20.0)
        return total(parts)

    return mixed


def on_mix(work: Callable[..., Sound], **settings: float) -> Edit:
    """Work that needs the sample rate, on the mix."""
    return lambda stems, rate_hz: work(total(stems), rate_hz, **settings)


def drive(db: float) -> Edit:
    """Saturation."""
    return lambda stems, _: saturated(total(stems), db)


def clip(depth_db: float) -> Edit:
    """Hard clipping."""
    return lambda stems, _: clipped(total(stems), depth_db)


def compress(depth_db: float, ratio: float = 4.0, *, makeup: bool = True) -> Edit:
    """Bus compressor, 10 ms attack, 100 ms release."""

    def worked(stems: Sequence[Sound], rate_hz: int) -> Sound:
        mix = total(stems)
        out = compressed(mix, rate_hz, ratio=ratio, depth_db=depth_db, attack_s=0.01, release_s=0.1)
        return same_rms(out, mix) if makeup else out

    return worked


def polarity() -> Edit:
    """Right channel turned over."""
    return lambda stems, _: total(stems) * np.array([1.0, -1.0])


def chain(*edits: Edit) -> Edit:
    """One edit after the other; from the second on they see the mix."""

    def worked(stems: Sequence[Sound], rate_hz: int) -> Sound:
        out = edits[0](stems, rate_hz)
        for each in edits[1:]:
            out = each([out], rate_hz)
        return out

    return worked
