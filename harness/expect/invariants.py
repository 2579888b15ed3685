"""What holds of every run of every scenario, whatever it expects."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from harness.expect.difference import bounded
from harness.expect.everywhere import given_out
from harness.expect.finding import NODE, Finding, View, differs, quoted, view_of
from harness.show.visible import clip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.record import RunRecord
    from harness.scenario.yamlnode import Loc

MAX_LLM_CALLS: Final = 10
"""The most LLM calls that one run of an agent may make."""

GUARD: Final = 'RocketRide.agent.guard.v1'
_LOC: Final[Loc] = ('expect',)


def invariant_findings(record: RunRecord, may_raise: bool) -> Iterator[Finding]:
    """Yield what never may happen; `may_raise` says that the scenario expects the face to raise."""
    node = view_of(record)
    if record.raised is not None and not may_raise:
        message = f'the node raised {record.raised.type}: {quoted(record.raised.message)}'
        yield Finding(loc=_LOC, message=message, actual=record.raised.model_dump())
    yield from _is_json(record)
    agents = dict.fromkeys([NODE, *(turn.agent for turn in record.turns)])
    views = [view_of(record, agent) for agent in agents]
    for view in views:
        # Turns of a child that no recorded call explains belong to one run at least.
        most = MAX_LLM_CALLS * max(view.runs, 1)
        if len(view.record.turns) > most:
            message = f'{view.name} made {len(view.record.turns)} LLM calls, more than {MAX_LLM_CALLS} a run'
            yield Finding(loc=_LOC, message=message, expected=most, actual=len(view.record.turns))
    yield from _lane_is_content(node)
    for view in views:
        yield from _refused_text(view)


def _is_json(record: RunRecord) -> Iterator[Finding]:
    reason = record.payload_error
    try:
        json.dumps(record.payload, allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        reason = reason or str(error)
    if reason is not None:
        actual = clip(repr(record.payload), 1000)
        message = f'the payload cannot be written as JSON: {reason}'
        yield Finding(loc=_LOC, message=message, actual=actual, level='hardening')


def _lane_is_content(view: View) -> Iterator[Finding]:
    if not view.payloads or not isinstance(view.payloads[0], dict):
        return
    content = view.payloads[0].get('content')
    for write in view.record.lane_writes:
        if write.lane == 'answers' and write.text != content:
            yield differs(_LOC, 'the text on the answers lane is not `content` of the payload', content, write.text)


# -------------------------------------------------------------------------------------------------------- refused text

_ANSWER: Final = re.compile(r'^[ \t#*>-]*(?:final[ _]?)?answer[ \t*]*[:：][ \t*]*', re.IGNORECASE | re.MULTILINE)
_ACTION: Final = re.compile(r'^[ \t#*>-]*action[ \t*]*[:：]', re.IGNORECASE | re.MULTILINE)
_THOUGHT: Final = re.compile(r'[ \t#*>-]*thought[ \t*]*[:：][ \t*]*', re.IGNORECASE)
_REASONING_END: Final = re.compile(r'</(?:think|thinking|reasoning)>', re.IGNORECASE)
_LONG_LINE: Final = 20
_SHORT_TEXT: Final = 8


def _refused_text(view: View) -> Iterator[Finding]:
    """A text that the guard refused must be nowhere in what the agent returns or emits.

    Only a single run can be judged: which of several runs of a child wrote the last text is not in the record.
    """
    if len(view.payloads) != 1 or view.runs != 1 or not _is_refused(view.payloads[0]) or not view.record.turns:
        return
    given = [text for _, text in given_out(view)]
    for refused in _final_texts(view.record.turns[-1].output or ''):
        found = next((text for text in given if _stands_in(refused, text)), None)
        if found is not None:
            message = f'{view.name} gives out a text that the guard refused: {quoted(refused)}'
            yield Finding(loc=_LOC, message=message, actual=bounded(found), level='hardening')
            return


def _is_refused(payload: Any) -> bool:
    if not isinstance(payload, dict):
        return False
    meta, stack = payload.get('meta'), payload.get('stack')
    kinds = [entry.get('kind') for entry in stack if isinstance(entry, dict)] if isinstance(stack, list) else []
    return (isinstance(meta, dict) and meta.get('stop_reason') == 'guard') or GUARD in kinds


def _final_texts(output: str) -> list[str]:
    """Return what the last output could have delivered: the text behind a label, or all of it, and its long lines."""
    output = _REASONING_END.split(output)[-1]
    labels = list(_ANSWER.finditer(output))
    if labels:
        texts = [output[labels[0].end() :].strip(), output[labels[-1].end() :].strip()]
    else:
        texts = [_THOUGHT.sub('', output.strip(), count=1) if _THOUGHT.match(output.strip()) else output.strip()]
    if labels or not _ACTION.search(output):
        # The lines of an action step may stand in the record of a step; those of an answer may not.
        texts += [line.strip() for text in texts for line in text.split('\n') if len(line.strip()) >= _LONG_LINE]
    return [text for text in dict.fromkeys(texts) if text]


def _stands_in(refused: str, text: str) -> bool:
    if len(refused) >= _SHORT_TEXT:
        return refused in text
    # A short answer such as `42` or `yes` may stand in any sentence by chance; a word with a digit does not.
    if text.strip() == refused:
        return True
    return any(map(str.isdigit, refused)) and re.search(rf'(?<!\w){re.escape(refused)}(?!\w)', text) is not None
