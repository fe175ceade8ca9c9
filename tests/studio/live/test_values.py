"""Parameters: storage, limits, strings."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend.studio.live import Studio, install, values
from pybackend.studio.live.catalogue import DEVICES, PANNING, SEND, VOLUME
from pybackend.studio.live.values import ParameterSpec

SPECS = [
    VOLUME,
    PANNING,
    SEND,
    *{spec for device in DEVICES.values() for spec in device.parameters if not spec.quantized},
]


def test_what_is_stored_has_32_bits(track: dict[str, Any]) -> None:
    volume = track["Bass"].mixer_device.volume
    volume.value = 0.7
    assert volume.value != 0.7
    assert math.isclose(volume.value, 0.7, rel_tol=1e-6)


def test_the_tempo_has_32_bits_too(live: Studio) -> None:
    live.song.tempo = 123.45
    assert live.song.tempo == 123.44999694824219
    assert live.song.master_track.mixer_device.song_tempo.value == live.song.tempo
    with pytest.raises(RuntimeError, match="Tempo"):
        live.song.tempo = 19.0


def test_out_of_range_and_disabled_are_refused(track: dict[str, Any]) -> None:
    volume = track["Bass"].mixer_device.volume
    with pytest.raises(RuntimeError, match="Check the parameters range"):
        volume.value = 1.0001
    disabled = track["Bass"].devices[2].parameters[1]
    assert not disabled.is_enabled
    assert disabled.state == 2
    with pytest.raises(RuntimeError, match="parameter is disabled"):
        disabled.value = 0.5


def test_quantised_values_snap_and_so_do_some_others(track: dict[str, Any]) -> None:
    operator = track["Keys"].devices[0]
    algorithm, transpose = operator.parameters[1], operator.parameters[2]
    algorithm.value = 2.6
    assert algorithm.value == 3.0
    assert algorithm.str_for_value(3.0) == "Alg. 4"
    assert not transpose.is_quantized
    transpose.value = -11.7
    assert transpose.value == -12.0


def test_fader_anchor_points() -> None:
    assert values.shown(VOLUME, 0.85) == pytest.approx(0.0)
    assert values.shown(VOLUME, 1.0) == pytest.approx(6.0)
    assert values.shown(VOLUME, 0.4) == pytest.approx(-18.0)
    assert values.text(VOLUME, 0.0) == "-inf dB"
    assert values.text(VOLUME, 0.85) == "0.0 dB"
    assert values.shown(SEND, 1.0) == pytest.approx(0.0)
    assert [values.text(PANNING, pan) for pan in (-1.0, 0.0, 0.5)] == ["50L", "C", "25R"]


@given(st.sampled_from(SPECS), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_display_values_rise_and_can_be_turned_back(
    spec: ParameterSpec, one: float, other: float
) -> None:
    low, high = sorted(spec.low + part * (spec.high - spec.low) for part in (one, other))
    shown = [values.shown(spec, value) for value in (low, high)]
    assert shown == sorted(shown)
    back = values.from_shown(spec, shown[1])
    assert values.shown(spec, back) == pytest.approx(shown[1], rel=1e-6, abs=1e-6)
    assert values.text(spec, low)


def test_display_values_are_numbers_that_clamp(track: dict[str, Any]) -> None:
    volume = track["Bass"].mixer_device.volume
    volume.display_value = -6.0
    assert volume.value == pytest.approx(0.7, abs=1e-6)
    volume.display_value = 20.0
    assert volume.value == 1.0
    volume.display_value = -200.0
    assert volume.value == 0.0
    assert volume.display_value == -70.0


def test_display_values_came_with_12_2() -> None:
    with install("12.1") as live:
        volume = live.song.tracks[1].mixer_device.volume
        assert not hasattr(volume, "display_value")
        assert not hasattr(volume, "add_display_value_listener")


def test_some_strings_fail(track: dict[str, Any]) -> None:
    ratio = track["Bass"].devices[2].parameters[2]
    assert ratio.str_for_value(0.1)
    with pytest.raises(RuntimeError, match="Invalid display value"):
        ratio.str_for_value(0.9)


def test_writing_over_automation_overrides_it(live: Studio, track: dict[str, Any]) -> None:
    cutoff = track["Keys"].devices[1].parameters[1]
    assert cutoff.automation_state == 1
    cutoff.value = 0.9
    assert cutoff.automation_state == 2
    assert live.song.re_enable_automation_enabled
    cutoff.re_enable_automation()
    assert (cutoff.automation_state, cutoff.value) == (1, 0.5)


def test_mute_is_the_mixers_activator(track: dict[str, Any]) -> None:
    heard = []
    track["Bass"].add_mute_listener(lambda: heard.append("mute"))
    track["Bass"].mixer_device.track_activator.value = 0.0
    assert track["Bass"].mute
    track["Bass"].mute = False
    assert track["Bass"].mixer_device.track_activator.value == 1.0
    assert heard == ["mute", "mute"]


def test_colours_snap_to_the_palette(track: dict[str, Any]) -> None:
    track["Bass"].color = 0xFF8800
    assert track["Bass"].color == 0xF66C03
    with pytest.raises(RuntimeError, match="Invalid color"):
        track["Bass"].color = -1


def test_gestures_change_nothing(track: dict[str, Any], live: Studio) -> None:
    volume = track["Bass"].mixer_device.volume
    before = live.dump()
    volume.begin_gesture()
    volume.end_gesture()
    live.turn()
    assert live.dump() == before
    assert not live.song.can_undo
