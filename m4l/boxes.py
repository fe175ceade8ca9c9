"""Checks saved boxes against what Max saves: ports, required keys, parameters.

The keys were read from 178 public devices, see ``objects`` for the ports.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from m4l.objects import WIDGETS, Box, ObjectError, gen_inner_ports, ports_of, split_text

BOX_KEYS: Final = ("id", "maxclass", "numinlets", "numoutlets", "patching_rect")
"""Keys of every saved box; ``outlettype`` joins them where there are outlets."""

NEWOBJ_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "gen~": ("patcher",),
    "live.object": ("saved_object_attributes",),
    "live.observer": ("saved_object_attributes",),
    "node.script": ("saved_object_attributes", "textfile"),
}
"""Keys that typed objects need besides ``BOX_KEYS`` and ``text``."""

CODEBOX_KEYS: Final = ("code", "fontface", "fontname", "fontsize")

PARAMETER_KEYS: Final = ("parameter_longname", "parameter_shortname", "parameter_type")
"""Keys that ``saved_attribute_attributes.valueof`` has for every parameter."""

VALUEOF_KEYS: Final = frozenset(
    {
        "parameter_annotation_name",
        "parameter_button_mode",
        "parameter_defer",
        "parameter_enum",
        "parameter_exponent",
        "parameter_info",
        "parameter_initial",
        "parameter_initial_enable",
        "parameter_invisible",
        "parameter_linknames",
        "parameter_longname",
        "parameter_mapping_index",
        "parameter_mmax",
        "parameter_mmin",
        "parameter_modmode",
        "parameter_order",
        "parameter_shortname",
        "parameter_speedlim",
        "parameter_steps",
        "parameter_type",
        "parameter_units",
        "parameter_unitstyle",
    }
)
"""All keys that Max saves in ``valueof``."""

AUTOMATED, STORED_ONLY, HIDDEN = 0, 1, 2
"""Values of ``parameter_invisible``; the first is saved by leaving the key out."""

PATCHER_KEYS: Final = (
    "fileversion",
    "appversion",
    "classnamespace",
    "rect",
    "openrect",
    "default_fontsize",
    "gridsize",
    "boxanimatetime",
    "latency",
    "boxes",
    "lines",
    "project",
    "autosave",
)
"""Keys of the top patcher in all, or all but a few, public devices."""

PROJECT_KEYS: Final = (
    "version",
    "creationdate",
    "modificationdate",
    "viewrect",
    "autoorganize",
    "hideprojectwindow",
    "showdependencies",
    "autolocalize",
    "contents",
    "layout",
    "searchpath",
    "detailsvisible",
    "amxdtype",
    "readonly",
    "devpathtype",
    "devpath",
    "sortmode",
)
"""Keys of the patcher's ``project`` in all public devices; without it Max refuses the file."""


def box_problems(box: Box, *, inside_gen: bool = False) -> list[str]:
    """What is wrong with a saved box; an empty list when Max would save it so.

    Parameters
    ----------
    box : mapping
        The inner object of a saved box.
    inside_gen : bool
        Whether it stands in the patcher of a ``gen~``.
    """
    try:
        ports = gen_inner_ports(box) if inside_gen else ports_of(box)
    except ObjectError as error:
        return [str(error)]
    problems = [f"the key '{key}' is missing" for key in _required(box) if key not in box]
    for key, expected in (("numinlets", ports.inlets), ("numoutlets", len(ports.outlets))):
        if box.get(key) != expected:
            problems.append(f"{key} is {box.get(key)!r}, Max makes {expected}")
    saved = box.get("outlettype")
    if list(ports.outlets) != (saved if saved is not None else []) or saved == []:
        problems.append(f"outlettype is {saved!r}, Max saves {list(ports.outlets) or 'none'}")
    return problems + _parameter_problems(box)


def _required(box: Box) -> tuple[str, ...]:
    maxclass = box.get("maxclass")
    if maxclass == "codebox":
        return BOX_KEYS + CODEBOX_KEYS
    if maxclass == "newobj":
        return (*BOX_KEYS, "text", *NEWOBJ_KEYS.get(split_text(str(box["text"]))[0], ()))
    return BOX_KEYS + WIDGETS[str(maxclass)].required


def _parameter_problems(box: Box) -> list[str]:
    if not is_parameter(box):
        return []
    attributes = box.get("saved_attribute_attributes")
    values = attributes.get("valueof") if isinstance(attributes, Mapping) else None
    if not isinstance(values, Mapping):
        return ["a parameter without saved_attribute_attributes.valueof"]
    problems = [
        f"the parameter's '{key}' is missing" for key in PARAMETER_KEYS if key not in values
    ]
    unknown = sorted(set(values) - VALUEOF_KEYS)
    return problems + [f"Max knows no '{key}' in valueof" for key in unknown]


def is_parameter(box: Box) -> bool:
    """Whether Live sees the box as a parameter of the device."""
    return bool(box.get("parameter_enable"))


def may_enter_undo(box: Box) -> bool:
    """Whether a message to the box can end in Live's undo history: a parameter not hidden."""
    if not is_parameter(box):
        return False
    attributes = box.get("saved_attribute_attributes")
    values = attributes.get("valueof", {}) if isinstance(attributes, Mapping) else {}
    return int(values.get("parameter_invisible", AUTOMATED)) != HIDDEN
