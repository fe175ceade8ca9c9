"""Devices that the studio can load: class, type and parameters.

Names follow Live's; the tables are short, because what matters is that every sort of parameter
occurs: faders, frequencies, times, switches, lists, whole numbers, and strings that fail.
"""

from __future__ import annotations

from dataclasses import dataclass

from pybackend.studio.live.values import ParameterSpec

INSTRUMENT = 1
AUDIO_EFFECT = 2
MIDI_EFFECT = 4
DEVICE_ON = ParameterSpec("Device On", low=0.0, high=1.0, default=1.0, items=("Off", "On"))


@dataclass(frozen=True)
class DeviceSpec:
    """One sort of device.

    Parameters
    ----------
    name
        Display name of the class, which `insert_device` takes.
    class_name
        Live's internal name.
    kind
        LOM class: ``Device``, ``RackDevice``, ``PluginDevice`` or ``MaxDevice``.
    device_type
        Live's ``DeviceType`` as a number.
    parameters
        Without ``Device On``, which is first in every device.
    native
        Whether ``insert_device`` knows it.
    """

    name: str
    class_name: str
    device_type: int
    parameters: tuple[ParameterSpec, ...] = ()
    kind: str = "Device"
    native: bool = True
    latency_samples: int = 0
    drums: bool = False


def _hz(name: str, low: float, high: float, default: float = 0.5) -> ParameterSpec:
    return ParameterSpec(name, "hz", default=default, shown_low=low, shown_high=high)


def _ms(name: str, low: float, high: float, default: float = 0.5) -> ParameterSpec:
    return ParameterSpec(name, "ms", default=default, shown_low=low, shown_high=high)


def _db(name: str, low: float, high: float, default: float = 0.0) -> ParameterSpec:
    return ParameterSpec(name, "db", low, high, default, shown_low=low, shown_high=high)


def _percent(name: str, default: float = 1.0) -> ParameterSpec:
    return ParameterSpec(name, "percent", default=default, shown_high=100.0)


def _items(name: str, *items: str, default: int = 0) -> ParameterSpec:
    return ParameterSpec(
        name, low=0.0, high=float(len(items) - 1), default=float(default), items=items
    )


_FILTERS = ("Low Cut 48", "Low Cut 12", "Low Shelf", "Bell", "Notch", "High Shelf", "High Cut 12")


def _eq_band(number: int) -> tuple[ParameterSpec, ...]:
    return (
        _items(f"{number} Filter On A", "Off", "On", default=int(number <= 4)),
        _items(f"{number} Filter Type A", *_FILTERS, default=3),
        _hz(f"{number} Frequency A", 10.0, 22050.0, number / 9.0),
        _db(f"{number} Gain A", -15.0, 15.0),
        ParameterSpec(f"{number} Resonance A", default=0.377),
    )


_MACROS = tuple(ParameterSpec(f"Macro {n}", low=0.0, high=127.0) for n in range(1, 9))

DEVICES: dict[str, DeviceSpec] = {
    spec.name: spec
    for spec in (
        DeviceSpec(
            "EQ Eight",
            "Eq8",
            AUDIO_EFFECT,
            (*(p for n in range(1, 9) for p in _eq_band(n)), _db("Output", -12, 12)),
        ),
        DeviceSpec(
            "Compressor",
            "Compressor2",
            AUDIO_EFFECT,
            (
                ParameterSpec("Threshold", "volume", default=0.85),
                ParameterSpec(
                    "Ratio", "ratio", default=0.75, shown_low=1.0, shown_high=20.0, odd_strings=True
                ),
                _ms("Attack", 0.01, 1000.0, 0.3),
                _ms("Release", 1.0, 3000.0, 0.4),
                _db("Output Gain", -36.0, 36.0),
                _items("Model", "Peak", "RMS", "Expand"),
                _percent("Dry/Wet"),
            ),
        ),
        DeviceSpec(
            "Utility",
            "StereoGain",
            AUDIO_EFFECT,
            (
                _db("Gain", -35.0, 35.0),
                ParameterSpec("Stereo Width", "percent", 0.0, 4.0, 1.0, shown_high=400.0),
                ParameterSpec("Balance", "pan", -1.0, 1.0),
                _items("Mute", "Off", "On"),
            ),
        ),
        DeviceSpec(
            "Auto Filter",
            "AutoFilter",
            AUDIO_EFFECT,
            (
                _hz("Frequency", 20.0, 20000.0, 1.0),
                ParameterSpec("Resonance", "percent", shown_high=125.0, odd_strings=True),
                _items("Filter Type", "Low-Pass", "High-Pass", "Band-Pass", "Notch"),
            ),
        ),
        DeviceSpec(
            "Reverb",
            "Reverb",
            AUDIO_EFFECT,
            (
                _ms("Predelay", 0.5, 250.0, 0.2),
                _ms("Decay Time", 200.0, 60000.0, 0.35),
                _percent("Dry/Wet", 0.55),
            ),
        ),
        DeviceSpec(
            "Limiter",
            "Limiter",
            AUDIO_EFFECT,
            (_db("Gain", -24.0, 24.0), _db("Ceiling", -24.0, 0.0, -0.3)),
            latency_samples=72,
        ),
        DeviceSpec(
            "Operator",
            "Operator",
            INSTRUMENT,
            (
                _items("Algorithm", *(f"Alg. {n}" for n in range(1, 12))),
                ParameterSpec("Transpose", "semitones", -48.0, 48.0, whole=True),
                ParameterSpec("Volume", "volume", default=0.7, odd_strings=True),
                _hz("Filter Freq", 30.0, 22000.0, 0.9),
                _ms("Ae Attack", 0.1, 20000.0, 0.1),
            ),
        ),
        DeviceSpec(
            "Arpeggiator",
            "MidiArpeggiator",
            MIDI_EFFECT,
            (_items("Style", "Up", "Down", "UpDown", "Converge"), _percent("Gate", 0.5)),
        ),
        DeviceSpec(
            "Audio Effect Rack", "AudioEffectGroupDevice", AUDIO_EFFECT, _MACROS, "RackDevice"
        ),
        DeviceSpec("Instrument Rack", "InstrumentGroupDevice", INSTRUMENT, _MACROS, "RackDevice"),
        DeviceSpec("Drum Rack", "DrumGroupDevice", INSTRUMENT, _MACROS, "RackDevice", drums=True),
        DeviceSpec(
            "Plug-in",
            "PluginDevice",
            AUDIO_EFFECT,
            tuple(ParameterSpec(f"P{n}", default=0.5) for n in range(1, 65)),
            "PluginDevice",
            native=False,
        ),
        DeviceSpec(
            "MoveJudge Analyzer",
            "MxDeviceAudioEffect",
            AUDIO_EFFECT,
            (_items("Enable", "off", "on", default=1),),
            "MaxDevice",
            native=False,
        ),
    )
}


def bulk(name: str, count: int) -> DeviceSpec:
    """Make a plug-in with many parameters, for large sets."""
    return DeviceSpec(
        name,
        "PluginDevice",
        AUDIO_EFFECT,
        tuple(ParameterSpec(f"Param {n + 1}", default=0.5) for n in range(count - 1)),
        "PluginDevice",
        native=False,
    )


VOLUME = ParameterSpec("Track Volume", "volume", default=0.85)
PANNING = ParameterSpec("Track Panning", "pan", -1.0, 1.0)
ACTIVATOR = ParameterSpec("Speaker On", default=1.0, items=("Off", "On"))
SEND = ParameterSpec("Send", "send")
CUE_VOLUME = ParameterSpec("Preview Volume", "volume", default=0.85)
CROSSFADER = ParameterSpec("Crossfade", "pan", -1.0, 1.0)
SPLIT = ParameterSpec("Split Stereo", "pan", -1.0, 1.0)
TEMPO = ParameterSpec("Song Tempo", "bpm", 20.0, 999.0, 120.0)
CHAIN_VOLUME = ParameterSpec("Chain Volume", "volume", default=0.85)
CHAIN_PANNING = ParameterSpec("Chain Panning", "pan", -1.0, 1.0)
CHAIN_ACTIVATOR = ParameterSpec("Chain On", default=1.0, items=("Off", "On"))
CHAIN_SELECTOR = ParameterSpec("Chain Selector", low=0.0, high=127.0, whole=True)
