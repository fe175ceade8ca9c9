"""Scripts in the host: life, death and rebirth."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from pybackend.studio.live import StudioHost, WrongThread

SOURCE = """
from __future__ import annotations
import Live

IMPORTS = []
IMPORTS.append(1)


class Surface(object):
    def __init__(self, c_instance):
        self.c_instance = c_instance
        self.song = c_instance.song()
        self.displays = self.pumps = 0
        self.careless = False
        self.song.add_tempo_listener(self.on_tempo)
        self.timer = Live.Base.Timer(self.on_timer, 10, True)
        self.timer.start()
        application = Live.Application.get_application()
        c_instance.show_message("hello %d" % application.get_major_version())

    def on_tempo(self):
        pass

    def on_timer(self):
        self.pumps += 1

    def update_display(self):
        self.displays += 1

    def disconnect(self):
        if not self.careless:
            self.timer.stop()
            self.song.remove_tempo_listener(self.on_tempo)


def create_instance(c_instance):
    return Surface(c_instance)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    package = tmp_path / "Surfaces" / "TestSurface"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(SOURCE)
    return package.parent


def test_a_script_lives(host: StudioHost, folder: Path) -> None:
    script = host.load_script(folder, "TestSurface")
    host.run(1.0)
    assert script.displays == pytest.approx(10, abs=1)
    assert script.pumps == pytest.approx(94, abs=5)
    assert host.messages == ["hello 12"]
    assert host.listeners() == ["Song.tempo"]
    host.unload_scripts()
    host.check()


def test_modules_and_paths_are_put_back(folder: Path) -> None:
    paths = list(sys.path)
    with StudioHost(set="tiny") as host:
        host.load_script(folder, "TestSurface")
        assert sys.modules["Live"] is host.modules["Live"]
    assert not [name for name in sys.modules if name.split(".")[0] in ("Live", "TestSurface")]
    assert sys.path == paths


def test_a_new_set_kills_every_object_and_reuses_the_imported_code(
    host: StudioHost, folder: Path
) -> None:
    old = host.load_script(folder, "TestSurface")
    song, application = host.song, host.application
    track = song.tracks[0]
    before_s = host.clock()
    host.load_set("band")
    assert host.clock() - before_s >= 3.0
    assert song == None  # noqa: E711
    assert track == None  # noqa: E711
    assert application == host.application
    (new,) = host.scripts
    assert new is not old
    assert sys.modules["TestSurface"].IMPORTS == [1]
    assert host.song.tracks[1].name == "Drums"
    pumps = old.pumps
    host.run(0.5)
    assert (old.pumps, new.pumps > 30) == (pumps, True)
    host.check()
    with pytest.raises(TypeError):
        old.c_instance.song()
    assert "after its set was closed" in host.violations[-1]


def test_reselecting_keeps_the_set(host: StudioHost, folder: Path) -> None:
    host.load_script(folder, "TestSurface")
    song = host.song
    host.user.set_tempo(90.0)
    host.reselect_scripts()
    assert song.tempo == 90.0
    assert host.messages == ["hello 12"] * 2
    host.check()


def test_what_disconnect_leaves_behind_is_recorded(host: StudioHost, folder: Path) -> None:
    host.load_script(folder, "TestSurface").careless = True
    host.unload_scripts()
    assert len(host.violations) == 2
    assert "a listener of Song.tempo" in host.violations[0]
    assert "running timer" in host.violations[1]


def test_exceptions_of_a_script_are_logged_as_live_does(host: StudioHost, folder: Path) -> None:
    script = host.load_script(folder, "TestSurface")

    def broken() -> None:
        raise ValueError("mine")

    script.update_display = broken
    host.run(0.25)
    assert len(host.violations) == 2
    assert "ValueError: mine" in host.runtime.log[-1]
    script.disconnect()
    script.disconnect = broken
    host.unload_scripts()
    assert "disconnect() raised" in host.violations[2]


def test_the_loop_in_a_thread_owns_the_objects(folder: Path) -> None:
    with StudioHost(clock="real", set="tiny") as host:
        script = host.load_script(folder, "TestSurface")
        with host.in_thread():
            assert host.call(lambda: threading.current_thread().name) == "live-main"
            host.call(lambda: host.user.set_tempo(90.0))
            assert host.call(lambda: host.song.tempo) == 90.0
            with pytest.raises(ZeroDivisionError):
                host.call(lambda: 1 // 0)
            with pytest.raises(WrongThread):
                _ = script.song.tempo
        assert script.pumps > 0
        assert host.song.tempo == 90.0


def test_run_until(host: StudioHost, folder: Path) -> None:
    script = host.load_script(folder, "TestSurface")
    assert host.run_until(lambda: script.pumps >= 5)
    assert not host.run_until(lambda: script.pumps >= 10**6, limit_s=0.5)


def test_dialogs_stop_nothing_and_are_counted(host: StudioHost, folder: Path) -> None:
    script: Any = host.load_script(folder, "TestSurface")
    heard: list[int] = []
    application = host.application
    application.add_open_dialog_count_listener(lambda: heard.append(application.open_dialog_count))
    host.user.open_dialog("Save changes?")
    host.run(0.1)
    assert script.pumps > 0
    assert application.current_dialog_message == "Save changes?"
    application.press_current_dialog_button(1)
    assert heard == [1, 0]


def test_two_slots_of_one_script_are_two_instances(host: StudioHost, folder: Path) -> None:
    first = host.load_script(folder, "TestSurface")
    second = host.load_script(folder, "TestSurface")
    host.run(0.3)
    assert first is not second
    assert first.pumps > 10
    assert second.pumps > 10
    assert [one.c_instance.instance_identifier() for one in (first, second)] == [0, 1]
    assert host.listeners() == ["Song.tempo"] * 2
    host.unload_scripts()
    host.check()
