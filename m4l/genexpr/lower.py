"""A checked tree to flat code that the back ends print: functions inlined, names resolved.

The arithmetic is that of the C++ which gen~ exports: all values are doubles; comparison and logic
give 0 or 1; a literal is printed with 14 significant digits; division by a literal is
multiplication by its reciprocal, printed likewise; division by a variable that is 0 gives 0.

History has two readings. In exported code a codebox updates it at once; a patcher's ``history``
object updates at the end of the sample. The back ends run either; code that passes the lint gives
the same frames under both.
"""

from __future__ import annotations

from typing import Final

from m4l.genexpr import ast
from m4l.genexpr.ir import (
    Action,
    Branch,
    Code,
    Const,
    DataSlot,
    HistoryRead,
    Input,
    Local,
    Loop,
    Op,
    ParamRead,
    Peek,
    Poke,
    Rate,
    SetHistory,
    SetLocal,
    SetOutput,
    Value,
)
from m4l.genexpr.operators import CONSTANTS, SAMPLE_RATE

LITERAL_DIGITS: Final = 14
"""Significant digits with which gen~ prints a literal into the C++ that it compiles."""

_ALIASES: Final = {"not": "!", "ln": "log"}


def lower(program: ast.Program, literal_digits: int | None = LITERAL_DIGITS) -> Code:
    """Flatten a program that ``parse`` has checked.

    Parameters
    ----------
    program : Program
        From ``parse``.
    literal_digits : int or None
        Significant digits that literals keep; None keeps them all.
    """
    return _Lowering(program, literal_digits).code()


class _Lowering:
    def __init__(self, program: ast.Program, literal_digits: int | None) -> None:
        self._program = program
        self._digits = literal_digits
        self._functions = program.functions
        declared = program.declarations.values()
        self._histories = [d for d in declared if d.kind == "History"]
        self._params = [d for d in declared if d.kind == "Param"]
        self._history_index = {d.name: i for i, d in enumerate(self._histories)}
        self._param_index = {d.name: i for i, d in enumerate(self._params)}
        self._data = _data_slots([d for d in declared if d.kind == "Data"])
        self._data_index = {slot.name: i for i, slot in enumerate(self._data)}
        self._temporaries = 0
        self._frame: dict[str, str] | None = None
        self._actions: list[Action] = []

    def code(self) -> Code:
        program = self._program
        return Code(
            inputs=program.inputs,
            outputs=program.outputs,
            histories=tuple((d.name, _initial(d)) for d in self._histories),
            params=tuple((d.name, _initial(d)) for d in self._params),
            data=self._data,
            body=self._block(program.body),
        )

    # ---- statements

    def _block(self, statements: tuple[ast.Statement, ...]) -> tuple[Action, ...]:
        outer, self._actions = self._actions, []
        for statement in statements:
            self._statement(statement)
        inner, self._actions = self._actions, outer
        return tuple(inner)

    def _statement(self, statement: ast.Statement) -> None:
        match statement:
            case ast.Assign(targets=(target,)):
                value = self._value(statement.value)
                self._actions.append(self._store(target, value))
            case ast.Assign():
                self._assign_several(statement)
            case ast.Effect():
                self._poke(statement.call)
            case ast.If():
                test = self._value(statement.test)
                then = self._block(statement.then)
                otherwise = self._block(statement.otherwise)
                self._actions.append(Branch(test, then, otherwise, statement.at.line))
            case ast.For():
                body = self._block(statement.body)
                self._actions.append(
                    Loop(
                        self._local(statement.variable),
                        statement.start.value,
                        self._literal(statement.step.value),
                        statement.turns,
                        body,
                    )
                )

    def _assign_several(self, assign: ast.Assign) -> None:
        if not isinstance(assign.value, ast.Call):
            raise TypeError("several targets without a call: the program was not checked by parse")
        held = [self._hold(value) for value in self._inline(assign.value)]
        for target, value in zip(assign.targets, held, strict=True):
            self._actions.append(self._store(target, value))

    def _store(self, target: str, value: Value) -> Action:
        if target in self._history_index:
            return SetHistory(self._history_index[target], value)
        if ast.port(target, "out"):
            return SetOutput(ast.port(target, "out") - 1, value)
        return SetLocal(self._local(target), value)

    def _poke(self, call: ast.Call) -> None:
        slot, value, index, channel = self._data_call(call, 3)
        self._actions.append(Poke(slot, value, index, channel))

    def _data_call(self, call: ast.Call, least: int) -> tuple[int, Value, Value, Value]:
        rest = [self._value(argument) for argument in call.arguments[1:]]
        if len(call.arguments) == least:
            rest.append(Const(0.0))
        value = rest[0] if least == 3 else Const(0.0)
        return self._data_index[ast.data_name(call)], value, rest[-2], rest[-1]

    # ---- values

    def _value(self, node: ast.Expr) -> Value:
        match node:
            case ast.Number():
                return Const(self._literal(node.value))
            case ast.Name():
                return self._read(node.name)
            case ast.Unary():
                return _negate(node.operator, self._value(node.operand))
            case ast.Binary():
                return self._binary(node)
            case ast.Conditional():
                parts = (node.test, node.yes, node.no)
                return Op("?", tuple(self._value(part) for part in parts))
            case ast.Call():
                return self._call(node)

    def _binary(self, node: ast.Binary) -> Value:
        left, right = self._value(node.left), self._value(node.right)
        if node.operator == "/" and isinstance(right, Const):
            inverse = 1.0 / right.value if right.value else 0.0
            return Op("*", (left, Const(self._literal(inverse))))
        return Op(node.operator, (left, right))

    def _call(self, call: ast.Call) -> Value:
        if call.name in self._functions:
            return self._inline(call)[0]
        if call.name == "peek":
            slot, _, index, channel = self._data_call(call, 2)
            return Peek(slot, index, channel)
        operands = tuple(self._value(argument) for argument in call.arguments)
        return Op(_ALIASES.get(call.name, call.name), operands)

    def _read(self, name: str) -> Value:
        if name in self._history_index and self._frame is None:
            return HistoryRead(self._history_index[name])
        if name in self._param_index and self._frame is None:
            return ParamRead(self._param_index[name])
        if name == SAMPLE_RATE:
            return Rate()
        if name in CONSTANTS:
            return Const(self._literal(CONSTANTS[name]))
        if ast.port(name, "in") and self._frame is None:
            return Input(ast.port(name, "in") - 1)
        return Local(self._local(name))

    def _literal(self, value: float) -> float:
        if self._digits is None or value == int(value):
            return value
        return float(f"{value:.{self._digits}g}")

    # ---- functions

    def _inline(self, call: ast.Call) -> tuple[Value, ...]:
        function = self._functions[call.name]
        held = [self._hold(self._value(argument)) for argument in call.arguments]
        outer, self._frame = self._frame, {}
        for parameter, value in zip(function.parameters, held, strict=True):
            self._actions.append(SetLocal(self._local(parameter), value))
        for statement in function.body:
            self._statement(statement)
        results = tuple(self._value(result) for result in function.results)
        held_results = tuple(self._hold(result) for result in results)
        self._frame = outer
        return held_results

    def _local(self, name: str) -> str:
        if self._frame is None:
            return name
        if name not in self._frame:
            self._temporaries += 1
            self._frame[name] = f"{name}__{self._temporaries}"
        return self._frame[name]

    def _hold(self, value: Value) -> Value:
        """Keep a value in a local, so that a later write cannot change it."""
        if isinstance(value, (Const, Input, ParamRead, Rate)):
            return value
        self._temporaries += 1
        name = f"held__{self._temporaries}"
        self._actions.append(SetLocal(name, value))
        return Local(name)


def _negate(operator: str, operand: Value) -> Value:
    if operator == "-" and isinstance(operand, Const):
        return Const(-operand.value)
    return Op("neg" if operator == "-" else "!", (operand,))


def _initial(declaration: ast.Declaration) -> float:
    return declaration.arguments[0] if declaration.arguments else 0.0


def _data_slots(declarations: list[ast.Declaration]) -> tuple[DataSlot, ...]:
    slots, offset = [], 0
    for declaration in declarations:
        length = int(declaration.arguments[0])
        channels = int(declaration.arguments[1]) if len(declaration.arguments) > 1 else 1
        slots.append(DataSlot(declaration.name, offset, length, channels))
        offset += length * channels
    return tuple(slots)
