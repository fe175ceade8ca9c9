"""Which rules the virtual Live enforces, and what each access costs.

Every rule can be switched off, so that a test can show that a program depends on it: naive code
passes with the rule off and fails with it on.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rules:
    """The switches; all on is the strict Live.

    Parameters
    ----------
    owner_thread
        Access from a thread other than the loop's raises and is recorded.
    fresh_wrappers
        Every read gives a new Python object; only ``==`` and ``_live_ptr`` tell identity.
    dead_objects
        A deleted object raises on every access.
    strict_arguments
        No keywords, exact arity, no conversion of types.
    raising_kinds
        Members that do not apply to an object's kind raise.
    value_limits
        Range, disabled, quantised and 32 bit storage of parameters.
    deferred_commits
        Transport and similar writes are readable from the next turn on.
    notification_guard
        A listener cannot change anything.
    note_limits
        Ranges of notes, same-start replacement, same-pitch truncation, vectors only.
    arrangement_overwrites
        A new arrangement clip trims what lies under it.
    timer_dies_on_error
        A timer whose callback raised never fires again.
    one_deletion_per_turn
        A second structural deletion in a turn is a crash.
    reentrant_calls
        Calls that take long (insert, delete, load) let due timers fire while they run.
    reuse_pointers
        The address of a deleted object is given to the next new one.
    costs
        Accesses cost time on a virtual clock.
    """

    owner_thread: bool = True
    fresh_wrappers: bool = True
    dead_objects: bool = True
    strict_arguments: bool = True
    raising_kinds: bool = True
    value_limits: bool = True
    deferred_commits: bool = True
    notification_guard: bool = True
    note_limits: bool = True
    arrangement_overwrites: bool = True
    timer_dies_on_error: bool = True
    one_deletion_per_turn: bool = True
    reentrant_calls: bool = True
    reuse_pointers: bool = True
    costs: bool = True


# Seconds. Parameter reads, clip deletion and duplication and writes are field measurements of
# others; the rest are orders of magnitude, good for budgets and for nothing else.
READ_S = 1e-6
PARAMETER_READ_S = 4.5e-6
LIST_READ_S = 2e-5
STRING_READ_S = 2e-5
WRITE_S = 2e-4
NOTE_S = 2e-6
INSERT_S = 1.2e-2
DELETE_S = 1.2e-2
DUPLICATE_S = 2.3e-2
UNDO_S = 5e-3
