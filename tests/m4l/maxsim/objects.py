"""The objects of the device, as the simulator runs them (Cycling '74's reference for Max 8)."""

from __future__ import annotations

import struct
from typing import Final

from pythonosc.osc_message_builder import OscMessageBuilder

from tests.m4l.maxsim.engine import BANG, Atom, Atoms, Box, Max
from tests.m4l.maxsim.expression import Expression
from tests.m4l.maxsim.live_objects import LIVE_KINDS

MAX_PACKET_BYTES: Final = 5096
LONGEST_LIST: Final = 256
"""Items that ``zl`` keeps by default."""


def literal(text: str) -> Atom:
    """An argument or a word of a message box as Max reads it."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class Trigger(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        for outlet in reversed(range(len(self.args))):
            what = self.args[outlet]
            if what == "b":
                self.out(outlet, *BANG)
            elif what == "i":
                self.out(outlet, int(self.number(inlet, atoms)))
            elif what == "l":
                self.out(outlet, *atoms)
            elif isinstance(literal(what), str):
                raise self.unknown(inlet, atoms)
            else:
                self.out(outlet, literal(what))


class Expr(Box):
    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        self.expression = Expression(" ".join(self.args))

    def receive(self, inlet: int, atoms: Atoms) -> None:
        if atoms != BANG:
            self.expression.store(inlet, self.number(inlet, atoms))
        if inlet == 0:
            self.out(0, self.expression.evaluate())
        elif atoms == BANG:
            raise self.unknown(inlet, atoms)


class Arithmetic(Box):
    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        argument = literal(self.args[0])
        assert isinstance(argument, int), "only whole-number arithmetic is modelled"
        self.left, self.right = 0, argument

    def receive(self, inlet: int, atoms: Atoms) -> None:
        value = int(self.number(inlet, atoms))
        if inlet == 1:
            self.right = value
            return
        self.left = value
        results = {
            "+": self.left + self.right,
            "!-": self.right - self.left,
            "==": int(self.left == self.right),
        }
        self.out(0, results[self.name])


class Pack(Box):
    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        self.items = [literal(argument) for argument in self.args]
        assert not any(isinstance(item, str) for item in self.items)

    def receive(self, inlet: int, atoms: Atoms) -> None:
        if atoms != BANG:
            kind = type(self.items[inlet])
            self.items[inlet] = kind(self.number(inlet, atoms))
        elif inlet:
            raise self.unknown(inlet, atoms)
        if inlet == 0:
            self.out(0, *self.items)


class Unpack(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        if atoms == BANG or (isinstance(atoms[0], str) and self.args[0] != "s"):
            raise self.unknown(inlet, atoms)
        for outlet in reversed(range(min(len(atoms), len(self.args)))):
            kind = str if self.args[outlet] == "s" else type(literal(self.args[outlet]))
            if isinstance(atoms[outlet], str) != (kind is str):
                raise self.unknown(inlet, atoms)
            self.out(outlet, kind(atoms[outlet]))


class Prepend(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        self.out(0, *(literal(word) for word in self.args), *atoms)


class Route(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        for outlet, word in enumerate(self.args):
            if atoms[0] == literal(word):
                self.out(outlet, *(atoms[1:] or BANG))
                return
        self.out(len(self.args), *atoms)


class Select(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        value = self.number(inlet, atoms)
        if inlet or not isinstance(value, int):
            raise self.unknown(inlet, atoms)
        for outlet, word in enumerate(self.args):
            if value == literal(word):
                self.out(outlet, *BANG)
                return
        self.out(len(self.args), value)


class Stored(Box):
    """``i`` and ``f``."""

    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        self.kind = {"i": int, "f": float}[self.name]
        self.value = self.kind(literal(self.args[0])) if self.args else self.kind(0)

    def receive(self, inlet: int, atoms: Atoms) -> None:
        if atoms != BANG:
            self.value = self.kind(self.number(inlet, atoms))
        elif inlet:
            raise self.unknown(inlet, atoms)
        if inlet == 0:
            self.out(0, self.value)


class Change(Box):
    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        self.value = literal(self.args[0])
        assert not max_.graph.out_of(box_id, 1) + max_.graph.out_of(box_id, 2)

    def receive(self, inlet: int, atoms: Atoms) -> None:
        value = self.number(inlet, atoms)
        if value != self.value:
            self.value = value
            self.out(0, value)


class Uzi(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        count, base = (int(argument) for argument in self.args)
        if atoms != BANG:
            count = int(self.number(inlet, atoms))
        if inlet or count < 1:
            raise self.unknown(inlet, atoms)
        for turn in range(count):
            self.out(2, base + turn)
            self.out(0, *BANG)
        self.out(1, *BANG)


class Group(Box):
    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        self.items: list[Atom] = []
        assert 1 < int(self.args[0]) <= LONGEST_LIST

    def receive(self, inlet: int, atoms: Atoms) -> None:
        self.items.append(self.number(inlet, atoms))
        if inlet:
            raise self.unknown(inlet, atoms)
        if len(self.items) == int(self.args[0]):
            items, self.items = self.items, []
            self.out(0, *items)


class Buffer(Box):
    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        words = str(self.saved["text"]).split()
        max_.buffers[words[1]] = [0.0] * int(words[words.index("@samps") + 1])


class Peek(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        index = self.number(inlet, atoms)
        samples = self.max.buffers[self.args[0]]
        if inlet or not isinstance(index, int) or not 0 <= index < len(samples):
            raise self.unknown(inlet, atoms)
        self.out(0, samples[index])


class Signal(Box):
    """``sig~``: what ``gen~`` reads."""

    value = 0.0

    def receive(self, inlet: int, atoms: Atoms) -> None:
        self.value = float(self.number(inlet, atoms))


class Gen(Box):
    """``gen~`` seen from outside; whoever plays the code fills ``outlets`` and pokes."""

    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        self.outlets = [0.0] * int(self.saved["numoutlets"])

    def inlet(self, inlet: int) -> float:
        """Value of the ``sig~`` at an inlet."""
        (cord,) = self.max.graph.into(self.id, inlet)
        box = self.max.boxes[cord.source]
        assert isinstance(box, Signal)
        return box.value

    def poke(self, value: float, index: float) -> None:
        """What the ``poke~`` at the first two outlets does with one sample of each."""
        first, second = self.max.graph.out_of(self.id, 0)[0], self.max.graph.out_of(self.id, 1)[0]
        assert (first.target, first.inlet, second.inlet) == (second.target, 0, 1)
        samples = self.max.buffers[self.max.boxes[first.target].args[0]]
        if 0 <= index < len(samples):
            # buffer~ holds 32-bit floats
            (samples[int(index)],) = struct.unpack("f", struct.pack("f", value))


class Snapshot(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        if inlet or atoms != BANG:
            raise self.unknown(inlet, atoms)
        gen = self.max.one("gen~")
        (cord,) = [c for c in self.max.graph.into(self.id, 0) if c.source == gen.id]
        self.out(0, float(gen.outlets[cord.outlet]))


class Once(Box):
    """``onebang 1``."""

    open = True

    def receive(self, inlet: int, atoms: Atoms) -> None:
        if inlet == 1:
            self.open = True
        elif atoms == ("stop",):
            self.open = False
        elif self.open:
            self.open = False
            self.out(0, *BANG)
        else:
            self.out(1, *BANG)


class Random(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        if inlet or atoms != BANG:
            raise self.unknown(inlet, atoms)
        self.out(0, self.max.random.randrange(int(self.args[0])))


class Deferlow(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        self.max.later(lambda: self.out(0, *atoms))


class Metro(Box):
    """``metro``, and ``qmetro``, whose bangs wait for the main thread and do not pile up."""

    turn = 0
    waiting = False

    def receive(self, inlet: int, atoms: Atoms) -> None:
        if inlet or not self.number(inlet, atoms):
            raise self.unknown(inlet, atoms)
        self.turn += 1
        self.max.after(0.0, lambda turn=self.turn: self._tick(turn))  # type: ignore[misc]

    def _tick(self, turn: int) -> None:
        if turn != self.turn:
            return
        self.max.after(float(self.args[0]), lambda: self._tick(turn))
        if self.name == "metro":
            self.out(0, *BANG)
        elif not self.waiting:
            self.waiting = True
            self.max.later(self._bang)

    def _bang(self) -> None:
        self.waiting = False
        self.out(0, *BANG)


class Speedlim(Box):
    last_ms = -1e9
    held: Atoms | None = None

    def receive(self, inlet: int, atoms: Atoms) -> None:
        if inlet:
            raise self.unknown(inlet, atoms)
        wait_ms = self.last_ms + float(self.args[0]) - self.max.now_ms
        if wait_ms <= 0:
            self._pass(atoms)
            return
        if self.held is None:
            self.max.after(wait_ms, self._release)
        self.held = atoms

    def _release(self) -> None:
        held, self.held = self.held, None
        if held is not None:
            self._pass(held)

    def _pass(self, atoms: Atoms) -> None:
        self.last_ms = self.max.now_ms
        self.held = None
        self.out(0, *atoms)


class MessageBox(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        text = str(self.saved["text"])
        if inlet or any(sign in text for sign in ",;\\#"):
            raise self.unknown(inlet, atoms)
        words: list[Atom] = []
        for word in text.split():
            if word.startswith("$"):
                words.append(self.number(inlet, atoms) if word == "$1" else "")
            else:
                words.append(literal(word))
        self.out(0, *words)


class Udpsend(Box):
    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        self.host, self.port = self.args[0], int(self.args[1])
        self.told: list[str] = []

    def receive(self, inlet: int, atoms: Atoms) -> None:
        match atoms:
            case ("host", str() as host):
                self.host = host
                self.told.append("host")
            case ("port", int() as port):
                self.port = port
                self.told.append("port")
            case (str() as address, *values) if address.startswith("/") and values:
                self._send(address, tuple(values))
            case _:
                raise self.unknown(inlet, atoms)

    def _send(self, address: str, values: Atoms) -> None:
        message = OscMessageBuilder(address)
        for value in values:
            if isinstance(value, str):
                raise self.unknown(0, (address, *values))
            message.add_arg(value, "i" if isinstance(value, int) else "f")
        datagram = message.build().dgram
        assert len(datagram) <= MAX_PACKET_BYTES
        self.max.network(self.host, self.port, datagram)


KINDS: Final[dict[str, type[Box]]] = {
    **dict.fromkeys(("+", "!-", "=="), Arithmetic),
    **dict.fromkeys(("i", "f"), Stored),
    **dict.fromkeys(("metro", "qmetro"), Metro),
    # signals only, or nothing but drawn: any message to them is an error
    **dict.fromkeys(("comment", "panel", "plugin~", "plugout~", "poke~"), Box),
    "buffer~": Buffer,
    "change": Change,
    "deferlow": Deferlow,
    "expr": Expr,
    "gen~": Gen,
    "message": MessageBox,
    "onebang": Once,
    "pack": Pack,
    "peek~": Peek,
    "prepend": Prepend,
    "random": Random,
    "route": Route,
    "sel": Select,
    "sig~": Signal,
    "snapshot~": Snapshot,
    "speedlim": Speedlim,
    "t": Trigger,
    "udpsend": Udpsend,
    "unpack": Unpack,
    "uzi": Uzi,
    "zl.group": Group,
    **LIVE_KINDS,
}
"""Every object that is modelled."""
