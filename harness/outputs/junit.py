"""JUnit XML: a testsuite for each family, a testcase for each run.

There is no one JUnit format. This keeps to what the xunit plugin of Jenkins accepts in its `junit-10` schema, the
strictest of those that servers check, and within that to what GitLab and the junit plugin of Jenkins show: one failure
for each testcase, with all of the text as its content.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from harness.outputs.words import details, first_place, gone_runs, headline, plain, run_name, standing, why_not_counted
from harness.show.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.show.summary import Outcome, Summary

_COUNTED = {'failures': 'failure', 'errors': 'error', 'skipped': 'skipped'}


def junit_xml(summary: Summary, places: bool = False) -> str:
    """Return the outcome of a suite as JUnit XML.

    A run with findings that gate is a failure, one that should have gated and was not judged is an error; one that
    does not count for the verdict is skipped. A run that met all that is required has passed, whatever goes beyond it.
    What such runs have against them stands in their system-out. Where the verdict is
    not pass for another reason (runs of the baseline are gone, nothing was run), a testcase `verdict` says so: the
    file fails whenever the gate does not pass. With `places` each testcase has the file and the line of its first
    finding as attributes, which the `junit-10` schema does not know.
    """
    node = _attribute(summary.node)
    root = Element('testsuites', name=f'react-harness {node}')
    by_family = sorted(summary.results, key=lambda outcome: outcome.family)
    for family, group in itertools.groupby(by_family, key=lambda outcome: outcome.family):
        name, outcomes = _attribute(family), list(group)
        cases = [_case(f'{node}.{name}', outcome, places) for outcome in outcomes]
        root.append(_suite(name, summary, cases, _time(outcomes)))
    if summary.verdict != 'pass' and root.find('.//failure') is None and root.find('.//error') is None:
        root.append(_suite('gate', summary, [_verdict_case(f'{node}.gate', summary)], _time([])))
    suites = root.findall('testsuite')
    for count in ('tests', 'failures', 'errors'):
        root.set(count, str(sum(int(suite.get(count, '0')) for suite in suites)))
    root.set('time', _time(summary.results))
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _suite(name: str, summary: Summary, cases: Sequence[Element], time: str) -> Element:
    suite = Element('testsuite', name=name, tests=str(len(cases)))
    for count, kind in _COUNTED.items():
        suite.set(count, str(sum(case.find(kind) is not None for case in cases)))
    suite.set('time', time)
    properties = SubElement(suite, 'properties')
    for key, value in (('node', summary.node), ('platform', summary.platform), ('level', summary.level)):
        SubElement(properties, 'property', name=key, value=_attribute(value))
    suite.extend(cases)
    return suite


def _case(classname: str, outcome: Outcome, places: bool) -> Element:
    case = Element('testcase', classname=classname, name=plain(run_name(outcome)), time=_time([outcome]))
    if places:
        path, line, _ = first_place(outcome)
        case.set('file', _attribute(path))
        case.set('line', str(line))
    match standing(outcome):
        case 'failed':
            _said(case, 'failure', 'finding', outcome)
        case 'not judged':
            _said(case, 'error', 'not judged', outcome)
        case 'met in part':
            SubElement(case, 'system-out').text = f'{why_not_counted(outcome)}\n{_text(outcome)}'
        case 'not counted':
            message = f'{why_not_counted(outcome)}: {headline(outcome)}'
            SubElement(case, 'skipped', message=message).text = message
            SubElement(case, 'system-out').text = _text(outcome)
    return case


def _said(case: Element, kind: str, sort: str, outcome: Outcome) -> None:
    SubElement(case, kind, type=sort, message=headline(outcome)).text = _text(outcome)


def _verdict_case(classname: str, summary: Summary) -> Element:
    case = Element('testcase', classname=classname, name='verdict', time=_time([]))
    reason = _attribute(summary.reason)
    said = SubElement(case, 'error', type=summary.verdict, message=reason)
    said.text = '\n'.join([f'{summary.verdict}: {reason}', *(f'gone: {name}' for name in gone_runs(summary))])
    return case


def _text(outcome: Outcome) -> str:
    return f'{plain(one_line(outcome.title))}\n{details(outcome)}'


def _attribute(text: str) -> str:
    return plain(one_line(text))


def _time(outcomes: Iterable[Outcome]) -> str:
    return f'{sum(outcome.seconds for outcome in outcomes):.3f}'
