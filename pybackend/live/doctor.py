"""The checks of ``movejudge doctor`` in the order in which things depend on one another."""

from __future__ import annotations

from pathlib import Path

from pybackend.config import HTTP_PORT, UDP_PORT, launcher_config_path
from pybackend.errors import MoveJudgeError
from pybackend.live import computer, contact, setup
from pybackend.live.finding import Finding
from pybackend.live.launcher import read_launcher
from pybackend.live.places import Machine


def examine(machine: Machine, workspace: Path, library: Path | None = None) -> list[Finding]:
    """Run every check; takes one to three seconds of listening.

    Parameters
    ----------
    machine : Machine
        Where Live's files are looked for.
    workspace : Path
        Folder that has to be writable.
    library : Path, optional
        Live's User Library, where it is not to be searched.
    """
    udp_port, http_port = ports()
    answer = computer.ask_backend(http_port)
    found, place = setup.check_library(machine, library)
    return [
        computer.check_python(),
        computer.check_package(),
        computer.check_clock(),
        computer.check_home(),
        computer.check_state_folder(),
        computer.check_workspace(workspace),
        computer.check_kernels(),
        computer.check_http_port(http_port, answer),
        found,
        setup.check_script(place),
        setup.check_device(place),
        setup.check_launcher(place),
        contact.check_contact(),
        *contact.check_stream(udp_port, answer),
    ]


def ports() -> tuple[int, int]:
    """UDP and HTTP port as the launcher's configuration says, or the usual ones."""
    try:
        content = read_launcher(launcher_config_path())
    except MoveJudgeError:
        return UDP_PORT, HTTP_PORT
    return content["udp_port"], content["http_port"]
