"""Versions of Live, behaviours of its undo history, and timers of its computers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    Version = tuple[int, int, int]

GROUPED = "grouped"
OWN_STEP = "own_step"
OWN_STEP_UNLESS_SYNCED = "own_step_unless_synced"
SEPARATE = "separate"
COALESCE = "coalesce"
EACH = "each"
PER_TURN = "per_turn"


@dataclass(frozen=True)
class UndoProfile:
    """How writes become steps of the undo history.

    Field reports disagree, so every disputed point is a switch; the default is the reading that
    most reports support.

    Parameters
    ----------
    parameter_writes
        ``grouped``: inside begin/end they belong to the step. ``own_step``: each parameter is an
        entry of its own above the group's (k writes give k + 1). ``own_step_unless_synced``:
        likewise at the end of the turn, unless ``Song.sync_parameter_changes()`` was called
        before ``end_undo_step()``.
    track_renames
        ``grouped`` or ``own_step``.
    pairs_in_one_turn
        Several begin/end pairs in one turn stay ``separate`` or ``coalesce``.
    ungrouped_writes
        Writes outside begin/end are a step ``each``, or one ``per_turn``.
    steps_land_next_turn
        ``undo()``, ``can_undo`` and ``can_redo`` see a step only in the turn after it was closed.
    user_closes_open_group
        A user's edit closes a group that a script left open; otherwise it merges into it.
    new_note_ids
        Notes that undo or redo bring back have new ids.
    new_handles
        Objects that undo or redo bring back have a new ``_live_ptr``; old wrappers stay dead.
    solo_tracked
        Solo is part of the history.
    """

    parameter_writes: str = GROUPED
    track_renames: str = GROUPED
    pairs_in_one_turn: str = SEPARATE
    ungrouped_writes: str = EACH
    steps_land_next_turn: bool = True
    user_closes_open_group: bool = False
    new_note_ids: bool = False
    new_handles: bool = False
    solo_tracked: bool = True

    def __post_init__(self) -> None:
        known = {
            "parameter_writes": (GROUPED, OWN_STEP, OWN_STEP_UNLESS_SYNCED),
            "track_renames": (GROUPED, OWN_STEP),
            "pairs_in_one_turn": (SEPARATE, COALESCE),
            "ungrouped_writes": (EACH, PER_TURN),
        }
        for name, values in known.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name} is one of {', '.join(values)}")


@dataclass(frozen=True)
class LiveProfile:
    """One version of Live.

    Parameters
    ----------
    version
        Major, minor, bugfix.
    undo
        The behaviour of its history.
    locale
        Language of the labels that ``undo()`` returns: ``en``, or ``xx`` for wording that no
        script can know.
    """

    version: Version
    undo: UndoProfile = field(default_factory=UndoProfile)
    locale: str = "en"

    @property
    def text(self) -> str:
        """The version as Live prints it."""
        return ".".join(str(part) for part in self.version)

    @property
    def main_name(self) -> str:
        """What this version calls the main track."""
        return "Main" if self.version >= (12, 0, 0) else "Master"

    @property
    def python(self) -> tuple[int, int]:
        """The Python that this version embeds."""
        return (3, 11) if self.version >= (12, 1, 0) else (3, 7)

    @property
    def undo_returns_label(self) -> bool:
        """Whether ``undo()`` returns a label; older versions return None."""
        return self.version >= (11, 3, 10)


# The lowest of each line, where it matters: it has the fewest members.
_VERSIONS: dict[str, Version] = {
    "11.3": (11, 3, 10),
    "12.0": (12, 0, 0),
    "12.1": (12, 1, 0),
    "12.2": (12, 2, 0),
    "12.3": (12, 3, 6),
    "12.4": (12, 4, 6),
}
VERSIONS: tuple[str, ...] = tuple(_VERSIONS)


def profile(version: str, undo: UndoProfile | None = None, locale: str = "en") -> LiveProfile:
    """Find the profile of a version.

    Parameters
    ----------
    version
        ``"12.4"`` or a full version, ``"12.3.6"``.
    undo, locale
        See `LiveProfile`.

    Raises
    ------
    ValueError
        If the version is not 11.3 or later, or not a version at all.
    """
    found = _VERSIONS.get(version)
    if found is None:
        parts = version.split(".")
        if len(parts) != 3 or not all(part.isdigit() for part in parts):
            known = ", ".join(_VERSIONS)
            raise ValueError(f"no Live version {version!r}: one of {known}, or a.b.c")
        found = (int(parts[0]), int(parts[1]), int(parts[2]))
    if found < (11, 1, 0):
        raise ValueError(f"Live {version} is older than what the studio knows (11.1)")
    return LiveProfile(found, undo or UndoProfile(), locale)


UNDO_VARIANTS: dict[str, UndoProfile] = {
    "default": UndoProfile(),
    "own_step": UndoProfile(parameter_writes=OWN_STEP, track_renames=OWN_STEP),
    "unless_synced": UndoProfile(parameter_writes=OWN_STEP_UNLESS_SYNCED),
    "coalesce": UndoProfile(pairs_in_one_turn=COALESCE, ungrouped_writes=PER_TURN),
    "at_once": UndoProfile(steps_land_next_turn=False),
    "closing_user": UndoProfile(user_closes_open_group=True),
    "new_ids": UndoProfile(new_note_ids=True, new_handles=True),
}


@dataclass(frozen=True)
class TimerProfile:
    """How often ``Live.Base.Timer`` really fires.

    Parameters
    ----------
    period_s
        Shortest time between two firings, in seconds, whatever interval was asked for.
    jitter_s
        Standard deviation of the delay added to each, in seconds (its absolute value is taken).
    longest_s
        No regular gap is longer than this.
    display_s
        Period of ``update_display``.
    """

    period_s: float
    jitter_s: float
    longest_s: float
    display_s: float = 0.1

    def gap_s(self, interval_ms: int, rng: Random) -> float:
        """Draw the time until the next firing, in seconds."""
        asked = max(self.period_s, interval_ms / 1000.0)
        drawn = asked + abs(rng.gauss(0.0, self.jitter_s))
        return min(drawn, max(self.longest_s, asked))


TIMERS: dict[str, TimerProfile] = {
    "mac": TimerProfile(0.0103, 0.0004, 0.022),
    "windows": TimerProfile(0.034, 0.001, 0.05),
    "slow": TimerProfile(0.1, 0.005, 0.2),
}


def with_undo(live: LiveProfile, **changes: object) -> LiveProfile:
    """Return the same version with some of its undo behaviour changed."""
    return replace(live, undo=replace(live.undo, **changes))  # type: ignore[arg-type]
