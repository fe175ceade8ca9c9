"""What the two back ends share: walking the flat code and printing it in a language's words."""

from __future__ import annotations

from typing import Final, Protocol

from m4l.genexpr import ir
from m4l.genexpr.operators import COMPARISONS, LOGIC

PLAIN_SIGNS: Final = ("+", "-", "*")

HELPERS: Final = {"/": "divide", "%": "modulo", "int": "trunc", "!": "negation"}
"""Operators whose helper function is not called like them."""


class Words(Protocol):
    """How a language writes what differs between the two."""

    def number(self, value: float) -> str:
        """A literal that reads back to the same double."""

    def history(self, index: int) -> str:
        """The value of a History as this sample reads it."""

    def condition(self, left: str, sign: str, right: str) -> str:
        """A logical connection of two conditions, ``&&`` or ``||``."""

    def truth(self, condition: str) -> str:
        """A condition as 0.0 or 1.0."""

    def choice(self, condition: str, yes: str, no: str) -> str:
        """One of two values."""


def value(  # noqa: PLR0911 - one per kind of value
    node: ir.Value, words: Words, data: tuple[ir.DataSlot, ...]
) -> str:
    """Print a value."""

    def show(inner: ir.Value) -> str:
        return value(inner, words, data)

    match node:
        case ir.Const():
            return words.number(node.value)
        case ir.Local():
            return f"v_{node.name}"
        case ir.Input():
            return f"in{node.index}"
        case ir.HistoryRead():
            return words.history(node.index)
        case ir.ParamRead():
            return f"params[{node.index}]"
        case ir.Rate():
            return "rate"
        case ir.Peek():
            slot = data[node.data]
            place = f"{slot.offset}, {slot.length}, {slot.channels}"
            return f"g_peek(data, {place}, {show(node.index)}, {show(node.channel)})"
        case ir.Op(name="?"):
            test, yes, no = node.operands
            return words.choice(condition(test, words, data), show(yes), show(no))
        case ir.Op(name=name, operands=(left, right)) if name in PLAIN_SIGNS:
            return f"({show(left)} {name} {show(right)})"
        case ir.Op(name="neg"):
            return f"(-{show(node.operands[0])})"
        case ir.Op(name=name) if name in COMPARISONS or name in LOGIC:
            return words.truth(condition(node, words, data))
        case ir.Op():
            name = HELPERS.get(node.name, node.name)
            extra = ["rate"] if name in ("mstosamps", "sampstoms") else []
            return f"g_{name}({', '.join([show(o) for o in node.operands] + extra)})"


def condition(node: ir.Value, words: Words, data: tuple[ir.DataSlot, ...]) -> str:
    """Print a value as a condition: whether it differs from 0."""
    match node:
        case ir.Op(name=name, operands=(left, right)) if name in COMPARISONS:
            return f"({value(left, words, data)} {name} {value(right, words, data)})"
        case ir.Op(name=name, operands=(left, right)) if name in LOGIC:
            return words.condition(
                condition(left, words, data), name, condition(right, words, data)
            )
        case _:
            return f"({value(node, words, data)} != 0.0)"
