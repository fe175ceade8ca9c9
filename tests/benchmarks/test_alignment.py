"""What decision 0001 rests on: nearest frames against overlapping frames, and the time it takes.

Run with ``pytest -m benchmark -s tests/benchmarks/test_alignment.py``.
"""

import statistics
import time

import numpy as np
import pytest

from pybackend.capture.align import align
from pybackend.metering.meter import Meter
from pybackend.stream.frames import Frames, stamp_transport
from pybackend.stream.protocol import FRAME_COLUMNS
from pybackend.studio.groove import Groove

pytestmark = pytest.mark.benchmark

BANDS = FRAME_COLUMNS["band_power"]
BARS = 8


def metered(sound, groove, late_samples):
    """Frames of a device whose clock starts ``late_samples`` after the song."""
    frames = Meter(groove.sample_rate_hz, 2).process(sound[late_samples:])
    late_beats = late_samples / groove.sample_rate_hz * groove.tempo_bpm / 60.0
    return stamp_transport(frames, tempo_bpm=groove.tempo_bpm, start_beats=late_beats)


def nearest(frames, groove, early):
    """Rows of 50 ms from bar 1 on, each the frame that ends nearest to it, and their bars.

    Bars begin ``early`` rows before the barline.
    """
    row_beats = groove.tempo_bpm / 60.0 * 0.05
    ends = row_beats * np.arange(1, round(BARS * 4 / row_beats) + 1)
    first = frames.column("song_beats")[0] - 4.0 + early * row_beats
    at = np.round((ends - first) / row_beats).astype(int)
    return frames.values[at], np.minimum((ends - 0.5 * row_beats) // 4.0, BARS - 1).astype(int)


def changes_db(first, second, bar):
    """Change of brightness, weight and level per bar between two sets of rows."""
    levels = []
    for rows in (first, second):
        power = np.zeros((bar.max() + 1, 9))
        np.add.at(power, bar, rows[:, BANDS])
        high, low = power[:, 6:].sum(axis=1), power[:, :2].sum(axis=1)
        middle = power[:, 3:6].sum(axis=1)
        ratios = [high / middle, low / middle, power.sum(axis=1)]
        levels.append(10.0 * np.log10(np.column_stack(ratios)))
    return levels[1] - levels[0]


@pytest.mark.parametrize("tempo_bpm", [120.0, 125.0, 174.0])
def test_overlap_repeats_better_than_nearest(tempo_bpm):
    groove = Groove(bars=BARS + 2, tempo_bpm=tempo_bpm)
    sound = groove.perform(1)
    rng = np.random.default_rng(0)
    errors = {"nearest": [], "nearest, early bars": [], "overlap, early bars": []}
    for _ in range(12):
        pair = [metered(sound, groove, int(late)) for late in rng.integers(0, 2400, 2)]
        for early, way in enumerate(list(errors)[:2]):
            (first, bar), (second, _) = (nearest(frames, groove, early) for frames in pair)
            errors[way].append(changes_db(first, second, bar))
        laid = align(pair[:1], pair[1:])
        assert laid.lag_s == (0.0, 0.0)
        inner = (laid.bar >= 1) & (laid.bar <= BARS)
        first, second = laid.values[:, inner]
        errors["overlap, early bars"].append(changes_db(first, second, laid.bar[inner] - 1))
    spread = {}
    for way, found in errors.items():
        mean = np.sqrt(np.mean([each.mean(axis=0) ** 2 for each in found], axis=0))
        spread[way] = np.sqrt(np.mean([each.var(axis=0, ddof=1) for each in found], axis=0))
        print(
            f"\n{tempo_bpm:g} BPM, {way}: brightness, weight, level: rms of the mean over {BARS} "
            f"bars {np.round(mean, 4)} dB, spread over bars {np.round(spread[way], 4)} dB"
        )
    assert (spread["overlap, early bars"] < spread["nearest"] / 3.0).all()
    assert (spread["overlap, early bars"] < spread["nearest, early bars"] * 1.2).all()


@pytest.mark.parametrize("tempo_bpm", [120.0, 60.0])
def test_aligning_three_captures_of_64_bars(tempo_bpm):
    groove = Groove(bars=8, tempo_bpm=tempo_bpm)
    captures = []
    for seed, late in enumerate((0, 700, 1900)):
        eight = metered(groove.perform(seed), groove, 0).values
        frames = Frames(np.tile(eight, (8, 1)), np.arange(1, 8 * len(eight) + 1) * 0.05)
        seq = np.arange(len(frames))
        frames.values[:, FRAME_COLUMNS["seq"]] = seq[:, None]
        frames.values[:, FRAME_COLUMNS["seq_check"]] = seq[:, None]
        start_beats = late / 48000 * tempo_bpm / 60.0
        captures.append(stamp_transport(frames, tempo_bpm=tempo_bpm, start_beats=start_beats))
    aligned = align(captures[:2], captures[2:])
    assert aligned.n_bars >= 63
    times = []
    for _ in range(60):
        start = time.perf_counter()
        align(captures[:2], captures[2:])
        times.append(time.perf_counter() - start)
    median_ms = 1e3 * statistics.median(times)
    print(
        f"\n3 x {len(captures[0])} frames: median {median_ms:.2f} ms, best {1e3 * min(times):.2f}"
    )
    assert min(times) < 0.02
