from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybackend import config
from pybackend.errors import Busy

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no Node on the PATH to run launcher.js with")

HERE = Path(__file__).with_name("launcher")
LAUNCHER = Path(__file__).parents[2] / "m4l" / "launcher.js"
BACKEND = HERE / "backend.py"
PATIENCE_S = 15.0
QUICK = {"pollMs": 50, "watchMs": 100}

NOT_STARTED, STARTING, RUNNING, FAILED = range(4)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


class Calls:
    """One Node process that calls the launcher's functions."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [str(NODE), str(HERE / "call.js"), str(LAUNCHER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __call__(self, name: str, *args: object) -> Any:
        answer = self.ask(name, *args)
        assert "error" not in answer, answer
        return answer.get("value")

    def error(self, name: str, *args: object) -> str:
        answer = self.ask(name, *args)
        assert "value" not in answer, answer
        return str(answer["error"])

    def ask(self, name: str, *args: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, *args]).encode() + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        self._process.communicate(timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def call() -> Iterator[Calls]:
    calls = Calls()
    yield calls
    calls.close()


class Max:
    """A launcher in its node.script, and what it has sent out."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [str(NODE), *command],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.states: list[tuple[int, str]] = []
        self.problems: list[str] = []
        self._queue: queue.Queue[tuple[int, str]] = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read_stdout),
            threading.Thread(target=self._read_stderr),
        ]
        for reader in self._readers:
            reader.start()

    def _read_stdout(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                name, number, text = json.loads(line)["outlet"]
                assert name == "state"
                self._queue.put((number, text))
            except (ValueError, KeyError, AssertionError):
                self.problems.append(line.decode())

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        self.problems.extend(line.decode() for line in self.process.stderr)

    def send(self, *message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def expect(self, number: int, text: str = "") -> str:
        """Wait for the next report, which must be this one; return its text."""
        try:
            state = self._queue.get(timeout=PATIENCE_S)
        except queue.Empty:
            pytest.fail(f"no report after {self.states}; {self.problems}")
        self.states.append(state)
        assert state[0] == number, self.states
        assert text in state[1]
        return state[1]

    def silent(self, duration_s: float) -> None:
        with pytest.raises(queue.Empty):
            self.states.append(self._queue.get(timeout=duration_s))

    def close(self) -> None:
        """Take the device away, and check that it neither printed nor listened nor reported on."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=PATIENCE_S)
        finally:
            self.kill()
        assert self.problems == []
        assert self._queue.empty(), self._queue.get_nowait()

    def kill(self) -> None:
        """End the launcher with everything in its process group, as a closing host may."""
        if os.name == "posix" and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


class Machine:
    """A user's computer: a state folder, a free port, the devices and backends on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.home = folder / "state"
        self.home.mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._devices: list[Max] = []
        self._backends: list[subprocess.Popen[bytes]] = []

    def install(self, *options: str, **changes: object) -> None:
        """Leave the launcher.json that an installer would."""
        values = {
            "schema_version": 1,
            "python": sys.executable,
            "args": [str(BACKEND), str(self.folder), str(self.port), *options],
            "udp_port": 9701,
            "http_port": self.port,
            **changes,
        }
        (self.home / "launcher.json").write_text(json.dumps(values), encoding="utf-8")

    def env(self, **changes: str) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("MAX_")}
        return {**kept, "NODE_PATH": str(HERE), "MOVEJUDGE_HOME": str(self.home), **changes}

    def device(self, **env: str) -> Max:
        """Press Start in a device: the shipped file as Max runs it."""
        return self.add(Max([str(LAUNCHER)], self.env(**env)))

    def quick_device(self, **settings: int) -> Max:
        """Start a device with shorter times."""
        values = {"httpPort": self.port, **QUICK, **settings}
        command = [str(HERE / "drive.js"), str(LAUNCHER), json.dumps(values)]
        return self.add(Max(command, self.env()))

    def add(self, device: Max) -> Max:
        self._devices.append(device)
        return device

    @property
    def pids(self) -> list[int]:
        path = self.folder / "pids"
        return [int(line) for line in path.read_text().split()] if path.exists() else []

    @property
    def told(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.folder / "told.json").read_text(encoding="utf-8"))
        return told

    def serving_pid(self) -> int | None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/status")
            return int(json.loads(connection.getresponse().read())["pid"])
        except OSError:
            return None
        finally:
            connection.close()

    def run_backend(self) -> subprocess.Popen[bytes]:
        """Start a backend by hand, as from a terminal."""
        process = subprocess.Popen([sys.executable, str(BACKEND), str(self.folder), str(self.port)])
        self._backends.append(process)
        until(lambda: self.serving_pid() is not None)
        return process

    def run_backend_and_install(self) -> None:
        self.install()
        self.run_backend()

    def let_backend_answer(self) -> None:
        (self.folder / "go").touch()

    def kill_backend(self) -> None:
        pid = self.serving_pid()
        assert pid is not None
        os.kill(pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)

    def clean(self) -> None:
        for device in self._devices:
            device.kill()
        for process in self._backends:
            process.kill()
            process.wait()
        (self.folder / "quit").touch()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    yield machine
    machine.clean()


@contextlib.contextmanager
def answering(port: int, answer: Callable[[socket.socket], None]) -> Iterator[None]:
    """Serve every connection to ``port`` with ``answer`` on its own thread."""
    done = threading.Event()
    with socket.create_server(("127.0.0.1", port)) as server:
        server.settimeout(0.05)

        def serve() -> None:
            while not done.is_set():
                with contextlib.suppress(OSError):
                    connection, _ = server.accept()
                    with connection:
                        connection.settimeout(0.5)
                        answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def says(data: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(data)

    return answer


def http_answer(body: bytes, status: str = "200 OK") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


OTHER_SERVER = says(http_answer(b"<html>hello</html>"))


# What the file may contain


def code_of(source: str) -> str:
    """JavaScript without its comments and plain strings."""
    skipped = r"/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\""
    return re.sub(skipped, "''", source, flags=re.DOTALL)


NEWER_THAN_NODE_16 = re.compile(
    r"\.(?:at|findLast|findLastIndex|toSorted|toReversed|toSpliced|with|isWellFormed|groupBy"
    r"|hasOwn|fromAsync|withResolvers|getSetCookie|cp|cpSync|parseArgs|glob|union)\("
    r"|\b(?:structuredClone|fetch|FormData|WebSocket|Iterator|BroadcastChannel)\s*[.(]"
    r"|\bAbortSignal\.|\bcause\s*:|\bstatic\s*\{|#\w+\s+in\b"
    r"|^\s*(?:import|export|using|await using)\b|^await\b"
    r"|[=(,:!]\s*/(?:\\.|[^/\\\n])+/[a-z]*v",
    flags=re.MULTILINE,
)
OPENS_OR_EVALUATES = re.compile(
    r"\b(?:createServer|listen|createSocket|bind|\w*Server|eval|Function)\s*\("
)
MODULES = {"child_process", "fs", "http", "os", "path", "max-api"}


def test_node_parses_the_file() -> None:
    subprocess.run([str(NODE), "--check", str(LAUNCHER)], check=True)


def test_nothing_is_newer_than_node_16() -> None:
    assert NEWER_THAN_NODE_16.findall(code_of(LAUNCHER.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "snippet",
    [
        "lines.at(-1)",
        "lines.findLast((x) => x)",
        "Object.hasOwn(a, b)",
        "const a = structuredClone(b);",
        "fetch(url)",
        "AbortSignal.timeout(5)",
        "new Error(text, { cause: error })",
        "class A { static { f(); } }",
        "#x in y",
        "import fs from 'fs';",
        "await f();",
        "const a = /[a-z]/v;",
    ],
)
def test_what_is_newer_would_be_found(snippet: str) -> None:
    assert NEWER_THAN_NODE_16.search(code_of(snippet))


def test_the_file_needs_only_what_max_brings() -> None:
    source = LAUNCHER.read_text(encoding="utf-8")
    required = re.findall(r"require\(([^)]*)\)", source)
    assert {name.strip("'") for name in required} == MODULES
    assert OPENS_OR_EVALUATES.findall(code_of(source)) == []
    assert OPENS_OR_EVALUATES.search("http.createServer(f)")
    assert "shell" not in source


def test_the_default_port_is_the_backends(call: Calls) -> None:
    assert call("SETTINGS")["httpPort"] == config.HTTP_PORT


# Folder and configuration


ENV = st.fixed_dictionaries(
    {},
    optional={
        name: st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
        for name in ("MOVEJUDGE_HOME", "LOCALAPPDATA", "XDG_STATE_HOME")
    },
)


@pytest.mark.parametrize(
    ("platform", "home", "flavour"),
    [
        ("darwin", "/Users/Zoë Müller", PurePosixPath),
        ("linux", "/home/zoë", PurePosixPath),
        ("win32", "C:\\Users\\Zoë Müller", PureWindowsPath),
    ],
)
@given(env=ENV)
def test_state_folder_is_the_backends(
    call: Calls, env: dict[str, str], platform: str, home: str, flavour: type[PurePath]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", env)
        patch.setattr(sys, "platform", platform)
        patch.setattr(Path, "home", lambda: Path(home))
        expected = str(config.state_folder())
    assert flavour(call("stateFolder", env, platform, home)) == flavour(expected)


GOOD = {
    "schema_version": 1,
    "python": "/opt/movejudge/bin/python",
    "args": ["-m", "pybackend", "serve"],
    "udp_port": 9701,
    "http_port": 9702,
}


def test_good_configuration_is_read(call: Calls) -> None:
    assert call("parseConfig", json.dumps({**GOOD, "later": 1}), "linux") == {
        "python": GOOD["python"],
        "args": GOOD["args"],
        "httpPort": 9702,
    }


@pytest.mark.parametrize(
    "python",
    [
        "C:\\Users\\Zoë Müller\\Music Tools\\venv\\Scripts\\python.exe",
        "d:/Python 3.13/python.exe",
        "\\\\studio-nas\\freigabe ä\\python.exe",
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_windows_paths_are_kept_whole(call: Calls, python: str, ascii_only: bool) -> None:
    text = json.dumps({**GOOD, "python": python}, ensure_ascii=ascii_only)
    assert call("parseConfig", text, "win32")["python"] == python


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"schema_version": 2}, "schema_version"),
        ({"schema_version": "1"}, "schema_version"),
        ({"schema_version": True}, "schema_version"),
        ({"python": "python3"}, "absolute"),
        ({"python": "C:\\Python\\python.exe"}, "absolute"),
        ({"python": "/bin/py\0thon"}, "absolute"),
        ({"python": None}, "absolute"),
        ({"args": []}, "args"),
        ({"args": "serve"}, "args"),
        ({"args": ["serve", 3]}, "args"),
        ({"args": ["a\0b"]}, "args"),
        ({"args": ["a"] * 33}, "args"),
        ({"udp_port": 0}, "udp_port"),
        ({"udp_port": "9701"}, "udp_port"),
        ({"http_port": 65536}, "http_port"),
        ({"http_port": 9702.5}, "http_port"),
        ({"http_port": True}, "http_port"),
        ({"http_port": None}, "http_port"),
    ],
)
def test_bad_configuration_is_named(
    call: Calls, changes: dict[str, object], complaint: str
) -> None:
    assert complaint in call.error("parseConfig", json.dumps({**GOOD, **changes}), "linux")


@pytest.mark.parametrize("python", ["\\python.exe", "/usr/bin/python", "C:python.exe", "\\\\\\\\x"])
def test_windows_paths_name_their_drive(call: Calls, python: str) -> None:
    assert "absolute" in call.error("parseConfig", json.dumps({**GOOD, "python": python}), "win32")


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "1", '"x"', "\ufeff{}"])
def test_other_json_is_no_configuration(call: Calls, text: str) -> None:
    assert call.error("parseConfig", text, "linux").startswith("launcher.json")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(changes=st.dictionaries(st.sampled_from(sorted(GOOD)), VALUES, min_size=1))
def test_any_configuration_is_read_or_named(call: Calls, changes: dict[str, object]) -> None:
    answer = call.ask("parseConfig", json.dumps({**GOOD, **changes}), "linux")
    if "value" in answer:
        assert answer["value"]["python"].startswith("/")
        assert all(isinstance(item, str) for item in answer["value"]["args"])
        assert 1 <= answer["value"]["httpPort"] <= 65535
    else:
        assert answer["error"].startswith("launcher.json")
        assert "\n" not in answer["error"]


def test_a_missing_file_is_no_error(call: Calls, tmp_path: Path) -> None:
    assert call("readConfig", str(tmp_path), sys.platform) is None
    assert call("readConfig", str(tmp_path / "none"), sys.platform) is None


def test_unreadable_files_are_named(call: Calls, tmp_path: Path) -> None:
    path = tmp_path / "launcher.json"
    path.write_bytes(json.dumps(GOOD).encode().replace(b"serve", b"s\xffrve"))
    assert "UTF-8" in call.error("readConfig", str(tmp_path), sys.platform)
    path.write_text(json.dumps({**GOOD, "python": sys.executable}) + " " * 16384)
    assert "larger" in call.error("readConfig", str(tmp_path), sys.platform)
    path.unlink()
    path.mkdir()
    assert "not a file" in call.error("readConfig", str(tmp_path), sys.platform)
    path.rmdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(path)
        assert "not a file" in call.error("readConfig", str(tmp_path), sys.platform)


def test_the_interpreter_must_be_a_file(call: Calls, tmp_path: Path) -> None:
    path = tmp_path / "launcher.json"
    for python in (tmp_path / "gone" / "python", tmp_path):
        path.write_text(json.dumps({**GOOD, "python": str(python)}))
        assert call.error("readConfig", str(tmp_path), sys.platform) == f"no Python at {python}"


# Text and log


@given(st.text())
def test_text_for_max_is_one_bounded_line(call: Calls, text: str) -> None:
    line = call("oneLine", text)
    assert len(line) <= 120
    assert line.splitlines() == ([line] if line else [])
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", line)


def test_text_is_cut_between_characters(call: Calls) -> None:
    assert call("oneLine", "🎚" * 200) == "🎚" * 119 + "…"
    assert call("oneLine", " −23 LUFS\r\n\tok ") == "−23 LUFS ok"


@pytest.mark.parametrize(
    ("data", "offset", "expected"),
    [
        (b"one\ntwo\n\n  \n", 0, "two"),
        (b"one\r\ntwo\r\n", 0, "two"),
        (b"old\n", 4, ""),
        (b"old\nnew\n", 4, "new"),
        (b"emptied since\n", 500, "emptied since"),
        (b"x" * 10000 + b"\nport 9701 is in use", 0, "port 9701 is in use"),
        (b"\xff\xfe\x00", 0, "\ufffd\ufffd"),
        (b"", 0, ""),
    ],
)
def test_the_last_line_is_the_reason(
    call: Calls, tmp_path: Path, data: bytes, offset: int, expected: str
) -> None:
    log = tmp_path / "backend.log"
    log.write_bytes(data)
    assert call("lastLine", str(log), offset) == expected


def test_no_log_gives_no_reason(call: Calls, tmp_path: Path) -> None:
    assert call("lastLine", str(tmp_path / "none.log"), 0) == ""


def test_the_backends_environment_is_lives_without_its_python(call: Calls) -> None:
    env = {"PATH": "/bin", "PYTHONHOME": "/live", "PythonPath": "x", "HOME": "/home/zoë"}
    assert call("childEnvironment", env) == {
        "PATH": "/bin",
        "HOME": "/home/zoë",
        "PYTHONSAFEPATH": "1",
        "PYTHONIOENCODING": "utf-8",
    }


# Probe


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (says(http_answer(b'{"app": "movejudge", "version": "1.2.3"}')), "running"),
        (says(http_answer(b'{"app": "movejudge"}', "503 Busy")), "running"),
        (says(http_answer(b'{"app": "somebody"}')), "foreign"),
        (says(http_answer(b"null")), "foreign"),
        (says(http_answer(b"[]")), "foreign"),
        (says(http_answer(b"", "404 Not Found")), "foreign"),
        (says(http_answer(b'{"app": "movejudge"}' + b" " * 70000)), "foreign"),
        (says(b"SSH-2.0-OpenSSH_9.6\r\n"), "foreign"),
        (says(b"HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n"), "foreign"),
        (says(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"app": "movejudge"'), "silent"),
        (says(b""), "silent"),
        (lambda connection: time.sleep(0.4), "silent"),
    ],
)
def test_probe_tells_who_answers(
    call: Calls, machine: Machine, answer: Callable[[socket.socket], None], kind: str
) -> None:
    with answering(machine.port, answer):
        found = call("probe", machine.port, 300)
    assert found["kind"] == kind


def test_probe_tells_a_free_port(call: Calls, machine: Machine) -> None:
    assert call("probe", machine.port, 300) == {"kind": "free", "version": ""}


def test_probe_does_not_wait_for_a_slow_trickle(call: Calls, machine: Machine) -> None:
    def trickle(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        for _ in range(20):
            connection.sendall(b"X-Wait: 1\r\n")
            time.sleep(0.1)

    with answering(machine.port, trickle):
        started_s = time.monotonic()
        assert call("probe", machine.port, 300)["kind"] == "silent"
        assert time.monotonic() - started_s < 1.5


def test_probe_shows_no_foreign_text_whole(call: Calls, machine: Machine) -> None:
    body = json.dumps({"app": "movejudge", "version": "9\n" * 500}).encode()
    with answering(machine.port, says(http_answer(body))):
        assert len(call("probe", machine.port, 1000)["version"]) == 40


# The launcher as Max runs it


def test_start_runs_one_backend_that_outlives_the_device(machine: Machine) -> None:
    machine.install("--wait")
    device = machine.device()
    device.expect(STARTING)
    device.send("start")
    device.send("start")
    until(lambda: len(machine.pids) >= 1)
    machine.let_backend_answer()
    assert device.expect(RUNNING) == "backend 1.2.3 running"
    device.send("start")
    device.send("probe")
    assert device.expect(RUNNING) == "backend 1.2.3 running"
    device.close()
    assert [machine.serving_pid()] == machine.pids


def test_a_killed_host_leaves_the_backend(machine: Machine) -> None:
    machine.install()
    first = machine.device()
    first.expect(STARTING)
    first.expect(RUNNING)
    first.kill()
    time.sleep(0.2)
    assert [machine.serving_pid()] == machine.pids
    second = machine.device()
    second.expect(RUNNING, "1.2.3")
    second.close()
    assert [machine.serving_pid()] == machine.pids


def test_the_backend_gets_a_clean_interpreter_at_home(machine: Machine) -> None:
    machine.install()
    device = machine.device(PYTHONHOME="/nowhere", PYTHONPATH=str(machine.folder))
    device.expect(STARTING)
    device.expect(RUNNING)
    device.close()
    assert Path(machine.told["cwd"]) == Path.home().resolve()
    assert not {str(HERE), str(machine.folder)} & set(machine.told["module_path"])
    assert machine.told["environ"]["MOVEJUDGE_HOME"] == str(machine.home)


def test_paths_with_spaces_and_umlauts_start(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "Zoë Müller's Müsic 音楽")
    script = machine.folder / "bäckend script.py"
    shutil.copy(BACKEND, script)
    python = Path(sys.executable)
    if os.name == "posix":
        # A link to the whole environment, so that the interpreter still finds its own.
        link = machine.folder / "Pythøn 3"
        link.symlink_to(python.parent.parent, target_is_directory=True)
        python = link / python.parent.name / python.name
    machine.install(
        python=str(python),
        args=[str(script), str(machine.folder), str(machine.port), "--say", "ü x"],
    )
    try:
        device = machine.device()
        device.expect(STARTING)
        device.expect(RUNNING, "1.2.3")
        device.close()
        assert (machine.home / "backend.log").read_text(encoding="utf-8").strip() == "ü x"
    finally:
        machine.clean()


def test_max_may_load_the_file_from_its_own_main_module(machine: Machine) -> None:
    machine.run_backend_and_install()
    main = machine.folder / "main.js"
    main.write_text(f"require({json.dumps(str(LAUNCHER))});")
    device = machine.add(Max([str(main)], machine.env(MAX_ENV="maxforlive")))
    device.expect(RUNNING)
    device.close()
    subprocess.run([str(NODE), str(main)], env=machine.env(), check=True, timeout=PATIENCE_S)


def test_a_running_backend_is_found_not_started(machine: Machine) -> None:
    machine.run_backend_and_install()
    device = machine.device()
    device.expect(RUNNING, "1.2.3")
    device.close()
    assert len(machine.pids) == 1


@pytest.mark.parametrize("busy_code", [0, Busy.exit_code])
def test_two_devices_at_once_end_with_one_backend(machine: Machine, busy_code: int) -> None:
    machine.install("--wait", "--busy-code", str(busy_code))
    devices = [machine.device(), machine.device()]
    for device in devices:
        device.expect(STARTING)
    log = machine.home / "backend.log"
    until(lambda: log.exists() and "another backend holds the lock" in log.read_text())
    for device in devices:
        device.silent(0.4)
    machine.let_backend_answer()
    for device in devices:
        device.expect(RUNNING, "1.2.3")
    assert len(machine.pids) == 2
    assert machine.serving_pid() in machine.pids
    for device in devices:
        device.close()


def test_no_configuration_says_what_to_run(machine: Machine) -> None:
    device = machine.quick_device()
    device.expect(NOT_STARTED, "run: movejudge install")
    machine.install()
    device.send("start")
    device.expect(STARTING)
    device.expect(RUNNING)
    device.close()


def test_a_backend_started_by_hand_needs_no_configuration(machine: Machine) -> None:
    device = machine.quick_device()
    device.expect(NOT_STARTED)
    with machine.run_backend() as backend:
        device.expect(RUNNING)
        backend.kill()
    device.expect(FAILED, "backend lost; press Start")
    device.close()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"http_port": -1}, "launcher.json: http_port is not a port; run: movejudge install"),
        ({"python": str(Path("/no such/python").absolute())}, "no Python at"),
        ({"python": str(HERE / "max-api.js")}, "cannot start Python: "),
    ],
)
def test_what_cannot_start_says_why(
    machine: Machine, changes: dict[str, object], reason: str
) -> None:
    machine.install(**changes)
    device = machine.quick_device()
    if "cannot" in reason:
        device.expect(STARTING)
    device.expect(FAILED, reason)
    device.close()


def test_another_server_is_not_taken_for_the_backend(machine: Machine) -> None:
    machine.install()
    with answering(machine.port, OTHER_SERVER):
        device = machine.device()
        device.expect(FAILED, f"another program answers on port {machine.port}")
        device.close()
    assert machine.pids == []


def test_an_early_death_gives_its_last_line(machine: Machine) -> None:
    machine.install("--die", "3", "--say", "first\nmovejudge: UDP port 9701 is in use\n")
    (machine.home / "backend.log").write_text("an older reason\n")
    device = machine.device()
    device.expect(STARTING)
    assert device.expect(FAILED) == "exit code 3: movejudge: UDP port 9701 is in use"
    device.send("start")
    device.expect(STARTING)
    device.expect(FAILED)
    device.close()
    assert len(machine.pids) == 2


def test_a_silent_early_death_gives_its_exit_code(machine: Machine) -> None:
    machine.install("--die", "4")
    (machine.home / "backend.log").write_text("an older reason\n")
    device = machine.device()
    device.expect(STARTING)
    device.expect(FAILED, "backend ended with exit code 4")
    device.close()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--wait", "--say", "reading"), "no answer within 2 s: reading"),
        (("--die", "5", "--say", "busy"), "no answer within 2 s: exit code 5: busy"),
    ],
)
def test_waiting_has_an_end(machine: Machine, options: tuple[str, ...], reason: str) -> None:
    machine.install(*options)
    device = machine.quick_device(startTimeoutMs=2000)
    device.expect(STARTING)
    assert device.expect(FAILED) == reason
    device.send("stop")
    device.expect(NOT_STARTED)
    device.close()


def test_a_late_answer_still_counts(machine: Machine) -> None:
    machine.install("--wait")
    device = machine.quick_device(startTimeoutMs=200)
    device.expect(STARTING)
    device.expect(FAILED, "no answer within")
    machine.let_backend_answer()
    device.expect(RUNNING)
    device.close()
    assert len(machine.pids) == 1


def test_start_again_joins_a_slow_start(machine: Machine) -> None:
    machine.install("--wait")
    device = machine.quick_device(startTimeoutMs=200)
    device.expect(STARTING)
    device.expect(FAILED, "no answer within")
    device.send("start")
    device.expect(STARTING)
    device.expect(FAILED, "no answer within")
    machine.let_backend_answer()
    device.expect(RUNNING)
    device.close()
    assert len(machine.pids) == 1


def test_one_missed_probe_is_not_a_loss(machine: Machine) -> None:
    machine.install()
    answers = itertools.cycle([http_answer(b'{"app": "movejudge", "version": "2"}'), b""])

    def every_other(connection: socket.socket) -> None:
        says(next(answers))(connection)

    with answering(machine.port, every_other):
        device = machine.quick_device(watchMs=40)
        device.expect(RUNNING)
        device.silent(0.5)
        device.close()


def test_a_later_death_is_noticed_and_start_works_again(machine: Machine) -> None:
    machine.install("--say", "listening")
    device = machine.quick_device(watchMs=60000)
    device.expect(STARTING)
    device.expect(RUNNING)
    machine.kill_backend()
    device.expect(FAILED, "backend killed by SIG" if os.name == "posix" else "exit code")
    device.send("start")
    device.expect(STARTING)
    device.expect(RUNNING)
    device.close()


def test_an_old_reason_does_not_explain_another_backend(machine: Machine) -> None:
    machine.install("--die", "3", "--say", "the old reason")
    device = machine.quick_device()
    device.expect(STARTING)
    device.expect(FAILED, "the old reason")
    with machine.run_backend() as backend:
        device.expect(RUNNING)
        backend.kill()
    device.expect(FAILED, "backend lost; press Start")
    device.close()


def test_stop_ends_the_backend_started_here(machine: Machine) -> None:
    machine.install()
    device = machine.quick_device()
    device.expect(STARTING)
    device.expect(RUNNING)
    device.send("stop")
    device.send("stop")
    device.expect(NOT_STARTED, "backend stopped")
    assert machine.serving_pid() is None
    device.send("start")
    device.expect(STARTING)
    device.expect(RUNNING)
    device.send("stop")
    device.send("start")
    device.expect(NOT_STARTED, "backend stopped")
    device.expect(STARTING)
    device.expect(RUNNING)
    device.close()


def test_stop_leaves_a_backend_started_elsewhere(machine: Machine) -> None:
    machine.run_backend_and_install()
    device = machine.quick_device(watchMs=60000)
    device.expect(RUNNING, "1.2.3")
    device.send("stop")
    device.expect(RUNNING, "not started here")
    device.close()
    assert machine.serving_pid() is not None


def test_stop_during_a_start_wins(machine: Machine) -> None:
    machine.install("--wait")
    device = machine.quick_device()
    device.expect(STARTING)
    until(lambda: len(machine.pids) == 1)
    device.send("stop")
    device.expect(NOT_STARTED, "backend stopped")
    device.close()


def test_the_watch_repeats_nothing(machine: Machine) -> None:
    machine.run_backend_and_install()
    device = machine.quick_device(watchMs=20)
    device.expect(RUNNING)
    device.silent(0.5)
    device.close()


def test_the_log_stays_bounded(machine: Machine) -> None:
    machine.install("--say", "hello")
    log = machine.home / "backend.log"
    log.write_bytes(b"x" * 300_000)
    device = machine.device()
    device.expect(STARTING)
    device.expect(RUNNING)
    device.close()
    assert log.read_text().strip() == "hello"
    watcher = machine.quick_device(logLimitBytes=3)
    watcher.expect(RUNNING)
    until(lambda: log.stat().st_size == 0)
    watcher.close()


def test_a_log_that_cannot_be_written_costs_no_start(machine: Machine) -> None:
    machine.install("--die", "3", "--say", "unseen")
    (machine.home / "backend.log").mkdir()
    device = machine.device()
    device.expect(STARTING)
    device.expect(FAILED, "backend ended with exit code 3")
    device.close()
