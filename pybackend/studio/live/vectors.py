"""Live's vectors: read-only sequences, and the few that a script may fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")


class Vector(Generic[T]):
    """A read-only sequence: no list methods, no comparison by content."""

    __slots__ = ("_items",)
    __module__ = "Base"

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Vector[T]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(self._items[index])
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, value: object) -> bool:
        return value in self._items

    def __bool__(self) -> bool:
        return bool(self._items)


class FilledVector(Vector[T]):
    """A vector that a script may append to."""

    __slots__ = ()

    def append(self, value: T) -> None:
        """Add one."""
        self._items.append(value)

    def extend(self, values: Iterable[T]) -> None:
        """Add several."""
        self._items.extend(values)


class FloatVector(FilledVector[float]):
    """Floats."""

    __slots__ = ()
    __module__ = "Base"


class IntVector(FilledVector[int]):
    """Integers."""

    __slots__ = ()
    __module__ = "Base"


class IntU64Vector(FilledVector[int]):
    """Unsigned integers: ids of notes."""

    __slots__ = ()
    __module__ = "Base"


class StringVector(FilledVector[str]):
    """Strings."""

    __slots__ = ()
    __module__ = "Base"


class ObjectVector(FilledVector[object]):
    """Any objects."""

    __slots__ = ()
    __module__ = "Base"
