"""Live's main-thread loop: timers, ``update_display``, planned events, and what stops them."""

from __future__ import annotations

import heapq
import itertools
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from pybackend.studio.live.profiles import TimerProfile
    from pybackend.studio.live.runtime import Runtime


class Loop:
    """Fires what is due, one thing per turn.

    Attributes
    ----------
    display
        Called as ``update_display`` is.
    turn_lengths_s
        Clock time of every turn that ran a script, for budgets.
    """

    def __init__(self, runtime: Runtime, timing: TimerProfile) -> None:
        self.runtime = runtime
        self.timing = timing
        self.display: Callable[[], None] | None = None
        self.turn_lengths_s: list[float] = []
        self.calls: list[Callable[[], None]] = []
        self._timers: list[weakref.ref[Timer]] = []
        self._display_due_s = runtime.clock() + timing.display_s
        self._stalled_until_s = 0.0
        self._plans: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._nested = False
        runtime.reenter = self._reenter

    def add(self, timer: Timer) -> None:
        """Take in a timer; only its owner keeps it alive."""
        self._timers.append(weakref.ref(timer))

    def timers(self) -> list[Timer]:
        """Return the timers that run."""
        self._timers = [ref for ref in self._timers if ref() is not None]
        living = [ref() for ref in self._timers]
        return [timer for timer in living if timer is not None and timer.running]

    def gap_s(self, interval_ms: int) -> float:
        """Draw the time to a timer's next firing."""
        return self.timing.gap_s(interval_ms, self.runtime.rng)

    def stall(self, seconds: float) -> None:
        """Hold timers and ``update_display`` back, as an open menu or a loading set does."""
        self._stalled_until_s = max(self._stalled_until_s, self.runtime.clock() + seconds)

    def plan(self, seconds: float, event: Callable[[], None]) -> None:
        """Do something in a while, in a turn of its own."""
        due_s = self.runtime.clock() + seconds
        heapq.heappush(self._plans, (due_s, next(self._numbers), event))

    def run(self, seconds: float) -> None:
        """Let time pass, and everything in it happen."""
        end_s = self.runtime.clock() + seconds
        while self.step(end_s):
            pass

    def step(self, end_s: float) -> bool:
        """Run the next turn, or wait.

        Returns
        -------
        bool
            Whether the end is still ahead.
        """
        clock = self.runtime.clock
        while self.calls:
            self._turn(self.calls.pop(0))
        due_s, event = self._next()
        if event is None or due_s > end_s:
            clock.wait_until(end_s)
            return clock() < end_s
        clock.wait_until(due_s)
        if clock() >= due_s:
            self._turn(event)
        return True

    def _next(self) -> tuple[float, Callable[[], None] | None]:
        due_s = max(self._display_due_s, self._stalled_until_s)
        event: Callable[[], None] | None = self._update_display
        for timer in self.timers():
            timer_due_s = max(timer.due_s, self._stalled_until_s)
            if timer_due_s < due_s:
                due_s, event = timer_due_s, timer.fire
        if self._plans and self._plans[0][0] < due_s:
            due_s, event = self._plans[0][0], self._run_plan
        return due_s, event

    def _turn(self, event: Callable[[], None]) -> None:
        started_s = self.runtime.clock()
        event()
        self.turn_lengths_s.append(self.runtime.clock() - started_s)
        self.runtime.end_turn()

    def _run_plan(self) -> None:
        heapq.heappop(self._plans)[2]()

    def _update_display(self) -> None:
        self._display_due_s = self.runtime.clock() + self.timing.display_s
        if self.display is not None:
            self.display()

    def _reenter(self) -> None:
        """Fire due timers in the middle of a long call, once each."""
        if not self.runtime.rules.reentrant_calls or self._nested:
            return
        self._nested = True
        try:
            now_s = self.runtime.clock()
            for timer in self.timers():
                if timer.due_s <= now_s:
                    timer.fire()
        finally:
            self._nested = False


class Timer:
    """``Live.Base.Timer``; `timer_class` binds it to a loop."""

    __module__ = "Base"
    _loop: Loop

    def __init__(
        self, callback: Callable[[], Any], interval: int, repeat: bool = False, start: bool = False
    ) -> None:
        self._loop.runtime.check_thread("Live.Base.Timer")
        if not callable(callback) or not isinstance(interval, int) or isinstance(interval, bool):
            raise TypeError("Timer(callback, interval in whole ms, repeat=False, start=False)")
        self._callback = callback
        self._interval_ms = interval
        self._repeat = repeat
        self._broken = False
        self._running = False
        self.due_s = 0.0
        self._loop.add(self)
        if start:
            self.start()

    @property
    def running(self) -> bool:
        """Whether it will fire."""
        return self._running

    def start(self) -> None:
        """Begin; one that raised once never fires again."""
        self._loop.runtime.check_thread("Timer.start")
        if not self._broken and not self._running:
            self._running = True
            self.due_s = self._loop.runtime.clock() + self._loop.gap_s(self._interval_ms)

    def stop(self) -> None:
        """End."""
        self._loop.runtime.check_thread("Timer.stop")
        self._running = False

    def restart(self) -> None:
        """Begin anew."""
        self.stop()
        self.start()

    def fire(self) -> None:
        """Call back; Live's loop does this."""
        runtime = self._loop.runtime
        if self._repeat:
            self.due_s = runtime.clock() + self._loop.gap_s(self._interval_ms)
        else:
            self._running = False
        try:
            self._callback()
        except Exception:  # noqa: BLE001 - Live logs whatever a callback raises
            runtime.failed("a timer's callback")
            if runtime.rules.timer_dies_on_error:
                self._broken = True
                self._running = False


def timer_class(loop: Loop) -> type[Timer]:
    """Make the ``Timer`` of a loop."""
    return type("Timer", (Timer,), {"_loop": loop, "__module__": "Base"})
