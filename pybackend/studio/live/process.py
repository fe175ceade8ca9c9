"""The studio as a process of its own, so that a test can kill it.

Orders are JSON lines on stdin, answers JSON lines on stdout, in order. Everything an order can do
is in one table; addresses are paths from the song, such as ``["tracks", 0, "devices", 1]``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from pybackend.studio.live import library
from pybackend.studio.live.host import StudioHost
from pybackend.studio.live.notes import Note
from pybackend.studio.live.profiles import TIMERS, UNDO_VARIANTS, profile

if TYPE_CHECKING:
    from collections.abc import Callable

_STEPS = frozenset(
    (
        "tracks",
        "return_tracks",
        "master_track",
        "scenes",
        "cue_points",
        "devices",
        "chains",
        "clip_slots",
        "clip",
        "arrangement_clips",
        "parameters",
        "mixer_device",
        "volume",
        "panning",
        "sends",
    )
)
_ACTIONS = frozenset(
    (
        "set_parameter",
        "set_tempo",
        "mute",
        "rename",
        "set_property",
        "erase_notes",
        "create_track",
        "delete_track",
        "create_scene",
        "delete_scene",
        "create_clip",
        "delete_clip",
        "load_device",
        "delete_device",
        "move_device",
        "add_cue",
        "freeze",
        "draw_automation",
        "disable",
        "select_track",
        "open_dialog",
        "close_dialog",
        "undo",
        "redo",
    )
)


class Orders:
    """What a test may order.

    Parameters
    ----------
    host
        The studio.
    """

    def __init__(self, host: StudioHost) -> None:
        self._host = host
        self.over = False
        self._table: dict[str, Callable[[dict[str, Any]], Any]] = {
            "user": self._user,
            "draw_notes": self._draw_notes,
            "stall": lambda order: self._host.stall(float(order["seconds"])),
            "load_set": lambda order: self._host.load_set(
                str(order["set"]), float(order.get("gap_s", 0.2))
            ),
            "reselect": lambda _: self._host.reselect_scripts(),
            "read": lambda order: _plain(getattr(self._find(order["path"]), order["name"])),
            "dump": lambda _: self._host.dump(),
            "violations": lambda _: self._host.violations,
            "lost": lambda _: [[str(edit), why] for edit, why in self._host.user.lost()],
            "messages": lambda _: self._host.messages,
            "log": lambda _: self._host.runtime.log[-200:],
            "close_descriptors": lambda _: close_descriptors(),
            "quit": self._quit,
        }

    def obey(self, order: dict[str, Any]) -> dict[str, Any]:
        """Do one thing and say how it went."""
        try:
            result = self._table[order["order"]](order)
        except Exception as error:  # noqa: BLE001 - the answer carries it
            return {"ok": False, "error": f"{type(error).__name__}: {error}"}
        return {"ok": True, "result": result}

    def _find(self, path: list[Any]) -> Any:
        found = self._host.song
        for step in path:
            if isinstance(step, int):
                found = found[step]
            elif step in _STEPS:
                found = getattr(found, step)
            else:
                raise ValueError(f"no step {step!r} in a path")
        return found

    def _argument(self, value: Any) -> Any:
        if isinstance(value, dict) and set(value) == {"path"}:
            return self._find(value["path"])
        return value

    def _user(self, order: dict[str, Any]) -> Any:
        name = order["do"]
        if name not in _ACTIONS:
            raise ValueError(f"the human cannot {name!r}")
        arguments = [self._argument(value) for value in order.get("arguments", [])]
        getattr(self._host.user, name)(*arguments)

    def _draw_notes(self, order: dict[str, Any]) -> None:
        notes = [Note(*values) for values in order["notes"]]
        self._host.user.draw_notes(self._find(order["path"]), *notes)

    def _quit(self, _: dict[str, Any]) -> None:
        self.over = True


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, type(None))) else repr(value)


def close_descriptors() -> None:
    """Close every descriptor but the standard ones, as opening a set from the Finder does."""
    os.closerange(3, 1024)


def _listen(host: StudioHost, orders: Orders) -> None:
    """Read orders and have the main thread obey them."""

    def answer(line: str) -> None:
        try:
            order = json.loads(line)
        except ValueError as error:
            reply: dict[str, Any] = {"ok": False, "error": str(error)}
        else:
            reply = orders.obey(order)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()

    def planned(line: str) -> Callable[[], None]:
        return lambda: answer(line)

    for line in sys.stdin:
        host.loop.calls.append(planned(line))
        host.clock.wake()
    orders.over = True
    host.clock.wake()


def main(arguments: list[str] | None = None) -> int:
    """Run the studio until it is told to quit, or stdin ends.

    Returns
    -------
    int
        1 if anything forbidden was tried, else 0.
    """
    parser = argparse.ArgumentParser(prog="python -m pybackend.studio.live", description=__doc__)
    parser.add_argument("--live", default="12.4", help="version of Live")
    parser.add_argument("--undo", default="default", choices=sorted(UNDO_VARIANTS))
    parser.add_argument("--timer", default="mac", choices=sorted(TIMERS))
    parser.add_argument("--set", default="band", choices=sorted(library.SETS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--script", help="folder that holds the control surface")
    parser.add_argument("--module", default="MoveJudge", help="name of the control surface")
    chosen = parser.parse_args(arguments)
    live = profile(chosen.live, UNDO_VARIANTS[chosen.undo])
    with StudioHost(
        live, timer=chosen.timer, clock="real", set=chosen.set, seed=chosen.seed
    ) as host:
        if chosen.script:
            host.load_script(chosen.script, chosen.module)
        orders = Orders(host)
        ready = {"ready": True, "pid": os.getpid(), "live": live.text}
        sys.stdout.write(json.dumps(ready) + "\n")
        sys.stdout.flush()
        threading.Thread(target=_listen, args=(host, orders), daemon=True).start()
        while not orders.over:
            host.run(0.05)
    for violation in host.violations:
        sys.stderr.write(violation + "\n")
    return 1 if host.violations else 0
