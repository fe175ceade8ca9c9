"""``Application`` and ``Application.View``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pybackend.studio.live.arguments import INT, TEXT
from pybackend.studio.live.declaring import calling, fixed, reading
from pybackend.studio.live.lom.common import LomObject, child
from pybackend.studio.live.vectors import ObjectVector, StringVector

if TYPE_CHECKING:
    from typing import Any


class ApplicationView(LomObject):
    """``Application.View``."""

    __slots__ = ()

    focused_document_view = fixed(lambda _: "Session", listen=True)
    browse_mode = fixed(lambda _: False, listen=True)

    @calling(changes=False)
    def available_main_views(self) -> StringVector:
        """Names of the views."""
        return StringVector(("Browser", "Arranger", "Session", "Detail", "Detail/Clip"))


class Application(LomObject):
    """The program."""

    __slots__ = ()

    view = child("view")
    open_dialog_count = fixed(lambda obj: len(obj._node["dialogs"]), listen=True)
    current_dialog_button_count = fixed(lambda obj: 3 if obj._node["dialogs"] else 0)
    average_process_usage = fixed(lambda obj: obj._node["usage"], listen=True, since=(11, 1, 0))
    peak_process_usage = fixed(lambda obj: obj._node["usage"], listen=True, since=(11, 1, 0))
    control_surfaces = fixed(lambda _: ObjectVector(), listen=True)

    @reading()
    def current_dialog_message(self) -> str:
        """Text of the newest dialog."""
        dialogs = self._node["dialogs"]
        return str(dialogs[-1]) if dialogs else ""

    @calling(changes=False)
    def get_major_version(self) -> int:
        """First number of the version."""
        return int(self._rt.live.version[0])

    @calling(changes=False)
    def get_minor_version(self) -> int:
        """Second number of the version."""
        return int(self._rt.live.version[1])

    @calling(changes=False)
    def get_bugfix_version(self) -> int:
        """Third number of the version."""
        return int(self._rt.live.version[2])

    @calling(changes=False, since=(11, 3, 2))
    def get_version_string(self) -> str:
        """The whole version."""
        return self._rt.live.text

    @calling(changes=False, since=(12, 0, 0))
    def get_build_id(self) -> str:
        """Which build."""
        return "studio"

    @calling(changes=False, since=(12, 0, 0))
    def get_variant(self) -> str:
        """Which edition."""
        return "Suite"

    @calling(TEXT, changes=False)
    def has_option(self, option_name: str) -> bool:
        """Whether Options.txt has an entry."""
        del option_name
        return False

    @calling(changes=False)
    def get_document(self) -> Any:
        """The set."""
        return self._rt.wrap(self._world.song)

    @calling(INT)
    def press_current_dialog_button(self, index: int) -> None:
        """Close the dialog."""
        dialogs = self._node["dialogs"]
        if not dialogs or not 0 <= index < 3:
            raise RuntimeError("There is no such button")
        self._world.put(self._node, "dialogs", dialogs[:-1], tracked=False, says=_count(self))


def _count(obj: Any) -> tuple[tuple[Any, str], ...]:
    """Name what notifies when a dialog comes or goes."""
    return ((obj._node, "open_dialog_count"),)
