"""Timers and the loop."""

from __future__ import annotations

import gc
import itertools
import statistics
from typing import Any

import pytest

from pybackend.studio.live import StudioHost


def _firings(host: StudioHost, seconds: float, interval: int = 10) -> list[float]:
    times: list[float] = []
    timer = host.modules["Live.Base"].Timer(
        callback=lambda: times.append(host.clock()), interval=interval, repeat=True, start=True
    )
    host.run(seconds)
    timer.stop()
    return times


def _gaps(times: list[float]) -> list[float]:
    return [after - before for before, after in itertools.pairwise(times)]


@pytest.mark.parametrize(
    ("timer", "median_s", "longest_s"),
    [("mac", 0.0106, 0.022), ("windows", 0.0347, 0.05), ("slow", 0.103, 0.2)],
)
def test_periods_are_those_of_the_computer_whatever_is_asked(
    timer: str, median_s: float, longest_s: float
) -> None:
    for interval in (1, 10):
        with StudioHost(timer=timer, seed=3) as host:
            gaps = _gaps(_firings(host, 10.0, interval))
        assert statistics.median(gaps) == pytest.approx(median_s, rel=0.05)
        assert max(gaps) <= longest_s


def test_the_same_seed_fires_at_the_same_times() -> None:
    runs = []
    for seed in (1, 1, 2):
        with StudioHost(timer="mac", seed=seed) as host:
            runs.append(_firings(host, 1.0))
    assert runs[0] == runs[1] != runs[2]


def test_an_interval_longer_than_the_period_is_kept(host: StudioHost) -> None:
    assert min(_gaps(_firings(host, 3.0, 250))) >= 0.25


def test_an_open_menu_holds_everything_back_and_gives_no_burst(host: StudioHost) -> None:
    displays: list[float] = []
    host.loop.display = lambda: displays.append(host.clock())
    host.plan(0.2, lambda: host.stall(1.0))
    times = _firings(host, 2.0)
    gaps = _gaps(times)
    assert 1.0 < max(gaps) < 1.03
    assert sum(gap > 0.05 for gap in gaps) == 1
    assert min(gaps) > 0.01
    assert 0.99 < max(_gaps(displays)) < 1.2
    assert min(_gaps(displays)) > 0.09


def test_a_callback_that_raises_ends_its_timer_for_good(host: StudioHost) -> None:
    fired = []

    def callback() -> None:
        fired.append(1)
        raise ValueError("mine")

    timer = host.modules["Live.Base"].Timer(callback, 10, True, True)
    host.run(0.5)
    assert fired == [1]
    assert not timer.running
    timer.start()
    timer.restart()
    host.run(0.5)
    assert fired == [1]
    assert "ValueError: mine" in host.violations[0]


def test_start_stop_and_once(host: StudioHost) -> None:
    fired = []
    timer = host.modules["Live.Base"].Timer(lambda: fired.append(1), 10)
    host.run(0.1)
    assert not timer.running
    timer.start()
    host.run(0.1)
    assert (fired, timer.running) == ([1], False)


@pytest.mark.parametrize("arguments", [(None, 10), (print, 10.0), (print, True), (print,)])
def test_timers_take_a_callback_and_whole_milliseconds(
    host: StudioHost, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(TypeError):
        host.modules["Live.Base"].Timer(*arguments)


def test_a_timer_that_nobody_holds_is_gone(host: StudioHost) -> None:
    fired = []
    host.modules["Live.Base"].Timer(lambda: fired.append(1), 10, True, True)
    gc.collect()
    host.run(0.1)
    assert fired == []


def test_long_calls_fire_timers_in_the_middle_once_and_not_without_end(host: StudioHost) -> None:
    depth, deepest = [0], [0]

    def callback() -> None:
        depth[0] += 1
        deepest[0] = max(deepest[0], depth[0])
        if depth[0] < 5:
            host.clock.spend(0.1)
            host.song.tracks[0].insert_device("Utility")
        depth[0] -= 1

    timer = host.modules["Live.Base"].Timer(callback, 10, True, True)
    host.run(0.2)
    timer.stop()
    assert deepest == [2]


def test_turns_have_lengths_that_accesses_cost(host: StudioHost) -> None:
    song = host.song
    parameters = [one for track in song.tracks for dev in track.devices for one in dev.parameters]
    timer = host.modules["Live.Base"].Timer(
        lambda: [one.value for one in parameters], 10, True, True
    )
    host.run(0.05)
    timer.stop()
    assert max(host.loop.turn_lengths_s) == pytest.approx(len(parameters) * 4.5e-6)


def test_plans_happen_in_order_between_turns(host: StudioHost) -> None:
    order: list[str] = []
    host.plan(0.2, lambda: order.append("later"))
    host.plan(0.1, lambda: order.append("first"))
    host.plan(0.1, lambda: order.append("second"))
    host.run(0.15)
    assert order == ["first", "second"]
    host.run(0.1)
    assert order == ["first", "second", "later"]
