"""What the classes of the object model share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pybackend.studio.live.binding import Prop, Wrapper
from pybackend.studio.live.declaring import reading
from pybackend.studio.live.node import Node
from pybackend.studio.live.rules import LIST_READ_S
from pybackend.studio.live.vectors import Vector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pybackend.studio.live.profiles import Version

# Colours of Live's palette that its users have published; a colour that is written snaps to one.
PALETTE = (
    *(0xFF94A6, 0xFFA529, 0xCC9927, 0xF7F47C, 0xBFFB00, 0x1AFF2F, 0x25FFA8, 0x5CFFE8),
    *(0x8BC5FF, 0x5480E4, 0x92A7FF, 0xD86CE4, 0xE553A0, 0xFFFFFF, 0xFF3636, 0xF66C03),
    *(0x99724B, 0xFFF034, 0x87FF67, 0x3DC300, 0x00BFAF, 0x19E9FF, 0x10A4EE, 0x007DC0),
    *(0x886CE4, 0xB677C6, 0xFF39D4, 0xD0D0D0),
)


class LomObject(Wrapper):
    """Base of all: an identity and a parent."""

    __slots__ = ()

    @reading()
    def _live_ptr(self) -> int:
        return self._ptr

    @reading()
    def canonical_parent(self) -> Any:
        """The owner one step up."""
        return self._rt.wrap(self._node.parent)


def wrapped(obj: Wrapper, nodes: Iterable[Node]) -> Vector[Any]:
    """Make a vector of new wrappers."""
    wrap = obj._rt.wrap
    return Vector([wrap(node) for node in nodes])


def children(
    field: str,
    *,
    listen: bool = True,
    gate: Callable[[Any, str], None] | None = None,
    since: Version = (11, 0, 0),
) -> Prop[Vector[Any]]:
    """Make a property that lists the children in a field."""
    return Prop(
        lambda obj: wrapped(obj, obj._node[field]),
        listen=listen,
        cost_s=LIST_READ_S,
        gate=gate,
        since=since,
    )


def child(field: str, *, gate: Callable[[Any, str], None] | None = None) -> Prop[Any]:
    """Make a property that is one child."""
    return Prop(lambda obj: obj._rt.wrap(obj._node[field]), gate=gate)


def node_of(obj: Any) -> Node:
    """Return the node of a wrapper that was passed as an argument; it has to be alive."""
    obj._enter("argument")
    return obj._node  # type: ignore[no-any-return]


def nearest_color(rgb: int) -> int:
    """Return the index of the palette's colour that is nearest.

    Raises
    ------
    RuntimeError
        If it is no colour.
    """
    if not 0 <= rgb <= 0xFFFFFF:
        raise RuntimeError(f"Invalid color {rgb}")

    def distance(other: int) -> int:
        return sum(((rgb >> shift & 255) - (other >> shift & 255)) ** 2 for shift in (0, 8, 16))

    return min(range(len(PALETTE)), key=lambda index: distance(PALETTE[index]))


def color_of(obj: Wrapper) -> int:
    """Return the colour of an object as RGB."""
    index = obj._node["color_index"]
    return 0 if index is None else PALETTE[index]


def set_color(obj: Wrapper, rgb: int) -> None:
    """Set the colour to the nearest of the palette."""
    obj._world.put(obj._node, "color_index", nearest_color(rgb), says=((obj._node, "color"),))


def valid_color_index(index: int) -> int:
    """Check an index of the palette."""
    if not 0 <= index < len(PALETTE):
        raise RuntimeError(f"Invalid color index {index}")
    return index


def between(low: float, high: float, what: str) -> Callable[[Any], Any]:
    """Make a check of a range."""

    def check(value: Any) -> Any:
        if not low <= value <= high:
            raise RuntimeError(f"{what} {value} is not between {low} and {high}")
        return value

    return check
