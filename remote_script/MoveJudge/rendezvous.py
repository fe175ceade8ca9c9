"""The file through which a client finds this script: its port and its token.

One file per process, so that two Lives can run at once: ``remote-<pid>.json`` in the state folder,
mode 0600, replaced whole. A client ignores a file whose port does not answer with its ``boot_id``.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

from .folder import state_folder
from .version import SCRIPT_VERSION

if TYPE_CHECKING:
    from typing import Any

SCHEMA_VERSION = 1


class Rendezvous:
    """Writes the file, again whenever the port changes, and removes it at the end.

    Parameters
    ----------
    token : str
        64 hex digits that a client has to show.
    boot_id : str
        Id of this start of the script; all object ids are void under another one.
    """

    def __init__(self, token: str, boot_id: str) -> None:
        self._token = token
        self._boot_id = boot_id
        self._port = 0
        self.path = state_folder() / f"remote-{os.getpid()}.json"

    def publish(self, port: int) -> None:
        """Write the file for ``port`` unless it says so already.

        Raises
        ------
        OSError
            If the folder or the file cannot be written; the caller tries again later.
        """
        if port == self._port:
            return
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._write(
            {
                "schema_version": SCHEMA_VERSION,
                "host": "127.0.0.1",
                "port": port,
                "token": self._token,
                "boot_id": self._boot_id,
                "pid": os.getpid(),
                "version": SCRIPT_VERSION,
                "created": time.strftime("%Y-%m-%sT%H:%M:%SZ", time.gmtime()),
            }
        )
        self._port = port

    def _write(self, content: dict[str, Any]) -> None:
        part = self.path.with_name(f"{self.path.name}.{self._boot_id[:8]}.part")
        if part.exists():
            part.unlink()
        # The mode is given at creation: a chmod afterwards leaves a moment for readers.
        handle = os.open(str(part), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(content, file)
            part.replace(self.path)
        except BaseException:
            part.unlink()
            raise

    def remove(self) -> None:
        """Remove the file if it is still ours; never raises."""
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            if content.get("boot_id") == self._boot_id:
                self.path.unlink()
        except (OSError, ValueError, AttributeError):
            pass
        self._port = 0
