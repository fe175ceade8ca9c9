"""``DeviceParameter``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live import values
from pybackend.studio.live.arguments import FLOAT, TEXT
from pybackend.studio.live.declaring import calling, fixed, reading, stored
from pybackend.studio.live.enums import AutomationState, ParameterState
from pybackend.studio.live.faults import DISABLED, INVALID_DISPLAY_VALUE, OUT_OF_RANGE
from pybackend.studio.live.lom.common import LomObject
from pybackend.studio.live.node import PARAMETER
from pybackend.studio.live.rules import PARAMETER_READ_S, STRING_READ_S
from pybackend.studio.live.vectors import StringVector

if TYPE_CHECKING:
    from typing import Any

    from pybackend.studio.live.node import Node
    from pybackend.studio.live.values import ParameterSpec


def set_value(node: Node, value: float) -> None:
    """Write a raw value as a script does: checked, snapped, automation overridden.

    Raises
    ------
    RuntimeError
        If the value is out of range or the parameter disabled.
    """
    spec: ParameterSpec = node["spec"]
    world = node.world
    if world.runtime.rules.value_limits:
        if not spec.low <= value <= spec.high:
            raise RuntimeError(OUT_OF_RANGE)
        if not node["is_enabled"]:
            raise RuntimeError(DISABLED)
        value = values.settle(spec, value)
    with world.runtime.quietly():
        says: tuple[tuple[Node, str], ...] = ((node, "display_value"),)
        owner = node.parent
        if owner is not None and owner.get("track_activator") is node and owner.parent is not None:
            says = (*says, (owner.parent, "mute"))
        if owner is not None and owner.get("song_tempo") is node:
            says = (*says, (world.song, "tempo"))
        world.put(node, "value", float(value), family=PARAMETER, says=says)
        if node["automation_state"] == 1:
            world.put(node, "automation_state", 2, tracked=False)


def _needs_items(obj: Any, _: str) -> None:
    if not obj._node["spec"].quantized:
        raise RuntimeError("Only quantized parameters have value items")


def _needs_default(obj: Any, _: str) -> None:
    if obj._node["spec"].quantized:
        raise RuntimeError("There is no default value available for this type of parameter")


class DeviceParameter(LomObject):
    """A parameter of a device or of a mixer."""

    __slots__ = ()

    name = stored(TEXT, settable=False)
    original_name = fixed(lambda obj: obj._node["spec"].name)
    min = fixed(lambda obj: float(obj._node["spec"].low))
    max = fixed(lambda obj: float(obj._node["spec"].high))
    is_quantized = fixed(lambda obj: obj._node["spec"].quantized)
    is_enabled = fixed(lambda obj: obj._node["is_enabled"])
    automation_state = fixed(
        lambda obj: AutomationState.values[obj._node["automation_state"]], listen=True
    )

    @reading(listen=True)
    def state(self) -> Any:
        """Enabled, irrelevant or disabled."""
        number = 2 if not self._node["is_enabled"] else self._node["state"]
        return ParameterState.values[number]

    @reading(cost_s=STRING_READ_S, gate=_needs_items)
    def value_items(self) -> StringVector:
        """Names of a quantised parameter's values."""
        return StringVector(self._node["spec"].items)

    @reading(cost_s=STRING_READ_S, gate=_needs_items)
    def short_value_items(self) -> StringVector:
        """The same, shorter."""
        return StringVector(item[:6] for item in self._node["spec"].items)

    @reading(gate=_needs_default)
    def default_value(self) -> float:
        """The value of a new device."""
        return values.float32(self._node["spec"].default)

    @reading(listen=True, cost_s=PARAMETER_READ_S)
    def value(self) -> float:
        """The raw value."""
        return float(self._node["value"])

    @value.writing(FLOAT)
    def _write_value(self: Any, value: float) -> None:
        set_value(self._node, value)

    @reading(listen=True, cost_s=STRING_READ_S, since=(12, 2, 0))
    def display_value(self) -> float:
        """The value in the unit that Live shows (dB, Hz, ms, percent)."""
        return values.shown(self._node["spec"], self._node["value"])

    @display_value.writing(FLOAT)
    def _write_display_value(self: Any, value: float) -> None:
        set_value(self._node, values.from_shown(self._node["spec"], value))

    @calling(FLOAT, cost_s=STRING_READ_S, changes=False)
    def str_for_value(self, value: float) -> str:
        """Print any raw value; some parameters of Live's devices fail at that."""
        spec: ParameterSpec = self._node["spec"]
        strict = self._rt.rules.value_limits
        if strict and spec.odd_strings and value > (spec.low + spec.high) / 2.0:
            raise RuntimeError(INVALID_DISPLAY_VALUE)
        return values.text(spec, value)

    def __str__(self) -> str:
        self._enter("__str__")
        return values.text(self._node["spec"], self._node["value"])

    @calling()
    def begin_gesture(self) -> None:
        """Mark the start of a touch; no undo group."""

    @calling()
    def end_gesture(self) -> None:
        """Mark the end of a touch."""

    @calling()
    def re_enable_automation(self) -> None:
        """Follow the automation again."""
        if self._node["automation_state"] == 2:
            world = self._world
            with self._rt.quietly():
                world.put(self._node, "automation_state", 1, tracked=False)
                world.put(self._node, "value", self._node["automated_value"], tracked=False)
