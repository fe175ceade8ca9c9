from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pybackend.assets import remote_script_folder
from pybackend.live import contact
from pybackend.live.computer import Answer
from pybackend.live.finding import Finding, Status
from pybackend.stream.codec import Hello, encode_frame, encode_hello
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_WIDTH
from pybackend.studio.analyzer import StandInAnalyzer
from pybackend.studio.groove import Groove

ROOT = Path(__file__).parents[2]
FREE = Answer("free")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty state folder."""
    monkeypatch.setenv("MOVEJUDGE_HOME", str(tmp_path))
    return tmp_path


def rendezvous(state: Path, open_port: int, **change: Any) -> None:
    content = {"schema_version": 1, "port": open_port, "token": "t" * 64, "boot_id": "b" * 32}
    (state / "remote-1.json").write_text(json.dumps({**content, **change}), "utf-8")


@contextmanager
def answering(reply: bytes) -> Iterator[int]:
    """Somebody at a port who says ``reply`` to whatever comes first."""

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(reply)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            thread.join()


def framed(document: Any) -> bytes:
    body = json.dumps(document).encode()
    return struct.pack(">I", len(body)) + body


@pytest.mark.parametrize("change", [{}, {"token": 5}, {"schema_version": 2}, {"port": 0}])
def test_no_live_says_how_to_choose_the_script(state: Path, change: dict[str, Any]) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        rendezvous(state, held.getsockname()[1], **change)
        found = contact.check_contact()
    assert found.status is Status.WARN
    assert found.detail.startswith("no Live answers")
    assert ("left by a Live that ended" in found.detail) == (not change)
    assert "Control Surface" in found.hint


def test_the_real_script_answers_and_a_stale_one_is_told(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-m", "pybackend.studio.live", "--live", "12.4", "--set", "tiny"]
    command += ["--timer", "mac", "--script", str(ROOT / "remote_script"), "--module", "MoveJudge"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "MOVEJUDGE_HOME": str(state)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as live:
        try:
            assert live.stdout is not None
            live.stdout.readline()
            end_s = time.monotonic() + 10.0
            while not list(state.glob("remote-*.json")) and time.monotonic() < end_s:
                time.sleep(0.02)
            fresh = contact.check_contact()
            monkeypatch.setattr(contact, "script_digest", lambda _: "0" * 16)
            stale = contact.check_contact()
        finally:
            live.kill()
    assert fresh.status is Status.PASS, fresh
    assert "Live 12.4" in fresh.detail
    assert stale.status is Status.WARN
    assert "restart Live" in stale.hint
    gone = contact.check_contact()
    assert "no Live answers" in gone.detail


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (b"", "ends the connection"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "another program"),
        (struct.pack(">I", 3) + b"{{{", "another program"),
        (framed([]), "no hello"),
        (framed({"ok": False, "error": {"code": "unauthorized"}}), "unauthorized"),
        (framed({"ok": True, "boot_id": "other"}), "another Live"),
    ],
)
def test_what_is_not_the_script_is_not_taken_for_it(state: Path, reply: bytes, why: str) -> None:
    with answering(reply) as port:
        rendezvous(state, port)
        found = contact.check_contact()
    assert found.status is Status.WARN
    assert why in found.detail


def test_our_digest_is_the_scripts_own() -> None:
    folder = remote_script_folder()
    code = "from remote_script.MoveJudge.version import SCRIPT_SHA; print(SCRIPT_SHA)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == contact.script_digest(folder)


# ---- devices


@pytest.fixture(autouse=True)
def known_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version as an installed package has it."""
    monkeypatch.setattr(contact, "app_version", lambda: "0.1.0")


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def heard(monkeypatch: pytest.MonkeyPatch, *datagrams: bytes, frames: bool = False) -> Finding:
    """What is said after these datagrams, and a bar of frames from instance 7, have arrived."""
    port = free_port()

    def send(_: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for datagram in datagrams:
                sender.sendto(datagram, ("127.0.0.1", port))
        if frames:
            groove = Groove(bars=1)
            with StandInAnalyzer(port, groove.sample_rate_hz, instance=7) as analyzer:
                analyzer.play(groove.perform(1), tempo_bpm=groove.tempo_bpm)
        time.sleep(0.2)

    monkeypatch.setattr(contact, "_listen", send)
    used, streaming = contact.check_stream(port, FREE)
    assert used == Finding(f"UDP port {port}", Status.PASS, "free")
    return streaming


def hello(instance: int = 7, kind: int = 0, of: tuple[int, int, int] = (0, 1, 0)) -> bytes:
    return encode_hello(Hello(instance, of, 48000.0, 1, kind, -1))


def frame_of(instance: int, seq: int) -> bytes:
    """A silent frame."""
    row = np.zeros(FRAME_WIDTH)
    row[FRAME_COLUMNS["protocol"]] = 1
    row[FRAME_COLUMNS["instance"]] = instance
    row[FRAME_COLUMNS["flags"]] = 1
    row[FRAME_COLUMNS["sample_rate"]] = 48000.0
    row[FRAME_COLUMNS["seq"]] = row[FRAME_COLUMNS["seq_check"]] = seq
    row[FRAME_COLUMNS["beats_per_bar"]] = 4.0
    row[FRAME_COLUMNS["tempo"]] = 120.0
    for name in ("lufs_m", "lufs_m_max", "lufs_s", "lufs_s_max"):
        row[FRAME_COLUMNS[name]] = -120.0
    return encode_frame(row)


def test_a_master_that_streams_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    found = heard(monkeypatch, hello(), frames=True)
    assert found.status is Status.PASS, found
    assert "frames at" in found.detail


def test_silence_and_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert heard(monkeypatch).detail == "no analyzer was heard"
    found = heard(monkeypatch, b"/other\0\0,\0\0\0")
    assert found.status is Status.WARN
    assert "1 datagrams that are not from it" in found.detail


def test_two_masters_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    found = heard(monkeypatch, hello(7), hello(8))
    assert found.status is Status.FAIL
    assert "remove all but the last" in found.hint


def test_two_masters_that_stream_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = [hello(8), *(frame_of(8, seq) for seq in range(4))]
    found = heard(monkeypatch, hello(7), *frames, frames=True)
    assert found.status is Status.FAIL
    assert "2 analyzers" in found.detail


def test_devices_elsewhere_old_or_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "none on the master" in heard(monkeypatch, hello(kind=1)).detail
    assert "sends no frames" in heard(monkeypatch, hello()).detail
    old = heard(monkeypatch, hello(of=(0, 0, 9)), frames=True)
    assert old.status is Status.WARN
    assert "movejudge install" in old.hint


def test_a_port_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        used, streaming = contact.check_stream(port, FREE)
        assert (used.status, streaming.status) == (Status.FAIL, Status.SKIP)
        if sys.platform == "linux":
            assert f"(pid {os.getpid()})" in used.detail
        used, streaming = contact.check_stream(port, Answer("backend", "0.1.0"))
        assert (used.status, streaming.status) == (Status.PASS, Status.SKIP)


def test_it_waits_for_the_hello_of_a_device_that_sends() -> None:
    port = free_port()
    groove = Groove(bars=1)

    def play() -> None:
        with StandInAnalyzer(port, groove.sample_rate_hz, instance=7) as analyzer:
            time.sleep(0.3)
            analyzer.play(groove.perform(1), tempo_bpm=groove.tempo_bpm)
            time.sleep(1.2)
            analyzer.hello()

    thread = threading.Thread(target=play)
    thread.start()
    _, streaming = contact.check_stream(port, FREE)
    thread.join()
    assert streaming.status is Status.PASS, streaming
