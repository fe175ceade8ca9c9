"""The command line: one parser, one module for each command.

Nothing heavy is imported here: a command imports what it needs when it runs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

from pybackend.commands import (
    analyze,
    compare,
    demo,
    diagnose,
    doctor,
    install,
    judge_batch,
    listen,
    packet,
    record,
    replay,
    uninstall,
)
from pybackend.config import app_version
from pybackend.errors import MoveJudgeError

COMMANDS: Final = (
    demo,
    analyze,
    diagnose,
    compare,
    listen,
    record,
    replay,
    judge_batch,
    packet,
    install,
    uninstall,
    doctor,
)

EPILOG: Final = (
    "Exit codes: 0 ok or keep, 1 unexpected failure, 2 bad input, 3 target missing, 5 busy, "
    "10 not kept, 11 inconclusive. Every command takes --json."
)


def build_parser() -> argparse.ArgumentParser:
    """Build the parser with every command."""
    parser = argparse.ArgumentParser(
        prog="movejudge",
        description="Did that move help? Measured before/after verdicts for Ableton Live.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"movejudge {app_version()}")
    parser.add_argument(
        "--traceback", action="store_true", help="show where an unexpected failure happened"
    )
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


def _forget_stdout() -> None:
    # Without this, Python's own flush at exit would complain about the closed pipe again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; by default those of the process.

    Returns
    -------
    int
        Exit code.
    """
    args = build_parser().parse_args(argv)
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except MoveJudgeError as error:
        print(f"movejudge: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("movejudge: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _forget_stdout()
        return 0
    except Exception as error:
        if args.traceback:
            raise
        print(
            f"movejudge: unexpected failure: {type(error).__name__}: {error}; "
            "run again with --traceback first and report what it prints",
            file=sys.stderr,
        )
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
