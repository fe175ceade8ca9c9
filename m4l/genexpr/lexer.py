"""GenExpr text to tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from m4l.genexpr.errors import GenExprError

TokenKind = Literal["number", "name", "symbol", "end"]

_PATTERN: Final = re.compile(
    r"(?P<space>[ \t\r\n]+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<symbol>\+\+|--|<<|>>|\^\^|&&|\|\||[<>=!]=|[-+*/%]=|/(?!\*)|[-+*%<>=!?:;,(){}])",
    re.DOTALL,
)

_OUTSIDE: Final = {
    "++": "write 'x = x + 1': GenExpr has no ++",
    "--": "write 'x = x - 1', or put a space between the two signs: GenExpr has no --",
    "<<": "bit shifts do not exist in gen~",
    ">>": "bit shifts do not exist in gen~",
    "^^": "write (a != 0) != (b != 0): ^^ is not in the subset",
}


@dataclass(frozen=True, slots=True)
class Token:
    """One word of the source and its place, counted from 1."""

    kind: TokenKind
    text: str
    line: int
    column: int


def tokenize(source: str) -> tuple[Token, ...]:
    """Split GenExpr into tokens; the last one is of kind ``end``.

    Raises
    ------
    GenExprError
        A character, a comment or a sign that is not in the subset.
    """
    tokens: list[Token] = []
    position, line, line_start = 0, 1, 0
    while position < len(source):
        column = position - line_start + 1
        match = _PATTERN.match(source, position)
        if match is None:
            raise _no_token(source, position, line, column)
        text = match.group()
        if match.lastgroup != "space":
            tokens.append(_token(match.lastgroup, text, line, column))
            _refuse_glued_number(source, match.end(), tokens[-1])
        newlines = text.count("\n")
        if newlines:
            line += newlines
            line_start = position + text.rfind("\n") + 1
        position = match.end()
    tokens.append(Token("end", "", line, position - line_start + 1))
    return tuple(tokens)


def _token(kind: str | None, text: str, line: int, column: int) -> Token:
    if kind == "number":
        return Token("number", text, line, column)
    if kind == "name":
        return Token("name", text, line, column)
    if text in _OUTSIDE:
        raise GenExprError(f"'{text}' is not allowed; {_OUTSIDE[text]}", line, column)
    return Token("symbol", text, line, column)


def _refuse_glued_number(source: str, end: int, token: Token) -> None:
    following = source[end : end + 1]
    if token.kind == "number" and (following in {".", "_"} or following.isalnum()):
        raise GenExprError(
            f"'{token.text}{following}...' is not a number", token.line, token.column
        )


def _no_token(source: str, position: int, line: int, column: int) -> GenExprError:
    if source.startswith("/*", position):
        return GenExprError("the comment that starts here is never closed", line, column)
    character = source[position]
    return GenExprError(f"the character {character!r} has no place in GenExpr", line, column)
