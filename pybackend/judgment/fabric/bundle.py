"""Everything known of the session at one moment: the one schema that every evaluator takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from pybackend.capture.point import PointSnapshot
from pybackend.errors import InputError
from pybackend.judgment.composition.notes import NoteSnapshot, Section

if TYPE_CHECKING:
    from pybackend.capture.snapshot import Snapshot
    from pybackend.judgment.masking.tracks import TrackCapture
    from pybackend.stream.frames import Frames


@dataclass(frozen=True, slots=True, eq=False)
class SessionSnapshot:
    """One side of a move. Only what an evaluator needs has to be there.

    Parameters
    ----------
    master : tuple of Snapshot or Frames
        Captures of the master: repeats of one passage.
    tracks : mapping of str to TrackCapture
        Frames from every track's own analyzer, captured with the master, and its fader, pan and
        mute. A bounced stem is a track with a fader at 0 dB.
    sections : tuple of Section
        Sections of the song, in order, bars counted from 0.
    notes : NoteSnapshot or mapping, optional
        Notes and clips.
    """

    master: tuple[Snapshot | Frames, ...] = ()
    tracks: Mapping[str, TrackCapture] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    notes: NoteSnapshot | Mapping[str, Any] | None = None

    @classmethod
    def take_in(cls, value: Any, label: str) -> Self | PointSnapshot:
        """Read any form of snapshot.

        Parameters
        ----------
        value
            A `SessionSnapshot`; a window of frames (`Snapshot` or `Frames`) or a list of them; a
            `NoteSnapshot` or a mapping with ``tracks``; a `PointSnapshot` or a mapping with
            ``spectrum``.
        label : str
            Which side of the move it is, for the message.

        Raises
        ------
        InputError
            If it is none of these.
        """
        if isinstance(value, cls | PointSnapshot):
            return value
        if isinstance(value, NoteSnapshot):
            return cls(notes=value)
        if isinstance(value, Mapping):
            if "tracks" in value:
                return cls(notes=value)
            if "spectrum" in value:
                return PointSnapshot.parse(value)
            known = ", ".join(sorted(map(str, value))[:5]) or "nothing"
            raise InputError(
                f"the snapshot {label} the move holds neither frames, notes (tracks) nor a "
                f"spectrum, only {known[:80]}; capture it again"
            )
        return cls(master=_windows(value, label))


def _windows(value: Any, label: str) -> tuple[Snapshot | Frames, ...]:
    from pybackend.capture.snapshot import Snapshot  # noqa: PLC0415 - slow to import
    from pybackend.stream.frames import Frames  # noqa: PLC0415

    windows = tuple(value) if isinstance(value, list | tuple) else (value,)
    if not windows or not all(isinstance(each, Snapshot | Frames) for each in windows):
        raise InputError(
            f"the snapshot {label} the move must be a SessionSnapshot, Snapshot, Frames or a list "
            f"of windows, got {type(windows[0] if windows else value).__name__}"
        )
    return windows
