"""The human at the set: edits behind the script's back, in the same undo history.

The actor uses the same object model as a script, so an edit that Live would refuse is refused here
too; only what the interface hides from scripts goes around it. Every edit is remembered, so that
after anything a script did it can be asked whether one is lost.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pybackend.studio.live import edits
from pybackend.studio.live.catalogue import DEVICES, bulk
from pybackend.studio.live.devices import GROUP
from pybackend.studio.live.lom.clip_notes import write_notes
from pybackend.studio.live.lom.undoing import restore
from pybackend.studio.live.node import Node
from pybackend.studio.live.notes import Note, add

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybackend.studio.live.history import Step
    from pybackend.studio.live.runtime import Runtime

UNDONE = "undone"
DELETED = "deleted"
OVERWRITTEN = "overwritten"


@dataclass
class UserEdit:
    """One field that the human wrote.

    Attributes
    ----------
    serial
        Position among all tracked writes of the set.
    withdrawn
        The human undid it, or deleted what it was written to.
    """

    node: Node
    field: str
    value: Any
    serial: int
    withdrawn: bool = False

    def __str__(self) -> str:
        return f"{self.node.kind}.{self.field} = {self.value!r}"


class Actor:
    """What a human does in Live's window."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.edits: list[UserEdit] = []

    def forget(self) -> None:
        """Start over with another set."""
        self.edits.clear()

    @contextlib.contextmanager
    def step(self, label: str) -> Iterator[None]:
        """Make the writes inside one undo step of the human, with Live's label."""
        world = self._runtime.world
        self._runtime.check_thread("the human")
        first = len(world.puts)
        try:
            with world.history.user_step(label):
                yield
        finally:
            self.edits.extend(
                UserEdit(put.node, put.field, put.after, put.serial)
                for put, _ in world.puts[first:]
            )
            for edit in self.edits:
                edit.withdrawn = edit.withdrawn or (not edit.node.ptr and self._deleted(first))
            self._runtime.end_turn()

    def _deleted(self, first: int) -> bool:
        puts = [put for put, _ in self._runtime.world.puts[first:]]
        return any(len(_sized(put.after)) < len(_sized(put.before)) for put in puts)

    def lost(self) -> list[tuple[UserEdit, str]]:
        """List the human's edits that no longer hold although they did not take them back.

        Returns
        -------
        list of (edit, reason)
            ``undone``: the field is back at a state older than the edit. ``deleted``: its object
            is gone. A later write over it does not count; see `overwritten`.
        """
        found = []
        writers = self._runtime.world.writers
        for edit in self.edits:
            if edit.withdrawn:
                continue
            if not edit.node.ptr:
                found.append((edit, DELETED))
            elif writers.get((id(edit.node), edit.field), 0) < edit.serial:
                found.append((edit, UNDONE))
        return found

    def overwritten(self, since: int = 0) -> list[UserEdit]:
        """List edits that a script wrote over directly.

        Parameters
        ----------
        since
            Count only writes after this many of ``world.puts``.
        """
        by_serial = {edit.serial: edit for edit in self.edits if not edit.withdrawn}
        return [
            by_serial[put.serial_before]
            for put, origin in self._runtime.world.puts[since:]
            if origin == "script" and put.serial_before in by_serial
        ]

    def undo(self) -> None:
        """Press undo: whatever is newest, the script's or their own."""
        self._restore(forward=False)

    def redo(self) -> None:
        """Press redo."""
        self._restore(forward=True)

    def _restore(self, *, forward: bool) -> None:
        world = self._runtime.world
        world.history.end()
        world.history.land()
        stack = world.history.undone if forward else world.history.done
        step: Step | None = stack[-1] if stack else None
        restore(world, forward=forward)
        serials = {put.serial for put in step.puts} if step else set()
        for edit in self.edits:
            if edit.serial in serials:
                edit.withdrawn = not forward
            elif not edit.node.ptr:
                edit.withdrawn = True
        self._runtime.end_turn()

    def set_parameter(self, parameter: Any, value: float) -> None:
        """Turn a knob."""
        with self.step(f"Change {parameter.name}"):
            parameter.value = value

    def set_tempo(self, bpm: float) -> None:
        """Change the tempo."""
        with self.step("Change Tempo"):
            self._runtime.wrap(self._runtime.world.song).tempo = bpm

    def mute(self, track: Any, on: bool = True) -> None:
        """Mute a track."""
        with self.step("Mute"):
            track.mute = on

    def rename(self, thing: Any, name: str) -> None:
        """Rename a track, clip, scene, device, chain or cue point."""
        with self.step("Rename"):
            thing.name = name

    def set_property(self, thing: Any, name: str, value: Any) -> None:
        """Change any settable property."""
        with self.step(f"Change {name}"):
            setattr(thing, name, value)

    def draw_notes(self, clip: Any, *notes: Note) -> None:
        """Draw notes, with MPE data where a note has some."""
        node = clip._node
        with self.step("Add Notes"):
            first = node["next_note_id"]
            after, _ = add(node["notes"], notes, first)
            write_notes(node, after, first + len(notes))

    def erase_notes(self, clip: Any, *note_ids: int) -> None:
        """Delete notes."""
        with self.step("Delete Notes"):
            clip.remove_notes_by_id(list(note_ids))

    def create_track(self, kind: str, index: int = -1, name: str | None = None) -> Any:
        """Insert a track: ``midi``, ``audio`` or ``group``."""
        with self.step("Insert Track"):
            made = edits.create_track(self._runtime.world, kind, index, name)
        return self._runtime.wrap(made)

    def delete_track(self, index: int) -> None:
        """Delete a track."""
        with self.step("Delete Track"):
            edits.delete_track(self._runtime.world, index)

    def create_scene(self, index: int = -1) -> Any:
        """Insert a scene."""
        with self.step("Insert Scene"):
            made = edits.create_scene(self._runtime.world, index)
        return self._runtime.wrap(made)

    def delete_scene(self, index: int) -> None:
        """Delete a scene."""
        with self.step("Delete Scene"):
            edits.delete_scene(self._runtime.world, index)

    def create_clip(self, slot: Any, length: float = 4.0) -> Any:
        """Insert a MIDI clip."""
        with self.step("Create Clip"):
            return slot.create_clip(length)

    def delete_clip(self, slot: Any) -> None:
        """Delete the clip in a slot."""
        with self.step("Delete Clip"):
            slot.delete_clip()

    def load_device(self, track: Any, name: str, index: int = -1) -> Any:
        """Load a device from the browser, also a plug-in or a Max device."""
        spec = DEVICES.get(name) or bulk(name, 64)
        with self.step("Insert Device"):
            made = edits.insert_device(track._node, spec, index)
        return self._runtime.wrap(made)

    def delete_device(self, track: Any, index: int) -> None:
        """Delete a device."""
        with self.step("Delete Device"):
            edits.delete_device(track._node, index)

    def move_device(self, device: Any, target: Any, index: int) -> None:
        """Drag a device to another place."""
        with self.step("Move Device"):
            edits.move_device(device._node, target._node, index)

    def add_cue(self, beats: float, name: str = "") -> None:
        """Set a locator."""
        world = self._runtime.world
        cue = Node(world, "CuePoint", world.song, name=name, time=beats)
        cues = sorted((*world.song["cue_points"], cue), key=lambda one: float(one["time"]))
        with self.step("Add Locator"):
            world.put(world.song, "cue_points", tuple(cues))

    def group(self, *tracks: Any, name: str | None = None) -> Any:
        """Put neighbouring tracks into a new group."""
        world = self._runtime.world
        nodes = [track._node for track in tracks]
        with self.step("Group Tracks"):
            index = world.song["tracks"].index(nodes[0])
            made = edits.create_track(world, GROUP, index, name)
            for node in nodes:
                world.put(node, "group_track", made)
        return self._runtime.wrap(made)

    def freeze(self, track: Any, on: bool = True) -> None:
        """Freeze a track."""
        with self.step("Freeze Track"):
            self._runtime.world.put(track._node, "is_frozen", on)

    def draw_automation(self, parameter: Any, value: float) -> None:
        """Automate a parameter, which a script can see only by its state."""
        node = parameter._node
        with self.step("Draw Automation"):
            self._runtime.world.put(node, "automation_points", (value,))
            self._runtime.world.put(node, "automated_value", value, tracked=False)
            self._runtime.world.put(node, "automation_state", 1, tracked=False)

    def disable(self, parameter: Any, on: bool = True) -> None:
        """Let a macro take a parameter over, so that it cannot be set."""
        with self.step("Map Macro"):
            self._runtime.world.put(
                parameter._node, "is_enabled", not on, says=((parameter._node, "state"),)
            )

    def select_track(self, track: Any) -> None:
        """Select a track; no step."""
        self._runtime.wrap(self._runtime.world.song).view.selected_track = track
        self._runtime.end_turn()

    def open_dialog(self, text: str = "Save changes?") -> None:
        """Have a modal dialog open; scripts go on running."""
        self._dialogs((*self._runtime.world.application["dialogs"], text))

    def close_dialog(self) -> None:
        """Close the newest dialog."""
        self._dialogs(self._runtime.world.application["dialogs"][:-1])

    def _dialogs(self, dialogs: tuple[str, ...]) -> None:
        application = self._runtime.world.application
        says = ((application, "open_dialog_count"),)
        self._runtime.world.put(application, "dialogs", dialogs, tracked=False, says=says)
        self._runtime.end_turn()


def _sized(value: Any) -> Any:
    if value is None:
        return ()
    return value if isinstance(value, (tuple, dict)) else (value,)
