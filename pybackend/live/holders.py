"""Who holds a port, as far as the system tells: ``/proc`` on Linux, ``lsof``, or ``netstat``."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Final

TIMEOUT_S: Final = 3.0
_LISTEN: Final = "0A"


def holder_of(kind: str, port: int) -> str | None:
    """Name and process id of who holds a port, or None where the system does not tell.

    Parameters
    ----------
    kind : str
        ``udp`` or ``tcp``.
    port : int
        The port.
    """
    try:
        if sys.platform == "linux":
            return _on_linux(kind, port)
        if sys.platform == "win32":
            return _on_windows(kind, port)
        return _by_lsof(kind, port)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def lsof_holder(text: str) -> str | None:
    """Holder in the output of ``lsof -Fpc``: lines ``p<pid>`` and ``c<command>``."""
    values = {line[0]: line[1:] for line in reversed(text.splitlines()) if line}
    return f"{values.get('c', 'process')} (pid {values['p']})" if "p" in values else None


def netstat_pid(text: str, kind: str, port: int) -> int | None:
    """Process id in the output of ``netstat -ano``; the state's name depends on the language."""
    for line in text.splitlines():
        words = line.split()
        if len(words) < 4 or words[0].lower() != kind or not words[1].endswith(f":{port}"):
            continue
        if words[2].endswith((":0", ":*")) and words[-1].isdecimal():
            return int(words[-1])
    return None


def proc_inodes(text: str, kind: str, port: int) -> set[str]:
    """Inodes of the sockets at a port in the text of ``/proc/net/udp`` or ``tcp``."""
    found = set()
    for line in text.splitlines()[1:]:
        words = line.split()
        if len(words) < 10 or not words[1].endswith(f":{port:04X}") or words[9] == "0":
            continue
        if kind == "udp" or words[3] == _LISTEN:
            found.add(words[9])
    return found


def _on_linux(kind: str, port: int) -> str | None:
    inodes: set[str] = set()
    for table in (Path("/proc/net") / kind, Path("/proc/net") / f"{kind}6"):
        if table.exists():
            inodes |= proc_inodes(table.read_text("ascii"), kind, port)
    wanted = {f"socket:[{inode}]" for inode in inodes}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(str(fd.readlink()) in wanted for fd in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text().strip()} (pid {process.name})"
        except OSError:
            continue  # another user's process, or one that has ended
    return None


def _by_lsof(kind: str, port: int) -> str | None:
    command = ["lsof", "-nP", f"-i{kind.upper()}:{port}", "-Fpc"]
    if kind == "tcp":
        command.append("-sTCP:LISTEN")
    return lsof_holder(_output(command))


def _on_windows(kind: str, port: int) -> str | None:
    pid = netstat_pid(_output(["netstat", "-ano", "-p", kind]), kind, port)
    if pid is None:
        return None
    listed = _output(["tasklist", "/FI", f"PID eq {pid}", "/FO", "CSV", "/NH"])
    row = next(csv.reader(listed.splitlines()), [])
    return f"{row[0]} (pid {pid})" if len(row) > 1 else f"process {pid}"


def _output(command: list[str]) -> str:
    done = subprocess.run(  # noqa: S603 - fixed words and a number
        command, capture_output=True, timeout=TIMEOUT_S, check=False
    )
    return done.stdout.decode(errors="replace")
