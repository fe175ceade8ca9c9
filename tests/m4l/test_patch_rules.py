"""Bad builds fail loudly: each kind of mistake is named before anything is written."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from m4l import messages, ring
from m4l.check import BuildError, check, problems
from m4l.dsp import codebox
from m4l.graph import Graph, object_name
from m4l.patch import device_patcher
from pybackend.errors import MoveJudgeError
from pybackend.stream import protocol

Patcher = dict[str, Any]


@pytest.fixture(scope="module")
def good() -> Patcher:
    """The patcher of the device."""
    return device_patcher(codebox(), (0, 1, 0))


@pytest.fixture
def patcher(good: Patcher) -> Patcher:
    """A copy to spoil."""
    return copy.deepcopy(good)


def box(patcher: Patcher, name: str, text: str = "") -> dict[str, Any]:
    """The first box of an object whose text begins so."""
    found = (entry["box"] for entry in patcher["boxes"])
    return next(
        b for b in found if object_name(b) == name and str(b.get("text", "")).startswith(text)
    )


def add_cord(patcher: Patcher, source: str, outlet: int, target: str, inlet: int) -> None:
    line = {"source": [source, outlet], "destination": [target, inlet]}
    patcher["lines"].append({"patchline": line})


def test_the_device_itself_is_right(good: Patcher) -> None:
    assert problems(good) == []
    check(good)


def cord_to_no_box(patcher: Patcher) -> None:
    add_cord(patcher, box(patcher, "metro")["id"], 0, "obj-9999", 0)


def cord_to_no_inlet(patcher: Patcher) -> None:
    add_cord(patcher, box(patcher, "metro")["id"], 0, box(patcher, "t")["id"], 1)


def cord_from_no_outlet(patcher: Patcher) -> None:
    add_cord(patcher, box(patcher, "metro")["id"], 1, box(patcher, "t")["id"], 0)


def cord_twice(patcher: Patcher) -> None:
    patcher["lines"].append(copy.deepcopy(patcher["lines"][0]))


def signal_to_messages(patcher: Patcher) -> None:
    add_cord(patcher, box(patcher, "plugin~")["id"], 0, box(patcher, "pack")["id"], 1)


def messages_to_signal(patcher: Patcher) -> None:
    add_cord(patcher, box(patcher, "metro")["id"], 0, box(patcher, "gen~")["id"], 2)


def id_twice(patcher: Patcher) -> None:
    patcher["boxes"][1]["box"]["id"] = patcher["boxes"][0]["box"]["id"]


def long_name_twice(patcher: Patcher) -> None:
    values = box(patcher, "live.text")["saved_attribute_attributes"]["valueof"]
    values["parameter_longname"] = "UDP Port"


def unlisted_parameter(patcher: Patcher) -> None:
    del patcher["parameters"][box(patcher, "live.text")["id"]]


def listed_without_being_one(patcher: Patcher) -> None:
    patcher["parameters"]["obj-1"] = ["A", "A", 0]


def short_bank(patcher: Patcher) -> None:
    patcher["parameters"]["parameterbanks"]["0"]["parameters"] = []


def unknown_object(patcher: Patcher) -> None:
    box(patcher, "metro")["text"] = "fluid.loudness~"


def message_cut(patcher: Patcher) -> None:
    box(patcher, "message")["text"] = "set ready; press Start"


def unsure_function(patcher: Patcher) -> None:
    box(patcher, "expr")["text"] = "expr max($f1\\, 0.)"


def forbidden_object(patcher: Patcher) -> None:
    box(patcher, "udpsend")["text"] = "udpreceive 9701"


def wrong_arity(patcher: Patcher) -> None:
    box(patcher, "plugin~")["numoutlets"] = 0


def missing_key(patcher: Patcher) -> None:
    del patcher["project"]


def latency(patcher: Patcher) -> None:
    patcher["latency"] = 64


def not_in_presentation(patcher: Patcher) -> None:
    patcher["openinpresentation"] = 0


def global_name(patcher: Patcher) -> None:
    box(patcher, "buffer~")["text"] = "buffer~ mjframes @samps 4096"


def sound_changed(patcher: Patcher) -> None:
    add_cord(patcher, box(patcher, "sig~")["id"], 0, box(patcher, "plugout~")["id"], 0)


def sound_lost(patcher: Patcher) -> None:
    plugout = box(patcher, "plugout~")["id"]
    patcher["lines"] = [
        line for line in patcher["lines"] if line["patchline"]["destination"] != [plugout, 1]
    ]


def sides_swapped(patcher: Patcher) -> None:
    plugout = box(patcher, "plugout~")["id"]
    for line in patcher["lines"]:
        if line["patchline"]["destination"][0] == plugout:
            line["patchline"]["destination"][1] ^= 1


def undo_filled(patcher: Patcher) -> None:
    add_cord(patcher, box(patcher, "metro")["id"], 0, box(patcher, "live.numbox")["id"], 0)


def out_of_the_face(patcher: Patcher) -> None:
    box(patcher, "live.text")["presentation_rect"][1] = 160.0


def half_pixels(patcher: Patcher) -> None:
    box(patcher, "live.text")["presentation_rect"][0] += 0.5


def overlap(patcher: Patcher) -> None:
    place = box(patcher, "live.numbox")["presentation_rect"]
    box(patcher, "live.text")["presentation_rect"][:2] = place[:2]


def click_on_a_display(patcher: Patcher) -> None:
    box(patcher, "multislider")["ignoreclick"] = 0


def unknown_operator(patcher: Patcher) -> None:
    code = code_of(patcher)
    code["code"] = code["code"].replace("max(", "maximum(", 1)


def rule_broken(patcher: Patcher) -> None:
    code = code_of(patcher)
    code["code"] = code["code"].replace("\n", "\r\n", 1)


def code_of(patcher: Patcher) -> dict[str, Any]:
    inner = box(patcher, "gen~")["patcher"]["boxes"]
    return next(entry["box"] for entry in inner if entry["box"]["maxclass"] == "codebox")


def no_code(patcher: Patcher) -> None:
    code_of(patcher)["maxclass"] = "comment"


def field_unconnected(patcher: Patcher) -> None:
    graph = Graph(patcher)
    frame = next(p for p in graph.named("pack") if len(graph.arguments(p)) > 20)
    at = protocol.column("tempo")
    patcher["lines"] = [
        line for line in patcher["lines"] if line["patchline"]["destination"] != [frame, at]
    ]


def type_changed(patcher: Patcher) -> None:
    pack = box(patcher, "pack", "pack 1 0 0 0.")
    pack["text"] = pack["text"].replace("pack 1 0 0 ", "pack 1 0 0. ")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (cord_to_no_box, "goes to nowhere: there is no box obj-9999"),
        (cord_to_no_inlet, "goes to nowhere"),
        (cord_from_no_outlet, "comes from nowhere"),
        (cord_twice, "is there 2 times"),
        (signal_to_messages, "brings a signal to pack"),
        (messages_to_signal, "brings messages to gen~"),
        (id_twice, "two boxes have the id"),
        (long_name_twice, "'UDP Port' is used 2 times"),
        (unlisted_parameter, "is a parameter that the patcher does not list"),
        (listed_without_being_one, "lists a parameter obj-1 that is none"),
        (short_bank, "exactly eight names"),
        (unknown_object, "not in the table of objects"),
        (message_cut, "would cut the message"),
        (unsure_function, "expr may not know all of"),
        (forbidden_object, "may not be used"),
        (wrong_arity, "numoutlets is 0, Max makes 2"),
        (missing_key, "the patcher has no 'project'"),
        (latency, "a latency of 64 samples"),
        (not_in_presentation, "would not open in presentation"),
        (global_name, "names begin with ---"),
        (sound_changed, "not passed through untouched"),
        (sound_lost, "not passed through untouched"),
        (sides_swapped, "not passed through untouched"),
        (undo_filled, "would fill the undo history"),
        (out_of_the_face, "reaches out of the face"),
        (half_pixels, "not in whole pixels"),
        (overlap, "overlap on the face"),
        (click_on_a_display, "must ignore clicks"),
        (unknown_operator, "the code breaks a rule"),
        (rule_broken, "the code breaks a rule"),
        (no_code, "0 codeboxes, not one"),
        (field_unconnected, "the field 'tempo' of /mj/frame comes from nowhere"),
        (type_changed, "/mj/frame is packed as iif"),
    ],
)
def test_a_mistake_is_named(patcher: Patcher, spoil: Callable[[Patcher], None], says: str) -> None:
    spoil(patcher)
    found = problems(patcher)
    assert any(says in problem for problem in found), found


def test_all_mistakes_are_counted(patcher: Patcher) -> None:
    latency(patcher)
    undo_filled(patcher)
    message = r"the device cannot be built: .*latency of 64 samples, not 0 \(and 1 more\)"
    with pytest.raises(BuildError, match=message):
        check(patcher)


# ---- the same through the build


def nothing_written(out: Path) -> bool:
    return not list(out.rglob("*.amxd"))


def test_an_unknown_operator_stops_the_build(
    make_device: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoiled = codebox().replace("max(", "maximum(", 1)
    monkeypatch.setattr(make_device, "codebox", lambda: spoiled)
    with pytest.raises(MoveJudgeError, match="maximum"):
        make_device.build(tmp_path)
    assert nothing_written(tmp_path)


def test_a_wrong_patch_stops_the_build(
    make_device: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoiled(*args: Any) -> Patcher:
        patcher = device_patcher(*args)
        cord_to_no_box(patcher)
        return patcher

    monkeypatch.setattr(make_device, "device_patcher", spoiled)
    with pytest.raises(BuildError, match="there is no box obj-9999"):
        make_device.build(tmp_path)
    assert nothing_written(tmp_path)


def test_a_field_that_the_patch_does_not_pack_stops_the_build(
    make_device: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the table had got a field and the patch had not."""
    fewer = tuple(field for field in protocol.FRAME_FIELDS if field.name != "flux_low")
    monkeypatch.setattr(messages, "FRAME_FIELDS", fewer)
    with pytest.raises(BuildError, match="cannot be built"):
        make_device.build(tmp_path)
    assert nothing_written(tmp_path)


def test_a_field_that_the_face_needs_is_missing_from_the_table(
    make_device: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fewer = {name: at for name, at in ring.FIELDS.items() if name != "lufs_s"}
    monkeypatch.setattr(ring, "FIELDS", fewer)
    with pytest.raises(MoveJudgeError, match="lufs_s"):
        make_device.build(tmp_path)
    assert nothing_written(tmp_path)


def test_code_with_other_ports_stops_the_build(
    make_device: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_device, "codebox", lambda: "out1 = in1;\n")
    with pytest.raises(MoveJudgeError, match="inlets"):
        make_device.build(tmp_path)
    assert nothing_written(tmp_path)
