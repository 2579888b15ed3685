"""All mutants, by the part of the node that they break."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.mutants.table.faces import MUTANTS as FACES
from harness.mutants.table.inputs import MUTANTS as INPUTS
from harness.mutants.table.loop import MUTANTS as LOOP
from harness.mutants.table.prompt import MUTANTS as PROMPT
from harness.mutants.table.reading import MUTANTS as READING
from harness.mutants.table.results import MUTANTS as RESULTS
from harness.mutants.table.strangers import MUTANTS as STRANGERS
from harness.mutants.table.tools import MUTANTS as TOOLS

if TYPE_CHECKING:
    from harness.mutants import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *READING,
    *INPUTS,
    *LOOP,
    *PROMPT,
    *TOOLS,
    *RESULTS,
    *FACES,
    *STRANGERS,
)
"""Every mutant, in the order of the table."""
