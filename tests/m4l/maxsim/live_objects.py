"""Objects that speak with Live, and those that are drawn on the device's face."""

from __future__ import annotations

from typing import Final

from tests.m4l.maxsim.engine import BANG, Atom, Atoms, Box, Max

DEVICE_ID: Final = 42
"""Live's number for the device."""


class ThisDevice(Box):
    def announce(self) -> None:
        """What the object says when the device is loaded."""
        self.out(2, self.max.live.preview)
        self.out(1, self.max.live.enabled)
        self.out(0, *BANG)

    def enable(self, enabled: int) -> None:
        """Switch the device on or off, as a user does."""
        self.max.live.enabled = enabled
        with self.max.on("main"):
            self.out(1, enabled)


class Dspstate(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        if atoms != BANG:
            raise self.unknown(inlet, atoms)
        self.report()

    def report(self) -> None:
        """Say the state, as when the audio starts or stops."""
        self.out(3, 512)
        self.out(2, 64)
        self.out(1, self.max.live.sample_rate_hz)
        self.out(0, self.max.live.audio_on)


class Plugsync(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        if atoms != BANG:
            raise self.unknown(inlet, atoms)
        self.report()

    def report(self) -> None:
        """Say everything; Max does so all the time."""
        live = self.max.live
        self.out(8, 31 if live.synced else 1)
        self.out(7, 0)
        if not live.synced:
            return
        self.out(6, live.beats)
        self.out(5, live.samples_per_beat)
        self.out(4, *live.signature)
        self.out(3, live.beats % 1.0)
        self.out(2, 1 + int(live.beats) % live.signature[0])
        self.out(1, live.bar)
        self.out(0, live.running)


class LivePath(Box):
    def receive(self, inlet: int, atoms: Atoms) -> None:
        if atoms != ("path", "this_device") or self.max.thread != "main":
            raise self.unknown(inlet, atoms)
        found = DEVICE_ID if self.max.live.path else 0
        self.out(1, "id", found)
        self.out(0, "id", found)


class LiveObject(Box):
    id_now: Atom = 0

    def receive(self, inlet: int, atoms: Atoms) -> None:
        if self.max.thread != "main":
            raise self.unknown(inlet, atoms)
        if inlet == 1 and atoms == ("id", DEVICE_ID):
            self.id_now = DEVICE_ID
        elif inlet == 0 and atoms == ("getpath",) and self.id_now and self.max.live.path:
            words = self.max.live.path.split()
            self.out(0, "path", *(int(w) if w.isdecimal() else w for w in words))
        else:
            raise self.unknown(inlet, atoms)


class NodeScript(Box):
    """Node: what was sent to the script, and a voice for what the script would say."""

    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        self.got: list[Atoms] = []

    def receive(self, inlet: int, atoms: Atoms) -> None:
        if atoms not in (("script", "start"), ("start",)):
            raise self.unknown(inlet, atoms)
        self.got.append(atoms)

    def say(self, *atoms: Atom) -> None:
        """What the script sends with ``maxApi.outlet``."""
        with self.max.on("scheduler"):
            self.out(0, *atoms)
        self.max.idle()

    def event(self, *atoms: Atom) -> None:
        """What happens to the script's process."""
        with self.max.on("scheduler"):
            self.out(1, *atoms)
        self.max.idle()


class Shown(Box):
    """A box that only shows something: a number, a list, a text, or whether a meter is active."""

    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        self.value: Atoms = ()
        self.drawn_ms: list[float] = []

    def receive(self, inlet: int, atoms: Atoms) -> None:
        self.max.draw(self)
        words = {"live.comment": "set", "live.meter~": "active"}
        if self.name in words:
            if atoms[0] != words[self.name] or len(atoms) < 2:
                raise self.unknown(inlet, atoms)
            atoms = atoms[1:]
        elif any(isinstance(atom, str) for atom in atoms):
            raise self.unknown(inlet, atoms)
        sizes = {"flonum": 1, "live.meter~": 1, "multislider": self.saved.get("size")}
        if len(atoms) != sizes.get(self.name, len(atoms)):
            raise self.unknown(inlet, atoms)
        self.value = atoms
        self.drawn_ms.append(self.max.now_ms)

    @property
    def text(self) -> str:
        """What a comment shows."""
        return " ".join(str(atom) for atom in self.value) or str(self.saved.get("text", ""))


class Numbox(Box):
    """A stored number that only the user changes."""

    def __init__(self, max_: Max, box_id: str) -> None:
        super().__init__(max_, box_id)
        (self.value,) = self.saved["saved_attribute_attributes"]["valueof"]["parameter_initial"]

    def restore(self) -> None:
        """Say the value that the set has stored."""
        self.out(0, float(self.value))

    def choose(self, value: float) -> None:
        """Change the value as a user does."""
        self.value = value
        with self.max.on("main"):
            self.restore()


class Button(Box):
    def press(self) -> None:
        """Click the button."""
        with self.max.on("main"):
            self.out(0, *BANG)
        self.max.idle()


LIVE_KINDS: Final[dict[str, type[Box]]] = {
    **dict.fromkeys(("flonum", "live.comment", "live.meter~", "multislider"), Shown),
    "dspstate~": Dspstate,
    "live.numbox": Numbox,
    "live.object": LiveObject,
    "live.path": LivePath,
    "live.text": Button,
    "live.thisdevice": ThisDevice,
    "node.script": NodeScript,
    "plugsync~": Plugsync,
}
