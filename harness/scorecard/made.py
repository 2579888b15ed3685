"""A scorecard with all that can be had for it: what llama-index's parser would make of each turn, prices, the date."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from harness.matrix.models import models_of
from harness.metrics.spending import prices_of
from harness.scenario.register import load_register
from harness.scorecard.build import build_scorecard
from harness.scorecard.page import write_page
from harness.verdicts.library import LibraryParser, NoLibrary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harness.gate.diff import Store
    from harness.matrix.models import Models
    from harness.scenario.loading import ScenarioFile
    from harness.scenario.register import Requirement
    from harness.scorecard.build import Scorecard

NO_MODEL: Final = 'there is no run of a model'


def scorecard_of(
    stores: Sequence[Path | Store],
    files: Sequence[ScenarioFile],
    register: Sequence[Requirement],
    *,
    models: Models | None = None,
    left_out: str = '',
    **options: Any,
) -> Scorecard:
    """Return the scorecard of results stores, see `build_scorecard`, which the other options go to.

    `models` is the file of models, with their prices and the names that servers know them by. `left_out` is the reason
    why llama-index's own parser is not asked, where it is not.

    Raises:
        ResultsError: a store cannot be used.
        UsageError: the stores do not belong together, or are empty.
        SecretFound: something looks like a key.
    """
    with LibraryParser() as library:
        reason = left_out
        if not reason:
            try:
                library.begin()
            except NoLibrary as error:
                reason = str(error)
        return build_scorecard(
            stores,
            files,
            register,
            corrupts=None if reason else library.would_corrupt,
            not_asked=reason,
            moment=set_moment(),
            prices=prices_of(models),
            served={entry.name: entry.model or entry.name for entry in models.models} if models is not None else None,
            **options,
        )


class Around(NamedTuple):
    """What stands beside the scenarios of a suite: its requirements, and what is planned with models."""

    register: tuple[Requirement, ...]
    models: Models | None


def around(scenarios: Path, cassettes: Path) -> Around:
    """Read what stands beside scenarios; that is done before a run, so that no mistake in it costs one.

    Raises:
        FileError: the register of requirements or the file of models is not in order.
    """
    return Around(load_register(scenarios), models_of(cassettes))


def write_scorecard(path: Path, made: Store, files: Sequence[ScenarioFile], beside: Around, **options: Any) -> None:
    """Write the scorecard of runs that were just made.

    Raises:
        SecretFound: something looks like a key; the old file is as it was.
        OSError: it cannot be written.
    """
    results = list(made.results)
    found = scorecard_of(
        [made._replace(results=results)],
        files,
        beside.register,
        models=beside.models,
        left_out='' if any(result.record.model for result in results) else NO_MODEL,
        **options,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_page(path, found.html)


def set_moment() -> datetime | None:
    """Return the moment that `SOURCE_DATE_EPOCH` names, for pages that are the same byte for byte."""
    fixed = os.environ.get('SOURCE_DATE_EPOCH')
    return datetime.fromtimestamp(int(fixed), UTC) if fixed else None
