"""Copies of the script and the device in Live's library: planned, then written, then removable.

Nothing that is not ours is ever overwritten or removed: a file is ours if its content is what this
package carries, or what the record of an earlier installation names. No backups are made, since
nothing foreign is touched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from pybackend import files
from pybackend.assets import DEVICE_NAME, REMOTE_SCRIPT_NAME, device_file, remote_script_folder
from pybackend.errors import InputError, TargetMissing
from pybackend.live.installed import Installed, write_record
from pybackend.live.launcher import read_launcher
from pybackend.live.places import SCRIPTS_NAME

SCRIPT_PLACE: Final = f"{SCRIPTS_NAME}/{REMOTE_SCRIPT_NAME}"
DEVICE_PLACE: Final = f"Presets/Audio Effects/Max Audio Effect/{DEVICE_NAME}"

ADD, UPDATE, SAME, REMOVE = "add", "update", "same", "remove"
GONE, CHANGED, UNREACHABLE = "gone", "changed", "unreachable"


class Step(NamedTuple):
    """What happens to one file.

    Attributes
    ----------
    path : Path
        The file.
    action : str
        ``add``, ``update``, ``same`` or ``remove``; when uninstalling also ``gone`` (somebody
        removed it), ``changed`` (it stays) or ``unreachable`` (its library is not there).
    content : bytes
        What is written.
    """

    path: Path
    action: str
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an installation would do.

    Attributes
    ----------
    library : Path
        Live's User Library.
    steps : tuple of Step
        One for each file of the package, and of the installed version before.
    blocked : tuple of str
        Why nothing can be done: files and links in the way that are not ours.
    record : Installed
        The record as it is.
    launcher : Step
        The launcher's configuration.
    """

    library: Path
    steps: tuple[Step, ...]
    blocked: tuple[str, ...]
    record: Installed
    launcher: Step

    @property
    def is_done(self) -> bool:
        """Whether everything is in place already."""
        return all(step.action == SAME for step in (*self.steps, self.launcher))


def sources() -> dict[str, Path]:
    """Files of the package by their place in the library.

    Raises
    ------
    TargetMissing
        If the device has not been built, or the package is damaged.
    """
    script = remote_script_folder()
    found = {
        f"{SCRIPT_PLACE}/{path.relative_to(script).as_posix()}": path
        for path in sorted(script.rglob("*.py"))
    }
    return found | {DEVICE_PLACE: device_file()}


def plan_install(library: Path, record: Installed, launcher: Path, wanted: bytes) -> Plan:
    """Compare the library with the package; nothing is changed.

    Parameters
    ----------
    library : Path
        Live's User Library.
    record : Installed
        What was installed before.
    launcher : Path
        The launcher's configuration, and ``wanted``, what it should hold.
    wanted : bytes
        See ``launcher``.

    Raises
    ------
    TargetMissing
        If the device has not been built, or the package is damaged.
    """
    recorded = record.libraries.get(str(library), {})
    steps, blocked = [], []
    script = library / SCRIPT_PLACE
    if _is_link(script):
        blocked.append(f"{script} is a link")
    carried = sources()
    for name, source in carried.items():
        content = source.read_bytes()
        target = library / name
        action = _action(target, content, recorded.get(name, []))
        if action is None:
            blocked.append(f"{target} is not from MoveJudge, or was changed")
        else:
            steps.append(Step(target, action, content))
    for name, sums in recorded.items():
        if name not in carried and checksum(library / name) in sums:
            steps.append(Step(library / name, REMOVE))
    written = checksum(launcher)
    action = SAME if written == _sum(wanted) else ADD if written is None else UPDATE
    return Plan(library, tuple(steps), tuple(blocked), record, Step(launcher, action, wanted))


def apply_install(plan: Plan, record_file: Path) -> None:
    """Carry out a plan.

    Raises
    ------
    InputError
        If something foreign is in the way, or a folder cannot be written. In the first case
        nothing has been changed; in the second, running it again goes on where it stopped.
    """
    if plan.blocked:
        more = f" (and {len(plan.blocked) - 1} more)" if len(plan.blocked) > 1 else ""
        raise InputError(
            f"{plan.blocked[0]}{more}; nothing was installed: move it away and run this again"
        )
    record, library = plan.record, str(plan.library)
    written = [step for step in plan.steps if step.action != REMOVE]
    ours = {
        step.path.relative_to(plan.library).as_posix(): [_sum(step.content)] for step in written
    }
    before = record.libraries.get(library, {})
    # Both contents are ours until all is written: a crash leaves nothing that looks foreign.
    record.libraries[library] = {
        name: sorted({*before.get(name, []), *ours.get(name, [])}) for name in {**before, **ours}
    }
    record.launcher = sorted({*record.launcher, _sum(plan.launcher.content)})
    try:
        write_record(record_file, record)
        for step in (*plan.steps, plan.launcher):
            if step.action == REMOVE:
                step.path.unlink(missing_ok=True)
            elif step.action != SAME:
                if step is plan.launcher:
                    _set_aside_if_corrupt(step.path)
                files.write_bytes(step.path, step.content)
        if any(step.action != SAME for step in plan.steps):
            _drop_bytecode(plan.library, before)
            _drop_bytecode(plan.library, ours)
        record.libraries[library] = ours
        record.launcher = [_sum(plan.launcher.content)]
        write_record(record_file, record)
    except OSError as error:
        raise _write_error(error) from None


def plan_uninstall(record: Installed, launcher: Path) -> list[Step]:
    """Say what becomes of each file that was installed; nothing is changed."""
    steps = []
    for library, content in record.libraries.items():
        there = Path(library).is_dir()
        for name, sums in content.items():
            path = Path(library) / name
            linked = name.startswith(SCRIPT_PLACE) and _is_link(Path(library) / SCRIPT_PLACE)
            steps.append(Step(path, _fate(path, sums, linked) if there else UNREACHABLE))
    if record.launcher:
        steps.append(Step(launcher, _fate(launcher, record.launcher, False)))
    return steps


def apply_uninstall(steps: list[Step], record: Installed, record_file: Path) -> None:
    """Remove the files that the plan says are removed; the record keeps the others.

    Raises
    ------
    InputError
        If a file cannot be removed, for example because a program holds it; run it again then.
    """
    kept = {step.path for step in steps if step.action in {CHANGED, UNREACHABLE}}
    inside = {
        Path(library) / name for library, content in record.libraries.items() for name in content
    }
    try:
        for step in steps:
            if step.action == REMOVE:
                step.path.unlink(missing_ok=True)
        for library, content in list(record.libraries.items()):
            folder = Path(library)
            if folder.is_dir() and not _is_link(folder / SCRIPT_PLACE):
                _drop_bytecode(folder, content)
                _drop_if_empty(folder / SCRIPT_PLACE)
            left = {name: sums for name, sums in content.items() if folder / name in kept}
            if left:
                record.libraries[library] = left
            else:
                del record.libraries[library]
        if kept <= inside:
            record.launcher = []
        write_record(record_file, record)
    except OSError as error:
        raise _write_error(error) from None


def checksum(path: Path) -> str | None:
    """SHA-256 of a file, or None if there is none or it cannot be read."""
    try:
        return files.file_sha256(path)
    except OSError:
        return None


def _set_aside_if_corrupt(launcher: Path) -> None:
    try:
        read_launcher(launcher)
    except TargetMissing:
        return
    except InputError:
        files.set_aside(launcher)


def _sum(content: bytes) -> str:
    return sha256(content).hexdigest()


def _action(target: Path, content: bytes, ours: list[str]) -> str | None:
    if _is_link(target):
        return None
    if not target.exists():
        return ADD
    found = checksum(target)
    if found == _sum(content):
        return SAME
    return UPDATE if found in ours else None


def _fate(path: Path, ours: list[str], linked: bool) -> str:
    if linked or _is_link(path):
        return CHANGED
    if not path.exists():
        return GONE
    return REMOVE if checksum(path) in ours else CHANGED


def _is_link(path: Path) -> bool:
    # A developer's link leads to the sources themselves, which must not be written or removed.
    return path.is_symlink() or bool(getattr(path, "is_junction", bool)())


def _bytecode(library: Path, names: dict[str, list[str]]) -> Iterator[Path]:
    for name in names:
        source = library / name
        if source.suffix == ".py":
            yield from (source.parent / "__pycache__").glob(f"{source.stem}.*.pyc")


def _drop_bytecode(library: Path, names: dict[str, list[str]]) -> None:
    """Remove what Live compiled from these files: it could outlive its source after a downgrade."""
    folders = set()
    for path in list(_bytecode(library, names)):
        path.unlink(missing_ok=True)
        folders.add(path.parent)
    for folder in folders:
        _drop_if_empty(folder)


def _drop_if_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _write_error(error: OSError) -> InputError:
    where = error.filename or "a file"
    return InputError(
        f"{where}: {error.strerror or error}; close Live, check that you may write there, and run "
        "this again"
    )
