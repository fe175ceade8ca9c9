"""Max's ``expr``, as far as the device uses it: C arithmetic on ints and floats.

Strict where Max is silent: a division by zero, a logarithm of nothing and a number that an int
cannot hold are errors here.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Final

Number = int | float

_VARIABLE: Final = re.compile(r"\$([if])(\d)")
_ARITHMETIC: Final[dict[type[ast.operator], Callable[[Number, Number], Number]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Number, Number], bool]]] = {
    ast.Gt: operator.gt,
    ast.LtE: operator.le,
}


class ExpressionError(AssertionError):
    """An expression that Max would refuse, that is not modelled, or that has no value."""


class Expression:
    """One ``expr`` box's text, and the values stored in its inlets."""

    def __init__(self, text: str) -> None:
        found = _VARIABLE.findall(text)
        self.kinds = {int(number) - 1: kind for kind, number in found}
        if len(set(found)) > len(self.kinds):
            raise ExpressionError(f"an inlet of two types: {text}")
        if "," in text:
            raise ExpressionError(f"functions of two arguments are not modelled: {text}")
        source = _VARIABLE.sub(r"v\2", text)
        self._tree = ast.parse(source, mode="eval").body
        self.values: dict[int, Number] = dict.fromkeys(self.kinds, 0)

    def store(self, inlet: int, value: Number) -> None:
        """Keep a value, converted to the inlet's type."""
        self.values[inlet] = int(value) if self.kinds[inlet] == "i" else float(value)

    def evaluate(self) -> Number:
        """Value of the expression."""
        return self._value(self._tree)

    def _value(self, node: ast.expr) -> Number:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return number
            case ast.Name(id=name):
                return self.values[int(name[1:]) - 1]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return _binary(type(op), self._value(left), self._value(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return int(_COMPARISONS[type(op)](self._value(left), self._value(right)))
            case ast.Call(func=ast.Name(id="log10"), args=[argument], keywords=[]):
                value = self._value(argument)
                if value <= 0:
                    raise ExpressionError(f"log10({value})")
                return math.log10(value)
        raise ExpressionError(f"not modelled: {ast.unparse(node)}")


def _binary(kind: type[ast.operator], left: Number, right: Number) -> Number:
    whole = isinstance(left, int) and isinstance(right, int)
    if kind in _ARITHMETIC:
        value: Number = _ARITHMETIC[kind](left, right)
        if whole and not -(2**31) <= value < 2**31:
            raise ExpressionError(f"{value} does not fit into 32 bits")
        return value
    if kind in (ast.Div, ast.Mod) and right == 0:
        raise ExpressionError("division by zero")
    if kind is ast.Div:
        return int(left / right) if whole else left / right
    if kind is ast.Mod and whole:
        return int(math.fmod(left, right))
    raise ExpressionError(f"not modelled: {kind.__name__} of {left!r} and {right!r}")
