"""What this Live can do, found by looking at it; sent in the hello."""

from __future__ import annotations

import os
import platform
import sys
from typing import TYPE_CHECKING

from .fields import read_or

if TYPE_CHECKING:
    from typing import Any

    from .live_types import Application, Song

OLDEST = (11, 1, 0)


def numbers(application: Application) -> tuple[int, int, int]:
    """Version as major, minor, bugfix."""
    return (
        application.get_major_version(),
        application.get_minor_version(),
        application.get_bugfix_version(),
    )


def live_version(application: Application) -> str:
    """Version text, betas included where Live tells."""
    text = read_or(application, "get_version_string", None)
    if text is not None:
        return str(text())
    return ".".join(str(part) for part in numbers(application))


def is_supported(application: Application) -> bool:
    """Whether this Live is new enough: note ids need 11.1, Live 10 runs Python 2."""
    return numbers(application) >= OLDEST


def report(application: Application, song: Song) -> dict[str, Any]:
    """Capabilities by name; False where a member is missing."""
    import Live

    clip, parameter = Live.Clip.Clip, Live.DeviceParameter.DeviceParameter
    track = Live.Track.Track
    return {
        "notes_all": hasattr(clip, "get_all_notes_extended"),
        "arrangement_midi_clips": hasattr(track, "create_midi_clip"),
        "take_lanes": hasattr(track, "take_lanes"),
        "display_value": hasattr(parameter, "display_value"),
        "sync_parameter_changes": read_or(song, "sync_parameter_changes", None) is not None,
        "undo_label": numbers(application) >= (11, 3, 10),
        "file_path": read_or(song, "file_path", None) is not None,
        "supported": is_supported(application),
        # No probe of a real Live has filled this in yet.
        "undo_steps_per_parameter_move": "unverified",
    }


def environment(application: Application, song: Song) -> dict[str, Any]:
    """Versions, the system, and which set is open."""
    return {
        "live": live_version(application),
        "python": "{}.{}.{}".format(*sys.version_info[:3]),
        "os": platform.system() or os.name,
        "pid": os.getpid(),
        "set": {
            "name": read_or(song, "name", None),
            "file_path": read_or(song, "file_path", None),
        },
    }
