"""``CuePoint``, ``GroovePool``, ``Groove``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live.arguments import FLOAT, TEXT
from pybackend.studio.live.declaring import calling, reading, stored
from pybackend.studio.live.lom.common import LomObject, between, children
from pybackend.studio.live.playing import place_playhead

if TYPE_CHECKING:
    from typing import Any


class CuePoint(LomObject):
    """A locator."""

    __slots__ = ()

    time = stored(FLOAT, settable=False)

    @reading(listen=True)
    def name(self) -> str:
        """Its name; settable from 12.1 on."""
        return str(self._node["name"])

    @name.writing(TEXT)
    def _write_name(self: Any, value: str) -> None:
        if self._rt.live.version < (12, 1, 0):
            raise AttributeError("can't set attribute")
        self._world.put(self._node, "name", value)

    @calling()
    def jump(self) -> None:
        """Move the playhead here from the next turn on."""
        time = self._node["time"]
        self._world.later(lambda: place_playhead(self._world, time))


class GroovePool(LomObject):
    """All grooves of the set."""

    __slots__ = ()

    grooves = children("grooves")


class Groove(LomObject):
    """One groove."""

    __slots__ = ()

    name = stored(TEXT)
    quantization_amount = stored(FLOAT, valid=between(0.0, 100.0, "Amount"))
    timing_amount = stored(FLOAT, valid=between(0.0, 100.0, "Amount"))
    random_amount = stored(FLOAT, valid=between(0.0, 100.0, "Amount"))
    velocity_amount = stored(FLOAT, valid=between(-100.0, 100.0, "Amount"))
