from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.metering import units

LEVELS_DB = st.floats(-110.0, 60.0)


def test_known_levels():
    assert units.power_db([1.0, 0.5, 0.01]) == pytest.approx([0.0, -3.0103, -20.0], abs=1e-4)
    assert units.amplitude_db(0.5) == pytest.approx(-6.0206, abs=1e-4)
    assert units.lufs(1.0) == pytest.approx(-0.691)


def test_silence_reads_the_floor_and_nan_stays_nan():
    assert units.power_db([0.0, np.nan]) == pytest.approx([-120.0, np.nan], nan_ok=True)
    assert units.amplitude_db(0.0, floor_db=-90.0) == pytest.approx(-90.0)
    assert units.lufs([0.0, 1e-30, np.nan]) == pytest.approx([-120.0, -120.0, np.nan], nan_ok=True)


@given(LEVELS_DB)
def test_there_and_back(level_db):
    assert units.power_db(units.power_from_db(level_db)) == pytest.approx(level_db, abs=1e-9)
    assert units.amplitude_db(units.amplitude_from_db(level_db)) == pytest.approx(
        level_db, abs=1e-9
    )
    assert units.lufs(units.k_power_from_lufs(level_db)) == pytest.approx(level_db, abs=1e-9)
