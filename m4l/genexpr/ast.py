"""The tree of a GenExpr program: frozen nodes, each with its place in the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

MAX_TURNS: Final = 100_000
"""gen~ stops for good when a sample takes more loop turns than this (GENLIB_LOOPCOUNT_BAIL)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Line and column, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Number:
    """A literal; ``is_int`` tells whether it was written without point and exponent."""

    value: float
    is_int: bool
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A name that is read."""

    name: str
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """``-x`` or ``!x``."""

    operator: str
    operand: Expr
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and a sign between them."""

    operator: str
    left: Expr
    right: Expr
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """``test ? yes : no``."""

    test: Expr
    yes: Expr
    no: Expr
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """An operator in function form, or a function of the program."""

    name: str
    arguments: tuple[Expr, ...]
    at: Place = field(compare=False)


Expr = Number | Name | Unary | Binary | Conditional | Call


@dataclass(frozen=True, slots=True)
class Assign:
    """``a = value`` or ``a, b = f(x)``; ``a += x`` is stored as ``a = a + x``."""

    targets: tuple[str, ...]
    value: Expr
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Effect:
    """A call that stands alone: ``poke(...)``."""

    call: Call
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class If:
    """``if (test) {...} else {...}``; ``else if`` is an ``If`` alone in ``otherwise``."""

    test: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class For:
    """``for (variable = start; variable < limit; variable += step)`` with literal bounds."""

    variable: str
    start: Number
    limit: Number
    inclusive: bool
    step: Number
    body: tuple[Statement, ...]
    at: Place = field(compare=False)

    @property
    def turns(self) -> int:
        """How often the body runs, counted no further than the guard of gen~ allows."""
        count, value = 0, self.start.value
        while value < self.limit.value or (self.inclusive and value == self.limit.value):
            count += 1
            value += self.step.value
            if count > MAX_TURNS:
                break
        return count


Statement = Assign | Effect | If | For


@dataclass(frozen=True, slots=True)
class Declaration:
    """``History x(0)``, ``Data ring(400)``, ``Data ring(400, 2)`` or ``Param p(0)``."""

    kind: Literal["History", "Data", "Param"]
    name: str
    arguments: tuple[float, ...]
    at: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Function:
    """``name(parameters) { body return results; }``."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]
    results: tuple[Expr, ...]
    at: Place = field(compare=False)


Item = Function | Declaration | Assign | Effect | If | For


@dataclass(frozen=True, slots=True)
class Program:
    """A whole codebox, its parts in the order of the source."""

    items: tuple[Item, ...]

    @property
    def functions(self) -> dict[str, Function]:
        """Functions by name."""
        return {item.name: item for item in self.items if isinstance(item, Function)}

    @property
    def declarations(self) -> dict[str, Declaration]:
        """Declarations by name, in source order."""
        return {item.name: item for item in self.items if isinstance(item, Declaration)}

    @property
    def body(self) -> tuple[Statement, ...]:
        """The statements that run for each sample."""
        return tuple(item for item in self.items if isinstance(item, (Assign, Effect, If, For)))

    @property
    def inputs(self) -> int:
        """Count of signal inlets: the highest K of any ``inK``."""
        names = (node.name for node in walk(self.items) if isinstance(node, Name))
        return max((port(name, "in") for name in names), default=0)

    @property
    def outputs(self) -> int:
        """Count of signal outlets: the highest K of any ``outK``."""
        targets = (
            name for node in walk(self.items) if isinstance(node, Assign) for name in node.targets
        )
        return max((port(name, "out") for name in targets), default=0)


Node = Expr | Item


def port(name: str, prefix: str) -> int:
    """K of ``inK`` or ``outK``; 0 when the name is no such port."""
    digits = name.removeprefix(prefix)
    is_port = digits != name and digits.isascii() and digits.isdecimal() and digits[0] != "0"
    return int(digits) if is_port and len(digits) <= 3 else 0


def data_name(call: Call) -> str:
    """Name of the Data that a ``peek`` or ``poke`` uses."""
    first = call.arguments[0]
    if not isinstance(first, Name):
        raise TypeError(f"{call.name} without a Data: the program was not checked by parse")
    return first.name


def children(node: Node) -> tuple[Node, ...]:  # noqa: PLR0911 - one per kind of node
    """The nodes directly below, in the order in which they run."""
    match node:
        case Unary():
            return (node.operand,)
        case Binary():
            return (node.left, node.right)
        case Conditional():
            return (node.test, node.yes, node.no)
        case Call():
            return node.arguments
        case Assign():
            return (node.value,)
        case Effect():
            return (node.call,)
        case If():
            return (node.test, *node.then, *node.otherwise)
        case For():
            return node.body
        case Function():
            return (*node.body, *node.results)
        case _:
            return ()


def walk(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Yield these nodes and all below them, parents first."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))
