"""The simulator itself: right to left, hot and cold, and an error for whatever is not modelled."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from m4l.sheet import Sheet
from tests.m4l.maxsim.engine import BANG, Live, Max, SimError
from tests.m4l.maxsim.expression import Expression, ExpressionError


def patch(sheet: Sheet, fan_out: Literal["drawn", "reversed"] = "drawn") -> Max:
    return Max(
        {"boxes": sheet.boxes, "lines": sheet.lines}, Live(), lambda *_: None, fan_out=fan_out
    )


def shown(max_: Max) -> list[tuple[Any, ...]]:
    return [box.value for box in max_.all("flonum")]


def numbers(count: int) -> tuple[Sheet, list[str]]:
    sheet = Sheet()
    keys = {"format": 6, "parameter_enable": 0}
    return sheet, [sheet.box("flonum", **keys) for _ in range(count)]


def test_trigger_goes_from_right_to_left() -> None:
    sheet, (out,) = numbers(1)
    order, add = sheet.typed("t i i"), sheet.typed("+ 0")
    sheet.cord((order, 1), add, 1)
    sheet.cord(order, add)
    sheet.cord(add, out)
    max_ = patch(sheet)
    max_.boxes[order].receive(0, (4,))
    assert shown(max_) == [(8,)]


def test_a_cold_inlet_only_stores() -> None:
    sheet, (out,) = numbers(1)
    pack = sheet.typed("expr $i1 + $i2")
    sheet.cord(pack, out)
    max_ = patch(sheet)
    max_.boxes[pack].receive(1, (5,))
    assert shown(max_) == [()]
    max_.boxes[pack].receive(0, BANG)
    assert shown(max_) == [(5,)]


@pytest.mark.parametrize(("fan_out", "last"), [("drawn", 1), ("reversed", 2)])
def test_the_order_of_a_fan_out_can_be_turned_round(
    fan_out: Literal["drawn", "reversed"], last: int
) -> None:
    sheet, (out,) = numbers(1)
    start = sheet.typed("t b")
    sheet.column("left")
    one = sheet.message("1")
    sheet.column("right")
    two = sheet.message("2")
    for message in (one, two):
        sheet.cord(start, message)
        sheet.cord(message, out)
    max_ = patch(sheet, fan_out)
    max_.boxes[start].receive(0, BANG)
    assert shown(max_) == [(last,)]


@pytest.mark.parametrize(
    ("text", "inlet", "atoms"),
    [
        ("i", 0, ("word",)),
        ("pack 0 0", 1, BANG),
        ("pack 0 0", 0, (1, 2)),
        ("uzi 1 0", 0, (0,)),
        ("t i", 0, ("word",)),
        ("t word", 0, BANG),
        ("unpack 0 0", 0, ("word", 1)),
        ("plugout~", 0, (1,)),
        ("poke~ ---x", 0, (1.0,)),
        ("udpsend 127.0.0.1 9701", 0, (1, 2)),
        ("udpsend 127.0.0.1 9701", 0, ("/x", "word")),
        ("live.path", 0, ("path", "live_set")),
        ("live.object", 0, ("set", "tempo", 3)),
        ("node.script x.js", 0, ("stop",)),
        ("zl.group 3", 0, ("word",)),
    ],
)
def test_what_is_not_modelled_fails(text: str, inlet: int, atoms: tuple[Any, ...]) -> None:
    sheet = Sheet()
    box = sheet.typed(text)
    with pytest.raises(SimError):
        patch(sheet).boxes[box].receive(inlet, atoms)


def test_unknown_objects_fail() -> None:
    sheet = Sheet()
    sheet.typed("counter 0 9")
    with pytest.raises(SimError, match="counter is not modelled"):
        patch(sheet)


def test_an_endless_circle_fails() -> None:
    sheet = Sheet()
    box = sheet.typed("i")
    sheet.cord(box, box)
    with pytest.raises(SimError, match="circles"):
        patch(sheet).boxes[box].receive(0, (1,))


def test_drawing_on_the_scheduler_fails_and_deferlow_helps() -> None:
    sheet, (out,) = numbers(1)
    clock, later = sheet.typed("metro 10"), sheet.typed("deferlow")
    one = sheet.message("1")
    sheet.chain(clock, later, one, out)
    max_ = patch(sheet)
    max_.boxes[clock].receive(0, (1,))
    max_.advance(5.0)
    assert shown(max_) == [(1,)]
    sheet.lines.clear()
    sheet.chain(clock, one, out)
    max_ = patch(sheet)
    max_.boxes[clock].receive(0, (1,))
    with pytest.raises(SimError, match="scheduler's thread"):
        max_.advance(5.0)


def test_speedlim_keeps_the_latest() -> None:
    sheet, (out,) = numbers(1)
    limit = sheet.typed("speedlim 100")
    sheet.chain(limit, sheet.typed("deferlow"), out)
    max_ = patch(sheet)
    for value in range(10):
        max_.boxes[limit].receive(0, (value,))
        max_.idle()
        max_.advance(30.0)
    max_.advance(200.0)
    box = max_.boxes[out]
    assert box.drawn_ms == [0.0, 100.0, 200.0, 300.0]  # type: ignore[attr-defined]
    assert shown(max_) == [(9,)]


@pytest.mark.parametrize(
    ("text", "values", "result"),
    [
        ("$i1 / 2", [7], 3),
        ("(0 - $i1) / 2", [7], -3),
        ("(0 - $i1) % 4", [7], -3),
        ("$f1 / 2", [7], 3.5),
        ("($i1 > 3) * 10", [4], 10),
        ("10. * log10($f1)", [100.0], 20.0),
    ],
)
def test_expressions(text: str, values: list[float], result: float) -> None:
    expression = Expression(text)
    for inlet, value in enumerate(values):
        expression.store(inlet, value)
    found = expression.evaluate()
    assert (found, type(found)) == (result, type(result))


@pytest.mark.parametrize(
    "text",
    [
        "min($i1, 3)",
        "max($i1\\, 3)",
        "$i1 / 0",
        "log10($f1)",
        "atan($f1)",
        "$i1 == 1",
        "1 < $i1 > 2",
        "$i1 * 2147483647 + 1 - 1 + 2147483647 + $i1",
        "$i1 + $f1",
    ],
)
def test_expressions_without_a_value(text: str) -> None:
    with pytest.raises((ExpressionError, KeyError)):
        value_of(text, 0 if "log" in text or "/" in text else 2)


def value_of(text: str, first: int) -> float:
    expression = Expression(text)
    expression.store(0, first)
    return expression.evaluate()
