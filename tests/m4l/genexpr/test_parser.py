"""The subset's grammar, its names and its errors."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from m4l.genexpr import ast
from m4l.genexpr.errors import GenExprError
from m4l.genexpr.parser import parse


def shape(node: ast.Expr) -> str:
    """An expression with all its brackets."""
    match node:
        case ast.Number():
            return f"{node.value:g}"
        case ast.Name():
            return node.name
        case ast.Unary():
            return f"({node.operator}{shape(node.operand)})"
        case ast.Binary():
            return f"({shape(node.left)}{node.operator}{shape(node.right)})"
        case ast.Conditional():
            return f"({shape(node.test)}?{shape(node.yes)}:{shape(node.no)})"
        case ast.Call():
            return f"{node.name}({','.join(shape(a) for a in node.arguments)})"


def value_of(source: str) -> ast.Expr:
    statement = parse(source).body[-1]
    assert isinstance(statement, ast.Assign)
    return statement.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", "(1+(2*3))"),
        ("1 + 2 * 3 * 4", "(1+((2*3)*4))"),
        ("1 - 2 - 3", "((1-2)-3)"),
        ("1 / 2 % 3", "((1/2)%3)"),
        ("-in1 * 2", "((-in1)*2)"),
        ("!in1 == 0", "((!in1)==0)"),
        ("1 < 2 == 3 > 4", "((1<2)==(3>4))"),
        ("1 || 2 && 3 == 4 + 5", "(1||(2&&(3==(4+5))))"),
        ("in1 > 0 ? 1 : in1 < 0 ? 2 : 3", "((in1>0)?1:((in1<0)?2:3))"),
        ("max(in1, -.5e1) * (1 + 2)", "(max(in1,(-5))*(1+2))"),
    ],
)
def test_precedence(text: str, expected: str) -> None:
    assert shape(value_of(f"out1 = {text};")) == expected


def test_statements_and_declarations() -> None:
    program = parse("""
        mean(a, b) {
            sum = a + b;
            return 0.5 * sum, sum;
        }
        History old(-1.5);
        Data ring(40, 2);
        Param gain(2);
        m, s = mean(in1, in2);
        m *= gain;
        if (s > 1) { s = 1; } else if (s < -1) { s = -1; } else { s = 0; }
        if (m > 0) {
            for (k = 0; k <= 4; k += 2) { poke(ring, m, k, 1); }
            for (k = 4; k < 5; k = k + 1) { poke(ring, s, k); }
        }
        old = m;
        out3 = old;
    """)
    assert (program.inputs, program.outputs) == (2, 3)
    assert program.declarations["old"].arguments == (-1.5,)
    assert program.declarations["ring"].arguments == (40.0, 2.0)
    assert list(program.functions) == ["mean"]
    loops = [node for node in ast.walk(program.body) if isinstance(node, ast.For)]
    assert [loop.turns for loop in loops] == [3, 1]
    assert shape(value_of("a = 1; a %= in1;")) == "(a%in1)"


@pytest.mark.parametrize(
    ("source", "line", "column", "rule", "part"),
    [
        ("x = in1\ny = 2;", 1, 8, "R3", "';' is missing"),
        ("out1 = in1 +;", 1, 13, None, "expected a value, found ';'"),
        ("out1 = (in1;", 1, 12, None, "close the '\\(' of line 1"),
        ("if (in1 = 1) { x = 1; }", 1, 9, None, "write '=='"),
        ("if (in1) x = 1;", 1, 10, None, "expected '{'"),
        ("if (in1) { x = 1;", 1, 18, None, "not closed"),
        ("while (in1) { x = 1; }", 1, 1, "R7", "no constant bound"),
        ("for (i = 0; i < in1; i += 1) { x = i; }", 1, 17, None, "literal numbers only"),
        ("for (i = 0; i > 3; i += 1) { x = i; }", 1, 15, "R7", "variable < literal"),
        ("for (i = 0; i < 3; i -= 1) { x = i; }", 1, 22, "R7", "variable \\+= literal"),
        ("for (i = 0; i < 3; i += 0) { x = i; }", 1, 22, "R7", "positive"),
        ("for (i = 0; i < 1e9; i += 1) { x = i; }", 1, 1, "R7", "stop gen~"),
        ("for (i = 0; j < 3; i += 1) { x = i; }", 1, 13, "R7", "runs over 'i'"),
        ("for (i = 0; i < 3; i += 1) { i = 2; }", 1, 30, "R7", "variable 'i' is written"),
        ("Buffer b;", 1, 1, None, "poke~"),
        ("Delay d(10);", 1, 1, "R5", "Data with peek"),
        ("History a, b;", 1, 10, "R2", "one name"),
        ("History a(1, 2);", 1, 9, None, "one initial value"),
        ("History a(in1);", 1, 11, None, "literal numbers only"),
        ("Data d;", 1, 6, None, "Data name\\(length\\)"),
        ("Data d(1.5);", 1, 6, None, "Data name\\(length\\)"),
        ("Data d(3000, 3000);", 1, 6, None, "more than"),
        ("if (in1) { History a; }", 1, 12, "R1", "stand at the top"),
        ("History a;\nHistory a;", 2, 1, "R2", "already in line 1"),
        ("History max;", 1, 1, "R2", "Gen's own"),
        ("pi = 3;", 1, 1, "R2", "Gen's own"),
        ("in2x = 1; in3 = 2;", 1, 11, "R10", "'in3' cannot be assigned"),
        ("x__1 = 1;", 1, 1, "R2", "generates"),
        ("Param p;\np = 1;", 2, 1, "R10", "Param 'p'"),
        ("Data d(4);\nd = 1;", 2, 1, "R10", "Data 'd'"),
        ("Data d(4);\nx = d;", 2, 5, None, "peek\\(d, index\\)"),
        ("out1 = inn1;", 1, 8, None, "no value on every path"),
        ("count = 1;\nout1 = coumt;", 2, 8, None, "did you mean 'count'"),
        ("if (in1) { x = 1; }\nout1 = x;", 2, 8, None, "no value on every path"),
        ("out1 = in1;\nout2 = out1;", 2, 8, "R11", "only be written"),
        ("out1 = maxx(in1, 2);", 1, 8, "R9", "unknown operator 'maxx'; did you mean 'max'"),
        ("out1 = max(in1);", 1, 8, "R9", "takes 2 arguments, not 1"),
        ("Data d(4);\nout1 = peek(d, 1, 2, 3);", 2, 8, "R9", "takes 2 to 3 arguments"),
        ("out1 = peek(in1, 2);", 1, 13, "R9", "has to be a Data"),
        ("out1 = delay(in1, 10);", 1, 8, "R5", "keeps state"),
        ("Data d(4);\nout1 = poke(d, 1, 2);", 2, 8, None, "no value"),
        ("abs(in1);", 1, 1, None, "is not used"),
        ("a, b = in1;", 1, 8, None, "a function with 2 results"),
        ("a, b = abs(in1);", 1, 8, "R9", "one result"),
        ("a, a = f(in1);", 1, 8, "R9", "unknown operator 'f'"),
        ("f(x) { return x, x; }\nout1 = f(in1);", 2, 8, None, "has 2 results, 1 are taken"),
        ("f(x) { return x; }\nout1 = f(in1, 2);", 2, 8, "R9", "takes 1 arguments, not 2"),
        ("f(x) { return in1; }\nout1 = f(1);", 1, 15, None, "parameters and locals only"),
        ("f(x) { return g(x); }\ng(x) { return x; }\n", 1, 15, "R9", "unknown operator 'g'"),
        ("f(x) { y = x; }", 1, 15, None, "does not end with 'return'"),
        ("f(x) { return x; y = 1; }", 1, 18, None, "last statement"),
        ("f(x) { out1 = x; return x; }", 1, 8, None, "cannot write 'out1'"),
        ("return 1;", 1, 1, None, "only end a function"),
        ("out1 = wave(in1, phase=2);", 1, 23, None, "named attributes"),
        ("out1 = 4294967296;", 1, 8, "R8", "does not fit into a C int"),
        ("out1 = 1e999;", 1, 8, None, "too large"),
        ("a, b += in1;", 1, 6, None, "one name on its left"),
        ("a = 1, 2;", 1, 6, None, "one value per statement"),
        ("3 = in1;", 1, 1, None, "expected a statement"),
    ],
)
def test_errors(source: str, line: int, column: int, rule: str | None, part: str) -> None:
    with pytest.raises(GenExprError, match=part) as caught:
        parse(source)
    error = caught.value
    assert (error.line, error.column, error.rule) == (line, column, rule)
    assert str(error).startswith(f"line {line}, column {column}: ")


def test_deep_nesting_is_an_error_of_its_own() -> None:
    with pytest.raises(GenExprError, match="nested deeper"):
        parse("out1 = " + "(" * 5000 + "1" + ")" * 5000 + ";")
    with pytest.raises(GenExprError, match="nested deeper"):
        parse("out1 = " + "- " * 5000 + "1;")
    with pytest.raises(GenExprError, match="nested deeper"):
        parse("if (in1) { " * 5000 + "}" * 5000)
    with pytest.raises(GenExprError, match="nested deeper"):
        parse("if (in1) { } else " * 5000 + "{ }")


WORDS = """
    in1 out1 x h d f ( ) { } , ; = == + - * / ? : < 1 2.5 if else for History Data Param max peek
    poke return samplerate +=
"""


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS.split()), max_size=25))
def test_any_words_give_a_tree_or_the_own_error(words: list[str]) -> None:
    try:
        program = parse(" ".join(words))
    except GenExprError:
        return
    assert isinstance(program, ast.Program)


def test_the_stand_in_of_the_device_parses(stand_in: str) -> None:
    program = parse(stand_in)
    assert program.inputs == 2
    assert program.outputs == 25
