"""A virtual Live without a loop: its modules, one set, a human, and the record of faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pybackend.studio.live import family, library, making
from pybackend.studio.live.clock import RealClock, VirtualClock
from pybackend.studio.live.dump import dump
from pybackend.studio.live.history import History
from pybackend.studio.live.instance import ScriptInstance
from pybackend.studio.live.listeners import connections
from pybackend.studio.live.loop import Loop, timer_class
from pybackend.studio.live.node import Node, World
from pybackend.studio.live.profiles import TIMERS, LiveProfile, profile
from pybackend.studio.live.rules import Rules
from pybackend.studio.live.runtime import Runtime
from pybackend.studio.live.user import Actor

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


class Studio:
    """Fake ``Live`` modules over one set. A context manager; see `install`.

    Attributes
    ----------
    user
        The human at the same set.
    clock
        Seconds; callable like ``time.perf_counter``.
    loop
        Timers and what drives them; `turn` is enough without it.
    """

    def __init__(
        self,
        live: str | LiveProfile = "12.4",
        *,
        timer: str = "mac",
        clock: str = "virtual",
        set: Callable[[World], None] | str = "band",  # noqa: A002 - Live's own word
        seed: int = 0,
        rules: Rules | None = None,
    ) -> None:
        chosen = profile(live) if isinstance(live, str) else live
        self.rules = rules or Rules()
        self.clock = RealClock() if clock == "real" else VirtualClock(self.rules.costs)
        self.runtime = Runtime(chosen, self.rules, self.clock, seed)
        self.loop = Loop(self.runtime, TIMERS[timer])
        self.runtime.classes = family.build_classes(self.runtime)
        self.modules = family.build_modules(self.runtime, timer_class(self.loop))
        self._before: dict[str, Any] = {}
        self.user = Actor(self.runtime)
        self._application: Node | None = None
        self.open_set(set)

    def __enter__(self) -> Studio:
        self._before = family.put_in_place(self.modules)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        family.put_back(self.modules, self._before)

    @property
    def world(self) -> World:
        """The set that is open."""
        return self.runtime.world

    @property
    def song(self) -> Any:
        """A new wrapper of the song."""
        return self.runtime.wrap(self.world.song)

    @property
    def application(self) -> Any:
        """A new wrapper of the application."""
        return self.runtime.wrap(self.world.application)

    @property
    def messages(self) -> list[str]:
        """What was shown in the status bar."""
        return self.runtime.messages

    @property
    def violations(self) -> list[str]:
        """Everything forbidden that was tried."""
        return self.runtime.violations

    def open_set(self, build: Callable[[World], None] | str) -> None:
        """Open a set in place of the one that is open: every object of that one is dead."""
        chosen = library.SETS[build] if isinstance(build, str) else build
        world = World(self.runtime, History(self.runtime.live.undo))
        if self._application is not None:
            self.world.die()
        self.runtime.world = world
        if self._application is None:
            self._application = Node(world, "Application", None, dialogs=(), usage=12.5)
            view = Node(world, "Application.View", self._application)
            self._application.fields["view"] = view
        for node in self._application.below():
            node.world = world
        world.application = self._application
        making.song(world, "Untitled", "")
        chosen(world)
        self.user.forget()

    def break_member(self, member: str, error: Exception | None) -> None:
        """Make a member raise for no good reason, as some do in some builds of Live.

        Parameters
        ----------
        member
            ``"Song.add_scenes_listener"``, ``"Track.color"``.
        error
            What it raises; None mends it.
        """
        if error is None:
            self.runtime.broken.pop(member, None)
        else:
            self.runtime.broken[member] = error

    def c_instance(self, slot: int = 0) -> ScriptInstance:
        """Make the argument of ``create_instance``."""
        return ScriptInstance(self.runtime, self.world, slot)

    def turn(self) -> None:
        """End this turn: deferred writes commit, undo steps land."""
        self.runtime.end_turn()

    def dump(self) -> dict[str, Any]:
        """Return all of the set that undo restores, as plain data."""
        return dump(self.world)

    def listeners(self) -> list[str]:
        """Name every listener that is connected."""
        roots = (self.world.song, self.world.application)
        nodes = [node for root in roots for node in root.below()]
        return [f"{node.kind}.{name}" for node in nodes for name in connections(node)]

    def check(self) -> None:
        """Fail if anything forbidden was tried.

        Raises
        ------
        AssertionError
            With every violation so far.
        """
        if self.violations:
            raise AssertionError("the virtual Live objects:\n" + "\n".join(self.violations))


def install(
    live: str | LiveProfile = "12.4",
    *,
    timer: str = "mac",
    clock: str = "virtual",
    set: Callable[[World], None] | str = "band",  # noqa: A002 - Live's own word
    seed: int = 0,
    rules: Rules | None = None,
) -> Studio:
    """Make a virtual Live whose modules are importable inside a ``with`` block.

    Parameters
    ----------
    live
        Version, ``"11.3"`` to ``"12.4"`` or ``"12.3.6"``, or a profile.
    timer
        ``mac``, ``windows`` or ``slow``.
    clock
        ``virtual`` or ``real``.
    set
        Name or builder of the set; see `library`.
    seed
        Of everything that is drawn.
    rules
        Which rules hold; all by default.
    """
    return Studio(live, timer=timer, clock=clock, set=set, seed=seed, rules=rules)
