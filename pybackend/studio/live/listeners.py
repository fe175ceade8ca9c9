"""Listeners of a property: who is called, in which order, and who may not be added twice."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from pybackend.studio.live.faults import ALREADY_CONNECTED, NOT_CONNECTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from pybackend.studio.live.node import Node


class Listener:
    """One callback. Of a bound method only a weak reference to its object is kept, as Live does."""

    __slots__ = ("_function", "_owner")

    def __init__(self, callback: Callable[[], None]) -> None:
        owner = getattr(callback, "__self__", None)
        self._function: Any = getattr(callback, "__func__", callback)
        self._owner = (
            weakref.ref(owner) if owner is not None and self._function is not callback else None
        )

    @property
    def alive(self) -> bool:
        """Whether there is still somebody to call."""
        return self._owner is None or self._owner() is not None

    def matches(self, callback: Callable[[], None]) -> bool:
        """Tell whether this is that callback."""
        if self._owner is None:
            return bool(self._function == callback)
        owner = self._owner()
        return (
            owner is not None
            and getattr(callback, "__self__", None) is owner
            and getattr(callback, "__func__", None) is self._function
        )

    def call(self) -> None:
        """Call it, unless its object is gone."""
        if self._owner is None:
            self._function()
            return
        owner = self._owner()
        if owner is not None:
            self._function(owner)


def connect(node: Node, name: str, callback: Callable[[], None]) -> None:
    """Add a listener.

    Raises
    ------
    RuntimeError
        If it is connected already.
    """
    if connected(node, name, callback):
        raise RuntimeError(ALREADY_CONNECTED)
    if node.listeners is None:
        node.listeners = {}
    node.listeners.setdefault(name, []).append(Listener(callback))


def disconnect(node: Node, name: str, callback: Callable[[], None]) -> None:
    """Remove a listener.

    Raises
    ------
    RuntimeError
        If it is not connected, also because the object was deleted.
    """
    listeners = (node.listeners or {}).get(name, [])
    for listener in listeners:
        if listener.matches(callback):
            listeners.remove(listener)
            return
    raise RuntimeError(NOT_CONNECTED)


def connected(node: Node, name: str, callback: Callable[[], None]) -> bool:
    """Tell whether a callback listens."""
    return any(one.matches(callback) for one in (node.listeners or {}).get(name, ()))


def connections(node: Node) -> list[str]:
    """Name the property of every listener of one object."""
    return [
        name
        for name, listeners in (node.listeners or {}).items()
        for listener in listeners
        if listener.alive
    ]
