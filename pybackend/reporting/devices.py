"""Analyzers as a person or a program sees them: accounts, newest readings, a live table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pybackend.metering.design import BAND_NAMES
from pybackend.reporting.terminal import table
from pybackend.stream.protocol import FRAME_COLUMNS, KIND_NAMES

if TYPE_CHECKING:
    from rich.table import Table

    from pybackend.stream.frames import Frames
    from pybackend.stream.intake import Device

NO_DEVICE_HINT: Final = (
    "nothing arrived on UDP port {port}; check that MoveJudge Analyzer is the last device on the "
    "master, that it is switched on, that Live's audio engine runs, and that the device's port is "
    "{port} (no device? try: movejudge demo)"
)
_BLOCKS: Final = " ▁▂▃▄▅▆▇█"
_BAND_FLOOR_DB: Final = -72.0


def device_name(device: Device) -> str:
    """Where the device sits, as it said."""
    if device.hello is None:
        return "unknown"
    kind = KIND_NAMES[device.hello.kind]
    return kind if device.hello.index < 0 else f"{kind} {device.hello.index + 1}"


def device_summary(device: Device) -> dict[str, Any]:
    """Accounts of one device, for JSON."""
    stats = device.stats
    return {
        "instance": device.instance,
        "track": device_name(device),
        "version": None if device.hello is None else list(device.hello.version),
        "sample_rate": stats.sample_rate_hz,
        "frames": stats.received,
        "lost": stats.lost,
        "loss": round(stats.loss, 6),
        "repeats": stats.repeats,
        "reordered": stats.reordered,
        "torn": stats.torn,
        "stalls": stats.stalls,
        "counter_restarts": stats.counter_restarts,
        "sample_rate_changes": stats.sample_rate_changes,
    }


def rejects_summary(rejects: Mapping[Any, int]) -> dict[str, int]:
    """Datagrams dropped by reason, for JSON."""
    return {str(reason): count for reason, count in sorted(rejects.items())}


def reading(frames: Frames) -> dict[str, Any]:
    """Newest reading of a device, for JSON; what it cannot say is null."""
    import numpy as np  # noqa: PLC0415

    from pybackend.metering.units import amplitude_db, power_db  # noqa: PLC0415

    row = frames.values[-1]

    def value(name: str) -> float:
        return float(row[FRAME_COLUMNS[name].start])

    bands = power_db(row[FRAME_COLUMNS["band_power"]])
    return {
        "momentary_lufs": round(value("lufs_m"), 2),
        "short_term_lufs": round(value("lufs_s"), 2),
        "true_peak_dbtp": round(float(amplitude_db(row[FRAME_COLUMNS["true_peak"]].max())), 2),
        "bands_db": {
            name: None if np.isnan(level) else round(float(level), 2)
            for name, level in zip(BAND_NAMES, bands, strict=True)
        },
        "tempo_bpm": value("tempo") or None,
        "song_beats": round(value("song_beats"), 3),
        "running": bool(frames.running[-1]),
    }


def band_bars(bands_db: Mapping[str, float | None]) -> str:
    """Nine bars, one character a band; a dot where a band is unavailable."""
    top = len(_BLOCKS) - 1
    return "".join(
        "·"
        if level is None
        else _BLOCKS[max(0, min(top, round((1.0 - level / _BAND_FLOOR_DB) * top)))]
        for level in bands_db.values()
    )


def live_table(rows: list[tuple[Device, dict[str, Any] | None, bool]]) -> Table:
    """One row per analyzer: what it says now, or that it stands still."""
    made = table("analyzer", "M", "S", "true peak", "bands", "tempo", "position", "lost", "state")
    for device, now, stale in rows:
        lost = f"{device.stats.loss:.1%}"
        if now is None:
            made.add_row(f"{device_name(device)} #{device.instance}", *[""] * 6, lost, "no frames")
            continue
        running = "playing" if now["running"] else "stopped"
        made.add_row(
            f"{device_name(device)} #{device.instance}",
            f"{now['momentary_lufs']:.1f}",
            f"{now['short_term_lufs']:.1f}",
            f"{now['true_peak_dbtp']:.1f}",
            band_bars(now["bands_db"]),
            "" if now["tempo_bpm"] is None else f"{now['tempo_bpm']:.1f}",
            f"{now['song_beats']:.1f}",
            lost,
            "stale" if stale else running,
        )
    return made
