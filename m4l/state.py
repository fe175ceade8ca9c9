"""What the device knows of itself: loaded, enabled, preview, its number, audio and sample rate."""

from __future__ import annotations

from dataclasses import dataclass

from m4l.sheet import Outlet, Sheet
from pybackend.stream.protocol import MAX_INSTANCE


@dataclass(frozen=True, slots=True)
class State:
    """Outlets that speak when something about the device becomes known or changes.

    Attributes
    ----------
    address : Outlet
        Bang after loading: host and port are to be sent to ``udpsend``.
    start : Outlet
        1 after loading, when everything else is set: clocks start.
    instance : Outlet
        Random number of this load.
    enabled, preview : Outlet
        1 or 0.
    audio_on, sample_rate : Outlet
        Whether the audio runs, and Hz; they also speak when ``audio_state`` is banged.
    audio_state : str
        Box to bang.
    """

    address: Outlet
    start: Outlet
    instance: Outlet
    enabled: Outlet
    preview: Outlet
    audio_on: Outlet
    sample_rate: Outlet
    audio_state: str


def state_section(sheet: Sheet) -> State:
    """Everything that happens when the device is loaded, in order, outside the scheduler.

    ``live.thisdevice`` also bangs when a preset is loaded, so all of it may happen again, but the
    number of the load is drawn once.
    """
    sheet.column("loaded", 170.0)
    this = sheet.typed("live.thisdevice")
    order = sheet.typed("t 1 b b b")
    sheet.chain(this, sheet.typed("deferlow"), order)
    audio = sheet.typed("dspstate~")
    sheet.cord((order, 1), audio)
    instance = sheet.typed("+ 1")
    sheet.chain(
        (order, 2), sheet.typed("onebang 1"), sheet.typed(f"random {MAX_INSTANCE}"), instance
    )
    return State(
        address=(order, 3),
        start=(order, 0),
        instance=(instance, 0),
        enabled=(this, 1),
        preview=(this, 2),
        audio_on=(audio, 0),
        sample_rate=(audio, 1),
        audio_state=audio,
    )
