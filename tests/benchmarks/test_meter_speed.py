"""The meter against libebur128 (through pyebur128): CPU time of one thread, interleaved runs.

300 s of stereo at 48 kHz in float32, as audio files are read. Ours is given the same array.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import pyebur128
import pytest

from pybackend.metering.loudness import integrated_loudness, integrated_lufs, loudness_range_lu
from pybackend.metering.meter import Meter
from pybackend.metering.truepeak import true_peak
from pybackend.metering.whole import measure

pytestmark = pytest.mark.benchmark

RATE_HZ = 48000
SECONDS = 300
ROUNDS = 5
Mode = pyebur128.MeasurementMode


@pytest.fixture(scope="module")
def pcm() -> np.ndarray:
    """Noise whose level wanders, so that gates and range have something to do."""
    rng = np.random.default_rng(11)
    level_db = np.repeat(rng.uniform(-50.0, -10.0, SECONDS), RATE_HZ)[:, np.newaxis]
    noise = rng.standard_normal((SECONDS * RATE_HZ, 2), np.float32)
    return (noise * 10.0 ** (level_db / 20.0)).astype(np.float32)


def libebur128(pcm: np.ndarray, mode: Mode) -> pyebur128.R128State:
    state = pyebur128.R128State(2, RATE_HZ, mode)
    state.add_frames(pcm.reshape(-1), len(pcm))
    return state


def their_loudness(pcm: np.ndarray) -> tuple[float, ...]:
    return (pyebur128.get_loudness_global(libebur128(pcm, Mode.MODE_I)),)


def their_everything(pcm: np.ndarray) -> tuple[float, ...]:
    state = libebur128(pcm, Mode.MODE_I | Mode.MODE_LRA | Mode.MODE_TRUE_PEAK)
    peak = max(pyebur128.get_true_peak(state, channel) for channel in range(2))
    return pyebur128.get_loudness_global(state), pyebur128.get_loudness_range(state), peak


def our_everything(frames) -> tuple[float, ...]:
    return (
        integrated_lufs(frames.column("k_power")),
        loudness_range_lu(frames.column("lufs_s")),
        frames.column("true_peak").max(),
    )


def chunked(pcm: np.ndarray, length: int = 1 << 17):
    return (pcm[start : start + length] for start in range(0, len(pcm), length))


def interleaved(jobs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Median CPU seconds of each job; the first round, which compiles, does not count."""
    spent: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(ROUNDS + 1):
        for name, job in jobs.items():
            start = time.process_time()
            job()
            spent[name].append(time.process_time() - start)
    return {name: statistics.median(times[1:]) for name, times in spent.items()}


def show(capsys, medians: dict[str, float], seconds: float, anchor: str) -> None:
    with capsys.disabled():
        print()
        for name, spent in medians.items():
            times = seconds / spent
            print(f"  {name:44s} {1e3 * spent:8.1f} ms {times:8.0f} x real time "
                  f"{medians[anchor] / spent:6.2f} x {anchor}")  # fmt: skip


def test_everything_against_libebur128(pcm, capsys):
    frames = measure(pcm, RATE_HZ)
    ours, theirs = our_everything(frames), their_everything(pcm)
    assert ours[0] == pytest.approx(theirs[0], abs=0.02)
    # They read short-term loudness once a second, we once a frame: compare on their grid.
    first, every_second = frames.column("lufs_s")[:59], frames.column("lufs_s")[59::20]
    on_their_grid = loudness_range_lu(np.concatenate((first, every_second)))
    assert on_their_grid == pytest.approx(theirs[1], abs=0.02)
    assert 20.0 * np.log10(ours[2] / theirs[2]) == pytest.approx(0.0, abs=0.2)
    medians = interleaved(
        {
            "libebur128 I + LRA + true peak": lambda: their_everything(pcm),
            "all frame fields + I + LRA + true peak": lambda: our_everything(measure(pcm, RATE_HZ)),
            "the same from chunks, as of a file": lambda: our_everything(
                measure(chunked(pcm), RATE_HZ)
            ),
        }
    )
    show(capsys, medians, SECONDS, "libebur128 I + LRA + true peak")
    theirs_s, whole_s, chunks_s = medians.values()
    assert theirs_s / whole_s >= 2.0
    assert theirs_s / chunks_s >= 2.0


def test_loudness_alone_against_libebur128(pcm, capsys):
    assert integrated_loudness(pcm, RATE_HZ) == pytest.approx(their_loudness(pcm)[0], abs=0.02)
    medians = interleaved(
        {
            "libebur128 I": lambda: their_loudness(pcm),
            "K-weighting and integrated loudness": lambda: integrated_loudness(pcm, RATE_HZ),
            "true peak": lambda: true_peak(pcm, RATE_HZ),
        }
    )
    show(capsys, medians, SECONDS, "libebur128 I")
    assert medians["libebur128 I"] / medians["K-weighting and integrated loudness"] >= 4.0


def test_streaming_and_silence(pcm, capsys):
    """A stream in blocks of 10 ms, and the silence after it: no denormal numbers slow it down."""
    sound = pcm[: 20 * RATE_HZ]
    silence = np.zeros_like(sound)
    meter = Meter(RATE_HZ)

    def stream(signal: np.ndarray) -> None:
        for start in range(0, len(signal), 480):
            meter.process(signal[start : start + 480])

    medians = interleaved(
        {
            "streaming, blocks of 10 ms: sound": lambda: stream(sound),
            "streaming, blocks of 10 ms: silence after it": lambda: stream(silence),
        }
    )
    show(capsys, medians, 20.0, "streaming, blocks of 10 ms: sound")
    sound_s, silence_s = medians.values()
    assert 20.0 / sound_s > 50.0
    assert silence_s < 1.5 * sound_s
