r"""Where Live keeps its User Library.

Live names the library in ``Library.cfg`` of each version's preferences, an XML file: the library is
``ProjectPath``/``ProjectName`` of the first ``LibraryProject`` in ``UserLibrary``. Without that
file the library is where Live makes it first: ``~/Music/Ableton/User Library`` on macOS,
``Documents\Ableton\User Library`` on Windows (https://help.ableton.com/hc/en-us/articles/209774085).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from pybackend.errors import InputError, TargetMissing

MAX_CONFIG_BYTES: Final = 4 << 20
LIBRARY_NAME: Final = "User Library"
SCRIPTS_NAME: Final = "Remote Scripts"

NO_LIVE: Final = (
    "no Ableton Live was found on this machine (no User Library); start Live once and run this "
    "again, or name the library: --library PATH. Without Live, try: movejudge demo"
)


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where Live's files are.

    Attributes
    ----------
    platform : str
        As in ``sys.platform``.
    home : Path
        The user's home folder.
    environ : mapping
        Environment variables.
    documents : Path or None
        The documents folder as Windows names it: it may have been moved, to OneDrive for instance.
    """

    platform: str
    home: Path
    environ: Mapping[str, str]
    documents: Path | None = None


@dataclass(frozen=True, slots=True)
class Library:
    """A User Library of Live.

    Attributes
    ----------
    folder : Path
        The library.
    source : str
        What named it.
    notes : tuple of str
        What a person should know: other libraries, a configuration that cannot be read.
    """

    folder: Path
    source: str
    notes: tuple[str, ...] = ()


def this_machine() -> Machine:
    """Describe the machine this runs on."""
    documents = None
    if sys.platform == "win32":
        import platformdirs  # noqa: PLC0415

        documents = platformdirs.user_documents_path()
    return Machine(sys.platform, Path.home(), os.environ, documents)


def find_library(machine: Machine, given: Path | None = None) -> Library:
    """Find the library of the Live that was used last.

    Parameters
    ----------
    machine : Machine
        Where to look.
    given : Path, optional
        The library a person named; nothing is searched then.

    Raises
    ------
    TargetMissing
        If there is no library, or the one that was named is not there.
    InputError
        If what was named is not a User Library but a folder inside it.
    """
    if given is not None:
        return Library(_checked(given), "--library")
    named, notes = _named_libraries(machine)
    if named:
        (folder, source), *others = named
        if not folder.is_dir():
            raise TargetMissing(
                f"{folder}: Live keeps its User Library there, says {source}, but there is no such "
                "folder; connect the drive, choose the folder in Live's settings under Library, or "
                "name another: --library PATH"
            )
        notes += [
            f"{source} names another library, {other}; for that one too: --library PATH"
            for other, source in others
        ]
        return Library(folder, str(source), tuple(notes))
    for folder in _default_libraries(machine):
        if folder.is_dir():
            return Library(folder, "default place", tuple(notes))
    raise TargetMissing(NO_LIVE)


def library_in_config(text: str) -> Path | None:
    """Library that the text of a ``Library.cfg`` names, or None if it names none.

    Raises
    ------
    ValueError
        If the text is not XML, or XML of a kind that Live does not write.
    """
    if "<!" in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL):
        # Live writes no declarations, and entities can be made to grow without limit.
        raise ValueError("it holds declarations")
    try:
        root = ElementTree.fromstring(text.encode())  # noqa: S314 - no entities, see above
    except ElementTree.ParseError as error:
        raise ValueError(f"not XML: {error}") from None
    for project in root.iterfind(".//UserLibrary//LibraryProject"):
        parent = _value(project, "ProjectPath")
        if parent:
            return Path(parent) / (_value(project, "ProjectName") or LIBRARY_NAME)
    return None


def _value(project: ElementTree.Element, name: str) -> str:
    element = project.find(name)
    return "" if element is None else element.get("Value", "")


def _checked(given: Path) -> Path:
    folder = given.expanduser().absolute()
    if not folder.is_dir():
        raise TargetMissing(f"{folder}: no such folder; give Live's User Library")
    if folder.name in {SCRIPTS_NAME, "User Remote Scripts"}:
        raise InputError(
            f"{folder}: give the User Library, the folder that holds '{SCRIPTS_NAME}', not a "
            "folder of scripts"
        )
    return folder


def _named_libraries(machine: Machine) -> tuple[list[tuple[Path, Path]], list[str]]:
    """Different libraries and the file that names each, last written first; and what went wrong."""
    named: dict[Path, Path] = {}
    notes = []
    for config in _configs(machine):
        try:
            library = library_in_config(_text(config))
        except (OSError, ValueError) as error:
            notes.append(f"{config} cannot be read ({error}) and was left out")
            continue
        if library is not None and library.is_absolute():
            named.setdefault(library, config)
    return list(named.items()), notes


def _text(config: Path) -> str:
    if config.stat().st_size > MAX_CONFIG_BYTES:
        raise ValueError(f"larger than {MAX_CONFIG_BYTES >> 20} MB")
    text = config.read_bytes().decode("utf-8-sig")
    # The text is bytes no longer: a declared encoding would contradict that.
    return re.sub(r"^\s*<\?xml[^>]*\?>", "", text)


def _configs(machine: Machine) -> list[Path]:
    if machine.platform == "darwin":
        found = (machine.home / "Library" / "Preferences" / "Ableton").glob("Live */Library.cfg")
    elif machine.platform == "win32":
        roaming = machine.environ.get("APPDATA")
        base = Path(roaming) if roaming else machine.home / "AppData" / "Roaming"
        found = (base / "Ableton").glob("Live */Preferences/Library.cfg")
    else:
        return []
    return sorted(found, key=_age)


def _age(config: Path) -> tuple[float, list[int]]:
    versions = re.findall(r"\d+", next(p.name for p in config.parents if p.name[:5] == "Live "))
    return -config.stat().st_mtime, [-int(number) for number in versions]


def _default_libraries(machine: Machine) -> Iterator[Path]:
    inside = Path("Ableton") / LIBRARY_NAME
    if machine.platform == "darwin":
        yield machine.home / "Music" / inside
    elif machine.platform == "win32":
        if machine.documents is not None:
            yield machine.documents / inside
        yield machine.home / "Documents" / inside
