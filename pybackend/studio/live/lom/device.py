"""``Device``, ``PluginDevice``, ``MaxDevice`` and their views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live.arguments import BOOL, INT, TEXT
from pybackend.studio.live.declaring import calling, fixed, reading, stored
from pybackend.studio.live.enums import DeviceType
from pybackend.studio.live.lom.common import LomObject, between, child, children
from pybackend.studio.live.rules import LIST_READ_S
from pybackend.studio.live.vectors import StringVector

if TYPE_CHECKING:
    from typing import Any


class DeviceView(LomObject):
    """``Device.View``."""

    __slots__ = ()

    is_collapsed = stored(BOOL, field="collapsed", tracked=False)


class Device(LomObject):
    """A device in the chain of a track or of a rack."""

    __slots__ = ()

    name = stored(TEXT)
    class_name = fixed(lambda obj: obj._node["spec"].class_name)
    class_display_name = fixed(lambda obj: obj._node["spec"].name)
    type = fixed(lambda obj: DeviceType.values[obj._node["spec"].device_type])
    can_have_chains = fixed(lambda obj: obj._node.kind == "RackDevice")
    can_have_drum_pads = fixed(lambda obj: obj._node["spec"].drums)
    parameters = children("parameters")
    view = child("view")

    @reading(listen=True)
    def is_active(self) -> bool:
        """Whether it is on, and every rack around it too."""
        node: Any = self._node
        while node is not None and node.kind != "Track":
            if "parameters" in node.fields and node["parameters"][0]["value"] == 0.0:
                return False
            node = node.parent
        return True

    @reading(listen=True, since=(11, 3, 2))
    def latency_in_samples(self) -> int:
        """Delay that the device adds."""
        return int(self._node["spec"].latency_samples)

    @reading(listen=True, since=(11, 3, 2))
    def latency_in_ms(self) -> float:
        """The same in milliseconds at 48 kHz."""
        return float(self._node["spec"].latency_samples) / 48.0


class PluginDevice(Device):
    """A plug-in."""

    __slots__ = ()

    @reading(listen=True, cost_s=LIST_READ_S)
    def presets(self) -> StringVector:
        """Names of the plug-in's programs."""
        return StringVector(("Default", "Init"))

    @reading(listen=True)
    def selected_preset_index(self) -> int:
        """Number of the program."""
        return int(self._node["selected_preset_index"])

    @selected_preset_index.writing(INT)
    def _write_preset(self: Any, value: int) -> None:
        self._world.put(self._node, "selected_preset_index", between(0, 1, "Preset")(value))

    @calling(INT, INT, required=0, cost_s=LIST_READ_S, changes=False)
    def get_parameter_names(self, begin: int = 0, end: int = -1) -> StringVector:
        """Names of all parameters, also those that are not exposed."""
        names = [parameter["name"] for parameter in self._node["parameters"]]
        return StringVector(names[begin : len(names) if end < 0 else end])


class MaxDevice(Device):
    """A Max for Live device."""

    __slots__ = ()

    @calling(cost_s=LIST_READ_S, changes=False)
    def get_bank_count(self) -> int:
        """Number of banks for control surfaces."""
        return 0
