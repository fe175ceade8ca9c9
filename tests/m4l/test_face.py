"""The face of the built device: inside the strip, readable in any theme, nothing cut off."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from m4l.extract import load
from m4l.graph import Graph, object_name
from m4l.readings import STATUS_TEXTS
from pybackend.metering.design import BAND_NAMES

ROOT = Path(__file__).parents[2]
MARGIN_PX = 4.0
"""Left and right of a comment's text, together."""
LINE = 1.2
"""Height of a line of text, in font sizes."""

# Widths of Helvetica's characters in thousandths of the font size (Adobe's AFM file).
_WIDTHS = {
    **dict.fromkeys("ijl", 222),
    **dict.fromkeys("t !,./:;I[]f", 278),
    **dict.fromkeys("-()r", 333),
    **dict.fromkeys("ckJsvxyz", 500),
    **dict.fromkeys("0123456789_abdeghnopquL?$", 556),
    **dict.fromkeys("FTZ", 611),
    **dict.fromkeys("ABEKPSVXY&", 667),
    **dict.fromkeys("CDHNRUw", 722),
    **dict.fromkeys("GOQ", 778),
    **dict.fromkeys("mM%", 833),
    "W": 944,
}


def width_px(text: str, size_pt: float) -> float:
    return sum(_WIDTHS[character] for character in text) * size_pt / 1000.0


def lines(text: str, size_pt: float, room_px: float) -> int:
    """Lines that a text takes when it is broken between words."""
    count, used = 1, 0.0
    for word in text.split():
        wide = width_px(word, size_pt)
        assert wide <= room_px, word
        gap = width_px(" ", size_pt) if used else 0.0
        if used + gap + wide > room_px:
            count, used = count + 1, wide
        else:
            used += gap + wide
    return count


@pytest.fixture(scope="module")
def patcher(built: Any) -> dict[str, Any]:
    """Patcher of the release device."""
    return load(built.release).patcher


@pytest.fixture(scope="module")
def shown(patcher: dict[str, Any]) -> list[dict[str, Any]]:
    """Boxes of the presentation."""
    return [entry["box"] for entry in patcher["boxes"] if entry["box"].get("presentation")]


def of(shown: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [box for box in shown if object_name(box) == name]


def test_everything_that_was_asked_for_is_there(shown: list[dict[str, Any]]) -> None:
    (bars,) = of(shown, "multislider")
    assert bars["size"] == len(BAND_NAMES) == 9
    assert bars["parameter_enable"] == 0
    assert len(of(shown, "live.meter~")) == 2
    assert len(of(shown, "flonum")) == 4
    assert len(of(shown, "live.numbox")) == len(of(shown, "live.text")) == 1
    texts = [box["text"] for box in of(shown, "live.comment")]
    captions = ("LUFS M", "LUFS S", "TRUE PEAK dBTP", "CREST dB", "L", "R", "UDP port")
    assert set(captions) <= set(texts)
    assert {"20", "60", "120", "250", "500", "1k", "2k", "4k", "8k"} <= set(texts)


def test_it_fits_into_lives_strip(patcher: dict[str, Any], shown: list[dict[str, Any]]) -> None:
    width = patcher["devicewidth"]
    assert patcher["openrect"] == [0.0, 0.0, width, 169.0]
    for box in shown:
        left, top, wide, high = box["presentation_rect"]
        assert all(float(side).is_integer() for side in box["presentation_rect"])
        assert left >= 0
        assert top >= 0
        assert wide > 0
        assert high > 0
        assert left + wide <= width
        assert top + high <= 169.0


def test_nothing_covers_anything(shown: list[dict[str, Any]]) -> None:
    front = [box["presentation_rect"] for box in shown if not box.get("background")]
    assert len(front) == len(shown) - 1
    taken: set[tuple[int, int]] = set()
    for left, top, wide, high in (map(int, rect) for rect in front):
        cells = {(x, y) for x in range(left, left + wide) for y in range(top, top + high)}
        assert not cells & taken
        taken |= cells


def test_every_text_fits_also_the_longest(shown: list[dict[str, Any]]) -> None:
    launcher = (ROOT / "m4l" / "launcher.js").read_text("utf-8")
    (limit,) = re.findall(r"TEXT_LIMIT = (\d+)", launcher)
    long_reason = ("exit code 1: another word or two of text " * 9)[: int(limit)]
    texts = {box["id"]: [str(box["text"])] for box in of(shown, "live.comment")}
    status = next(box for box in of(shown, "live.comment") if box["text"] == "Loading")
    backend = next(b for b in of(shown, "live.comment") if b["text"].startswith("Backend"))
    texts[status["id"]] += STATUS_TEXTS
    texts[backend["id"]] += [long_reason, "launcher ended: press Start"]
    for box in of(shown, "live.comment"):
        _, _, wide, high = box["presentation_rect"]
        size_pt = box["fontsize"]
        for text in texts[box["id"]]:
            needed = lines(text, size_pt, wide - MARGIN_PX)
            assert needed * LINE * size_pt <= high, text
            assert needed == 1 or box is backend, text


def test_every_number_fits(shown: list[dict[str, Any]]) -> None:
    for box in of(shown, "flonum"):
        _, _, wide, high = box["presentation_rect"]
        assert box["numdecimalplaces"] == 1
        assert width_px("-120.0", box["fontsize"]) <= wide - MARGIN_PX
        assert LINE * box["fontsize"] <= high


def test_colours_follow_the_theme(shown: list[dict[str, Any]]) -> None:
    """On the display everything has a display colour; on the surface the theme's own are left."""
    (panel,) = of(shown, "panel")
    display = panel["presentation_rect"]
    assert panel["background"] == 1
    for box in shown:
        attributes = box.get("saved_attribute_attributes", {})
        expressions = {
            name: value["expression"] for name, value in attributes.items() if name != "valueof"
        }
        on_display = box["presentation_rect"][0] < display[2]
        if object_name(box) == "live.meter~":
            continue  # has the theme's level colours by itself
        assert bool(expressions) == on_display, box["id"]
        for name, expression in expressions.items():
            assert re.fullmatch(r"themecolor\.live_lcd_\w+", expression)
            assert len(box.get(name, [0.0] * 4)) == 4


def test_displays_ignore_clicks(shown: list[dict[str, Any]]) -> None:
    for box in shown:
        is_setting = object_name(box) in ("live.numbox", "live.text")
        assert bool(box.get("ignoreclick")) != is_setting


def test_the_port_is_a_number_that_live_can_store(shown: list[dict[str, Any]]) -> None:
    (port,) = of(shown, "live.numbox")
    values = port["saved_attribute_attributes"]["valueof"]
    # whole-number parameters end at 255 in Live, so it is a float that is shown as a whole number
    assert (values["parameter_type"], values["parameter_unitstyle"]) == (0, 0)
    assert values["parameter_initial"] == [9701]
    assert values["parameter_initial_enable"] == 1
    assert (values["parameter_mmin"], values["parameter_mmax"]) == (1024.0, 65535.0)


def test_only_shown_boxes_are_on_the_face(patcher: dict[str, Any]) -> None:
    graph = Graph(patcher)
    for name in ("gen~", "node.script", "message", "pack", "comment"):
        assert not [b for b in graph.named(name) if graph.boxes[b].get("presentation")]


def test_the_pictures_in_the_documentation_are_there() -> None:
    for theme in ("light", "dark"):
        raw = (ROOT / "docs" / "images" / f"device-face-{theme}.png").read_bytes()
        assert raw.startswith(b"\x89PNG\r\n")
