"""Live with control surfaces in it: loads scripts, drives them, opens other sets under them."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pybackend.studio.live.studio import Studio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType, TracebackType

    from pybackend.studio.live.node import World

LOAD_GAP_S = 3.0


class _Slot:
    """A control surface slot: the imported module and the instance that runs."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.script: Any = None


class StudioHost(Studio):
    """A `Studio` with the main-thread loop and scripts.

    Examples
    --------
    >>> with StudioHost("12.4", timer="windows") as host:
    ...     host.run(0.2)
    ...     host.check()
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.loop.display = self._update_displays
        self._slots: list[_Slot] = []
        self._paths: list[str] = []
        self._thread: threading.Thread | None = None
        self._stop = False

    def __enter__(self) -> StudioHost:
        super().__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.unload_scripts()
        finally:
            for slot in self._slots:
                package = slot.module.__name__
                for name in [n for n in sys.modules if n.split(".")[0] == package]:
                    del sys.modules[name]
            for path in self._paths:
                sys.path.remove(path)
            super().__exit__(kind, error, trace)

    @property
    def scripts(self) -> list[Any]:
        """The running instances."""
        return [slot.script for slot in self._slots if slot.script is not None]

    def load_script(self, folder: str | Path, name: str) -> Any:
        """Import a control surface and create its instance, as Live does at its start.

        Parameters
        ----------
        folder
            Where the package is.
        name
            Of the package.

        Returns
        -------
        object
            What ``create_instance(c_instance)`` returned.
        """
        path = str(Path(folder).resolve())
        sys.path.insert(0, path)
        self._paths.append(path)
        slot = _Slot(importlib.import_module(name))
        self._slots.append(slot)
        self._create(slot)
        return slot.script

    def _create(self, slot: _Slot) -> None:
        slot.script = slot.module.create_instance(self.c_instance(self._slots.index(slot)))
        self.runtime.end_turn()

    def unload_scripts(self) -> None:
        """Disconnect every script and record what it left behind."""
        for slot in self._slots:
            script, slot.script = slot.script, None
            if script is None:
                continue
            try:
                script.disconnect()
            except Exception:  # noqa: BLE001 - Live logs whatever a script raises
                self.runtime.failed("disconnect()")
        self.runtime.end_turn()
        for left in self.listeners():
            self.runtime.violation(f"a listener of {left} was left behind by disconnect()")
        for timer in self.loop.timers():
            timer.stop()
            self.runtime.violation("a running timer was left behind by disconnect()")

    def load_set(self, build: Callable[[World], None] | str, gap_s: float = LOAD_GAP_S) -> None:
        """Open another set: scripts are disconnected and made again from the code that is imported.

        Parameters
        ----------
        build
            Name or builder of the set.
        gap_s
            How long nothing runs, in seconds.
        """
        self.unload_scripts()
        self.open_set(build)
        self.runtime.clock.wait_until(self.clock() + gap_s)
        for slot in self._slots:
            self._create(slot)

    def reselect_scripts(self) -> None:
        """Switch the control surfaces off and on in the preferences; the set stays."""
        self.unload_scripts()
        for slot in self._slots:
            self._create(slot)

    def run(self, seconds: float) -> None:
        """Let time pass and everything in it happen."""
        self.loop.run(seconds)

    def run_until(self, done: Callable[[], bool], limit_s: float = 10.0) -> bool:
        """Let time pass until something holds; tell whether it came to hold."""
        end_s = self.clock() + limit_s
        while not done():
            if not self.loop.step(end_s):
                return done()
        return True

    def stall(self, seconds: float) -> None:
        """Open the menu bar: neither timers nor ``update_display`` for a while."""
        self.loop.stall(seconds)

    def plan(self, seconds: float, event: Callable[[], None]) -> None:
        """Do something in a while, for instance as the human."""
        self.loop.plan(seconds, event)

    def _update_displays(self) -> None:
        for script in self.scripts:
            try:
                script.update_display()
            except Exception:  # noqa: BLE001 - Live logs whatever a script raises
                self.runtime.failed("update_display()")

    @contextlib.contextmanager
    def in_thread(self) -> Iterator[StudioHost]:
        """Run the loop in a thread of its own, which owns the object model meanwhile."""
        ready = threading.Event()
        failures: list[BaseException] = []
        before = self.runtime.owner
        self._stop = False

        def body() -> None:
            self.runtime.owner = threading.get_ident()
            ready.set()
            try:
                while not self._stop:
                    self.loop.run(0.05)
            except BaseException as error:  # noqa: BLE001 - raised again in the other thread
                failures.append(error)

        self._thread = threading.Thread(target=body, name="live-main", daemon=True)
        self._thread.start()
        ready.wait()
        try:
            yield self
        finally:
            self._stop = True
            self.clock.wake()
            self._thread.join()
            self._thread = None
            self.runtime.owner = before
        if failures:
            raise failures[0]

    def call(self, action: Callable[[], Any], timeout_s: float = 10.0) -> Any:
        """Run something on the main thread, in a turn of its own, and return its result.

        Raises
        ------
        TimeoutError
            If the loop does not get to it.
        """
        if self._thread is None:
            result = action()
            self.runtime.end_turn()
            return result
        done = threading.Event()
        outcome: list[Any] = []

        def run() -> None:
            try:
                outcome.append((action(), None))
            except BaseException as error:  # noqa: BLE001 - raised again in the caller
                outcome.append((None, error))
            done.set()

        self.loop.calls.append(run)
        self.clock.wake()
        if not done.wait(timeout_s):
            raise TimeoutError("the studio's main thread did not answer")
        result, error = outcome[0]
        if error is not None:
            raise error
        return result
