"""What the face shows: bars and numbers at most ten times a second, peak and status once.

Frames come on the scheduler's thread. Whatever is drawn goes through ``deferlow`` or ``qmetro``
first, since drawing on the scheduler's thread can stop the audio in Live.
"""

from __future__ import annotations

from typing import Final

from m4l import ring
from m4l.check import BuildError
from m4l.face import Face
from m4l.messages import typed_list
from m4l.sheet import Outlet, Sheet
from m4l.state import State
from pybackend.stream.protocol import FRAME_FIELDS, type_tags

FACE_MS: Final = 100
STATUS_MS: Final = 1000

FLOOR: Final = "0.000000000001"
"""Power below which the face shows -120 dB."""
DECIBELS: Final = f"expr 10. * log10($f1 + {FLOOR})"
LARGER: Final = "expr ($f1 > $f2) * $f1 + ($f1 <= $f2) * $f2"
AVERAGE: Final = "expr $f3 + 0.05 * (0.5 * ($f1 + $f2) - $f3)"
"""Mean square averaged over about a second of frames, from left, right and the average so far."""
CREST: Final = f"expr 10. * log10(($f1 * $f1 + {FLOOR}) / ($f2 + {FLOOR}))"
NOT_BELOW_ZERO: Final = "expr ($f1 > 0.) * $f1"

STATUS: Final = "expr $i1 * (1 + $i2 * (1 + $i3 * (1 + $i4)))"
"""Index into ``STATUS_TEXTS``, from enabled, audio on, frames sent, backend found."""
STATUS_TEXTS: Final = ("Device off", "Audio off", "Waiting for frames", "Sending", "Streaming")
"""*Sending* does not know whether anybody hears it: nothing comes back over UDP. *Streaming* also
has the launcher's word that a backend answers."""


def readings_section(sheet: Sheet, frame: Outlet, state: State, face: Face) -> None:
    """Bars and loudness of the latest frame, peak and crest of the last second.

    Parameters
    ----------
    sheet : Sheet
        Patcher in the making.
    frame : Outlet
        The values of each frame in the ring's order, as a list, on the scheduler's thread.
    state, face
        Where clocks start, and what is drawn.
    """
    split_text = typed_list("unpack", type_tags(FRAME_FIELDS)[ring.FIRST_COLUMN :])
    sheet.column("bars and loudness", 420.0)
    split = sheet.typed(split_text)
    sheet.chain(frame, sheet.typed(f"speedlim {FACE_MS}"), sheet.typed("deferlow"), split)
    bands = _values("band_power")
    packed = sheet.typed(typed_list("pack", "f" * (bands.stop - bands.start)))
    for i in range(bands.start, bands.stop):
        level = sheet.typed(DECIBELS)
        sheet.cord((split, i), level)
        sheet.cord(level, packed, i - bands.start)
    sheet.cord(packed, face.bars)
    for name in ("lufs_m", "lufs_s"):
        sheet.cord((split, _values(name).start), face.readings[name])

    sheet.column("peak and crest", 420.0)
    every = sheet.typed(split_text)
    sheet.cord(frame, every)
    sides, largest, average = sheet.typed(LARGER), sheet.typed(LARGER), sheet.typed(AVERAGE)
    for box, field in ((sides, "true_peak"), (average, "mean_square")):
        for inlet in (0, 1):
            sheet.cord((every, _values(field).start + inlet), box, inlet)
    sheet.cord(sides, largest)
    # Each keeps its last result in a cold inlet.
    sheet.cord(largest, largest, 1)
    sheet.cord(average, average, 2)
    clock, order = sheet.typed(f"qmetro {STATUS_MS}"), sheet.typed("t 0. b b")
    sheet.chain(state.start, clock, order)
    peak, mean = sheet.typed("f"), sheet.typed("f")
    sheet.cord(largest, peak, 1)
    sheet.cord(average, mean, 1)
    power, crest = sheet.typed("expr $f1 * $f1"), sheet.typed(CREST)
    sheet.cord((order, 2), mean)
    sheet.cord(mean, crest, 1)
    sheet.cord((order, 1), peak)
    sheet.chain(peak, power, sheet.typed(DECIBELS), face.readings["true_peak"])
    sheet.chain(peak, crest, sheet.typed(NOT_BELOW_ZERO), face.readings["crest"])
    sheet.cord((order, 0), largest, 1)
    sheet.cord((order, 0), peak, 1)


def _values(field: str) -> slice:
    """Places of a field in the list of a frame's values."""
    if field not in ring.FIELDS:
        raise BuildError(f"the face shows '{field}', which is not in the protocol's table")
    return ring.FIELDS[field]


def status_section(
    sheet: Sheet, frame: Outlet, state: State, backend_found: Outlet, face: Face
) -> None:
    """One word on whether the device works, once a second, drawn when it changes."""
    sheet.column("status", 260.0)
    clock, order = sheet.typed(f"qmetro {STATUS_MS}"), sheet.typed("t 0 b b")
    sheet.chain(state.start, clock, order)
    enabled, sent = sheet.typed("i 1"), sheet.typed("i")
    status, one = sheet.typed(STATUS), sheet.typed("t 1")
    sheet.cord(state.enabled, enabled, 1)
    sheet.cord(state.audio_on, status, 1)
    sheet.chain(frame, one)
    sheet.cord(one, sent, 1)
    sheet.cord((order, 2), sent)
    sheet.cord(sent, status, 2)
    sheet.cord(backend_found, status, 3)
    sheet.cord((order, 1), enabled)
    sheet.cord((order, 0), sent, 1)
    numbers = " ".join(str(i) for i in range(len(STATUS_TEXTS)))
    pick = sheet.typed(f"sel {numbers}")
    sheet.chain(enabled, status, sheet.typed("change -1"), pick)
    for i, text in enumerate(STATUS_TEXTS):
        sheet.chain((pick, i), sheet.message(f"set {text}"), face.status)
    active = sheet.message("active $1")
    sheet.cord(state.enabled, active)
    for meter in face.meters:
        sheet.cord(active, meter)
