"""Counts what a codebox does for each sample, by kind of work."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from m4l.genexpr import ir
from m4l.genexpr.ast import Program
from m4l.genexpr.lower import lower
from m4l.genexpr.operators import OPERATORS, SIGN_COSTS

Counts = Counter[str]


@dataclass(frozen=True, slots=True)
class BranchCount:
    """Work of one ``if``: of its dearer side, with everything inside."""

    line: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class Operations:
    """Work per sample, as counts by kind.

    Attributes
    ----------
    always : Counter
        What every sample costs: all that stands outside any ``if``.
    worst : Counter
        A sample on which every ``if`` takes its dearer side, loops with all their turns.
    branches : tuple of BranchCount
        Every ``if`` that stands outside others, so that its cost can be spread over how often it
        is taken.
    """

    always: Counts
    worst: Counts
    branches: tuple[BranchCount, ...]


def count(program: Program) -> Operations:
    """Count the operations of a program; functions count where they are called.

    Kinds are add, multiply, divide, compare, select, round, function, peek, poke, history_read and
    history_write. Division by a literal counts as multiplication, which gen~ makes of it.
    """
    body = lower(program).body
    always, worst, branches = Counts(), Counts(), []
    for action in body:
        worst += _work(action)
        if isinstance(action, ir.Branch):
            always += _of_value(action.test)
            dearer = _work(action)
            dearer.subtract(_of_value(action.test))
            branches.append(BranchCount(action.line, +dearer))
        else:
            always += _work(action)
    return Operations(always, worst, tuple(branches))


def _work(action: ir.Action) -> Counts:
    match action:
        case ir.SetLocal() | ir.SetOutput():
            return _of_value(action.value)
        case ir.SetHistory():
            return _of_value(action.value) + Counts(history_write=1)
        case ir.Poke():
            parts = (action.value, action.index, action.channel)
            return sum((_of_value(part) for part in parts), Counts(poke=1))
        case ir.Branch():
            sides = (_of_block(action.then), _of_block(action.otherwise))
            return _of_value(action.test) + max(sides, key=Counter.total)
        case ir.Loop():
            turn = _of_block(action.body) + Counts(add=1, compare=1)
            return Counts({kind: number * action.turns for kind, number in turn.items()})


def _of_block(actions: tuple[ir.Action, ...]) -> Counts:
    return sum((_work(action) for action in actions), Counts())


def _of_value(value: ir.Value) -> Counts:
    match value:
        case ir.HistoryRead():
            return Counts(history_read=1)
        case ir.Peek():
            return _of_value(value.index) + _of_value(value.channel) + Counts(peek=1)
        case ir.Op():
            own = Counts({_kind(value.name): 1})
            return sum((_of_value(operand) for operand in value.operands), own)
        case _:
            return Counts()


def _kind(name: str) -> str:
    if name in SIGN_COSTS:
        return SIGN_COSTS[name]
    own = {"?": "select", "neg": "add", "!": "compare"}
    return own[name] if name in own else OPERATORS[name].cost
