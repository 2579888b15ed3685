"""What a node does to the process and to the harness itself: it hangs, floods, prints, leaves things behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harness.expect.finding import Finding, counted, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.record import RunRecord
    from harness.scenario.yamlnode import Loc

_LOC: Final[Loc] = ('expect',)


def conduct_findings(record: RunRecord) -> Iterator[Finding]:
    """Yield what no node may do, whatever a scenario expects.

    A run that had to be broken off is no run, so that is required of every node. What a node leaves behind in the
    process spoils others, not its own run; that goes beyond the contract.
    """
    if record.stopped is not None:
        what = 'the node' if record.stopped.kind == 'exit' else 'the node was stopped: it'
        place = f'it was at {record.stopped.place}' if record.stopped.place else ''
        yield Finding(loc=_LOC, message=f'{what} {record.stopped.message}', diff=place)
    if record.stdout:
        message = f'the node wrote to standard output, which belongs to the engine: {quoted(record.stdout)}'
        yield Finding(loc=_LOC, message=message, actual=record.stdout, level='hardening')
    if record.leaked_threads:
        message = f'the node left {counted(len(record.leaked_threads), "thread")} running behind its end'
        yield Finding(loc=_LOC, message=message, actual=list(record.leaked_threads), level='hardening')
    for change in record.changed_state:
        sides = [f'{word} {text}' for word, text in (('before:', change.before), ('after: ', change.after)) if text]
        message = f'the node left {change.what} changed'
        yield Finding(loc=_LOC, message=message, diff='\n'.join(sides), level='hardening')
