"""Datagrams in, per-device frames and accounts out: the one path for sockets and recordings.

The receiver and the replay feed the same `Intake`, so a recording gives what the socket gave. How
datagrams are grouped into batches never changes the result.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pybackend.config import RING_SECONDS, STALE_AFTER_S
from pybackend.stream.batch import Batch, Rows, Times
from pybackend.stream.codec import Hello, Reject, decode, frame_instance
from pybackend.stream.protocol import KIND_NAMES, column
from pybackend.stream.ring import FrameStore
from pybackend.stream.tracker import StreamStats, Tracker

Store = TypeVar("Store", bound=FrameStore)

MAX_INSTANCES: Final = 64
RELOAD_OVERLAP_S: Final = 1.0
"""A load still heard this long after another began on its track may have been replaced by it."""
_INSTANCE: Final = column("instance")
_MASTER: Final = KIND_NAMES.index("master")


@dataclass(frozen=True, slots=True)
class Device:
    """What is known of one device load.

    Parameters
    ----------
    instance : int
        Its random number.
    stats : StreamStats
        Accounting of its frames.
    hello : Hello or None
        The latest it said of itself; None if it never did.
    hellos : int
        How often it did.
    first_s, last_s : float
        When its first and latest frame or hello was received, in seconds.
    restart_of : int or None
        The earlier load on the same track that fell silent when this one began.
    """

    instance: int
    stats: StreamStats
    hello: Hello | None
    hellos: int
    first_s: float
    last_s: float
    restart_of: int | None

    @property
    def is_master(self) -> bool:
        """Whether it says that it sits on the master track."""
        return self.hello is not None and self.hello.kind == _MASTER


class _Entry(Generic[Store]):
    def __init__(self, store: Store, time_s: float) -> None:
        self.store = store
        self.tracker = Tracker()
        self.hello: Hello | None = None
        self.hellos = 0
        self.first_s = self.last_s = time_s

    @property
    def place(self) -> tuple[int, int] | None:
        return None if self.hello is None else (self.hello.kind, self.hello.index)


class Intake(Generic[Store]):
    """Accounts and frames of every device heard.

    One thread feeds; any thread may ask.

    Parameters
    ----------
    new_store : callable
        Makes what keeps one device's frames: `ring.Ring` for a live stream.
    max_instances : int
        Devices kept. When a further one speaks, the one silent for longest gives way if it has
        been silent for ``forget_after_s``; else the further one's datagrams are counted as
        ``too_many_instances`` and dropped, so that invented numbers cannot fill the memory.
    forget_after_s : float
        See ``max_instances``; in seconds.
    """

    def __init__(
        self,
        new_store: Callable[[], Store],
        *,
        max_instances: int = MAX_INSTANCES,
        forget_after_s: float = RING_SECONDS,
    ) -> None:
        self._new_store = new_store
        self._max_instances = max_instances
        self._forget_after_s = forget_after_s
        self._entries: dict[int, _Entry[Store]] = {}
        self._rejects: Counter[Reject] = Counter()
        self._datagrams = 0
        self._lock = threading.Lock()

    def feed(self, batch: Batch) -> None:
        """Take in every datagram of a batch, in order. The batch is not cleared."""
        is_frame, rows = batch.frames()
        times_s = batch.times_s
        with self._lock:
            self._datagrams += len(batch)
            start = 0
            for other in (~is_frame).nonzero()[0].tolist():
                self._take_frames(rows[start:other], times_s[start:other])
                self._take_other(batch.payload(other), float(times_s[other]))
                start = other + 1
            self._take_frames(rows[start:], times_s[start:])

    @property
    def datagrams(self) -> int:
        """Datagrams taken in, of whatever kind."""
        return self._datagrams

    @property
    def rejects(self) -> Mapping[Reject, int]:
        """Datagrams dropped, by reason."""
        with self._lock:
            return dict(self._rejects)

    @property
    def instances(self) -> tuple[int, ...]:
        """Devices heard, in the order of their first word."""
        with self._lock:
            return tuple(self._entries)

    def store(self, instance: int) -> Store:
        """Frames of one device.

        Raises
        ------
        KeyError
            If no such device was heard.
        """
        with self._lock:
            return self._entries[instance].store

    def devices(self) -> tuple[Device, ...]:
        """Everything known of each device, in the order of their first word."""
        with self._lock:
            return tuple(
                Device(
                    instance,
                    entry.tracker.stats(),
                    entry.hello,
                    entry.hellos,
                    entry.first_s,
                    entry.last_s,
                    self._restart_of(entry),
                )
                for instance, entry in self._entries.items()
            )

    def masters(self, now_s: float | None = None) -> tuple[Device, ...]:
        """Devices that say they sit on the master track; more than one is an error of the set.

        A load that fell silent when another began on the master was replaced by it and does not
        count.

        Parameters
        ----------
        now_s : float, optional
            Also leave out devices silent for more than `config.STALE_AFTER_S` at this time.
        """
        devices = self.devices()
        replaced = {device.restart_of for device in devices}
        return tuple(
            device
            for device in devices
            if device.is_master
            and device.instance not in replaced
            and (now_s is None or now_s - device.last_s <= STALE_AFTER_S)
        )

    def _restart_of(self, entry: _Entry[Store]) -> int | None:
        before = [
            (other.last_s, instance)
            for instance, other in self._entries.items()
            if other is not entry
            and other.place == entry.place is not None
            and other.first_s < entry.first_s
            and other.last_s <= entry.first_s + RELOAD_OVERLAP_S
        ]
        return max(before)[1] if before else None

    def _take_frames(self, rows: Rows, times_s: Times) -> None:
        if not len(rows):
            return
        ids = rows[:, _INSTANCE]
        instances = [int(i) for i in dict.fromkeys(ids.tolist())]
        further = sum(instance not in self._entries for instance in instances)
        if further and self._is_full(further):
            # Who gives way, and when, depends on the exact order, so go one by one.
            for i, instance in enumerate(ids.tolist()):
                self._take_stream(int(instance), rows[i : i + 1], times_s[i : i + 1])
        elif len(instances) == 1:
            self._take_stream(instances[0], rows, times_s)
        else:
            for instance in instances:
                mine = ids == instance
                self._take_stream(instance, rows[mine], times_s[mine])

    def _take_stream(self, instance: int, rows: Rows, times_s: Times) -> None:
        entry = self._entry(instance, float(times_s[0]))
        if entry is None:
            self._rejects[Reject.TOO_MANY_INSTANCES] += len(rows)
            return
        entry.last_s = max(entry.last_s, float(times_s.max()))
        keep, index = entry.tracker.admit(rows, times_s)
        if keep is not None:
            rows, times_s = rows[keep], times_s[keep]
        entry.store.append(rows, times_s, index)

    def _take_other(self, payload: bytes, time_s: float) -> None:
        decoded = decode(payload)
        if isinstance(decoded, Hello):
            self._take_hello(decoded, time_s)
        elif isinstance(decoded, Reject):
            self._rejects[decoded] += 1
            torn = self._entries.get(frame_instance(payload)) if decoded is Reject.TORN else None
            if torn is not None:
                torn.tracker.count_torn()

    def _take_hello(self, hello: Hello, time_s: float) -> None:
        entry = self._entry(hello.instance, time_s)
        if entry is None:
            self._rejects[Reject.TOO_MANY_INSTANCES] += 1
            return
        entry.hello = hello
        entry.hellos += 1
        entry.last_s = max(entry.last_s, time_s)

    def _is_full(self, more: int) -> bool:
        return len(self._entries) + more > self._max_instances

    def _entry(self, instance: int, time_s: float) -> _Entry[Store] | None:
        """The device's entry, a new one where there is room, or None."""
        entry = self._entries.get(instance)
        if entry is None and self._make_room(time_s):
            entry = self._entries[instance] = _Entry(self._new_store(), time_s)
        return entry

    def _make_room(self, time_s: float) -> bool:
        if not self._is_full(1):
            return True
        longest = min(self._entries, key=lambda instance: self._entries[instance].last_s)
        if time_s - self._entries[longest].last_s <= self._forget_after_s:
            return False
        del self._entries[longest]
        return True
