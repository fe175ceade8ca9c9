"""What edits of known make do to what notes measure, and how often chance looks like a motif.

Prints the tables of docs/decisions/0010-notes-are-exact.md; run with ``-m benchmark -s``.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from pybackend.judgment.artistic.propagate import propagate, sides_of
from pybackend.judgment.composition.grid import Swing
from pybackend.judgment.composition.lines import read_lines
from pybackend.judgment.composition.measure import NOTE_DIMENSIONS, compare_scores, read_score
from pybackend.judgment.composition.motifs import find_motifs
from pybackend.judgment.composition.notes import snapshot_from
from pybackend.judgment.composition.survival import survival

pytestmark = pytest.mark.benchmark

PIECES = 100
RANDOM = 1000


@pytest.fixture(scope="module")
def pieces() -> ModuleType:
    name = "movejudge_composition_pieces"
    path = Path(__file__).parents[1] / "judgment" / "composition" / "pieces.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def edits(p: ModuleType) -> dict[str, Callable]:
    def rng(seed: int) -> np.random.Generator:
        return np.random.default_rng(50_000 + seed)

    pitched = ("lead", "chords", "bass")
    return {
        "the same notes played again": lambda x, s: p.edited(x, p.performed(rng(s))),
        "one note of the lead a semitone up": lambda x, s: p.edited(
            x, p.chromatic(rng(s), 1 / 48), "lead"
        ),
        "everything 3 semitones up": lambda x, s: p.edited(x, p.transposed(3), *pitched),
        "lead 3 semitones up": lambda x, s: p.edited(x, p.transposed(3), "lead"),
        "lead inverted": lambda x, s: p.edited(x, p.inverted, "lead"),
        "lead backwards": lambda x, s: p.edited(x, p.reversed_in_time, "lead"),
        "lead without a fifth of its notes": lambda x, s: p.edited(
            x, p.thinned(rng(s), 0.2), "lead"
        ),
        "15 % of all notes left out": lambda x, s: p.edited(x, p.thinned(rng(s), 0.15)),
        "half of all notes left out": lambda x, s: p.edited(x, p.thinned(rng(s), 0.5)),
        "quantised": lambda x, s: p.edited(x, p.quantised),
        "16ths swung to 54 %": lambda x, s: p.edited(x, p.swung(0.54)),
        "16ths swung to 60 %": lambda x, s: p.edited(x, p.swung(0.6)),
        "bass a 16th later": lambda x, s: p.edited(x, p.shifted(0.25), "bass"),
        "lead shuffled": lambda x, s: p.edited(x, p.shuffled(rng(s)), "lead"),
        "motif of the lead deleted": lambda x, s: p.edited(x, p.without_bars(0, 2, 4, 6), "lead"),
        "a third of the chord notes a semitone up": lambda x, s: p.edited(
            x, p.chromatic(rng(s), 0.33), "chords"
        ),
        "no lead and chords in the second half": lambda x, s: p.edited(
            x, p.without_bars(4, 5, 6, 7), "lead", "chords"
        ),
    }


def test_edits(pieces: ModuleType) -> None:
    head = ("edit", *(name.replace("_", " ") for name in NOTE_DIMENSIONS))
    print("\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for label, edit in edits(pieces).items():
        rows = []
        for seed in range(PIECES):
            rng = np.random.default_rng(seed)
            before = pieces.edited(pieces.piece(seed), pieces.performed(rng))
            sides = [read_score(snapshot_from(x, "")) for x in (before, edit(before, seed))]
            found = compare_scores(*sides).changes
            rows.append([found[n].change if n in found else np.nan for n in NOTE_DIMENSIONS])
        low, middle, high = np.nanpercentile(np.array(rows), (1, 50, 99), axis=0)
        cells = [
            f"{m:+.2f} ({a:+.2f} {b:+.2f})" if abs(a) + abs(b) >= 0.005 else "0"
            for a, m, b in zip(low, middle, high, strict=True)
        ]
        print(f"| {label} | " + " | ".join(cells) + " |", flush=True)


def random_piece(pieces: ModuleType, kind: str, seed: int) -> dict:
    rng = np.random.default_rng(seed)
    if kind == "a piece with drums":
        made = pieces.only(pieces.piece(seed, motif=False), "lead", "chords")
        return made | {"sections": []}
    count = int(rng.integers(24, 160))
    onsets = np.cumsum(rng.choice((0.25, 0.5, 0.5, 1.0), count))
    if kind == "random notes of a scale":
        pitches = rng.choice((60, 62, 64, 65, 67, 69, 71, 72), count)
    elif kind == "random notes, even rhythm":
        onsets = np.arange(count) / 2
        pitches = rng.choice((60, 62, 64, 65, 67, 69, 71, 72), count)
    else:
        pitches = np.clip(64 + np.cumsum(rng.choice((-2, -1, 1, 2), count)), 0, 127)
    notes = [pieces.note(p, s, 0.2) for s, p in zip(onsets, pitches, strict=True)]
    drums = kind == "random rhythm of drums"
    clip = {"id": "a", "end_beats": 160.0, "notes": notes}
    if drums:
        clip["notes"] = [{**n, "pitch": 36} for n in notes]
    return {"tracks": [{"kind": "drums" if drums else "pitched", "clips": [clip]}]}


def test_chance(pieces: ModuleType) -> None:
    print(
        "\n| music without motifs | pieces | a motif found % | mean coherence |\n|---|---|---|---|"
    )
    worst = 0.0
    for kind in (
        "random notes of a scale",
        "random notes, even rhythm",
        "a walk in small steps",
        "random rhythm of drums",
        "random bars over block chords",
    ):
        hits, coherence = 0, 0.0
        for seed in range(RANDOM):
            name = "a piece with drums" if kind == "random bars over block chords" else kind
            lines = read_lines(snapshot_from(random_piece(pieces, name, seed), ""), Swing())
            found = find_motifs(lines)
            hits += bool(found.found)
            coherence += found.coherence or 0.0
        print(f"| {kind} | {RANDOM} | {100 * hits / RANDOM:.1f} | {coherence / RANDOM:.3f} |")
        worst = max(worst, hits / RANDOM)
    assert worst < 0.07


def test_chance_of_survival(pieces: ModuleType) -> None:
    """What a motif is worth in a lead that has nothing to do with it."""
    values = []
    for seed in range(PIECES):
        before = pieces.only(pieces.piece(seed), "lead")
        other = pieces.only(pieces.piece(10_000 + seed, motif=False), "lead")
        one, two = (read_lines(snapshot_from(x, ""), Swing()) for x in (before, other))
        kept = survival(find_motifs(one), two).value
        if kept is not None:
            values.append(kept)
    print(f"\nsurvival in unrelated music: mean {np.mean(values):.3f}, n {len(values)}")


def test_power(pieces: ModuleType) -> None:
    print("\n| bars, the figure in every other | found % |\n|---|---|")
    for bars in (4, 6, 8, 12, 16):
        hits = 0
        for seed in range(PIECES):
            lead = pieces.only(pieces.piece(seed, bars), "lead")
            hits += bool(find_motifs(read_lines(snapshot_from(lead, ""), Swing())).found)
        print(f"| {bars} | {100 * hits / PIECES:.1f} |")


def test_coverage_of_propagated_intervals() -> None:
    """A hinge, a saturation and a straight line, in noise of 0.5 dB per bar and capture."""
    from dataclasses import replace

    synth = importlib.util.spec_from_file_location(
        "movejudge_judgment_synth", Path(__file__).parents[1] / "judgment" / "synth.py"
    )
    assert synth is not None
    assert synth.loader is not None
    module = importlib.util.module_from_spec(synth)
    sys.modules[synth.name] = module
    synth.loader.exec_module(module)
    from pybackend.judgment.features import bar_features

    moves = {"band_db": [0, 0, 0, 0, 0, 0, 2, 2, 2]}
    print(
        "\n| bars | captures | middle of the range | held by 90 % intervals % |\n|---|---|---|---|"
    )
    for bars in (8, 16):
        for captures in ((1, 1), (2, 2)):
            features = bar_features(
                module.comparison(7, n_bars=bars, captures=captures, moves=moves)
            )
            for offset in (0.0, 1.0, 2.0, 3.0):
                middle = float(sides_of(features, ("brightness",)).before[0]) + offset

                def bent(values, middle=middle):
                    beyond = np.maximum(0.0, np.abs(values[..., 0] - middle) - 0.5) / 2.0
                    return 1.0 - np.minimum(1.0, beyond)

                truth = propagate(bent, sides_of(features, ("brightness",))).change
                held = 0
                for seed in range(500):
                    rng = np.random.default_rng(seed)
                    noisy = features.x + rng.normal(0.0, 0.5, features.x.shape)
                    sides = sides_of(replace(features, x=noisy), ("brightness",))
                    found = propagate(bent, sides)
                    held += abs(found.change - truth) <= found.half_width + 1e-12
                print(
                    f"| {bars} | {captures[0]}, {captures[1]} | +{offset:g} dB | {held / 5:.1f} |"
                )
