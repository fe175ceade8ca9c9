"""One request: the checked envelope around an operation's arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .failure import Failure
from .schema import Integer, Number, Record, Text

if TYPE_CHECKING:
    from typing import Any

    from .connection import Connection
    from .operations import Operation

DEFAULT_DEADLINE_S = 30.0
MAX_DEADLINE_S = 600.0
REQUEST_ID = Integer(0, 2**53)
ENVELOPE = Record(
    {"id": REQUEST_ID, "op": Text(64, 1)},
    {
        "deadline_ms": Number(1, MAX_DEADLINE_S * 1000),
        "deadline_at": Number(),
        "move_id": Text(128, 1),
        "boot_id": Text(64, 1),
    },
)


class Request:
    """A request that has a valid envelope and valid arguments.

    Attributes
    ----------
    deadline : float
        Script clock, seconds; work that has not begun by then never begins.
    """

    def __init__(
        self,
        connection: Connection,
        envelope: dict[str, Any],
        operation: Operation,
        args: dict[str, Any],
        now: float,
    ) -> None:
        self.connection = connection
        self.number: int = envelope["id"]
        self.operation = operation
        self.args = args
        self.move_id: str = envelope.get("move_id", "")
        self.received_at = now
        limit_s = envelope.get("deadline_ms", DEFAULT_DEADLINE_S * 1000) / 1000.0
        self.deadline: float = min(envelope.get("deadline_at", now + limit_s), now + MAX_DEADLINE_S)


def read_request(
    connection: Connection,
    message: dict[str, Any],
    operations: dict[str, Operation],
    boot_id: str,
    now: float,
) -> Request:
    """Check envelope, operation and arguments.

    A request that writes needs ``move_id``, the ``boot_id`` it was planned under, and
    ``deadline_at`` in the script's own clock: a relative deadline would begin only when a paused
    pump reads the frame, and the work would run after its caller had given up.

    Raises
    ------
    Failure
        ``bad_request``, ``unknown_op``, ``unauthorized`` or ``unknown_after_reload``.
    """
    args = message.get("args", {})
    envelope = ENVELOPE.check({k: v for k, v in message.items() if k != "args"}, "")
    operation = operations.get(envelope["op"])
    if operation is None:
        raise Failure("unknown_op", "there is no operation {}".format(envelope["op"]), "op")
    if envelope.get("boot_id", boot_id) != boot_id:
        raise Failure(
            "unknown_after_reload",
            "the script was started again (set loaded?): nothing was run; read the session again",
            "boot_id",
        )
    if operation.writes:
        for name in ("move_id", "boot_id", "deadline_at"):
            if name not in envelope:
                raise Failure("bad_request", f"{operation.name} needs {name}", name)
        if connection.role != "writer":
            raise Failure(
                "unauthorized", f"{operation.name} needs the role writer, said in the hello"
            )
    checked = operation.args.check(args, "")
    return Request(connection, envelope, operation, checked, now)
