"""The signal path: the sound goes through untouched, ``gen~`` listens and writes its ring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from m4l import ring
from m4l.gen import gen_patcher
from m4l.sheet import Outlet, Sheet

BUFFER: Final = "---mjframes"
"""Name of the ring; Max puts a number of its own per device in place of the dashes."""

SOUND: Final = ("left", "right")


@dataclass(frozen=True, slots=True)
class Audio:
    """Boxes of the signal path that messages reach.

    Attributes
    ----------
    inputs : dict of str
        ``sig~`` boxes by what they carry into ``gen~``: the inlets of ``ring.INLETS`` after the
        sound.
    counter : str
        ``snapshot~`` box; a bang there gives the count of complete frames.
    """

    inputs: dict[str, str]
    counter: str


def audio_section(sheet: Sheet, code: str, meters: tuple[str, str]) -> Audio:
    """Connect sound, ``gen~``, ring and level meters.

    Parameters
    ----------
    sheet : Sheet
        Patcher in the making.
    code : str
        GenExpr of the analyzer.
    meters : tuple of str
        ``live.meter~`` boxes of left and right.
    """
    sheet.column("sound", 320.0)
    plugin = sheet.typed("plugin~")
    plugout = sheet.typed("plugout~")
    inputs = {name: sheet.typed("sig~") for name in ring.INLETS if name not in SOUND}
    gen = sheet.typed("gen~", patcher=gen_patcher(code))
    sources: dict[str, str | Outlet] = {
        **{name: (plugin, channel) for channel, name in enumerate(SOUND)},
        **inputs,
    }
    for channel, meter in enumerate(meters):
        sheet.cord((plugin, channel), plugout, channel)
        sheet.cord((plugin, channel), meter)
    for inlet, name in enumerate(ring.INLETS):
        sheet.cord(sources[name], gen, inlet)
    sheet.typed(f"buffer~ {BUFFER} @samps {ring.RING_SAMPLES}")
    poke = sheet.typed(f"poke~ {BUFFER}")
    counter = sheet.typed("snapshot~")
    for outlet, (target, inlet) in {
        "value": (poke, 0),
        "index": (poke, 1),
        "counter": (counter, 0),
    }.items():
        sheet.cord((gen, ring.OUTLETS.index(outlet)), target, inlet)
    return Audio(inputs, counter)
