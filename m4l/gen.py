"""The ``gen~`` object: one codebox in a patcher of its own, embedded in the device."""

from __future__ import annotations

from typing import Any, Final

from m4l.genexpr.parser import parse
from m4l.objects import ANY, Ports
from m4l.sheet import APPVERSION, Sheet

_COLUMN_PX: Final = 90.0


def gen_patcher(code: str) -> dict[str, Any]:
    """Patcher of a ``gen~`` whose inlets and outlets are those of its codebox.

    Parameters
    ----------
    code : str
        GenExpr; every ``in1``.. and ``out1``.. in it becomes a port.

    Raises
    ------
    GenExprError
        The code is no GenExpr, or uses what the device may not use.
    """
    program = parse(code)
    inlets, outlets = program.inputs, program.outputs
    sheet = Sheet()
    ports = Ports(inlets, (ANY,) * outlets)
    width = max(400.0, _COLUMN_PX * max(inlets, outlets))
    box = sheet.inner(
        "codebox",
        (20.0, 60.0, width, 400.0),
        ports,
        code=code,
        fontface=0,
        fontname="<Monospaced>",
        fontsize=12.0,
    )
    for i in range(inlets):
        at = (20.0 + _COLUMN_PX * i, 20.0, 40.0, 22.0)
        port = sheet.inner("newobj", at, Ports(0, (ANY,)), text=f"in {i + 1}")
        sheet.cord(port, box, i)
    for i in range(outlets):
        at = (20.0 + _COLUMN_PX * i, 480.0, 40.0, 22.0)
        port = sheet.inner("newobj", at, Ports(1, ()), text=f"out {i + 1}")
        sheet.cord((box, i), port)
    return {
        "fileversion": 1,
        "appversion": dict(APPVERSION),
        "classnamespace": "dsp.gen",
        "rect": [100.0, 100.0, 900.0, 600.0],
        "boxes": sheet.boxes,
        "lines": sheet.lines,
    }
