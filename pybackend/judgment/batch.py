"""Many plans judged at once: over the cores of this machine, or over a cluster.

A plan is one task. What comes back is plain data, the same from either way, in the order of the
plans; a plan that cannot be judged is an error line and stops nothing.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

from pybackend.errors import InputError, MoveJudgeError, TargetMissing
from pybackend.loop.plan import PLAN_NAME

MAX_PLANS: Final = 100_000
CONNECT_S: Final = 10

Document = dict[str, Any]
Runner = Callable[[Sequence[Path]], AbstractContextManager[Iterator[tuple[int, Document]]]]


def find_plans(paths: Sequence[Path]) -> list[Path]:
    """Absolute paths of plans named and of every plan below folders named, in order, each once.

    Raises
    ------
    TargetMissing
        If a path does not exist or a folder holds no plan.
    InputError
        If there are too many.
    """
    found: dict[Path, None] = {}
    for path in (path.absolute() for path in paths):
        if path.is_dir():
            below = sorted(path.rglob(PLAN_NAME))
            if not below:
                raise TargetMissing(f"{path}: no {PLAN_NAME} in it; name plans or run folders")
            found.update(dict.fromkeys(below))
        elif path.is_file():
            found[path] = None
        else:
            raise TargetMissing(f"{path}: no such file or folder; check the path")
    if len(found) > MAX_PLANS:
        raise InputError(f"{len(found)} plans, {MAX_PLANS} allowed; judge them in parts")
    return list(found)


def judge_one(plan_path: str) -> Document:
    """Judge every move of one plan; the task of a worker.

    Parameters
    ----------
    plan_path : str
        Where the plan lies; its recordings lie beside it.

    Returns
    -------
    dict
        ``plan`` and ``moves`` (id and verdict as JSON-able data), or ``plan`` and ``error``.
    """
    from pybackend.loop.plan import load_plan  # noqa: PLC0415 - a worker imports what it needs
    from pybackend.loop.rejudge import Recordings, judge_plan  # noqa: PLC0415

    path = Path(plan_path)
    try:
        judged = judge_plan(load_plan(path), Recordings(path.parent))
        moves = [
            {"id": move.id, "verdict": verdict.model_dump(mode="json")} for move, verdict in judged
        ]
    except MoveJudgeError as error:
        text = str(error)
        named = text if text.startswith(plan_path) else f"{plan_path}: {text}"
        return {"plan": path.as_posix(), "error": named}
    return {"plan": path.as_posix(), "moves": moves}


def judge_all(
    plans: Sequence[Path], run: Runner, advance: Callable[[float], None] = lambda _: None
) -> list[Document]:
    """Judge plans with a runner.

    Parameters
    ----------
    plans : sequence of Path
        From `find_plans`.
    run : callable
        `on_cores` or `on_cluster`, with its options bound.
    advance : callable
        Told 1 for every plan that is done.

    Returns
    -------
    list of dict
        In the order of the plans.
    """
    documents: dict[int, Document] = {}
    with run(plans) as finished:
        for number, document in finished:
            documents[number] = document
            advance(1)
    return [documents[number] for number in range(len(plans))]


@contextmanager
def on_cores(
    plans: Sequence[Path], jobs: int | None = None
) -> Iterator[Iterator[tuple[int, Document]]]:
    """Judge in processes of this machine.

    Parameters
    ----------
    plans : sequence of Path
        Plans.
    jobs : int, optional
        Processes; by default one for each core.

    Yields
    ------
    iterator
        Number of the plan and its document, as they are done.

    Raises
    ------
    MoveJudgeError
        While iterating: if a worker dies, as of too little memory.
    """
    workers = max(1, min(jobs or os.cpu_count() or 1, len(plans)))
    # Spawned, as on every system but Linux: a fork would copy numba's and numpy's threads halfway.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context)
    try:
        futures = {pool.submit(judge_one, str(plan)): k for k, plan in enumerate(plans)}

        def finished() -> Iterator[tuple[int, Document]]:
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            except BrokenProcessPool:
                raise MoveJudgeError(
                    "a worker process ended by itself, perhaps for want of memory; "
                    "try again with fewer --jobs"
                ) from None

        yield finished()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def on_cluster(plans: Sequence[Path], address: str) -> Iterator[Iterator[tuple[int, Document]]]:
    """Judge on a Dask cluster whose workers see the same files at the same paths.

    Parameters
    ----------
    plans : sequence of Path
        Plans, absolute.
    address : str
        Of the scheduler, such as ``tcp://10.0.0.1:8786``.

    Yields
    ------
    iterator
        As `on_cores`.

    Raises
    ------
    InputError
        If dask.distributed is not installed, or nobody answers there.
    """
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        raise InputError(
            f"--scheduler {address}: no scheduler answers ({str(error)[:80]}); check the address"
        ) from None
    try:
        futures = client.map(judge_one, [str(plan) for plan in plans], pure=False)
        numbers = {future.key: k for k, future in enumerate(futures)}

        def finished() -> Iterator[tuple[int, Document]]:
            for future in distributed.as_completed(futures):
                yield numbers[future.key], future.result()

        yield finished()
    finally:
        client.close()


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise InputError(
            "--scheduler needs dask.distributed, which is not installed; "
            "install it with: pip install 'movejudge[cluster]'"
        ) from None
