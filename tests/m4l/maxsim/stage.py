"""A device in a set: the built patch in the simulator, with somebody who writes its ring."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from m4l import ring
from pybackend.metering.design import FRAME_S
from pybackend.stream.protocol import SEQ_MODULUS
from tests.m4l.maxsim.engine import Live, Max

FRAME_MS = FRAME_S * 1000.0
Datagram = tuple[str, int, bytes]


@dataclass
class Outbox:
    """A network that keeps what is sent."""

    sent: list[Datagram] = field(default_factory=list)

    def __call__(self, host: str, port: int, datagram: bytes) -> None:
        self.sent.append((host, port, datagram))

    def take(self) -> list[bytes]:
        """Datagrams since the last call."""
        taken = [datagram for _, _, datagram in self.sent]
        self.sent.clear()
        return taken


class Stage:
    """One device: ``write`` puts frames into its ring as ``gen~`` does, ``max`` runs its patch."""

    def __init__(
        self,
        patcher: Mapping[str, Any],
        network: Callable[[str, int, bytes], None],
        live: Live | None = None,
        *,
        seed: int = 1,
        fan_out: Literal["drawn", "reversed"] = "drawn",
    ) -> None:
        self.live = live or Live()
        self.max = Max(patcher, self.live, network, seed=seed, fan_out=fan_out)
        self.gen = self.max.one("gen~")
        self.max.load()

    @property
    def counter(self) -> int:
        """Count of complete frames, as ``gen~`` gives it."""
        return int(self.gen.outlets[ring.OUTLETS.index("counter")])

    @counter.setter
    def counter(self, value: int) -> None:
        self.gen.outlets[ring.OUTLETS.index("counter")] = float(value % SEQ_MODULUS)

    def write(self, row: Sequence[float]) -> None:
        """Write one frame of the wire's columns and count it."""
        for value, number in enumerate(row[ring.FIRST_COLUMN :]):
            self.gen.poke(float(number), ring.place(self.counter, value))
        self.counter += 1

    def play(self, rows: Sequence[Sequence[float]]) -> None:
        """Write frames at the pace of sound."""
        for row in rows:
            self.write(row)
            self.max.advance(FRAME_MS)
