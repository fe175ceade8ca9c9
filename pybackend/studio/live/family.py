"""Classes and modules of one version of Live."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from pybackend.studio.live import enums, note_types, vectors
from pybackend.studio.live.binding import Call, Prop, Wrapper, listener_calls
from pybackend.studio.live.faults import LimitationError
from pybackend.studio.live.lom import (
    application,
    clip,
    common,
    cue,
    device,
    mixer,
    parameter,
    rack,
    routing,
    slot,
    song,
    track,
)

if TYPE_CHECKING:
    from pybackend.studio.live.profiles import Version
    from pybackend.studio.live.runtime import Runtime

# Kind of node, and the module that its class is in. A view is a class inside its owner's class.
CLASSES: tuple[tuple[str, type[Wrapper]], ...] = (
    ("LomObject", common.LomObject),
    ("Application", application.Application),
    ("Application.View", application.ApplicationView),
    ("Song", song.Song),
    ("Song.View", song.SongView),
    ("Track", track.Track),
    ("Track.View", track.TrackView),
    ("Clip", clip.Clip),
    ("Clip.View", clip.ClipView),
    ("ClipSlot", slot.ClipSlot),
    ("Scene", slot.Scene),
    ("CuePoint", cue.CuePoint),
    ("Groove", cue.Groove),
    ("GroovePool", cue.GroovePool),
    ("Device", device.Device),
    ("Device.View", device.DeviceView),
    ("PluginDevice", device.PluginDevice),
    ("PluginDevice.View", device.DeviceView),
    ("MaxDevice", device.MaxDevice),
    ("MaxDevice.View", device.DeviceView),
    ("RackDevice", rack.RackDevice),
    ("RackDevice.View", rack.RackView),
    ("Chain", rack.Chain),
    ("DrumChain", rack.DrumChain),
    ("DrumPad", rack.DrumPad),
    ("DeviceParameter", parameter.DeviceParameter),
    ("MixerDevice", mixer.MixerDevice),
    ("ChainMixerDevice", mixer.ChainMixerDevice),
)
_MODULE_OF = {"CuePoint": "Song"}
_ENUMS = {
    "Device": (enums.DeviceType,),
    "DeviceParameter": (enums.AutomationState, enums.ParameterState),
    "Clip": (
        enums.WarpMode,
        enums.LaunchMode,
        enums.ClipLaunchQuantization,
        enums.GridQuantization,
    ),
    "ClipSlot": (enums.ClipSlotPlayingState,),
    "Song": (enums.Quantization,),
    "Track": (enums.RoutingTypeCategory, routing.RoutingType, routing.RoutingTypeVector),
    "Groove": (enums.GrooveBase,),
}
_VECTORS = (
    vectors.Vector,
    vectors.FloatVector,
    vectors.IntVector,
    vectors.IntU64Vector,
    vectors.StringVector,
    vectors.ObjectVector,
)


def build_classes(runtime: Runtime) -> dict[str, type[Any]]:
    """Make the classes of the runtime's version, bound to it.

    Returns
    -------
    dict
        By kind of node, and ``MidiNote`` and ``MidiNoteSpecification``.
    """
    made: dict[type[Any], type[Any]] = {}
    found: dict[str, type[Any]] = {}
    for kind, source in CLASSES:
        parents = [made[base] for base in source.__mro__[1:] if base in made]
        base = parents[0] if parents else Wrapper
        members = _members(source, runtime.live.version)
        members.update(__slots__=(), __module__=kind.split(".")[0], _rt=runtime)
        name = kind.split(".")[-1]
        found[kind] = made[source] = type(name, (base,), members)
    for kind, cls in found.items():
        if kind.endswith(".View"):
            type.__setattr__(found[kind[:-5]], "View", cls)
    for name in ("MidiNote", "MidiNoteSpecification"):
        source = getattr(note_types, name)
        found[name] = type(name, (source,), {"__slots__": (), "_rt": runtime, "__module__": "Clip"})
    return found


def _members(source: type[Any], version: Version) -> dict[str, Any]:
    """Collect what a class defines itself or gets from mixins, as far as the version has it."""
    members: dict[str, Any] = {}
    others = {object, Wrapper, *(cls for _, cls in CLASSES if cls is not source)}
    for cls in reversed([one for one in source.__mro__ if one not in others]):
        for name, value in vars(cls).items():
            if name in ("__slots__", "__module__", "__dict__", "__weakref__"):
                continue
            if isinstance(value, (Prop, Call)) and value.since > version:
                continue
            if isinstance(value, Prop):
                if value.listen and value.listen_since <= version:
                    members.update(listener_calls(value))
                if value.hidden:
                    continue
            members[name] = value
    return members


def build_modules(runtime: Runtime, timer: type[Any]) -> dict[str, types.ModuleType]:
    """Make the module ``Live`` and its submodules for ``sys.modules``."""
    live = types.ModuleType("Live", "A virtual Live.")
    modules = {"Live": live}

    def module(name: str) -> types.ModuleType:
        full = f"Live.{name}"
        if full not in modules:
            modules[full] = types.ModuleType(full)
            setattr(live, name, modules[full])
        return modules[full]

    for kind, _ in CLASSES:
        if "." not in kind:
            setattr(module(_MODULE_OF.get(kind, kind)), kind, runtime.classes[kind])
    for name, members in _ENUMS.items():
        for member in members:
            setattr(module(name), member.__name__, member)
    for vector in _VECTORS:
        setattr(module("Base"), vector.__name__, vector)
    for name, value in {"Timer": timer, "LimitationError": LimitationError}.items():
        setattr(module("Base"), name, value)
    for name in ("MidiNote", "MidiNoteSpecification"):
        setattr(module("Clip"), name, runtime.classes[name])
    module("Clip").MidiNoteVector = note_types.MidiNoteVector  # type: ignore[attr-defined]

    def get_application() -> Any:
        runtime.check_thread("Live.Application.get_application")
        return runtime.wrap(runtime.world.application)

    module("Application").get_application = get_application  # type: ignore[attr-defined]
    return modules


def put_in_place(modules: dict[str, types.ModuleType]) -> dict[str, types.ModuleType | None]:
    """Put modules into ``sys.modules`` and return what was there before."""
    before: dict[str, types.ModuleType | None] = {
        name: module
        for name, module in sys.modules.items()
        if name == "Live" or name.startswith("Live.")
    }
    for name in before:
        del sys.modules[name]
    sys.modules.update(modules)
    return before


def put_back(
    modules: dict[str, types.ModuleType], before: dict[str, types.ModuleType | None]
) -> None:
    """Undo `put_in_place`."""
    for name in modules:
        sys.modules.pop(name, None)
    for name, module in before.items():
        if module is not None:
            sys.modules[name] = module
