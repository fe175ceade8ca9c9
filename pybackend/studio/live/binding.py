"""How Python sees the object model: wrappers, properties, methods and their guards.

A property or method names the first version that has it; `family` drops what a version lacks, so
that ``hasattr`` on a class answers as in that version.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from pybackend.studio.live import listeners
from pybackend.studio.live.arguments import CALLBACK, Argument
from pybackend.studio.live.faults import NOT_CONNECTED, deleted, mismatch
from pybackend.studio.live.rules import READ_S, WRITE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from pybackend.studio.live.node import Node, World
    from pybackend.studio.live.profiles import Version
    from pybackend.studio.live.runtime import Runtime

T = TypeVar("T")
FIRST: Version = (11, 0, 0)


class Wrapper:
    """A Python object for a node; equal to others of the same node, ``== None`` once it is dead."""

    __slots__ = ("__weakref__", "_node", "_ptr")
    _rt: ClassVar[Runtime]

    def __init__(self, node: Node) -> None:
        self._node = node
        self._ptr = node.ptr

    def __eq__(self, other: object) -> bool:
        self._rt.check_thread(type(self).__name__)
        if other is None:
            return not self._alive
        return isinstance(other, Wrapper) and (self._node, self._ptr) == (other._node, other._ptr)

    def __hash__(self) -> int:
        return hash(self._ptr)

    @property
    def _alive(self) -> bool:
        return self._node.ptr == self._ptr

    @property
    def _world(self) -> World:
        return self._node.world

    def _enter(self, what: str) -> None:
        """Check the thread, and that the object is there."""
        runtime = self._rt
        if threading.get_ident() != runtime.owner:
            runtime.check_thread(f"{type(self).__name__}.{what}")
        if self._node.ptr != self._ptr and runtime.rules.dead_objects:
            raise deleted(type(self).__name__)
        if runtime.broken:
            error = runtime.broken.get(f"{self._node.kind}.{what}")
            if error is not None:
                raise error


class Prop(Generic[T]):
    """A property.

    Parameters
    ----------
    read
        Takes the wrapper.
    listen
        Whether ``add_..._listener`` and its two companions exist.
    cost_s
        Virtual time of a read, in seconds.
    gate
        Raises where the property does not apply; guards reads, writes and listeners alike.
    since
        First version that has it.
    """

    def __init__(
        self,
        read: Callable[[Any], T],
        *,
        listen: bool = False,
        cost_s: float = READ_S,
        gate: Callable[[Any, str], None] | None = None,
        since: Version = FIRST,
        listen_since: Version = FIRST,
    ) -> None:
        self.read = read
        self.listen = listen
        self.cost_s = cost_s
        self.gate = gate
        self.since = since
        self.listen_since = max(since, listen_since)
        self.hidden = False
        self.name = getattr(read, "__name__", "")
        self.kind: Argument | None = None
        self.write: Callable[[Any, Any], None] | None = None
        self.__doc__ = read.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def writing(self, kind: Argument) -> Callable[[Callable[[Any, Any], None]], None]:
        """Make the property writable; decorates its setter."""

        def decorate(write: Callable[[Any, Any], None]) -> None:
            self.kind, self.write = kind, write

        return decorate

    @overload
    def __get__(self, obj: None, owner: type) -> Prop[T]: ...

    @overload
    def __get__(self, obj: Wrapper, owner: type) -> T: ...

    def __get__(self, obj: Wrapper | None, owner: type) -> Prop[T] | T:
        if obj is None:
            return self
        obj._enter(self.name)
        obj._rt.clock.spend(self.cost_s)
        if self.gate is not None and obj._rt.rules.raising_kinds:
            self.gate(obj, self.name)
        return self.read(obj)

    def __set__(self, obj: Wrapper, value: T) -> None:
        if self.write is None or self.kind is None:
            raise AttributeError(f"can't set attribute {self.name}")
        runtime = obj._rt
        obj._enter(self.name)
        runtime.clock.spend(WRITE_S)
        if not self.kind.accepts(value, runtime):
            if runtime.rules.strict_arguments or self.kind.coerce is None:
                raise mismatch(
                    type(obj).__name__,
                    self.name,
                    f", {type(value).__name__}",
                    f", {self.kind.name}",
                )
            value = self.kind.coerce(value)
        if self.gate is not None and runtime.rules.raising_kinds:
            self.gate(obj, self.name)
        runtime.guard_write(f"{type(obj).__name__}.{self.name}")
        self.write(obj, value)


class Call:
    """A method: positional arguments of exact types.

    Parameters
    ----------
    kinds
        Types of the arguments.
    required
        How many of them must be given; all unless said otherwise.
    changes
        Whether it may not be called in a listener.
    """

    def __init__(
        self,
        body: Callable[..., Any],
        kinds: tuple[Argument, ...],
        *,
        required: int | None = None,
        cost_s: float = WRITE_S,
        changes: bool = True,
        since: Version = FIRST,
    ) -> None:
        self.body = body
        self.kinds = kinds
        self.required = len(kinds) if required is None else required
        self.cost_s = cost_s
        self.changes = changes
        self.since = since
        self.name = getattr(body, "__name__", "")
        self.__doc__ = body.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, obj: Wrapper | None, owner: type) -> Any:
        if obj is None:
            return self
        wrapper = obj

        def bound(*arguments: Any, **keywords: Any) -> Any:
            return self._run(wrapper, arguments, keywords)

        return bound

    def _run(self, obj: Wrapper, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        runtime = obj._rt
        obj._enter(self.name)
        runtime.clock.spend(self.cost_s)
        if runtime.rules.strict_arguments:
            fits = not keywords and self.required <= len(arguments) <= len(self.kinds)
            pairs = zip(arguments, self.kinds)  # noqa: B905 - Python 3.7
            if not fits or not all(kind.accepts(value, runtime) for value, kind in pairs):
                raise mismatch(
                    type(obj).__name__,
                    self.name,
                    "".join(f", {type(value).__name__}" for value in arguments)
                    + "".join(f", {name}=" for name in keywords),
                    "".join(f", {kind.name}" for kind in self.kinds),
                )
        if self.changes:
            runtime.guard_write(f"{type(obj).__name__}.{self.name}()")
        return self.body(obj, *arguments, **keywords)


def listener_calls(prop: Prop[Any]) -> dict[str, Call]:
    """Make the three methods of a property that can be listened to."""
    name = prop.name

    def gate(obj: Wrapper) -> None:
        if prop.gate is not None and obj._rt.rules.raising_kinds:
            prop.gate(obj, name)

    def add(obj: Wrapper, callback: Callable[[], None]) -> None:
        gate(obj)
        listeners.connect(obj._node, name, callback)

    def remove(obj: Wrapper, callback: Callable[[], None]) -> None:
        gate(obj)
        listeners.disconnect(obj._node, name, callback)

    def has(obj: Wrapper, callback: Callable[[], None]) -> bool:
        gate(obj)
        return listeners.connected(obj._node, name, callback)

    calls = {
        f"add_{name}_listener": Call(add, (CALLBACK,), changes=False),
        f"remove_{name}_listener": _Removal(remove, (CALLBACK,), changes=False),
        f"{name}_has_listener": Call(has, (CALLBACK,), changes=False),
    }
    for called, call in calls.items():
        call.name = called
    return calls


class _Removal(Call):
    """Removing from a dead object says that nothing is connected, as Live does."""

    def _run(self, obj: Wrapper, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        obj._rt.check_thread(f"{type(obj).__name__}.{self.name}")
        if not obj._alive:
            raise RuntimeError(NOT_CONNECTED)
        return super()._run(obj, arguments, keywords)
