"""Checks of what a node says about itself: its functions, its service definition, and what it needs to be installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.expect.difference import bounded, holds, reduced, rows_diff, shown
from harness.expect.finding import Finding, View, differs, text_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.scenario.expectation import DescriptorMatch, Expectation
    from harness.scenario.yamlnode import Loc


def definition_findings(expectation: Expectation, view: View, loc: Loc) -> Iterator[Finding]:
    """Yield the unmet expectations about what a node says about itself."""
    record = view.record
    if expectation.descriptors is not None:
        yield from _descriptors(expectation.descriptors, record.descriptors, (*loc, 'descriptors'))
    if expectation.service is not None and not holds(expectation.service, record.service):
        message = 'the service definition says something else'
        actual = reduced(expectation.service, record.service)
        yield differs((*loc, 'service'), message, expectation.service, actual)
    wanted = expectation.installs
    if wanted is not None and record.installs is not None and wanted != record.installs:
        message = f'{view.name} asked to have {shown(list(record.installs))} installed'
        yield differs((*loc, 'installs'), message, list(wanted), list(record.installs))


def _descriptors(
    matches: Sequence[DescriptorMatch], descriptors: Sequence[dict[str, Any]], loc: Loc
) -> Iterator[Finding]:
    expected, actual = [match.name for match in matches], [descriptor.get('name') for descriptor in descriptors]
    if expected != actual:
        diff = rows_diff(expected, [str(name) for name in actual])
        message = f'the node offers {shown(actual)} to a parent agent'
        yield Finding(loc=loc, message=message, expected=expected, actual=bounded(actual), diff=diff)
        return
    for number, (match, descriptor) in enumerate(zip(matches, descriptors, strict=True)):
        here = (*loc, number)
        if match.description is not None:
            what = f'the description of {match.name}'
            yield from text_findings(match.description, descriptor.get('description'), (*here, 'description'), what)
        schema = descriptor.get('inputSchema')
        if match.input_schema is not None and not holds(match.input_schema, schema):
            message = f'the input schema of {match.name} says something else'
            yield differs((*here, 'input_schema'), message, match.input_schema, reduced(match.input_schema, schema))
