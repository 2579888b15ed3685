"""Mistakes in the result: content, meta data, stack."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_RAW = "        stack.append(_entry(RAW, 'framework.output', trace.steps))\n"

MUTANTS = (
    Mutant(
        'steps-without-observation',
        'A recorded step has no observation.',
        ('STACK-2',),
        (edit('loop.py', ", 'observation': observation}\n", '}\n'),),
    ),
    Mutant(
        'steps-without-input',
        'A recorded step has no input.',
        ('STACK-2',),
        (edit('loop.py', "'action_input': reading.arguments, ", ''),),
    ),
    Mutant(
        'input-recorded-as-text',
        'A recorded step has its input as text.',
        ('STACK-2',),
        (edit('loop.py', "'action_input': reading.arguments,", "'action_input': str(reading.arguments),"),),
    ),
    Mutant(
        'failed-steps-are-not-recorded',
        'A step whose tool raised is not recorded.',
        ('STACK-2', 'TOOL-2'),
        (
            edit(
                'agent.py',
                _RAW,
                "        kept = [step for step in trace.steps if '\"type\": ' not in step['observation']]\n"
                + _RAW.replace('trace.steps', 'kept'),
            ),
        ),
    ),
    Mutant(
        'last-step-is-missing',
        'The last step is not recorded.',
        ('STACK-2',),
        (edit('agent.py', _RAW, _RAW.replace('trace.steps', 'trace.steps[:-1]')),),
    ),
    Mutant(
        'steps-backwards',
        'The steps are recorded with the last one first.',
        ('STACK-2',),
        (edit('agent.py', _RAW, _RAW.replace('trace.steps', 'trace.steps[::-1]')),),
    ),
    Mutant(
        'steps-are-the-stack',
        'The steps stand in the stack itself, without an entry around them.',
        ('STACK-1',),
        (edit('agent.py', _RAW, '        stack.extend(trace.steps)\n'),),
    ),
    Mutant(
        'steps-of-earlier-runs',
        'The steps of all runs are kept in one list.',
        ('FACE-10', 'STACK-2'),
        (edit('loop.py', 'field(default_factory=list)', 'field(default_factory=lambda kept=[]: kept)'),),
    ),
    Mutant(
        'count-of-earlier-runs',
        'The tool calls of all runs of a node are counted together.',
        ('FACE-10', 'META-2'),
        (
            edit(
                'loop.py',
                '    trace.tool_calls += 1\n',
                "    run.__dict__['made'] = run.__dict__.get('made', 0) + 1\n    trace.tool_calls = run.__dict__['made']\n",
            ),
        ),
    ),
    Mutant(
        'error-behind-the-steps',
        'The error entry comes behind the raw entry.',
        ('STACK-4',),
        (
            edit(
                'agent.py',
                _RAW,
                "        stack.insert(0, _entry(RAW, 'framework.output', trace.steps)) if ending.stop_reason is StopReason.ERROR else stack.append(\n            _entry(RAW, 'framework.output', trace.steps)\n        )\n",
            ),
        ),
    ),
    Mutant(
        'error-drops-the-steps',
        'After an exception the steps taken so far are lost.',
        ('STACK-4',),
        (
            edit(
                'agent.py',
                _RAW,
                _RAW.replace('trace.steps', '[] if ending.stop_reason is StopReason.ERROR else trace.steps'),
            ),
        ),
    ),
    Mutant(
        'error-is-not-recorded',
        'After an exception there is no error entry.',
        ('STACK-4',),
        (
            edit(
                'agent.py',
                "            stack.append(_entry(ERROR, 'exception', {'type': kind, 'message': message}))\n",
                '',
            ),
        ),
    ),
    Mutant(
        'error-in-general-words',
        'The answer after an exception hides its message.',
        ('STACK-6',),
        (
            edit(
                'agent.py',
                "ending = Ending(message if message.strip() else f'{kind} (no message)', StopReason.ERROR)",
                "ending = Ending('Something went wrong.', StopReason.ERROR)",
            ),
        ),
    ),
    Mutant(
        'error-with-a-traceback',
        'The answer after an exception is its traceback.',
        ('STACK-6',),
        (
            edit(
                'agent.py',
                "ending = Ending(message if message.strip() else f'{kind} (no message)', StopReason.ERROR)",
                "ending = Ending(__import__('traceback').format_exc(), StopReason.ERROR)",
            ),
        ),
    ),
    Mutant(
        'framework-of-the-library',
        'The framework is told as `llama_index`.',
        ('META-1',),
        (edit('agent.py', "FRAMEWORK = 'llamaindex'", "FRAMEWORK = 'llama_index'"),),
    ),
    Mutant(
        'one-run-id',
        'All runs have the id of the first.',
        ('META-5',),
        (edit('agent.py', 'str(uuid.uuid4())\n', 'str(uuid.uuid5(uuid.NAMESPACE_DNS, self.agent_id))\n'),),
    ),
    Mutant(
        'times-without-offset',
        'Times have no offset.',
        ('META-6',),
        (edit('agent.py', 'datetime.now(UTC).isoformat()', 'datetime.now(UTC).replace(tzinfo=None).isoformat()'),),
    ),
    Mutant(
        'end-is-the-start',
        'The end of a run is read before its start.',
        ('META-6',),
        (
            edit(
                'agent.py',
                '        started, run_id = _now(), str(uuid.uuid4())\n',
                '        ended, started, run_id = _now(), _now(), str(uuid.uuid4())\n',
            ),
            edit('agent.py', "                'ended_at': _now(),\n", "                'ended_at': ended,\n"),
        ),
    ),
    Mutant(
        'task-token-in-meta',
        'The meta data hold the control token of the task.',
        ('META-4',),
        (
            edit(
                'agent.py',
                "                'agent_id': self.agent_id,\n",
                "                'agent_id': self.agent_id,\n                'task_id': pipe.IEndpoint.endpoint.jobConfig['taskId'],\n",
            ),
        ),
    ),
    Mutant(
        'task-token-in-the-stack',
        'The raw entry of the stack holds the control token of the task.',
        ('META-4',),
        (edit('agent.py', _RAW, _RAW + "        stack[-1]['task'] = pipe.IEndpoint.endpoint.jobConfig['taskId']\n"),),
    ),
    Mutant(
        'pipeline-id-as-agent',
        'The agent id is the id of the node in the pipeline.',
        ('META-7',),
        (edit('agent.py', "'agent_id': self.agent_id,", "'agent_id': pipe.instance.pipeType['id'],"),),
    ),
    Mutant(
        'no-stop-reason',
        'The meta data do not tell why the run stopped.',
        ('META-3',),
        (edit('agent.py', "                'stop_reason': ending.stop_reason.value,\n", ''),),
    ),
    Mutant(
        'stop-reason-is-always-answer',
        'The stop reason is `answer` whatever happened.',
        ('META-3',),
        (edit('agent.py', 'ending.stop_reason.value', 'StopReason.ANSWER.value'),),
    ),
    Mutant(
        'empty-is-a-direct-answer',
        'An empty answer is marked as a direct answer.',
        ('META-3', 'READ-39'),
        (edit('loop.py', "return Ending('', StopReason.EMPTY)", "return Ending('', StopReason.DIRECT_ANSWER)"),),
    ),
    Mutant(
        'exhaustion-is-an-answer',
        'Exhaustion is marked as an answer.',
        ('META-3', 'LOOP-2'),
        (edit('loop.py', 'Ending(EXHAUSTED, StopReason.MAX_ITERATIONS)', 'Ending(EXHAUSTED, StopReason.ANSWER)'),),
    ),
    Mutant(
        'direct-answer-is-an-answer',
        'A direct answer is marked as an answer.',
        ('META-3',),
        (
            edit(
                'loop.py',
                'if reading.malformed else StopReason.DIRECT_ANSWER',
                'if reading.malformed else StopReason.ANSWER',
            ),
        ),
    ),
    Mutant(
        'no-count-of-calls',
        'The meta data do not count the tool calls.',
        ('META-2',),
        (edit('agent.py', "                'tool_calls': trace.tool_calls,\n", ''),),
    ),
    Mutant(
        'count-is-a-text',
        'The tool calls are counted as text.',
        ('META-2',),
        (edit('agent.py', "'tool_calls': trace.tool_calls,", "'tool_calls': str(trace.tool_calls),"),),
    ),
    Mutant(
        'odd-key-in-the-stack',
        'The payload holds a value that JSON cannot hold.',
        ('STACK-5',),
        (
            edit(
                'agent.py',
                "'stop_reason': ending.stop_reason.value,",
                "'stop_reason': ending.stop_reason.value,\n                'odd': float('nan') if trace.steps else 0,",
            ),
        ),
    ),
    Mutant(
        'raw-entry-of-another-kind',
        'The steps stand under a kind of our own.',
        ('STACK-2',),
        (edit('agent.py', "'RocketRide.agent.raw.v1'", "'RocketRide.agent.llamaindex.v1'"),),
    ),
    Mutant(
        'no-raw-entry-without-steps',
        'A run without a step has no raw entry.',
        ('STACK-2',),
        (edit('agent.py', _RAW, '        if trace.steps:\n    ' + _RAW),),
    ),
    Mutant(
        'entries-without-a-name',
        'The entries of the stack have no name.',
        ('STACK-1',),
        (
            edit(
                'agent.py',
                "return {'kind': kind, 'name': name, 'payload': payload}",
                "return {'kind': kind, 'payload': payload}",
            ),
        ),
    ),
    Mutant(
        'agent-id-is-the-framework',
        'The agent id is the name of the framework.',
        ('META-7',),
        (edit('agent.py', "'agent_id': self.agent_id,", "'agent_id': FRAMEWORK,"),),
    ),
    Mutant(
        'recorded-observation-is-cut',
        'A step records the first 2,000 characters of its observation.',
        ('STACK-2', 'TOOL-7'),
        (edit('loop.py', "'observation': observation}\n", "'observation': observation[:2000]}\n"),),
    ),
)
