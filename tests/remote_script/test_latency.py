"""Time from request to answer under three timers; virtual time, so alike on every computer."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

# Timer -> largest 99th percentile in seconds, for a request and for a move of one parameter.
LIMITS = {"mac": 0.025, "windows": 0.055, "slow": 0.21}


@pytest.mark.benchmark
@pytest.mark.parametrize("timer", sorted(LIMITS))
def test_latency(stage: Callable[..., Any], timer: str) -> None:
    opened = stage("12.4", set="band", timer=timer)
    client = opened.client()
    rng = random.Random(1)
    track = client.ok("session.summary")["tracks"][0]["id"]
    for name in ("ping", "move"):
        took = []
        for i in range(300):
            opened.host.run(rng.uniform(0.1, 0.3))
            started_s = opened.host.clock()
            if name == "ping":
                client.ok("ping")
            else:
                value = 0.3 + i / 1000.0
                client.move({"write": "mixer", "track": track, "control": "volume", "value": value})
            took.append(opened.host.clock() - started_s)
        took.sort()
        print(f"{timer} {name}: p50 {took[150] * 1e3:.1f} ms, p99 {took[297] * 1e3:.1f} ms")
        assert took[297] < LIMITS[timer]
