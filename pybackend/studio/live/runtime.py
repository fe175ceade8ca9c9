"""The running Live under every set: thread, turns, notifications, record of faults."""

from __future__ import annotations

import contextlib
import random
import threading
import traceback
from typing import TYPE_CHECKING, Any

from pybackend.studio.live.faults import IN_NOTIFICATION, IN_UNDO, LiveCrashed, WrongThread
from pybackend.studio.live.node import Handles
from pybackend.studio.live.playing import advance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pybackend.studio.live.clock import RealClock, VirtualClock
    from pybackend.studio.live.node import Node, World
    from pybackend.studio.live.profiles import LiveProfile
    from pybackend.studio.live.rules import Rules


class Runtime:
    """What outlives a set.

    Attributes
    ----------
    owner
        Identity of the thread that owns the object model.
    turn
        Number of the main-thread turn that is running.
    violations
        Everything forbidden that was tried, whether or not the raised error was swallowed.
    classes
        The LOM classes of this version, by name.
    broken
        Members that raise for no good reason, as some do in some builds; by ``"Class.member"``.
    """

    def __init__(
        self, live: LiveProfile, rules: Rules, clock: VirtualClock | RealClock, seed: int
    ) -> None:
        self.live = live
        self.rules = rules
        self.clock = clock
        self.rng = random.Random(seed)  # noqa: S311 - a studio, not a safe
        self.handles = Handles(rules.reuse_pointers)
        self.owner = threading.get_ident()
        self.turn = 0
        self.deletions_this_turn = 0
        self.violations: list[str] = []
        self.messages: list[str] = []
        self.log: list[str] = []
        self.classes: dict[str, type[Any]] = {}
        self.broken: dict[str, Exception] = {}
        self.world: World
        self.reenter: Callable[[], None] = _nothing
        self.restoring = False
        self._notifying = 0
        self._quiet = 0
        self._said: list[tuple[Node, str]] = []
        self._wrappers: dict[tuple[int, int], Any] = {}

    def violation(self, text: str) -> None:
        """Record something forbidden."""
        self.violations.append(f"turn {self.turn}: {text}")

    def check_thread(self, what: str) -> None:
        """Raise and record if another thread is at work.

        Raises
        ------
        WrongThread
            If the calling thread does not own the object model.
        """
        if threading.get_ident() != self.owner and self.rules.owner_thread:
            self.violation(f"{what} was used from thread {threading.current_thread().name}")
            raise WrongThread(f"{what} may be used from Live's main thread only")

    def guard_write(self, what: str) -> None:
        """Raise and record if nothing may change now.

        Raises
        ------
        RuntimeError
            During a notification, or during undo and redo.
        """
        if self.restoring:
            self.violation(f"{what} was written during undo or redo")
            raise RuntimeError(IN_UNDO)
        if self._notifying and self.rules.notification_guard:
            self.violation(f"{what} was written in a listener")
            raise RuntimeError(IN_NOTIFICATION)

    def crash(self, why: str) -> None:
        """Record what takes the real Live down, and stop.

        Raises
        ------
        LiveCrashed
            Always.
        """
        self.violation(f"crash: {why}")
        raise LiveCrashed(why)

    def count_deletion(self, what: str) -> None:
        """Note a structural deletion; a second one in a turn of the script crashes."""
        if self.world.history.origin != "script":
            return
        self.deletions_this_turn += 1
        if self.deletions_this_turn > 1 and self.rules.one_deletion_per_turn:
            self.crash(f"{what}: a second structural deletion in one turn")

    @contextlib.contextmanager
    def quietly(self) -> Iterator[None]:
        """Hold notifications back until a change is complete, then send them in order."""
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1
            if not self._quiet:
                self.world.history.end_call()
                self._speak()

    def notify(self, node: Node, name: str) -> None:
        """Call the listeners of a property, now or at the end of `quietly`."""
        if node.listeners and node.listeners.get(name):
            self._said.append((node, name))
            if not self._quiet:
                self._speak()

    def _speak(self) -> None:
        said, self._said = self._said, []
        for node, name in dict.fromkeys(said):
            for listener in list((node.listeners or {}).get(name, ())):
                self._notifying += 1
                try:
                    listener.call()
                except Exception:  # noqa: BLE001 - Live logs whatever a listener raises
                    self.failed(f"listener of {node.kind}.{name}")
                finally:
                    self._notifying -= 1

    def failed(self, where: str) -> None:
        """Log the exception that is being handled, as Live does, and record it."""
        text = traceback.format_exc()
        self.log.append(f"{where}: {text}")
        self.violation(f"{where} raised {text.strip().splitlines()[-1]}")

    def wrap(self, node: Node | None) -> Any:
        """Give a Python object for a node: a new one each time, as Live does."""
        if node is None:
            return None
        made = self.classes[node.kind](node)
        if self.rules.fresh_wrappers:
            return made
        return self._wrappers.setdefault((id(node), node.ptr), made)

    def end_turn(self) -> None:
        """Commit what was deferred, let undo steps land, begin the next turn."""
        self.check_thread("the end of a turn")
        history = self.world.history
        if history.open is not None and history.open.turn == history.turn:
            self.violation("an undo step was left open at the end of the turn")
        with self.quietly():
            self.world.commit()
            advance(self.world)
            history.end_turn()
        self.turn += 1
        self.deletions_this_turn = 0


def _nothing() -> None:
    """Stand in for a loop where there is none."""
