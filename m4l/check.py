"""What would be wrong with a patcher if it were built: checked before a device is written.

Max makes of a wrong patch a silent device, or none. So everything that can be known without Max is
an error here: boxes and keys as Max saves them, cords that carry something, names that are unique,
the face within the strip, the sound untouched, nothing that can fill Live's undo history, the code
within the rules, and the messages laid out as the protocol's table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Final

from m4l import ring
from m4l.boxes import PATCHER_KEYS, PROJECT_KEYS, box_problems, is_parameter, may_enter_undo
from m4l.face import HEIGHT_PX
from m4l.genexpr.lint import lint
from m4l.graph import Cord, Graph, object_name
from m4l.objects import SIGNAL, ObjectError, Ports, fits, gen_inner_ports, ports_of
from pybackend.errors import MoveJudgeError
from pybackend.stream.protocol import (
    FRAME_ADDRESS,
    FRAME_FIELDS,
    HELLO_ADDRESS,
    HELLO_FIELDS,
    Field,
    type_tags,
)

SIGNAL_ONLY: Final = ("gen~", "plugin~", "plugout~", "poke~")
"""Objects here that are sent no messages."""
GLOBAL_NAMES: Final = ("buffer~", "peek~", "poke~", "r", "receive", "s", "send")
"""Objects whose first argument is a name that all of Max shares."""
EXPR_FUNCTIONS: Final = {"log10"}
"""Functions known to work in Live's ``expr``, of those that are needed."""
INTERACTIVE: Final = ("live.numbox", "live.text")


class BuildError(MoveJudgeError):
    """The device's sources make no device that could work."""


def check(patcher: Mapping[str, Any]) -> None:
    """Raise if anything is wrong with a patcher.

    Raises
    ------
    BuildError
        Lists everything that was found.
    """
    found = problems(patcher)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise BuildError(f"the device cannot be built: {found[0]}{more}")


def problems(patcher: Mapping[str, Any]) -> list[str]:
    """Everything that is wrong with a patcher, in words; empty when it is right."""
    ids = Counter(str(entry["box"]["id"]) for entry in patcher["boxes"])
    twice = [f"two boxes have the id {box}" for box, count in ids.items() if count > 1]
    if twice:
        return twice
    graph = Graph(patcher)
    return [
        *_keys(patcher),
        *_messages(graph),
        *(f"{at}: {problem}" for at, box in graph.boxes.items() for problem in box_problems(box)),
        *_cords(graph, ports_of),
        *_gen(graph),
        *_names(graph, patcher),
        *_rectangles(graph, patcher),
        *_sound(graph),
        *_undo(graph),
        *_layout(graph),
    ]


def _keys(patcher: Mapping[str, Any]) -> Iterator[str]:
    for key in PATCHER_KEYS:
        if key not in patcher:
            yield f"the patcher has no '{key}'"
    for key in PROJECT_KEYS:
        if key not in patcher.get("project", {}):
            yield f"the patcher's project has no '{key}'"
    if patcher.get("latency") != 0:
        yield f"the device reports a latency of {patcher.get('latency')!r} samples, not 0"
    if patcher.get("openinpresentation") != 1:
        yield "the device would not open in presentation"
    banks = patcher.get("parameters", {}).get("parameterbanks", {})
    for bank in banks.values():
        names = bank.get("parameters")
        if not isinstance(names, list) or [type(name) for name in names] != [str] * 8:
            yield "a parameter bank has not exactly eight names: Live crashes on others"


def _messages(graph: Graph) -> Iterator[str]:
    for box_id in graph.named("message"):
        text = str(graph.boxes[box_id]["text"])
        if any(sign in text for sign in ",;\\"):
            yield f"{box_id}: a comma or semicolon would cut the message '{text}'"
    for box_id in graph.named("expr"):
        text = " ".join(graph.arguments(box_id))
        functions = set(re.findall(r"[a-z]\w*(?=\()", text))
        if "," in text or not functions <= EXPR_FUNCTIONS:
            yield f"{box_id}: Max for Live's expr may not know all of '{text}'"


def _cords(graph: Graph, ports_rule: Any) -> Iterator[str]:
    ports: dict[str, Ports] = {}
    for box_id, box in graph.boxes.items():
        try:
            ports[box_id] = ports_rule(box)
        except ObjectError:
            continue  # said by the check of boxes
    for cord, count in Counter(graph.cords).items():
        if count > 1:
            yield f"the cord {cord} is there {count} times"
        ends = [end for end in (cord.source, cord.target) if end not in graph.boxes]
        if ends:
            yield f"the cord {cord} goes to nowhere: there is no box {ends[0]}"
        elif cord.source in ports and cord.target in ports:
            yield from _one_cord(cord, ports[cord.source], ports[cord.target], graph)


def _one_cord(cord: Cord, source: Ports, target: Ports, graph: Graph) -> Iterator[str]:
    name = object_name(graph.boxes[cord.target])
    if not 0 <= cord.outlet < len(source.outlets):
        yield f"the cord {cord} comes from nowhere: {cord.source} has {len(source.outlets)} outlets"
    elif not 0 <= cord.inlet < target.inlets:
        yield f"the cord {cord} goes to nowhere: {cord.target} has {target.inlets} inlets"
    elif not fits(source.outlets[cord.outlet], cord.inlet, target):
        yield f"the cord {cord} brings a signal to {name}, which takes messages there"
    elif source.outlets[cord.outlet] != SIGNAL and name in SIGNAL_ONLY:
        yield f"the cord {cord} brings messages to {name}, which takes signals"


def _gen(graph: Graph) -> Iterator[str]:
    codes = []
    for box_id in graph.named("gen~"):
        patcher = graph.boxes[box_id].get("patcher")
        if not isinstance(patcher, Mapping):
            continue  # said by the check of boxes
        inner = Graph(patcher)
        for at, box in inner.boxes.items():
            yield from (f"gen~ {at}: {p}" for p in box_problems(box, inside_gen=True))
        yield from _cords(inner, gen_inner_ports)
        codes += [str(box["code"]) for box in inner.boxes.values() if box["maxclass"] == "codebox"]
        ports = graph.boxes[box_id]
        wanted = (len(ring.INLETS), len(ring.OUTLETS))
        if (ports["numinlets"], ports["numoutlets"]) != wanted:
            yield f"gen~ has not the {wanted[0]} inlets and {wanted[1]} outlets of the ring"
    if len(codes) != 1:
        yield f"the device has {len(codes)} codeboxes, not one"
    for code in codes:
        yield from (f"the code breaks a rule: {finding}" for finding in lint(code))


def _names(graph: Graph, patcher: Mapping[str, Any]) -> Iterator[str]:
    for name in GLOBAL_NAMES:
        for named in graph.named(name):
            shared = (*graph.arguments(named), "")[0]
            if not shared.startswith("---"):
                yield f"{named}: '{name} {shared}' is heard in other devices: names begin with ---"
    long_names: Counter[str] = Counter()
    listed = set(patcher.get("parameters", {})) - {"parameterbanks", "inherited_shortname"}
    for box_id, box in graph.boxes.items():
        if is_parameter(box):
            values = box.get("saved_attribute_attributes", {}).get("valueof", {})
            long_names[str(values.get("parameter_longname"))] += 1
            if box_id not in listed:
                yield f"{box_id} is a parameter that the patcher does not list"
            listed.discard(box_id)
    for name, count in long_names.items():
        if count > 1:
            yield f"the parameter name '{name}' is used {count} times"
    yield from (f"the patcher lists a parameter {box_id} that is none" for box_id in sorted(listed))


def _rectangles(graph: Graph, patcher: Mapping[str, Any]) -> Iterator[str]:
    width = patcher.get("devicewidth", 0.0)
    shown = {
        box_id: [float(side) for side in box["presentation_rect"]]
        for box_id, box in graph.boxes.items()
        if box.get("presentation")
    }
    for box_id, (left, top, wide, high) in shown.items():
        if any(side != int(side) for side in (left, top, wide, high)):
            yield f"{box_id}: its place on the face is not in whole pixels"
        if min(left, top) < 0 or wide <= 0 or high <= 0:
            yield f"{box_id}: its place on the face is no rectangle"
        if left + wide > width or top + high > HEIGHT_PX:
            yield f"{box_id} reaches out of the face of {width:g} x {HEIGHT_PX} pixels"
    front = {i: rect for i, rect in shown.items() if not graph.boxes[i].get("background")}
    for one, other in combinations(front, 2):
        (x, y, w, h), (u, v, a, b) = front[one], front[other]
        if x < u + a and u < x + w and y < v + b and v < y + h:
            yield f"{one} and {other} overlap on the face"
    for box_id, box in graph.boxes.items():
        is_display = box.get("presentation") and object_name(box) not in INTERACTIVE
        if is_display and not box.get("ignoreclick"):
            yield f"{box_id} only shows something, so it must ignore clicks"


def _sound(graph: Graph) -> Iterator[str]:
    ends = graph.named("plugout~")
    cords = {str(cord) for end in ends for cord in graph.into(end)}
    starts = graph.named("plugin~")
    if len(starts) != 1 or len(ends) != 1:
        yield f"the device has {len(starts)} plugin~ and {len(ends)} plugout~, not one of each"
    elif cords != {f"{starts[0]}:{i} -> {ends[0]}:{i}" for i in (0, 1)}:
        yield f"the sound is not passed through untouched: {', '.join(sorted(cords)) or 'no cord'}"


def _undo(graph: Graph) -> Iterator[str]:
    for box_id, box in graph.boxes.items():
        if may_enter_undo(box):
            for cord in graph.into(box_id):
                yield f"the cord {cord} drives a stored parameter: it would fill the undo history"


def _layout(graph: Graph) -> Iterator[str]:
    for address, fields in ((FRAME_ADDRESS, FRAME_FIELDS), (HELLO_ADDRESS, HELLO_FIELDS)):
        prepends = [p for p in graph.named("prepend") if graph.arguments(p) == (address,)]
        packs = [cord.source for p in prepends for cord in graph.into(p)]
        if len(packs) != 1 or object_name(graph.boxes[packs[0]]) != "pack":
            yield f"{address} does not come from one pack"
            continue
        yield from _fields(graph, packs[0], address, fields)


def _fields(graph: Graph, pack: str, address: str, fields: tuple[Field, ...]) -> Iterator[str]:
    arguments = graph.arguments(pack)
    tags = "".join("f" if "." in argument else "i" for argument in arguments)
    if tags != type_tags(fields):
        yield f"{address} is packed as {tags}, but the protocol's table says {type_tags(fields)}"
    names = [(field.name, label) for field in fields for label in (field.labels or (field.name,))]
    for inlet, (name, label) in enumerate(names):
        # What never changes stands in the pack itself.
        constant = name in ("protocol", "version")
        if not constant and not graph.into(pack, inlet):
            what = name if label == name else f"{name} {label}"
            yield f"the field '{what}' of {address} comes from nowhere"
