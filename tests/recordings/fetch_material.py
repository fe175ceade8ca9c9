"""Fetch the real music that some recordings were measured from, and unpack it beside this file.

    python tests/recordings/fetch_material.py

The packages come from Debian, checked by SHA-256. The audio stays in `.material/`, which git
ignores: only figures measured from it are ever committed. Licences are the packages' own; see
README.md in this folder.
"""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
import urllib.request
from pathlib import Path
from typing import NamedTuple

MIRROR = "http://deb.debian.org/debian/pool/main/"
MATERIAL = Path(__file__).parent / ".material"


class Package(NamedTuple):
    """A Debian package: where it lies in the pool, and the hash of its bytes."""

    path: str
    sha256: str


PACKAGES = {
    "sectoid": Package(
        "f/fretsonfire-songs-sectoid/fretsonfire-songs-sectoid_1.dfsg-3.1_all.deb",
        "14c1ed3e43c1a6a80eae7698f0469a0825cd1184e441968d62df89ca418aa0b4",
    ),
    "muldjord": Package(
        "f/fretsonfire-songs-muldjord/fretsonfire-songs-muldjord_2.dfsg-2.1_all.deb",
        "b37adf8b08b46d4182c283e760e4f40622d83674e05803960ea1e11a92600c7b",
    ),
    "singularity": Package(
        "s/singularity-music/singularity-music_007-2_all.deb",
        "139ba1e408eeb0a72f1fff3760ca46558b9f81bed97dc8c0efa108c4007f4845",
    ),
    "sonic-pi": Package(
        "s/sonic-pi/sonic-pi-samples_3.2.2~repack-8_all.deb",
        "25f2312d2fae005e6ad0f4726b8ed3084e776006a5a132083506e960224ac79d",
    ),
    "warzone": Package(
        "w/warzone2100/warzone2100-music_4.3.3-3_all.deb",
        "d3b2c9f90ea5438d45d4aff18339a03ec808e1affa9dac91f7dad61cb15ee64e",
    ),
}


def data_archive(package: bytes) -> bytes:
    """Return the `data.tar.*` member of a .deb, which is an ar archive."""
    if not package.startswith(b"!<arch>\n"):
        raise ValueError("not an ar archive")
    at = 8
    while at + 60 <= len(package):
        name = package[at : at + 16].decode("ascii").strip().rstrip("/")
        size = int(package[at + 48 : at + 58])
        if name.startswith("data.tar"):
            return package[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    raise ValueError("no data.tar in the package")


def fetch(name: str) -> Path:
    """Download, check and unpack one package; do nothing where that was done before."""
    folder = MATERIAL / name
    if folder.is_dir():
        return folder
    package = PACKAGES[name]
    with urllib.request.urlopen(MIRROR + package.path, timeout=60) as answer:  # noqa: S310
        data = answer.read()
    if hashlib.sha256(data).hexdigest() != package.sha256:
        raise SystemExit(f"{package.path}: not the bytes that were measured; nothing unpacked")
    with tarfile.open(fileobj=io.BytesIO(data_archive(data))) as archive:
        archive.extractall(folder, filter="data")
    return folder


if __name__ == "__main__":
    for wanted in sys.argv[1:] or PACKAGES:
        print(fetch(wanted))
