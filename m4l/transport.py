"""Song position, bar, tempo and flags: from Live into ``gen~`` at every poll.

``plugsync~`` (Cycling '74, Max 5 and Max 8 MSP reference): outlet 1 transport running, 2 bar, 5
time signature as numerator and denominator, 6 samples per beat, 7 quarter notes since the song's
start. Where the host gives no value an outlet is silent, and what is sent stays 0: unknown. The
object speaks all the time and when banged; both only store, the poll hands on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from m4l.audio import Audio
from m4l.sheet import Outlet, Sheet
from m4l.state import State
from pybackend.stream.protocol import FLAG_ENABLED, FLAG_PREVIEW, FLAG_RUNNING

RUNNING, BAR, SIGNATURE, SAMPLES_PER_BEAT, BEATS = 0, 1, 4, 5, 6
"""Outlets of ``plugsync~``, from 0."""

TEMPO: Final = "expr 60. * $f2 * ($f1 > 0.) / ($f1 + ($f1 <= 0.))"
"""BPM from samples per beat and sample rate; 0 where samples per beat are unknown."""
BAR_LENGTH: Final = "expr 4. * $f1 / ($f2 + ($f2 <= 0.))"
"""Quarter notes per bar from numerator and denominator; 0 where they are unknown."""
FLAGS: Final = f"expr {FLAG_ENABLED} * $i1 + {FLAG_PREVIEW} * $i2 + {FLAG_RUNNING} * $i3"


@dataclass(frozen=True, slots=True)
class Flags:
    """The protocol's flags.

    Attributes
    ----------
    outlet : Outlet
        Speaks at every poll, and when asked.
    ask : str
        Box to bang.
    """

    outlet: Outlet
    ask: str


def transport_section(sheet: Sheet, poll: Outlet, state: State, audio: Audio) -> Flags:
    """Connect the transport with the signal path."""
    sheet.column("song position, tempo and flags", 480.0)
    order = sheet.typed("t b b b b b b b")
    sheet.cord(poll, order)
    sync = sheet.typed("plugsync~")
    sheet.cord((order, 6), sync)

    def kept(source: Outlet, bang: int, box: str) -> str:
        """Store what ``source`` says until outlet ``bang`` of the poll asks for it."""
        store = sheet.typed(box)
        sheet.cord(source, store, 1)
        sheet.cord((order, bang), store)
        return store

    flags = sheet.typed(FLAGS)
    sheet.cord(kept((sync, RUNNING), 5, "i"), flags, 2)
    sheet.cord(state.preview, flags, 1)
    # What is not said to be off counts as on.
    enabled = kept(state.enabled, 4, "i 1")
    sheet.chain(enabled, flags, audio.inputs["flags"])
    tempo = sheet.typed(TEMPO)
    sheet.cord(state.sample_rate, tempo, 1)
    sheet.chain(kept((sync, SAMPLES_PER_BEAT), 3, "f"), tempo, audio.inputs["tempo"])
    signature, length = sheet.typed("unpack 0 0"), sheet.typed(BAR_LENGTH)
    sheet.cord((sync, SIGNATURE), signature)
    sheet.cord((signature, 1), length, 1)
    sheet.chain(kept((signature, 0), 2, "i"), length, audio.inputs["beats_per_bar"])
    sheet.chain(kept((sync, BAR), 1, "i"), audio.inputs["bar"])
    sheet.chain(kept((sync, BEATS), 0, "f"), audio.inputs["song_beats"])
    return Flags((flags, 0), enabled)
