"""The control surface: started by Live, driven by Live's timer, without any thread of its own.

Live calls everything here on its main thread. ``Live.Base.Timer`` pumps every 10 ms or as often
as the system allows; an exception in its callback would stop it for good, so the callback lets
none out, and ``update_display`` (every 100 ms) looks whether it still runs.
"""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from .capability import environment, report
from .listener import Listener
from .log import Log
from .rendezvous import Rendezvous
from .server import Server
from .session import Session
from .version import PROTOCOL_MAX, PROTOCOL_MIN, SCRIPT_SHA, SCRIPT_VERSION

if TYPE_CHECKING:
    from typing import Any

    from .live_types import Application, Clock, ScriptHost, Timer

TIMER_MS = 10
LATE_S = 0.06
DEAD_S = 0.5
PUBLISH_AGAIN_S = 2.0
# Seam for a virtual Live; monotonic() has steps of 15 ms on Windows.
clock: Clock = time.perf_counter


class MoveJudge:
    """What ``create_instance`` gives to Live.

    Parameters
    ----------
    c_instance : ScriptHost
        Live's side: the set, the log, the status bar.
    """

    def __init__(self, c_instance: ScriptHost) -> None:
        import Live

        self._clock = clock
        self._host = c_instance
        self._log = Log(c_instance.log_message, self._clock)
        self._application: Application = Live.Application.get_application()
        self.boot_id = secrets.token_hex(16)
        token = secrets.token_hex(32)
        self._rendezvous = Rendezvous(token, self.boot_id)
        self._listener = Listener(self._clock, self._log)
        self._server = Server(self._listener, token, self._greeting, self._clock, self._log)
        self._session = Session(c_instance, self._application, self.boot_id, self._clock, self._log)
        self._pumping = False
        self._closed = False
        self._pumped_at = self._clock()
        self._longest_gap_s = 0.0
        self._publish_at = 0.0
        self._fired_at = self._pumped_at
        self._timer: Timer | None = None
        # Last, so that no pump finds a half-built script.
        self._start_timer()

    def _start_timer(self) -> None:
        import Live

        timer = Live.Base.Timer(callback=self._on_timer, interval=TIMER_MS, repeat=True)
        timer.start()
        self._timer = timer

    def _on_timer(self) -> None:
        self._fired_at = self._clock()
        self.pump()

    def pump(self) -> None:
        """Do one round of work; a call from inside a round returns at once, and none raises."""
        if self._pumping or self._closed:
            # Some calls into Live let timers fire while they run.
            return
        self._pumping = True
        try:
            now = self._clock()
            self._longest_gap_s = max(self._longest_gap_s, now - self._pumped_at)
            self._pumped_at = now
            self._round()
        except Exception:
            self._log.error("the pump")
        finally:
            self._pumping = False

    def _round(self) -> None:
        self._server.accept()
        self._publish()
        for connection, message in self._server.receive():
            self._session.take(connection, message)
        self._session.run()
        self._server.heartbeat(self._state)
        for connection in self._server.deliver():
            self._session.forget(connection)

    def _publish(self) -> None:
        port = self._listener.port
        if port and self._clock() >= self._publish_at:
            try:
                self._rendezvous.publish(port)
            except OSError as error:
                # Windows refuses to replace a file that a client has open just now.
                self._publish_at = self._clock() + PUBLISH_AGAIN_S
                self._log.warn(f"the rendezvous file cannot be written: {error}")

    def _greeting(self) -> dict[str, Any]:
        greeting = environment(self._application, self._session.song)
        greeting.update(
            boot_id=self.boot_id,
            protocol=[PROTOCOL_MIN, PROTOCOL_MAX],
            script_version=SCRIPT_VERSION,
            script_sha=SCRIPT_SHA,
            capabilities=report(self._application, self._session.song),
            operations=self._session.operations,
            epoch=self._session.watch.epoch,
        )
        return greeting

    def _state(self) -> dict[str, Any]:
        gap_ms, self._longest_gap_s = self._longest_gap_s * 1000.0, 0.0
        return {
            "boot_id": self.boot_id,
            "epoch": self._session.watch.epoch,
            "load": self._session.scheduler.load,
            "longest_gap_ms": round(gap_ms, 1),
        }

    def update_display(self) -> None:
        """Look whether the timer still runs; called by Live every 100 ms."""
        if self._closed:
            return
        if self._clock() - self._fired_at > DEAD_S:
            self._fired_at = self._clock()
            try:
                if self._timer is not None:
                    self._timer.stop()
                self._start_timer()
            except Exception:
                self._log.error("starting the timer again")
        if self._clock() - self._pumped_at > LATE_S:
            self.pump()

    def disconnect(self) -> None:
        """Stop everything; called by Live before it drops the script. Safe to call again."""
        if self._closed:
            return
        self._closed = True
        for step in (
            self._stop_timer,
            self._session.close,
            lambda: self._server.stop("Live dropped the script"),
            self._rendezvous.remove,
        ):
            try:
                step()
            except Exception:
                self._log.error("disconnect")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = None

    # What Live may also call on a script; there is no MIDI here.

    def suggest_input_port(self) -> str:
        """No port."""
        return ""

    def suggest_output_port(self) -> str:
        """No port."""
        return ""

    def suggest_map_mode(self, cc_no: int, channel: int) -> int:
        """Absolute."""
        return 0

    def can_lock_to_devices(self) -> bool:
        """No."""
        return False

    def connect_script_instances(self, instances: object) -> None:
        """Nothing to do."""

    def request_rebuild_midi_map(self) -> None:
        """Nothing to do."""

    def build_midi_map(self, midi_map_handle: object) -> None:
        """Nothing to do."""

    def send_midi(self, midi_event_bytes: object) -> None:
        """Nothing to do."""

    def receive_midi(self, midi_bytes: object) -> None:
        """Nothing to do."""

    def receive_midi_chunk(self, midi_chunk: object) -> None:
        """Nothing to do."""

    def refresh_state(self) -> None:
        """Nothing to do."""

    def port_settings_changed(self) -> None:
        """Nothing to do."""
