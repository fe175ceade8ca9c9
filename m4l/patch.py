"""The whole patch of the device: boxes and cords, and what Max keeps beside them."""

from __future__ import annotations

from typing import Any, Final

from m4l.amxd import FIXED_DATE
from m4l.audio import audio_section
from m4l.boxes import is_parameter
from m4l.face import HEIGHT_PX, WIDTH_PX, face_section
from m4l.launch import LAUNCHER, launch_section
from m4l.messages import POLL_MS, frame_section, hello_section, sender_section
from m4l.readings import readings_section, status_section
from m4l.sheet import APPVERSION, Sheet
from m4l.state import state_section
from m4l.transport import transport_section

AUDIO_EFFECT: Final = int.from_bytes(b"aaaa", "big")


def device_patcher(code: str, version: tuple[int, int, int]) -> dict[str, Any]:
    """Patcher of the device, without the outer ``{"patcher": ...}``.

    Parameters
    ----------
    code : str
        GenExpr of the analyzer, with the ports of `ring.INLETS` and `ring.OUTLETS`.
    version : tuple of int
        Device version: major, minor, patch.

    Raises
    ------
    GenExprError
        The code is no GenExpr, or uses what the device may not use.
    """
    sheet = Sheet()
    face = face_section(sheet)
    state = state_section(sheet)
    audio = audio_section(sheet, code, face.meters)
    sheet.column("poll", 120.0)
    clock, poll = sheet.typed(f"metro {POLL_MS}"), sheet.typed("t b b")
    sheet.chain(state.start, clock, poll)
    flags = transport_section(sheet, (poll, 1), state, audio)
    sender = sender_section(sheet, state, face)
    frame = frame_section(sheet, (poll, 0), audio.counter, state, sender)
    hello_section(sheet, state, flags, version, sender)
    readings_section(sheet, frame, state, face)
    found = launch_section(sheet, face)
    status_section(sheet, frame, state, found, face)
    return _around(sheet)


def _around(sheet: Sheet) -> dict[str, Any]:
    return {
        "fileversion": 1,
        "appversion": dict(APPVERSION),
        "classnamespace": "box",
        "rect": [60.0, 100.0, 1600.0, 900.0],
        "openrect": [0.0, 0.0, float(WIDTH_PX), float(HEIGHT_PX)],
        "bglocked": 0,
        "openinpresentation": 1,
        "default_fontsize": 10.0,
        "default_fontface": 0,
        "default_fontname": "Arial",
        "gridonopen": 1,
        "gridsize": [8.0, 8.0],
        "gridsnaponopen": 1,
        "objectsnaponopen": 1,
        "statusbarvisible": 2,
        "toolbarvisible": 1,
        "lefttoolbarpinned": 0,
        "toptoolbarpinned": 0,
        "righttoolbarpinned": 0,
        "bottomtoolbarpinned": 0,
        "toolbars_unpinned_last_save": 0,
        "tallnewobj": 0,
        "boxanimatetime": 200,
        "enablehscroll": 1,
        "enablevscroll": 1,
        "devicewidth": float(WIDTH_PX),
        "description": "Measures the track for MoveJudge and sends frames to its backend.",
        "digest": "",
        "tags": "",
        "style": "",
        "subpatcher_template": "",
        "assistshowspatchername": 0,
        "boxes": sheet.boxes,
        "lines": sheet.lines,
        "parameters": _parameters(sheet),
        "dependency_cache": [
            {
                "name": LAUNCHER,
                "bootpath": ".",
                "patcherrelativepath": ".",
                "type": "TEXT",
                "implicit": 1,
            }
        ],
        "latency": 0,
        "is_mpe": 0,
        "external_mpe_tuning_enabled": 0,
        "minimum_live_version": "",
        "minimum_max_version": "",
        "platform_compatibility": 0,
        "project": _project(),
        "autosave": 0,
    }


def _parameters(sheet: Sheet) -> dict[str, Any]:
    """Names of the parameters by box; a bank of eight places, because Live wants exactly eight."""
    boxes = (entry["box"] for entry in sheet.boxes)
    named = {}
    for box in boxes:
        if is_parameter(box):
            values = box["saved_attribute_attributes"]["valueof"]
            named[box["id"]] = [values["parameter_longname"], values["parameter_shortname"], 0]
    return {
        **named,
        "parameterbanks": {"0": {"index": 0, "name": "", "parameters": ["-"] * 8}},
        "inherited_shortname": 1,
    }


def _project() -> dict[str, Any]:
    return {
        "version": 1,
        "creationdate": FIXED_DATE,
        "modificationdate": FIXED_DATE,
        "viewrect": [0.0, 0.0, 300.0, 500.0],
        # Max would move the launcher into a folder of its own, where Node does not find it.
        "autoorganize": 0,
        "hideprojectwindow": 1,
        "showdependencies": 1,
        "autolocalize": 0,
        "contents": {"patchers": {}},
        "layout": {},
        "searchpath": {},
        "detailsvisible": 0,
        "amxdtype": AUDIO_EFFECT,
        "readonly": 0,
        "devpathtype": 0,
        "devpath": ".",
        "sortmode": 0,
        "viewmode": 0,
        "includepackages": 0,
    }
