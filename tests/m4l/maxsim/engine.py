"""Runs a built patch as Max would: right to left, hot and cold inlets, two threads, a clock.

Nothing is passed over in silence: an object that is not modelled, a message that an object is not
known to understand, or drawing on the scheduler's thread raises `SimError`.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, Literal

from m4l.graph import Cord, Graph, object_name
from m4l.objects import split_text

Atom = int | float | str
Atoms = tuple[Atom, ...]
"""A message: ``("bang",)``, one number, several numbers, or a word and what follows it."""

Thread = Literal["main", "scheduler"]
BANG: Final[Atoms] = ("bang",)
DEPTH_LIMIT: Final = 200
"""Messages within messages; Max overflows its stack somewhere above."""


class SimError(AssertionError):
    """The patch did what Max would not, or what is not modelled."""


@dataclass
class Live:
    """What surrounds the device: Live's transport, audio and object model.

    ``path`` is the device's own path, or None where Live gives no answer; ``synced`` whether the
    host gives a song position.
    """

    enabled: int = 1
    preview: int = 0
    audio_on: int = 1
    sample_rate_hz: float = 48000.0
    running: int = 0
    bar: int = 1
    signature: tuple[int, int] = (4, 4)
    samples_per_beat: float = 24000.0
    beats: float = 0.0
    path: str | None = "live_set master_track devices 0"
    synced: bool = True


class Box:
    """One box of the patch; each kind of object is a subclass in `objects`."""

    def __init__(self, max_: Max, box_id: str) -> None:
        self.max = max_
        self.id = box_id
        self.saved = max_.graph.boxes[box_id]
        self.name = object_name(self.saved)
        is_typed = self.saved["maxclass"] == "newobj"
        self.args = split_text(str(self.saved["text"]))[1] if is_typed else ()

    def receive(self, inlet: int, atoms: Atoms) -> None:
        """Take a message."""
        raise self.unknown(inlet, atoms)

    def out(self, outlet: int, *atoms: Atom) -> None:
        """Send a message."""
        self.max.send(self.id, outlet, atoms)

    def unknown(self, inlet: int, atoms: Atoms) -> SimError:
        """Error for a message that is not modelled."""
        words = " ".join(str(atom) for atom in atoms)
        return SimError(f"{self.id} {self.saved.get('text', self.name)}: '{words}' at {inlet}")

    def number(self, inlet: int, atoms: Atoms) -> int | float:
        """The message's one number."""
        if len(atoms) != 1 or isinstance(atoms[0], str):
            raise self.unknown(inlet, atoms)
        return atoms[0]


@dataclass(order=True)
class _Event:
    at_ms: float
    order: int
    action: Callable[[], None] = field(compare=False)


class Max:
    """A loaded patch.

    Parameters
    ----------
    patcher : mapping
        Patcher of a built device.
    live : Live
        Its surroundings; may be changed at any time.
    network : callable
        ``network(host, port, datagram)`` takes what ``udpsend`` sends.
    seed : int
        Of the patch's ``random``.
    fan_out : {"drawn", "reversed"}
        Order of the cords of one outlet: Max goes by the boxes' places, right before left; a patch
        that is right does not depend on it.
    """

    def __init__(
        self,
        patcher: Mapping[str, Any],
        live: Live,
        network: Callable[[str, int, bytes], None],
        *,
        seed: int = 1,
        fan_out: Literal["drawn", "reversed"] = "drawn",
    ) -> None:
        from tests.m4l.maxsim.objects import KINDS

        self.graph = Graph(patcher)
        self.live = live
        self.network = network
        self.random = random.Random(seed)
        self.now_ms = 0.0
        self.thread: Thread = "main"
        self.buffers: dict[str, list[float]] = {}
        self._events: list[_Event] = []
        self._order = count()
        self._later: deque[Callable[[], None]] = deque()
        self._depth = 0
        self._cords = self._in_order(fan_out)
        self.boxes: dict[str, Box] = {}
        for box_id in self.graph.boxes:
            name = object_name(self.graph.boxes[box_id])
            if name not in KINDS:
                raise SimError(f"the object {name} is not modelled")
            self.boxes[box_id] = KINDS[name](self, box_id)

    def _in_order(self, fan_out: str) -> dict[tuple[str, int], list[Cord]]:
        def place(cord: Cord) -> tuple[float, float, int]:
            left, top = self.graph.boxes[cord.target]["patching_rect"][:2]
            return (-left, -top, -cord.inlet)

        grouped: dict[tuple[str, int], list[Cord]] = {}
        for cord in sorted(self.graph.cords, key=place, reverse=fan_out == "reversed"):
            grouped.setdefault((cord.source, cord.outlet), []).append(cord)
        return grouped

    def all(self, name: str) -> list[Any]:
        """Boxes of one object, in the order of the file."""
        return [box for box in self.boxes.values() if box.name == name]

    def one(self, name: str) -> Any:
        """The only box of an object."""
        (box,) = self.all(name)
        return box

    def send(self, source: str, outlet: int, atoms: Atoms) -> None:
        """Carry a message along every cord of an outlet."""
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise SimError(f"messages go round in circles at {source}")
        for cord in self._cords.get((source, outlet), ()):
            self.boxes[cord.target].receive(cord.inlet, atoms)
        self._depth -= 1

    def later(self, action: Callable[[], None]) -> None:
        """Put something at the end of the low-priority queue."""
        self._later.append(action)

    def after(self, delay_ms: float, action: Callable[[], None]) -> None:
        """Let the scheduler do something in a while."""
        heapq.heappush(self._events, _Event(self.now_ms + delay_ms, next(self._order), action))

    @contextmanager
    def on(self, thread: Thread) -> Iterator[None]:
        """Run the body on a thread."""
        before, self.thread = self.thread, thread
        try:
            yield
        finally:
            self.thread = before

    def draw(self, box: Box) -> None:
        """Note that a box is drawn; only the main thread may."""
        if self.thread != "main":
            raise SimError(f"{box.id} {box.name} is drawn on the scheduler's thread")

    def idle(self) -> None:
        """Let the main thread do all that waits for it."""
        with self.on("main"):
            while self._later:
                self._later.popleft()()

    def advance(self, duration_ms: float) -> None:
        """Let time pass; what is overdue happens first."""
        end_ms = self.now_ms + duration_ms
        while self._events and self._events[0].at_ms <= end_ms:
            event = heapq.heappop(self._events)
            self.now_ms = max(self.now_ms, event.at_ms)
            with self.on("scheduler"):
                event.action()
            self.idle()
        self.now_ms = end_ms

    def stall(self, duration_ms: float) -> None:
        """Let time pass in which neither the scheduler nor the main thread gets a turn."""
        self.now_ms += duration_ms

    def load(self) -> None:
        """Load the device: parameters give their values, then ``live.thisdevice`` speaks."""
        with self.on("main"):
            for box in self.all("live.numbox"):
                box.restore()
            self.one("live.thisdevice").announce()
        self.idle()
