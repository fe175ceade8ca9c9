from __future__ import annotations

import builtins
import os
import sys

import numpy as np
import pytest
import soundfile

from pybackend.errors import AudioFileError, TargetMissing
from pybackend.metering.audiofile import AudioReader, shown_path

RATE_HZ = 48000


def noise(seconds: float = 0.5, channels: int = 2, rate_hz: int = RATE_HZ) -> np.ndarray:
    rng = np.random.default_rng(7)
    return (0.1 * rng.standard_normal((round(seconds * rate_hz), channels))).astype(np.float32)


def read(path, **kwargs) -> np.ndarray:
    with AudioReader(path) as reader:
        return np.concatenate(list(reader.blocks(**kwargs)))


@pytest.mark.parametrize(
    ("name", "subtype", "error_db"),
    [
        ("a.wav", "FLOAT", None),
        ("a.wav", "DOUBLE", None),
        ("a.wav", "PCM_24", -130.0),
        ("a.aiff", "PCM_16", -85.0),
        ("a.flac", "PCM_16", -85.0),
        ("a.ogg", None, -30.0),
        ("a.mp3", None, -25.0),
    ],
)
def test_every_format_gives_the_same_sound(tmp_path, name, subtype, error_db):
    # A tone: lossy formats keep it, while noise above their cut-off would be lost on purpose.
    phase = 2 * np.pi * 440 / RATE_HZ * np.arange(RATE_HZ)
    pcm = np.column_stack((0.5 * np.sin(phase), 0.25 * np.cos(phase))).astype(np.float32)
    path = tmp_path / name
    soundfile.write(path, pcm, RATE_HZ, subtype=subtype)
    got = read(path)
    assert got.dtype == np.float32
    assert got.shape == pcm.shape
    if error_db is None:
        np.testing.assert_array_equal(got, pcm)
    else:
        middle = slice(4800, -4800)
        error = np.sqrt(np.mean((got[middle] - pcm[middle]) ** 2))
        assert 20 * np.log10(error) < error_db


def test_blocks_are_bounded_and_join_to_the_file(tmp_path):
    path = tmp_path / "a.wav"
    pcm = noise()
    soundfile.write(path, pcm, RATE_HZ, subtype="FLOAT")
    with AudioReader(path) as reader:
        assert (reader.sample_rate_hz, reader.channels) == (RATE_HZ, 2)
        assert reader.expected_samples == len(pcm)
        blocks = list(reader.blocks(block_samples=1000))
    assert max(len(block) for block in blocks) == 1000
    np.testing.assert_array_equal(np.concatenate(blocks), pcm)


def test_mono_stays_one_column(tmp_path):
    path = tmp_path / "mono.wav"
    soundfile.write(path, noise(channels=1), RATE_HZ)
    assert read(path).shape == (24000, 1)


def test_names_with_spaces_and_other_scripts(tmp_path):
    path = tmp_path / "тест – mix nº 1 [final] 音.wav"
    soundfile.write(path, noise(), RATE_HZ)
    assert len(read(path)) == 24000


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that takes any bytes")
def test_name_that_is_no_text(tmp_path):
    source = tmp_path / "a.wav"
    soundfile.write(source, noise(), RATE_HZ)
    path = tmp_path / os.fsdecode(b"mix\xff.wav")
    source.rename(path)
    assert len(read(path)) == 24000


def fails(path, fragment: str, kind: type[Exception] = AudioFileError) -> None:
    with pytest.raises(kind) as caught:
        read(path)
    text = str(caught.value)
    assert fragment in text
    assert path.name in text
    assert "\n" not in text


def test_missing_file(tmp_path):
    fails(tmp_path / "none.wav", "does not exist", TargetMissing)


def test_folder(tmp_path):
    folder = tmp_path / "mixes.wav"
    folder.mkdir()
    fails(folder, "is a folder")


def test_file_of_zero_bytes(tmp_path):
    path = tmp_path / "empty.wav"
    path.touch()
    fails(path, "empty (0 bytes)")


@pytest.mark.parametrize("name", ["empty.wav", "empty.ogg"])
def test_file_without_samples(tmp_path, name):
    path = tmp_path / name
    soundfile.write(path, noise()[:0], RATE_HZ)
    fails(path, "no samples")


@pytest.mark.parametrize("name", ["notes.wav", "notes.mp3", "notes.raw", "notes"])
def test_text_is_not_audio(tmp_path, name):
    path = tmp_path / name
    path.write_text("kick a bit louder\n" * 500)
    fails(path, "not a readable audio file")


def test_eight_channels(tmp_path):
    path = tmp_path / "surround.wav"
    soundfile.write(path, noise(channels=8), RATE_HZ)
    fails(path, "8 channels; MoveJudge measures mono and stereo")


@pytest.mark.parametrize("rate_hz", [4000, 384000])
def test_rates_outside_the_meter(tmp_path, rate_hz):
    path = tmp_path / "rate.wav"
    soundfile.write(path, noise(), rate_hz)
    fails(path, f"{rate_hz} Hz")


def test_damaged_flac(tmp_path):
    path = tmp_path / "a.flac"
    soundfile.write(path, noise(2.0), RATE_HZ)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    fails(path, "damaged after")


def test_truncated_mp3_gives_what_is_there(tmp_path):
    path = tmp_path / "a.mp3"
    soundfile.write(path, noise(2.0), RATE_HZ)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with AudioReader(path) as reader:
        count = sum(len(block) for block in reader.blocks())
        assert reader.expected_samples == 96000
    assert 40000 < count < 60000


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such mode bits")
def test_unreadable_file(tmp_path):
    path = tmp_path / "locked.wav"
    soundfile.write(path, noise(), RATE_HZ)
    path.chmod(0)
    try:
        with path.open("rb"):
            pytest.skip("this user may read everything")
    except PermissionError:
        pass
    fails(path, "cannot be opened")


@pytest.mark.parametrize("error", [ImportError("no soundfile"), OSError("no libsndfile")])
def test_without_soundfile_the_error_says_what_to_install(tmp_path, monkeypatch, error):
    real_import = builtins.__import__

    def without_soundfile(name, *args, **kwargs):
        if name == "soundfile":
            raise error
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_soundfile)
    with pytest.raises(AudioFileError, match=r'pip install "movejudge\[audio\]"'):
        AudioReader(tmp_path / "a.wav")


def test_shown_path_is_one_printable_line():
    assert shown_path("a\nb\x1b[31m.wav") == "a?b?[31m.wav"
    assert shown_path("m\udcffx.wav") == "m?x.wav"
    assert shown_path("naïve 音.wav") == "naïve 音.wav"
