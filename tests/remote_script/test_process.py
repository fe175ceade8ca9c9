"""The script in a process of its own, the client in this one: kills, big answers, menus."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


class Peer:
    """A studio process with the script, and blocking sockets to it."""

    def __init__(self, home: Path, opened: str) -> None:
        self.home = home
        command = [sys.executable, "-m", "pybackend.studio.live", "--live", "12.4", "--set", opened]
        command += [
            "--timer",
            "mac",
            "--script",
            str(ROOT / "remote_script"),
            "--module",
            "MoveJudge",
        ]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "MOVEJUDGE_HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        assert json.loads(line)["ready"], line

    def say(self, **command: Any) -> Any:
        self.process.stdin.write(json.dumps(command) + "\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]
        return json.loads(self.process.stdout.readline())  # type: ignore[union-attr]

    @property
    def rendezvous(self) -> dict[str, Any]:
        end = time.monotonic() + 10.0
        while time.monotonic() < end:
            found = list(self.home.glob("remote-*.json"))
            if found:
                return json.loads(found[0].read_text())
            time.sleep(0.02)
        raise AssertionError("no rendezvous file")

    def connect(self, role: str = "writer") -> Line:
        return Line(self.rendezvous, role)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait(10.0)
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


class Line:
    """A connection that waits for answers."""

    def __init__(self, rendezvous: dict[str, Any], role: str) -> None:
        import socket

        self.sock = socket.create_connection(("127.0.0.1", rendezvous["port"]), timeout=20.0)
        self.number = 0
        self.events: list[dict[str, Any]] = []
        self.send({"hello": 1, "token": rendezvous["token"], "client": "line", "role": role})
        self.hello = self.receive()

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        self.sock.sendall(struct.pack(">I", len(body)) + body)

    def _exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            got = self.sock.recv(min(1 << 20, count - len(data)))
            if not got:
                raise EOFError
            data += got
        return bytes(data)

    def receive(self) -> dict[str, Any]:
        (length,) = struct.unpack(">I", self._exactly(4))
        return json.loads(self._exactly(length))

    def ends(self) -> bool:
        with contextlib.suppress(EOFError, ConnectionError):
            for _ in range(50):
                self.receive()
            return False
        return True

    def clock(self) -> float:
        while True:
            message = self.receive()
            if message.get("event") == "heartbeat":
                return float(message["clock"])

    def request(self, op: str, args: dict[str, Any], move_id: str = "") -> int:
        self.number += 1
        message = {"id": self.number, "op": op, "args": args, "boot_id": self.hello["boot_id"]}
        if move_id:
            message.update(move_id=move_id, deadline_at=self.clock() + 10.0)
        self.send(message)
        return self.number

    def answer(self, number: int) -> tuple[dict[str, Any], list[Any], int]:
        items: list[Any] = []
        size = 0
        end = time.monotonic() + 30.0
        while time.monotonic() < end:
            message = self.receive()
            if message.get("id") != number:
                continue
            if "part" in message:
                items.extend(message["items"])
                size += len(json.dumps(message["items"]))
            else:
                return message, items, size
        raise AssertionError(f"request {number} was not answered")

    def ask(self, op: str, args: dict[str, Any], move_id: str = "") -> dict[str, Any]:
        return self.answer(self.request(op, args, move_id))[0]

    def close(self) -> None:
        self.sock.close()


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Any]:
    made: list[Peer] = []

    def start(opened: str = "tiny") -> Peer:
        made.append(Peer(tmp_path, opened))
        return made[-1]

    yield start
    for one in made:
        one.close()


TEMPO = {"writes": [{"write": "song", "property": "tempo", "value": 90.0}]}


def test_a_client_that_is_killed_leaves_the_script_ready(peer: Any, tmp_path: Path) -> None:
    live = peer()
    code = (
        "import json, socket, struct, sys, time\n"
        "r = json.loads(sys.argv[1])\n"
        "s = socket.create_connection(('127.0.0.1', r['port']))\n"
        "def send(m):\n"
        "    b = json.dumps(m).encode(); s.sendall(struct.pack('>I', len(b)) + b)\n"
        "send({'hello': 1, 'token': r['token'], 'client': 'victim', 'role': 'writer'})\n"
        "s.recv(4)\n"
        "s.sendall(struct.pack('>I', 500) + b'{\"id\": 1')\n"
        "print('half', flush=True)\n"
        "time.sleep(60)\n"
    )
    victim = subprocess.Popen(
        [sys.executable, "-c", code, json.dumps(live.rendezvous)], stdout=subprocess.PIPE, text=True
    )
    assert victim.stdout.readline().strip() == "half"  # type: ignore[union-attr]
    victim.kill()
    victim.wait(10.0)
    victim.stdout.close()  # type: ignore[union-attr]
    time.sleep(0.2)
    line = live.connect("writer")
    assert line.hello["role"] == "writer"
    assert line.ask("move.apply", TEMPO, "m1")["ok"]
    line.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill() ends a process at once anyway")
def test_a_killed_live_is_noticed_and_the_next_one_found(peer: Any) -> None:
    live = peer()
    line = live.connect()
    live.process.send_signal(signal.SIGKILL)
    with pytest.raises((EOFError, ConnectionError)):
        line.ask("move.apply", TEMPO, "m1")
    line.close()
    live.close()
    for left in live.home.glob("remote-*.json"):
        left.unlink()
    again = peer().connect()
    assert again.hello["boot_id"] != line.hello["boot_id"]
    again.close()


def test_a_stopped_live_answers_expired_when_it_goes_on(peer: Any) -> None:
    if not hasattr(signal, "SIGSTOP"):
        pytest.skip("no SIGSTOP here")
    live = peer()
    line = live.connect()
    now = line.clock()
    live.process.send_signal(signal.SIGSTOP)
    message = {"id": 9, "op": "move.apply", "args": TEMPO, "move_id": "m1"}
    line.send({**message, "boot_id": line.hello["boot_id"], "deadline_at": now + 0.3})
    time.sleep(0.6)
    live.process.send_signal(signal.SIGCONT)
    reply, _, _ = line.answer(9)
    assert reply["error"]["code"] == "expired"
    line.close()


@pytest.mark.parametrize("megabytes", [4, pytest.param(16, marks=pytest.mark.soak)])
def test_sixteen_megabytes_to_a_slow_reader(peer: Any, megabytes: int) -> None:
    """Of which the usual run takes a quarter, to save time."""
    live = peer("large")
    line = live.connect("reader")
    other = live.connect("writer")
    clip = {"track": {"index": 0}, "arrangement": 0}
    numbers = {line.request("notes.read", {"clip": clip}) for _ in range(megabytes * 9 // 4)}
    time.sleep(0.5)
    rows = dict.fromkeys(numbers, 0)
    total = 0
    while numbers:
        message = line.receive()
        if "part" in message:
            rows[message["id"]] += len(message["items"])
            total += len(json.dumps(message["items"]))
            if message["part"] == 1 and message["id"] % 9 == 0:
                assert other.ask("ping", {})["ok"]
        elif message.get("id") in numbers:
            assert message["ok"], message
            numbers.remove(message["id"])
    assert set(rows.values()) == {10_000}
    assert total > megabytes << 20
    line.close()
    other.close()


def test_the_set_is_loaded_again_under_a_client(peer: Any) -> None:
    live = peer()
    line = live.connect()
    assert line.ask("move.apply", TEMPO, "m1")["ok"]
    assert live.say(order="load_set", set="tiny", gap_s=0.2)["ok"]
    assert line.ends()
    line.close()
    time.sleep(0.2)
    again = live.connect()
    assert again.hello["boot_id"] != line.hello["boot_id"]
    number = again.request("move.apply", TEMPO)
    assert again.answer(number)[0]["error"]["code"] == "bad_request"
    again.close()
