"""From a captured packet to the UDP datagram in it.

Link types are those of https://www.tcpdump.org/linktypes.html: Ethernet (with VLAN tags), BSD
loopback (NULL and LOOP, either byte order), raw IP, and Linux cooked capture (SLL and SLL2), each
with IPv4 (RFC 791) or IPv6 (RFC 8200). Checksums are not verified: captures on the sending machine
are taken before the hardware fills them in.
"""

from __future__ import annotations

import struct
from enum import StrEnum
from typing import Final, NamedTuple

NULL: Final = 0
ETHERNET: Final = 1
RAW: Final = 101
LOOP: Final = 108
SLL: Final = 113
SLL2: Final = 276
_RAW_IP: Final = (12, 14, RAW, 228, 229)

_IPV4: Final = 0x0800
_IPV6: Final = 0x86DD
_VLAN: Final = (0x8100, 0x88A8, 0x9100)
_LOOPBACK_FAMILIES: Final = (2, 10, 23, 24, 28, 30)
"""AF_INET, and AF_INET6 as Linux, Windows, NetBSD, FreeBSD and Darwin number it."""

_UDP: Final = 17
_EXTENSION_HEADERS: Final = (0, 43, 60)
_FRAGMENT_HEADER: Final = 44
_MORE_OR_OFFSET: Final = 0x3FFF

_u16 = struct.Struct(">H").unpack_from
_ports_and_length = struct.Struct(">HHH").unpack_from


class Skip(StrEnum):
    """Why a packet gives no datagram."""

    OTHER = "other"
    FRAGMENT = "fragment"
    CUT = "cut"
    UNKNOWN_LINK = "unknown_link"


class Datagram(NamedTuple):
    """A UDP datagram: the port it was sent to, and its payload."""

    port: int
    payload: bytes


def udp_datagram(link_type: int, packet: bytes) -> Datagram | Skip:
    """UDP datagram in a packet, or why there is none.

    Parameters
    ----------
    link_type : int
        Link type of the capture.
    packet : bytes
        Bytes captured, from the link's header on.

    Returns
    -------
    Datagram or Skip
        ``other`` for traffic that is not UDP, ``fragment`` for a part of an IP packet, ``cut`` if
        the capture kept too few bytes, ``unknown_link`` for a link type that is not read.
    """
    try:
        at = _network_layer(link_type, packet)
        if isinstance(at, Skip):
            return at
        version = packet[at] >> 4
        if version == 4:
            return _in_ipv4(packet, at)
        return _in_ipv6(packet, at) if version == 6 else Skip.OTHER
    except (struct.error, IndexError):
        return Skip.CUT


def _network_layer(link_type: int, packet: bytes) -> int | Skip:
    """Offset of the IP header."""
    if link_type in _RAW_IP:
        return 0
    if link_type in {NULL, LOOP}:
        family = packet[:4]
        known = {int.from_bytes(family, "big"), int.from_bytes(family, "little")}
        return 4 if not known.isdisjoint(_LOOPBACK_FAMILIES) else Skip.OTHER
    if link_type == ETHERNET:
        return _after_ethertype(packet, 12)
    if link_type == SLL:
        return _after_ethertype(packet, 14)
    if link_type == SLL2:
        return 20 if _u16(packet, 0)[0] in {_IPV4, _IPV6} else Skip.OTHER
    return Skip.UNKNOWN_LINK


def _after_ethertype(packet: bytes, at: int) -> int | Skip:
    (ethertype,) = _u16(packet, at)
    while ethertype in _VLAN:
        at += 4
        (ethertype,) = _u16(packet, at)
    return at + 2 if ethertype in {_IPV4, _IPV6} else Skip.OTHER


def _in_ipv4(packet: bytes, at: int) -> Datagram | Skip:
    header_bytes = (packet[at] & 15) * 4
    if header_bytes < 20 or packet[at + 9] != _UDP:
        return Skip.OTHER
    if _u16(packet, at + 6)[0] & _MORE_OR_OFFSET:
        return Skip.FRAGMENT
    return _udp(packet, at + header_bytes)


def _in_ipv6(packet: bytes, at: int) -> Datagram | Skip:
    header = packet[at + 6]
    at += 40
    while True:
        if header == _UDP:
            return _udp(packet, at)
        if header == _FRAGMENT_HEADER:
            if _u16(packet, at + 2)[0] & ~6:
                return Skip.FRAGMENT
            header, at = packet[at], at + 8
        elif header in _EXTENSION_HEADERS:
            header, at = packet[at], at + 8 * (packet[at + 1] + 1)
        else:
            return Skip.OTHER


def _udp(packet: bytes, at: int) -> Datagram | Skip:
    _, port, length = _ports_and_length(packet, at)
    if length < 8:
        return Skip.OTHER
    payload = packet[at + 8 : at + length]
    return Datagram(port, payload) if len(payload) == length - 8 else Skip.CUT
