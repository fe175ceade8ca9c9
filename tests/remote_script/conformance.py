"""Checked by mypy against Live's stubs in `test_typing`; never run."""

from __future__ import annotations

import Live
from MoveJudge import live_types as mine


def application(x: Live.Application.Application) -> mine.Application:
    return x


def chain(x: Live.Chain.Chain) -> mine.Chain:
    return x


def chain_mixer(x: Live.ChainMixerDevice.ChainMixerDevice) -> mine.ChainMixer:
    return x


def clip(x: Live.Clip.Clip) -> mine.Clip:
    return x


def cue(x: Live.Song.CuePoint) -> mine.Cue:
    return x


def device(x: Live.Device.Device) -> mine.Device:
    return x


def mixer(x: Live.MixerDevice.MixerDevice) -> mine.Mixer:
    return x


def note(x: Live.Clip.MidiNote) -> mine.Note:
    return x


def parameter(x: Live.DeviceParameter.DeviceParameter) -> mine.Parameter:
    return x


def rack(x: Live.RackDevice.RackDevice) -> mine.Rack:
    return x


def scene(x: Live.Scene.Scene) -> mine.Scene:
    return x


def slot(x: Live.ClipSlot.ClipSlot) -> mine.Slot:
    return x


def song(x: Live.Song.Song) -> mine.Song:
    return x


def timer(x: Live.Base.Timer) -> mine.Timer:
    return x


def track(x: Live.Track.Track) -> mine.Track:
    return x
