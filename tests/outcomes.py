"""Outcomes of suites as the tests of the outputs need them: small, and as hostile as a model can write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.gate.baseline import Baseline, BaselineRun
from harness.gate.verdict import Gate, state_of, summarize
from harness.scenario import Scenario
from harness.show.summary import Outcome, Unmet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.show.summary import Summary

PLACE = 'scenarios/loop/greets.yaml'
MARKUP = (
    '</failure></testcase>]]> <script>alert(1)</script> <img src=https://example.com/x onerror=alert(1)> &lt;b&gt; '
    '[here](https://example.com/a) ![p](https://example.com/p) <https://example.com/b> https://example.com/c '
    'www.example.com someone@example.com @someone #1 | a | b \\| ` `` ```` ~~~ *bold* _it_ # head {0} %0A'
)
CONTROLS = '\x00\x01\x08\x0b\x0c\x0e\x1b[2J\x1f\x7f\x85\x9b\u200b\u202e\u2028\ufeff\ufffe\uffff\ud800\U0001fffe\r'
COMMANDS = '\n::add-mask::a\n  ::error file=a::b\n##[add-mask]c\n::stop-commands::d\n'
LINES = '\n```\n````text\n</details>\n# Head\n- item\n\n[x]: https://example.com/d\n'
HOSTILE = f'{MARKUP}{CONTROLS}{COMMANDS}{LINES}'
HOSTILE_PATH = f'scenarios/{HOSTILE}'.translate({0: None, 0xD800: '\udc80'})
"""As a file may be called: without NUL, and with bytes that are no UTF-8."""


def unmet(
    key: str = 'expect.answer.equals', message: str = 'the answer is not the expected text', **more: Any
) -> Unmet:
    """Return a finding in line 12 of a file."""
    given: dict[str, Any] = {'path': PLACE, 'line': 12, 'column': 3, 'expected': 'Hello.', 'actual': 'Hi.'}
    return Unmet(**{'key': key, 'message': message, **given, **more})


def outcome(scenario: str = 'greets', *, findings: Sequence[Unmet] = (), problem: str = '', **more: Any) -> Outcome:
    """Return a run; it met its expectations where there is neither a finding nor a problem."""
    given: dict[str, Any] = {
        'title': f'The node {scenario}',
        'family': 'loop',
        'level': 'required',
        'path': PLACE,
        'met': not findings and not problem,
        'seconds': 0.0124,
    }
    return Outcome(**{'scenario': scenario, 'findings': tuple(findings), 'problem': problem, **given, **more})


def summary(*outcomes: Outcome, gate: Gate | None = None, node: str = 'a_node', left: Iterable[str] = ()) -> Summary:
    """Return what weighed outcomes come to."""
    gate = gate or Gate()
    return summarize(
        [gate.weighed(item) for item in outcomes], node=node, platform='stand-in', gate=gate, left=set(left)
    )


def baseline_of(*outcomes: Outcome) -> Baseline:
    """Return a baseline that knows these outcomes."""
    states = [(item, state_of(item)) for item in outcomes]
    runs = (
        BaselineRun(
            scenario=item.scenario,
            model=item.model,
            run=item.run,
            level=item.level,
            state=state.state,
            findings=state.findings,
        )
        for item, state in states
    )
    return Baseline(file='baseline.jsonl', node='a_node', runs=tuple(runs))


def scenario(name: str = 'greets', **more: Any) -> Scenario:
    """Return a scenario."""
    given = {'title': f'The node {name}', 'family': 'loop', 'expect': {'answer': 'Hello.'}}
    return Scenario.model_validate({'id': name, 'model': {'outputs': ['Hello.']}, **given, **more})


def hostile() -> Outcome:
    """Return a run in which every text that is not ours is hostile."""
    texts = {'message': HOSTILE, 'expected': HOSTILE, 'actual': {HOSTILE: [HOSTILE]}, 'diff': f'+{HOSTILE}\n-{HOSTILE}'}
    return outcome(
        'hostile',
        title=HOSTILE,
        family='hostile',
        model=HOSTILE,
        path=HOSTILE_PATH,
        stop_reason=HOSTILE,
        findings=[unmet(key=HOSTILE, path=HOSTILE_PATH, **texts)],
        problem=HOSTILE,
    )
