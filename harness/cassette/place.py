"""Where cassettes are kept: one file for each scenario, model and epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from harness.cassette.drift import shown
from harness.cassette.file import EPOCH, CassetteError
from harness.llm import is_name

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX: Final = '.yaml'
MAX_EPOCHS: Final = 9_999


class Place(NamedTuple):
    """A cassette by what it holds: a scenario, a model and an epoch (from 1); `path` is the file."""

    path: Path
    scenario: str
    model: str
    epoch: int = 1

    @property
    def root(self) -> Path:
        """The folder of all cassettes."""
        return self.path.parents[2 if self.epoch_of_several else 1]

    @property
    def epoch_of_several(self) -> bool:
        """Whether the file is one of the epochs of a model, and not the one recording that there is."""
        return EPOCH.fullmatch(self.path.stem) is not None


def cassette_path(root: Path, scenario_id: str, model: str, epoch: int | None = None) -> Path:
    """Return where the cassette of a scenario with a model is kept.

    It is `<root>/<scenario id>/<model>.yaml`, or `<root>/<scenario id>/<model>/<epoch>.yaml` where there are several.

    Raises:
        CassetteError: a name does not fit a path, or the epoch is no number from 1 to `MAX_EPOCHS`.
    """
    for what, name in (('scenario', scenario_id), ('model', model)):
        if not is_name(name):
            hint = 'use letters, digits and . _ + -, at most 100, the first a letter or digit, no ..'
            raise CassetteError(root, f'{shown(name)} is no name for a {what}', hint=hint)
    if EPOCH.fullmatch(model):
        raise CassetteError(root, f'{shown(model)} is no name for a model', hint='a number alone is that of an epoch')
    if epoch is None:
        return root / scenario_id / f'{model}{SUFFIX}'
    if not 1 <= epoch <= MAX_EPOCHS:
        raise CassetteError(root, f'{epoch} is no epoch', hint=f'epochs are numbers from 1 to {MAX_EPOCHS}')
    return root / scenario_id / model / f'{epoch}{SUFFIX}'


def kept_path(root: Path, scenario_id: str, model: str, epoch: int) -> Path:
    """Return where the cassette of an epoch is, or has to be: that of a model recorded once is its epoch 1.

    Raises:
        CassetteError: as `cassette_path` does.
    """
    single = cassette_path(root, scenario_id, model)
    return single if epoch == 1 and single.exists() else cassette_path(root, scenario_id, model, epoch)


def cassettes_of(root: Path, scenario_id: str) -> list[Place]:
    """Return the cassettes of a scenario in the order of models and epochs.

    Raises:
        CassetteError: a file there has a name that no model or epoch can have.
    """
    folder = root / scenario_id
    found = [place_of(path) for pattern in ('[!.]*', '[!.]*/[!.]*') for path in folder.glob(pattern + SUFFIX)]
    for place in found:
        if place.root != root or place.path not in (
            cassette_path(root, scenario_id, place.model),
            cassette_path(root, scenario_id, place.model, place.epoch),
        ):
            hint = 'its place is <scenario id>/<model>.yaml or <scenario id>/<model>/<epoch>.yaml'
            raise CassetteError(place.path, 'this is no place for a cassette', hint=hint)
    return sorted(found, key=lambda place: (place.model, place.epoch, str(place.path)))


def place_of(path: Path) -> Place:
    """Return what a cassette holds, as its path says: a file that is called by a number is that of an epoch."""
    if EPOCH.fullmatch(path.stem):
        return Place(path, path.parent.parent.name, path.parent.name, int(path.stem))
    return Place(path, path.parent.name, path.stem)
