from __future__ import annotations

import argparse
import json
import subprocess
import sys

import numpy as np
import pytest
import soundfile

from pybackend.commands import analyze

RATE_HZ = 8000


def parse(*argv: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="movejudge")
    analyze.add_parser(parser.add_subparsers())
    return parser.parse_args(["analyze", *argv])


@pytest.fixture
def command(capsys):
    """Run the command; give its exit code, stdout and stderr."""

    def command(*argv: object) -> tuple[int, str, str]:
        args = parse(*map(str, argv))
        code = args.run(args)
        out, err = capsys.readouterr()
        return code, out, err

    return command


def write(path, seconds: float = 3.5, channels: int = 2, gain: float = 0.1):
    rng = np.random.default_rng(5)
    pcm = gain * rng.standard_normal((round(seconds * RATE_HZ), channels))
    soundfile.write(path, pcm.astype(np.float32), RATE_HZ, subtype="FLOAT")
    return path


def test_json_of_one_file_is_one_object_with_every_field(command, tmp_path):
    path = write(tmp_path / "a.wav")
    code, out, err = command(path, "--json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert set(document) >= {
        "integrated_lufs",
        "momentary_max_lufs",
        "short_term_max_lufs",
        "loudness_range_lu",
        "true_peak_dbtp",
        "sample_peak_dbfs",
        "rms_dbfs",
        "plr_lu",
        "bands_db",
        "correlation",
        "sample_rate",
        "channels",
        "duration_s",
    }
    assert document["file"] == str(path)
    assert document["rms_dbfs"] == pytest.approx(-20.0, abs=0.1)
    assert document["duration_s"] == 3.5


def test_json_of_several_files_keeps_their_order_and_the_failures(command, tmp_path):
    loud = write(tmp_path / "loud.wav", gain=0.2)
    text = tmp_path / "text.wav"
    text.write_text("no sound\n" * 100)
    soft = write(tmp_path / "soft.wav", gain=0.1)
    code, out, err = command(loud, text, soft, "--json", "--jobs", "2")
    first, second, third = json.loads(out)
    assert code == 2
    assert first["rms_dbfs"] - third["rms_dbfs"] == pytest.approx(6.02, abs=0.01)
    assert second == {"file": str(text), "error": err.removeprefix("movejudge: ").rstrip("\n")}
    assert err.count("\n") == 1


def test_missing_file_has_its_own_exit_code(command, tmp_path):
    missing = tmp_path / "none.wav"
    code, out, err = command(missing, "--json")
    assert code == 3
    assert json.loads(out)["error"].endswith("does not exist; check the path")
    assert err.count("\n") == 1
    code, out, err = command(write(tmp_path / "a.wav"), missing)
    assert code == 3
    assert "a.wav" in out
    assert command(tmp_path, missing)[0] == 2


def test_missing_file_leaves_nothing_on_stdout_for_people(command, tmp_path):
    code, out, err = command(tmp_path / "none.wav")
    assert (code, out) == (3, "")
    assert err.startswith("movejudge: ")


@pytest.mark.parametrize(
    ("channels", "fill"), [(2, 0.0), (2, np.nan), (2, np.inf), (1, 0.0), (1, np.nan)]
)
def test_nothing_that_is_not_finite_reaches_json(command, tmp_path, channels, fill):
    path = tmp_path / "a.wav"
    pcm = np.full((4 * RATE_HZ, channels), fill, np.float32)
    soundfile.write(path, pcm, RATE_HZ, subtype="FLOAT")
    code, out, _ = command(path, "--json")

    def refuse(name: str) -> None:
        raise AssertionError(name)

    document = json.loads(out, parse_constant=refuse)
    assert code == 0
    assert document["integrated_lufs"] is None
    assert document["unavailable"]["integrated_lufs"]


def test_table_of_one_file_names_every_quantity_with_its_unit(command, tmp_path):
    code, out, _ = command(write(tmp_path / "drums [v2] ünïcode.wav", seconds=2.0))
    assert code == 0
    assert "drums [v2] ünïcode.wav" in out.replace("\n", "")
    for text in ("integrated", "LUFS", "true peak", "dBTP", "RMS", "dBFS", "60-120 Hz", "+0.0"):
        assert text in out
    assert "no short-term max, loudness range: the file is shorter" in out
    assert "\x1b" not in out


def test_table_of_several_files_fits_80_columns(command, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    names = ["A long name of a mix - final 3 (master).wav", "b.wav"]
    for name in names:
        write(tmp_path / name)
    code, out, _ = command(*names)
    assert code == 0
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    row = next(line for line in lines if line.startswith("b.wav"))
    assert len(row.split()) == 11
    assert row.split()[-1] == "0:03.5"
    assert out.count("not stable below 60 s") == 1


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_jobs_is_a_positive_count(jobs, capsys):
    with pytest.raises(SystemExit) as caught:
        parse("a.wav", "--jobs", jobs)
    assert caught.value.code == 2
    assert "--jobs" in capsys.readouterr().err


def test_an_interrupt_stops_the_other_files(tmp_path, monkeypatch):
    from pybackend.metering import analysis

    finished: list[str] = []

    def fake(file, progress):
        if file == "first":
            raise KeyboardInterrupt
        for _ in range(1000):
            progress(0.001)
        finished.append(file)

    monkeypatch.setattr(analysis, "analyze_file", fake)
    ticks: list[float] = []
    with pytest.raises(KeyboardInterrupt):
        analyze.measure_all(["first", *map(str, range(500))], 1, ticks.append)
    assert len(finished) < 500


def test_progress_counts_every_file_once(tmp_path):
    files = [str(write(tmp_path / f"{i}.wav")) for i in range(3)] + [str(tmp_path / "none.wav")]
    ticks: list[float] = []
    outcomes = analyze.measure_all(files, None, ticks.append)
    assert len(outcomes) == 4
    assert sum(ticks) == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0:00.0"), (3.04, "0:03.0"), (59.94, "0:59.9"), (59.96, "1:00"), (245.4, "4:05")],
)
def test_clock(seconds, text):
    assert analyze.clock(seconds) == text
    assert analyze.clock(10800.0) == "3:00:00"


SCRIPT = """
import argparse, sys
from pybackend.commands import analyze
parser = argparse.ArgumentParser()
analyze.add_parser(parser.add_subparsers())
args = parser.parse_args(sys.argv[1:])
assert not {"numpy", "numba", "rich", "soundfile"} & set(sys.modules)
sys.exit(args.run(args))
"""


def test_a_damaged_mp3_is_one_line_on_stderr(tmp_path):
    # The decoder itself writes several lines to file descriptor 2.
    path = tmp_path / "a.mp3"
    path.write_bytes(np.random.default_rng(1).bytes(200_000))
    command = [sys.executable, "-c", SCRIPT, "analyze", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"movejudge: {path} is not a readable audio file; give WAV, AIFF, FLAC, OGG or MP3\n"
    )


def test_short_names_keep_only_what_tells_files_apart(command, tmp_path):
    paths = [tmp_path / "a" / "song.wav", tmp_path / "b" / "song.wav"]
    for path in paths:
        path.parent.mkdir()
        write(path)
    code, out, _ = command(*paths)
    assert code == 0
    assert "a/song.wav" in out
    assert "b/song.wav" in out
    assert str(tmp_path)[:12] not in out
