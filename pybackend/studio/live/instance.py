"""``c_instance``: what Live hands to a control surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pybackend.studio.live.faults import deleted

if TYPE_CHECKING:
    from pybackend.studio.live.node import World
    from pybackend.studio.live.runtime import Runtime


class ScriptInstance:
    """The members that Live's own plain scripts use; dead once the set is gone."""

    def __init__(self, runtime: Runtime, world: World, slot: int = 0) -> None:
        self._runtime = runtime
        self._world = world
        self._slot = slot

    def _enter(self, what: str) -> None:
        self._runtime.check_thread(f"c_instance.{what}")
        if self._runtime.world is not self._world:
            self._runtime.violation(f"c_instance.{what} was used after its set was closed")
            raise deleted("MidiRemoteScript")

    def song(self) -> Any:
        """Return the set."""
        self._enter("song")
        return self._runtime.wrap(self._world.song)

    def handle(self) -> int:
        """Return an opaque number."""
        self._enter("handle")
        return id(self)

    def show_message(self, message: str) -> None:
        """Show a line in the status bar."""
        self._enter("show_message")
        if not isinstance(message, str):
            raise TypeError("show_message takes a string")
        self._runtime.messages.append(message)

    def log_message(self, message: str) -> None:
        """Write a line to Live's log."""
        self._enter("log_message")
        if not isinstance(message, str):
            raise TypeError("log_message takes a string")
        self._runtime.log.append(message)

    def instance_identifier(self) -> int:
        """Return the number of the control surface's slot."""
        self._enter("instance_identifier")
        return self._slot

    def send_midi(self, midi_bytes: tuple[int, ...]) -> None:
        """Send MIDI nowhere."""
        self._enter("send_midi")
        del midi_bytes

    def request_rebuild_midi_map(self) -> None:
        """Ask for a new MIDI map."""
        self._enter("request_rebuild_midi_map")

    def toggle_lock(self) -> None:
        """Lock to a device."""
        self._enter("toggle_lock")

    def preferences(self, key: str) -> None:
        """Return stored preferences: none."""
        self._enter("preferences")
        del key
