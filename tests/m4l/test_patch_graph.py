"""The patch inside the built devices, looked at without the checks that the build itself makes."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from m4l import ring
from m4l.boxes import (
    AUTOMATED,
    HIDDEN,
    PATCHER_KEYS,
    PROJECT_KEYS,
    STORED_ONLY,
    box_problems,
    is_parameter,
    may_enter_undo,
)
from m4l.check import problems
from m4l.extract import codebox_of, load
from m4l.graph import Graph, object_name
from m4l.objects import FORBIDDEN, SIGNAL, fits, ports_of
from pybackend.config import HOST, UDP_PORT
from pybackend.stream.protocol import FRAME_FIELDS, HELLO_FIELDS, PROTOCOL, type_tags

Patcher = dict[str, Any]

# Everything that speaks by itself, without the user.
SOURCES = (
    *("metro", "qmetro", "snapshot~", "node.script", "live.thisdevice", "plugsync~", "dspstate~"),
    *("live.path", "live.object", "live.meter~", "deferlow", "speedlim", "uzi"),
)


@pytest.fixture(scope="module", params=["release", "dev"])
def patcher(request: pytest.FixtureRequest, built: Any) -> Patcher:
    """Patcher of each built device."""
    return load(getattr(built, request.param)).patcher


@pytest.fixture(scope="module")
def graph(patcher: Patcher) -> Graph:
    """Boxes and cords of the patcher."""
    return Graph(patcher)


def test_the_checks_of_the_build_pass_on_the_built_file(patcher: Patcher) -> None:
    assert problems(patcher) == []


def test_keys_are_those_that_max_saves(patcher: Patcher) -> None:
    assert set(PATCHER_KEYS) <= set(patcher)
    assert set(PROJECT_KEYS) <= set(patcher["project"])
    assert patcher["project"]["autoorganize"] == 0
    assert patcher["project"]["amxdtype"] == 1633771873
    assert patcher["latency"] == 0
    assert patcher["openinpresentation"] == 1
    assert patcher["appversion"]["major"] == 8
    assert patcher["openrect"] == [0.0, 0.0, patcher["devicewidth"], 169.0]


def test_boxes_are_as_max_saves_them(graph: Graph) -> None:
    assert [p for box in graph.boxes.values() for p in box_problems(box)] == []
    names = {object_name(box) for box in graph.boxes.values()}
    assert not names & set(FORBIDDEN)
    assert not names & {"loadbang", "r", "s", "send", "receive", "js"}


def test_ids_are_unique(patcher: Patcher) -> None:
    ids = [entry["box"]["id"] for entry in patcher["boxes"]]
    assert len(set(ids)) == len(ids)


def test_every_cord_connects_two_ports_that_fit(graph: Graph) -> None:
    assert len(set(graph.cords)) == len(graph.cords)
    for cord in graph.cords:
        source, target = ports_of(graph.boxes[cord.source]), ports_of(graph.boxes[cord.target])
        assert fits(source.outlets[cord.outlet], cord.inlet, target), cord
        if source.outlets[cord.outlet] == SIGNAL:
            assert cord.inlet in target.signal_inlets, cord
        else:
            name = object_name(graph.boxes[cord.target])
            assert name not in ("gen~", "plugin~", "plugout~", "poke~"), cord


def test_the_sound_is_untouched(graph: Graph) -> None:
    (start,), (end,) = graph.named("plugin~"), graph.named("plugout~")
    into = {(c.source, c.outlet, c.inlet) for c in graph.into(end)}
    assert into == {(start, 0, 0), (start, 1, 1)}
    assert graph.into(start) == []
    (gen,) = graph.named("gen~")
    assert end not in graph.reached_from([gen])


def test_no_signal_goes_in_a_circle(graph: Graph) -> None:
    signals = [
        c for c in graph.cords if ports_of(graph.boxes[c.source]).outlets[c.outlet] == SIGNAL
    ]
    between = {c.target for c in signals} & {c.source for c in signals}
    assert between == set(graph.named("gen~"))
    assert not [c for c in signals if c.source == c.target]


def test_nothing_can_fill_the_undo_history(graph: Graph) -> None:
    stored = {box_id for box_id, box in graph.boxes.items() if may_enter_undo(box)}
    assert stored == set(graph.named("live.numbox"))
    for name in SOURCES:
        assert graph.named(name), name
        assert not graph.reached_from(graph.named(name)) & stored, name
    assert not [cord for cord in graph.cords if cord.target in stored]


def test_settings_are_stored_only_or_hidden(graph: Graph, patcher: Patcher) -> None:
    seen = {}
    for box_id, box in graph.boxes.items():
        if is_parameter(box):
            values = box["saved_attribute_attributes"]["valueof"]
            seen[values["parameter_longname"]] = values.get("parameter_invisible", AUTOMATED)
            listed = patcher["parameters"][box_id]
            names = [values["parameter_longname"], values["parameter_shortname"], 0]
            assert listed == names
    assert seen == {"UDP Port": STORED_ONLY, "Start Backend": HIDDEN}


def test_global_names_are_the_devices_own(graph: Graph) -> None:
    shared = [graph.arguments(b)[0] for n in ("buffer~", "poke~", "peek~") for b in graph.named(n)]
    assert len(shared) == 3
    assert set(shared) == {"---mjframes"}


def test_the_ring_has_the_size_that_the_code_writes(graph: Graph) -> None:
    (buffer,) = graph.named("buffer~")
    assert str(graph.boxes[buffer]["text"]).endswith(f"@samps {ring.RING_SAMPLES}")


def test_the_lists_are_those_of_the_protocol(graph: Graph) -> None:
    packs = {}
    for box in graph.named("pack"):
        arguments = graph.arguments(box)
        packs["".join("f" if "." in a else "i" for a in arguments)] = arguments
    for fields in (FRAME_FIELDS, HELLO_FIELDS):
        assert packs[type_tags(fields)][0] == str(PROTOCOL)


def test_frames_go_out_on_the_scheduler_and_without_script(graph: Graph) -> None:
    (sender,) = graph.named("udpsend")
    assert graph.arguments(sender) == (HOST, str(UDP_PORT))
    (clock,) = graph.named("metro")
    frame = next(p for p in graph.named("prepend") if graph.arguments(p) == ("/mj/frame",))
    assert frame in graph.reached_from([clock])
    assert frame not in graph.reached_from([*graph.named("node.script"), *graph.named("live.text")])


def test_what_is_drawn_comes_from_the_main_thread(graph: Graph) -> None:
    """Every way from the scheduler's clock to a drawn box leads through deferlow or qmetro."""
    (clock,) = graph.named("metro")
    gates = {*graph.named("deferlow"), *graph.named("qmetro")}
    found, stack = set(), [clock]
    while stack:
        here = stack.pop()
        for cord in graph.out_of(here):
            cold = cord.inlet in ports_of(graph.boxes[cord.target]).cold_inlets
            if cord.target not in found and cord.target not in gates and not cold:
                found.add(cord.target)
                stack.append(cord.target)
    drawn = {
        box_id
        for name in ("flonum", "multislider", "live.comment", "live.meter~")
        for box_id in graph.named(name)
    }
    assert not found & drawn
    assert graph.named("udpsend")[0] in found


def test_gen_holds_one_codebox_with_the_ports_of_the_ring(graph: Graph, built: Any) -> None:
    (gen,) = graph.named("gen~")
    box = graph.boxes[gen]
    assert box["text"] == "gen~"
    inner = Graph(box["patcher"])
    assert box["patcher"]["classnamespace"] == "dsp.gen"
    kinds = Counter(object_name(b) for b in inner.boxes.values())
    assert kinds == {"codebox": 1, "in": len(ring.INLETS), "out": len(ring.OUTLETS)}
    (code,) = inner.named("codebox")
    assert [b for b in inner.boxes.values() for _ in box_problems(b, inside_gen=True)] == []
    assert sorted(c.inlet for c in inner.into(code)) == list(range(len(ring.INLETS)))
    assert sorted(c.outlet for c in inner.out_of(code)) == list(range(len(ring.OUTLETS)))
    for cord in inner.into(code):
        assert inner.boxes[cord.source]["text"] == f"in {cord.inlet + 1}"
    assert codebox_of(built.release) == codebox_of(built.dev)


def test_columns_of_boxes_do_not_cover_each_other(graph: Graph) -> None:
    """For whoever opens the patch: no two boxes at one place."""
    places = sorted(tuple(box["patching_rect"][:2]) for box in graph.boxes.values())
    assert all(one != other for one, other in pairwise(places))
