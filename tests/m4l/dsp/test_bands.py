"""Band powers against the response that the design promises, computed without any filter.

A band's share of a whole signal and its tail is an integral over the spectrum (Parseval): the
squared response of the Butterworth pair of order 7 is known in closed form. This shares no code
with the tree of allpass sections.
"""

from __future__ import annotations

import numpy as np
import pytest

from pybackend.metering.design import BAND_EDGES_HZ, BAND_NAMES
from tests.conformance.programme import pink_noise

TAIL_S = 2.0
ORDER = 7


def band_responses(frequencies_hz: np.ndarray, rate_hz: int) -> np.ndarray:
    """Squared responses, shape (bands, frequencies)."""
    rest = np.ones_like(frequencies_hz)
    found = []
    with np.errstate(divide="ignore", over="ignore"):
        warped = np.tan(np.pi * np.minimum(frequencies_hz / rate_hz, 0.4999999))
        for edge_hz in BAND_EDGES_HZ:
            below = 1.0 / (1.0 + (warped / np.tan(np.pi * edge_hz / rate_hz)) ** (2 * ORDER))
            found.append(rest * below)
            rest = rest * (1.0 - below)
    return np.array(found[1:])


def expected_energy(pcm: np.ndarray, rate_hz: int) -> tuple[np.ndarray, np.ndarray]:
    """Energy L^2 + R^2 and L * R of each band."""
    count = 2 * len(pcm)
    left, right = np.fft.rfft(pcm, count, axis=0).T
    weight = np.full(len(left), 2.0 / count)
    weight[[0, -1]] /= 2.0
    responses = weight * band_responses(np.fft.rfftfreq(count, 1.0 / rate_hz), rate_hz)
    power = np.abs(left) ** 2 + np.abs(right) ** 2
    return responses @ power, responses @ (left * np.conj(right)).real


def metered_energy(analyzer, pcm: np.ndarray, rate_hz: int) -> tuple[np.ndarray, np.ndarray]:
    longer = np.concatenate((pcm, np.zeros((round(TAIL_S * rate_hz), 2))))
    frames = analyzer(rate_hz).frames(longer)
    return tuple(
        frames.column(name).sum(axis=0) * (rate_hz / 20.0) for name in ("band_power", "band_lr")
    )


@pytest.fixture(scope="module")
def noise(rate_hz):
    """Pink, not quite mono, of unequal levels."""
    rng = np.random.default_rng(9)
    middle, side = (pink_noise(2 * rate_hz, rng) for _ in range(2))
    return np.column_stack((0.1 * middle + 0.03 * side, 0.05 * middle - 0.04 * side))


def test_band_energies(analyzer, rate_hz, noise, deviations):
    energy, product = metered_energy(analyzer, noise, rate_hz)
    expected, expected_product = expected_energy(noise, rate_hz)
    error_db = np.abs(10.0 * np.log10(energy / expected)).max()
    assert deviations.note("bands against Parseval", "dB", rate_hz, error_db) < 1e-3
    np.testing.assert_allclose(product, expected_product, rtol=1e-3)


@pytest.mark.parametrize("band", range(len(BAND_NAMES)), ids=BAND_NAMES)
def test_a_tone_reads_in_its_own_band(analyzer, band):
    rate_hz = 48000
    centre_hz = np.sqrt(BAND_EDGES_HZ[band] * BAND_EDGES_HZ[band + 1])
    tone = 0.5 * np.sin(2.0 * np.pi * centre_hz / rate_hz * np.arange(2 * rate_hz))
    frames = analyzer(rate_hz).frames(np.column_stack((tone, -tone)))
    power = frames.column("band_power")[20:].mean(axis=0)
    product = frames.column("band_lr")[20:].mean(axis=0)
    assert 10.0 * np.log10(power[band] / 0.25) == pytest.approx(0.0, abs=0.1)
    others = np.delete(power, band)
    assert 10.0 * np.log10(others.max() / 0.25) < -15.0
    np.testing.assert_allclose(product, -0.5 * power, rtol=1e-9)


def test_nothing_is_lost_or_counted_twice(analyzer, rate_hz, noise):
    """The bands together hold what lies between 20 Hz and 20 kHz."""
    energy, _ = metered_energy(analyzer, noise, rate_hz)
    frequencies_hz = np.fft.rfftfreq(2 * len(noise), 1.0 / rate_hz)
    spectrum = (np.abs(np.fft.rfft(noise, 2 * len(noise), axis=0)) ** 2).sum(axis=1)
    inside = (frequencies_hz >= 20.0) & (frequencies_hz <= 20000.0)
    share = energy.sum() / (noise**2).sum()
    assert share == pytest.approx(spectrum[inside].sum() / spectrum.sum(), abs=0.02)
