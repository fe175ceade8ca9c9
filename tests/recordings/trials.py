"""Every edit of the study with what it is for, and where its figures need a human's word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import edits
from edits import Edit
from pieces import Piece

WEIGHT: Final = ("weight",)


@dataclass(frozen=True)
class Trial:
    """An edit that is judged for one goal.

    Parameters
    ----------
    name : str
        What is done.
    target : str
        The dimension that is to rise, or to fall if it begins with "-".
    edit : Edit
        What does it.
    protect : tuple of str
        What must not get worse.
    late_s : float
        How much later the sound comes out.
    but : str
        Why a producer would object although the dimension moved as asked; empty if none would.
    """

    name: str
    target: str
    edit: Edit
    protect: tuple[str, ...] = ()
    late_s: float = 0.0
    but: str = ""

    @property
    def dimension(self) -> str:
        """Name of the target."""
        return self.target.removeprefix("-")

    @property
    def sign(self) -> float:
        """1 to rise, -1 to fall."""
        return -1.0 if self.target.startswith("-") else 1.0


def trials(piece: Piece) -> list[Trial]:
    """Edits of the study that a piece allows."""
    echo = edits.on_mix(edits.echoed, time_s=piece.bar_s / 8.0, level_db=-9.0)
    found = [*_EVERY, Trial("echo of an eighth, -9 dB", "brightness", echo)]
    return found + list(_GUITARS) if len(piece.stems) == 2 else found


_LATE_S: Final = 4096 / 44100
_SHELF: Final = edits.high_shelf(3000, 3)

_EVERY: Final = (
    Trial("nothing, other frame phase", "brightness", edits.nothing()),
    Trial("nothing, other frame phase", "weight", edits.nothing()),
    Trial("nothing, other frame phase", "width", edits.nothing()),
    Trial("nothing, other frame phase", "-dynamics", edits.nothing()),
    Trial("nothing, other frame phase", "energy", edits.nothing()),
    *(Trial(f"gain {db:+g} dB", "brightness", edits.gain(db), WEIGHT) for db in (-6, -3, 3, 6)),
    Trial("gain +0.2 dB", "energy", edits.gain(0.2)),
    Trial("gain +1 dB", "energy", edits.gain(1)),
    Trial("gain -3 dB", "energy", edits.gain(-3)),
    Trial("high shelf +0.2 dB at 3 kHz", "brightness", edits.high_shelf(3000, 0.2), WEIGHT),
    Trial("high shelf +1 dB at 3 kHz", "brightness", edits.high_shelf(3000, 1), WEIGHT),
    Trial("high shelf +3 dB at 3 kHz", "brightness", _SHELF, WEIGHT),
    Trial("high shelf +3 dB at 3 kHz", "-brightness", _SHELF),
    Trial("high shelf -3 dB at 3 kHz", "brightness", edits.high_shelf(3000, -3)),
    Trial("high shelf +3 dB at 8 kHz", "brightness", edits.high_shelf(8000, 3)),
    Trial(
        "the 3 kHz shelf, 93 ms late",
        "brightness",
        edits.chain(_SHELF, edits.on_mix(edits.delayed, time_s=_LATE_S)),
        late_s=_LATE_S,
    ),
    Trial(
        "high shelf +3 dB, low shelf -4 dB at 120 Hz",
        "brightness",
        edits.chain(_SHELF, edits.low_shelf(120, -4)),
        WEIGHT,
    ),
    Trial("bell +3 dB at 3 kHz", "brightness", edits.bell(3000, 3), WEIGHT),
    Trial("low-pass 8 kHz", "-brightness", edits.low_pass(8000)),
    Trial("low shelf +1 dB at 100 Hz", "weight", edits.low_shelf(100, 1)),
    Trial("low shelf +3 dB at 100 Hz", "weight", edits.low_shelf(100, 3), ("brightness",)),
    Trial("low shelf -3 dB at 100 Hz", "weight", edits.low_shelf(100, -3)),
    Trial("high-pass 30 Hz", "weight", edits.high_pass(30)),
    Trial("high-pass 120 Hz", "-band_low", edits.high_pass(120), WEIGHT),
    Trial("bell -3 dB at 300 Hz", "-band_low_mid", edits.bell(300, -3), WEIGHT),
    Trial("bell -3 dB at 800 Hz", "-band_mid", edits.bell(800, -3), WEIGHT),
    Trial("side +1.2 dB", "width", edits.side(1.2)),
    Trial("side +3 dB", "width", edits.side(3), WEIGHT),
    Trial("side -3 dB", "width", edits.side(-3)),
    Trial("reverb -12 dB", "width", edits.on_mix(edits.roomed, wet_db=-12.0)),
    Trial("pan 3 dB to the right", "width", edits.pan(3), but="panning is not width"),
    Trial("right channel turned over", "width", edits.polarity(), but="cancels in mono"),
    Trial("bus compressor, 12 dB deep", "-dynamics", edits.compress(12)),
    Trial("bus compressor, 12 dB deep", "brightness", edits.compress(12), WEIGHT),
    Trial(
        "bus compressor, 12 dB deep, then the 3 kHz shelf",
        "brightness",
        edits.chain(edits.compress(12), _SHELF),
        WEIGHT,
    ),
    Trial(
        "limiter, 6 dB pushed", "energy", edits.on_mix(edits.limited, push_db=6.0, ceiling_db=-3.0)
    ),
    Trial("hard clipping 4 dB", "-psr", edits.clip(4)),
    Trial("saturation", "brightness", edits.drive(0.0)),
)
_GUITARS: Final = (
    Trial("guitars +3 dB", "weight", edits.stem(1, 3)),
    Trial("guitars +3 dB", "energy", edits.stem(1, 3)),
    Trial("guitars -3 dB", "weight", edits.stem(1, -3)),
    Trial("guitars muted", "weight", edits.stem(1, -200), ("brightness",)),
)
