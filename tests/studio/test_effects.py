"""What each effect does, against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from pybackend.studio import effects

RATE = 48000


def response_db(f: effects.Biquad, at_hz: list[float]) -> list[float]:
    impulse = np.zeros((1 << 15, 2))
    impulse[0] = 1.0
    spectrum = np.abs(np.fft.rfft(effects.filtered(impulse, f)[:, 0]))
    hz = np.fft.rfftfreq(len(impulse), 1.0 / RATE)
    return [float(20 * np.log10(spectrum[np.argmin(abs(hz - each))])) for each in at_hz]


def noise(seconds: float = 4.0) -> np.ndarray:
    return 0.1 * np.random.default_rng(1).standard_normal((round(seconds * RATE), 2))


def level_db(sound: np.ndarray) -> float:
    return float(10 * np.log10(np.square(sound).mean()))


def hits() -> np.ndarray:
    """Decaying clicks over a steady tone."""
    t = np.arange(4 * RATE) / RATE
    sound = 0.05 * np.sin(2 * np.pi * 300.0 * t)
    sound += 0.5 * np.exp(-(t % 0.5) / 0.02) * np.sin(2 * np.pi * 1000.0 * t)
    return np.column_stack([sound, sound])


@pytest.mark.parametrize("gain_db", [-6.0, 3.0])
def test_filters_have_the_response_of_the_cookbook(gain_db: float) -> None:
    high = effects.shelf(3000.0, gain_db, RATE, high=True)
    assert response_db(high, [50, 3000, 20000]) == pytest.approx([0, gain_db / 2, gain_db], abs=0.1)
    low = effects.shelf(100.0, gain_db, RATE, high=False)
    assert response_db(low, [5, 100, 5000]) == pytest.approx([gain_db, gain_db / 2, 0], abs=0.1)
    bell = effects.bell(1000.0, gain_db, RATE, q=2.0)
    assert response_db(bell, [20, 1000, 20000]) == pytest.approx([0, gain_db, 0], abs=0.1)


def test_high_pass_falls_12_db_per_octave() -> None:
    found = response_db(effects.high_pass(100.0, RATE), [25, 50, 100, 5000])
    assert found == pytest.approx([-24.1, -12.3, -3.0, 0.0], abs=0.2)


def test_dynamics_move_what_they_should() -> None:
    sound = hits()
    peak, floor = np.abs(sound).max(), sound[RATE // 4 : RATE // 2]
    compressed = effects.compressed(
        sound, RATE, depth_db=12.0, ratio=4.0, attack_s=0.001, release_s=0.1
    )
    assert np.abs(compressed).max() < 0.9 * peak
    limited = effects.limited(sound, RATE, push_db=6.0)
    assert np.abs(limited).max() == pytest.approx(peak, rel=1e-6)
    assert level_db(limited[RATE // 4 : RATE // 2]) > level_db(floor) + 4.0
    clipped = effects.clipped(sound, 6.0)
    assert np.abs(clipped).max() == pytest.approx(peak * 10 ** (-6 / 20))
    driven = effects.saturated(sound, 6.0)
    assert np.abs(driven).max() < peak
    onset, rest = slice(RATE // 2, RATE // 2 + 480), slice(RATE - RATE // 8, RATE - 100)
    for attack_db in (-6.0, 6.0):
        shaped = effects.shaped(sound, RATE, attack_db=attack_db)
        moved = level_db(shaped[onset]) - level_db(sound[onset])
        kept = level_db(shaped[rest]) - level_db(sound[rest])
        assert np.sign(moved - kept) == np.sign(attack_db)
        assert abs(moved) > 1.0


def test_stereo_and_room() -> None:
    sound = noise()
    wider = effects.widened(sound, 6.0)
    side = [each[:, 0] - each[:, 1] for each in (sound, wider)]
    assert level_db(side[1]) - level_db(side[0]) == pytest.approx(6.0)
    assert np.allclose(wider.sum(axis=1), sound.sum(axis=1))
    turned = effects.turned(sound, 2.0)
    balance = [level_db(each[:, 1]) - level_db(each[:, 0]) for each in (sound, turned)]
    assert balance[1] - balance[0] == pytest.approx(2.0)
    click = np.zeros((RATE, 2))
    click[100] = 1.0
    wet = effects.roomed(click, RATE, wet_db=-10.0)
    assert np.array_equal(wet[:100].round(12), click[:100])
    tail = 10 * np.log10(np.square(wet[101:]).sum(axis=0))
    assert tail == pytest.approx([-10.0, -10.0], abs=0.3)


def test_a_sweep_moves_the_treble_up_and_down_and_leaves_the_bass() -> None:
    t = np.arange(8 * RATE) / RATE
    for hz, moved in ((40.0, False), (8000.0, True)):
        tone = np.column_stack([np.sin(2 * np.pi * hz * t)] * 2)
        swept = effects.swept(tone, RATE, depth_db=4.0, period_s=4.0)
        levels = [level_db(swept[k * RATE : (k + 1) * RATE]) for k in range(8)]
        assert (np.ptp(levels) > 4.5) == moved
        assert moved or np.ptp(levels) < 0.3
