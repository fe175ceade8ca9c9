"""Flat code: literals as Max prints them, functions inlined, names resolved."""

from __future__ import annotations

import math

from m4l.genexpr import ir
from m4l.genexpr.lower import lower
from m4l.genexpr.parser import parse


def only_value(source: str, digits: int | None = 14) -> ir.Value:
    (action,) = lower(parse(source), digits).body
    assert isinstance(action, ir.SetOutput)
    return action.value


def test_literals_keep_14_digits() -> None:
    assert only_value("out1 = pi;") == ir.Const(3.1415926535898)
    assert only_value("out1 = pi;", None) == ir.Const(math.pi)
    assert only_value("out1 = 0.12345678901234567;") == ir.Const(0.12345678901235)
    assert only_value("out1 = 123456789012345.0;") == ir.Const(123456789012345.0)


def test_division_by_a_literal_multiplies_by_its_printed_reciprocal() -> None:
    expected = ir.Op("*", (ir.Input(0), ir.Const(0.33333333333333)))
    assert only_value("out1 = in1 / 3;") == expected
    assert only_value("out1 = in1 / 0;") == ir.Op("*", (ir.Input(0), ir.Const(0.0)))
    assert only_value("out1 = in1 / in2;") == ir.Op("/", (ir.Input(0), ir.Input(1)))


def test_negative_literals_are_literals() -> None:
    assert only_value("out1 = -2.5;") == ir.Const(-2.5)


def test_functions_get_their_own_locals() -> None:
    code = lower(
        parse("f(x) {\n y = x * 2;\n return y, x;\n}\ny = 1;\na, b = f(y);\nout1 = y + a + b;")
    )
    names = [action.name for action in code.body if isinstance(action, ir.SetLocal)]
    assert len(names) == len(set(names))
    assert names[0] == "y"


def test_data_share_one_array() -> None:
    code = lower(parse("Data a(3, 2);\nData b(5);\nout1 = peek(b, in1);"))
    assert [(slot.offset, slot.size) for slot in code.data] == [(0, 6), (6, 5)]
    assert code.data_size == 11
