"""Ids of Live's objects: serial numbers that are never used twice within one start of the script.

Python wrappers are new at every read, so ``is`` and ``id()`` mean nothing; a pointer may be used
again after its object was deleted. A held wrapper tells: it equals None once its object is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .failure import Failure

if TYPE_CHECKING:
    from typing import Any

LETTERS = {
    "track": "t",
    "device": "d",
    "parameter": "p",
    "clip": "c",
    "scene": "s",
    "cue": "q",
    "chain": "h",
}


def alive(thing: Any) -> bool:
    """Tell whether a wrapper still stands for an object of the set."""
    # A deleted object compares equal to None, but is not None.
    return thing is not None and thing != None  # noqa: E711


class Registry:
    """Gives ids and finds objects by them."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, int], str] = {}
        self._things: dict[str, Any] = {}
        self._serial = 0

    def id_of(self, kind: str, thing: Any) -> str:
        """Id of a live object; the same one as long as the object lives."""
        key = (kind, thing._live_ptr)
        known = self._ids.get(key)
        if known is not None and alive(self._things[known]):
            return known
        self._serial += 1
        fresh = f"{LETTERS[kind]}{self._serial}"
        self._ids[key] = fresh
        self._things[fresh] = thing
        return fresh

    def find(self, kind: str, name: str, where: str) -> Any:
        """Object of an id.

        Raises
        ------
        Failure
            ``unknown_object`` if the id was never given, ``stale_object`` if its object is gone.
        """
        thing = self._things.get(name)
        if thing is None or not name.startswith(LETTERS[kind]):
            raise Failure("unknown_object", f"there is no {kind} {name}", where)
        if not alive(thing):
            raise Failure("stale_object", f"{kind} {name} has been deleted", where)
        return thing

    def clear(self) -> None:
        """Let go of every object."""
        self._ids.clear()
        self._things.clear()
