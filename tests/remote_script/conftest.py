"""The real script inside the virtual Live, and clients that speak to it over real sockets."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import socket
import struct
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pybackend.studio.live import StudioHost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
REMOTE = ROOT / "remote_script"


class Wire:
    """One connection: frames out, frames in, nothing waits."""

    def __init__(self, port: int) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port))
        self.sock.setblocking(False)
        self.inbox = bytearray()
        self.eof = False

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        self.send_bytes(struct.pack(">I", len(body)) + body)

    def send_bytes(self, data: bytes) -> None:
        self.sock.setblocking(True)
        self.sock.sendall(data)
        self.sock.setblocking(False)

    def receive(self) -> list[dict[str, Any]]:
        while not self.eof:
            try:
                data = self.sock.recv(1 << 20)
            except BlockingIOError:
                break
            except OSError:
                self.eof = True
                break
            self.eof = not data
            self.inbox += data
        found = []
        while len(self.inbox) >= 4:
            (length,) = struct.unpack_from(">I", self.inbox)
            if len(self.inbox) < 4 + length:
                break
            found.append(json.loads(self.inbox[4 : 4 + length]))
            del self.inbox[: 4 + length]
        return found

    def close(self) -> None:
        self.sock.close()


class Client:
    """A client in the same thread as the virtual Live: time passes while it waits."""

    def __init__(self, host: StudioHost, rendezvous: dict[str, Any], role: str = "writer") -> None:
        self.host = host
        self.wire = Wire(rendezvous["port"])
        self.numbers = itertools.count(1)
        self.replies: dict[int, dict[str, Any]] = {}
        self.items: dict[int, list[Any]] = {}
        self.events: list[dict[str, Any]] = []
        self.answers: list[int] = []
        self.hello: dict[str, Any] = {}
        self.wire.send({"hello": 1, "token": rendezvous["token"], "client": "test", "role": role})
        assert host.run_until(lambda: self.poll() or bool(self.hello) or self.wire.eof, 5.0)

    def poll(self) -> bool:
        for message in self.wire.receive():
            if "hello" in message:
                self.hello = message
            elif "event" in message:
                self.events.append(message)
            elif "part" in message:
                if message["part"] == 1:
                    self.items[message["id"]] = []
                self.items[message["id"]].extend(message["items"])
            else:
                self.answers.append(message["id"])
                self.replies[message["id"]] = message
        return False

    def send(
        self,
        op: str,
        args: dict[str, Any] | None = None,
        *,
        move_id: str = "",
        wait_s: float = 5.0,
        **envelope: Any,
    ) -> int:
        number = next(self.numbers)
        message = {
            "id": number,
            "op": op,
            "args": args or {},
            "deadline_at": self.host.clock() + wait_s,
            "boot_id": self.hello["boot_id"],
            "move_id": move_id or uuid.uuid4().hex,
        }
        self.wire.send({**message, **envelope})
        return number

    def wait(self, number: int, limit_s: float = 10.0) -> dict[str, Any]:
        assert self.host.run_until(lambda: self.poll() or number in self.replies, limit_s), number
        return self.replies[number]

    def ask(self, op: str, args: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        return self.wait(self.send(op, args, **options))

    def ok(self, op: str, args: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        reply = self.ask(op, args, **options)
        assert reply["ok"], reply
        return reply["result"]

    def rows(self, op: str, args: dict[str, Any] | None = None, **options: Any) -> list[Any]:
        number = self.send(op, args, **options)
        reply = self.wait(number, max(10.0, options.get("wait_s", 0.0)))
        assert reply["ok"], reply
        assert len(self.items.get(number, [])) == reply["result"].get("items", 0)
        return self.items.get(number, [])

    def error(self, op: str, args: dict[str, Any] | None = None, **options: Any) -> str:
        reply = self.ask(op, args, **options)
        assert not reply["ok"], reply
        return reply["error"]["code"]

    def move(self, *writes: dict[str, Any], **options: Any) -> dict[str, Any]:
        return self.ok("move.apply", {"writes": list(writes)}, **options)

    def refused(self, *writes: dict[str, Any], **options: Any) -> str:
        return self.error("move.apply", {"writes": list(writes)}, **options)

    def undo(self, move: dict[str, Any], **args: Any) -> dict[str, Any]:
        return self.ask("move.undo", {"target": move["move_id"], **args})

    def redo(self, move: dict[str, Any]) -> dict[str, Any]:
        return self.ask("move.redo", {"target": move["move_id"]})


class Stage:
    """A virtual Live with the script in it."""

    def __init__(self, host: StudioHost, home: Path, script: Any) -> None:
        self.host = host
        self.home = home
        self.script = script
        self.clients: list[Client] = []
        self.wires: list[Wire] = []

    @property
    def rendezvous(self) -> dict[str, Any]:
        (path,) = self.home.glob("remote-*.json")
        return json.loads(path.read_text())

    def settle(self) -> None:
        """Let the script publish its port."""
        self.host.run(0.05)
        assert self.host.run_until(lambda: bool(list(self.home.glob("remote-*.json"))), 1.0)

    def client(self, role: str = "writer") -> Client:
        self.settle()
        made = Client(self.host, self.rendezvous, role)
        self.clients.append(made)
        return made

    def wire(self) -> Wire:
        self.settle()
        made = Wire(self.rendezvous["port"])
        self.wires.append(made)
        return made


@contextlib.contextmanager
def staged(home: Path, *arguments: Any, **options: Any) -> Iterator[Stage]:
    with StudioHost(*arguments, **options) as host:
        sys.path.insert(0, str(REMOTE))
        try:
            importlib.import_module("MoveJudge.surface").clock = host.clock
        finally:
            sys.path.remove(str(REMOTE))
        stage = Stage(host, home, host.load_script(REMOTE, "MoveJudge"))
        try:
            yield stage
        finally:
            for wire in [*stage.wires, *(client.wire for client in stage.clients)]:
                wire.close()
        host.unload_scripts()
        assert not list(home.glob("remote-*.json")), "the rendezvous file was left behind"
        host.check()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOVEJUDGE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def stage(home: Path) -> Iterator[Callable[..., Stage]]:
    """Open stages that are closed and checked at the end of the test."""
    with contextlib.ExitStack() as stack:
        yield lambda *a, **k: stack.enter_context(staged(home, *a, **k))


@pytest.fixture
def stage_factory() -> Any:
    """The context manager itself, for tests that open many stages."""
    return staged
