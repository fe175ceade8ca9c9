"""One request on its way to an answer, and the parts that a long answer is sent in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .framing import dumps, pack

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from .answers import Entry
    from .request import Request

    Steps = Generator[Any, None, Any]

PAUSE = "pause"
RESTART = "restart"
PART_BYTES = 256 << 10


class Job:
    """A generator on its way to an answer."""

    def __init__(self, request: Request, steps: Steps, entry: Entry | None) -> None:
        self.request = request
        self.steps = steps
        self.entry = entry
        self.parts = 0
        self.items = 0
        self.running = True
        self._texts: list[str] = []
        self._bytes = 0

    def advance(self) -> Any:
        """Take the next thing the generator yields, and queue it if it is an item.

        ``running`` is set unless the generator has ended or failed.
        """
        item = next(self.steps)
        if item is RESTART:
            self._restart()
        elif item is not None and item is not PAUSE:
            self._add(item)
        self.running = True
        return item

    def _add(self, item: Any) -> None:
        # A part goes out when 256 kB have come together.
        text = dumps(item)
        self.items += 1
        self._texts.append(text)
        self._bytes += len(text) + 1
        if self._bytes >= PART_BYTES:
            self.send_part()

    def _restart(self) -> None:
        # Part number 1 tells the client to forget its items as well.
        self._texts.clear()
        self._bytes = 0
        self.items = 0
        self.parts = 0

    def send_part(self) -> None:
        """Send the items that wait, if any."""
        if not self._texts:
            return
        self.parts += 1
        head = f'{{"id":{self.request.number},"part":{self.parts},"items":['
        self.request.connection.send_frame(pack(head + ",".join(self._texts) + "]}"))
        self._texts.clear()
        self._bytes = 0
