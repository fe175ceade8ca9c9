"""The history against a model that keeps whole copies of the set."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pybackend.studio.live import UNDO_VARIANTS, Note, install, profile

SHARES = st.floats(0.0, 1.0, width=32)


class HistoryMachine(RuleBasedStateMachine):
    """Steps of a script and of a human in any order; the model is two lists of copies."""

    def __init__(self) -> None:
        super().__init__()
        self.live: Any = None

    @initialize(variant=st.sampled_from(["default", "coalesce", "new_ids", "at_once"]))
    def open(self, variant: str) -> None:
        self.live = install(profile("12.4", UNDO_VARIANTS[variant]), set="tiny")
        self.done: list[Any] = []
        self.undone: list[Any] = []

    def _did(self, before: Any, *, notes: bool = False) -> None:
        """Note a step; new notes are one even where they look like those that they replace."""
        self.live.turn()
        if notes or self.live.dump() != before:
            self.done.append(before)
            self.undone.clear()

    @rule(first=SHARES, second=SHARES, name=st.text("ab", max_size=2))
    def group(self, first: float, second: float, name: str) -> None:
        before, song = self.live.dump(), self.live.song
        song.begin_undo_step()
        song.tracks[0].mixer_device.volume.value = first
        song.tracks[-1].mixer_device.volume.value = second
        song.tracks[0].name = name
        song.end_undo_step()
        self._did(before)

    @rule()
    def new_track(self) -> None:
        before = self.live.dump()
        self.live.song.create_midi_track(0)
        self._did(before)

    @rule(choice=st.integers(0, 9))
    def delete(self, choice: int) -> None:
        before, tracks = self.live.dump(), len(self.live.song.tracks)
        if tracks > 1:
            self.live.song.delete_track(choice % tracks)
        self._did(before)

    @rule(pitch=st.integers(60, 62), start=st.integers(0, 4), length=st.integers(1, 3))
    def note(self, pitch: int, start: int, length: int) -> None:
        before = self.live.dump()
        slots = [track.clip_slots[0] for track in self.live.song.tracks]
        clips = [slot.clip for slot in slots if slot.has_clip]
        if clips:
            new = self.live.modules["Live.Clip"].MidiNoteSpecification(pitch, start, length)
            clips[0].add_new_notes([new])
        self._did(before, notes=bool(clips))

    @rule(value=SHARES)
    def human(self, value: float) -> None:
        before = self.live.dump()
        self.live.user.set_parameter(self.live.song.master_track.mixer_device.volume, value)
        self._did(before)

    @rule(start=st.integers(0, 4))
    def human_draws(self, start: int) -> None:
        before = self.live.dump()
        clip = self.live.song.tracks[0].clip_slots[0].clip
        if clip is not None:
            self.live.user.draw_notes(clip, Note(70, float(start), 0.5, expression=start))
        self._did(before, notes=clip is not None)

    @rule()
    def undo(self) -> None:
        after = self.live.dump()
        assert self.live.song.can_undo == bool(self.done)
        self.live.song.undo()
        if self.done:
            assert self.live.dump() == self.done.pop()
            self.undone.append(after)
        else:
            assert self.live.dump() == after

    @rule()
    def redo(self) -> None:
        before = self.live.dump()
        assert self.live.song.can_redo == bool(self.undone)
        self.live.song.redo()
        if self.undone:
            assert self.live.dump() == self.undone.pop()
            self.done.append(before)
        else:
            assert self.live.dump() == before

    @invariant()
    def nothing_forbidden(self) -> None:
        if self.live is not None:
            self.live.check()
            for node in self.live.world.song.below():
                assert node.ptr
                assert node.kind == "Song" or node.parent.ptr


TestHistory = HistoryMachine.TestCase
TestHistory.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
