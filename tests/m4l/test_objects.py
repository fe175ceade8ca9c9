"""The table of objects against boxes as public devices save them."""

from __future__ import annotations

from typing import Any

import pytest

from m4l.objects import FORBIDDEN, NEWOBJ, ObjectError, fits, ports_of, split_text

S = "signal"
SAVED = [
    ("*~", 2, [S]),
    ("*~ 0.5", 2, [S]),
    ("+~", 2, [S]),
    ("append a", 1, [""]),
    ("buffer~ ---ring @samps 4096", 1, ["float", "bang"]),
    ("change", 1, ["", "int", "int"]),
    ("change 0", 1, ["", "int", "int"]),
    ("counter", 5, ["int", "", "", "int"]),
    ("counter 0 1 9", 5, ["int", "", "", "int"]),
    ("deferlow", 1, [""]),
    ("delay 100", 2, ["bang"]),
    ("dspstate~", 1, ["int", "float", "int", "int"]),
    ("expr $f1 * 2", 1, [""]),
    ("expr $f1 + $f2 - $i3", 3, [""]),
    ("f 1.", 2, ["float"]),
    ("float", 2, ["float"]),
    ("gate", 2, [""]),
    ("gate 1 1", 2, [""]),
    ("gate 2", 2, ["", ""]),
    ("gate 4 1", 2, ["", "", "", ""]),
    ("i", 2, ["int"]),
    ("int 1", 2, ["int"]),
    ("iter", 1, [""]),
    ("live.object", 2, [""]),
    ("live.observer is_playing", 2, ["", ""]),
    ("live.path live_set", 1, ["", "", ""]),
    ("live.thisdevice", 1, ["bang", "int", "int"]),
    ("loadbang", 1, ["bang"]),
    ("loadmess 1 2", 1, [""]),
    ("metro 20 @active 0", 2, ["bang"]),
    ("node.script launcher.js @autostart 0", 1, ["", ""]),
    ("onebang 1", 2, ["bang", "bang"]),
    ("pack 0 0", 2, [""]),
    ("pack i i f f", 4, [""]),
    ("peek~ ---ring 1", 3, ["float"]),
    ("plugin~", 2, [S, S]),
    ("plugin~ 1 2 3 4", 4, [S] * 4),
    ("plugout~ 1 2", 2, [S, S]),
    (
        "plugsync~",
        1,
        ["int", "int", "int", "float", "list", "float", "float", "int", "int"],
    ),
    ("poke~ ---ring", 3, []),
    ("prepend /mj/frame", 1, [""]),
    ("qmetro 50", 2, ["bang"]),
    ("r ---x", 0, [""]),
    ("random 16777215", 2, ["int"]),
    ("route a", 2, ["", ""]),
    ("route a b c", 4, [""] * 4),
    ("s ---x", 1, []),
    ("sel 1", 2, ["bang", ""]),
    ("sel 1 2 3 4", 5, ["bang"] * 4 + [""]),
    ("sig~ 1.", 1, [S]),
    ("snapshot~", 2, ["float"]),
    ("speedlim 100", 2, [""]),
    ("sprintf %s-%d %.2f", 3, [""]),
    ("sprintf set hello", 1, [""]),
    ("switch 2 1", 3, [""]),
    ("switch 3", 4, [""]),
    ("t b i f l s", 1, ["bang", "int", "float", "", ""]),
    ("t b 1 2. dump", 1, ["bang", "int", "float", "dump"]),
    ("trigger bang int", 1, ["bang", "int"]),
    ("udpsend 127.0.0.1 9701", 1, []),
    ("unpack", 1, ["int", "int"]),
    ("unpack 0 0.", 1, ["int", "float"]),
    ("unpack s i", 1, ["", "int"]),
    ("uzi 1", 2, ["bang", "bang", "int"]),
    ("zl slice 9", 2, ["", ""]),
    ("zl.slice 9", 2, ["", ""]),
    ("+ 1", 2, ["int"]),
    ("+ 1.", 2, ["float"]),
    ("/ 1000.", 2, ["float"]),
    ("- -3", 2, ["int"]),
    ("% 64", 2, ["int"]),
    ("== 1", 2, ["int"]),
]


@pytest.mark.parametrize(("text", "inlets", "outlets"), SAVED)
def test_typed_objects(text: str, inlets: int, outlets: list[str]) -> None:
    ports = ports_of({"maxclass": "newobj", "text": text})
    assert (ports.inlets, list(ports.outlets)) == (inlets, outlets)


WIDGET_PORTS = [
    ("button", 1, ["bang"]),
    ("comment", 1, []),
    ("flonum", 1, ["", "bang"]),
    ("live.button", 1, [""]),
    ("live.comment", 1, []),
    ("live.dial", 1, ["", "float"]),
    ("live.line", 1, []),
    ("live.menu", 1, ["", "", "float"]),
    ("live.meter~", 1, ["float", "int"]),
    ("live.numbox", 1, ["", "float"]),
    ("live.tab", 1, ["", "", "float"]),
    ("live.text", 1, ["", ""]),
    ("live.toggle", 1, [""]),
    ("message", 2, [""]),
    ("multislider", 1, ["", ""]),
    ("number", 1, ["", "bang"]),
    ("panel", 1, []),
    ("textbutton", 1, ["", "", "int"]),
    ("toggle", 1, ["int"]),
]


@pytest.mark.parametrize(("maxclass", "inlets", "outlets"), WIDGET_PORTS)
def test_widgets(maxclass: str, inlets: int, outlets: list[str]) -> None:
    ports = ports_of({"maxclass": maxclass})
    assert (ports.inlets, list(ports.outlets)) == (inlets, outlets)


def test_hot_and_cold() -> None:
    def cold(text: str) -> set[int]:
        return set(ports_of({"maxclass": "newobj", "text": text}).cold_inlets)

    assert cold("pack i i f") == {1, 2}
    assert cold("gate 2") == {0}
    assert cold("switch 2") == {0}
    assert cold("counter") == {1, 2, 4}
    assert cold("prepend a") == set()


def test_signals_only_go_where_signals_are_taken() -> None:
    snapshot = ports_of({"maxclass": "newobj", "text": "snapshot~"})
    poke = ports_of({"maxclass": "newobj", "text": "poke~ ---x"})
    pack = ports_of({"maxclass": "newobj", "text": "pack i i"})
    assert fits("signal", 0, snapshot)
    assert fits("bang", 0, snapshot)
    assert not fits("signal", 1, snapshot)
    assert fits("signal", 1, poke)
    assert not fits("signal", 2, poke)
    assert not fits("signal", 0, pack)
    assert fits("int", 1, pack)
    assert not fits("int", 2, pack)
    assert not fits("int", -1, pack)


def gen_box(*texts: str) -> dict[str, Any]:
    boxes = [{"box": {"maxclass": "newobj", "text": text}} for text in texts]
    return {"maxclass": "newobj", "text": "gen~", "patcher": {"boxes": boxes}}


def test_gen_takes_its_ports_from_its_patcher() -> None:
    ports = ports_of(gen_box("in 1", "in 2", "in 3 tempo", "out 1", "out 4"))
    assert ports.inlets == 3
    assert ports.outlets == ("signal",) * 4
    assert ports.signal_inlets == {0, 1, 2}
    with pytest.raises(ObjectError, match="without an embedded patcher"):
        ports_of({"maxclass": "newobj", "text": "gen~ @gen file"})


@pytest.mark.parametrize(
    ("box", "part"),
    [
        ({"maxclass": "newobj", "text": "fluid.loudness~"}, "not in the table"),
        ({"maxclass": "live.gain~"}, "changes the sound"),
        ({"maxclass": "umatrix"}, "not in the table"),
        ({"maxclass": "newobj", "text": "print"}, "may not be used"),
        ({"maxclass": "newobj", "text": " "}, "without text"),
        ({"maxclass": "newobj", "text": "t"}, "name the type"),
        ({"maxclass": "newobj", "text": "gate zero"}, "no count"),
        ({"maxclass": "newobj", "text": "gate 0"}, "no count"),
    ],
)
def test_what_is_refused(box: dict[str, Any], part: str) -> None:
    with pytest.raises(ObjectError, match=part):
        ports_of(box)


def test_forbidden_objects_are_not_in_the_table() -> None:
    assert not set(FORBIDDEN) & set(NEWOBJ)


def test_attributes_are_no_arguments() -> None:
    name, arguments, attributes = split_text("buffer~ ---ring 100 @samps 4096 @name x y")
    assert (name, arguments) == ("buffer~", ("---ring", "100"))
    assert attributes == {"@samps": ("4096",), "@name": ("x", "y")}
