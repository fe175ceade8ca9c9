"""One run's folder in a workspace: artefacts, log, metadata and a manifest of hashes.

::

    runs/iteration-N/GROUP/
      execution/          what the run made: recordings, snapshots, verdicts, ledger, report
      logs/run.jsonl      what happened, with times
      run_metadata.json   when it started and ended, and how
      manifest.json       size and SHA-256 of every file, written last
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from pybackend.config import app_version
from pybackend.errors import InputError, TargetMissing
from pybackend.files import append_jsonl, file_sha256, locked, read_json, write_json
from pybackend.loop.ledger import Ledger, utc_now

SCHEMA_VERSION: Final = 1
_ITERATION: Final = re.compile(r"iteration-([1-9][0-9]{0,8})\Z")
_GROUP: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")


class RunFolder:
    """A run that is being recorded; use it as a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.execution = path / "execution"
        self.ledger = Ledger(self.execution / "ledger.jsonl")
        self._started_s = time.monotonic()
        self._metadata: dict[str, Any] = {}

    @classmethod
    def create(cls, workspace: Path, group: str) -> RunFolder:
        """Make the folder of a new run, one iteration above the newest in the workspace.

        Raises
        ------
        InputError
            If ``group`` is not a plain name, or the folder cannot be made.
        """
        if not _GROUP.match(group):
            raise InputError(f"group {group!r}: use letters, digits, - and _ (at most 64)")
        runs = workspace / "runs"
        try:
            with locked(runs / "iterations"):
                path = runs / f"iteration-{_newest_iteration(runs) + 1}" / group
                (path / "execution").mkdir(parents=True)
                (path / "logs").mkdir()
        except OSError as error:
            raise InputError(
                f"{runs}: cannot make a run folder ({error.strerror}); choose another --workspace"
            ) from None
        return cls(path)

    def __enter__(self) -> Self:
        now = utc_now()
        self._metadata = {
            "schema_version": SCHEMA_VERSION,
            "movejudge_version": app_version(),
            "created_at": now,
            "started_at": now,
            "completed_at": None,
            "duration_ms": None,
            "status": "running",
        }
        self._write_metadata()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self.log("failed", error=f"{type(error).__name__}: {error}")
        self._metadata |= {
            "completed_at": utc_now(),
            "duration_ms": round((time.monotonic() - self._started_s) * 1000),
            "status": "completed" if error is None else "failed",
        }
        self._write_metadata()
        self._write_manifest()

    def log(self, event: str, **details: Any) -> None:
        """Append one line to the run's log."""
        append_jsonl(
            self.path / "logs" / "run.jsonl", {"time": utc_now(), "event": event} | details
        )

    def write_json(self, name: str, value: Any) -> Path:
        """Write an artefact under ``execution/`` and return its path."""
        path = self.execution / name
        write_json(path, value)
        return path

    def _write_metadata(self) -> None:
        write_json(self.path / "run_metadata.json", self._metadata)

    def _write_manifest(self) -> None:
        files = [
            {
                "path": path.relative_to(self.path).as_posix(),
                "bytes": path.stat().st_size,
                "sha256": file_sha256(path),
            }
            for path in sorted(self.path.rglob("*"))
            if path.is_file() and path.suffix != ".lock" and path.name != "manifest.json"
        ]
        manifest = {"schema_version": SCHEMA_VERSION, "files": files}
        write_json(self.path / "manifest.json", manifest)


def _newest_iteration(runs: Path) -> int:
    if not runs.is_dir():
        return 0
    found = (_ITERATION.match(child.name) for child in runs.iterdir())
    return max((int(match[1]) for match in found if match), default=0)


def changed_files(run: Path) -> list[str]:
    """Paths of files that no longer match the run's manifest: changed, missing or added.

    Raises
    ------
    TargetMissing
        If ``run`` has no manifest.
    """
    manifest_path = run / "manifest.json"
    if not manifest_path.is_file():
        raise TargetMissing(f"{run}: not a finished run (no manifest.json); name its folder")
    listed = {entry["path"]: entry["sha256"] for entry in read_json(manifest_path)["files"]}
    present = {
        path.relative_to(run).as_posix(): path
        for path in run.rglob("*")
        if path.is_file() and path.suffix != ".lock" and path.name != "manifest.json"
    }
    changed = [
        name
        for name in listed.keys() | present.keys()
        if name not in present or name not in listed or file_sha256(present[name]) != listed[name]
    ]
    return sorted(changed)
