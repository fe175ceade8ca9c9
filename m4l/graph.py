"""A patcher as a graph: boxes, cords, and what can be reached from where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from m4l.objects import Arguments, Box, split_text


@dataclass(frozen=True, slots=True)
class Cord:
    """One cord; outlets and inlets count from 0."""

    source: str
    outlet: int
    target: str
    inlet: int

    def __str__(self) -> str:
        return f"{self.source}:{self.outlet} -> {self.target}:{self.inlet}"


class Graph:
    """Boxes by id, and the cords between them, of one patcher without those inside it."""

    def __init__(self, patcher: Mapping[str, Any]) -> None:
        self.boxes: dict[str, Box] = {str(e["box"]["id"]): e["box"] for e in patcher["boxes"]}
        lines = [entry["patchline"] for entry in patcher["lines"]]
        self.cords = tuple(
            Cord(str(source), int(outlet), str(target), int(inlet))
            for (source, outlet), (target, inlet) in (
                (line["source"], line["destination"]) for line in lines
            )
        )

    def into(self, box: str, inlet: int | None = None) -> list[Cord]:
        """Cords that end at a box, or at one of its inlets."""
        return [c for c in self.cords if c.target == box and inlet in (None, c.inlet)]

    def out_of(self, box: str, outlet: int | None = None) -> list[Cord]:
        """Cords that begin at a box, or at one of its outlets."""
        return [c for c in self.cords if c.source == box and outlet in (None, c.outlet)]

    def reached_from(self, sources: Iterable[str]) -> set[str]:
        """Boxes that a message from these boxes can come to, over any number of cords."""
        after: dict[str, list[str]] = {}
        for cord in self.cords:
            after.setdefault(cord.source, []).append(cord.target)
        found: set[str] = set()
        stack = list(sources)
        while stack:
            for target in after.get(stack.pop(), ()):
                if target not in found:
                    found.add(target)
                    stack.append(target)
        return found

    def named(self, name: str) -> list[str]:
        """Boxes of a typed object, or of a class of box."""
        return [box_id for box_id, box in self.boxes.items() if object_name(box) == name]

    def arguments(self, box: str) -> Arguments:
        """Typed arguments of an object box."""
        return split_text(str(self.boxes[box]["text"]))[1]


def object_name(box: Box) -> str:
    """First word of a typed object, or the class of any other box."""
    if box.get("maxclass") == "newobj":
        return split_text(str(box["text"]))[0]
    return str(box.get("maxclass"))
