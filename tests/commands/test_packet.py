from __future__ import annotations

import argparse
import json

import numpy as np
import pytest
import soundfile

from pybackend.commands import packet
from pybackend.errors import InputError, TargetMissing
from pybackend.judgment.artistic.packet import load_packet

RATE_HZ = 44100


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run the command in an empty folder; give its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def command(*argv: object) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser(prog="movejudge")
        packet.add_parser(parser.add_subparsers())
        args = parser.parse_args(["packet", "from", *map(str, argv)])
        code = args.run(args)
        out, err = capsys.readouterr()
        return code, out, err

    return command


def music(path):
    rng = np.random.default_rng(1)
    sound = 0.1 * rng.standard_normal((9 * RATE_HZ, 2)).astype(np.float32)
    soundfile.write(path, sound, RATE_HZ, subtype="FLOAT")
    return path


def test_a_packet_is_written_and_shown(command, tmp_path) -> None:
    code, out, err = command(music(tmp_path / "My Song.wav"), "--tempo", "120")
    assert (code, err) == (0, "")
    written = load_packet(tmp_path / "my-song.packet.json")
    assert written.id == "my-song"
    assert written.tempo_hint.min == 120.0
    assert "brightness" in out
    assert "Measured from 1 file, 4 bars; 120 BPM. Written to my-song.packet.json." in out


def test_json_is_one_document_and_writes_only_where_told(command, tmp_path) -> None:
    song = music(tmp_path / "a.wav")
    code, out, _ = command(song, "--json", "--id", "dub", "--type", "artist", "--name", "Dub")
    document = json.loads(out)
    assert (code, document["id"], document["type"], document["name"]) == (0, "dub", "artist", "Dub")
    assert not list(tmp_path.glob("*.json"))
    command(song, "--json", "--out", tmp_path / "b.json")
    assert load_packet(tmp_path / "b.json").id == "a"


def test_a_file_that_exists_is_not_replaced_unasked(command, tmp_path) -> None:
    song, out = music(tmp_path / "a.wav"), tmp_path / "p.json"
    out.write_text("mine")
    with pytest.raises(InputError, match="--force"):
        command(song, "--out", out)
    assert out.read_text() == "mine"
    command(song, "--out", out, "--force")
    assert load_packet(out).id == "a"


def test_wrong_arguments_are_one_line(command, tmp_path) -> None:
    song = music(tmp_path / "a.wav")
    with pytest.raises(InputError, match="--tempo 5"):
        command(song, "--tempo", "5")
    with pytest.raises(InputError, match="--beats-per-bar 0"):
        command(song, "--beats-per-bar", "0")
    with pytest.raises(TargetMissing):
        command(tmp_path / "none.wav")
    assert not list(tmp_path.glob("*.json"))


def test_slugs() -> None:
    assert packet.slug("Über Song (2)") == "ber-song-2"
    assert packet.slug("...") == "packet"
