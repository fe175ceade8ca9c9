"""The rules R1 to R14 that make a codebox safe to ship without having heard it in Max.

They rest on how gen~ turns code into C++ (exported code in public repositories), on reports of
codeboxes that stayed silent, and on two open readings of History and Data: code that keeps R4, R6
and R11 gives the same frames under both. R2, R3, R5, R7 to R10 are partly enforced by ``parse``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from m4l.genexpr import ast
from m4l.genexpr.errors import GenExprError
from m4l.genexpr.lint_flow import flow_findings
from m4l.genexpr.lint_numbers import number_findings
from m4l.genexpr.parser import parse

MAX_BYTES: Final = 60_000

RULES: Final[dict[str, str]] = {
    "R1": "functions, then declarations, then statements",
    "R2": "one declaration per line, with a name that is new and not Gen's own",
    "R3": "every statement ends in ';', one per line; a ternary stands on one line",
    "R4": "a History is read before it is written, and written at most once per path",
    "R5": "no operator with a state of its own",
    "R6": "a Data is peeked before it is poked within a sample",
    "R7": "loops only inside an if, with literal bounds",
    "R8": "no division of two integers",
    "R9": "only operators of the table, with the right number of arguments",
    "R10": "no write to a Param, an input or a Data's name",
    "R11": "every outK is assigned once, at the end, from a History",
    "R12": "what depends on samplerate is cached; nothing costly runs for every sample",
    "R13": "arguments of log and sqrt are kept positive with max(x, literal)",
    "R14": f"ASCII, line feeds only, below {MAX_BYTES} bytes",
}


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One breach of a rule; ``rule`` is ``"syntax"`` when the source does not parse."""

    line: int
    column: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.rule}: {self.message}"


def lint(source: str) -> tuple[Finding, ...]:
    """Check a codebox against all rules; an empty result means that it passes.

    A source that does not parse gives the one finding that stops it.
    """
    findings = list(_bytes(source))
    try:
        program = parse(source)
    except GenExprError as error:
        rule = error.rule or "syntax"
        return (*findings, Finding(error.line, error.column, rule, error.reason))
    for rule, at, message in (
        *_order(program),
        *_lines(program),
        *flow_findings(program),
        *number_findings(program),
        *_outputs(program),
    ):
        findings.append(Finding(at.line, at.column, rule, message))
    return tuple(sorted(set(findings)))


Raw = tuple[str, ast.Place, str]
"""A finding before it is put together: rule, place, message."""


def _bytes(source: str) -> Iterator[Finding]:
    for number, line in enumerate(source.split("\n"), 1):
        for column, character in enumerate(line, 1):
            if character == "\r" or not character.isascii():
                yield Finding(number, column, "R14", f"the character {character!r} is not allowed")
                break
    size = len(source.encode())
    if size >= MAX_BYTES:
        yield Finding(1, 1, "R14", f"{size} bytes; the limit is {MAX_BYTES}")


def _order(program: ast.Program) -> Iterator[Raw]:
    ranks = {ast.Function: (0, "function"), ast.Declaration: (1, "declaration")}
    highest, last = 0, "function"
    for item in program.items:
        rank, kind = ranks.get(type(item), (2, "statement"))
        if rank < highest:
            yield "R1", item.at, f"this {kind} follows a {last}"
        highest, last = max((highest, last), (rank, kind))


def _lines(program: ast.Program) -> Iterator[Raw]:
    used: dict[int, str] = {}
    for node in ast.walk(program.items):
        match node:
            case ast.Declaration() | ast.Assign() | ast.Effect():
                is_declaration = isinstance(node, ast.Declaration)
                if node.at.line in used:
                    rule = "R2" if is_declaration else "R3"
                    yield rule, node.at, f"the line holds a {used[node.at.line]} already"
                used[node.at.line] = "declaration" if is_declaration else "statement"
            case ast.Conditional():
                if len({below.at.line for below in ast.walk((node,))}) > 1:
                    yield "R3", node.at, "the ternary is broken across lines"
            case _:
                pass


def _outputs(program: ast.Program) -> Iterator[Raw]:
    body = program.body
    declared = program.declarations
    outputs = [statement for statement in body if _is_output(statement)]
    if not outputs:
        yield "R11", ast.Place(1, 1), "nothing is assigned to an outK at the top level"
    if outputs and body[len(body) - len(outputs) :] != tuple(outputs):
        yield "R11", outputs[0].at, "other statements follow the first output"
    targets = Counter(
        name
        for node in ast.walk(body)
        if isinstance(node, ast.Assign)
        for name in node.targets
        if ast.port(name, "out")
    )
    top = Counter(name for statement in outputs for name in _targets(statement))
    for statement in outputs:
        for name in _targets(statement):
            if targets[name] > 1:
                yield "R11", statement.at, f"'{name}' is assigned {targets[name]} times"
        value = statement.value if isinstance(statement, ast.Assign) else None
        source = declared.get(value.name) if isinstance(value, ast.Name) else None
        if source is None or source.kind != "History":
            yield "R11", statement.at, "an output takes its value straight from a History"
    for number in range(1, program.outputs + 1):
        if not top[f"out{number}"]:
            at = outputs[0].at if outputs else ast.Place(1, 1)
            yield "R11", at, f"'out{number}' is not assigned at the top level"


def _is_output(statement: ast.Statement) -> bool:
    return any(ast.port(name, "out") for name in _targets(statement))


def _targets(statement: ast.Statement) -> tuple[str, ...]:
    return statement.targets if isinstance(statement, ast.Assign) else ()
