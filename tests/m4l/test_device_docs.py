"""The documentation of the device says what the sources say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from m4l import messages, readings, ring
from m4l.extract import load
from m4l.graph import Graph, object_name
from pybackend.config import HOST, UDP_PORT
from pybackend.stream.protocol import FRAME_FIELDS, HELLO_FIELDS, Field, range_text

DOCS = Path(__file__).parents[2] / "docs"


def table(fields: tuple[Field, ...]) -> list[str]:
    """Rows of a message's table."""
    rows = ["| # | field | type | unit | range | meaning |", "|---|---|---|---|---|---|"]
    start = 0
    for field in fields:
        last = start + field.count - 1
        number = f"{start}" if field.count == 1 else f"{start}-{last}"
        name = field.name if field.count == 1 else f"{field.name}[{field.count}]"
        meaning = field.meaning.replace("|", "\\|")
        cells = (number, name, field.tag, field.unit, range_text(field), meaning)
        rows.append("| " + " | ".join(cells) + " |")
        start += field.count
    return rows


@pytest.fixture(scope="module")
def text() -> str:
    """docs/device.md."""
    return (DOCS / "device.md").read_text("utf-8")


@pytest.mark.parametrize("fields", [FRAME_FIELDS, HELLO_FIELDS])
def test_the_tables_are_those_of_the_protocol(text: str, fields: tuple[Field, ...]) -> None:
    assert "\n".join(table(fields)) in text


def test_the_numbers_are_those_of_the_sources(text: str) -> None:
    for words in (
        f"`{HOST}`, port {UDP_PORT}",
        f"every {messages.POLL_MS} ms",
        f"{ring.RING_FRAMES} frames",
        f"{ring.RING_SAMPLES} samples",
        f"{readings.FACE_MS} ms",
    ):
        assert words in text, words
    for status in readings.STATUS_TEXTS:
        assert f"*{status}*" in text


def test_every_object_of_the_patch_is_in_the_list(text: str, built: Any) -> None:
    graph = Graph(load(built.release).patcher)
    names = {object_name(box) for box in graph.boxes.values()}
    (line,) = re.findall(r"^Objects used: (.*)$", text, re.MULTILINE)
    assert set(re.findall(r"`([^`]+)`", line)) == names


def test_links_lead_somewhere() -> None:
    for page in ("device.md", "verify-in-live.md"):
        for link in re.findall(r"\]\(([^)#]+)\)", (DOCS / page).read_text("utf-8")):
            assert link.startswith("http") or (DOCS / link).exists(), link


def test_the_script_for_live_leaves_room_for_every_result() -> None:
    page = (DOCS / "verify-in-live.md").read_text("utf-8")
    steps = re.findall(r"^\| (\d+) \|(.*)\|$", page, re.MULTILINE)
    assert [int(number) for number, _ in steps] == list(range(1, len(steps) + 1))
    assert len(steps) >= 20
    for number, cells in steps:
        parts = cells.split("|")
        assert len(parts) == 3, number
        assert parts[0].strip(), number
        assert parts[1].strip(), number
        assert not parts[2].strip(), number
