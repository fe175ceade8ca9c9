"""Time for the loop: a number that only work and waiting move, or the computer's own."""

from __future__ import annotations

import threading
import time


class VirtualClock:
    """Seconds that pass only when something costs or waits."""

    real = False

    def __init__(self, costs: bool = True) -> None:
        self.now_s = 0.0
        self._costs = costs

    def __call__(self) -> float:
        """Return the time in seconds, like ``time.perf_counter``."""
        return self.now_s

    def spend(self, seconds: float) -> None:
        """Let work take time."""
        if self._costs:
            self.now_s += seconds

    def wait_until(self, due_s: float) -> None:
        """Go to a moment; the past is left alone."""
        self.now_s = max(self.now_s, due_s)

    def wake(self) -> None:
        """Do nothing: nobody sleeps here."""


class RealClock:
    """The computer's clock; waiting sleeps, and can be woken."""

    real = True

    def __init__(self) -> None:
        self._woken = threading.Event()

    def __call__(self) -> float:
        """Return the time in seconds."""
        return time.perf_counter()

    def spend(self, seconds: float) -> None:
        """Do nothing: real work takes its own time."""

    def wait_until(self, due_s: float) -> None:
        """Sleep until a moment, or until `wake`."""
        left_s = due_s - time.perf_counter()
        if left_s > 0.0:
            self._woken.wait(left_s)
        self._woken.clear()

    def wake(self) -> None:
        """End the sleep that is going on, or the next one."""
        self._woken.set()
