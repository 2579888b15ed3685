"""Mistakes in the guard, and in what it counts."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_COUNT = '    trace.tool_calls += 1\n    try:\n'
_GUARD = 'if self.config.require_tool_call and not trace.tool_calls:'

MUTANTS = (
    Mutant(
        'guard-is-never-met',
        'The guard refuses every answer, grounded or not.',
        ('GUARD-3',),
        (edit('agent.py', _GUARD, 'if self.config.require_tool_call:'),),
    ),
    Mutant(
        'guard-never-refuses',
        'The guard lets every answer pass.',
        ('GUARD-1',),
        (edit('agent.py', _GUARD, 'if self.config.require_tool_call and trace.tool_calls < 0:'),),
    ),
    Mutant(
        'guard-is-always-on',
        'The guard works without being asked for.',
        ('GUARD-2',),
        (edit('agent.py', _GUARD, 'if not trace.tool_calls:'),),
    ),
    Mutant(
        'guard-counts-steps',
        'The guard counts steps, those with an unknown tool too.',
        ('GUARD-4',),
        (edit('agent.py', _GUARD, 'if self.config.require_tool_call and not trace.steps:'),),
    ),
    Mutant(
        'unknown-tool-counts',
        'A call of an unknown tool is counted as a tool call.',
        ('GUARD-4', 'META-2'),
        (edit('loop.py', '    if not call.known:\n', '    if not call.known:\n        trace.tool_calls += 1\n'),),
    ),
    Mutant(
        'failed-call-does-not-count',
        'A call whose tool raised is not counted.',
        ('GUARD-3', 'META-2'),
        (
            edit(
                'loop.py',
                _COUNT + '        return observation_text(tools.call(call.name, call.arguments))\n',
                '    try:\n'
                '        found = observation_text(tools.call(call.name, call.arguments))\n'
                '        trace.tool_calls += 1\n'
                '        return found\n',
            ),
        ),
    ),
    Mutant(
        'calls-are-counted-twice',
        'Every tool call is counted twice.',
        ('META-2',),
        (edit('loop.py', '    trace.tool_calls += 1\n', '    trace.tool_calls += 2\n'),),
    ),
    Mutant(
        'different-tools-are-counted',
        'Calls of the same tool are counted once.',
        ('META-2',),
        (
            edit(
                'agent.py',
                "'tool_calls': trace.tool_calls,",
                "'tool_calls': len({step['action'] for step in trace.steps}) if trace.tool_calls else 0,",
            ),
        ),
    ),
    Mutant(
        'guard-overlooks-exhaustion',
        'A run that used up its budget is not checked by the guard.',
        ('GUARD-7',),
        (
            edit(
                'agent.py',
                _GUARD,
                _GUARD.replace(':', ' and ending.stop_reason != StopReason.MAX_ITERATIONS:'),
            ),
        ),
    ),
    Mutant(
        'guard-overlooks-direct-answers',
        'Only an answer behind a label is checked by the guard.',
        ('GUARD-1',),
        (edit('agent.py', _GUARD, _GUARD.replace(':', ' and ending.stop_reason == StopReason.ANSWER:')),),
    ),
    Mutant(
        'guard-quotes-what-it-refuses',
        'The guard message quotes the refused answer.',
        ('GUARD-8',),
        (
            edit(
                'agent.py',
                'ending = Ending(GUARD_MESSAGE, StopReason.GUARD)',
                "ending = Ending(f'{GUARD_MESSAGE}: {ending.content}', StopReason.GUARD)",
            ),
        ),
    ),
    Mutant(
        'refused-answer-stays-in-the-stack',
        'The refused answer is kept in the raw entry for debugging.',
        ('GUARD-8',),
        (
            edit(
                'agent.py',
                '                stack.append(\n                    _entry(GUARD',
                "                trace.steps.append({'action': '', 'action_input': {}, 'observation': ending.content})\n"
                '                stack.append(\n                    _entry(GUARD',
            ),
        ),
    ),
    Mutant(
        'refused-answer-is-sent-as-progress',
        'Every answer is sent as progress before the guard looks at it.',
        ('SSE-3', 'GUARD-8'),
        (
            edit(
                'agent.py',
                '            if self.config.require_tool_call and',
                '            _send(pipe.instance, message=ending.content)\n            if self.config.require_tool_call and',
            ),
        ),
    ),
    Mutant(
        'guard-stands-behind-the-steps',
        'The guard entry comes behind the raw entry.',
        ('STACK-3',),
        (
            edit(
                'agent.py',
                "        stack.append(_entry(RAW, 'framework.output', trace.steps))",
                "        stack.insert(0, _entry(RAW, 'framework.output', trace.steps))",
            ),
        ),
    ),
    Mutant(
        'guard-drops-the-steps',
        'On a guard failure there is no raw entry.',
        ('STACK-3',),
        (
            edit(
                'agent.py',
                "        stack.append(_entry(RAW, 'framework.output', trace.steps))",
                "        if not (stack and stack[0]['kind'] == GUARD):\n"
                "            stack.append(_entry(RAW, 'framework.output', trace.steps))",
            ),
        ),
    ),
    Mutant(
        'guard-raises',
        'The guard raises an exception, which the node reports as an error.',
        ('GUARD-1', 'META-3'),
        (
            edit(
                'agent.py',
                '                ending = Ending(GUARD_MESSAGE, StopReason.GUARD)',
                '                raise RuntimeError(GUARD_MESSAGE)',
            ),
        ),
    ),
    Mutant(
        'child-answer-counts-only-if-grounded',
        'A call of a child agent counts only if the child itself called a tool.',
        ('GUARD-9',),
        (
            edit(
                'loop.py',
                _COUNT + '        return observation_text(tools.call(call.name, call.arguments))\n',
                '    try:\n'
                '        found = tools.call(call.name, call.arguments)\n'
                "        meta = found.get('meta', {}) if isinstance(found, dict) else {}\n"
                "        trace.tool_calls += 1 if meta.get('tool_calls', 1) else 0\n"
                '        return observation_text(found)\n',
            ),
        ),
    ),
    Mutant(
        'memory-reads-count',
        "A read of the model's own memory is counted as a tool call.",
        ('GUARD-5', 'META-2'),
        (
            edit(
                'loop.py',
                '    if not call.known:\n',
                "    if not call.known:\n        trace.tool_calls += call.name.startswith('memory.')\n",
            ),
        ),
    ),
    Mutant(
        'guard-does-not-say-why',
        'The guard message does not tell that no tool was called.',
        ('GUARD-1',),
        (
            edit(
                'agent.py',
                "    'require_tool_call is on, but the agent produced an answer without invoking any tool; '\n",
                "    'The answer was refused; '\n",
            ),
        ),
    ),
    Mutant(
        'guard-overlooks-malformed-steps',
        'A step that could not be read is delivered without a look of the guard.',
        ('GUARD-1', 'GUARD-7'),
        (edit('agent.py', _GUARD, _GUARD.replace(':', ' and ending.stop_reason != StopReason.MALFORMED_STEP:')),),
    ),
    Mutant(
        'guard-overlooks-empty-answers',
        'An empty answer is delivered without a look of the guard.',
        ('GUARD-7',),
        (edit('agent.py', _GUARD, _GUARD.replace(':', ' and ending.content:')),),
    ),
    Mutant(
        'guard-on-the-questions-lane-only',
        'Called as a tool, the node does not look at its guard.',
        ('GUARD-1', 'GUARD-9'),
        (edit('agent.py', _GUARD, _GUARD.replace(':', ' and emit_answers_lane:')),),
    ),
    Mutant(
        'guard-entry-is-an-error-entry',
        'The guard is recorded as an error.',
        ('STACK-3',),
        (edit('agent.py', "'RocketRide.agent.guard.v1'\n", "'RocketRide.agent.error.v1'\n"),),
    ),
)
