"""Mistakes in the loop, the stop words and the exhaustion."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_ASK = 'reading = read(llm.ask(prompt.render(reasoning), STOP_WORDS), needs_input)'

MUTANTS = (
    Mutant(
        'limit-of-nine',
        'The loop gives up after nine LLM calls.',
        ('LOOP-4',),
        (edit('loop.py', 'MAX_ITERATIONS = 10', 'MAX_ITERATIONS = 9'),),
    ),
    Mutant(
        'limit-of-eleven',
        'The loop makes an eleventh LLM call.',
        ('LOOP-1',),
        (edit('loop.py', 'MAX_ITERATIONS = 10', 'MAX_ITERATIONS = 11'),),
    ),
    Mutant(
        'no-limit',
        'The loop goes on until the model answers.',
        ('LOOP-1', 'LOOP-2'),
        (edit('loop.py', 'for _ in range(MAX_ITERATIONS):', 'while True:'),),
    ),
    Mutant(
        'limit-counts-tool-calls-only',
        'A step with an unknown tool is free: only calls that reach a tool use up the budget.',
        ('LOOP-1',),
        (edit('loop.py', 'for _ in range(MAX_ITERATIONS):', 'while trace.tool_calls < MAX_ITERATIONS:'),),
    ),
    Mutant(
        'exhaustion-in-other-words',
        'Exhaustion has a text of its own.',
        ('LOOP-2',),
        (
            edit(
                'loop.py',
                "'Agent stopped after reaching the maximum number of reasoning steps.'",
                "'Agent stopped after reaching the maximum number of iterations.'",
            ),
        ),
    ),
    Mutant(
        'exhaustion-raises',
        'Exhaustion is an exception in place of an answer.',
        ('LOOP-2',),
        (
            edit(
                'loop.py',
                '    return Ending(EXHAUSTED, StopReason.MAX_ITERATIONS)',
                '    raise RuntimeError(EXHAUSTED)',
            ),
        ),
    ),
    Mutant(
        'exhaustion-delivers-the-last-observation',
        'Exhaustion delivers the last observation instead of the fixed text.',
        ('LOOP-2',),
        (
            edit(
                'loop.py',
                '    return Ending(EXHAUSTED, StopReason.MAX_ITERATIONS)',
                "    return Ending(trace.steps[-1]['observation'], StopReason.MAX_ITERATIONS)",
            ),
        ),
    ),
    Mutant(
        'no-stop-word',
        'No LLM call carries a stop word.',
        ('LOOP-3',),
        (edit('loop.py', "STOP_WORDS = ['Observation:']", 'STOP_WORDS: list[str] = []'),),
    ),
    Mutant(
        'stop-word-without-colon',
        'The stop word is `Observation`, which cuts at the word in any sentence.',
        ('LOOP-3',),
        (edit('loop.py', "STOP_WORDS = ['Observation:']", "STOP_WORDS = ['Observation']"),),
    ),
    Mutant(
        'stop-word-behind-a-line-end',
        'The stop word begins with a line end.',
        ('LOOP-3',),
        (edit('loop.py', "STOP_WORDS = ['Observation:']", "STOP_WORDS = ['\\nObservation:']"),),
    ),
    Mutant(
        'second-stop-word',
        'Every LLM call carries a second stop word.',
        ('LOOP-3',),
        (edit('loop.py', "STOP_WORDS = ['Observation:']", "STOP_WORDS = ['Observation:', 'User:']"),),
    ),
    Mutant(
        'stop-word-in-the-first-call-only',
        'Only the first LLM call carries the stop word.',
        ('LOOP-3',),
        (edit('loop.py', _ASK, _ASK.replace('STOP_WORDS', 'STOP_WORDS if not reasoning else []')),),
    ),
    Mutant(
        'stop-word-is-used-up',
        'The list of stop words is shared and emptied by the first call.',
        ('LOOP-3',),
        (edit('channels.py', 'stop=list(stop_words)', 'stop=[stop_words.pop() for _ in range(len(stop_words))]'),),
    ),
    Mutant(
        'empty-output-is-asked-again',
        'An empty output is asked for once more.',
        ('READ-39',),
        (
            edit(
                'loop.py',
                '        if not isinstance(reading, Call):\n',
                "        if not isinstance(reading, Call) and not getattr(reading, 'text', '') and not reasoning:\n"
                '            reading = read(llm.ask(prompt.render(reasoning), STOP_WORDS), needs_input)\n'
                '        if not isinstance(reading, Call):\n',
            ),
        ),
    ),
    Mutant(
        'unreadable-step-is-asked-again',
        'A step that cannot be read is thrown away and the model is asked once more.',
        ('READ-37',),
        (
            edit(
                'loop.py',
                '        if not isinstance(reading, Call):\n',
                "        if getattr(reading, 'malformed', False):\n"
                '            continue\n'
                '        if not isinstance(reading, Call):\n',
            ),
        ),
    ),
    Mutant(
        'same-call-is-not-made-again',
        'A call that was made before gets the old observation without another call.',
        ('LOOP-7',),
        (
            edit(
                'loop.py',
                '        observation = _observe(reading, tools, trace, progress)\n',
                "        made = (s for s in trace.steps if (s['action'], s['action_input']) == (reading.name, reading.arguments))\n"
                '        before = next(made, None)\n'
                "        observation = before['observation'] if before else _observe(reading, tools, trace, progress)\n",
            ),
        ),
    ),
    Mutant(
        'only-the-last-step-is-shown',
        'The model reads the last step only, not those before it.',
        ('LOOP-6',),
        (
            edit(
                'loop.py',
                '        reasoning += [action_step(reading), observation_step(observation)]',
                '        reasoning = [action_step(reading), observation_step(observation)]',
            ),
        ),
    ),
    Mutant(
        'observations-are-not-shown',
        'The model reads its own steps again, but not what the tools said.',
        ('LOOP-6',),
        (
            edit(
                'loop.py',
                '        reasoning += [action_step(reading), observation_step(observation)]',
                '        reasoning += [action_step(reading)]',
            ),
        ),
    ),
    Mutant(
        'no-tools-loops-all-the-same',
        'Without tools the loop is offered all the same, and a stray action is an unknown tool.',
        ('LOOP-5', 'PROMPT-7'),
        (
            edit(
                'reader.py',
                'return Call(self._thought(action), name, arguments or {}, known=False) if self._tools else self._direct()',
                'return Call(self._thought(action), name, arguments or {}, known=False)',
            ),
        ),
    ),
    Mutant(
        'llm-error-is-an-empty-answer',
        'An LLM call that raises is taken for an empty reply.',
        ('LOOP-8', 'STACK-4'),
        (
            edit(
                'loop.py',
                f'        {_ASK}\n',
                '        try:\n'
                '            said = llm.ask(prompt.render(reasoning), STOP_WORDS)\n'
                '        except Exception:\n'
                "            said = ''\n"
                '        reading = read(said, needs_input)\n',
            ),
        ),
    ),
    Mutant(
        'llm-error-leaves-the-node',
        'An LLM call that raises leaves the node as an exception, and nothing is written to the lane.',
        ('LOOP-8', 'FACE-14'),
        (
            edit(
                'agent.py',
                '        except Exception as error:\n            kind, message',
                '        except ZeroDivisionError as error:\n            kind, message',
            ),
        ),
    ),
    Mutant(
        'llm-error-is-tried-again',
        'An LLM call that raises is made a second time.',
        ('LOOP-8',),
        (
            edit(
                'loop.py',
                f'        {_ASK}\n',
                '        try:\n'
                '            said = llm.ask(prompt.render(reasoning), STOP_WORDS)\n'
                '        except Exception:\n'
                '            said = llm.ask(prompt.render(reasoning), STOP_WORDS)\n'
                '        reading = read(said, needs_input)\n',
            ),
        ),
    ),
    Mutant(
        'only-the-first-line-of-an-observation-is-shown',
        'The model reads the first line of an observation.',
        ('LOOP-6', 'TOOL-7'),
        (
            edit(
                'loop.py',
                'observation_step(observation)]',
                "observation_step(observation.split('\\n')[0])]",
            ),
        ),
    ),
)
