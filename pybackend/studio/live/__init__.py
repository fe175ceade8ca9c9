"""A strict virtual Live for control surfaces: object model, undo, threads, timers, a human.

Standard library only, Python 3.7 and later, so that it hosts scripts of every supported Live.
"""

from pybackend.studio.live.faults import ArgumentError, LiveCrashed, WrongThread
from pybackend.studio.live.host import StudioHost
from pybackend.studio.live.library import SETS, band, large, tiny
from pybackend.studio.live.notes import Note
from pybackend.studio.live.profiles import (
    UNDO_VARIANTS,
    VERSIONS,
    LiveProfile,
    TimerProfile,
    UndoProfile,
    profile,
)
from pybackend.studio.live.rules import Rules
from pybackend.studio.live.studio import Studio, install

__all__ = [
    "SETS",
    "UNDO_VARIANTS",
    "VERSIONS",
    "ArgumentError",
    "LiveCrashed",
    "LiveProfile",
    "Note",
    "Rules",
    "Studio",
    "StudioHost",
    "TimerProfile",
    "UndoProfile",
    "WrongThread",
    "band",
    "install",
    "large",
    "profile",
    "tiny",
]
