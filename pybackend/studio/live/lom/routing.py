"""Routing of tracks: types and channels as objects, lists that are late for a new track."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pybackend.studio.live.arguments import Argument
from pybackend.studio.live.devices import MAIN, MIDI, RETURN
from pybackend.studio.live.enums import RoutingTypeCategory
from pybackend.studio.live.vectors import FilledVector

if TYPE_CHECKING:
    from pybackend.studio.live.binding import Wrapper
    from pybackend.studio.live.node import Node


class RoutingType:
    """A source or destination, by name and, for a track, by object."""

    __slots__ = ("attached_object", "category", "display_name")
    __module__ = "Track"

    def __init__(self, display_name: str, category: str, attached_object: Any = None) -> None:
        self.display_name = display_name
        self.category: Any = RoutingTypeCategory.names[category]
        self.attached_object = attached_object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RoutingType) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self.display_name)

    def _key(self) -> tuple[Any, ...]:
        return self.display_name, int(self.category), self.attached_object


TYPE = Argument("NRoutingType", lambda value, _: isinstance(value, RoutingType))


class RoutingTypeVector(FilledVector[RoutingType]):
    """Types that a track offers."""

    __slots__ = ()
    __module__ = "Track"


def output_types(obj: Wrapper) -> list[RoutingType]:
    """List where a track can play to; not known in the turn that made it."""
    track = obj._node
    runtime = obj._rt
    if track["born"] == runtime.turn and runtime.turn > 0 and runtime.rules.deferred_commits:
        return [RoutingType("", "invalid")]
    types = [RoutingType("Ext. Out", "external")]
    if track["track_kind"] != MAIN:
        main = obj._world.song["master_track"]
        types.append(RoutingType(main["given_name"], "master", runtime.wrap(main)))
        types.extend(_tracks(obj, track))
        types.append(RoutingType("Sends Only", "none"))
    return types


def input_types(obj: Wrapper) -> list[RoutingType]:
    """List what a track can listen to; not known in the turn that made it."""
    track = obj._node
    runtime = obj._rt
    if track["born"] == runtime.turn and runtime.turn > 0 and runtime.rules.deferred_commits:
        return [RoutingType("", "invalid")]
    first = "All Ins" if track["track_kind"] == MIDI else "Ext. In"
    types = [RoutingType(first, "external")]
    if track["track_kind"] != MIDI:
        types.append(RoutingType("Resampling", "resampling"))
    return [*types, *_tracks(obj, track), RoutingType("No Input", "none")]


def _tracks(obj: Wrapper, but: Node) -> list[RoutingType]:
    wrap = obj._rt.wrap
    return [
        RoutingType(wrap(track).name, "track", wrap(track))
        for track in obj._world.song["tracks"]
        if track is not but and track["track_kind"] != RETURN
    ]


def find(types: list[RoutingType], name: str) -> RoutingType:
    """Return the type of this name, or one that says it is not there."""
    for one in types:
        if one.display_name == name:
            return one
    return RoutingType(name, "invalid")


def choose(obj: Wrapper, field: str, offered: list[RoutingType], value: Any, name: str) -> None:
    """Route; only what is offered can be chosen.

    Raises
    ------
    ValueError
        If the type is not offered now.
    """
    if value not in offered:
        raise ValueError("The routing type is not one of the available ones")
    obj._world.put(obj._node, field, value.display_name, says=((obj._node, name),))
