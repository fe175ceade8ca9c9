"""How a class of the object model declares its members, in one line where it can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pybackend.studio.live.binding import FIRST, Call, Prop
from pybackend.studio.live.rules import READ_S, WRITE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from pybackend.studio.live.arguments import Argument
    from pybackend.studio.live.binding import Wrapper
    from pybackend.studio.live.profiles import Version

T = TypeVar("T")


def reading(
    *,
    listen: bool = False,
    cost_s: float = READ_S,
    gate: Callable[[Any, str], None] | None = None,
    since: Version = FIRST,
    listen_since: Version = FIRST,
) -> Callable[[Callable[[Any], T]], Prop[T]]:
    """Make a property out of its getter."""

    def decorate(read: Callable[[Any], T]) -> Prop[T]:
        return Prop(
            read, listen=listen, cost_s=cost_s, gate=gate, since=since, listen_since=listen_since
        )

    return decorate


def calling(
    *kinds: Argument,
    required: int | None = None,
    cost_s: float = WRITE_S,
    changes: bool = True,
    since: Version = FIRST,
) -> Callable[[Callable[..., Any]], Call]:
    """Make a method out of its body."""

    def decorate(body: Callable[..., Any]) -> Call:
        return Call(body, kinds, required=required, cost_s=cost_s, changes=changes, since=since)

    return decorate


def stored(
    kind: Argument,
    *,
    field: str = "",
    settable: bool = True,
    tracked: bool = True,
    deferred: bool = False,
    listen: bool = True,
    valid: Callable[[Any], Any] | None = None,
    gate: Callable[[Any, str], None] | None = None,
    since: Version = FIRST,
) -> Prop[Any]:
    """Make a property that is a field of the node.

    Parameters
    ----------
    field
        The field's name, if not the property's.
    deferred
        A write is readable from the next turn on.
    valid
        Returns the value to store, or raises.
    """

    def read(obj: Wrapper) -> Any:
        return obj._node[field or made.name]

    made: Prop[Any] = Prop(read, listen=listen, gate=gate, since=since)

    def write(obj: Wrapper, value: Any) -> None:
        checked = value if valid is None else valid(value)
        name = field or made.name
        says = ((obj._node, made.name),) if name != made.name else ()

        def commit() -> None:
            obj._world.put(obj._node, name, checked, tracked=tracked, says=says)

        if deferred:
            obj._world.later(commit)
        else:
            commit()

    if settable:
        made.writing(kind)(write)
    return made


def fixed(read: Callable[[Any], T], **options: Any) -> Prop[T]:
    """Make a read-only property out of a function."""
    return Prop(read, **options)


def heard() -> Prop[None]:
    """Make something that can be listened to but not read."""
    made = Prop(lambda _: None, listen=True)
    made.hidden = True
    return made
