"""Rules about running order: R4 and R6 (old before new), R7 and R12 (what is rare)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from m4l.genexpr import ast
from m4l.genexpr.operators import OPERATORS, SAMPLE_RATE

_RATE_OPERATORS: Final = ("mstosamps", "sampstoms")
Raw = tuple[str, ast.Place, str]


def flow_findings(program: ast.Program) -> Iterator[Raw]:
    """Findings of R4, R6, R7 and R12."""
    flow = _Flow(program)
    flow.block(program.body)
    yield from flow.found
    for function in program.functions.values():
        for node in ast.walk(function.body):
            if isinstance(node, ast.For):
                yield "R7", node.at, "a loop inside a function may run for every sample"
    yield from _rarely(program.body, _costly_names(program))


class _Flow:
    """Walks the body in running order and keeps what may have been written before."""

    def __init__(self, program: ast.Program) -> None:
        self.found: list[Raw] = []
        self._kinds = {d.name: d.kind for d in program.declarations.values()}
        self._written: set[str] = set()
        self._poked: set[str] = set()
        self._loops = 0
        self._branches = 0

    def block(self, statements: tuple[ast.Statement, ...]) -> None:
        for statement in statements:
            match statement:
                case ast.Assign():
                    self._assign(statement)
                case ast.Effect():
                    self._reads(statement.call.arguments[1:])
                    self._poked.add(ast.data_name(statement.call))
                case ast.If():
                    self._branch(statement)
                case ast.For():
                    self._loop(statement)

    def _assign(self, assign: ast.Assign) -> None:
        is_output = any(ast.port(name, "out") for name in assign.targets)
        if not (is_output and isinstance(assign.value, ast.Name)):
            self._reads((assign.value,))
        for name in assign.targets:
            if self._kinds.get(name) != "History":
                continue
            if name in self._written:
                self._add("R4", assign.at, f"'{name}' may be written already on this path")
            elif self._loops:
                self._add("R4", assign.at, f"'{name}' is written in a loop, once per turn")
            self._written.add(name)

    def _branch(self, branch: ast.If) -> None:
        self._reads((branch.test,))
        written, poked = set(self._written), set(self._poked)
        self._branches += 1
        self.block(branch.then)
        after_then = self._written, self._poked
        self._written, self._poked = written, poked
        self.block(branch.otherwise)
        self._branches -= 1
        self._written |= after_then[0]
        self._poked |= after_then[1]

    def _loop(self, loop: ast.For) -> None:
        if not self._branches:
            self._add("R7", loop.at, "a loop outside an 'if' runs for every sample")
        self._loops += 1
        self.block(loop.body)
        self._reads_again(loop.body)
        self._loops -= 1

    def _reads_again(self, statements: tuple[ast.Statement, ...]) -> None:
        """The second turn reads what the first one wrote."""
        for node in ast.walk(statements):
            if isinstance(node, (ast.Name, ast.Call)):
                self._read(node)

    def _reads(self, nodes: tuple[ast.Expr, ...]) -> None:
        for node in ast.walk(nodes):
            if isinstance(node, (ast.Name, ast.Call)):
                self._read(node)

    def _read(self, node: ast.Name | ast.Call) -> None:
        if isinstance(node, ast.Name):
            if node.name in self._written:
                self._add("R4", node.at, f"'{node.name}' is read after it may have been written")
        elif node.name == "peek" and ast.data_name(node) in self._poked:
            name = ast.data_name(node)
            self._add("R6", node.at, f"'{name}' is peeked after it may have been poked")

    def _add(self, rule: str, at: ast.Place, message: str) -> None:
        self.found.append((rule, at, message))


def _costly_names(program: ast.Program) -> dict[str, str]:
    """Calls that may not run for every sample, and why."""
    costly = {name: "is costly" for name, o in OPERATORS.items() if o.cost == "function"}
    costly |= dict.fromkeys(_RATE_OPERATORS, "depends on samplerate")
    for function in program.functions.values():
        for node in ast.walk((function,)):
            if isinstance(node, ast.Call) and node.name in costly:
                costly[function.name] = f"calls '{node.name}'"
            elif isinstance(node, ast.Name) and node.name == SAMPLE_RATE:
                costly[function.name] = "depends on samplerate"
    return costly


def _rarely(statements: tuple[ast.Statement, ...], costly: dict[str, str]) -> Iterator[Raw]:
    """R12: outside every ``if``, ``samplerate`` may only be compared with its cached value."""
    for statement in statements:
        if isinstance(statement, ast.If):
            cached = _compared_with_rate(statement.test)
            if cached is None:
                yield from _each_sample((statement.test,), costly)
            elif not any(_keeps_rate(inner, cached) for inner in statement.then):
                yield "R12", statement.at, f"the branch does not set '{cached} = samplerate'"
        elif isinstance(statement, ast.For):
            yield from _rarely(statement.body, costly)
        else:
            yield from _each_sample(ast.children(statement), costly)


def _each_sample(nodes: tuple[ast.Node, ...], costly: dict[str, str]) -> Iterator[Raw]:
    for node in ast.walk(nodes):
        if isinstance(node, ast.Name) and node.name == SAMPLE_RATE:
            yield "R12", node.at, "samplerate is used for every sample; cache what depends on it"
        elif isinstance(node, ast.Call) and node.name in costly:
            reason = costly[node.name]
            yield "R12", node.at, f"'{node.name}' {reason} and runs for every sample"


def _compared_with_rate(test: ast.Expr) -> str | None:
    if not isinstance(test, ast.Binary) or test.operator != "!=":
        return None
    sides = [side.name for side in (test.left, test.right) if isinstance(side, ast.Name)]
    others = [name for name in sides if name != SAMPLE_RATE]
    return others[0] if len(sides) == 2 and len(others) == 1 else None


def _keeps_rate(statement: ast.Statement, cached: str) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and statement.targets == (cached,)
        and isinstance(statement.value, ast.Name)
        and statement.value.name == SAMPLE_RATE
    )
