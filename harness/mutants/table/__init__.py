"""All mutants, by the part of the node that they break."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.mutants.table.doors import MUTANTS as DOORS
from harness.mutants.table.equivalent import MUTANTS as EQUIVALENT
from harness.mutants.table.faces import MUTANTS as FACES
from harness.mutants.table.fences import MUTANTS as FENCES
from harness.mutants.table.guard import MUTANTS as GUARD
from harness.mutants.table.inputs import MUTANTS as INPUTS
from harness.mutants.table.labels import MUTANTS as LABELS
from harness.mutants.table.loop import MUTANTS as LOOP
from harness.mutants.table.notations import MUTANTS as NOTATIONS
from harness.mutants.table.observations import MUTANTS as OBSERVATIONS
from harness.mutants.table.prompt import MUTANTS as PROMPT
from harness.mutants.table.results import MUTANTS as RESULTS
from harness.mutants.table.settings import MUTANTS as SETTINGS
from harness.mutants.table.steps import MUTANTS as STEPS
from harness.mutants.table.strangers import MUTANTS as STRANGERS
from harness.mutants.table.tools import MUTANTS as TOOLS

if TYPE_CHECKING:
    from harness.mutants import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *LABELS,
    *FENCES,
    *STEPS,
    *INPUTS,
    *NOTATIONS,
    *LOOP,
    *GUARD,
    *PROMPT,
    *TOOLS,
    *OBSERVATIONS,
    *RESULTS,
    *DOORS,
    *FACES,
    *SETTINGS,
    *STRANGERS,
    *EQUIVALENT,
)
"""Every mutant, in the order of the table; those that are equivalent are the last."""
