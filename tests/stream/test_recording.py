from __future__ import annotations

import io
import struct
import subprocess
import sys

import pytest
from dpkt import ethernet, ip, pcap, tcp, udp
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.errors import RecordingError
from pybackend.stream.recording import CaptureCounts, Recorder, read_datagrams

LOCALHOST = b"\x7f\0\0\1"


def sums_to_zero(words: bytes) -> bool:
    """Whether the ones' complement sum, checksum included, is all ones (RFC 1071)."""
    words += bytes(len(words) % 2)
    total = sum(struct.unpack(f">{len(words) // 2}H", words))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total == 0xFFFF


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(1.6e9, 4.0e9), st.binary(min_size=0, max_size=1480)),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_recorded_is_read_back_exactly(tmp_path_factory, datagrams):
    path = tmp_path_factory.mktemp("recording") / "take.pcap"
    with Recorder(path) as recorder:
        for time_s, payload in datagrams:
            recorder.write(payload, time_s)
    assert recorder.written == len(datagrams)
    reader = read_datagrams(path, 9701)
    assert list(reader) == datagrams
    assert reader.counts == CaptureCounts(packets=len(datagrams), datagrams=len(datagrams))


def test_dpkt_reads_our_file_with_right_checksums(tmp_path, make_frame):
    path = tmp_path / "take.pcap"
    payloads = [make_frame(seq=1), b"odd", b"", b"\xff" * 8]
    with Recorder(path, port=9800) as recorder:
        for i, payload in enumerate(payloads):
            recorder.write(payload, 1_700_000_000.5 + i)
    with path.open("rb") as file:
        reader = pcap.Reader(file)
        found = list(reader)
        assert reader.datalink() == 101
    assert [float(time_s) for time_s, _ in found] == [1_700_000_000.5 + i for i in range(4)]
    for (_, raw), payload in zip(found, payloads, strict=True):
        packet = ip.IP(raw)
        assert (packet.src, packet.dst, packet.p, packet.len) == (
            LOCALHOST,
            LOCALHOST,
            17,
            len(raw),
        )
        assert isinstance(packet.data, udp.UDP)
        assert (packet.data.dport, packet.data.ulen) == (9800, 8 + len(payload))
        assert bytes(packet.data.data) == payload
        assert sums_to_zero(raw[:20])
        assert raw[26:28] != b"\0\0"
        assert sums_to_zero(raw[12:20] + struct.pack(">HH", 17, len(raw) - 20) + raw[20:])


def test_an_existing_file_is_not_touched(tmp_path):
    path = tmp_path / "take.pcap"
    path.write_bytes(b"precious")
    with pytest.raises(RecordingError, match="exists already"):
        Recorder(path)
    assert path.read_bytes() == b"precious"


def test_a_file_that_cannot_be_made_is_an_error(tmp_path):
    with pytest.raises(RecordingError, match="cannot be written"):
        Recorder(tmp_path / "none" / "take.pcap")


def test_a_full_disk_ends_the_recording_in_one_line(tmp_path):
    recorder = Recorder(tmp_path / "take.pcap")
    recorder.write(b"one", 1.7e9)

    class Full:
        def writepkt_time(self, packet: bytes, time_s: float) -> None:
            raise OSError(28, "No space left on device")

    recorder._writer = Full()
    with pytest.raises(RecordingError, match=r"No space left on device.*1 packets before are kept"):
        recorder.write(b"two", 1.7e9)
    recorder.close()
    assert [payload for _, payload in read_datagrams(tmp_path / "take.pcap")] == [b"one"]


def test_other_traffic_between_is_counted(tmp_path):
    def wrapped(payload: bytes, port: int, **fields: object) -> bytes:
        datagram = udp.UDP(sport=1, dport=port, ulen=8 + len(payload), data=payload)
        packet = ip.IP(src=LOCALHOST, dst=LOCALHOST, p=17, data=datagram, **fields)
        packet.len = len(packet)
        return bytes(ethernet.Ethernet(data=packet))

    stream = ip.IP(src=LOCALHOST, dst=LOCALHOST, p=6, data=tcp.TCP(dport=80))
    packets = [
        wrapped(b"ours", 9701),
        bytes(ethernet.Ethernet(data=stream)),
        wrapped(b"theirs", 53),
        wrapped(b"part", 9701)[:20] + b"\x20\x00" + wrapped(b"part", 9701)[22:],
        wrapped(b"cut off", 9701)[:-3],
        wrapped(b"ours too", 9701),
        bytes(14),
    ]
    file = io.BytesIO()
    pcap.Writer(file).writepkts([(float(i), packet) for i, packet in enumerate(packets)])
    (tmp_path / "mixed.pcap").write_bytes(file.getvalue() + b"tail")

    reader = read_datagrams(tmp_path / "mixed.pcap", 9701)
    assert next(reader) == (0.0, b"ours")
    assert list(reader) == [(5.0, b"ours too")]
    counts = reader.counts
    assert (counts.packets, counts.datagrams, counts.other_ports) == (7, 2, 1)
    assert (counts.other, counts.fragments, counts.cut) == (2, 1, 1)
    assert "ends inside a packet's header" in counts.damage

    every = read_datagrams(tmp_path / "mixed.pcap")
    assert [payload for _, payload in every] == [b"ours", b"theirs", b"ours too"]


WRITER = """
import sys, time
from pathlib import Path
from pybackend.stream.recording import Recorder
recorder = Recorder(Path(sys.argv[1]))
for i in range(10**9):
    recorder.write(b"datagram %09d" % i, 1.7e9 + i)
    print(i, flush=True)
"""


def test_a_killed_recording_loses_at_most_its_last_packet(tmp_path):
    path = tmp_path / "take.pcap"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE
    ) as child:
        confirmed = -1
        while confirmed < 500:
            confirmed = int(child.stdout.readline())
        child.kill()
        confirmed = max([confirmed, *map(int, child.stdout.read().split()[:-1])])
    reader = read_datagrams(path)
    found = [payload for _, payload in reader]
    assert len(found) >= confirmed + 1
    assert found == [b"datagram %09d" % i for i in range(len(found))]
    assert reader.counts.damage is None or "ends inside" in reader.counts.damage
