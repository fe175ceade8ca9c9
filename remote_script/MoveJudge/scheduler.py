"""Runs requests inside a time budget; long ones in slices, writes one at a time.

A handler either returns its result or is a generator. What a generator yields is

* ``None``: a place where it may be interrupted,
* ``PAUSE``: it wants to go on in a later pump,
* ``RESTART``: the items sent so far are void,
* anything else: one item of a long answer, sent in parts.

Its return value is the result. A started call into Live is never cut.
"""

from __future__ import annotations

from collections import deque
from types import GeneratorType
from typing import TYPE_CHECKING

from .answers import Answers
from .failure import Failure
from .job import PAUSE, Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .answers import Entry
    from .connection import Connection
    from .job import Steps
    from .log import Log
    from .request import Request

BUDGET_S = 0.008
BACKGROUND_S = 0.002
MAX_WAITING = 64


class Scheduler:
    """Queues, budgets and answers.

    Parameters
    ----------
    clock : callable
        Seconds, rising; the script clock of all deadlines.
    log : Log
        Takes unexpected errors.
    epoch : callable
        Number that rises with every change of the set's structure.
    """

    def __init__(self, clock: Callable[[], float], log: Log, epoch: Callable[[], int]) -> None:
        self._clock = clock
        self._log = log
        self._epoch = epoch
        self._answers = Answers()
        self._queues: dict[Connection, deque[Request]] = {}
        self._reads: deque[Job] = deque()
        self._writing: Job | None = None
        self._background: dict[str, Steps] = {}
        self._wrote = False

    def submit(self, request: Request) -> None:
        """Queue a request, or answer ``busy`` when 64 of its connection wait already."""
        queue = self._queues.setdefault(request.connection, deque())
        if len(queue) >= MAX_WAITING:
            self._fail(request, Failure("busy", f"{MAX_WAITING} requests wait already"))
            return
        queue.append(request)

    def forget(self, connection: Connection) -> None:
        """Drop what a lost connection asked for and has not begun; its started write goes on."""
        self._queues.pop(connection, None)
        kept = [job for job in self._reads if job.request.connection is not connection]
        for job in self._reads:
            if job not in kept:
                self._close(job)
        self._reads = deque(kept)

    def close(self) -> None:
        """Drop all work; the generators' own clean-up runs."""
        for job in [*self._reads, self._writing]:
            if job is not None:
                self._close(job)
        for steps in self._background.values():
            steps.close()
        self._queues.clear()
        self._reads.clear()
        self._writing = None
        self._background.clear()

    def in_background(self, name: str, steps: Steps) -> None:
        """Run a generator in the gaps; it takes the place of the one of the same name."""
        self._background[name] = steps

    def busy_with(self, name: str) -> bool:
        """Whether the background work of that name goes on."""
        return name in self._background

    @property
    def load(self) -> int:
        """How many requests wait or run."""
        waiting = sum(len(queue) for queue in self._queues.values())
        return waiting + len(self._reads) + (self._writing is not None)

    def run(self) -> None:
        """Spend at most the budget, plus the call that was under way when it ran out."""
        until = self._clock() + BUDGET_S
        self._wrote = False
        self._continue_write(until)
        while self._start_one(until) and self._clock() < until:
            pass
        self._continue_reads(until)
        if self._background and self._writing is None:
            self._continue_background(self._clock() + BACKGROUND_S)

    def _start_one(self, until: float) -> bool:
        for connection, queue in list(self._queues.items()):
            # One write at a time, and one per pump: Live may merge two steps of one turn.
            if not queue or (queue[0].operation.writes and (self._wrote or self._writing)):
                continue
            request = queue.popleft()
            # Served connections go to the back, so that one cannot starve the others.
            self._queues[connection] = self._queues.pop(connection)
            self._start(request, until)
            return True
        return False

    def _start(self, request: Request, until: float) -> None:
        entry = None
        try:
            if request.operation.writes:
                entry = self._answers.find(request)
                if entry is not None:
                    self._repeat(request, entry)
                    return
            if self._clock() > request.deadline:
                raise Failure("expired", "the deadline had passed: nothing was run")
        except Failure as failure:
            self._fail(request, failure)
            return
        if request.operation.writes:
            entry = self._answers.begin(request)
            self._wrote = True
        job = Job(request, _nothing(), entry)
        outcome = self._guard(job, lambda: request.operation.handler(request))
        if isinstance(outcome, GeneratorType):
            job.steps = outcome
            if request.operation.writes:
                self._writing = job
                self._continue_write(until)
            else:
                self._reads.append(job)
        elif outcome is not None:
            self._finish(job, {"ok": True, "result": outcome})

    def _repeat(self, request: Request, entry: Entry) -> None:
        if entry.answer is None:
            entry.waiting.append((request.connection, request.number))
        else:
            self._send(request.connection, request.number, dict(entry.answer, repeated=True))

    def _guard(self, job: Job, call: Callable[[], Any]) -> Any:
        """Call, and turn whatever is raised into the job's answer (then None is returned)."""
        try:
            return call()
        except StopIteration as stop:
            self._finish(job, {"ok": True, "result": stop.value})
        except Failure as failure:
            self._finish(job, {"ok": False, "error": failure.as_json()})
        except Exception:
            reference = self._log.error(job.request.operation.name)
            unexpected = Failure("internal", f"unexpected error {reference}, see Live's Log.txt")
            self._finish(job, {"ok": False, "error": unexpected.as_json()})
        return None

    def _step(self, job: Job, until: float) -> bool:
        """Advance a job until it pauses, ends or the time is up; False once it has ended."""
        while True:
            job.running = False
            item = self._guard(job, job.advance)
            if not job.running:
                return False
            behind = job.entry is None and job.request.connection.crowded
            if item is PAUSE or behind or self._clock() >= until:
                return True

    def _continue_write(self, until: float) -> None:
        job = self._writing
        if job is not None and not self._step(job, until):
            self._writing = None
            self._wrote = True

    def _continue_reads(self, until: float) -> None:
        for _ in range(len(self._reads)):
            job = self._reads.popleft()
            if job.request.connection.closed:
                self._close(job)
                continue
            if self._clock() > job.request.deadline:
                self._close(job)
                self._fail(
                    job.request, Failure("expired", "the read took longer than its deadline")
                )
                continue
            if job.request.connection.crowded or self._step(job, until):
                self._reads.append(job)
            if self._clock() >= until:
                return

    def _continue_background(self, until: float) -> None:
        for name, steps in list(self._background.items()):
            try:
                while next(steps) is not PAUSE and self._clock() < until:
                    pass
            except StopIteration:
                del self._background[name]
            except Exception:
                self._log.error("background work: " + name)
                del self._background[name]
            if self._clock() >= until:
                # The others come first next time.
                if name in self._background:
                    self._background[name] = self._background.pop(name)
                return

    def _finish(self, job: Job, answer: dict[str, Any]) -> None:
        if answer["ok"] and job.items:
            job.send_part()
            answer = {
                "ok": True,
                "result": dict(answer["result"], parts=job.parts, items=job.items),
            }
        if job.entry is not None:
            job.entry.answer = answer
            for connection, number in job.entry.waiting:
                self._send(connection, number, dict(answer, repeated=True))
            job.entry.waiting.clear()
        self._send(job.request.connection, job.request.number, answer, job.request)

    def _fail(self, request: Request, failure: Failure) -> None:
        answer = {"ok": False, "error": failure.as_json()}
        self._send(request.connection, request.number, answer, request)

    def _send(
        self,
        connection: Connection,
        number: int,
        answer: dict[str, Any],
        request: Request | None = None,
    ) -> None:
        reply = dict(answer, id=number, epoch=self._epoch())
        if request is not None:
            reply["took_ms"] = round((self._clock() - request.received_at) * 1000.0, 3)
        try:
            connection.send(reply)
        except (Failure, ValueError, TypeError):
            reference = self._log.error("sending an answer")
            failure = Failure("internal", f"the answer {reference} cannot be sent")
            connection.send({"id": number, "ok": False, "error": failure.as_json()})

    def _close(self, job: Job) -> None:
        if isinstance(job.steps, GeneratorType):
            try:
                job.steps.close()
            except Exception:
                self._log.error(f"closing {job.request.operation.name}")


def _nothing() -> Steps:
    yield from ()
