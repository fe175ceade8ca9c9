from __future__ import annotations

import subprocess
import sys

import pytest

from pybackend import cli
from pybackend.errors import MoveJudgeError, TargetMissing


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    for command in ("demo", "analyze", "compare", "listen", "record", "replay"):
        assert f"    {command} " in printed


def test_every_command_has_help_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    for module in cli.COMMANDS:
        name = module.__name__.rpartition(".")[2].replace("_", "-")
        action = ["from"] if name == "packet" else []
        with pytest.raises(SystemExit) as ended:
            cli.main([name, *action, "--help"])
        assert ended.value.code == 0
        assert "--json" in capsys.readouterr().out


def test_nothing_heavy_is_imported_for_help() -> None:
    code = (
        "import sys, pybackend.cli; pybackend.cli.build_parser()\n"
        "heavy = {'numpy', 'numba', 'rich', 'pydantic', 'dpkt', 'soundfile', 'pythonosc'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_usage_errors_exit_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["judge"])
    assert ended.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


@pytest.mark.parametrize(("error", "code"), [(MoveJudgeError("x"), 1), (TargetMissing("x"), 3)])
def test_our_errors_are_one_line_and_an_exit_code(
    error: Exception,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(cli.demo, "run", fail)
    assert cli.main(["demo"]) == code
    captured = capsys.readouterr()
    assert captured.err == "movejudge: x\n"
    assert captured.out == ""


def test_an_unexpected_failure_is_one_line_unless_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr(cli.demo, "run", fail)
    assert cli.main(["demo"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(ZeroDivisionError):
        cli.main(["--traceback", "demo"])


def test_a_closed_pipe_is_no_failure() -> None:
    code = "import sys; from pybackend.cli import main; sys.exit(main(['listen', '--json', "
    code += "'--port', '0', '--seconds', '0.1']))"
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.close()
    _, errors = child.communicate()
    assert b"Traceback" not in errors
    assert b"Exception ignored" not in errors
