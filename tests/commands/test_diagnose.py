from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from pybackend.cli import main
from pybackend.metering.meter import Meter
from pybackend.stream.codec import Hello, encode_frame, encode_hello
from pybackend.stream.frames import stamp_transport
from pybackend.stream.protocol import FLAG_ENABLED, KIND_NAMES
from pybackend.stream.recording import Recorder

RATE = 48000
SECONDS = 8


def noise(low_hz: float, high_hz: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    spectrum = np.fft.rfft(rng.normal(size=SECONDS * RATE))
    hz = np.fft.rfftfreq(SECONDS * RATE, 1 / RATE)
    spectrum[(hz < low_hz) | (hz > high_hz)] = 0.0
    sound = np.fft.irfft(spectrum, SECONDS * RATE)
    return np.repeat(0.05 * (sound / sound.std())[:, None], 2, axis=1)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A master and two tracks that share 250-500 Hz, recorded at once."""
    path = tmp_path_factory.mktemp("tape") / "three analyzers.pcap"
    pad, keys = noise(250, 500, 1), noise(250, 2000, 2)
    devices = {1: ("master", -1, pad + keys), 2: ("track", 0, pad), 3: ("track", 1, keys)}
    with Recorder(path) as recorder:
        for instance, (kind, index, sound) in devices.items():
            hello = Hello(
                instance, (0, 1, 0), RATE, FLAG_ENABLED, kind=KIND_NAMES.index(kind), index=index
            )
            recorder.write(encode_hello(hello), 1.7e9)
            frames = stamp_transport(Meter(RATE, instance=instance).process(sound), tempo_bpm=120)
            for number, row in enumerate(frames.values):
                row[1] = instance
                recorder.write(encode_frame(row), 1.7e9 + 0.05 * (number + 1))
    return path


def diagnosed(capsys: pytest.CaptureFixture[str], *args: object) -> dict[str, Any]:
    assert main(["diagnose", *map(str, args), "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_recording_with_track_analyzers_shows_masking(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = diagnosed(capsys, recording)
    assert {part["name"] for part in found["masking"]["parts"]} == {"track 1 (2)", "track 2 (3)"}
    masked = [each for each in found["findings"] if each["what"] == "masking"]
    assert "low mid" in masked[0]["where"]
    assert masked[0]["goal"]["targets"] == {"clarity": 1.0}
    assert "masking" not in found["unavailable"]


def test_a_muted_track_masks_nothing(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = diagnosed(capsys, recording, "--track", "3=0,0,muted")
    parts = {part["name"]: part for part in found["masking"]["parts"]}
    assert parts["track 1 (2)"]["loss"] == 0.0
    assert parts["track 2 (3)"]["reason"] == "silent behind its fader"
    assert [each["what"] for each in found["findings"] if each["what"] == "masking"] == []


def test_a_fader_changes_who_masks_whom(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loss = []
    for fader in ("3=0", "3=-30"):
        parts = diagnosed(capsys, recording, "--track", fader)["masking"]["parts"]
        loss.append({part["name"]: part["loss"] for part in parts}["track 1 (2)"])
    assert loss[1] < loss[0] - 0.2


def test_a_file_is_examined_in_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "loud.wav"
    soundfile.write(path, np.clip(30.0 * noise(100, 8000, 3), -1, 1), RATE, subtype="FLOAT")
    assert main(["diagnose", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "clipping" in shown
    assert "headroom=1" in shown
    assert "Not examined: masking" in shown


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["--track", "9=0"], 2, "no track has that analyzer"),
        (["--track", "loud"], 2, "write N=DB"),
        (["--track", "2=99"], 2, "read it again"),
        (["--instance", "77"], 2, "no frames of analyzer 77"),
    ],
)
def test_wrong_arguments_are_one_line(
    recording: Path, capsys: pytest.CaptureFixture[str], args: list[str], code: int, says: str
) -> None:
    assert main(["diagnose", str(recording), *args]) == code
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
