"""What the virtual Live raises, in Live's words where they are known."""

from __future__ import annotations


class ArgumentError(TypeError):
    """A call whose arguments match no C++ signature, or an object that Live has deleted."""

    __module__ = "Boost.Python"


class LimitationError(Exception):
    """A limit of Live, such as the number of tracks."""

    __module__ = "Base"


class WrongThread(BaseException):
    """The object model was touched from a thread that does not own it.

    A ``BaseException``, so that no broad ``except Exception`` hides it.
    """


class LiveCrashed(BaseException):
    """What was done is known to take the real Live down."""


IN_NOTIFICATION = (
    "Changes cannot be triggered by notifications. You will need to defer your response."
)
IN_UNDO = "Changes cannot be triggered during undo or redo."
ALREADY_CONNECTED = "Observer already connected"
NOT_CONNECTED = "Observer not connected"
OUT_OF_RANGE = "Invalid value. Check the parameters range with min/max"
DISABLED = "Value cannot be set, the parameter is disabled"
UNKNOWN_NOTE_IDS = "All given IDs must be present in clip"
INVALID_DISPLAY_VALUE = "Invalid display value"


def mismatch(owner: str, call: str, given: str, expected: str) -> ArgumentError:
    """Build the error of a call that matches no signature, as Boost words it."""
    return ArgumentError(
        f"Python argument types in\n    {owner}.{call}({owner}{given})\n"
        f"did not match C++ signature:\n    {call}(TPyHandle<A{owner}>{expected})"
    )


def deleted(owner: str) -> ArgumentError:
    """Build the error of an access to an object that is no longer there."""
    return ArgumentError(
        f"Python argument types in\n    None.None({owner})\n"
        f"did not match C++ signature:\n    None(TPyHandle<A{owner}>)"
    )
