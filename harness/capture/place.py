"""A scenario and its cassette on disk: both or neither, and nothing that was there before is lost."""

from __future__ import annotations

import glob
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from harness.capture.behaviour import CaptureError
from harness.cassette import cassette_path, cassettes_of
from harness.files import leads_out
from harness.scenario.loading import scenario_paths
from harness.secrets.writing import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from harness.capture.make import Capture, Wanted

_DRAFT: Final = '.capture'
_BEFORE: Final = '.before'


def check_place(wanted: Wanted, model: str, *, force: bool) -> None:
    """Make sure that a new scenario may be written where it is wanted; with `force` it may replace an earlier one.

    Raises:
        CaptureError: something is there, or the place leads out of the folder.
        CassetteError: the id or the model is no name for a cassette, or something else is among the cassettes.
    """
    cassette = cassette_path(wanted.cassettes, wanted.id, model)
    for path, folder in ((wanted.path, wanted.root), (cassette, wanted.cassettes)):
        if leads_out(path, folder):
            raise CaptureError(f'{path}: a symbolic link leads out of {folder}: put the folder itself there')
    for path in scenario_paths(wanted.root):
        if path.stem == wanted.id and path != wanted.path:
            raise CaptureError(f'there is a scenario {wanted.id} already: {path}; choose another --id')
    others = [place.path for place in cassettes_of(wanted.cassettes, wanted.id) if place.path != cassette]
    if others:
        raise CaptureError(f'{wanted.id} has other recordings, which would not fit: {others[0]}; choose another --id')
    there = [path for path in (wanted.path, cassette) if path.exists()]
    if there and not force:
        raise CaptureError(f'{there[0]} is there already: choose another --id, or replace it with --force')


def recover(wanted: Wanted, model: str) -> None:
    """Undo what an earlier capture of this id left behind that was broken off.

    Raises:
        CassetteError: the id or the model is no name for a cassette.
        OSError: it cannot be undone.
    """
    undo(wanted.path, cassette_path(wanted.cassettes, wanted.id, model))


def put(found: Capture) -> None:
    """Write a scenario and its cassette.

    Both are written beside their places first and then moved there, the cassette before the scenario: a program that
    ends in between leaves no scenario without its cassette, and the next capture of this id begins with `undo`.

    Raises:
        SecretFound: something looks like a key; nothing was written.
        OSError: it cannot be written; everything is as it was.
    """
    scenario, cassette = found.path, found.cassette
    made = [folder for folder in (scenario.parent, cassette.parent, cassette.parent.parent) if not folder.exists()]
    try:
        for path, text in ((cassette, found.tape), (scenario, found.text)):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(_beside(path, _DRAFT), text)
        for path in (scenario, cassette):
            if path.exists():
                path.replace(_beside(path, _BEFORE))
        for path in (cassette, scenario):
            _beside(path, _DRAFT).replace(path)
    except BaseException:
        undo(scenario, cassette)
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise
    for path in (scenario, cassette):
        _beside(path, _BEFORE).unlink(missing_ok=True)


def undo(scenario: Path, cassette: Path) -> None:
    """Undo a capture that was broken off: what was there before is there again.

    The draft of the scenario goes last where all goes well, so its being there says that it did not, and a cassette
    without a draft is a new one then. Each step leaves a state that this function can begin with again.
    """
    draft, tape = _beside(scenario, _DRAFT), _beside(cassette, _DRAFT)
    if draft.exists():
        if not tape.exists() and cassette.exists():
            cassette.replace(tape)
        for path in (cassette, scenario):
            if _beside(path, _BEFORE).exists():
                _beside(path, _BEFORE).replace(path)
    # Drafts that were being written; their names are those of `write_whole`.
    begun = [path for one in (draft, tape) for path in one.parent.glob(f'.{glob.escape(one.name)}.*.tmp')]
    for leftover in (draft, tape, _beside(scenario, _BEFORE), _beside(cassette, _BEFORE), *begun):
        leftover.unlink(missing_ok=True)


def _beside(path: Path, kind: str) -> Path:
    return path.with_name(f'.{path.name}{kind}')
