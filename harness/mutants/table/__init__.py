"""All mutants, by the part of the node that they break."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.mutants.table import faces, inputs, loop, prompt, reading, results, strangers, tools

if TYPE_CHECKING:
    from harness.mutants import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *reading.MUTANTS,
    *inputs.MUTANTS,
    *loop.MUTANTS,
    *prompt.MUTANTS,
    *tools.MUTANTS,
    *results.MUTANTS,
    *faces.MUTANTS,
    *strangers.MUTANTS,
)
"""Every mutant, in the order of the table."""
