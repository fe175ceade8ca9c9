"""Draws the built device's face into ``docs/images``: ``python -m tests.m4l.draw_face``.

Needs matplotlib, which nothing else does. Boxes stand at their presentation rectangles in the built
file, numbers and texts are what the patch itself shows in the simulator after two seconds of
example frames. Colours are two of Live's themes, by eye; fonts are matplotlib's, wider than Live's.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from m4l.extract import load
from m4l.face import BARS_HIGH_DB, BARS_LOW_DB, HEIGHT_PX
from pybackend.assets import device_file
from pybackend.stream.protocol import FRAME_COLUMNS, FRAME_WIDTH
from tests.m4l.maxsim.engine import Live
from tests.m4l.maxsim.stage import Outbox, Stage

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SCALE = 2.0

COMMON = {
    "live_lcd_control_fg": "#ffb532",
    "live_lcd_control_fg_zombie": "#8c8c8c",
    "live_lcd_title": "#e5e5e5",
}
THEMES = {
    "light": {
        **COMMON,
        "surface": "#c4c4c4",
        "text": "#101010",
        "control": "#dcdcdc",
        "live_lcd_bg": "#282828",
    },
    "dark": {
        **COMMON,
        "surface": "#363636",
        "text": "#b5b5b5",
        "control": "#1e1e1e",
        "live_lcd_bg": "#181818",
    },
}
EXAMPLE: dict[str, list[float]] = {
    "band_power": [4e-5, 3e-3, 1.2e-2, 7e-3, 4e-3, 2.2e-3, 1.1e-3, 4e-4, 9e-5],
    "mean_square": [1.6e-2, 1.5e-2],
    "true_peak": [0.71, 0.66],
    "lufs_m": [-16.2],
    "lufs_s": [-17.8],
    "sample_rate": [48000.0],
}
LEVEL_DB = {"left": -9.0, "right": -11.0}


def played(patcher: Mapping[str, Any]) -> Stage:
    """The device after two seconds of frames, with a backend that runs."""
    stage = Stage(patcher, Outbox(), Live(running=1))
    stage.max.one("live.text").press()
    stage.max.one("node.script").say("state", 2, "backend 0.1.0 running")
    for seq in range(45):
        row = [0.0] * FRAME_WIDTH
        for name, values in {**EXAMPLE, "seq": [float(seq)], "seq_check": [float(seq)]}.items():
            row[FRAME_COLUMNS[name]] = values
        stage.play([row])
    return stage


class Picture:
    """One picture of a face."""

    def __init__(self, axes: Axes, theme: Mapping[str, str]) -> None:
        self._axes = axes
        self._theme = theme

    def draw(self, box: Any) -> None:
        """Draw one box of the simulator."""
        saved = box.saved
        x, y, width, height = saved["presentation_rect"]
        match box.name:
            case "panel":
                self._fill(saved["presentation_rect"], self._themed(saved, "bgfillcolor"))
            case "live.comment":
                colour = self._themed(saved, "textcolor")
                self._text(saved, box.text, colour, saved["textjustification"])
            case "flonum":
                (value,) = box.value
                self._text(saved, f"{value:.1f}", self._themed(saved, "textcolor"), 0)
            case "multislider":
                self._bars(saved, box.value)
            case "live.meter~":
                level_db = LEVEL_DB["left" if x < 225 else "right"]
                self._fill((x, y, width, height), "#101010")
                high = height * (level_db + 70.0) / 76.0
                self._fill((x, y + height - high, width, high), "#3ecf5c")
            case "live.numbox":
                self._fill((x, y, width, height), self._theme["control"])
                self._text(saved, f"{box.value:.0f}", self._theme["text"], 1)
            case "live.text":
                self._fill((x, y, width, height), self._theme["control"])
                self._text(saved, str(saved["text"]), self._theme["text"], 1)

    def _themed(self, saved: Mapping[str, Any], attribute: str) -> str:
        expression = saved.get("saved_attribute_attributes", {}).get(attribute, {})
        name = str(expression.get("expression", "themecolor.text")).removeprefix("themecolor.")
        return self._theme[name]

    def _fill(self, rect: Any, colour: str) -> None:
        x, y, width, height = rect
        self._axes.add_patch(Rectangle((x, y), width, height, color=colour, lw=0))

    def _bars(self, saved: Mapping[str, Any], levels_db: Any) -> None:
        x, y, width, height = saved["presentation_rect"]
        self._fill((x, y, width, height), self._themed(saved, "bgcolor"))
        pitch = width / len(levels_db)
        for i, level_db in enumerate(levels_db):
            share = (min(max(level_db, BARS_LOW_DB), BARS_HIGH_DB) - BARS_LOW_DB) / (
                BARS_HIGH_DB - BARS_LOW_DB
            )
            bar = (
                x + pitch * i,
                y + height * (1 - share),
                pitch - saved["spacing"],
                height * share,
            )
            self._fill(bar, self._themed(saved, "slidercolor"))

    def _text(self, saved: Mapping[str, Any], text: str, colour: str, justification: int) -> None:
        x, y, width, height = saved["presentation_rect"]
        size = float(saved.get("fontsize", 9.5))
        per_line = max(1, int((width - 4) / (size * 0.56)))
        lines = textwrap.wrap(text, per_line) or [""]
        is_control = saved["maxclass"] in ("live.numbox", "live.text", "flonum")
        middle = y + height / 2 if is_control else y + 2 + size * 0.6
        anchors = {0: (x + 2, "left"), 1: (x + width / 2, "center"), 2: (x + width - 2, "right")}
        at, align = anchors[justification]
        clip = Rectangle((x, y), width, height, transform=self._axes.transData)
        for i, line in enumerate(lines):
            drawn = self._axes.text(
                *(at, middle + i * size * 1.2, line),
                color=colour,
                fontsize=size * 0.92,
                ha=align,
                va="center",
            )
            drawn.set_clip_path(clip)


def draw(stage: Stage, theme: Mapping[str, str], path: Path) -> None:
    """Write one picture."""
    shown = [box for box in stage.max.boxes.values() if box.saved.get("presentation")]
    shown.sort(key=lambda box: not box.saved.get("background"))
    width = (
        max(b.saved["presentation_rect"][0] + b.saved["presentation_rect"][2] for b in shown) + 6
    )
    figure = plt.figure(figsize=(width / 72, HEIGHT_PX / 72), dpi=72 * SCALE)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(HEIGHT_PX, 0))
    axes.axis("off")
    figure.patch.set_facecolor(theme["surface"])
    picture = Picture(axes, theme)
    for box in shown:
        picture.draw(box)
    # no date and no version inside: the same face gives the same file
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    """Draw the face in both themes."""
    stage = played(load(device_file()).patcher)
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, theme in THEMES.items():
        draw(stage, theme, IMAGES / f"device-face-{name}.png")


if __name__ == "__main__":
    main()
