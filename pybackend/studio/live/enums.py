"""Live's enumerations: integers with names, as Boost makes them."""

from __future__ import annotations

from typing import Any


class Enum(int):
    """An integer whose values have names; also a dict of them, ``values`` and ``names``."""

    values: dict[int, Enum]
    names: dict[str, Enum]
    _label: str

    @property
    def name(self) -> str:
        """The name of this value."""
        return self._label

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__name__}.{self._label}"


def enum(module: str, name: str, *labels: str, **numbered: int) -> type[Enum]:
    """Make an enumeration of labels from 0 up, or with given numbers."""
    made: Any = type(name, (Enum,), {"__module__": module, "values": {}, "names": {}})
    pairs = {label: number for number, label in enumerate(labels)}
    pairs.update(numbered)
    for label, number in pairs.items():
        value = made(number)
        value._label = label
        setattr(made, label, value)
        made.values[number] = value
        made.names[label] = value
    return made  # type: ignore[no-any-return]


DeviceType = enum("Device", "DeviceType", undefined=0, instrument=1, audio_effect=2, midi_effect=4)
AutomationState = enum("DeviceParameter", "AutomationState", "none", "playing", "overridden")
ParameterState = enum("DeviceParameter", "ParameterState", "enabled", "irrelevant", "disabled")
WarpMode = enum(
    "Clip",
    "WarpMode",
    *("beats", "tones", "texture", "repitch", "complex", "rex", "complex_pro", "count"),
)
LaunchMode = enum("Clip", "LaunchMode", "trigger", "gate", "toggle", "repeat")
ClipLaunchQuantization = enum(
    "Clip",
    "ClipLaunchQuantization",
    *("q_global", "q_none", "q_8_bars", "q_4_bars", "q_2_bars", "q_bar", "q_half"),
    *("q_half_triplet", "q_quarter", "q_quarter_triplet", "q_eighth", "q_eighth_triplet"),
    *("q_sixteenth", "q_sixteenth_triplet", "q_thirtysecond"),
)
GridQuantization = enum(
    "Clip",
    "GridQuantization",
    *("no_grid", "g_8_bars", "g_4_bars", "g_2_bars", "g_bar", "g_half", "g_quarter"),
    *("g_eighth", "g_sixteenth", "g_thirtysecond", "count"),
)
Quantization = enum(
    "Song",
    "Quantization",
    *("q_no_q", "q_8_bars", "q_4_bars", "q_2_bars", "q_bar", "q_half", "q_half_triplet"),
    *("q_quarter", "q_quarter_triplet", "q_eight", "q_eight_triplet", "q_sixtenth"),
    *("q_sixtenth_triplet", "q_thirtytwoth"),
)
ClipSlotPlayingState = enum("ClipSlot", "ClipSlotPlayingState", "stopped", "started", "recording")
CrossfadeAssignments = enum("MixerDevice", "crossfade_assignments", "A", "NONE", "B")
PanningModes = enum("MixerDevice", "panning_modes", "stereo", "stereo_split")
MonitoringStates = enum("Track", "monitoring_states", "IN", "AUTO", "OFF")
RoutingTypeCategory = enum(
    "Track",
    "RoutingTypeCategory",
    *("external", "rewire", "resampling", "master", "track", "parent_group_track", "none"),
    "invalid",
)
GrooveBase = enum(
    "Groove",
    "Base",
    *("gb_four", "gb_eight", "gb_eight_triplet", "gb_sixteen", "gb_sixteen_triplet"),
    *("gb_thirtytwo", "count"),
)
