"""Receiving and decoding against python-osc and liblo, interleaved, each in a process of its own.

A receiver's sustained rate is the highest at which it handles every datagram of a run, found by
bisection. All get the same socket buffer. The peers only call a function that counts; ours
checks every number, keeps the accounts and stores the row.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from pythonosc.osc_packet import OscPacket

from pybackend.stream.batch import BATCH_DATAGRAMS, Batch
from pybackend.stream.codec import decode, encode_frame
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_WIDTH

ROUNDS = 5
RUN_S = 0.5
SLOWEST, FASTEST = 4_000.0, 1_000_000.0
BISECTIONS = 8

SENDER = """
import socket, sys, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
templates = [bytes.fromhex(line) for line in sys.stdin.readline().split()]
print(flush=True)
for line in sys.stdin:
    port, rate, count = line.split()
    sender.connect(("127.0.0.1", int(port)))
    rate, count, sent = float(rate), int(count), 0
    send, clock = sender.send, time.perf_counter
    start = clock()
    while sent < count:
        due = min(count, int((clock() - start) * rate) + 1)
        while sent < due:
            send(templates[sent % len(templates)])
            sent += 1
    print(count / (clock() - start), flush=True)
"""

OURS = """
from pybackend.stream.receiver import Receiver
receiver = Receiver(port=0)
port, count = receiver.port, lambda: sum(d.stats.received for d in receiver.intake.devices())
"""

PYTHON_OSC = """
from pythonosc.dispatcher import Dispatcher
from pythonosc.osc_server import BlockingOSCUDPServer
handled = 0
def handle(address, *values):
    global handled
    handled += 1
dispatcher = Dispatcher()
dispatcher.map("/mj/frame", handle)
server = BlockingOSCUDPServer(("127.0.0.1", 0), dispatcher)
server.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
threading.Thread(target=server.serve_forever, daemon=True).start()
port, count = server.server_address[1], lambda: handled
"""

PYLIBLO3 = """
import pyliblo3
handled = 0
def handle(path, values):
    global handled
    handled += 1
server = pyliblo3.ServerThread(None, proto=pyliblo3.LO_UDP)
server.add_method("/mj/frame", None, handle)
raw = socket.socket(fileno=os.dup(server.fileno()))
raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
server.start()
port, count = server.port, lambda: handled
"""

CHILD_HEAD = """
import os, socket, sys, threading, time
from pybackend.config import RECEIVE_BUFFER_BYTES
"""

CHILD_TAIL = """
print(port, flush=True)
for _ in sys.stdin:
    before = -1
    while before != (before := count()):
        time.sleep(0.1)
    print(before, flush=True)
os._exit(0)
"""


class Child:
    """A Python process that answers one line with one line."""

    def __init__(self, code: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, line: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def child(code: str) -> Iterator[Child]:
    running = Child(code)
    try:
        yield running
    finally:
        running.close()


def frames(count: int) -> list[bytes]:
    row = [0.01] * FRAME_WIDTH
    for name, value in (("protocol", 1), ("instance", 7), ("flags", 5), ("sample_rate", 48000)):
        row[FRAME_COLUMNS[name].start] = value
    for name in ("lufs_m", "lufs_m_max", "lufs_s", "lufs_s_max"):
        row[FRAME_COLUMNS[name].start] = -20.0
    made = []
    for seq in range(count):
        row[FRAME_COLUMNS["seq"].start] = row[FRAME_COLUMNS["seq_check"].start] = seq
        made.append(encode_frame(row))
    return made


class Station:
    """A receiver in its own process, and what a sender got through to it."""

    def __init__(self, stack: ExitStack, code: str, sender: Child) -> None:
        self._child = stack.enter_context(child(CHILD_HEAD + code + CHILD_TAIL))
        assert self._child.process.stdout is not None
        self._port = int(self._child.process.stdout.readline())
        self._sender = sender
        self._handled = 0

    def survives(self, rate: float) -> float:
        """Rate really sent if every datagram was handled, else 0."""
        count = int(rate * RUN_S)
        sent = float(self._sender.ask(f"{self._port} {rate} {count}"))
        before, self._handled = self._handled, int(self._child.ask(""))
        return sent if self._handled - before == count else 0.0

    def sustained(self) -> float:
        low, high, best = SLOWEST, FASTEST, 0.0
        for _ in range(BISECTIONS):
            rate = (low * high) ** 0.5
            sent = self.survives(rate)
            best = max(best, sent)
            low, high = (rate, high) if sent else (low, rate)
        return best


@pytest.mark.benchmark
def test_sustained_frames_without_loss() -> None:
    pytest.importorskip("pyliblo3")
    rates: dict[str, list[float]] = {"ours": [], "python-osc": [], "pyliblo3": []}
    codes = {"ours": OURS, "python-osc": PYTHON_OSC, "pyliblo3": PYLIBLO3}
    with ExitStack() as stack:
        sender = stack.enter_context(child(SENDER))
        sender.ask(" ".join(frame.hex() for frame in frames(4096)))
        stations = {name: Station(stack, code, sender) for name, code in codes.items()}
        for _ in range(ROUNDS):
            for name, station in stations.items():
                rates[name].append(station.sustained())
    medians = {name: statistics.median(found) for name, found in rates.items()}
    print()
    for name, found in rates.items():
        ratio = medians["ours"] / medians[name]
        print(f"{name:12} {medians[name]:9,.0f} frames/s  ours is {ratio:5.2f}x", end="   ")
        print("runs:", " ".join(f"{rate:,.0f}" for rate in found))
    assert medians["ours"] >= 4.0 * medians["python-osc"]
    assert medians["ours"] >= 2.0 * medians["pyliblo3"]


def microseconds(work: Callable[[], object], frames_per_call: int) -> float:
    calls = max(1, 4000 // frames_per_call)
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - start) / calls / frames_per_call * 1e6


@pytest.mark.benchmark
def test_decoding_speed() -> None:
    datagrams = frames(BATCH_DATAGRAMS)
    batch = Batch()
    for datagram in datagrams:
        batch.add(datagram, 0.0)
    assert batch.frames()[0].all()
    assert OscPacket(datagrams[5]).messages[0].message.params == list(decode(datagrams[5]))
    works: dict[str, tuple[Callable[[], object], int]] = {
        "OscPacket": (lambda: [OscPacket(datagram) for datagram in datagrams], BATCH_DATAGRAMS),
        "decode, one": (lambda: [decode(datagram) for datagram in datagrams], BATCH_DATAGRAMS),
        "batch": (batch.frames, BATCH_DATAGRAMS),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(15):
        for name, (work, count) in works.items():
            times[name].append(microseconds(work, count))
    medians = {name: statistics.median(found) for name, found in times.items()}
    print()
    for name, median in medians.items():
        print(f"{name:12} {median:8.3f} us per frame  {medians['OscPacket'] / median:6.1f}x")
    assert medians["OscPacket"] >= 20.0 * medians["batch"]
