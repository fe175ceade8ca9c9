"""Properties that a move may set: their ranges, and how Live treats them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .schema import Choice, Flag, Integer, Number, Text

if TYPE_CHECKING:
    from typing import Any

COLOR = Integer(0, 0xFFFFFF)
NAME = Text(255)
SIGNATURE_UPPER = Integer(1, 99)
SIGNATURE_LOWER = Choice(1, 2, 4, 8, 16)

# Owner -> property -> what it takes.
SETTABLE: dict[str, dict[str, Any]] = {
    "song": {
        "tempo": Number(20, 999),
        "signature_numerator": SIGNATURE_UPPER,
        "signature_denominator": SIGNATURE_LOWER,
        "root_note": Integer(0, 11),
        "scale_name": NAME,
        "groove_amount": Number(0, 1.3125),
        "swing_amount": Number(0, 1),
    },
    "track": {"name": NAME, "color": COLOR, "mute": Flag(), "solo": Flag(), "arm": Flag()},
    "clip": {
        "name": NAME,
        "color": COLOR,
        "muted": Flag(),
        "gain": Number(0, 1),
        "pitch_coarse": Integer(-48, 48),
        "pitch_fine": Number(-50, 49),
        "signature_numerator": SIGNATURE_UPPER,
        "signature_denominator": SIGNATURE_LOWER,
    },
    "scene": {
        "name": NAME,
        "color": COLOR,
        "tempo": Number(20, 999),
        "tempo_enabled": Flag(),
        "time_signature_numerator": SIGNATURE_UPPER,
        "time_signature_denominator": SIGNATURE_LOWER,
        "time_signature_enabled": Flag(),
    },
    "device": {"name": NAME},
}
# Not, or not surely, in Live's undo history: put back by us.
UNTRACKED = frozenset((("track", "arm"), ("track", "solo")))
DEFERRED = frozenset(("song", name) for name in SETTABLE["song"])
AUDIO_ONLY = frozenset(("gain", "pitch_coarse", "pitch_fine"))
