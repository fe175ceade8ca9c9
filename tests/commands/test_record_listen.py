from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pybackend.cli import main
from pybackend.stream.receiver import Receiver
from pybackend.studio.analyzer import StandInAnalyzer
from pybackend.studio.groove import Groove


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def playing(port: int) -> Iterator[None]:
    """An analyzer that sends the same bar again and again."""
    groove = Groove(bars=1)
    sound = groove.perform(1)
    ended = threading.Event()

    def play() -> None:
        with StandInAnalyzer(port, groove.sample_rate_hz, instance=77) as analyzer:
            while not ended.is_set():
                analyzer.hello()
                analyzer.play(sound, tempo_bpm=groove.tempo_bpm)
                time.sleep(0.02)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_listen_says_what_it_hears(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    with playing(port):
        assert main(["listen", "--port", str(port), "--seconds", "0.5", "--json"]) == 0
    heard = json.loads(capsys.readouterr().out)
    assert heard["masters"] == [77]
    device = heard["devices"][0]
    assert device["track"] == "master"
    assert device["frames"] > 20
    assert -40.0 < device["now"]["momentary_lufs"] < -10.0
    assert device["now"]["tempo_bpm"] == 120.0
    assert heard["rejects"] == {}


def test_listen_draws_a_row_per_analyzer(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    with playing(port):
        assert main(["listen", "--port", str(port), "--seconds", "0.6"]) == 0
    printed = capsys.readouterr().out
    assert "master #77" in printed
    assert "playing" in printed


def test_with_no_device_listen_says_what_to_check(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    assert main(["listen", "--port", str(port), "--seconds", "0.2"]) == 3
    hint = capsys.readouterr().err
    assert f"UDP port {port}" in hint
    assert "last device on the master" in hint
    assert hint.count("\n") == 1


def test_what_is_recorded_can_be_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port, path = free_port(), tmp_path / "take one.pcap"
    with playing(port):
        argv = ["record", str(path), "--port", str(port), "--seconds", "0.5", "--json"]
        assert main(argv) == 0
    recorded = json.loads(capsys.readouterr().out)
    assert main(["replay", str(path), "--json"]) == 0
    replayed = json.loads(capsys.readouterr().out)["recordings"][0]
    assert replayed["datagrams"] == recorded["datagrams"] > 20
    assert replayed["devices"][0]["frames"] == recorded["devices"][0]["frames"]


def test_a_recording_is_never_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "take.pcap"
    path.write_bytes(b"precious")
    assert main(["record", str(path), "--port", "0", "--seconds", "0.1"]) == 2
    assert path.read_bytes() == b"precious"
    assert "exists" in capsys.readouterr().err


def test_nothing_recorded_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port = str(free_port())
    assert main(["record", str(tmp_path / "a.pcap"), "--port", port, "--seconds", "0.1"]) == 3
    assert "nothing arrived" in capsys.readouterr().err


def test_a_taken_port_is_busy(capsys: pytest.CaptureFixture[str]) -> None:
    with Receiver(port=0) as holder:
        assert main(["listen", "--port", str(holder.port), "--seconds", "0.1"]) == 5
    assert str(holder.port) in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "1e9"])
def test_a_wrong_time_is_one_line(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["listen", "--port", "0", "--seconds", seconds]) == 2
    assert "--seconds" in capsys.readouterr().err
