"""The edge of the outputs: which files are wanted, and writing them, each as a whole or not at all."""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING, NamedTuple

from harness.outputs.junit import junit_xml
from harness.outputs.sarif import sarif_text
from harness.outputs.summary_page import summary_page
from harness.scenario.register import load_register
from harness.secrets.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.outputs.places import Places
    from harness.show.summary import Judged, Summary


class Files(NamedTuple):
    """The files that are wanted; None for those that are not."""

    junit: Path | None = None
    junit_places: bool = False
    sarif: Path | None = None
    page: Path | None = None


def write_files(
    files: Files, summary: Summary, judged: Sequence[Judged], scenarios: Path, places: Places
) -> Iterator[tuple[str, Path]]:
    """Write the files that are wanted and yield each with what it is; `scenarios` is the folder that has the register.

    Raises:
        FileError: the register of requirements is broken.
        SecretFound: something in a file would look like a key; it is not written.
        OSError: a file cannot be written.
    """
    if files.junit is not None:
        _write(files.junit, junit_xml(summary, places=files.junit_places))
        yield 'JUnit', files.junit
    if files.sarif is not None:
        _write(files.sarif, _sarif(summary, judged, scenarios, places))
        yield 'SARIF', files.sarif
    if files.page is not None:
        _write(files.page, summary_page(summary, places))
        yield 'Summary', files.page


def _sarif(summary: Summary, judged: Sequence[Judged], folder: Path, places: Places) -> str:
    ran = (item.scenario for item in judged)
    register, version = load_register(folder), importlib.metadata.version('react-harness')
    return sarif_text(summary, ran, places=places, register=register, version=version)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
