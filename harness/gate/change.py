"""One run seen twice: the state it was in, the signatures of its findings, and what became of it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from pydantic import Field

from harness.gate.steady import steady, steady_text
from harness.record import Frozen
from harness.show.visible import clip, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

Level = Literal['required', 'hardening']
State = Literal['met', 'failed', 'not_judged']
Change = Literal['same', 'new', 'fixed', 'regressed', 'changed', 'unjudged', 'gone']
Effect = Literal['none', 'fail', 'inconclusive']

_MAX_MESSAGE: Final = 200


class RunKey(NamedTuple):
    """What makes a run the same one in two places: the scenario, the recorded model (empty: scripted), the number."""

    scenario: str
    model: str
    run: int


class RunState(Frozen):
    """How a run was judged: its state, and the signatures of its findings, sorted."""

    state: State
    findings: tuple[str, ...] = ()


class RunChange(Frozen):
    """One run that is not as it was."""

    scenario: str = Field(description='The id of the scenario.')
    model: str | None = Field(default=None, description='The recorded model; null for a scripted model side.')
    run: int = Field(default=1, ge=1, description='The n-th run of the scenario with this model side, from 1.')
    level: str = Field(description='The level of the scenario; of one that is gone, the level it had.')
    change: Change = Field(
        description='new: not there before; fixed: it meets its expectations now; regressed: it does not any more; '
        'changed: it fails, but not as before; unjudged: it was judged before and is not now; gone: not there now.'
    )
    effect: Effect = Field(description='What this does to the verdict.')
    before: State | None = Field(default=None, description='The state it was in; null where it was not there.')
    after: State | None = Field(default=None, description='The state it is in; null where it is not there.')
    appeared: tuple[str, ...] = Field(default=(), description='The signatures of findings that were not there before.')
    went: tuple[str, ...] = Field(default=(), description='The signatures of findings that are not there any more.')


class ChangeCounts(Frozen):
    """How many runs became what."""

    same: int = Field(default=0, description='Runs that were judged as before.')
    known: int = Field(default=0, description='Those of them that still do not meet their expectations.')
    new: int = 0
    fixed: int = 0
    regressed: int = 0
    changed: int = 0
    unjudged: int = 0
    gone: int = 0


class Comparison(Frozen):
    """A suite against its baseline."""

    file: str = Field(description='The baseline.')
    counts: ChangeCounts
    changes: tuple[RunChange, ...] = Field(description='The runs that are not as in the baseline.')


def signature(key: str, message: str, actual: Any) -> str:
    """Return a finding as one line that stays the same as long as the node fails in the same way.

    It holds the keys of the expectation, the message, and a mark of the value that came; ids, times and addresses of
    objects, which no two runs share, do not count.
    """
    text = one_line(f'{key}: {clip(steady_text(message), _MAX_MESSAGE)}')
    if actual is None:
        return text
    value = json.dumps(steady(actual), sort_keys=True)
    return f'{text} [{hashlib.sha256(value.encode()).hexdigest()[:8]}]'


def change_of(before: RunState | None, after: RunState | None) -> Change:
    """Return what became of a run, of which at least one side is there."""
    if before is None:
        return 'new'
    if after is None:
        return 'gone'
    if before == after:
        return 'same'
    if after.state == 'met':
        return 'fixed'
    if after.state == 'not_judged':
        return 'unjudged'
    return 'regressed' if before.state == 'met' else 'changed'


def moved(before: RunState | None, after: RunState | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the signatures that appeared and those that went, sorted."""
    old, new = (Counter(side.findings if side else ()) for side in (before, after))
    return tuple(sorted((new - old).elements())), tuple(sorted((old - new).elements()))


def run_change(
    key: RunKey, level: str, before: RunState | None, after: RunState | None, effect: Effect = 'none'
) -> RunChange:
    """Return what became of a run, of which at least one side is there."""
    appeared, went = moved(before, after)
    return RunChange(
        scenario=key.scenario,
        model=key.model or None,
        run=key.run,
        level=level,
        change=change_of(before, after),
        effect=effect,
        before=before.state if before is not None else None,
        after=after.state if after is not None else None,
        appeared=appeared,
        went=went,
    )


def count_changes(changes: Iterable[Change], known: int = 0) -> ChangeCounts:
    """Count what became of runs; `known` is how many of the same ones do not meet their expectations."""
    return ChangeCounts.model_validate({**Counter(changes), 'known': known})
