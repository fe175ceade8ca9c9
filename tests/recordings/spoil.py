"""A recording as it may really arrive: by Wireshark, on two interfaces, with everything else.

What a busy machine, a second device and a careless user do to a recording, put into a pcapng file:
frames lost, sent twice, overtaken, torn; datagrams that are no frames; traffic that is not ours; an
end in the middle of a packet. Everything is drawn from one seed.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from dpkt import arp, ethernet, ip, ip6, tcp, udp

from pybackend.stream.codec import FRAME_BYTES, encode_frame
from pybackend.stream.linklayer import ETHERNET, NULL
from pybackend.stream.protocol import FRAME_WIDTH, SEQ_MODULUS, column

Timed = tuple[float, bytes]
Row = list[float]

PORT: Final = 9701
BURST: Final = 3
LOST: Final = 0.008
TWICE: Final = 0.03
SWAPPED: Final = 0.03
TORN: Final = 0.007
HEAVY_LOSS: Final = 0.08
LOCALHOST: Final = bytes((127, 0, 0, 1))
AF_INET: Final = 2
_MAC: Final = (bytes.fromhex("0242ac110002"), bytes.fromhex("0242ac110001"))


class Damage:
    """Does things to the frames of one device and counts them.

    Parameters
    ----------
    seed : int
        What chance starts from.
    """

    def __init__(self, seed: int) -> None:
        self.counts: Counter[str] = Counter()
        self._rng = np.random.default_rng(seed)

    def take(self, rows: Sequence[Timed], lost: float) -> list[Timed]:
        """Lose, repeat, swap and tear single datagrams of a stretch, and lose one burst."""
        frames = [i for i, (_, payload) in enumerate(rows) if len(payload) == FRAME_BYTES]
        fate = dict(zip(frames, self._rng.random(len(frames)), strict=True))
        first = int(self._rng.integers(len(frames) // 4, len(frames) // 2))
        burst = frames[first : first + BURST]
        out: list[Timed] = []
        plain = False
        for i, (time_s, payload) in enumerate(rows):
            draw = fate.get(i, 0.5)
            was_plain, plain = plain, False
            if draw < lost or i in burst:
                self.counts["lost"] += 1
            elif draw < lost + TORN:
                self.counts["torn"] += 1
                out.append((time_s, torn(payload)))
            elif draw > 1.0 - TWICE:
                self.counts["repeats"] += 1
                out += [(time_s, payload), (time_s + 0.0002, payload)]
            elif draw > 1.0 - TWICE - SWAPPED and was_plain:
                self.counts["reordered"] += 1
                before_s, before = out.pop()
                out += [(before_s, payload), (time_s, before)]
            else:
                plain = i in fate
                out.append((time_s, payload))
        return out


def torn(payload: bytes) -> bytes:
    """A frame whose two counters disagree."""
    at = -4
    (seq,) = struct.unpack(">f", payload[at:])
    return payload[:at] + struct.pack(">f", (seq + 1.0) % SEQ_MODULUS)


def garbage(row: Row) -> list[tuple[str, bytes]]:
    """Datagrams that are no frames, by the reason for which they have to be dropped."""
    frame = encode_frame(row)

    def changed(name: str, value: float) -> bytes:
        other = list(row)
        other[column(name)] = value
        return encode_frame(other)

    wrong_tags = frame.replace(b",iii", b",iif", 1)
    return [
        ("not_osc", bytes(range(1, 90))),
        ("not_osc", b""),
        ("oversize", frame + bytes(1600)),
        ("bundle", b"#bundle\0" + struct.pack(">QI", 1, len(frame)) + frame),
        ("unknown_address", b"/live/song/get/tempo\0\0\0\0,\0\0\0"),
        ("legacy", b"/rms\0\0\0\0,f\0\0" + struct.pack(">f", 0.2)),
        ("length", frame[:-8]),
        ("length", frame[:120]),
        ("type_tags", wrong_tags),
        ("wrong_protocol", changed("protocol", 2)),
        ("non_finite", changed("k_power", math.nan)),
        ("non_finite", changed("lufs_m", math.inf)),
        ("out_of_range", changed("tempo", 12345.0)),
    ]


def _in_ip(payload: bytes, port: int, protocol: str = "udp") -> bytes:
    if protocol == "udp":
        inner: object = udp.UDP(sport=57120, dport=port, ulen=8 + len(payload), data=payload)
        number = ip.IP_PROTO_UDP
    else:
        inner = tcp.TCP(sport=51000, dport=port, flags=tcp.TH_ACK, data=payload)
        number = ip.IP_PROTO_TCP
    packet = ip.IP(p=number, src=LOCALHOST, dst=LOCALHOST, data=inner)
    packet.len = len(packet)
    return bytes(packet)


def loopback(payload: bytes, port: int = PORT, protocol: str = "udp") -> bytes:
    """Packet as macOS and Npcap on Windows show it on the loopback interface."""
    return struct.pack("<I", AF_INET) + _in_ip(payload, port, protocol)


def _ethernet(inner: bytes, kind: int) -> bytes:
    return _MAC[0] + _MAC[1] + struct.pack(">H", kind) + inner


def foreign() -> list[tuple[int, bytes]]:
    """Packets of others, as (interface, packet)."""
    query = b"\x12\x34\x01\0\0\1\0\0\0\0\0\0\7ableton\3com\0\0\1\0\1"
    v6 = ip6.IP6(
        nxt=ip.IP_PROTO_UDP,
        src=bytes(15) + b"\1",
        dst=bytes(15) + b"\1",
        plen=8 + len(query),
        data=udp.UDP(sport=5353, dport=5353, ulen=8 + len(query), data=query),
    )
    part = bytearray(_in_ip(bytes(64), PORT))
    part[6:8] = struct.pack(">H", 0x2000)
    return [
        (0, _ethernet(bytes(arp.ARP()), ethernet.ETH_TYPE_ARP)),
        (0, _ethernet(_in_ip(query, 53), ethernet.ETH_TYPE_IP)),
        (0, _ethernet(bytes(v6), ethernet.ETH_TYPE_IP6)),
        (0, _ethernet(_in_ip(b"GET / HTTP/1.1\r\n\r\n", 80, "tcp"), ethernet.ETH_TYPE_IP)),
        (1, loopback(b'{"id": 1}', 9877, "tcp")),
        (1, loopback(b"/notes\0\0,i\0\0\0\0\0\1", 11000)),
        (1, struct.pack("<I", AF_INET) + bytes(part)),
    ]


def _block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


def _interface(link_type: int, exponent: int) -> bytes:
    options = struct.pack("<HHB3x", 9, 1, exponent) + bytes(4)
    return _block(1, struct.pack("<HHI", link_type, 0, 65535) + options)


def write_pcapng(path: Path, packets: Iterable[tuple[float, int, bytes]], *, cut: int = 0) -> None:
    """Write packets of two interfaces: 0 is Ethernet with microseconds, 1 is loopback with nano.

    Parameters
    ----------
    path : Path
        The file; replaced.
    packets : iterable of (float, int, bytes)
        Time in seconds, interface, packet.
    cut : int
        Bytes missing at the end.
    """
    section = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
    parts = [_block(0x0A0D0D0A, section), _interface(ETHERNET, 6), _interface(NULL, 9)]
    for time_s, interface, packet in packets:
        ticks = round(time_s * (10**6, 10**9)[interface])
        head = struct.pack(
            "<IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(packet), len(packet)
        )
        parts.append(_block(6, head + packet + bytes(-len(packet) % 4)))
    data = b"".join(parts)
    path.write_bytes(data[: len(data) - cut])


def spoil(
    path: Path, stretches: Sequence[Sequence[Timed]], other: Sequence[Timed], row: Row
) -> dict[str, int]:
    """Write a recording in which everything went wrong.

    Parameters
    ----------
    path : Path
        The file.
    stretches : sequence of sequences of (float, bytes)
        The master's datagrams; the last stretch loses too many frames to be judged.
    other : sequence of (float, bytes)
        A second device's, undamaged.
    row : list of float
        A frame to make garbage of.

    Returns
    -------
    dict of str to int
        How much of what was done.
    """
    assert len(row) == FRAME_WIDTH
    damage = Damage(seed=11)
    packets: list[tuple[float, int, bytes]] = [(s, 1, loopback(p)) for s, p in other]
    for number, stretch in enumerate(stretches):
        lost = HEAVY_LOSS if number == len(stretches) - 1 else LOST
        packets += [(s, 1, loopback(p)) for s, p in damage.take(stretch, lost)]
    start_s, end_s = packets[0][0], max(time_s for time_s, _, _ in packets)
    span_s = end_s - start_s
    trash = garbage(row)
    damage.counts.update(reason for reason, _ in trash)
    for i, (_, payload) in enumerate(trash):
        packets.append((start_s + (i + 0.31) * span_s / len(trash), 1, loopback(payload)))
    strangers = foreign() * 4
    for i, (interface, packet) in enumerate(strangers):
        packets.append((start_s + (i + 0.77) * span_s / len(strangers), interface, packet))
    packets.sort(key=lambda item: item[0])
    packets.append((end_s + 0.1, 1, loopback(b"/cut/off\0\0\0\0,\0\0\0")))
    write_pcapng(path, packets, cut=7)
    return dict(sorted(damage.counts.items()))
