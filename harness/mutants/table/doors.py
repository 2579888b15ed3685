"""Mistakes at the answers lane and in the progress that is sent."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_RAW = "        stack.append(_entry(RAW, 'framework.output', trace.steps))\n"
_WRITE = '            answer.setAnswer(ending.content)\n            pipe.instance.writeAnswers(answer)\n'
_START = "        _send(instance, message='Starting LlamaIndex agent...')\n"
_CALLING = "lambda tool: _send(instance, message=f'Calling {tool}...', tool=tool)"

MUTANTS = (
    Mutant(
        'lane-is-written-twice',
        'The answer is written to the lane twice.',
        ('FACE-1',),
        (edit('agent.py', _WRITE, _WRITE + '            pipe.instance.writeAnswers(answer)\n'),),
    ),
    Mutant(
        'lane-is-never-written',
        'The answer is returned only.',
        ('FACE-1',),
        (edit('agent.py', '            pipe.instance.writeAnswers(answer)\n', ''),),
    ),
    Mutant(
        'refusal-is-not-written',
        'A refused run writes nothing to the lane.',
        ('FACE-14',),
        (
            edit(
                'agent.py',
                '        if emit_answers_lane:\n',
                '        if emit_answers_lane and ending.stop_reason is not StopReason.GUARD:\n',
            ),
        ),
    ),
    Mutant(
        'error-is-not-written',
        'A run that broke down writes nothing to the lane.',
        ('FACE-14',),
        (
            edit(
                'agent.py',
                '        if emit_answers_lane:\n',
                '        if emit_answers_lane and ending.stop_reason is not StopReason.ERROR:\n',
            ),
        ),
    ),
    Mutant(
        'empty-answer-is-not-written',
        'An empty answer is not written to the lane.',
        ('FACE-14',),
        (edit('agent.py', '        if emit_answers_lane:\n', '        if emit_answers_lane and ending.content:\n'),),
    ),
    Mutant(
        'payload-on-the-lane',
        'The whole payload is written to the lane.',
        ('FACE-2',),
        (edit('agent.py', 'answer.setAnswer(ending.content)', 'answer.setAnswer(payload)'),),
    ),
    Mutant(
        'thought-on-the-lane',
        'Lane and payload differ: the lane has the reasoning in front.',
        ('FACE-2',),
        (
            edit(
                'agent.py',
                'answer.setAnswer(ending.content)',
                "answer.setAnswer(f'{ending.stop_reason.value}: {ending.content}')",
            ),
        ),
    ),
    Mutant(
        'each-observation-on-the-lane',
        'Every observation is written to the lane as it comes.',
        ('FACE-1', 'FACE-2'),
        (
            edit(
                'agent.py',
                _RAW,
                _RAW
                + "        for step in trace.steps if emit_answers_lane else ():\n            said = Answer(expectJson=False)\n            said.setAnswer(step['observation'])\n            pipe.instance.writeAnswers(said)\n",
            ),
        ),
    ),
    # -------------------------------------------------------------------------------------------------------- progress
    Mutant('no-start-message', 'The start of a run is not told.', ('SSE-1',), (edit('agent.py', _START, ''),)),
    Mutant(
        'start-message-in-every-turn',
        'The start is told with every tool call.',
        ('SSE-1',),
        (
            edit(
                'agent.py',
                _CALLING,
                "lambda tool: (_send(instance, message='Starting LlamaIndex agent...'), _send(instance, message=f'Calling {tool}...', tool=tool))[0]",
            ),
        ),
    ),
    Mutant(
        'no-call-message',
        'Tool calls are not told.',
        ('SSE-2',),
        (edit('loop.py', '    if progress:\n        progress(call.name)\n', ''),),
    ),
    Mutant(
        'call-message-after-the-call',
        'A tool call is told after it was made.',
        ('SSE-2',),
        (
            edit('loop.py', '    if progress:\n        progress(call.name)\n', ''),
            edit(
                'loop.py',
                '        reasoning += [action_step',
                '        if progress and reading.known:\n            progress(reading.name)\n        reasoning += [action_step',
            ),
        ),
    ),
    Mutant(
        'call-message-with-input',
        'The message of a tool call carries its input.',
        ('SSE-2',),
        (edit('loop.py', '        progress(call.name)\n', "        progress(f'{call.name} {call.arguments}')\n"),),
    ),
    Mutant(
        'progress-of-another-type',
        'Progress is sent as events of the type `progress`.',
        ('SSE-1', 'SSE-2'),
        (edit('agent.py', "instance.sendSSE('thinking', **data)", "instance.sendSSE('progress', **data)"),),
    ),
    Mutant(
        'start-message-twice',
        'The start of a run is told twice.',
        ('SSE-1',),
        (edit('agent.py', _START, _START + _START),),
    ),
    Mutant(
        'call-message-twice',
        'A tool call is told twice.',
        ('SSE-2',),
        (
            edit(
                'loop.py', '        progress(call.name)\n', '        progress(call.name)\n        progress(call.name)\n'
            ),
        ),
    ),
    Mutant(
        'call-message-without-the-name',
        'The message of a tool call does not name the tool.',
        ('SSE-2',),
        (edit('agent.py', _CALLING, _CALLING.replace('Calling {tool}...', 'Calling a tool...')),),
    ),
    Mutant(
        'start-message-at-the-end',
        'The start of a run is told when it has ended.',
        ('SSE-1',),
        (
            edit('agent.py', _START, ''),
            edit(
                'agent.py',
                '            ending = self._run(pipe.instance, llm, question, trace)\n',
                '            ending = self._run(pipe.instance, llm, question, trace)\n    '
                + _START.replace('instance,', 'pipe.instance,'),
            ),
        ),
    ),
    Mutant(
        'start-message-in-other-words',
        'The start is told in other words than the documented ones.',
        ('SSE-4',),
        (edit('agent.py', _START, _START.replace('Starting LlamaIndex agent...', 'The agent starts.')),),
    ),
)
