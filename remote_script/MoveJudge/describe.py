"""Tables of the protocol in Markdown, made from the code that checks it.

Run as ``python -m MoveJudge.describe`` from the folder above to print them; Live never imports it.
"""

from __future__ import annotations

from .failure import CODES
from .operations import ARGUMENTS
from .properties import SETTABLE
from .schema import Items, Record
from .writes import WRITE


def _members(record: Record) -> str:
    parts = [f"`{name}`: {rule}" for name, rule in record.required.items()]
    parts += [f"`{name}`?: {rule}" for name, rule in record.optional.items()]
    text = "; ".join(parts) or "none"
    if record.one_of:
        text += f"; exactly one of {', '.join(record.one_of)}"
    return text.replace("|", "\\|")


def _short(record: Record) -> str:
    # References and writes have sections of their own.
    text = _members(record)
    for rule, name in _NAMED:
        text = text.replace(str(rule), name)
    return text


def _named() -> list[tuple[object, str]]:
    from .noterows import PATCH, ROWS
    from .references import CLIP, DEVICE, PARAMETER, SCENE, TRACK
    from .writes import ANY, WRITES

    return [
        (WRITES, "list of writes"),
        (PARAMETER, "*parameter*"),
        (CLIP, "*clip*"),
        (DEVICE, "*device*"),
        (SCENE, "*scene*"),
        (TRACK, "*track*"),
        (PATCH, "*patch*"),
        (ROWS, "list of *note rows*"),
        (ANY, "as below"),
    ]


_NAMED = _named()


def _references() -> list[str]:
    lines = []
    for rule, name in _NAMED[1:7]:
        text = str(rule)
        for other, other_name in _NAMED[1:7]:
            if other is not rule:
                text = text.replace(str(other), other_name)
        lines.append(f"| {name} | {text} |")
    row: Items = {name: rule for rule, name in _NAMED}["list of *note rows*"]  # type: ignore[assignment]
    return [*lines, f"| *note row* | {row.item} |"]


def tables() -> str:
    """Give the tables of operations, writes, properties, references and failure codes."""
    lines = [
        "### Operations",
        "",
        "| operation | writes | arguments | what it does |",
        "|---|---|---|---|",
    ]
    for name, (record, writes, purpose) in ARGUMENTS.items():
        lines.append(f"| `{name}` | {'yes' if writes else ''} | {_short(record)} | {purpose} |")
    lines += ["", "### Writes of a move", "", "| `write` | members |", "|---|---|"]
    for name, record in WRITE.records.items():
        lines.append(f"| `{name}` | {_short(record)} |")
    lines += ["", "### Properties", "", "| of | property | value |", "|---|---|---|"]
    for owner, properties in SETTABLE.items():
        for name, rule in properties.items():
            lines.append(f"| {owner} | `{name}` | {rule} |")
    lines += ["", "### References and rows", "", "| name | form |", "|---|---|", *_references()]
    lines += ["", "### Failure codes", "", "| code | send it again |", "|---|---|"]
    lines += [f"| `{code}` | {retry} |" for code, retry in CODES.items()]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    print(tables())
