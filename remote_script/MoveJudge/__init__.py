"""MoveJudge's control surface for Ableton Live.

Live imports this package at launch and calls ``create_instance``. An import error here would only
show as a missing entry in Live's settings, so the real code is imported inside the call and a
failure is written to Log.txt and shown in the status bar.
"""

from __future__ import annotations


class Inert:
    """Stands in for the script if that cannot start: Live goes on undisturbed."""

    def disconnect(self) -> None:
        """Nothing to do."""

    def update_display(self) -> None:
        """Nothing to do."""

    def suggest_input_port(self) -> str:
        """No port."""
        return ""

    def suggest_output_port(self) -> str:
        """No port."""
        return ""

    def suggest_map_mode(self, cc_no, channel):  # type: ignore[no-untyped-def]
        """Absolute."""
        return 0

    def can_lock_to_devices(self) -> bool:
        """No."""
        return False

    def connect_script_instances(self, instances: object) -> None:
        """Nothing to do."""

    def build_midi_map(self, midi_map_handle: object) -> None:
        """Nothing to do."""

    def receive_midi(self, midi_bytes: object) -> None:
        """Nothing to do."""

    def refresh_state(self) -> None:
        """Nothing to do."""


def create_instance(c_instance):  # type: ignore[no-untyped-def]
    """Give Live the script; called by Live.

    Parameters
    ----------
    c_instance : object
        Live's side of the script.
    """
    try:
        from .surface import MoveJudge

        return MoveJudge(c_instance)
    except Exception as error:
        c_instance.log_message(f"MoveJudge cannot start: {error!r}")
        c_instance.show_message(f"MoveJudge cannot start: {error}")
        return Inert()
