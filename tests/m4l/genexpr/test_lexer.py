"""Text to tokens, with places."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from m4l.genexpr.errors import GenExprError
from m4l.genexpr.lexer import tokenize


def test_splits_words_numbers_and_signs() -> None:
    tokens = tokenize("a_1 = .5e-3*in1 <= 12.; // note\n/* two\nlines */ b")
    assert [token.text for token in tokens] == [
        *("a_1", "=", ".5e-3", "*", "in1", "<=", "12.", ";", "b", "")
    ]
    assert [token.kind for token in tokens[:3]] == ["name", "symbol", "number"]
    assert (tokens[-2].line, tokens[-2].column) == (3, 10)
    assert tokens[-1].kind == "end"


@pytest.mark.parametrize(
    ("source", "line", "column", "part"),
    [
        ("a = 1;\n  b++;", 2, 4, "no ++"),
        ("x--;", 1, 2, "no --"),
        ("a = 2 << 3;", 1, 7, "bit shifts"),
        ("a = 1 ^^ 0;", 1, 7, "not in the subset"),
        ("a = #;", 1, 5, "'#'"),
        ("a = 1; /* open", 1, 8, "never closed"),
        ("a = 1.2.3;", 1, 5, "not a number"),
        ("a = 2x;", 1, 5, "not a number"),
        ("a = é;", 1, 5, "'é'"),
    ],
)
def test_errors_say_where_and_what(source: str, line: int, column: int, part: str) -> None:
    with pytest.raises(GenExprError, match=part) as caught:
        tokenize(source)
    assert (caught.value.line, caught.value.column) == (line, column)


@settings(deadline=None)
@given(st.text(alphabet='ab1.;=+-*/<>!&|(){}?:, \n\t/*e_%é"', max_size=40))
def test_any_text_gives_tokens_or_the_own_error(text: str) -> None:
    try:
        tokens = tokenize(text)
    except GenExprError:
        return
    lines = text.split("\n")
    for token in tokens[:-1]:
        assert lines[token.line - 1][token.column - 1 :].startswith(token.text)
