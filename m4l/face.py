"""What the device shows in Live's strip: bars, meters, numbers, status, port and Start button.

Colours come from Live's theme. The display behind the numbers stays dark in light themes as well,
so what stands on it takes the colours that Live keeps for displays; the right part stands on the
device's own surface and takes the surface's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from m4l.boxes import HIDDEN, STORED_ONLY
from m4l.sheet import Outlet, Sheet
from pybackend.config import UDP_PORT
from pybackend.metering.design import BAND_EDGES_HZ, BAND_NAMES

HEIGHT_PX: Final = 169
"""Height of Live's device strip."""
WIDTH_PX: Final = 470
DISPLAY_PX: Final = 336
"""Width of the display on the left."""

BARS_LOW_DB, BARS_HIGH_DB = -72.0, 0.0
LABEL_PT, TEXT_PT, STATUS_PT, NUMBER_PT = 8.0, 9.5, 12.0, 14.0

DISPLAY, DIM, TITLE, ACCENT = (
    "live_lcd_bg",
    "live_lcd_control_fg_zombie",
    "live_lcd_title",
    "live_lcd_control_fg",
)
"""Theme colours of the display: ground, labels, numbers, bars."""

FALLBACK: Final = {
    DISPLAY: [0.157, 0.157, 0.157, 1.0],
    DIM: [0.549, 0.549, 0.549, 1.0],
    TITLE: [0.898, 0.898, 0.898, 1.0],
    ACCENT: [1.0, 0.71, 0.196, 1.0],
}
"""What is saved beside a theme colour; Live replaces it when the device is loaded."""

READINGS: Final = ("lufs_m", "lufs_s", "true_peak", "crest")
_CAPTIONS: Final = ("LUFS M", "LUFS S", "TRUE PEAK dBTP", "CREST dB")

Rect = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Face:
    """Boxes of the face that other parts of the patch talk to.

    Attributes
    ----------
    bars : str
        Nine band bars; takes a list of dB.
    meters : tuple of str
        Level meters, left and right; take the signal.
    readings : dict of str
        Number boxes by name: ``READINGS``.
    status, backend : str
        Texts; take ``set ...``.
    port : Outlet
        Port chosen.
    start : Outlet
        Bang of the Start button.
    """

    bars: str
    meters: tuple[str, str]
    readings: dict[str, str]
    status: str
    backend: str
    port: Outlet
    start: Outlet


def face_section(sheet: Sheet) -> Face:
    """Draw the face."""
    sheet.column("face", 200.0)
    _ground(sheet)
    bars = _bars(sheet)
    meters = (_meter(sheet, "L", 216), _meter(sheet, "R", 230))
    readings = {
        name: _reading(sheet, caption, (250, 5 + 40 * i))
        for i, (name, caption) in enumerate(zip(READINGS, _CAPTIONS, strict=True))
    }
    left, width = DISPLAY_PX + 6, WIDTH_PX - DISPLAY_PX - 12
    status = _text(sheet, "Loading", (left, 6, width, 18), STATUS_PT)
    backend = _text(sheet, "Backend not asked: press Start", (left, 27, width, 84), TEXT_PT)
    _text(sheet, "UDP port", (left, 117, 54, 15), TEXT_PT)
    port = _port(sheet, (left + 58, 117, 58, 15))
    start = _start(sheet, (left, 141, width, 20))
    return Face(bars, meters, readings, status, backend, (port, 0), (start, 0))


def shown(rect: Rect) -> dict[str, Any]:
    """Keys that put a box into the presentation."""
    return {"presentation": 1, "presentation_rect": [float(side) for side in rect]}


def themed(**colours: str) -> dict[str, Any]:
    """Keys that tie colour attributes to colours of Live's theme."""
    return {
        **{attribute: list(FALLBACK[name]) for attribute, name in colours.items()},
        "saved_attribute_attributes": {
            attribute: {"expression": f"themecolor.{name}"} for attribute, name in colours.items()
        },
    }


def _ground(sheet: Sheet) -> None:
    keys = themed(bgcolor=DISPLAY)
    keys["saved_attribute_attributes"]["bgfillcolor"] = {"expression": f"themecolor.{DISPLAY}"}
    sheet.box(
        "panel",
        **keys,
        **shown((0, 0, DISPLAY_PX, HEIGHT_PX)),
        angle=270.0,
        background=1,
        ignoreclick=1,
        mode=0,
        proportion=0.5,
        rounded=0,
    )


def _bars(sheet: Sheet) -> str:
    left, top, width, height = 24, 8, 20 * len(BAND_NAMES), 140
    bars = sheet.box(
        "multislider",
        **themed(bgcolor=DISPLAY, slidercolor=ACCENT),
        **shown((left, top, width, height)),
        ghostbar=0,
        ignoreclick=1,
        orientation=1,
        parameter_enable=0,
        parameter_mappable=0,
        setminmax=[BARS_LOW_DB, BARS_HIGH_DB],
        setstyle=1,
        settype=1,
        signed=0,
        size=len(BAND_NAMES),
        spacing=4,
    )
    for i, edge_hz in enumerate(BAND_EDGES_HZ[:-1]):
        _label(sheet, hertz(edge_hz), (left + 20 * i - 2, 150, 20, 14), 1)
    for part in range(4):
        level_db = BARS_HIGH_DB + (BARS_LOW_DB - BARS_HIGH_DB) * part / 3
        at = top - 2 + round((height - 10) * part / 3)
        _label(sheet, f"{level_db:.0f}", (1, at, 22, 13), 2)
    return bars


def hertz(frequency_hz: float) -> str:
    """Short text of a frequency: 250, 4k."""
    return f"{frequency_hz / 1000:g}k" if frequency_hz >= 1000 else f"{frequency_hz:g}"


def _meter(sheet: Sheet, name: str, left: int) -> str:
    _label(sheet, name, (left - 2, 150, 14, 14), 1)
    return sheet.box(
        "live.meter~",
        **shown((left, 8, 10, 140)),
        ignoreclick=1,
        interval=50,
        orientation=0,
    )


def _reading(sheet: Sheet, caption: str, at: tuple[int, int]) -> str:
    left, top = at
    _label(sheet, caption, (left, top, DISPLAY_PX - left - 2, 13), 0)
    return sheet.box(
        "flonum",
        **themed(bgcolor=DISPLAY, bordercolor=DISPLAY, textcolor=TITLE),
        **shown((left, top + 13, DISPLAY_PX - left - 4, 23)),
        cantchange=1,
        fontname="Arial",
        fontsize=NUMBER_PT,
        format=6,
        ignoreclick=1,
        numdecimalplaces=1,
        parameter_enable=0,
        triangle=0,
    )


def _label(sheet: Sheet, text: str, rect: Rect, justification: int) -> str:
    """Small text on the display; justification 0 left, 1 centre, 2 right."""
    return sheet.box(
        "live.comment",
        **themed(textcolor=DIM),
        **shown(rect),
        fontsize=LABEL_PT,
        ignoreclick=1,
        text=text,
        textjustification=justification,
    )


def _text(sheet: Sheet, text: str, rect: Rect, size_pt: float) -> str:
    """Text on the device's surface; its colour is the theme's by itself."""
    return sheet.box(
        "live.comment",
        **shown(rect),
        fontsize=size_pt,
        ignoreclick=1,
        text=text,
        textjustification=0,
    )


def _port(sheet: Sheet, rect: Rect) -> str:
    """Number box for the port; of type float, because whole-number parameters end at 255."""
    return sheet.box(
        "live.numbox",
        **shown(rect),
        annotation="UDP port of the MoveJudge backend on this computer.",
        annotation_name="UDP port",
        parameter_enable=1,
        saved_attribute_attributes={
            "valueof": {
                "parameter_info": "UDP port of the MoveJudge backend on this computer.",
                "parameter_initial": [UDP_PORT],
                "parameter_initial_enable": 1,
                "parameter_invisible": STORED_ONLY,
                "parameter_longname": "UDP Port",
                "parameter_mmax": 65535.0,
                "parameter_mmin": 1024.0,
                "parameter_modmode": 0,
                "parameter_shortname": "Port",
                "parameter_type": 0,
                "parameter_unitstyle": 0,
            }
        },
        varname="UDP Port",
    )


def _start(sheet: Sheet, rect: Rect) -> str:
    return sheet.box(
        "live.text",
        **shown(rect),
        annotation="Start the MoveJudge backend on this computer.",
        annotation_name="Start backend",
        mode=0,
        parameter_enable=1,
        saved_attribute_attributes={
            "valueof": {
                "parameter_enum": ["off", "on"],
                "parameter_info": "Start the MoveJudge backend on this computer.",
                "parameter_invisible": HIDDEN,
                "parameter_longname": "Start Backend",
                "parameter_mmax": 1,
                "parameter_modmode": 0,
                "parameter_shortname": "Start",
                "parameter_type": 2,
            }
        },
        text="Start backend",
        texton="Start backend",
        varname="Start Backend",
    )
