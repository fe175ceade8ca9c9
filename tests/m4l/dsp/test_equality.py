"""The same frames under every reading: back ends, History at once or late, blocks of any length."""

from __future__ import annotations

import numpy as np
import pytest

RATES_HZ = (44100, 192000)
"""One rate with each factor of oversampling."""


def sound(rate_hz: int, seconds: float, seed: int = 3) -> np.ndarray:
    """Noise with gaps and steps, and all that a float may hold."""
    rng = np.random.default_rng(seed)
    count = round(seconds * rate_hz)
    gain = np.repeat(10.0 ** rng.uniform(-4.0, 0.0, 20), -(-count // 20))[:count]
    pcm = rng.standard_normal((count, 2)) * gain[:, None]
    pcm[count // 4 : count // 3] = 0.0
    pcm[rng.integers(0, count, 5), 0] = (np.nan, np.inf, -np.inf, 1e30, 1e-310)
    return pcm


def position(rate_hz: int, count: int) -> dict[str, np.ndarray]:
    """Polls every 15 ms, a jump, and a stop."""
    sample = np.arange(count)
    poll = sample - sample % round(0.015 * rate_hz)
    beats = poll / rate_hz * 2.0 + np.where(poll > count // 2, 16.0, 0.0)
    flags = np.where(sample > 0.8 * count, 1.0, 5.0)
    return {"song_beats": beats, "bar": np.floor(beats / 4.0), "flags": flags}


@pytest.fixture(scope="module", params=RATES_HZ, ids=lambda rate: f"{rate}Hz")
def rate_hz(request):
    return request.param


@pytest.fixture(scope="module")
def outlets(analyzer, rate_hz):
    pcm = sound(rate_hz, 1.2)
    return analyzer(rate_hz).outlets(pcm, **position(rate_hz, len(pcm)))


def test_numba_equals_c(analyzer, numba_step, outlets, rate_hz):
    pcm = sound(rate_hz, 1.2)
    others = analyzer(rate_hz, numba_step).outlets(pcm, **position(rate_hz, len(pcm)))
    # The two may take log10 and tan from different libraries.
    np.testing.assert_allclose(others, outlets, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(others[:, 1:], outlets[:, 1:])
    assert (outlets[:, 1] >= 0).sum() == 23 * 44


def test_late_history_gives_the_same_one_sample_later(analyzer, c_step, outlets, rate_hz):
    pcm = sound(rate_hz, 1.2)
    late = analyzer(rate_hz, c_step("deferred"))
    later = late.outlets(pcm, **position(rate_hz, len(pcm)))
    np.testing.assert_array_equal(later[1:], outlets[:-1])
    assert later[0].tolist() == [0.0, -1.0, 0.0]


def test_blocks_of_any_length(analyzer, outlets, rate_hz):
    pcm = sound(rate_hz, 1.2)
    signals = position(rate_hz, len(pcm))
    cuts = np.sort(np.random.default_rng(5).integers(0, len(pcm), 40))
    running = analyzer(rate_hz)
    parts = [
        running.outlets(block, **{name: x[at : at + len(block)] for name, x in signals.items()})
        for at, block in zip([0, *cuts], np.split(pcm, cuts), strict=True)
        if len(block)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), outlets)
