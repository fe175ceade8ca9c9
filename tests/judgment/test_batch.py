from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest

from pybackend.cli import main
from pybackend.errors import InputError, TargetMissing
from pybackend.files import write_json
from pybackend.judgment.batch import find_plans, judge_all, judge_one, on_cluster, on_cores
from pybackend.stream.codec import Hello, encode_frame, encode_hello
from pybackend.stream.protocol import FLAG_ENABLED, column
from pybackend.stream.recording import Recorder

PASS_BEATS = 32


@pytest.fixture(scope="module")
def runs(synth: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs of one move each, kept, undone and not comparable, and one broken plan."""
    folder = tmp_path_factory.mktemp("runs")
    moves = {"a": {"band_db": [0] * 6 + [3] * 3}, "b": {"band_db": [0] * 6 + [-3] * 3}, "c": {}}
    for seed, (name, move) in enumerate(moves.items()):
        rng, piece = np.random.default_rng(seed), synth.programme(seed)
        passes = [synth.capture(piece, rng), synth.capture(piece, rng)]
        passes.append(synth.capture(piece, rng, **move))
        (folder / name).mkdir()
        with Recorder(folder / name / "session.pcap") as recorder:
            hello = Hello(7, (0, 1, 0), 48000.0, FLAG_ENABLED, kind=0, index=-1)
            recorder.write(encode_hello(hello), 1.7e9)
            for number, row in enumerate(np.concatenate(passes)):
                row[[column("seq"), column("seq_check")]] = number
                row[column("song_beats")] %= PASS_BEATS + 1e-9
                recorder.write(encode_frame(row), 1.7e9 + 0.05 * number)
        last = 4 if name == "c" else 3
        window = {"start_beats": 0, "end_beats": PASS_BEATS - 0.2}
        captures = [
            {"recording": "session.pcap", "window": {**window, "pass": number}}
            for number in (1, 2, last)
        ]
        plan_move = {"id": name, "targets": {"brightness": 1}}
        plan_move |= {"before": captures[:2], "after": captures[2:]}
        write_json(folder / name / "plan.json", {"schema_version": 1, "moves": [plan_move]})
    (folder / "d").mkdir()
    write_json(folder / "d" / "plan.json", {"schema_version": 1})
    return folder


@pytest.fixture(scope="module")
def expected(runs: Path) -> list[dict[str, Any]]:
    return [judge_one(str(plan)) for plan in find_plans([runs])]


def test_one_task_is_plain_data_with_verdict_or_error(expected: list[dict[str, Any]]) -> None:
    a, b, c, d = expected
    assert a["moves"][0]["verdict"]["decision"] == "keep"
    assert b["moves"][0]["verdict"]["decision"] == "undo"
    assert "pass 4" in c["error"]
    assert [Path(each["error"].split(": ")[0]).parent.name for each in (c, d)] == ["c", "d"]
    assert "moves" in d["error"]
    json.dumps(expected, allow_nan=False)


def test_processes_give_the_same_in_the_same_order(
    runs: Path, expected: list[dict[str, Any]]
) -> None:
    done: list[float] = []
    found = judge_all(find_plans([runs]), partial(on_cores, jobs=2), done.append)
    assert found == expected
    assert len(done) == 4


class StrictClient:
    """The part of dask.distributed's Client that is used, and nothing else."""

    made: list[StrictClient]

    def __init__(self, address: str, *, timeout: int) -> None:
        if address != "tcp://127.0.0.1:8786":
            raise OSError(f"Timed out trying to connect to {address} after {timeout} s")
        self.closed = False
        self.made.append(self)

    def map(self, task: Any, items: list[str], *, pure: bool) -> list[SimpleNamespace]:
        assert not self.closed
        assert pure is False
        assert all(Path(item).is_absolute() for item in items)
        # A real cluster pickles the function by its name and sends texts.
        module, name = task.__module__, task.__qualname__
        assert getattr(sys.modules[module], name) is task
        return [
            SimpleNamespace(
                key=f"judge_one-{k}", result=partial(task, json.loads(json.dumps(item)))
            )
            for k, item in enumerate(items)
        ]

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> Self:
        raise AssertionError("closed explicitly")


def out_of_order(futures: list[SimpleNamespace]) -> Iterator[SimpleNamespace]:
    yield from reversed(futures)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> type[StrictClient]:
    StrictClient.made = []
    stand_in = ModuleType("distributed")
    stand_in.Client, stand_in.as_completed = StrictClient, out_of_order  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "distributed", stand_in)
    return StrictClient


def test_a_cluster_gives_the_same_in_the_same_order(
    runs: Path, expected: list[dict[str, Any]], cluster: type[StrictClient]
) -> None:
    runner = partial(on_cluster, address="tcp://127.0.0.1:8786")
    assert judge_all(find_plans([runs]), runner) == expected
    assert [client.closed for client in cluster.made] == [True]


def test_a_real_cluster_gives_the_same(runs: Path, expected: list[dict[str, Any]]) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        runner = partial(on_cluster, address=cluster.scheduler_address)
        assert judge_all(find_plans([runs]), runner) == expected


def test_a_silent_scheduler_is_one_line(runs: Path, cluster: type[StrictClient]) -> None:
    with pytest.raises(InputError, match="no scheduler answers"):
        judge_all(find_plans([runs]), partial(on_cluster, address="tcp://127.0.0.1:1"))


def test_without_the_extra_the_line_says_how_to_get_it(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["judge-batch", str(runs), "--scheduler", "tcp://127.0.0.1:8786"]) == 2
    error = capsys.readouterr().err
    assert "movejudge[cluster]" in error
    assert error.count("\n") == 1


def test_the_command_counts_and_goes_on_after_errors(
    runs: Path, expected: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge-batch", str(runs), "--jobs", "1", "--json"]) == 2
    out = capsys.readouterr()
    document = json.loads(out.out)
    assert document["counts"] == {"keep": 1, "undo": 1, "inconclusive": 0, "errors": 2}
    assert document["plans"] == expected
    assert out.err.count("\n") == 2


def test_plans_are_found_once_and_in_order(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(runs)
    assert find_plans([Path("a")]) == [runs / "a" / "plan.json"]
    plan = runs / "b" / "plan.json"
    assert find_plans([plan, runs])[0] == plan
    assert len(find_plans([plan, runs])) == 4
    with pytest.raises(TargetMissing, match=r"no plan\.json"):
        find_plans([tmp_path])
    with pytest.raises(TargetMissing, match="no such file"):
        find_plans([tmp_path / "none"])
