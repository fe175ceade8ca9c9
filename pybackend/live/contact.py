"""Checks of what answers: the script inside a running Live, and the devices that send frames."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pybackend import files
from pybackend.assets import remote_script_folder
from pybackend.config import HOST, app_version, state_folder
from pybackend.errors import Busy, InputError, MoveJudgeError
from pybackend.live.computer import UNKNOWN, Answer
from pybackend.live.finding import Finding, Status
from pybackend.live.holders import holder_of

if TYPE_CHECKING:
    from pybackend.stream.intake import Device
    from pybackend.stream.receiver import Receiver

CONNECT_S: Final = 1.0
HELLO_LIMIT_BYTES: Final = 1 << 20
LISTEN_S: Final = 1.0
HELLO_EVERY_S: Final = 2.0
STILL_SENDING_S: Final = 0.5

START_LIVE: Final = (
    "start Live and choose MoveJudge as a Control Surface in its settings under Link, Tempo & MIDI"
)
DROP_DEVICE: Final = (
    "put MoveJudge Analyzer last on the master, switch it on, and see that Live's audio engine runs"
)


class NoAnswer(Exception):  # noqa: N818
    """Nobody answers there as the script does."""


def check_contact() -> Finding:
    """Check that a running Live's script answers, and that it is the one this package carries."""
    check = "script in Live"
    stale, silent = 0, ""
    for rendezvous in _rendezvous():
        try:
            answer = say_hello(rendezvous)
        except ConnectionRefusedError:
            stale += 1
        except (OSError, NoAnswer) as error:
            silent = f"port {rendezvous['port']} does not answer as the script does ({error})"
        else:
            return _judge_hello(check, answer)
    if silent:
        return Finding(
            check, Status.WARN, silent, "close Live's open menus and dialogs, or restart Live"
        )
    left = f"; {stale} left by a Live that ended" if stale else ""
    return Finding(check, Status.WARN, f"no Live answers{left}", START_LIVE)


def say_hello(rendezvous: dict[str, Any]) -> dict[str, Any]:
    """Connect to the script as a reader and return its answer to the hello.

    Parameters
    ----------
    rendezvous : dict
        Content of the file that the script leaves: ``port``, ``token`` and ``boot_id``.

    Raises
    ------
    OSError
        If nothing listens there, or it does not answer in time.
    NoAnswer
        If what answers is not the script, or refuses.
    """
    hello = {
        "hello": 1,
        "token": rendezvous["token"],
        "client": "doctor",
        "role": "reader",
        "protocol": [1, 1],
    }
    body = json.dumps(hello).encode()
    try:
        connection = socket.create_connection((HOST, rendezvous["port"]), CONNECT_S)
    except TimeoutError:
        # Windows tries a refused connection again for seconds; a listening port answers at once,
        # even while Live is busy.
        raise ConnectionRefusedError("nobody listens") from None
    with connection:
        connection.sendall(struct.pack(">I", len(body)) + body)
        (length,) = struct.unpack(">I", _exactly(connection, 4))
        if length > HELLO_LIMIT_BYTES:
            raise NoAnswer("another program has the port")
        try:
            answer = files.loads(_exactly(connection, length))
        except ValueError:
            raise NoAnswer("another program has the port") from None
    if not isinstance(answer, dict) or answer.get("ok") is not True:
        error = answer.get("error") if isinstance(answer, dict) else None
        code = error.get("code") if isinstance(error, dict) else "no hello"
        raise NoAnswer(f"it refuses: {str(code)[:40]}")
    if answer.get("boot_id") != rendezvous["boot_id"]:
        raise NoAnswer("another Live has the port")
    return answer


def _exactly(connection: socket.socket, length: int) -> bytes:
    data = b""
    deadline_s = time.monotonic() + CONNECT_S
    while len(data) < length:
        part = connection.recv(min(65536, length - len(data)))
        if not part or time.monotonic() > deadline_s:
            raise NoAnswer("it ends the connection")
        data += part
    return data


def _rendezvous() -> Iterator[dict[str, Any]]:
    for path in sorted(state_folder().glob("remote-*.json")):
        with contextlib.suppress(MoveJudgeError):
            content = files.read_json(path)
            if (
                isinstance(content, dict)
                and content.get("schema_version") == 1
                and isinstance(content.get("port"), int)
                and 0 < content["port"] < 65536
                and all(isinstance(content.get(key), str) for key in ("token", "boot_id"))
            ):
                yield content


def _judge_hello(check: str, answer: dict[str, Any]) -> Finding:
    detail = (
        f"Live {str(answer.get('live'))[:20]} answers, "
        f"script {str(answer.get('script_version'))[:20]}"
    )
    try:
        ours = script_digest(remote_script_folder())
    except (MoveJudgeError, OSError):
        return Finding(check, Status.PASS, detail)
    if answer.get("script_sha") != ours:
        return Finding(
            check,
            Status.WARN,
            f"{detail}, which was loaded from other files than this MoveJudge carries",
            "run: movejudge install, then restart Live",
        )
    return Finding(check, Status.PASS, detail)


def script_digest(folder: Path) -> str:
    """Digest of a script's files as the script computes it, see ``MoveJudge/version.py``."""
    from hashlib import sha256  # noqa: PLC0415

    total = sha256()
    for path in sorted(folder.glob("*.py")):
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


def check_stream(port: int, answer: Answer) -> list[Finding]:
    """Check the UDP port and, if it is free, listen for devices.

    Parameters
    ----------
    port : int
        Port that devices send to.
    answer : Answer
        Who has the HTTP port: a running backend also has this one.
    """
    from pybackend.stream.receiver import Receiver  # noqa: PLC0415

    check = f"UDP port {port}"
    try:
        with Receiver(port=port) as receiver:
            _listen(receiver)
            streaming = judge_devices(receiver)
    except Busy:
        skipped = Finding("streaming", Status.SKIP, f"somebody else listens at UDP port {port}")
        holder = holder_of("udp", port) or UNKNOWN
        if answer.kind == "backend":
            return [Finding(check, Status.PASS, f"held by the backend: {holder}"), skipped]
        hint = "stop it: another movejudge (listen, record, serve), or whatever else it is"
        return [Finding(check, Status.FAIL, f"held by {holder}", hint), skipped]
    except InputError as error:
        what, _, hint = str(error).rpartition(": ")
        skipped = Finding("streaming", Status.SKIP, "the port cannot be opened")
        return [Finding(check, Status.FAIL, what, hint), skipped]
    return [Finding(check, Status.PASS, "free"), streaming]


def _listen(receiver: Receiver) -> None:
    time.sleep(LISTEN_S)
    # A device names its place every two seconds only; nobody waits for that where none sends.
    end_s = time.monotonic() + HELLO_EVERY_S
    while time.monotonic() < end_s and any(
        device.hello is None for device in receiver.intake.devices()
    ):
        time.sleep(0.05)


def judge_devices(receiver: Receiver) -> Finding:
    """Say whether one analyzer of this version sits on the master and sends frames."""
    devices = receiver.intake.devices()
    if not devices:
        rejects = sum(receiver.intake.rejects.values())
        heard = f", only {rejects} datagrams that are not from it" if rejects else ""
        return _streaming(Status.WARN, f"no analyzer was heard{heard}", DROP_DEVICE)
    # The receiver takes a load for the successor of one that fell silent within a second of it,
    # which cannot be told from two at once in so short a time: who still sends is there.
    masters = [
        device
        for device in devices
        if device.is_master
        and (not device.stats.received or receiver.now_s() - device.last_s < STILL_SENDING_S)
    ]
    if len(masters) > 1:
        return _streaming(
            Status.FAIL,
            f"{len(masters)} analyzers say that they are on the master",
            "remove all but the last one in its chain",
        )
    if not masters:
        return _streaming(
            Status.WARN, f"{len(devices)} analyzers heard, none on the master", DROP_DEVICE
        )
    return _judge_master(masters[0])


def _judge_master(master: Device) -> Finding:
    assert master.hello is not None  # noqa: S101 - it is how a master is known
    version = ".".join(map(str, master.hello.version))
    stats = master.stats
    if not stats.received:
        return _streaming(
            Status.WARN,
            f"the master's analyzer {version} is there and sends no frames",
            "switch it on, and see that Live's audio engine runs",
        )
    detail = (
        f"the master's analyzer {version}: {stats.received} frames at {stats.sample_rate_hz:g} Hz, "
        f"{stats.lost} lost"
    )
    if version != app_version():
        return _streaming(
            Status.WARN,
            f"{detail}; this MoveJudge is {app_version()}",
            "run: movejudge install, then drag the device onto the master again",
        )
    if stats.lost:
        return _streaming(
            Status.WARN, detail, "the machine is too busy: a larger audio buffer in Live helps"
        )
    return _streaming(Status.PASS, detail)


def _streaming(status: Status, detail: str, hint: str = "") -> Finding:
    return Finding("streaming", status, detail, hint)
