from __future__ import annotations

import numpy as np
import pytest
import soundfile

from pybackend.errors import InputError, TargetMissing
from pybackend.judgment.artistic.packet import FROM_FRAMES
from pybackend.judgment.artistic.reference import packet_from_files

RATE_HZ = 44100


def music(path, *, treble: float = 0.2, seconds: int = 17, gain: float = 0.1, seed: int = 0):
    """Noise of a dull and a bright part that swell from second to second."""
    rng = np.random.default_rng(seed)
    n = seconds * RATE_HZ
    white = rng.standard_normal((n, 2))
    dull = np.cumsum(white, axis=0)
    dull -= np.linspace(dull[0], dull[-1], n)
    dull /= dull.std()
    swell = 1.0 + 0.5 * np.sin(2 * np.pi * np.arange(n) / RATE_HZ / 3.7)[:, None]
    sound = gain * swell * (dull + treble * white)
    soundfile.write(path, np.clip(sound, -1, 1).astype(np.float32), RATE_HZ, subtype="FLOAT")
    return path


def test_one_file_gives_targets_of_everything_that_sound_shows(tmp_path) -> None:
    packet = packet_from_files([music(tmp_path / "a.wav")], "a")
    assert set(packet.targets) == set(FROM_FRAMES)
    assert packet.tempo_hint is None
    (file,) = packet.measured_from
    assert (file.name, file.bars) == ("a.wav", 8)
    assert file.plr_lu is not None
    assert "1 file" in packet.targets["width"].source
    assert not packet.prose_only


def test_targets_follow_the_sound_and_no_gain(tmp_path) -> None:
    dull, bright, loud = (
        packet_from_files([music(tmp_path / f"{k}.wav", **fields)], "a").targets
        for k, fields in enumerate(
            ({"treble": 0.05}, {"treble": 0.5}, {"treble": 0.5, "gain": 0.02})
        )
    )
    assert bright["brightness"].mu > dull["brightness"].mu + 1.5
    for name in FROM_FRAMES:
        assert loud[name].mu == pytest.approx(bright[name].mu, abs=0.01)


def test_the_range_is_what_files_differ_by(tmp_path) -> None:
    files = [music(tmp_path / f"{k}.wav", treble=t, seed=k) for k, t in enumerate((0.05, 0.2, 0.8))]
    steps = []
    packet = packet_from_files(files, "a", tempo_bpm=120.0, advance=steps.append)
    brightness = packet.targets["brightness"]
    alone = [packet_from_files([each], "a", tempo_bpm=120.0).targets for each in files]
    means = [each["brightness"].mu for each in alone]
    assert brightness.mu == pytest.approx(np.mean(means), abs=0.01)
    assert brightness.tol == pytest.approx(np.std(means, ddof=1), abs=0.01)
    assert packet.tempo_hint.min == packet.tempo_hint.max == 120.0
    assert steps == [1, 1, 1]


def test_what_cannot_be_a_reference_is_an_error(tmp_path) -> None:
    silent = tmp_path / "silent.wav"
    soundfile.write(silent, np.zeros((12 * RATE_HZ, 2), np.float32), RATE_HZ)
    short = music(tmp_path / "short.wav", seconds=5)
    with pytest.raises(InputError, match=r"silent\.wav: cannot be a reference"):
        packet_from_files([silent], "a")
    with pytest.raises(InputError, match="whole bars"):
        packet_from_files([short], "a")
    with pytest.raises(TargetMissing):
        packet_from_files([tmp_path / "none.wav"], "a")
    with pytest.raises(InputError, match="1 to 200"):
        packet_from_files([], "a")
