"""Two results stores side by side: which runs are not as they were, and what of the things they depend on differs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from pydantic import AwareDatetime, Field

from harness.gate.baseline import baseline_run
from harness.gate.change import Change, ChangeCounts, Level, RunKey, State, change_of, moved
from harness.gate.course import Parting, course_of, doors_that_differ, parting
from harness.record import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.results import Header, StoredResult

DIFF_VERSION: Final = 1
Fact = Literal['node', 'platform', 'versions', 'scenario', 'expectations', 'cassette']
Cause = Literal['node', 'platform', 'versions', 'scenario', 'expectations', 'cassette', 'model', 'tools', 'unknown']


class Side(Frozen):
    """One of the two stores."""

    file: str = Field(description='The store.')
    node: str = Field(description='The name of the node.')
    node_digest: str = Field(description='The digest of the files of the node.')
    platform: str = Field(description='The engine side: the stand-in, or the real rocketlib.')
    suite: str = Field(description='The digest of the scenarios.')
    created: AwareDatetime = Field(description='When the store was begun.')
    runs: int = Field(description='How many runs there are; of one that is there twice, the last one counts.')


class NodeFile(Frozen):
    """A file of the node that is not as it was."""

    file: str = Field(description='The path in the folder of the node.')
    change: Literal['added', 'removed', 'changed']


class VersionChange(Frozen):
    """A library, or Python, in another version; null where it is not there."""

    name: str
    before: str | None = None
    after: str | None = None


class RunDiff(Frozen):
    """One run that is not as it was, and why."""

    scenario: str = Field(description='The id of the scenario.')
    model: str | None = Field(default=None, description='The recorded model; null for a scripted model side.')
    run: int = Field(default=1, ge=1, description='The n-th run of the scenario with this model side, from 1.')
    level: Level = Field(description='The level of the scenario.')
    change: Change | Literal['differs'] = Field(
        description='new: only in the second store; gone: only in the first; fixed: it meets its expectations now; '
        'regressed: it does not any more; changed: it fails, but not as before; unjudged: it was judged before and is '
        'not now; differs: it is judged as before, but something else passed through a door.'
    )
    before: State | None = Field(default=None, description='The state it was in; null where it was not there.')
    after: State | None = Field(default=None, description='The state it is in; null where it is not there.')
    appeared: tuple[str, ...] = Field(default=(), description='The signatures of findings that were not there before.')
    went: tuple[str, ...] = Field(default=(), description='The signatures of findings that are not there any more.')
    facts: tuple[Fact, ...] = Field(default=(), description='What the run depends on and is not as it was.')
    doors: tuple[str, ...] = Field(default=(), description='The doors through which something else passed.')
    first: Parting | None = Field(default=None, description='Where the two runs part; null where they do not.')
    causes: tuple[Cause, ...] = Field(
        default=(),
        description='Which of the facts can have caused it, judged by where the runs part. model: the same prompt was '
        'answered in another way; tools: a tool gave something else; unknown: nothing in the stores explains it.',
    )
    problem: str = Field(default='', description='Why the run could not be judged now, or empty.')


class DiffCounts(ChangeCounts):
    """How many runs became what."""

    differs: int = 0


class Diff(Frozen):
    """What `react-harness diff --json` prints."""

    version: Literal[1] = DIFF_VERSION
    before: Side
    after: Side
    node_files: tuple[NodeFile, ...] = Field(description='The files of the node that are not as they were.')
    versions: tuple[VersionChange, ...] = Field(description='Python and libraries in another version.')
    counts: DiffCounts
    runs: tuple[RunDiff, ...] = Field(description='The runs that are not as they were.')


class Store(NamedTuple):
    """A store that was read: its file, its header, its results."""

    file: str
    head: Header
    results: Iterable[StoredResult]


def diff_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what `react-harness diff --json` prints."""
    schema = Diff.model_json_schema(mode='serialization')
    return {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        '$id': f'urn:react-harness:diff:{DIFF_VERSION}',
        **schema,
        'title': 'Difference of two results stores',
    }


def diff_of(before: Store, after: Store) -> Diff:
    """Return what differs between two stores; the runs stand in the order of the second one, those that are gone last.

    Raises:
        ResultsError: a line of a store is no result.
    """
    old, new = ({_key(result): result for result in store.results} for store in (before, after))
    common = tuple(_common_facts(before.head, after.head))
    keys = [*new, *(key for key in old if key not in new)]
    scenarios = {key.scenario for key in old} & {key.scenario for key in new}
    runs = [_run_diff(key, old.get(key), new.get(key), common, key.scenario in scenarios) for key in keys]
    changed = tuple(run for run in runs if run.change != 'same')
    return Diff(
        before=_side(before, len(old)),
        after=_side(after, len(new)),
        node_files=tuple(_node_files(before.head.node_files, after.head.node_files)),
        versions=tuple(_versions(before.head.versions, after.head.versions)),
        counts=DiffCounts.model_validate(
            {
                **Counter(run.change for run in runs),
                'known': sum(run.change == 'same' and run.after != 'met' for run in runs),
            }
        ),
        runs=changed,
    )


def _key(result: StoredResult) -> RunKey:
    return RunKey(result.record.scenario, result.record.model or '', result.record.epoch)


def _side(store: Store, runs: int) -> Side:
    head = store.head
    return Side(
        file=store.file,
        node=head.node,
        node_digest=head.node_digest,
        platform=head.platform,
        suite=head.suite,
        created=head.created,
        runs=runs,
    )


def _node_files(before: dict[str, str], after: dict[str, str]) -> Iterator[NodeFile]:
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield NodeFile(file=name, change='removed')
        elif name not in before:
            yield NodeFile(file=name, change='added')
        elif before[name] != after[name]:
            yield NodeFile(file=name, change='changed')


def _versions(before: dict[str, str], after: dict[str, str]) -> Iterator[VersionChange]:
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield VersionChange(name=name, before=before.get(name), after=after.get(name))


def _common_facts(before: Header, after: Header) -> Iterator[Fact]:
    if (before.node, before.node_digest) != (after.node, after.node_digest):
        yield 'node'
    if before.platform != after.platform:
        yield 'platform'
    if before.versions != after.versions:
        yield 'versions'


def _own_facts(before: StoredResult, after: StoredResult) -> Iterator[Fact]:
    if before.asked != after.asked:
        yield 'scenario'
    if before.expected != after.expected:
        yield 'expectations'
    if before.cassette != after.cassette:
        yield 'cassette'


def _run_diff(
    key: RunKey, before: StoredResult | None, after: StoredResult | None, common: tuple[Fact, ...], shared: bool
) -> RunDiff:
    old, new = (baseline_run(side).judged if side is not None else None for side in (before, after))
    appeared, went = moved(old, new)
    found = RunDiff(
        scenario=key.scenario,
        model=key.model or None,
        run=key.run,
        level=_level(before, after),
        change=change_of(old, new),
        before=old.state if old is not None else None,
        after=new.state if new is not None else None,
        appeared=appeared,
        went=went,
        problem=(after.problem or '') if after is not None else '',
    )
    if before is None or after is None:
        # A scenario of both stores has another run where there is another cassette, or where it asks more often.
        cause: Cause = 'cassette' if shared and key.model and key.run == 1 else 'scenario'
        return found.model_copy(update={'causes': (cause,)})
    courses = course_of(before.record), course_of(after.record)
    first = parting(*courses)
    if found.change == 'same' and first is None:
        return found
    facts = (*common, *_own_facts(before, after))
    alike = found.change == 'same'
    return found.model_copy(
        update={
            'change': 'differs' if alike else found.change,
            'facts': facts,
            'doors': doors_that_differ(*courses),
            'first': first,
            'causes': causes_of(facts, first, alike, 'not_judged' in (found.before, found.after)),
        }
    )


def _level(before: StoredResult | None, after: StoredResult | None) -> Level:
    either = after or before
    if either is None:
        raise AssertionError('one side is always there')
    return either.level


def causes_of(
    facts: tuple[Fact, ...], first: Parting | None, alike: bool = False, unjudged: bool = False
) -> tuple[Cause, ...]:
    """Return which facts can have caused that a run is not as it was, judged by where the two runs part.

    A prompt, a call or a payload is made by the node out of what it was asked; what a model said comes from the
    cassette or the script; what is judged in another way (not `alike`) although nothing else passed is expected in
    another way. A run that was not judged may have ended before the door where it parts.
    """
    possible: tuple[Cause, ...] = ('node', 'scenario', 'platform', 'versions')
    otherwise: Cause = 'unknown'
    if first is None:
        possible = ('versions',)
    elif first.what == 'output':
        possible, otherwise = ('cassette', 'scenario'), 'model'
    elif first.what == 'result':
        otherwise = 'tools'
    if unjudged and 'cassette' not in possible:
        possible = (*possible, 'cassette')
    found = [cause for cause in possible if cause in facts]
    if 'expectations' in facts and not alike:
        found = [*(found if first is not None else ()), 'expectations']
    return tuple(found) or (otherwise,)
