"""Rules about values: R8 (integers that divide) and R13 (logarithms and roots of what may be 0)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from m4l.genexpr import ast
from m4l.genexpr.operators import COMPARISONS, LOGIC, OPERATORS, SAMPLE_RATE

_NEED_POSITIVE: Final = ("sqrt", "log", "ln", "log2", "log10")
Raw = tuple[str, ast.Place, str]


def number_findings(program: ast.Program) -> Iterator[Raw]:
    """Findings of R8 and R13."""
    integers = _integer_locals(program)
    for node in ast.walk(program.items):
        if isinstance(node, ast.Binary) and node.operator == "/":
            if _is_int(node.left, integers) and _is_int(node.right, integers):
                yield "R8", node.at, "both sides are integers; write one with a point, as in 2.0"
        elif isinstance(node, ast.Call) and not _is_safe(node):
            yield "R13", node.at, f"write {node.name}(max(x, 1e-12)), so that x may be 0"


def _is_safe(call: ast.Call) -> bool:
    return call.name not in _NEED_POSITIVE or _is_positive(call.arguments[0])


def _is_positive(node: ast.Expr) -> bool:
    if isinstance(node, ast.Number):
        return node.value > 0
    if isinstance(node, ast.Name):
        return node.name == SAMPLE_RATE
    if isinstance(node, ast.Call) and node.name == "max":
        return any(isinstance(a, ast.Number) and a.value > 0 for a in node.arguments)
    return False


def _integer_locals(program: ast.Program) -> set[str]:
    """Locals to which nothing but integers is assigned: gen~ may make them a C int."""
    assigned: dict[str, list[ast.Expr | None]] = {}
    for node in ast.walk(program.items):
        if isinstance(node, ast.Assign):
            single = node.value if len(node.targets) == 1 else None
            for name in node.targets:
                assigned.setdefault(name, []).append(single)
        elif isinstance(node, ast.For):
            assigned.setdefault(node.variable, []).extend((node.start, node.step))
        elif isinstance(node, ast.Function):
            for name in node.parameters:
                assigned.setdefault(name, []).append(None)
    integers = {name for name in assigned if name not in program.declarations}
    while True:
        kept = {
            name
            for name in integers
            if all(value is not None and _is_int(value, integers) for value in assigned[name])
        }
        if kept == integers:
            return integers
        integers = kept


def _is_int(node: ast.Expr, integers: set[str]) -> bool:  # noqa: PLR0911 - one per kind of node
    match node:
        case ast.Number():
            return node.is_int
        case ast.Name():
            return node.name in integers
        case ast.Unary():
            return node.operator == "!" or _is_int(node.operand, integers)
        case ast.Binary():
            if node.operator in COMPARISONS or node.operator in LOGIC:
                return True
            both = _is_int(node.left, integers) and _is_int(node.right, integers)
            return both and node.operator in ("+", "-", "*")
        case ast.Conditional():
            return _is_int(node.yes, integers) and _is_int(node.no, integers)
        case ast.Call():
            return node.name in OPERATORS and OPERATORS[node.name].is_int
