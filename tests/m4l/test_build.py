"""The build: files, bytes, and what of them gets into the wheel."""

from __future__ import annotations

import email.parser
import hashlib
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from m4l.amxd import FLAG_DEVICE, FLAG_ON_DISK, AmxdError, read, write
from m4l.extract import codebox_of, load
from m4l.graph import Graph
from pybackend.assets import DEVICE_NAME

ROOT = Path(__file__).parents[2]
SOURCES = ("m4l", "build", "pybackend", "remote_script", "docs")


def copy_tree(target: Path) -> Path:
    """The files that the build needs, in another place."""
    target.mkdir(parents=True)
    skip = shutil.ignore_patterns("__pycache__", "out", "*.nbi", "*.nbc")
    for name in SOURCES:
        shutil.copytree(ROOT / name, target / name, ignore=skip)
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith(".cov"):
            shutil.copy2(path, target / path.name)
    return target


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# ---- container


def test_the_release_is_frozen_with_the_launcher_inside(built: Any) -> None:
    device = load(built.release)
    assert (device.kind, device.meta, device.is_frozen) == ("aaaa", 7, True)
    own, launcher = device.entries
    assert (own.kind, own.name, own.flag) == ("JSON", DEVICE_NAME, FLAG_DEVICE)
    assert (launcher.kind, launcher.name, launcher.flag) == ("TEXT", "launcher.js", FLAG_ON_DISK)
    assert launcher.data == (ROOT / "m4l" / "launcher.js").read_bytes()
    assert own.data.endswith(b"}\n\0")


def test_the_dev_form_finds_the_launcher_beside_itself(built: Any) -> None:
    device = load(built.dev)
    assert (device.kind, device.meta, device.entries) == ("aaaa", 1, ())
    assert device.text == load(built.release).text
    assert built.launcher.parent == built.dev.parent
    assert built.launcher.read_bytes() == (ROOT / "m4l" / "launcher.js").read_bytes()


def test_outer_chunks_by_hand(built: Any) -> None:
    """Sizes and offsets read here byte by byte, not by the reader under test."""
    raw = built.release.read_bytes()
    assert raw[:12] == b"ampf" + struct.pack("<I", 4) + b"aaaa"
    assert raw[12:24] == b"meta" + struct.pack("<II", 4, 7)
    assert raw[24:32] == b"ptch" + struct.pack("<I", len(raw) - 32)
    payload = raw[32:]
    assert payload[:8] == b"mx@c" + struct.pack(">I", 16)
    (directory,) = struct.unpack(">Q", payload[8:16])
    assert payload[directory : directory + 4] == b"dlst"
    assert struct.unpack(">I", payload[directory + 4 : directory + 8]) == (
        len(payload) - directory,
    )
    launcher = (ROOT / "m4l" / "launcher.js").read_bytes()
    assert payload[directory - len(launcher) : directory] == launcher
    assert payload[16 : directory - len(launcher)].startswith(b'{\n\t"patcher" : {')


def test_packing_again_gives_the_same_bytes(built: Any) -> None:
    for path in (built.release, built.dev):
        raw = path.read_bytes()
        assert write(read(raw)) == raw


def test_a_damaged_device_is_refused_or_still_packs_to_itself(built: Any) -> None:
    raw = built.release.read_bytes()
    text_at, text_end = 48, 48 + len(load(built.release).text)
    rng = random.Random(5)
    for _ in range(300):
        at = rng.choice([rng.randrange(text_at), rng.randrange(text_end, len(raw))])
        damaged = bytearray(raw)
        damaged[at] ^= 1 << rng.randrange(8)
        try:
            device = read(bytes(damaged))
        except AmxdError:
            continue
        assert write(device) == bytes(damaged)
    for end in (0, 11, 24, 31, 47, len(raw) // 2, len(raw) - 1):
        with pytest.raises(AmxdError):
            read(raw[:end])


def test_there_is_one_codebox(built: Any) -> None:
    assert codebox_of(built.release.read_bytes()) == codebox_of(load(built.release))
    bare = write(read(built.dev.read_bytes())).replace(b'"codebox"', b'"comment"')
    with pytest.raises(AmxdError, match="0 codeboxes"):
        codebox_of(bare)


def test_no_machine_path_and_no_date_is_inside(built: Any) -> None:
    raw = built.release.read_bytes()
    for trace in (str(ROOT), str(Path.home()) + "/", sys.version.split()[0], "site-packages"):
        assert trace.encode() not in raw


# ---- the same bytes everywhere


def test_two_builds_are_identical(make_device: ModuleType, built: Any, tmp_path: Path) -> None:
    elsewhere = copy_tree(tmp_path / "näch ste" / "tree")
    out = run(
        *(sys.executable, "-I", "-S", elsewhere / "build" / "make_device.py"),
        cwd=tmp_path,
        PYTHONHASHSEED="7",
        TZ="Asia/Tokyo",
        LC_ALL="C",
        SOURCE_DATE_EPOCH="1",
    )
    again = elsewhere / "build" / "out"
    assert digest(again / DEVICE_NAME) == digest(built.release)
    assert digest(again / "dev" / DEVICE_NAME) == digest(built.dev)
    assert digest(again / "dev" / "launcher.js") == digest(built.launcher)
    assert len(out.splitlines()) == 4
    found = sorted(p.relative_to(again).as_posix() for p in again.rglob("*") if p.is_file())
    assert found == [DEVICE_NAME, f"dev/{DEVICE_NAME}", "dev/launcher.js"]


def test_a_bad_version_stops_the_build(tmp_path: Path) -> None:
    tree = copy_tree(tmp_path / "tree")
    project = tree / "pyproject.toml"
    project.write_text(project.read_text().replace('version = "0.1.0"', 'version = "0.1.dev3"'))
    done = subprocess.run(
        [sys.executable, str(tree / "build" / "make_device.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: the version 0.1.dev3 is not three numbers")
    assert not (tree / "build" / "out").exists()


# ---- wheel


def test_wheel_and_sdist_carry_the_device(built: Any, tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    tree = copy_tree(tmp_path / "tree")
    script = tree / "remote_script" / "MoveJudge"
    script.mkdir(parents=True, exist_ok=True)
    (script / "probe.py").write_text("# stands in for a module\n")
    dist = tmp_path / "dist"
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", dist, cwd=tree)
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "sdist", filter="data")
    (unpacked,) = (tmp_path / "sdist").iterdir()
    assert (unpacked / "build" / "make_device.py").is_file()
    assert not (unpacked / "build" / "out").exists()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", dist, cwd=unpacked)
    (wheel,) = dist.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")  # noqa: S202 - built a moment ago
        names = archive.namelist()
    device = tmp_path / "site" / "pybackend" / "_assets" / DEVICE_NAME
    assert digest(device) == digest(built.release)
    assert "pybackend/_assets/MoveJudge/probe.py" in names
    assert not [n for n in names if n.startswith(("m4l/", "build/", "tests/"))]
    metadata = next(n for n in names if n.endswith(".dist-info/METADATA"))
    head = email.parser.Parser().parsestr((tmp_path / "site" / metadata).read_text("utf-8"))
    assert head["Name"] == "movejudge"
    code = (
        "from pybackend import assets; print(assets.device_file(), assets.remote_script_folder())"
    )
    found = run(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert found.strip() == f"{device} {device.parent / 'MoveJudge'}"


def test_an_editable_install_uses_the_checkout(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    pytest.importorskip("editables")
    tree = copy_tree(tmp_path / "tree")
    code = "import hatchling.build, sys; hatchling.build.build_editable(sys.argv[1])"
    run(sys.executable, "-c", code, tmp_path / "dist", cwd=tree)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert not [n for n in archive.namelist() if "_assets" in n]
    ask = "from pybackend import assets; print(assets.device_file())"
    found = run(sys.executable, "-c", ask, cwd=tmp_path, PYTHONPATH=str(tree))
    assert found.strip() == str(tree / "build" / "out" / DEVICE_NAME)


def test_a_device_that_cannot_be_built_stops_the_wheel(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    tree = copy_tree(tmp_path / "tree")
    (tree / "m4l" / "launcher.js").unlink()
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "launcher.js" in done.stderr
    assert not list(tmp_path.glob("dist/*.whl"))


def test_size(built: Any) -> None:
    assert built.release.stat().st_size < 300_000
    assert len(Graph(load(built.release).patcher).boxes) < 250
