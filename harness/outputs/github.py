"""A step of a GitHub Actions job: the files through which it speaks to the job, and its log."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.outputs.summary_page import LIMIT, summary_page
from harness.outputs.words import plain
from harness.scenario.loading import UsageError
from harness.secrets import Guard
from harness.show.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.outputs.places import Places
    from harness.show.summary import Summary

_PAGE: Final = 1024 * 1024
"""Bytes that GitHub takes of one step; more, and it shows none of them."""


@dataclass(frozen=True)
class Step:
    """The step that this process is: `page` and `outputs` are the files that it may append to.

    Between `silence` and `speech`, printed once each, nothing that is printed is a command to the runner, whoever
    wrote it; nobody can guess the word that ends it.
    """

    page: Path
    outputs: Path
    token: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def silence(self) -> str:
        """The command behind which the runner obeys nothing."""
        return f'::stop-commands::{self.token}'

    @property
    def speech(self) -> str:
        """The command behind which the runner obeys again."""
        return f'::{self.token}::'

    def add_page(self, summary: Summary, places: Places) -> bool:
        """Append the summary page; return whether there was room for it behind what the step had written before.

        Raises:
            SecretFound: something in it looks like a key; nothing is written.
            OSError: the file cannot be written.
        """
        room = _PAGE - (self.page.stat().st_size if self.page.exists() else 0)
        text = summary_page(summary, places, min(LIMIT, room))
        if len(text.encode()) > room:
            return False
        _append(self.page, text)
        return True

    def set_outputs(self, values: Mapping[str, str | int]) -> None:
        """Append outputs of the step, each on one line.

        Raises:
            SecretFound: something in it looks like a key; nothing is written.
            OSError: the file cannot be written.
        """
        _append(self.outputs, ''.join(f'{name}={plain(one_line(str(value)))}\n' for name, value in values.items()))


def this_step(env: Mapping[str, str]) -> Step:
    """Return the step that this process is.

    Raises:
        UsageError: it is none.
    """
    missing = [name for name in ('GITHUB_STEP_SUMMARY', 'GITHUB_OUTPUT') if not env.get(name)]
    if missing:
        raise UsageError(
            f'--github is for a step of a GitHub Actions job, and {" and ".join(missing)} is not set here: '
            'write the page to a file with --step-summary'
        )
    return Step(Path(env['GITHUB_STEP_SUMMARY']), Path(env['GITHUB_OUTPUT']))


def _append(path: Path, text: str) -> None:
    Guard.of_environment().check(text, str(path))
    with path.open('ab') as file:  # in one call, so that nothing else comes between
        file.write(text.encode())
