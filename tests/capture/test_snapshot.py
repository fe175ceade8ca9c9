import numpy as np
import pytest

from pybackend.capture.snapshot import take
from pybackend.files import dumps
from pybackend.metering.units import power_db
from pybackend.stream.frames import Frames


@pytest.fixture(scope="module")
def frames(make):
    return make.frames(make.music(10.0, seed=8), phase_ms=20, start_beats=16.0)


def test_what_is_learned(frames):
    snapshot = take(frames, device_version="1.2.0")
    mid = frames.column("band_power")[:, 4]
    feature = snapshot.features["band_power.mid"]
    assert feature.mean == pytest.approx(float(power_db(mid.mean())))
    assert feature.spread == pytest.approx(float(power_db(mid).std()))
    assert feature.largest == pytest.approx(float(power_db(mid.max())))
    assert feature.unit == "dBFS"
    assert snapshot.features["true_peak.left"].unit == "dBTP"
    assert snapshot.features["k_power"].unit == "LUFS"
    assert snapshot.features["lufs_m"].largest == pytest.approx(frames.column("lufs_m").max())
    assert "band_lr.mid" not in snapshot.features
    assert snapshot.correlation == pytest.approx(0.8)
    assert snapshot.bars == 5
    assert snapshot.start_beats == pytest.approx(16.04)
    assert snapshot.end_beats == pytest.approx(35.94)
    assert snapshot.problems() == []
    assert not snapshot.silent


def test_loudness_is_averaged_as_power(make):
    loud = np.full((4000, 9), 1e-3)
    loud[2000:] *= 100.0
    feature = take(make.frames(loud)).features["k_power"]
    assert feature.largest - feature.mean == pytest.approx(10.0 * np.log10(100 / 50.5))


def test_a_summary_is_json_without_numbers_that_are_none(make, frames):
    narrow = make.changed(
        make.frames(make.music(5.0), sample_rate=8000.0),
        slice(None),
        band_power=[*[0.01] * 6, *[np.nan] * 3],
        band_lr=[*[0.0] * 6, *[np.nan] * 3],
    )
    for captured in (
        frames,
        narrow,
        Frames.empty(),
        make.changed(frames, slice(None), k_power=np.nan),
    ):
        assert dumps(take(captured).summary())
    assert take(narrow).summary()["features"]["band_power.air"]["mean"] is None
    assert take(narrow).summary()["features"]["band_power.mid"]["mean"] == pytest.approx(-20.0)
    empty = take(Frames.empty()).summary()
    assert (empty["frames"], empty["start_beats"], empty["loudest_lufs"]) == (0, None, None)


def test_problems(make, frames):
    def codes(snapshot):
        return {reason.code for reason in snapshot.problems("Before")}

    newest = float(frames.received_s[-1])
    assert codes(take(frames, now_s=newest + 4.9)) == set()
    assert codes(take(frames, now_s=newest + 5.1)) == {"stale"}
    assert codes(take(Frames.empty(), now_s=100.0)) == {"no_frames"}
    assert codes(take(frames.select(slice(0, 100)))) == {"too_few_bars"}
    assert codes(take(make.changed(frames, slice(None), flags=1))) == {
        "transport_stopped",
        "too_few_bars",
    }
    assert codes(take(make.frames(make.music(10.0) * 1e-9))) == {"silence"}
    assert take(make.frames(make.music(10.0) * 1e-9)).silent


def test_devices_are_compared(make, frames):
    def codes(one, other):
        return {reason.code for reason in one.device_problems(other)}

    plain = take(frames, device_version="1.2.0")
    assert codes(plain, take(frames, device_version="1.2.0")) == set()
    assert codes(plain, take(frames)) == set()
    assert codes(plain, take(frames, device_version="1.3.0")) == {"device_changed"}
    fast = take(make.frames(make.music(4.0), sample_rate=96000.0))
    assert codes(plain, fast) == {"sample_rate_changed"}


def test_files_have_no_transport(make, frames):
    still = make.changed(frames, slice(None), flags=0, tempo=0.0, beats_per_bar=0.0)
    assert take(still, positions="start").problems() == []
    assert {reason.code for reason in take(still).problems()} >= {"transport_stopped"}
