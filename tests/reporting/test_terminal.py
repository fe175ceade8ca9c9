from __future__ import annotations

import io
import json
import math
import os
import sys

import pytest

from pybackend.reporting import terminal


def test_json_is_one_ascii_document(capsys):
    terminal.print_json({"file": "ünï.wav", "value": None})
    out, err = capsys.readouterr()
    assert out.isascii()
    assert json.loads(out) == {"file": "ünï.wav", "value": None}
    assert err == ""


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_json_refuses_what_is_not_finite(capsys, value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        terminal.print_json({"value": value})
    assert capsys.readouterr().out == ""


def test_tables_take_brackets_as_text_and_use_no_colour_when_piped(capsys):
    made = terminal.table("file", "value")
    terminal.add_row(made, ("[bold]a[/bold].wav", "1.0"))
    terminal.console().print(made)
    out = capsys.readouterr().out
    assert "[bold]a[/bold].wav" in out
    assert "\x1b" not in out


def test_no_color_is_honoured_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal.console().print("text", style="red")
    assert "\x1b[31m" not in capsys.readouterr().out


def test_what_the_encoding_lacks_becomes_a_question_mark(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    made = terminal.table("file")
    terminal.add_row(made, ("naïve 音.wav",))
    terminal.console().print(made)
    stream.flush()
    text = stream.buffer.getvalue().decode("cp1252")
    assert "naïve ?.wav" in text


def test_progress_shows_nothing_without_a_terminal(capsys):
    with terminal.progress("measuring", 2.0) as advance:
        advance(1.0)
        advance(1.0)
    assert capsys.readouterr() == ("", "")


def test_progress_goes_to_stderr_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with terminal.progress("measuring", 2.0) as advance:
        advance(1.0)
    out, err = capsys.readouterr()
    assert out == ""
    assert "measuring" in err


def test_native_output_is_silenced_and_ours_goes_on(capfd):
    before = sys.stderr
    with terminal.native_stderr_silenced():
        os.write(2, b"decoder chatter\n")
        print("ours", file=sys.stderr)
    assert sys.stderr is before
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "ours\nafter\n"


def test_native_output_comes_back_after_an_error(capfd):
    with pytest.raises(RuntimeError), terminal.native_stderr_silenced():
        raise RuntimeError
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"
