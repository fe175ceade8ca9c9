"""One thing that a move can change: its meaning, its unit and its display scale."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Family = Literal["technical", "artistic", "measured"]
Direction = Literal["more", "centre", "either"]


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that a move can change.

    Parameters
    ----------
    name : str
        The name in goals, protects and verdicts.
    family : {"technical", "artistic", "measured"}
        A word of the technical or artistic vocabulary, or a plain measurement.
    measured_as : str
        Definition of the number, or what it would take to have one.
    needs : str
        Inputs that the number needs.
    unit : str
        Native unit of value, change, smallest effect and margin.
    smallest_effect : float
        Smallest change that counts, in the native unit.
    error_floor : float
        Standard error that no repetition can get below, in the native unit.
    direction : {"more", "centre", "either"}
        What counts as damage when the goal does not name it: less of it, a step away from zero, or
        any change.
    share : bool
        Whether the native value lies on 0..1 itself, so that it is shown as it is.
    midpoint, spread : float
        Display scale: the native value shown as 0.5, and the distance over which the scale climbs.
    more, less : str
        A producer's words for a rise and a fall.
    subject : str
        What the sentence is about when nothing changed.
    bands : tuple of int
        Bands whose own level the dimension is about.
    unavailable : str
        Why one passage of a master's frames cannot show it; empty if it can.
    source : str
        Standard, paper or experiment that the definition comes from.
    limits : str
        What the number does not say.
    level_free : bool
        Whether a gain leaves it where it is.
    supports : bool
        Whether it can only support another target: a proxy never keeps a move by itself.
    guard : str
        Dimension that must not have fallen for a rise of this one to count; empty for none.
    min_bars : int
        Bars below which it is unavailable.
    """

    name: str
    family: Family
    measured_as: str
    needs: str = "frames of the master"
    unit: str = ""
    smallest_effect: float = 0.0
    error_floor: float = 0.03
    direction: Direction = "more"
    share: bool = False
    midpoint: float = 0.0
    spread: float = 1.0
    more: str = ""
    less: str = ""
    subject: str = ""
    bands: tuple[int, ...] = ()
    unavailable: str = ""
    source: str = ""
    limits: str = ""
    level_free: bool = True
    supports: bool = False
    guard: str = ""
    min_bars: int = 0

    @property
    def from_frames(self) -> bool:
        """Whether one passage of a master's frames can show it."""
        return not self.unavailable

    @property
    def protect_margin(self) -> float:
        """How much of it a protect lets go by default, in the native unit."""
        return 2.0 * self.smallest_effect

    def squash(self, value: float) -> float:
        """Native value on the display scale 0..1: logistic, or 1 at the centre and falling."""
        if self.share:
            return min(1.0, max(0.0, value))
        if self.direction == "centre":
            return float(2.0 ** (-abs(value) / self.spread))
        return 1.0 / (1.0 + math.exp(min(700.0, -(value - self.midpoint) / self.spread)))

    def native(self, level: float) -> float:
        """Native value of a display level; the inverse of `squash`.

        Parameters
        ----------
        level : float
            On the display scale, 0..1.

        Returns
        -------
        float
            Native value; for a dimension with a centre, the distance from it. The ends of the
            scale are infinitely far away.
        """
        if not 0.0 <= level <= 1.0:
            raise ValueError(f"a display level lies in 0..1, got {level}")
        if self.share:
            return level
        if self.direction == "centre":
            return math.inf if level == 0.0 else -self.spread * math.log2(level)
        if level in (0.0, 1.0):
            return math.inf if level else -math.inf
        return self.midpoint + self.spread * math.log(level / (1.0 - level))
