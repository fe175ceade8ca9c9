"""Objects of a set, and the one way in which they change.

Every change is a `Put` of one field of one node, so undo is the same thing backwards. Lists of
children are tuples in a field: an object that leaves such a tuple is dead, with all below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pybackend.studio.live.history import History
    from pybackend.studio.live.listeners import Listener
    from pybackend.studio.live.runtime import Runtime

OTHER = "other"
PARAMETER = "parameter"
RENAME = "rename"


class Later:
    """A field that is built when it is first read, so that big sets are cheap."""

    __slots__ = ("build",)

    def __init__(self, build: Callable[[Node], Any]) -> None:
        self.build = build


class Node:
    """One object of a set: its kind, its address (0 when dead), its owner and its fields."""

    __slots__ = ("fields", "home", "kind", "listeners", "ptr", "world")

    def __init__(self, world: World, kind: str, parent: Node | None, **fields: Any) -> None:
        self.world = world
        self.kind = kind
        fields["parent"] = parent
        self.ptr = self.home = world.runtime.handles.take()
        self.fields: dict[str, Any] = fields
        self.listeners: dict[str, list[Listener]] | None = None

    def __getitem__(self, name: str) -> Any:
        value = self.fields[name]
        if type(value) is Later:
            value = self.fields[name] = value.build(self)
        return value

    @property
    def parent(self) -> Node | None:
        """The owner; a field, because devices move."""
        return self.fields["parent"]  # type: ignore[no-any-return]

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field, or the default where there is none."""
        return self[name] if name in self.fields else default

    def below(self) -> Iterator[Node]:
        """Walk this node and everything that it owns and that was built."""
        yield self
        for value in self.fields.values():
            for child in value if isinstance(value, tuple) else (value,):
                if isinstance(child, Node) and child.parent is self:
                    yield from child.below()


class Put:
    """A field of a node before and after."""

    __slots__ = ("after", "before", "family", "field", "node", "says", "serial", "serial_before")

    def __init__(
        self,
        node: Node,
        field: str,
        before: Any,
        after: Any,
        *,
        family: str,
        says: tuple[tuple[Node, str], ...],
    ) -> None:
        self.node = node
        self.field = field
        self.before = before
        self.after = after
        self.family = family
        self.says = says
        self.serial = self.serial_before = 0


class Handles:
    """Addresses for nodes; optionally those of the dead are used again, last in first out."""

    def __init__(self, reuse: bool) -> None:
        self._next = 0x60000001000
        self._free: list[int] = []
        self._reuse = reuse

    def take(self) -> int:
        """Return an address that no living node has."""
        if self._free and self._reuse:
            return self._free.pop()
        self._next += 0x40
        return self._next

    def give_back(self, ptr: int) -> None:
        """Note that the owner of an address died."""
        self._free.append(ptr)

    def reclaim(self, ptr: int) -> int:
        """Return this address if nobody got it meanwhile, else another."""
        if ptr in self._free:
            self._free.remove(ptr)
            return ptr
        return self.take()


class World:
    """One set: its song, its history and who wrote what last.

    Attributes
    ----------
    writers
        Serial number of the last write of every field that was written.
    puts
        Every tracked write in order, with who made it (``"script"`` or ``"user"``).
    """

    def __init__(self, runtime: Runtime, history: History) -> None:
        self.runtime = runtime
        self.history = history
        self.song: Node
        self.application: Node
        self.writers: dict[tuple[int, str], int] = {}
        self.puts: list[tuple[Put, str]] = []
        self._deferred: list[Callable[[], None]] = []

    def put(
        self,
        node: Node,
        field: str,
        value: Any,
        *,
        tracked: bool = True,
        family: str = OTHER,
        says: tuple[tuple[Node, str], ...] = (),
    ) -> bool:
        """Change a field.

        Parameters
        ----------
        tracked
            Whether the undo history knows.
        family
            Kind of write, for the history's grouping.
        says
            Other properties that notify along with the field.

        Returns
        -------
        bool
            Whether anything changed: an equal value is no write.

        Raises
        ------
        RuntimeError
            During a notification, or during undo and redo.
        """
        self.runtime.guard_write(f"{node.kind}.{field}")
        before = node.get(field)
        if before is value or (before == value and type(before) is type(value)):
            return False
        change = Put(node, field, before, value, family=family, says=((node, field), *says))
        with self.runtime.quietly():
            if tracked:
                change.serial_before = self.writers.get((id(node), field), 0)
                change.serial = len(self.puts) + 1
                self.puts.append((change, self.history.origin))
                self.history.record(change)
            self.apply(change, forward=True)
        return True

    def apply(self, change: Put, *, forward: bool) -> None:
        """Make one change, or take it back, and notify."""
        node, field = change.node, change.field
        value = change.after if forward else change.before
        current = node.get(field)
        if field == "notes" and self.runtime.restoring and self.history.rules.new_note_ids:
            value = _renumbered(node, current, value)
        node.fields[field] = value
        serial = change.serial if forward else change.serial_before
        if serial:
            self.writers[id(node), field] = serial
        elif change.serial:
            self.writers.pop((id(node), field), None)
        self._adopt(node, _children(current, node), _children(value, node))
        for speaker, name in change.says:
            self.runtime.notify(speaker, name)

    def _adopt(self, owner: Node, before: tuple[Node, ...], after: tuple[Node, ...]) -> None:
        if before is after:
            return
        kept = {id(node) for node in after}
        for node in before:
            if id(node) not in kept and node.parent is owner:
                for dead in node.below():
                    if dead.ptr:
                        self.runtime.handles.give_back(dead.ptr)
                        dead.ptr = 0
                        dead.listeners = None
        for node in after:
            for risen in node.below() if not node.ptr else ():
                handles = self.runtime.handles
                fresh = self.history.rules.new_handles
                risen.ptr = handles.take() if fresh else handles.reclaim(risen.home)

    def later(self, commit: Callable[[], None]) -> None:
        """Do something between this turn and the next (at once where nothing is deferred)."""
        if self.runtime.rules.deferred_commits:
            self._deferred.append(commit)
        else:
            commit()

    def commit(self) -> None:
        """Do what was deferred."""
        due, self._deferred = self._deferred, []
        for deferred in due:
            deferred()

    def die(self) -> None:
        """Delete every object of the set, as loading another does."""
        for node in self.song.below():
            if node.ptr:
                self.runtime.handles.give_back(node.ptr)
            node.ptr = 0
            node.listeners = None
        self._deferred.clear()


def _renumbered(clip: Node, current: dict[int, Any], notes: dict[int, Any]) -> dict[int, Any]:
    """Give notes that come back new ids."""
    result = {}
    for number, note in notes.items():
        if number in current:
            result[number] = note
        else:
            result[clip.fields["next_note_id"]] = note
            clip.fields["next_note_id"] += 1
    return result


def _children(value: Any, owner: Node) -> tuple[Node, ...]:
    if isinstance(value, Node):
        return (value,) if value.parent is owner else ()
    if isinstance(value, tuple) and value and isinstance(value[0], Node):
        return value
    return ()
