"""GenExpr text to a checked tree.

The subset: functions with one ``return`` at their end; ``History``, ``Data`` and ``Param``, one per
line; assignment (also ``a, b = f(x)`` and ``+= -= *= /= %=``), ``poke``, ``if`` / ``else if`` /
``else`` with braces, ``for`` with literal bounds; the operators of ``operators``. Grammar: the Gen
documentation of Cycling '74 (GenExpr) and the grammar published by Gen's author.
"""

from __future__ import annotations

import math
from typing import Final, Literal, cast

from m4l.genexpr.ast import (
    MAX_TURNS,
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
    Item,
    Name,
    Number,
    Place,
    Program,
    Statement,
    Unary,
)
from m4l.genexpr.errors import GenExprError
from m4l.genexpr.lexer import Token, tokenize
from m4l.genexpr.operators import PRECEDENCE
from m4l.genexpr.resolve import resolve

_MAX_DEPTH: Final = 60
_MAX_DATA: Final = 1 << 22
_ASSIGNMENTS: Final = ("=", "+=", "-=", "*=", "/=", "%=")
_DECLARATIONS: Final = ("History", "Data", "Param")
_OUTSIDE: Final = {
    "while": ("R7", "'while' has no constant bound; use 'for' with literal bounds"),
    "do": ("R7", "'do' has no constant bound; use 'for' with literal bounds"),
    "break": ("R7", "'break' is not in the subset; a loop runs all its turns"),
    "continue": ("R7", "'continue' is not in the subset; put the rest of the body into an 'if'"),
    "require": (None, "'require' needs a second file; put the code into this one"),
    "Buffer": (None, "'Buffer' is not in the subset; send values through outlets to poke~"),
    "Delay": ("R5", "'Delay' is not in the subset; use Data with peek and poke"),
}


def parse(source: str) -> Program:
    """Read a codebox and check names, arities and the subset.

    Raises
    ------
    GenExprError
        With line, column and, where a lint rule forbids it, the rule's number. The rules that
        concern style and order of execution are left to ``lint``.
    """
    program = Program(_Parser(source).items())
    resolve(program)
    return program


class _Parser:
    """Recursive descent over the tokens of one source."""

    def __init__(self, source: str) -> None:
        self._tokens = tokenize(source)
        self._next = 0
        self._depth = 0

    def items(self) -> tuple[Item, ...]:
        found: list[Item] = []
        while self._peek().kind != "end":
            if self._peek().text in _DECLARATIONS:
                found.append(self._declaration())
            elif self._at_function():
                found.append(self._function())
            else:
                found.append(self._statement())
        return tuple(found)

    # ---- tokens

    def _peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._peek()
        self._next += 1
        return token

    def _is(self, text: str) -> bool:
        return self._peek().text == text

    def _take_if(self, text: str) -> bool:
        if self._is(text):
            self._next += 1
            return True
        return False

    def _error(
        self, reason: str, token: Token | None = None, rule: str | None = None
    ) -> GenExprError:
        token = token or self._peek()
        return GenExprError(reason, token.line, token.column, rule)

    def _expect(self, text: str, why: str) -> Token:
        if not self._is(text):
            found = self._peek().text or "the end"
            raise self._error(f"expected '{text}' {why}, found '{found}'")
        return self._take()

    def _semicolon(self) -> None:
        if not self._take_if(";"):
            last = self._tokens[self._next - 1]
            column = last.column + len(last.text)
            raise GenExprError(
                "a ';' is missing at the end of the statement", last.line, column, "R3"
            )

    def _name(self, what: str) -> Token:
        if self._peek().kind != "name":
            raise self._error(f"expected {what}, found '{self._peek().text or 'the end'}'")
        return self._take()

    # ---- declarations and functions

    def _declaration(self) -> Declaration:
        kind = self._take()
        name = self._name(f"a name after '{kind.text}'")
        arguments: tuple[float, ...] = ()
        if self._take_if("("):
            arguments = tuple(self._literals())
        if self._is(","):
            raise self._error("declare one name per statement", rule="R2")
        self._semicolon()
        typed = cast(Literal["History", "Data", "Param"], kind.text)
        self._check_arguments(typed, name, arguments)
        return Declaration(typed, name.text, arguments, _place(kind))

    def _check_arguments(self, kind: str, name: Token, arguments: tuple[float, ...]) -> None:
        if kind == "Data":
            whole = all(value >= 1 and value == int(value) for value in arguments)
            if not 1 <= len(arguments) <= 2 or not whole:
                raise self._error("write Data name(length) or Data name(length, channels)", name)
            if math.prod(arguments) > _MAX_DATA:
                raise self._error(f"a Data of more than {_MAX_DATA} values", name)
        elif len(arguments) > 1:
            raise self._error(f"a {kind} takes one initial value", name)

    def _literals(self) -> list[float]:
        values: list[float] = []
        while not self._take_if(")"):
            if values:
                self._expect(",", "between two values")
            values.append(self._literal("a declaration").value)
        return values

    def _literal(self, where: str) -> Number:
        negative = self._is("-")
        start = self._take() if negative else self._peek()
        token = self._peek()
        if token.kind != "number":
            raise self._error(
                f"{where} takes literal numbers only, found '{token.text or 'the end'}'"
            )
        number = _number(self._take())
        value = -number.value if negative else number.value
        return Number(value, number.is_int, _place(start))

    def _at_function(self) -> bool:
        if self._peek().kind != "name" or self._peek(1).text != "(":
            return False
        level, ahead = 1, 2
        while level and self._peek(ahead).kind != "end":
            level += {"(": 1, ")": -1}.get(self._peek(ahead).text, 0)
            ahead += 1
        return self._peek(ahead).text == "{" and self._peek().text not in ("if", "for", "while")

    def _function(self) -> Function:
        name = self._take()
        self._take()
        parameters: list[str] = []
        while not self._take_if(")"):
            if parameters:
                self._expect(",", "between two parameters")
            parameters.append(self._name("a parameter").text)
        self._expect("{", "before the function's body")
        body: list[Statement] = []
        while not self._is("return"):
            if self._is("}") or self._peek().kind == "end":
                raise self._error(f"the function '{name.text}' does not end with 'return'")
            body.append(self._statement())
        self._take()
        results = [self._expression()]
        while self._take_if(","):
            results.append(self._expression())
        self._semicolon()
        self._expect("}", "after 'return': it has to be the function's last statement")
        return Function(name.text, tuple(parameters), tuple(body), tuple(results), _place(name))

    # ---- statements

    def _block(self, what: str) -> tuple[Statement, ...]:
        self._expect("{", f"before the body of '{what}'")
        self._deeper()
        statements: list[Statement] = []
        while not self._take_if("}"):
            if self._peek().kind == "end":
                raise self._error(f"the body of '{what}' is not closed with '}}'")
            statements.append(self._statement())
        self._depth -= 1
        return tuple(statements)

    def _statement(self) -> Statement:
        token = self._peek()
        if token.text in _OUTSIDE:
            rule, reason = _OUTSIDE[token.text]
            raise self._error(reason, rule=rule)
        if token.text in _DECLARATIONS:
            raise self._error(
                "declarations stand at the top, outside blocks and functions", rule="R1"
            )
        if token.text == "return":
            raise self._error("'return' may only end a function")
        if token.text == "if":
            return self._if()
        if token.text == "for":
            return self._for()
        if token.kind != "name":
            raise self._error(f"expected a statement, found '{token.text}'")
        if self._peek(1).text == "(":
            return self._effect()
        return self._assign()

    def _effect(self) -> Effect:
        token = self._peek()
        call = self._call()
        self._semicolon()
        return Effect(call, _place(token))

    def _assign(self) -> Assign:
        first = self._take()
        targets = [first.text]
        while self._take_if(","):
            targets.append(self._name("a name to assign to").text)
        sign = self._take()
        if sign.text not in _ASSIGNMENTS:
            raise self._error(
                f"expected '=' after '{targets[-1]}', found '{sign.text or 'the end'}'", sign
            )
        value = self._expression()
        if len(sign.text) == 2:
            if len(targets) > 1:
                raise self._error(f"'{sign.text}' takes one name on its left", sign)
            value = Binary(sign.text[0], Name(first.text, _place(first)), value, _place(sign))
        if self._is(","):
            raise self._error("assign one value per statement, or several from one function call")
        self._semicolon()
        return Assign(tuple(targets), value, _place(first))

    def _if(self) -> If:
        token = self._take()
        self._expect("(", "after 'if'")
        test = self._expression()
        if self._is("="):
            raise self._error("'=' assigns; write '==' to compare")
        self._expect(")", "after the condition")
        then = self._block("if")
        otherwise: tuple[Statement, ...] = ()
        if self._take_if("else"):
            self._deeper()
            otherwise = (self._if(),) if self._is("if") else self._block("else")
            self._depth -= 1
        return If(test, then, otherwise, _place(token))

    def _for(self) -> For:
        token = self._take()
        self._expect("(", "after 'for'")
        variable = self._name("the loop's variable")
        self._expect("=", "after the loop's variable")
        start = self._literal("a loop's start")
        self._semicolon()
        self._same(variable)
        sign = self._take()
        if sign.text not in ("<", "<="):
            raise self._error("a loop's condition is 'variable < literal' or '<='", sign, "R7")
        limit = self._literal("a loop's limit")
        self._semicolon()
        step = self._step(variable)
        self._expect(")", "after the loop's step")
        loop = For(
            variable.text, start, limit, sign.text == "<=", step, self._block("for"), _place(token)
        )
        if loop.turns > MAX_TURNS:
            raise self._error(f"more than {MAX_TURNS} turns stop gen~ for good", token, "R7")
        return loop

    def _step(self, variable: Token) -> Number:
        self._same(variable)
        sign = self._take()
        if sign.text == "=":
            self._same(variable)
            sign = self._expect("+", "in the loop's step")
        elif sign.text != "+=":
            raise self._error("a loop's step is 'variable += literal'", sign, "R7")
        step = self._literal("a loop's step")
        if not step.value > 0:
            raise self._error("a loop's step has to be positive", sign, "R7")
        return step

    def _same(self, variable: Token) -> None:
        token = self._take()
        if token.text != variable.text:
            raise self._error(
                f"this loop runs over '{variable.text}', found '{token.text}'", token, "R7"
            )

    # ---- expressions

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error(f"nested deeper than {_MAX_DEPTH} levels")

    def _expression(self) -> Expr:
        self._deeper()
        value = self._binary(1)
        if self._is("?"):
            mark = self._take()
            yes = self._expression()
            self._expect(":", "between the two values of '?'")
            value = Conditional(value, yes, self._expression(), _place(mark))
        self._depth -= 1
        return value

    def _binary(self, least: int) -> Expr:
        left = self._unary()
        while PRECEDENCE.get(self._peek().text, 0) >= least:
            sign = self._take()
            right = self._binary(PRECEDENCE[sign.text] + 1)
            left = Binary(sign.text, left, right, _place(sign))
        return left

    def _unary(self) -> Expr:
        token = self._peek()
        if token.text in ("-", "!"):
            self._take()
            self._deeper()
            operand = self._unary()
            self._depth -= 1
            return Unary(token.text, operand, _place(token))
        return self._primary()

    def _primary(self) -> Expr:
        token = self._peek()
        if token.kind == "number":
            return _number(self._take())
        if token.kind == "name":
            if self._peek(1).text == "(":
                return self._call()
            self._take()
            return Name(token.text, _place(token))
        if self._take_if("("):
            value = self._expression()
            self._expect(")", f"to close the '(' of line {token.line}")
            return value
        raise self._error(f"expected a value, found '{token.text or 'the end'}'")

    def _call(self) -> Call:
        token = self._take()
        self._take()
        arguments: list[Expr] = []
        while not self._take_if(")"):
            if arguments:
                self._expect(",", f"between two arguments of '{token.text}'")
            arguments.append(self._expression())
            if self._is("="):
                raise self._error("named attributes are not in the subset")
        return Call(token.text, tuple(arguments), _place(token))


def _place(token: Token) -> Place:
    return Place(token.line, token.column)


def _number(token: Token) -> Number:
    is_int = token.text.isdecimal()
    value = float(token.text)
    if is_int and value >= 2**31:
        raise GenExprError(
            f"{token.text} does not fit into a C int; write {token.text}.0",
            token.line,
            token.column,
            "R8",
        )
    if value == float("inf"):
        raise GenExprError(f"{token.text} is too large", token.line, token.column)
    return Number(value, is_int, _place(token))
