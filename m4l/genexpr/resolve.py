"""Names and arities of a program: every name that is read has a value, every operator is known.

A local lives in the block that first assigns it: what a branch alone assigns is not visible after
the branch. (gen~ turns locals into C variables of that block; this rule holds under every reading.)
"""

from __future__ import annotations

import difflib
from typing import Final

from m4l.genexpr.ast import (
    Assign,
    Binary,
    Call,
    Conditional,
    Declaration,
    Effect,
    Expr,
    For,
    Function,
    If,
    Name,
    Number,
    Place,
    Program,
    Statement,
    Unary,
    port,
    walk,
)
from m4l.genexpr.errors import GenExprError
from m4l.genexpr.operators import CONSTANTS, OPERATORS, RESERVED, SAMPLE_RATE, STATEFUL

_DATA_OPERATORS: Final = ("peek", "poke")


def resolve(program: Program) -> None:
    """Check every name, argument count and assignment.

    Raises
    ------
    GenExprError
        Rules R2 (declared twice, or shadows a name of Gen), R5, R9 and R10, or a name without a
        value.
    """
    _check_declared_names(program)
    known: dict[str, Function] = {}
    for item in program.items:
        if isinstance(item, Function):
            _Resolver({}, known).function(item)
            known[item.name] = item
    _Resolver(program.declarations, known).block(program.body, set())


def _fail(at: Place, reason: str, rule: str | None = None) -> GenExprError:
    return GenExprError(reason, at.line, at.column, rule)


def _check_declared_names(program: Program) -> None:
    seen: dict[str, int] = {}
    for item in program.items:
        if not isinstance(item, (Declaration, Function)):
            continue
        _check_new_name(item.name, item.at)
        if item.name in seen:
            raise _fail(item.at, f"'{item.name}' stands already in line {seen[item.name]}", "R2")
        seen[item.name] = item.at.line


def _check_new_name(name: str, at: Place) -> None:
    if name in RESERVED:
        raise _fail(at, f"'{name}' is a name of Gen's own; choose another", "R2")
    if port(name, "in") or port(name, "out"):
        raise _fail(at, f"'{name}' is the name of a port; choose another", "R2")
    if "__" in name:
        raise _fail(at, f"'{name}': names with '__' belong to the code that gen~ generates", "R2")


class _Resolver:
    """One scope of declarations and functions; locals come and go with their blocks."""

    def __init__(self, declared: dict[str, Declaration], functions: dict[str, Function]) -> None:
        self._declared = declared
        self._functions = functions
        self._inside_function = False

    def function(self, function: Function) -> None:
        self._inside_function = True
        visible: set[str] = set()
        for name in function.parameters:
            _check_new_name(name, function.at)
            if name in visible:
                raise _fail(function.at, f"the parameter '{name}' stands twice", "R2")
            visible.add(name)
        self.block(function.body, visible)
        for result in function.results:
            self._expression(result, visible)

    def block(self, statements: tuple[Statement, ...], visible: set[str]) -> None:
        for statement in statements:
            match statement:
                case Assign():
                    self._assign(statement, visible)
                case Effect():
                    self._effect(statement, visible)
                case If():
                    self._expression(statement.test, visible)
                    self.block(statement.then, set(visible))
                    self.block(statement.otherwise, set(visible))
                case For():
                    self._for(statement, visible)

    def _for(self, loop: For, visible: set[str]) -> None:
        if loop.variable in visible or loop.variable in self._declared:
            raise _fail(loop.at, f"the loop's variable '{loop.variable}' is taken already", "R2")
        _check_new_name(loop.variable, loop.at)
        self.block(loop.body, visible | {loop.variable})
        for node in walk(loop.body):
            if isinstance(node, Assign) and loop.variable in node.targets:
                raise _fail(node.at, f"the loop's variable '{loop.variable}' is written", "R7")

    def _assign(self, assign: Assign, visible: set[str]) -> None:
        self._expression(assign.value, visible, results=len(assign.targets))
        if len(set(assign.targets)) < len(assign.targets):
            raise _fail(assign.at, "one name is assigned twice in one statement")
        for name in assign.targets:
            self._target(name, assign.at, visible)

    def _target(self, name: str, at: Place, visible: set[str]) -> None:
        declared = self._declared.get(name)
        if declared is not None:
            if declared.kind != "History":
                raise _fail(at, f"the {declared.kind} '{name}' cannot be assigned", "R10")
        elif port(name, "in"):
            raise _fail(at, f"the input '{name}' cannot be assigned", "R10")
        elif port(name, "out"):
            if self._inside_function:
                raise _fail(at, f"a function cannot write '{name}'")
        elif name not in visible:
            if name in self._functions:
                raise _fail(at, f"'{name}' is a function", "R2")
            _check_new_name(name, at)
            visible.add(name)

    def _effect(self, effect: Effect, visible: set[str]) -> None:
        if effect.call.name != "poke":
            raise _fail(effect.at, f"the value of '{effect.call.name}' is not used")
        self._call(effect.call, visible, is_effect=True)

    def _expression(self, node: Expr, visible: set[str], results: int = 1) -> None:
        match node:
            case Number():
                pass
            case Name():
                self._read(node, visible)
            case Call():
                self._call(node, visible, results=results)
                return
            case Unary():
                self._expression(node.operand, visible)
            case Binary():
                self._expression(node.left, visible)
                self._expression(node.right, visible)
            case Conditional():
                self._expression(node.test, visible)
                self._expression(node.yes, visible)
                self._expression(node.no, visible)
        if results != 1:
            raise _fail(
                node.at, f"{results} names on the left need a function with {results} results"
            )

    def _read(self, node: Name, visible: set[str]) -> None:
        name = node.name
        if name in visible or name in CONSTANTS or name == SAMPLE_RATE:
            return
        declared = self._declared.get(name)
        if declared is not None:
            if declared.kind == "Data":
                raise _fail(node.at, f"read the Data '{name}' with peek({name}, index)")
            return
        if port(name, "in") and not self._inside_function:
            return
        if port(name, "out"):
            raise _fail(node.at, f"'{name}' can only be written", "R11")
        raise _fail(node.at, self._why_unknown(name, visible))

    def _why_unknown(self, name: str, visible: set[str]) -> str:
        if self._inside_function:
            return f"'{name}' has no value here; a function sees its parameters and locals only"
        close = difflib.get_close_matches(name, [*visible, *self._declared], n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        return f"'{name}' has no value on every path to here{hint}"

    def _call(
        self, call: Call, visible: set[str], results: int = 1, *, is_effect: bool = False
    ) -> None:
        arguments = call.arguments
        if call.name in self._functions:
            self._check_function(call, results)
        else:
            self._check_operator(call, results, is_effect=is_effect)
            if call.name in _DATA_OPERATORS:
                self._check_data(call)
                arguments = arguments[1:]
        for argument in arguments:
            self._expression(argument, visible)

    def _check_function(self, call: Call, results: int) -> None:
        function = self._functions[call.name]
        if len(call.arguments) != len(function.parameters):
            raise _arity(call, str(len(function.parameters)))
        if len(function.results) != results:
            raise _fail(
                call.at, f"'{call.name}' has {len(function.results)} results, {results} are taken"
            )

    def _check_operator(self, call: Call, results: int, *, is_effect: bool) -> None:
        name = call.name
        if name in STATEFUL:
            raise _fail(call.at, f"'{name}' keeps state of its own; use a History", "R5")
        if name not in OPERATORS:
            close = difflib.get_close_matches(name, [*OPERATORS, *self._functions], n=1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise _fail(call.at, f"unknown operator '{name}'{hint}", "R9")
        operator = OPERATORS[name]
        if not operator.least <= len(call.arguments) <= operator.most:
            count = str(operator.least)
            if operator.most > operator.least:
                count += f" to {operator.most}"
            raise _arity(call, count)
        if results != 1:
            raise _fail(call.at, f"'{name}' has one result, {results} are taken", "R9")
        if name == "poke" and not is_effect:
            raise _fail(call.at, "'poke' has no value; let it stand alone")

    def _check_data(self, call: Call) -> None:
        first = call.arguments[0]
        declared = self._declared.get(first.name) if isinstance(first, Name) else None
        if declared is None or declared.kind != "Data":
            raise _fail(first.at, f"the first argument of '{call.name}' has to be a Data", "R9")


def _arity(call: Call, count: str) -> GenExprError:
    return _fail(call.at, f"'{call.name}' takes {count} arguments, not {len(call.arguments)}", "R9")
