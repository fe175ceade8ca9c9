from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pybackend.cli import main
from pybackend.files import write_json
from pybackend.metering.meter import Meter
from pybackend.stream.codec import Hello, encode_frame, encode_hello
from pybackend.stream.frames import Frames, stamp_transport
from pybackend.stream.receiver import Receiver
from pybackend.stream.recording import Recorder
from pybackend.studio.groove import Groove, high_shelf

GROOVE = Groove(sample_rate_hz=44100)
INSTANCE = 5


def master(frames_of: list[Frames], path: Path, *, instance: int = INSTANCE, kind: int = 0) -> Path:
    """Record passes through the loop, one after the other, as the device would send them."""
    with Recorder(path) as recorder:
        time_s = 1000.0
        recorder.write(encode_hello(Hello(instance, (1, 0, 0), 44100.0, 1, kind, -1)), time_s)
        seq = 0
        for frames in frames_of:
            for values in frames.values:
                row = values.copy()
                row[[1, 4, -1]] = instance, seq, seq
                time_s += 0.05
                recorder.write(encode_frame(row), time_s)
                seq += 1
    return path


@pytest.fixture(scope="module")
def passes() -> list[Frames]:
    meter = Meter(GROOVE.sample_rate_hz)
    takes = [GROOVE.perform(seed) for seed in (1, 2, 3)]
    takes[2] = high_shelf(takes[2], GROOVE.sample_rate_hz, corner_hz=3000, gain_db=3.0)
    return [stamp_transport(meter.process(take), tempo_bpm=120.0) for take in takes]


@pytest.fixture
def take(passes: list[Frames], tmp_path: Path) -> Path:
    return master(passes, tmp_path / "take.pcap")


def window(number: int) -> dict[str, Any]:
    return {"window": {"start_beats": 0, "end_beats": 32, "pass": number}}


def write_plan(folder: Path, **changes: Any) -> Path:
    path = folder / "moves.json"
    move = {
        "id": "shelf",
        "targets": {"brightness": 1},
        "before": [window(1), window(2)],
        "after": [window(3)],
    }
    write_json(path, {"schema_version": 1, "moves": [move | changes]})
    return path


def run_json(capsys: pytest.CaptureFixture[str], *argv: str | Path, code: int) -> dict[str, Any]:
    assert main(["replay", *map(str, argv), "--json"]) == code
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_plan_judges_windows_of_one_long_recording(
    take: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write_plan(take.parent)
    verdict = run_json(capsys, take, "--plan", plan, code=0)["moves"][0]["verdict"]
    assert verdict["decision"] == "keep"
    assert verdict["evidence"]["positions"] == "song"
    assert verdict["evidence"]["captures_before"] == 2


def brightness(document: dict[str, Any]) -> float:
    change: float = document["moves"][0]["verdict"]["dimensions"]["brightness"]["delta"]
    return change


def test_windows_by_time_give_the_same_verdict(
    take: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    by_beats = run_json(capsys, take, "--plan", write_plan(take.parent), code=0)
    spans = [{"window": {"start_s": 16.0 * n, "end_s": 16.0 * (n + 1)}} for n in range(3)]
    plan = write_plan(take.parent, before=spans[:2], after=spans[2:])
    by_time = run_json(capsys, take, "--plan", plan, code=0)
    # By position, the frame after each jump back is left out: it holds both ends of the loop.
    assert brightness(by_time) == pytest.approx(brightness(by_beats), abs=0.03)


def test_real_time_and_flat_out_are_equal(take: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = write_plan(take.parent)
    flat = run_json(capsys, take, "--plan", plan, code=0)
    timed = run_json(capsys, take, "--plan", plan, "--realtime", "--speed", "200", code=0)
    assert timed == flat


def test_without_a_plan_it_says_what_the_recording_holds(
    take: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_json(capsys, take, code=0)["recordings"][0]
    device = found["devices"][0]
    assert device["track"] == "master"
    assert device["frames"] == 960
    assert device["bars"] == 24
    assert device["jumps"] == 2
    assert -30.0 < device["integrated_lufs"] < -15.0
    assert main(["replay", str(take)]) == 0
    assert "master #5" in capsys.readouterr().out


def test_a_recording_can_be_sent_to_a_port(take: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Receiver(port=0) as receiver:
        argv = ["replay", str(take), "--to-port", str(receiver.port), "--realtime"]
        assert main([*argv, "--speed", "100", "--json"]) == 0
        sent = json.loads(capsys.readouterr().out)["sent"]
        assert list(sent.values()) == [961]
        give_up_s = time.monotonic() + 5.0
        while receiver.intake.datagrams < 961 and time.monotonic() < give_up_s:
            time.sleep(0.01)
    heard = receiver.intake.store(INSTANCE).all()
    assert len(heard) > 900
    assert np.all(np.diff(heard.column("seq")) >= 1)


def test_several_analyzers_need_a_choice(
    passes: list[Frames], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = master(passes, tmp_path / "one.pcap", instance=5, kind=1)
    second = master(passes, tmp_path / "two.pcap", instance=6, kind=1)
    both = tmp_path / "both.pcap"
    both.write_bytes(first.read_bytes() + second.read_bytes()[24:])
    plan = write_plan(tmp_path)
    assert main(["replay", str(both), "--plan", str(plan)]) == 2
    assert "5, 6" in capsys.readouterr().err
    chosen = [capture | {"instance": 6} for capture in (window(1), window(2), window(3))]
    plan = write_plan(tmp_path, before=chosen[:2], after=chosen[2:])
    assert main(["replay", str(both), "--plan", str(plan), "--json"]) == 0
    wrong = [capture | {"instance": 7} for capture in (window(1),)]
    plan = write_plan(tmp_path, before=wrong, after=chosen[2:])
    assert main(["replay", str(both), "--plan", str(plan)]) == 2
    assert "no frames of analyzer 7" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        (["gone.pcap"], 2, "gone.pcap"),
        (["TAKE", "--plan", "gone.json"], 3, "gone.json"),
        (["TAKE", "--speed", "0"], 2, "--speed"),
        (["TAKE", "--to-port", "0"], 2, "--to-port"),
        (["FOLDER"], 3, "plan.json"),
        (["FOLDER", "TAKE"], 2, "run folder"),
        (["TEXT"], 2, "text.pcap"),
    ],
)
def test_wrong_input_is_one_line(
    argv: list[str], code: int, says: str, take: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (take.parent / "text.pcap").write_text("no capture at all")
    (take.parent / "empty").mkdir()
    named = {
        "TAKE": str(take),
        "FOLDER": str(take.parent / "empty"),
        "TEXT": str(take.parent / "text.pcap"),
    }
    assert main(["replay", *(named.get(arg, arg) for arg in argv)]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert says in captured.err


def test_a_window_that_was_not_played_is_one_line(
    take: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write_plan(take.parent, after=[window(4)])
    assert main(["replay", str(take), "--plan", str(plan)]) == 2
    assert "pass 4" in capsys.readouterr().err


def test_a_plan_for_several_recordings_has_to_name_them(
    take: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write_plan(take.parent)
    assert main(["replay", str(take), str(take), "--plan", str(plan)]) == 2
    assert "names no recording" in capsys.readouterr().err
