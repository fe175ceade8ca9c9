"""What is known of a move, and the artistic dimensions from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pybackend.judgment.artistic.distinct import distinctiveness
from pybackend.judgment.artistic.history import Action, History
from pybackend.judgment.artistic.packet import FROM_NOTES, TEMPO, ConceptPacket
from pybackend.judgment.artistic.restraint import Inventory, restraint
from pybackend.judgment.artistic.result import ArtisticResult, of_sides, unavailable
from pybackend.judgment.artistic.sound_sections import sound_contrast
from pybackend.judgment.artistic.style import style_fit
from pybackend.judgment.artistic.surprise import surprise
from pybackend.judgment.composition.measure import Difference, compare_scores, read_score
from pybackend.judgment.composition.notes import NoteSnapshot, Section
from pybackend.judgment.goal import GoalVector
from pybackend.judgment.protect import Status
from pybackend.judgment.tags import DEFAULT_NOVELTY_BUDGET

if TYPE_CHECKING:
    from pybackend.judgment.features import BarFeatures


@dataclass(frozen=True, slots=True, eq=False)
class ArtisticInputs:
    """What is known of a move. Whatever is missing makes what needs it unavailable.

    Parameters
    ----------
    packet : ConceptPacket, optional
        What the result is meant to be like.
    features : BarFeatures, optional
        Sound before and after, from `bar_features`.
    before_notes, after_notes : NoteSnapshot, optional
        Notes and sections on either side.
    sections, first_bar
        Sections of the song, and its bar in which the captures of ``features`` start.
    history : History, optional
        Earlier results.
    actions : tuple of Action, optional
        What the move did.
    inventory : Inventory, optional
        What it added. Note density and loudness are filled in from notes and sound.
    protects : mapping of str to {"safe", "violated", "unproven"}
        What became of the technical protects.
    novelty_budget : float, optional
        By default that of the packet, or 0.5.
    """

    packet: ConceptPacket | None = None
    features: BarFeatures | None = None
    before_notes: NoteSnapshot | None = None
    after_notes: NoteSnapshot | None = None
    sections: tuple[Section, ...] = ()
    first_bar: int = 0
    history: History | None = None
    actions: tuple[Action, ...] | None = None
    inventory: Inventory | None = None
    protects: Mapping[str, Status] = field(default_factory=dict)
    novelty_budget: float | None = None

    @property
    def budget(self) -> float:
        """Novelty that is wanted."""
        if self.novelty_budget is not None:
            return self.novelty_budget
        return DEFAULT_NOVELTY_BUDGET if self.packet is None else self.packet.novelty_budget


def difference_of(inputs: ArtisticInputs) -> Difference | None:
    """Changes that notes show, if there are notes on both sides."""
    if inputs.before_notes is None or inputs.after_notes is None:
        return None
    return compare_scores(read_score(inputs.before_notes), read_score(inputs.after_notes))


def results_of(
    goal: GoalVector, inputs: ArtisticInputs, difference: Difference | None
) -> dict[str, ArtisticResult]:
    """All six dimensions, each from what it needs.

    Parameters
    ----------
    goal : GoalVector
        Its mode says how much may be added.
    inputs : ArtisticInputs
        What is known.
    difference : Difference, optional
        From `difference_of`.
    """
    if inputs.packet is None:
        style = unavailable("style_fit", "no concept packet was given")
    else:
        style = style_fit(inputs.packet, inputs.features, _exact(inputs, difference))
    if inputs.history is None:
        distinct = unavailable("distinctiveness", "no history of earlier results was given")
    else:
        distinct = distinctiveness(inputs.history, inputs.features, inputs.actions)
    motifs = _motifs(difference)
    held = restraint(_inventory(inputs, difference), inputs.protects, goal.mode, inputs.budget)
    results = (
        style,
        distinct,
        motifs,
        _sections(inputs, difference),
        held,
        surprise(distinct, style, motifs, held, inputs.budget),
    )
    return {result.name: result for result in results}


def _exact(inputs: ArtisticInputs, difference: Difference | None) -> dict[str, tuple[float, float]]:
    known: dict[str, tuple[float, float]] = {}
    if difference is not None:
        for name in FROM_NOTES:
            if name in difference.changes:
                change = difference.changes[name]
                known[name] = (change.before, change.after)
    sides = inputs.before_notes, inputs.after_notes
    tempi = [side.tempo_bpm for side in sides if side is not None and side.tempo_bpm is not None]
    if len(tempi) == 2:
        known[TEMPO] = (tempi[0], tempi[1])
    return known


def _motifs(difference: Difference | None) -> ArtisticResult:
    name = "motif_coherence"
    if difference is None:
        return unavailable(name, "no notes were given on both sides")
    kept = difference.changes.get("motif_survival")
    if kept is None:
        return unavailable(name, difference.missing["motif_survival"])
    change = difference.changes[name]
    return of_sides(
        name,
        change,
        value=(kept.after, kept.after, kept.after),
        evidence=difference.evidence.get("motif_survival", ()),
    )


def _sections(inputs: ArtisticInputs, difference: Difference | None) -> ArtisticResult:
    name = "section_contrast"
    heard = None
    if inputs.features is not None and inputs.sections:
        heard = sound_contrast(inputs.features, inputs.first_bar, inputs.sections)
        if heard.state != "unavailable":
            return heard
    if difference is not None and name in difference.changes:
        lines = ("structural only: from the notes, not from sound", *difference.evidence[name])
        return of_sides(name, difference.changes[name], coverage=0.5, evidence=lines)
    if heard is not None:
        return heard
    return unavailable(name, "neither sound nor notes of two sections were given")


def _inventory(inputs: ArtisticInputs, difference: Difference | None) -> Inventory | None:
    """Inventory, with what notes and sound tell where it does not say."""
    if inputs.inventory is None:
        return None
    found: dict[str, float] = {}
    density = None if difference is None else difference.changes.get("density")
    if inputs.inventory.density_doublings is None and density is not None:
        found["density_doublings"] = density.change
    if inputs.inventory.level_lu is None and inputs.features is not None:
        levels, n = inputs.features.k_level_lufs, inputs.features.n_before
        found["level_lu"] = float(levels[n:].mean() - levels[:n].mean())
    return inputs.inventory.model_copy(update=found)
