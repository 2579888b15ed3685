"""Secrets: no key gets into a cassette, a results store, a report, or on the console.

One rule for everything that leaves the program: what looks like a key is masked with `***`; what still looks like one
when a file is to be written is refused, and the file is as it was.
"""

from __future__ import annotations

from harness.secrets.guard import Guard, SecretFound
from harness.secrets.known import Known
from harness.secrets.shapes import Spot
from harness.secrets.values import MASK

__all__ = ['MASK', 'Guard', 'Known', 'SecretFound', 'Spot']
