"""Checks of saved boxes: ports, keys and parameters."""

from __future__ import annotations

from typing import Any

import pytest

from m4l.boxes import HIDDEN, STORED_ONLY, box_problems, is_parameter, may_enter_undo


def typed(text: str, inlets: int, outlets: list[str], **more: Any) -> dict[str, Any]:
    box: dict[str, Any] = {
        "id": "obj-1",
        "maxclass": "newobj",
        "numinlets": inlets,
        "numoutlets": len(outlets),
        "patching_rect": [0.0, 0.0, 80.0, 20.0],
        "text": text,
    }
    if outlets:
        box["outlettype"] = outlets
    return box | more


def button(**valueof: Any) -> dict[str, Any]:
    values = {"parameter_longname": "Start", "parameter_shortname": "Start", "parameter_type": 2}
    return {
        "id": "obj-2",
        "maxclass": "live.text",
        "numinlets": 1,
        "numoutlets": 2,
        "outlettype": ["", ""],
        "parameter_enable": 1,
        "patching_rect": [0.0, 0.0, 44.0, 15.0],
        "saved_attribute_attributes": {"valueof": values | valueof},
        "varname": "live.text",
    }


def test_good_boxes() -> None:
    assert box_problems(typed("pack i i f", 3, [""])) == []
    assert box_problems(typed("udpsend 127.0.0.1 9701", 1, [])) == []
    assert box_problems(button()) == []
    inner = [{"box": typed("in 1", 0, [""])}, {"box": typed("out 1", 1, [])}]
    assert box_problems(typed("gen~", 1, ["signal"], patcher={"boxes": inner})) == []


def test_boxes_inside_gen() -> None:
    codebox = typed("", 2, ["", ""], maxclass="codebox", code="out1 = in1;", fontface=0)
    del codebox["text"]
    codebox |= {"fontname": "<Monospaced>", "fontsize": 12.0}
    assert box_problems(codebox, inside_gen=True) == []
    assert box_problems(typed("in 2", 0, [""]), inside_gen=True) == []
    assert box_problems(typed("out 2", 1, []), inside_gen=True) == []
    assert box_problems(typed("in 2", 1, [""]), inside_gen=True)
    assert "into the codebox" in box_problems(typed("+ 1", 2, [""]), inside_gen=True)[0]
    del codebox["code"]
    assert box_problems(codebox, inside_gen=True) == ["the key 'code' is missing"]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"numinlets": 2}, "numinlets is 2, Max makes 3"),
        ({"numoutlets": 2}, "numoutlets is 2, Max makes 1"),
        ({"outlettype": ["int"]}, "outlettype is ['int']"),
        ({"text": "nonsense"}, "not in the table"),
    ],
)
def test_wrong_ports(change: dict[str, Any], part: str) -> None:
    (problem,) = box_problems(typed("pack i i f", 3, [""]) | change)
    assert part in problem


def test_outlettype_is_absent_without_outlets() -> None:
    assert box_problems(typed("s ---x", 1, [], outlettype=[])) == [
        "outlettype is [], Max saves none"
    ]


def test_missing_keys() -> None:
    box = typed("node.script launcher.js", 1, ["", ""], saved_object_attributes={})
    assert box_problems(box) == ["the key 'textfile' is missing"]
    start = button()
    del start["varname"]
    assert box_problems(start) == ["the key 'varname' is missing"]


def test_parameters() -> None:
    assert is_parameter(button())
    assert box_problems(button(parameter_colour=1)) == [
        "Max knows no 'parameter_colour' in valueof"
    ]
    bare = button()
    del bare["saved_attribute_attributes"]["valueof"]["parameter_longname"]
    assert box_problems(bare) == ["the parameter's 'parameter_longname' is missing"]
    bare["saved_attribute_attributes"] = {}
    assert box_problems(bare) == ["a parameter without saved_attribute_attributes.valueof"]


def test_undo() -> None:
    assert may_enter_undo(button())
    assert may_enter_undo(button(parameter_invisible=STORED_ONLY))
    assert not may_enter_undo(button(parameter_invisible=HIDDEN))
    assert not may_enter_undo(button() | {"parameter_enable": 0})
