"""Checks over all that a node gave out, and over all runs of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.expect.difference import bounded
from harness.expect.finding import Finding, View, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.record import RunRecord
    from harness.scenario.expectation import Expectation
    from harness.scenario.yamlnode import Loc


def given_out(view: View) -> Iterator[tuple[str, str]]:
    """Yield every text that an agent returned or sent, each with where: payload, lane, event."""
    for payload in view.payloads:
        yield from (('the payload', text) for text in texts(payload))
    for write in view.record.lane_writes:
        yield f'the lane {write.lane!r}', write.text
    for event in view.record.events:
        yield from (('an event', text) for text in texts(event.data))


def texts(value: Any) -> Iterator[str]:
    """Yield the texts inside a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(key)
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def nowhere_findings(expectation: Expectation, view: View, loc: Loc) -> Iterator[Finding]:
    """Yield what stands somewhere although it must stand nowhere."""
    for number, part in enumerate(expectation.nowhere):
        found = next(((where, text) for where, text in given_out(view) if part in text), None)
        if found is not None:
            where, text = found
            message = f'{view.name} gives out {quoted(part)}: it stands in {where}'
            yield Finding(loc=(*loc, 'nowhere', number), message=message, expected=bounded(part), actual=bounded(text))


def differing(expectation: Expectation, record: RunRecord, earlier: Sequence[RunRecord], loc: Loc) -> Iterator[Finding]:
    """Yield the keys of the meta data that a run shares with an earlier one although they must differ."""
    for number, key in enumerate(expectation.meta_differs):
        value = _meta_of(record).get(key)
        same = next((other for other in earlier if key in _meta_of(other) and _meta_of(other)[key] == value), None)
        here = (*loc, 'meta_differs', number)
        if key not in _meta_of(record):
            yield Finding(loc=here, message=f'the meta data of the node has no {key!r}')
        elif same is not None:
            message = f'{key!r} in the meta data is the same in the runs {same.epoch} and {record.epoch}'
            yield Finding(loc=here, message=message, actual=bounded(value))


def _meta_of(record: RunRecord) -> dict[str, Any]:
    meta = record.payload.get('meta') if isinstance(record.payload, dict) else None
    return meta if isinstance(meta, dict) else {}
