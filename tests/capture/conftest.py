"""Programme as a power envelope per millisecond, and the frames that a device would make of it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from pybackend.metering.units import lufs
from pybackend.stream.frames import Frames
from pybackend.stream.protocol import (
    FLAG_ENABLED,
    FLAG_RUNNING,
    FRAME_COLUMNS,
    FRAME_WIDTH,
    SEQ_MODULUS,
)

FRAME_MS = 50
BANDS = 9
K_GAIN = np.array([0.3, 0.8, 0.95, 1.0, 1.0, 1.2, 1.8, 2.4, 2.5])


def music(seconds, seed=0, tempo_bpm=120.0):
    """Notes at sixteenths that differ from bar to bar, over a quiet bed; shape (ms, 9)."""
    rng = np.random.default_rng(seed)
    n = int(seconds * 1000)
    power = np.full((n, BANDS), 1e-7)
    step_ms = 60000.0 / tempo_bpm / 4.0
    decay_ms = np.array([220.0, 180.0, 160.0, 140.0, 120.0, 100.0, 60.0, 40.0, 30.0])
    level = 10.0 ** (-np.array([24, 18, 20, 22, 24, 27, 30, 33, 36]) / 10.0)
    for step in range(int(n / step_ms)):
        at = int(step * step_ms + rng.normal(0.0, 3.0))
        hit = (rng.random(BANDS) < 0.45) * level * 10.0 ** (rng.normal(0.0, 3.0, BANDS) / 10.0)
        at = max(at, 0)
        length = min(600, n - at)
        time_ms = np.arange(length)[:, None]
        power[at : at + length] += hit * np.exp(-time_ms / decay_ms)
    return power


def played_again(power, seed, bar_ms=2000.0, spread_db=0.5):
    """The same bars with a level of their own in every bar and band."""
    rng = np.random.default_rng(seed)
    bars = (np.arange(len(power)) // bar_ms).astype(int)
    common = rng.normal(0.0, spread_db, (bars[-1] + 1, 1))
    gain_db = rng.normal(0.0, spread_db, (bars[-1] + 1, BANDS)) + common
    return power * 10.0 ** (gain_db[bars] / 10.0)


def sliding(power, frames):
    """Mean over the last ``frames`` frames, as many as there are at the start."""
    total = np.concatenate([[0.0], np.cumsum(power)])
    end = np.arange(1, len(power) + 1)
    begin = np.maximum(0, end - frames)
    return (total[end] - total[begin]) / frames


def device_frames(
    power,
    *,
    phase_ms=0,
    tempo_bpm=120.0,
    beats_per_bar=4.0,
    start_beats=0.0,
    lag_ms=0,
    instance=7,
    first_seq=0,
    sample_rate=48000.0,
    jitter_ms=0.0,
    seed=0,
):
    """Frames whose clock starts ``phase_ms`` after the song position ``start_beats``.

    ``lag_ms`` delays the sound against the song, ``jitter_ms`` makes positions late at random.
    """
    if lag_ms:
        power = np.concatenate([np.full((lag_ms, BANDS), 1e-9), power])[: len(power)]
    n = (len(power) - phase_ms) // FRAME_MS
    used = power[phase_ms : phase_ms + n * FRAME_MS].reshape(n, FRAME_MS, BANDS)
    bands = used.mean(axis=1)
    tens = used.reshape(n, 5, 10, BANDS).mean(axis=2)
    values = np.zeros((n, FRAME_WIDTH))
    frames = Frames(values, (phase_ms + FRAME_MS * np.arange(1, n + 1)) / 1000.0)

    def put(name, what):
        values[:, FRAME_COLUMNS[name]] = np.asarray(what).reshape(n if np.ndim(what) else 1, -1)

    k_power = bands @ K_GAIN
    full, low, high = tens.sum(axis=2), tens[:, :, :3].sum(axis=2), tens[:, :, 6:].sum(axis=2)
    peak = np.sqrt(2.0 * full.max(axis=1))
    late_ms = np.random.default_rng(seed).uniform(0.0, jitter_ms, n)
    position_ms = phase_ms + FRAME_MS * np.arange(1, n + 1) - late_ms
    beats = start_beats + position_ms * tempo_bpm / 60000.0
    seq = (first_seq + np.arange(n)) % SEQ_MODULUS
    put("protocol", 1)
    put("instance", instance)
    put("flags", FLAG_ENABLED | FLAG_RUNNING)
    put("sample_rate", sample_rate)
    put("seq", seq)
    put("seq_check", seq)
    put("song_beats", beats)
    put("bar", np.floor(beats / beats_per_bar))
    put("beats_per_bar", beats_per_bar)
    put("tempo", tempo_bpm)
    put("band_power", bands)
    put("band_lr", 0.4 * bands)
    put("mean_square", np.column_stack([bands.sum(axis=1) / 2.0] * 2))
    put("lr_product", 0.4 * bands.sum(axis=1))
    put("sample_peak", np.column_stack([peak, 0.9 * peak]))
    put("true_peak", np.column_stack([1.05 * peak, 0.95 * peak]))
    for name, length in (("lufs_m", 8), ("lufs_s", 60)):
        put(name, lufs(sliding(k_power, length)))
        put(f"{name}_max", lufs(sliding(k_power, length)) + 0.1)
    put("k_power", k_power)
    put("k_power_prev", np.concatenate([[0.0], k_power[:-1]]))
    put("flux_full", np.maximum(0.0, np.diff(10.0 * np.log10(full), axis=1)).sum(axis=1))
    put("flux_low", np.maximum(0.0, np.diff(10.0 * np.log10(low), axis=1)).sum(axis=1))
    put("peak10_full", full.max(axis=1))
    put("peak10_low", low.max(axis=1))
    put("peak10_high", high.max(axis=1))
    return frames


def changed(frames, where, **fields):
    """Copy of ``frames`` with fields set at some rows."""
    values = frames.values.copy()
    for name, value in fields.items():
        values[where, FRAME_COLUMNS[name]] = value
    return Frames(values, frames.received_s.copy())


@pytest.fixture(scope="session")
def make():
    """What the tests make captures with."""
    return SimpleNamespace(
        music=music, played_again=played_again, frames=device_frames, changed=changed
    )
