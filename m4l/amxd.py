"""Reads and writes Max for Live devices (``.amxd``), byte for byte as Max saves them.

Outer chunks (tag, little-endian length, payload): ``ampf`` with the device's kind, ``meta`` with
three flags, ``ptch`` to the end of the file. ``ptch`` is the patcher's JSON and a terminator, or,
in a frozen device, ``mx@c``: big-endian header, the files one after the other, and a ``dlst``
directory with one ``dire`` entry per file, the device's own JSON first. The layout was read from
182 files that Max saved and re-packed to identical bytes for the 181 that are not encrypted.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import Any, Final

from pybackend.errors import InputError

KINDS: Final = {
    "aaaa": "audio effect",
    "mmmm": "MIDI effect",
    "iiii": "instrument",
    "nagg": "MIDI generator",
    "natt": "MIDI transformation",
}
FIXED_DATE: Final = 3590052493
"""Seconds since 1904 that Live's own template carries; writing it keeps builds reproducible."""

HAS_DEPENDENCIES: Final = 1
EMBEDS_DEPENDENCIES: Final = 2
FROZEN: Final = 4

FLAG_DEVICE: Final = 17
"""Directory flag of the device's own JSON."""
FLAG_PLAIN: Final = 0
FLAG_ON_DISK: Final = 8
"""Directory flag of a file that has to exist on disk at run time, as a Node script does."""

TERMINATORS: Final = (b"\n\0", b"\r\n\0", b"\0")
MAX_BYTES: Final = 64 << 20
MAX_FILES: Final = 4096

_DIRE_FIELDS: Final = (b"type", b"fnam", b"sz32", b"of32", b"vers", b"flag", b"mdat")


class AmxdError(InputError):
    """A file that is no device, or a device that is damaged."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file inside a frozen device.

    Attributes
    ----------
    kind : str
        Four characters: ``JSON``, ``TEXT``, ``gDSP``, ``svg ``, ``PNG ``, ...
    name : str
        File name, ASCII.
    data : bytes
        Content; of the first entry the patcher's JSON with its terminator.
    flag : int
        ``FLAG_DEVICE``, ``FLAG_PLAIN`` or ``FLAG_ON_DISK``.
    modified : int
        Seconds since 1904-01-01.
    """

    kind: str
    name: str
    data: bytes
    flag: int = FLAG_PLAIN
    modified: int = FIXED_DATE


@dataclass(frozen=True, slots=True)
class Device:
    """A device file, taken apart.

    Attributes
    ----------
    kind : str
        A key of ``KINDS``.
    meta : int
        ``HAS_DEPENDENCIES``, ``EMBEDS_DEPENDENCIES`` and ``FROZEN``, added up.
    text : bytes
        The patcher's JSON with its terminator.
    entries : tuple of Entry
        Files of a frozen device, its own JSON first; empty when it is not frozen.
    """

    kind: str
    meta: int
    text: bytes
    entries: tuple[Entry, ...] = ()

    @property
    def is_frozen(self) -> bool:
        """Whether the dependencies are inside."""
        return bool(self.meta & FROZEN)

    @property
    def patcher(self) -> dict[str, Any]:
        """The patcher, parsed anew at each call."""
        return _patcher(self.text)

    @property
    def files(self) -> dict[str, bytes]:
        """Embedded files besides the device itself, by name."""
        return {entry.name: entry.data for entry in self.entries[1:]}


# ---- writing


def unfrozen(patcher: dict[str, Any], *, kind: str = "aaaa", has_dependencies: bool) -> Device:
    """Put a patcher into a device that finds its other files beside itself."""
    return Device(kind, HAS_DEPENDENCIES if has_dependencies else 0, patcher_text(patcher))


def frozen(
    patcher: dict[str, Any], name: str, files: tuple[Entry, ...] = (), *, kind: str = "aaaa"
) -> Device:
    """Put a patcher and its files into a device that needs nothing beside itself.

    Parameters
    ----------
    patcher : dict
        The patcher, without the outer ``{"patcher": ...}``.
    name : str
        File name of the device, ``"….amxd"``, ASCII.
    files : tuple of Entry
        What is embedded.
    kind : str
        A key of ``KINDS``.
    """
    text = patcher_text(patcher)
    meta = FROZEN | (HAS_DEPENDENCIES | EMBEDS_DEPENDENCIES if files else 0)
    return Device(kind, meta, text, (Entry("JSON", name, text, FLAG_DEVICE), *files))


def patcher_text(patcher: dict[str, Any]) -> bytes:
    r"""JSON of a patcher in the style of Max 8 (tabs, ``"key" : value``), ended by ``\n\0``."""
    text = json.dumps(
        {"patcher": patcher},
        indent="\t",
        separators=(",", " : "),
        ensure_ascii=False,
        allow_nan=False,
    )
    return text.encode() + b"\n\0"


def write(device: Device) -> bytes:
    """Bytes of a device file.

    Raises
    ------
    AmxdError
        The parts contradict each other, as the reader would find out.
    """
    payload = _frozen_payload(device.entries) if device.entries else device.text
    kind = device.kind.encode("ascii", "replace")
    raw = b"".join(
        tag + struct.pack("<I", len(data)) + data
        for tag, data in (
            (b"ampf", kind),
            (b"meta", struct.pack("<I", device.meta)),
            (b"ptch", payload),
        )
    )
    if read(raw) != device:
        raise AmxdError("the device's text is not its first entry: build it with frozen()")
    return raw


def _frozen_payload(entries: tuple[Entry, ...]) -> bytes:
    header = 16
    offsets, position = [], header
    for entry in entries:
        offsets.append(position)
        position += len(entry.data)
    directory = b"".join(
        _block(b"dire", _dire(entry, offset))
        for entry, offset in zip(entries, offsets, strict=True)
    )
    head = b"mx@c" + struct.pack(">IQ", header, position)
    return head + b"".join(entry.data for entry in entries) + _block(b"dlst", directory)


def _block(tag: bytes, payload: bytes) -> bytes:
    return tag + struct.pack(">I", len(payload) + 8) + payload


def _dire(entry: Entry, offset: int) -> bytes:
    name = entry.name.encode("ascii", "replace")
    padded = name.ljust((len(name) // 4 + 1) * 4, b"\0")
    numbers = (len(entry.data), offset, 0, entry.flag, entry.modified)
    fields = [entry.kind.encode("ascii", "replace"), padded]
    fields += [struct.pack(">I", number) for number in numbers]
    return b"".join(_block(tag, data) for tag, data in zip(_DIRE_FIELDS, fields, strict=True))


# ---- reading


def read(raw: bytes) -> Device:
    """Take a device file apart and check all of it.

    Raises
    ------
    AmxdError
        Says at which byte what is wrong. Nothing else is raised, whatever the bytes are.
    """
    if len(raw) > MAX_BYTES:
        raise AmxdError(f"{len(raw)} bytes: no device is larger than {MAX_BYTES}")
    kind_raw, position = _chunk(raw, 0, b"ampf")
    kind = kind_raw.decode("latin-1")
    if kind not in KINDS:
        raise AmxdError(f"byte 8: the device's kind {kind!r} is none of {', '.join(KINDS)}")
    if raw[position : position + 4] == b"ptch":
        raise AmxdError(f"byte {position}: no 'meta' chunk: exported by Max alone, not by Live")
    meta_raw, position = _chunk(raw, position, b"meta")
    meta = _meta(meta_raw)
    if raw[position : position + 4] == b"ciph":
        raise AmxdError(f"byte {position}: the device is encrypted")
    payload, end = _chunk(raw, position, b"ptch")
    if end != len(raw):
        raise AmxdError(f"byte {end}: {len(raw) - end} bytes follow the patcher")
    if payload.startswith(b"mx@c") != bool(meta & FROZEN):
        raise AmxdError(f"byte {position + 8}: 'meta' {meta} contradicts the patcher's form")
    entries = _entries(payload, position + 8) if meta & FROZEN else ()
    if meta & FROZEN and bool(meta & EMBEDS_DEPENDENCIES) != (len(entries) > 1):
        raise AmxdError(f"byte 20: 'meta' {meta} with {len(entries)} files in the directory")
    text = entries[0].data if entries else payload
    _patcher(text)
    return Device(kind, meta, text, entries)


def _chunk(raw: bytes, position: int, tag: bytes) -> tuple[bytes, int]:
    head = raw[position : position + 8]
    if len(head) < 8 or head[:4] != tag:
        raise AmxdError(f"byte {position}: expected the chunk '{tag.decode()}', found {head[:4]!r}")
    (length,) = struct.unpack("<I", head[4:])
    start, end = position + 8, position + 8 + length
    if end > len(raw):
        raise AmxdError(f"byte {position + 4}: length {length}, but {len(raw) - start} bytes left")
    if tag != b"ptch" and length != 4:
        raise AmxdError(f"byte {position + 4}: '{tag.decode()}' has length {length}, not 4")
    return raw[start:end], end


def _meta(raw: bytes) -> int:
    meta = int(struct.unpack("<I", raw)[0])
    if meta not in (0, 1, 4, 7):
        raise AmxdError(f"byte 20: 'meta' is {meta}; Max writes 0, 1, 4 or 7")
    return meta


class _Reader:
    """Bytes of a frozen payload, read in order with checks; ``base`` is its place in the file."""

    def __init__(self, payload: bytes, base: int, position: int) -> None:
        self._payload = payload
        self._base = base
        self.position = position

    def fail(self, reason: str, position: int | None = None) -> AmxdError:
        at = self._base + (self.position if position is None else position)
        return AmxdError(f"byte {at}: {reason}")

    @property
    def is_done(self) -> bool:
        return self.position == len(self._payload)

    def block(self, tag: bytes, end: int) -> int:
        """Enter a block with a big-endian size that counts its own head; return its end."""
        start = self.position
        head = self._payload[start : start + 8]
        if len(head) < 8 or start + 8 > end or head[:4] != tag:
            raise self.fail(f"expected '{tag.decode()}', found {head[:4]!r}")
        (size,) = struct.unpack(">I", head[4:])
        if size < 8 or start + size > end:
            raise self.fail(f"'{tag.decode()}' has size {size}; {end - start} bytes are left")
        self.position += 8
        return start + int(size)

    def field(self, tag: bytes, end: int) -> bytes:
        """Take a whole block."""
        inner_end = self.block(tag, end)
        data = self._payload[self.position : inner_end]
        self.position = inner_end
        return data

    def number(self, tag: bytes, end: int) -> int:
        """Take a block of one big-endian number."""
        start = self.position
        data = self.field(tag, end)
        if len(data) != 4:
            raise self.fail(f"'{tag.decode()}' has {len(data)} bytes, not 4", start)
        return int(struct.unpack(">I", data)[0])


def _entries(payload: bytes, base: int) -> tuple[Entry, ...]:
    if len(payload) < 16:
        raise AmxdError(f"byte {base}: the frozen header is cut off")
    header, directory = struct.unpack(">IQ", payload[4:16])
    if header != 16:
        raise AmxdError(f"byte {base + 4}: the frozen header's length is {header}, not 16")
    if not header <= directory <= len(payload):
        raise AmxdError(f"byte {base + 8}: the directory's offset {directory} lies outside")
    reader = _Reader(payload, base, directory)
    end = reader.block(b"dlst", len(payload))
    if end != len(payload):
        raise reader.fail(f"{len(payload) - end} bytes follow the directory", end)
    entries: list[Entry] = []
    expected = header
    while not reader.is_done:
        if len(entries) == MAX_FILES:
            raise reader.fail(f"more than {MAX_FILES} files")
        entry = _entry(reader, payload, end, expected)
        expected += len(entry.data)
        entries.append(entry)
    if not entries:
        raise reader.fail("the directory is empty")
    if expected != directory:
        raise reader.fail(f"{directory - expected} bytes before the directory belong to no file")
    _check_entries(entries, reader)
    return tuple(entries)


def _entry(reader: _Reader, payload: bytes, end: int, expected: int) -> Entry:
    start = reader.position
    inner = reader.block(b"dire", end)
    kind = reader.field(b"type", inner)
    if len(kind) != 4 or not all(32 <= byte < 127 for byte in kind):
        raise reader.fail(f"the type {kind!r} is not four printable characters", start)
    name = _file_name(reader, inner)
    size, offset = reader.number(b"sz32", inner), reader.number(b"of32", inner)
    version = reader.number(b"vers", inner)
    flag, modified = reader.number(b"flag", inner), reader.number(b"mdat", inner)
    if reader.position != inner:
        raise reader.fail(f"{inner - reader.position} bytes too many in the entry of {name!r}")
    if offset != expected or offset + size > len(payload):
        raise reader.fail(f"{name!r} at {offset} with size {size}; expected at {expected}", start)
    if version:
        raise reader.fail(f"version {version} of {name!r}; Max writes 0", start)
    if flag not in (FLAG_PLAIN, FLAG_ON_DISK, FLAG_DEVICE):
        raise reader.fail(f"flag {flag} of {name!r}; Max writes 0, 8 or 17", start)
    return Entry(kind.decode("ascii"), name, payload[offset : offset + size], flag, modified)


def _file_name(reader: _Reader, end: int) -> str:
    start = reader.position
    raw = reader.field(b"fnam", end)
    name = raw.rstrip(b"\0")
    if not name or not all(32 <= byte < 127 for byte in name):
        raise reader.fail(f"the file name {name!r} is not plain ASCII", start)
    if len(raw) != (len(name) // 4 + 1) * 4:
        raise reader.fail(f"the file name {name!r} is padded to {len(raw)} bytes", start)
    return name.decode("ascii")


def _check_entries(entries: list[Entry], reader: _Reader) -> None:
    if entries[0].kind != "JSON" or entries[0].flag != FLAG_DEVICE:
        raise reader.fail("the first file is not the device's own JSON")
    for entry in entries[1:]:
        if entry.flag == FLAG_DEVICE:
            raise reader.fail(f"{entry.name!r} is flagged as the device, but stands later")
    if len({entry.name for entry in entries}) < len(entries):
        raise reader.fail("two files have the same name")


def _patcher(text: bytes) -> dict[str, Any]:
    try:
        decoded = text.decode("utf-8")
        document, end = json.JSONDecoder(
            object_pairs_hook=_unique, parse_constant=_no_constant
        ).raw_decode(decoded)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise AmxdError(f"the patcher is not JSON: {error}") from error
    rest = decoded[end:].encode()
    if rest not in TERMINATORS:
        raise AmxdError(f"the patcher's JSON ends in {rest[:8]!r}, not in a line end and a zero")
    if not isinstance(document, dict) or not isinstance(document.get("patcher"), dict):
        raise AmxdError("the JSON holds no 'patcher' object")
    patcher: dict[str, Any] = document["patcher"]
    return patcher


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("an object has the same key twice")
    return unique


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
