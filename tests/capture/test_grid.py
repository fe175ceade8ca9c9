import numpy as np
import pytest

from pybackend.capture.grid import LARGEST, LOUD, SUMMED, Ruler, lay, share_bars
from pybackend.capture.timeline import trace
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_FIELDS, column


def names(columns):
    return {
        field.name
        for field in FRAME_FIELDS
        if set(range(*FRAME_COLUMNS[field.name].indices(100))) <= set(columns)
    }


def test_every_measured_field_is_laid_by_its_nature():
    summed = {c for start, stop in SUMMED for c in range(start, stop)}
    assert names(summed) == {
        "band_power",
        "band_lr",
        "mean_square",
        "lr_product",
        "k_power_prev",
        "k_power",
        "flux_full",
        "flux_low",
    }
    assert not summed & {*LOUD, *LARGEST}
    measured = {
        c
        for field in FRAME_FIELDS
        if field.unit in ("FS^2", "FS", "LUFS", "dB")
        for c in range(*FRAME_COLUMNS[field.name].indices(100))
    }
    assert summed | {*LOUD, *LARGEST} == measured


@pytest.mark.parametrize(
    ("tempo_bpm", "rows", "row_s"), [(120.0, 40, 0.05), (125.0, 38, 0.0505), (174.0, 28, 0.0493)]
)
def test_rows_divide_bars_and_are_about_a_frame_long(tempo_bpm, rows, row_s):
    ruler = Ruler(4.0, tempo_bpm)
    assert ruler.rows_per_bar == rows
    assert ruler.row_s == pytest.approx(row_s, abs=1e-4)
    assert ruler.row_beats * rows == pytest.approx(4.0)


def laid(frames, lag_s=0.0):
    ruler = Ruler(4.0, 120.0)
    timelines, lags = [trace(frames)], np.array([lag_s])
    return lay(timelines, share_bars(timelines, ruler, lags), ruler, lags)


@pytest.mark.parametrize("phase_ms", [0, 10, 25, 49])
def test_a_power_is_divided_by_overlap(make, phase_ms):
    power = np.full((4100, 9), 1e-9)
    power[1000:1050] = 1.0
    grid = laid(make.frames(power, phase_ms=phase_ms))
    mid = grid.values[0, :, column("band_power") + 4]
    inner = slice(1, 79)
    assert np.nansum(mid[inner]) == pytest.approx(1.0, rel=1e-6)
    # Bars begin one row before the barline.
    middle_ms = np.arange(80)[inner] * 50.0 - 25.0
    centre = np.nansum(mid[inner] * middle_ms) / np.nansum(mid[inner])
    assert centre == pytest.approx(1025.0, abs=0.1)


@pytest.mark.parametrize("phase_ms", [0, 13, 26, 39])
def test_a_downbeat_stays_in_its_bar(make, phase_ms):
    power = np.full((6100, 9), 1e-9)
    power[2000:2010] = 1.0
    grid = laid(make.frames(power, phase_ms=phase_ms))
    mid = np.nan_to_num(grid.values[0, :, column("band_power") + 4])
    np.testing.assert_allclose(np.bincount(grid.bar, mid), [0.0, 0.2, 0.0], atol=1e-6)


def test_a_lag_is_taken_off(make):
    power = np.full((4600, 9), 1e-9)
    power[1070:1120] = 1.0
    grid = laid(make.frames(power), lag_s=0.07)
    # Frames hold 30 and 20 ms of the burst; laid 70 ms earlier these overlap three rows.
    mid = grid.values[0, :, column("band_power") + 4]
    assert np.flatnonzero(mid > 1e-6).tolist() == [20, 21, 22]
    assert mid[20:23].sum() == pytest.approx(1.0, rel=1e-6)


def test_rows_carry_their_song_position(make):
    grid = laid(make.frames(make.music(4.2), phase_ms=30, start_beats=8.0))
    assert grid.bars.tolist() == [2, 3]
    beats = grid.values[0, :, column("song_beats")]
    np.testing.assert_allclose(beats[2:], 8.0 + 0.1 * np.arange(2, 80))
    assert np.isnan(beats[:2]).all()
