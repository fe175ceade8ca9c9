"""Everything that belongs to one set: built when Live loads it, dropped when Live drops it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .deltas import Deltas
from .evidence import Evidence
from .failure import Failure
from .identity import Registry
from .journal import Journal
from .moves import Mover
from .operations import make_table
from .preparation import Preparation
from .reads import Reads
from .references import References
from .request import read_request
from .rows import Rows
from .scheduler import Scheduler
from .shapes import Shapes
from .stroke import Stroke
from .transport import Transport
from .undo import Undoer
from .watch import Watch

if TYPE_CHECKING:
    from typing import Any

    from .connection import Connection
    from .job import Steps
    from .live_types import Application, Clock, ScriptHost, Song
    from .log import Log
    from .request import Request


class Session:
    """Answers requests about one set.

    Parameters
    ----------
    host : ScriptHost
        Live's ``c_instance``.
    application, boot_id, clock, log
        As elsewhere.
    """

    def __init__(
        self, host: ScriptHost, application: Application, boot_id: str, clock: Clock, log: Log
    ) -> None:
        song: Song = host.song()
        self.song = song
        self._host = host
        self._boot_id = boot_id
        self._clock = clock
        self._registry = Registry()
        self.watch = Watch(song, log)
        self.scheduler = Scheduler(clock, log, lambda: self.watch.epoch)
        references = References(song, self._registry)
        rows = Rows(song, self._registry)
        self._journal = Journal()
        stroke = Stroke(song, self.watch, clock)
        self._deltas = Deltas(self.watch, references, rows)
        self._transport = Transport(song, clock)
        reads = Reads(song, rows, references, Shapes(), self.watch)
        mover = Mover(
            song,
            application,
            self._registry,
            Preparation(song, self._registry, references),
            stroke,
            self._journal,
            self.watch,
            self.scheduler.in_background,
        )
        evidence = Evidence(song, self._journal)
        undoer = Undoer(song, application, stroke, self._journal, self.watch, evidence)
        self._operations = make_table(
            {
                "ping": self._ping,
                "session.summary": reads.summary,
                "session.read": reads.session,
                "session.sounding": reads.sounding,
                "device.read": reads.device,
                "parameters.read": reads.parameters,
                "notes.read": reads.notes,
                "move.apply": mover.apply,
                "move.undo": undoer.undo,
                "move.redo": undoer.redo,
                "move.list": self._moves,
                "transport.set": self._transport.set,
                "transport.restore": self._transport.restore,
                "watch.set": self._deltas.set,
                "notify": self._notify,
            }
        )

    @property
    def operations(self) -> list[str]:
        """Names of what a client may ask for."""
        return sorted(self._operations)

    def take(self, connection: Connection, message: dict[str, Any]) -> None:
        """Queue a message as a request, or answer why it is none."""
        try:
            request = read_request(
                connection, message, self._operations, self._boot_id, self._clock()
            )
        except Failure as failure:
            number = message.get("id")
            known = number if isinstance(number, int) and not isinstance(number, bool) else None
            connection.send({"id": known, "ok": False, "error": failure.as_json()})
            return
        self.scheduler.submit(request)

    def run(self) -> None:
        """One pump's share of work."""
        changed = self.watch.pump()
        if self.watch.stale and not self.scheduler.busy_with("listeners"):
            self.scheduler.in_background("listeners", self.watch.refresh())
        self.scheduler.run()
        self._deltas.push(changed)

    def forget(self, connection: Connection) -> None:
        """Let go of a lost connection, and put back the transport it changed."""
        self.scheduler.forget(connection)
        self._deltas.forget(connection)
        self._transport.forget(connection)

    def close(self) -> None:
        """Take every listener off and let go of every object; never raises."""
        self.scheduler.close()
        self.watch.close()
        self._registry.clear()

    def _ping(self, request: Request) -> dict[str, Any]:
        return {"clock": self._clock()}

    def _notify(self, request: Request) -> dict[str, Any]:
        self._host.show_message(request.args["text"])
        return {}

    def _moves(self, request: Request) -> Steps:
        for move in list(self._journal.moves):
            yield move.as_json()
        return {"count": len(self._journal.moves)}
