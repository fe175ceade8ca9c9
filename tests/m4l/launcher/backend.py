"""Stands in for ``movejudge serve``: takes a lock, answers ``/status``, or dies as it is told."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LIFE_S = 60.0


def take_lock(path: Path) -> bool:
    """Lock ``path`` until this process ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def leave_with_the_test(folder: Path) -> None:
    """End this process when the test says so, or after a while, whatever it is doing."""
    deadline = time.monotonic() + LIFE_S
    while time.monotonic() < deadline and not (folder / "quit").exists():
        time.sleep(0.05)
    os._exit(9)


class Status(BaseHTTPRequestHandler):
    body = b""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/status" else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("port", type=int)
    parser.add_argument("--wait", action="store_true", help="answer only after a file 'go' exists")
    parser.add_argument("--busy-code", type=int, default=0)
    parser.add_argument("--say", default="")
    parser.add_argument("--die", type=int)
    options = parser.parse_args()

    with (options.folder / "pids").open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    told = {"cwd": str(Path.cwd()), "environ": dict(os.environ), "module_path": sys.path}
    (options.folder / "told.json").write_text(json.dumps(told), encoding="utf-8")
    if options.say:
        print(options.say, file=sys.stderr, flush=True)
    if options.die is not None:
        return int(options.die)
    if not take_lock(options.folder / "lock"):
        print("another backend holds the lock", file=sys.stderr)
        return int(options.busy_code)

    threading.Thread(target=leave_with_the_test, args=[options.folder], daemon=True).start()
    while options.wait and not (options.folder / "go").exists():
        time.sleep(0.02)
    Status.body = json.dumps({"app": "movejudge", "version": "1.2.3", "pid": os.getpid()}).encode()
    ThreadingHTTPServer(("127.0.0.1", options.port), Status).serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
