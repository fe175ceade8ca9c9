from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from pybackend.config import app_version
from pybackend.live import computer
from pybackend.live.computer import Answer
from pybackend.live.finding import Status
from pybackend.live.holders import holder_of, lsof_holder, netstat_pid, proc_inodes


@contextmanager
def serving(body: bytes) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def test_python_versions() -> None:
    assert computer.check_python().status is Status.PASS
    old = computer.check_python((3, 10, 12))
    assert (old.status, old.hint) == (Status.FAIL, "install Python 3.11 or later")


def test_package_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computer, "app_version", lambda: "0+unknown")
    assert computer.check_package().status is Status.WARN
    monkeypatch.setattr(computer, "app_version", lambda: "1.2.3")
    found = computer.check_package()
    assert (found.status, found.detail) == (Status.PASS, "movejudge 1.2.3")


def test_a_clock_before_the_package_was_written_fails() -> None:
    assert computer.check_clock().status is Status.PASS
    early = computer.check_clock(now_s=1_000_000_000.0)
    assert early.status is Status.FAIL
    assert early.detail.startswith("2001-09-09")


def test_a_home_that_live_does_not_see_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOVEJUDGE_HOME", "/somewhere")
    found = computer.check_home()
    assert found.status is Status.WARN
    assert "Dock" in found.hint
    monkeypatch.delenv("MOVEJUDGE_HOME")
    assert computer.check_home().status is Status.PASS


def test_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert computer.check_folder("x", tmp_path).status is Status.PASS
    later = computer.check_folder("x", tmp_path / "a" / "b")
    assert later.status is Status.PASS
    assert later.detail.endswith("(will be made)")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    assert computer.check_folder("x", tmp_path / "file" / "sub").status is Status.FAIL
    monkeypatch.setenv("MOVEJUDGE_HOME", str(tmp_path / "file"))
    assert computer.check_state_folder().status is Status.FAIL
    assert computer.check_workspace(tmp_path).status is Status.PASS


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="rights do not bind here")
def test_a_folder_without_rights_fails(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert computer.check_folder("x", tmp_path).status is Status.FAIL
    finally:
        tmp_path.chmod(0o700)


def test_kernels_that_cannot_be_kept_are_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pybackend import jit

    monkeypatch.setattr(jit, "cache_folder", lambda _: tmp_path / "kernels")
    assert computer.check_kernels().status is Status.PASS
    (tmp_path / "kernels").touch()
    found = computer.check_kernels()
    assert found.status is Status.WARN
    assert "NUMBA_CACHE_DIR" in found.hint


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (b'{"app": "movejudge", "version": "1.2.3"}', Answer("backend", "1.2.3")),
        (b'{"app": "other"}', Answer("foreign")),
        (b"[1]", Answer("foreign")),
        (b"<html>", Answer("foreign")),
    ],
)
def test_who_answers_at_the_http_port(body: bytes, answer: Answer) -> None:
    with serving(body) as port:
        assert computer.ask_backend(port) == answer


def test_nobody_and_somebody_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computer, "TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert computer.ask_backend(port) == Answer("silent")
        found = computer.check_http_port(port, Answer("silent"))
        assert found.status is Status.FAIL
        if sys.platform == "linux":
            assert f"(pid {os.getpid()})" in found.detail
    assert computer.ask_backend(port) == Answer("free")


def test_the_http_ports_finding() -> None:
    assert computer.check_http_port(9702, Answer("free")).status is Status.PASS
    ours = computer.check_http_port(9702, Answer("backend", app_version()))
    assert ours.status is Status.PASS
    other = computer.check_http_port(9702, Answer("backend", "99.0.0"))
    assert other.status is Status.WARN
    assert "99.0.0" in other.detail


def test_a_backend_that_drips_does_not_hold_the_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computer, "TIMEOUT_S", 0.2)
    ended = threading.Event()

    def drip(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
            while not ended.wait(0.05):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, args=(server,))
        thread.start()
        start_s = time.monotonic()
        try:
            assert computer.ask_backend(server.getsockname()[1]) == Answer("silent")
        finally:
            ended.set()
            thread.join()
    assert time.monotonic() - start_s < 3.0


# ---- who holds a port


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ["udp", "tcp"])
def test_this_process_holds_its_port(kind: str) -> None:
    form = socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM
    with socket.socket(socket.AF_INET, form) as held:
        held.bind(("127.0.0.1", 0))
        if kind == "tcp":
            held.listen()
        port = held.getsockname()[1]
        holder = holder_of(kind, port)
    assert holder is not None
    assert holder.endswith(f"(pid {os.getpid()})")
    assert holder_of(kind, port) is None


def test_lsof_output() -> None:
    assert lsof_holder("p4711\ncpython3.11\nf5\np4712\ncother\n") == "python3.11 (pid 4711)"
    assert lsof_holder("") is None


NETSTAT = """
Aktive Verbindungen

  Proto  Lokale Adresse         Remoteadresse          Status           PID
  TCP    127.0.0.1:9702         127.0.0.1:50211        HERGESTELLT      99
  TCP    127.0.0.1:19702        0.0.0.0:0              ABHÖREN          98
  TCP    127.0.0.1:9702         0.0.0.0:0              ABHÖREN          4711
  UDP    127.0.0.1:9701         *:*                                    4712
"""


def test_netstat_output_in_any_language() -> None:
    assert netstat_pid(NETSTAT, "tcp", 9702) == 4711
    assert netstat_pid(NETSTAT, "udp", 9701) == 4712
    assert netstat_pid(NETSTAT, "udp", 9702) is None


def test_proc_output() -> None:
    text = (
        "sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode\n"
        "1: 0100007F:25E6 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 111 1 0\n"
        "2: 0100007F:25E6 0100007F:C0DE 01 00000000:00000000 00:00000000 00000000 0 0 222 1 0\n"
        "3: 0100007F:25E7 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 333 1 0\n"
    )
    assert proc_inodes(text, "tcp", 9702) == {"111"}
    assert proc_inodes(text, "udp", 9702) == {"111", "222"}


@pytest.mark.parametrize("platform", ["darwin", "win32", "linux"])
def test_a_system_that_does_not_tell(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from pybackend.live import holders

    def fail(*_: object, **__: object) -> None:
        raise FileNotFoundError("no such tool")

    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(holders.subprocess, "run", fail)
    monkeypatch.setattr(holders, "_on_linux", fail)
    assert holder_of("udp", 9701) is None


def test_windows_names_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    from pybackend.live import holders

    answers: dict[str, Callable[[], str]] = {
        "netstat": lambda: NETSTAT,
        "tasklist": lambda: '"Ableton Live 12 Suite.exe","4711","Console","1","900,000 K"\r\n',
    }
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(holders, "_output", lambda command: answers[command[0]]())
    assert holder_of("tcp", 9702) == "Ableton Live 12 Suite.exe (pid 4711)"
