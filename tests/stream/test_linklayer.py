from __future__ import annotations

import struct

import pytest
from dpkt import arp, ethernet, ip, ip6, sll, sll2, tcp, udp
from hypothesis import given, settings
from hypothesis import strategies as st

from pybackend.stream.linklayer import Datagram, Skip, udp_datagram

PAYLOAD = b"/mj/frame\0\0\0something"
EXPECTED = Datagram(9701, PAYLOAD)
LOCALHOST6 = bytes(15) + b"\1"


def udp4(payload: bytes = PAYLOAD, **fields: object) -> bytes:
    datagram = udp.UDP(sport=5, dport=9701, ulen=8 + len(payload), data=payload)
    packet = ip.IP(src=b"\x7f\0\0\1", dst=b"\x7f\0\0\1", p=ip.IP_PROTO_UDP, data=datagram, **fields)
    packet.len = len(packet)
    return bytes(packet)


def udp6(extensions: bytes = b"", first: int = ip.IP_PROTO_UDP) -> bytes:
    datagram = bytes(udp.UDP(sport=5, dport=9701, ulen=8 + len(PAYLOAD), data=PAYLOAD))
    body = extensions + datagram
    return struct.pack(">IHBB", 6 << 28, len(body), first, 64) + LOCALHOST6 * 2 + body


def ether(packet: bytes, ethertype: int = 0x0800, tags: bytes = b"") -> bytes:
    return bytes(12) + tags + struct.pack(">H", ethertype) + packet


@pytest.mark.parametrize("link", [12, 14, 101, 228])
def test_raw_ip(link):
    assert udp_datagram(link, udp4()) == EXPECTED


def test_raw_ipv6():
    assert udp_datagram(101, udp6()) == EXPECTED
    assert udp_datagram(229, udp6()) == EXPECTED


def test_ethernet_as_dpkt_writes_it():
    packet = ethernet.Ethernet(data=ip.IP(udp4()))
    assert udp_datagram(1, bytes(packet)) == EXPECTED
    assert udp_datagram(1, ether(udp6(), 0x86DD)) == EXPECTED


def test_ethernet_padding_is_no_payload():
    assert udp_datagram(1, ether(udp4(b"ab")) + bytes(20)) == Datagram(9701, b"ab")


@pytest.mark.parametrize("tags", [b"\x81\0\0\5", b"\x88\xa8\0\1\x81\0\0\2"])
def test_vlan_tags(tags):
    assert udp_datagram(1, ether(udp4(), tags=tags)) == EXPECTED


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("link", [0, 108])
def test_bsd_loopback_in_either_byte_order(link, order):
    assert udp_datagram(link, struct.pack(order + "I", 2) + udp4()) == EXPECTED
    for family in (10, 23, 24, 28, 30):
        assert udp_datagram(link, struct.pack(order + "I", family) + udp6()) == EXPECTED
    assert udp_datagram(link, struct.pack(order + "I", 7) + udp4()) is Skip.OTHER


def test_linux_cooked():
    assert udp_datagram(113, bytes(sll.SLL(hrd=772, data=ip.IP(udp4())))) == EXPECTED
    assert udp_datagram(276, bytes(sll2.SLL2(hrd=772, data=ip.IP(udp4())))) == EXPECTED
    assert udp_datagram(113, bytes(sll.SLL(ethtype=0x86DD)) + udp6()) == EXPECTED
    assert udp_datagram(276, bytes(sll2.SLL2(ethtype=0x86DD)) + udp6()) == EXPECTED
    assert udp_datagram(276, bytes(sll2.SLL2(ethtype=0x0806)) + bytes(28)) is Skip.OTHER


def test_ip_options_are_stepped_over():
    assert udp_datagram(101, udp4(opts=b"\1\1\1\1", hl=6)) == EXPECTED


def test_ipv6_extension_headers_are_stepped_over():
    hop_by_hop = bytes((60, 0)) + bytes(6)
    destination = bytes((44, 1)) + bytes(14)
    whole = bytes((17, 0, 0, 0)) + bytes(4)
    assert udp_datagram(101, udp6(hop_by_hop + destination + whole, first=0)) == EXPECTED
    assert udp_datagram(101, udp6(bytes((17, 0, 0, 1)) + bytes(4), first=44)) is Skip.FRAGMENT


@pytest.mark.parametrize("offset", [0x2000, 0x0001, 0x20B9])
def test_fragments_are_not_read(offset):
    packet = bytearray(udp4())
    struct.pack_into(">H", packet, 6, offset)
    assert udp_datagram(101, bytes(packet)) is Skip.FRAGMENT


def test_do_not_fragment_is_no_fragment():
    packet = bytearray(udp4())
    struct.pack_into(">H", packet, 6, 0x4000)
    assert udp_datagram(101, bytes(packet)) == EXPECTED


def test_other_traffic():
    stream = ip.IP(src=b"\x7f\0\0\1", dst=b"\x7f\0\0\1", p=ip.IP_PROTO_TCP, data=tcp.TCP(dport=80))
    assert udp_datagram(1, bytes(ethernet.Ethernet(data=stream))) is Skip.OTHER
    assert udp_datagram(1, ether(bytes(arp.ARP()), 0x0806)) is Skip.OTHER
    ping = ip6.IP6(src=LOCALHOST6, dst=LOCALHOST6, nxt=58, data=bytes(8), plen=8)
    assert udp_datagram(101, bytes(ping)) is Skip.OTHER
    assert udp_datagram(101, b"\x25" + bytes(60)) is Skip.OTHER
    assert udp_datagram(127, ether(udp4())) is Skip.UNKNOWN_LINK


@pytest.mark.parametrize(
    ("link", "packet"), [(1, ether(udp4())), (0, b"\2\0\0\0" + udp4()), (101, udp6())]
)
def test_a_packet_cut_anywhere_gives_no_datagram(link, packet):
    for length in range(len(packet)):
        assert udp_datagram(link, packet[:length]) in {Skip.CUT, Skip.OTHER}
    assert udp_datagram(link, packet[:-1]) is Skip.CUT


def test_a_udp_length_below_its_header_is_no_datagram():
    packet = bytearray(udp4())
    struct.pack_into(">H", packet, 24, 7)
    assert udp_datagram(101, bytes(packet)) is Skip.OTHER


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([0, 1, 12, 101, 108, 113, 276, 999]), st.binary(max_size=120))
def test_noise_never_raises(link, packet):
    assert isinstance(udp_datagram(link, packet), Datagram | Skip)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 60), st.binary(min_size=1, max_size=4))
def test_a_mutated_packet_never_raises(at, patch):
    for link, packet in ((1, ether(udp4(), tags=b"\x81\0\0\5")), (101, udp6())):
        mutated = packet[:at] + patch + packet[at + len(patch) :]
        assert isinstance(udp_datagram(link, mutated), Datagram | Skip)
