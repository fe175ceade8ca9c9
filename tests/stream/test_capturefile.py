from __future__ import annotations

import io
import struct

import pytest
from dpkt import pcap, pcapng
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.errors import RecordingError
from pybackend.stream.capturefile import FileState, read_packets

PACKETS = [(1_700_000_000.25, b"first"), (1_700_000_000.3, b""), (1_700_000_001.999999, b"x" * 99)]


@pytest.fixture
def read(tmp_path):
    """Packets of a file with the given bytes, as (time, link type, data), and what was found."""

    def read(content: bytes):
        path = tmp_path / "capture"
        path.write_bytes(content)
        state = FileState()
        return [tuple(packet) for packet in read_packets(path, state)], state

    return read


def pcap_file(order="<", magic=0xA1B2C3D4, ticks_per_s=1_000_000, link=101, extra=0) -> bytes:
    content = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for time_s, data in PACKETS:
        seconds = int(time_s)
        ticks = round((time_s - seconds) * ticks_per_s)
        content += struct.pack(order + "IIII", seconds, ticks, len(data), len(data))
        content += bytes(extra) + data
    return content


def block(order: str, kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def option(order: str, code: int, value: bytes) -> bytes:
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(order: str) -> bytes:
    comment = option(order, 1, b"not \xff utf-8")
    return block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1) + comment)


def interface(order: str, link: int, *options: bytes) -> bytes:
    return block(order, 1, struct.pack(order + "HHI", link, 0, 65535) + b"".join(options))


def packet(order: str, number: int, ticks: int, data: bytes) -> bytes:
    head = struct.pack(order + "IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(data), 2000)
    return block(order, 6, head + data)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    ("magic", "ticks_per_s", "extra"),
    [(0xA1B2C3D4, 10**6, 0), (0xA1B23C4D, 10**9, 0), (0xA1B2CD34, 10**6, 8)],
)
def test_pcap_in_every_byte_order_and_resolution(read, order, magic, ticks_per_s, extra):
    packets, state = read(pcap_file(order, magic, ticks_per_s, extra=extra))
    assert packets == [(pytest.approx(t, abs=1e-7), 101, data) for t, data in PACKETS]
    assert state == FileState()


def test_the_link_type_leaves_out_the_check_sequence_bits(read):
    assert {p[1] for p in read(pcap_file(link=0x54000001))[0]} == {1}


@pytest.mark.parametrize("nano", [False, True])
def test_what_dpkt_writes(read, nano):
    file = io.BytesIO()
    pcap.Writer(file, linktype=113, nano=nano).writepkts([(t, d) for t, d in PACKETS])
    packets, state = read(file.getvalue())
    assert packets == [(pytest.approx(t, abs=1e-7), 113, data) for t, data in PACKETS]
    assert state.damage is None


def test_what_dpkt_writes_as_pcapng(read):
    file = io.BytesIO()
    writer = pcapng.Writer(file, linktype=1)
    for time_s, data in PACKETS:
        writer.writepkt_time(data, time_s)
    packets, state = read(file.getvalue())
    assert packets == [(pytest.approx(t, abs=1e-6), 1, data) for t, data in PACKETS]
    assert state.damage is None


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcapng_with_several_interfaces_and_sections(read, order):
    other = "<" if order == ">" else ">"
    content = (
        section(order)
        + interface(order, 1, option(order, 2, b"lo"), option(order, 9, b"\x09"))
        + interface(
            order, 101, option(order, 9, b"\x8a"), option(order, 14, struct.pack(order + "q", 50))
        )
        + interface(order, 0, option(order, 0, b""), option(order, 9, b"\x03"))
        + block(order, 0x0BAD, b"custom" * 3)
        + packet(order, 0, 1_700_000_000_123_456_789, b"nano")
        + packet(order, 1, 100 * 1024 + 512, b"binary")
        + packet(order, 2, 7_250_000, b"micro")
        + block(order, 3, struct.pack(order + "I", 6) + b"simple")
        + block(order, 2, struct.pack(order + "HHIIII", 2, 0, 0, 1_500_000, 3, 3) + b"old")
        + block(order, 5, bytes(12))
        + section(other)
        + interface(other, 276)
        + packet(other, 0, 2_000_000, b"second section")
    )
    packets, state = read(content)
    assert packets == [
        (1_700_000_000.123456789, 1, b"nano"),
        (150.5, 101, b"binary"),
        (7.25, 0, b"micro"),
        (1.5, 0, b"old"),
        (2.0, 276, b"second section"),
    ]
    assert state == FileState(untimed=1)


@pytest.mark.parametrize("kind", ["pcap", "pcapng"])
def test_a_file_cut_anywhere_is_read_up_to_there(read, kind):
    if kind == "pcap":
        parts = [pcap_file()[:24]]
        at = 24
        for _, data in PACKETS:
            parts.append(pcap_file()[at : at + 16 + len(data)])
            at += 16 + len(data)
    else:
        parts = [section("<") + interface("<", 101)]
        parts += [packet("<", 0, 1000 * i, data) for i, (_, data) in enumerate(PACKETS)]
        parts.append(block("<", 0x0BAD, b"skipped"))
    content = b"".join(parts)
    ends = [len(b"".join(parts[: i + 1])) for i in range(len(parts))]
    whole, _ = read(content)
    sound = [*ends, len(section("<"))] if kind == "pcapng" else ends
    for length in range(4, len(content)):
        packets, state = read(content[:length])
        complete = sum(end <= length for end in ends[1 : 1 + len(PACKETS)])
        assert packets == whole[:complete]
        assert (state.damage is None) == (length in sound)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\x1f\x8b\x08\0rest", "gzip"),
        (b"RIFF....WAVE", "not a pcap"),
        (b"abc", "not a pcap"),
    ],
)
def test_what_is_no_capture_is_refused_in_one_line(read, content, says):
    with pytest.raises(RecordingError, match=says) as caught:
        read(content)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "none.pcap", tmp_path):
        with pytest.raises(RecordingError, match="cannot be read"):
            list(read_packets(path, FileState()))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (pcap_file()[:24] + struct.pack("<IIII", 0, 0, 1 << 30, 9), "1073741824 bytes"),
        (section("<") + block("<", 1, b""), "no description"),
        (section("<") + packet("<", 0, 0, b"x"), "interface 0"),
        (section("<") + struct.pack("<II", 6, 13), "13 bytes"),
        (section("<") + struct.pack("<II", 6, 1 << 31), "2147483648 bytes"),
        (section("<") + struct.pack("<II", 0x0BAD, 1 << 31), "ends inside"),
        (b"\n\r\r\n" + bytes(20), "byte order"),
        (
            section("<")
            + interface("<", 1)
            + block("<", 6, struct.pack("<IIIII", 0, 0, 0, 500, 500) + b"x"),
            "500 bytes",
        ),
        (section("<") + interface("<", 1) + block("<", 6, bytes(8)), "too short"),
    ],
)
def test_damage_is_told_and_not_believed(read, content, says):
    packets, state = read(content)
    assert packets == []
    assert says in state.damage


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([pcap_file()[:24], pcap_file(">")[:24], section("<") + interface("<", 1)]),
    st.binary(max_size=200),
)
def test_noise_behind_a_header_never_raises(tmp_path_factory, head, noise):
    path = tmp_path_factory.getbasetemp() / "noise"
    path.write_bytes(head + noise)
    for _, link, data in read_packets(path, FileState()):
        assert 0 <= link <= 0xFFFF
        assert len(data) <= len(noise)
