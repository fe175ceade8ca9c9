"""What does not change about a device's parameters: names, ranges and value names.

They are most of a full read's bytes, and four of its seven reads per parameter. For Live's own
devices they are read once per class; racks, plug-ins, Max devices and samplers are read anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .fields import plain, read_field, read_or

if TYPE_CHECKING:
    from typing import Any

    from .job import Steps
    from .live_types import Device, Parameter

CHANGEABLE = ("Plugin", "GroupDevice", "MxDevice", "Sampler", "Simpler")
PER_SLICE = 16


def _quantized(parameter: Parameter) -> bool:
    return bool(read_or(parameter, "is_quantized", False))


class Shapes:
    """Parameter tables by class of device."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], dict[str, Any]] = {}
        self._count = 0

    def of(self, device: Device) -> Steps:
        """Give the table of a device's parameters, in slices.

        The generator's value is a dict of parallel lists ``names``, ``min``, ``max``,
        ``quantized`` and a dict ``items`` of value names by index, numbered by ``shape``.
        """
        class_name = str(read_or(device, "class_name", ""))
        parameters = device.parameters
        key = (class_name, len(parameters))
        known = self._known.get(key)
        if known is not None:
            return known
        self._count += 1
        table: dict[str, Any] = {"kind": "shape", "shape": self._count, "class_name": class_name}
        table.update(names=[], min=[], max=[], quantized=[], items={})
        for i, parameter in enumerate(parameters):
            table["names"].append(read_field(parameter, "name"))
            table["min"].append(read_field(parameter, "min"))
            table["max"].append(read_field(parameter, "max"))
            table["quantized"].append(_quantized(parameter))
            if table["quantized"][-1]:
                table["items"][str(i)] = [plain(v) for v in read_or(parameter, "value_items", ())]
            if i % PER_SLICE == PER_SLICE - 1:
                yield None
        if not any(part in class_name for part in CHANGEABLE):
            self._known[key] = table
        return table
