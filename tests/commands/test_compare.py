from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from pythonosc.osc_message_builder import OscMessageBuilder

from pybackend.cli import main
from pybackend.stream.recording import Recorder
from pybackend.studio.groove import Groove, high_shelf

RATE = 48000
PROMISED = (
    "decision",
    "keep_change",
    "score",
    "goal_progress",
    "collateral_damage",
    "explanation",
    "level_match_lu",
    "dimensions",
    "evidence",
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("sounds")
    groove = Groove(sample_rate_hz=RATE)
    takes = {"a": groove.perform(1), "a2": groove.perform(2), "plain": groove.perform(3)}
    takes["bright"] = high_shelf(takes["plain"], RATE, corner_hz=3000, gain_db=3.0)
    takes["loud"] = takes["a"] * 10 ** (4.0 / 20)
    takes["silent"] = np.zeros_like(takes["a"])
    takes["nan"] = np.full_like(takes["a"], np.nan)
    takes["short"] = takes["a"][: 3 * RATE]
    paths = {}
    for name, sound in takes.items():
        paths[name] = folder / f"{name} take.wav"
        soundfile.write(paths[name], sound, RATE, subtype="FLOAT")
    return paths


def verdict_of(
    capsys: pytest.CaptureFixture[str], *args: str | Path, code: int, target: str = "brightness=1"
) -> dict[str, Any]:
    argv = ["compare", *map(str, args), "--target", target, "--tempo", "120", "--json"]
    assert main(argv) == code
    verdict: dict[str, Any] = json.loads(capsys.readouterr().out)
    return verdict


def test_a_brighter_take_is_kept(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = verdict_of(
        capsys, files["a"], files["a2"], "--after", files["bright"], "--protect", "weight", code=0
    )
    assert verdict["decision"] == "keep"
    assert set(PROMISED) <= set(verdict)
    brightness = verdict["dimensions"]["brightness"]
    assert brightness["state"] == "measured"
    assert brightness["unit"] == "dB"
    assert brightness["ci_low"] < brightness["delta"] < brightness["ci_high"]
    assert 2.0 < brightness["delta"] < 3.3
    assert verdict["evidence"]["bars"] == 8
    assert verdict["evidence"]["positions"] == "start"


def test_asking_for_less_turns_the_verdict(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = verdict_of(
        capsys,
        files["a"],
        files["a2"],
        "--after",
        files["bright"],
        code=10,
        target="brightness=-1",
    )
    assert verdict["decision"] == "undo"
    assert verdict["score"] < 0.3


def test_the_same_file_twice_scores_one_half(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = verdict_of(capsys, files["a"], files["a"], code=10)
    assert verdict["score"] == 0.5
    assert verdict["keep_change"] is False
    assert verdict["dimensions"]["brightness"]["verdict"] == "same"


def test_louder_alone_never_wins(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = verdict_of(capsys, files["a"], files["loud"], code=10)
    assert verdict["decision"] == "undo"
    assert verdict["level_match_lu"] == pytest.approx(-4.0, abs=0.01)
    assert abs(verdict["dimensions"]["brightness"]["delta"]) < 0.01


@pytest.mark.parametrize("after", ["silent", "nan", "short"])
def test_what_cannot_be_compared_is_inconclusive_with_a_reason(
    after: str, files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = verdict_of(capsys, files["a"], files[after], code=11)
    assert verdict["decision"] == "inconclusive"
    assert verdict["keep_change"] is False
    assert verdict["reasons"]


def test_an_unknown_tempo_makes_blocks_of_two_seconds(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["compare", str(files["a"]), str(files["a"]), "--target", "brightness", "--json"]
    assert main(argv) == 10
    assert json.loads(capsys.readouterr().out)["evidence"]["bars"] == 8


def test_people_read_a_table(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(files["a"]), str(files["loud"]), "--target", "brightness=1"]) == 10
    printed = capsys.readouterr().out
    assert printed.startswith("UNDO")
    assert "brightness (target)" in printed


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["A", "B"], 2, "--target"),
        (["A"], 2, "compare BEFORE AFTER"),
        (["A", "B", "A", "--target", "brightness=1"], 2, "--after"),
        (["A", "B", "--target", "brightnes=1"], 2, "brightness"),
        (["A", "B", "--target", "brightness=loud"], 2, "no number"),
        (["A", "B", "--target", "brightness=1", "--target", "brightness=2"], 2, "twice"),
        (["A", "B", "--target", "brightness=0"], 2, "weight"),
        (["A", "B", "--target", "brightness=nan"], 2, "finite"),
        (["A", "B", "--target", "brightness=1", "--protect", "weight=7"], 2, "0"),
        (["A", "B", "--target", "brightness=1", "--mode", "improv"], 2, "improve"),
        (["A", "B", "--target", "brightness=1", "--tempo", "0"], 2, "--tempo"),
        (["A", "B", "--target", "brightness=1", "--min-bars", "2"], 2, "--min-bars"),
        (["A", "gone.wav", "--target", "brightness=1"], 3, "gone.wav"),
    ],
)
def test_wrong_input_is_one_line(
    args: list[str],
    code: int,
    says: str,
    files: dict[str, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    named = {"A": str(files["a"]), "B": str(files["loud"])}
    assert main(["compare", *(named.get(arg, arg) for arg in args)]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert says in captured.err


def older_recording(path: Path, high: float) -> Path:
    """Two readings of an older analyzer with nine bands."""
    builder_args = [0.1, 0.2, 0.2, 0.15, 0.1, 0.1, high, high / 2, high / 4]
    with Recorder(path) as recorder:
        for number in range(2):
            for address, values in (("/rms", [0.3]), ("/spectrum", builder_args)):
                builder = OscMessageBuilder(address)
                for value in values:
                    builder.add_arg(value, "f")
                recorder.write(builder.build().dgram, 1000.0 + number)
    return path


def test_an_older_analyzer_gives_low_evidence_and_never_a_keep(
    tmp_path: Path, files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = older_recording(tmp_path / "before.pcap", 0.05)
    after = older_recording(tmp_path / "after.pcap", 0.08)
    verdict = verdict_of(capsys, before, after, code=11)
    assert verdict["evidence"]["grade"] == "low"
    assert verdict["dimensions"]["brightness"]["delta"] == pytest.approx(4.08, abs=0.01)
    assert main(["compare", str(before), str(files["a"]), "--target", "brightness=1"]) == 2
    assert "paired" in capsys.readouterr().err


def test_a_reference_stands_beside_both_sides(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = verdict_of(capsys, files["a"], files["bright"], "--reference", files["loud"], code=0)
    beside = verdict["reference"]
    rows = {row["name"]: row for row in beside["rows"]}
    assert rows["energy"]["distance_before"] == pytest.approx(-4.0, abs=0.05)
    assert rows["band_presence"]["closer"] is False
    assert beside["spectral_distance_before_db"] < 0.1 < beside["spectral_distance_after_db"]
    assert "another piece of music" in beside["statement"]
    argv = ["compare", str(files["a"]), str(files["bright"]), "--target", "brightness=1"]
    main([*argv, "--tempo", "120", "--reference", str(files["loud"])])
    assert "Beside loud take.wav" in capsys.readouterr().out


def test_a_missing_reference_is_one_line(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["compare", str(files["a"]), str(files["bright"]), "--target", "brightness=1"]
    assert main([*argv, "--reference", "nowhere.wav"]) == 3
    assert "nowhere.wav: no such file" in capsys.readouterr().err


def test_an_engine_is_chosen_by_name(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    pair = files["a"], files["bright"]
    mix = verdict_of(capsys, *pair, "--engine", "mix", code=0)
    assert mix["engine"] == "mix"
    assert mix["masking_after"]["clarity"] is None
    translation = verdict_of(
        capsys, *pair, "--engine", "translation", target="small_speaker=1", code=10
    )
    assert {check["name"] for check in translation["checks"]} >= {"codec_headroom", "mono_level"}
    transition = verdict_of(
        capsys,
        *pair,
        "--engine",
        "transition",
        "--boundary",
        "4",
        target="transition_energy=1",
        code=10,
    )
    assert transition["compared"].startswith("4 pairs of bars across the boundary at bar 4")
    nowhere = verdict_of(capsys, *pair, "--engine", "transition", code=11)
    assert nowhere["reasons"][0]["code"] == "no_boundary"


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--engine", "mixx"], "did you mean 'mix'"),
        (["--boundary", "-1"], "bars go from 0"),
    ],
)
def test_a_wrong_engine_or_boundary_is_one_line(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str], args: list[str], says: str
) -> None:
    argv = ["compare", str(files["a"]), str(files["bright"]), "--target", "brightness=1"]
    assert main([*argv, *args]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
