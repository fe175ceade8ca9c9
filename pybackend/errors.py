"""Errors that a person can act on.

::

    MoveJudgeError              exit 1
      InputError                exit 2   what was given cannot be used
        AudioFileError                   an audio file cannot be read or measured
        RecordingError                   a capture file cannot be read
        GoalError                        targets, protects or mode make no goal
        PlanError                        a plan of moves is wrong
      TargetMissing             exit 3   what was named does not exist
      Busy                      exit 5   somebody else holds it

Every message is one line: what happened, where, and what to do next.
"""

from __future__ import annotations

from typing import ClassVar


class MoveJudgeError(Exception):
    """Base of every error that MoveJudge raises on purpose."""

    exit_code: ClassVar[int] = 1


class InputError(MoveJudgeError):
    """What was given cannot be used."""

    exit_code = 2


class AudioFileError(InputError):
    """An audio file cannot be read or measured."""


class RecordingError(InputError):
    """A capture file cannot be read."""


class GoalError(InputError):
    """Targets, protects or mode make no goal."""


class PlanError(InputError):
    """A plan of moves is wrong."""


class TargetMissing(MoveJudgeError):  # noqa: N818
    """What was named does not exist."""

    exit_code = 3


class Busy(MoveJudgeError):  # noqa: N818
    """Somebody else holds it."""

    exit_code = 5
