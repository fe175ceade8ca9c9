"""The container: round trips, exact bytes, and no damage that goes unnoticed."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from m4l import amxd
from m4l.amxd import AmxdError, Device, Entry, frozen, read, unfrozen, write

PATCHER: dict[str, Any] = {
    "fileversion": 1,
    "rect": [0.0, 0.0, 640.0, 169.0],
    "boxes": [{"box": {"id": "obj-1", "text": "größer"}}],
    "lines": [],
}
SCRIPT = Entry("TEXT", "launcher.js", b"const max = require('max-api');\n", amxd.FLAG_ON_DISK)


def samples() -> dict[str, Device]:
    return {
        "unfrozen": unfrozen(PATCHER, has_dependencies=True),
        "bare": unfrozen(PATCHER, has_dependencies=False),
        "frozen": frozen(PATCHER, "Analyzer.amxd", (SCRIPT, Entry("svg ", "a b.svg", b"<svg/>"))),
        "alone": frozen(PATCHER, "Analyzer.amxd"),
    }


@pytest.mark.parametrize("name", ["unfrozen", "bare", "frozen", "alone"])
def test_round_trip(name: str) -> None:
    device = samples()[name]
    raw = write(device)
    assert read(raw) == device
    assert write(read(raw)) == raw
    assert device.patcher == PATCHER


def test_meta_flags() -> None:
    found = {name: device.meta for name, device in samples().items()}
    assert found == {"unfrozen": 1, "bare": 0, "frozen": 7, "alone": 4}
    assert samples()["frozen"].is_frozen
    assert samples()["frozen"].files == {"launcher.js": SCRIPT.data, "a b.svg": b"<svg/>"}


def test_bytes_of_an_unfrozen_device() -> None:
    raw = write(Device("aaaa", 1, b'{"patcher":{}}\n\0'))
    assert raw == (b'ampf\x04\0\0\0aaaameta\x04\0\0\0\x01\0\0\0ptch\x10\0\0\0{"patcher":{}}\n\0')


def test_bytes_of_a_frozen_device() -> None:
    text = b'{"patcher":{}}\0'
    entries = (
        Entry("JSON", "a.amxd", text, amxd.FLAG_DEVICE, 1),
        Entry("TEXT", "n.js", b"hello", amxd.FLAG_ON_DISK, 2),
    )
    raw = write(Device("aaaa", 7, text, entries))
    payload = raw[32:]
    assert struct.unpack("<I", raw[28:32]) == (len(payload),)
    assert payload[:16] == b"mx@c\0\0\0\x10" + struct.pack(">Q", 16 + 15 + 5)
    assert payload[16:36] == text + b"hello"
    first = (
        b"type\0\0\0\x0cJSON"
        b"fnam\0\0\0\x10a.amxd\0\0"
        b"sz32\0\0\0\x0c\0\0\0\x0f"
        b"of32\0\0\0\x0c\0\0\0\x10"
        b"vers\0\0\0\x0c\0\0\0\0"
        b"flag\0\0\0\x0c\0\0\0\x11"
        b"mdat\0\0\0\x0c\0\0\0\x01"
    )
    second = (
        b"type\0\0\0\x0cTEXT"
        b"fnam\0\0\0\x10n.js\0\0\0\0"
        b"sz32\0\0\0\x0c\0\0\0\x05"
        b"of32\0\0\0\x0c\0\0\0\x1f"
        b"vers\0\0\0\x0c\0\0\0\0"
        b"flag\0\0\0\x0c\0\0\0\x08"
        b"mdat\0\0\0\x0c\0\0\0\x02"
    )
    directory = b"".join(b"dire" + struct.pack(">I", len(e) + 8) + e for e in (first, second))
    assert payload[36:] == b"dlst" + struct.pack(">I", len(directory) + 8) + directory


def test_text_is_in_the_style_of_max() -> None:
    text = amxd.patcher_text({"autosave": 0, "name": "é"})
    assert text == '{\n\t"patcher" : {\n\t\t"autosave" : 0,\n\t\t"name" : "é"\n\t}\n}\n\0'.encode()
    with pytest.raises(ValueError, match="Out of range float"):
        amxd.patcher_text({"x": float("nan")})


def damaged(device: str, old: bytes, new: bytes) -> bytes:
    raw = write(samples()[device])
    assert raw.count(old) >= 1
    return raw.replace(old, new, 1)


def with_payload(meta: int, payload: bytes) -> bytes:
    return (
        b"ampf\x04\0\0\0aaaameta\x04\0\0\0"
        + struct.pack("<I", meta)
        + b"ptch"
        + struct.pack("<I", len(payload))
        + payload
    )


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        (b"", "expected the chunk 'ampf'"),
        (b"ampf\0\0\0\x04aaaa", "length 67108864, but 4 bytes left"),
        (damaged("bare", b"aaaa", b"zzzz"), "kind 'zzzz'"),
        (damaged("bare", b"ampf\4\0\0\0aaaa", b"ampf\x05\0\0\0aaaab"), "length 5, not 4"),
        (damaged("bare", b"meta\4\0\0\0\0\0\0\0", b""), "exported by Max alone"),
        (damaged("bare", b"ptch", b"ciph"), "encrypted"),
        (damaged("bare", b"meta\4\0\0\0\0", b"meta\4\0\0\0\2"), "Max writes 0, 1, 4 or 7"),
        (damaged("bare", b"meta\4\0\0\0\0", b"meta\4\0\0\0\4"), "contradicts"),
        (damaged("frozen", b"meta\4\0\0\0\7", b"meta\4\0\0\0\1"), "contradicts"),
        (damaged("frozen", b"meta\4\0\0\0\7", b"meta\4\0\0\0\4"), "with 3 files"),
        (write(samples()["bare"]) + b"x", "1 bytes follow"),
        (write(samples()["bare"])[:-1], "bytes left"),
        (with_payload(0, b'{"patcher":{}}'), "ends in b''"),
        (with_payload(0, b'{"patcher":{}} \n\0'), "ends in b' "),
        (with_payload(0, b'{"patcher":[]}\0'), "no 'patcher'"),
        (with_payload(0, b'{"patcher":{"a":1,"a":2}}\0'), "same key twice"),
        (with_payload(0, b'{"patcher":{"a":NaN}}\0'), "NaN is not JSON"),
        (with_payload(0, b"\xff\0"), "not JSON"),
        (with_payload(0, b'{"patcher":' + b"[" * 200000 + b"\0"), "not JSON"),
        (with_payload(0, b'{"patcher":{"a":' + b"9" * 9999 + b"}}\0"), "not JSON"),
        (with_payload(4, b"mx@c\0\0\0\x10"), "cut off"),
        (with_payload(4, b"mx@c\0\0\0\x11" + bytes(8)), "header's length is 17"),
        (with_payload(4, b"mx@c\0\0\0\x10" + b"\xff" * 8), "lies outside"),
        (with_payload(4, b"mx@c\0\0\0\x10" + struct.pack(">Q", 16)), "expected 'dlst'"),
        (
            with_payload(4, b"mx@c\0\0\0\x10" + struct.pack(">Q", 16) + b"dlst\0\0\0\x08"),
            "directory is empty",
        ),
        (damaged("frozen", b"dire", b"fire"), "expected 'dire'"),
        (damaged("frozen", b"TEXT", b"TE\0T"), "four printable"),
        (damaged("frozen", b"a b.svg\0", b"a\xffb.svg\0"), "plain ASCII"),
        (damaged("frozen", b"launcher.js\0", b"launch\0\0\0\0\0\0"), "padded to 12"),
        (damaged("frozen", b"vers\0\0\0\x0c\0", b"vers\0\0\0\x0c\1"), "Max writes 0"),
        (damaged("frozen", b"flag\0\0\0\x0c\0\0\0\x08", b"flag\0\0\0\x0c\0\0\0\x07"), "0, 8 or 17"),
        (damaged("frozen", b"flag\0\0\0\x0c\0\0\0\x11", b"flag\0\0\0\x0c\0\0\0\x08"), "own JSON"),
        (
            damaged("frozen", b"flag\0\0\0\x0c\0\0\0\x08", b"flag\0\0\0\x0c\0\0\0\x11"),
            "stands later",
        ),
        (
            damaged("frozen", b"of32\0\0\0\x0c\0\0\0\x10", b"of32\0\0\0\x0c\0\0\0\x11"),
            "expected at 16",
        ),
        (damaged("frozen", b"sz32\0\0\0\x0c\0", b"sz32\0\0\0\x0c\1"), "expected at 16"),
    ],
)
def test_damage_is_named(raw: bytes, part: str) -> None:
    with pytest.raises(AmxdError) as caught:
        read(raw)
    assert part in str(caught.value)


def test_a_gap_before_the_directory_is_found() -> None:
    raw = write(samples()["alone"])
    payload = bytearray(raw[32:])
    (directory,) = struct.unpack(">Q", payload[8:16])
    payload[directory:directory] = b"??"
    payload[8:16] = struct.pack(">Q", directory + 2)
    with pytest.raises(AmxdError, match="2 bytes before the directory"):
        read(with_payload(4, bytes(payload)))


def test_two_files_of_one_name_are_refused() -> None:
    with pytest.raises(AmxdError, match="same name"):
        write(frozen(PATCHER, "a.amxd", (SCRIPT, SCRIPT)))


@pytest.mark.parametrize(
    "device",
    [
        Device("aaaa", 4, b'{"patcher":{}}\0', (Entry("JSON", "a.amxd", b"", amxd.FLAG_DEVICE),)),
        Device("äääa", 0, b'{"patcher":{}}\0'),
        Device("aaaa", 0, b"{}"),
        frozen(PATCHER, "é.amxd"),
        frozen(PATCHER, "a.amxd", (Entry("LONG!", "b", b""),)),
    ],
)
def test_a_contradictory_device_is_not_written(device: Device) -> None:
    with pytest.raises(AmxdError):
        write(device)


NAMES = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=20)
FILES = st.builds(
    Entry,
    st.sampled_from(["TEXT", "JSON", "gDSP", "svg ", "PNG "]),
    NAMES,
    st.binary(max_size=60),
    st.sampled_from([amxd.FLAG_PLAIN, amxd.FLAG_ON_DISK]),
    st.integers(0, 2**32 - 1),
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(
    st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=6), JSON, max_size=4),
    st.lists(FILES, max_size=4, unique_by=lambda entry: entry.name),
    st.sampled_from(sorted(amxd.KINDS)),
)
def test_any_device_round_trips(patcher: dict[str, Any], files: list[Entry], kind: str) -> None:
    kept = tuple(entry for entry in files if entry.name != "x.amxd")
    device = frozen(patcher, "x.amxd", kept, kind=kind)
    raw = write(device)
    again = read(raw)
    assert again == device
    assert write(again) == raw
    assert json.dumps(again.patcher) == json.dumps(patcher)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(["unfrozen", "frozen", "alone"]), st.data())
def test_mutations_are_read_alike_or_refused(name: str, data: st.DataObject) -> None:
    raw = bytearray(write(samples()[name]))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw) - 1))
        match data.draw(st.sampled_from(["flip", "cut", "insert", "length"])):
            case "flip":
                raw[at] ^= data.draw(st.integers(1, 255))
            case "cut":
                del raw[at : at + data.draw(st.integers(1, 40))]
            case "insert":
                raw[at:at] = data.draw(st.binary(max_size=9))
            case _:
                raw[at : at + 4] = data.draw(st.binary(min_size=4, max_size=4))
        if not raw:
            break
    try:
        device = read(bytes(raw))
    except AmxdError:
        return
    assert write(device) == bytes(raw)  # what is accepted is understood to the last byte


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_device_or_the_own_error(raw: bytes) -> None:
    for payload in (raw, with_payload(7, raw), with_payload(7, b"mx@c" + raw)):
        with pytest.raises(AmxdError):
            read(payload)
