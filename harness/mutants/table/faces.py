"""Mistakes at the two faces of the node."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_QUERY = "        if not isinstance(query, str) or not query.strip():\n            raise ValueError('agent tool: input.query must be a non-empty string')\n"
_CONTEXT = "        if context is not None and not isinstance(context, dict):\n            raise ValueError('agent tool: input.context must be an object if provided')\n"

MUTANTS = (
    Mutant(
        'tool-face-writes-the-lane',
        'Called as a tool, the node writes to the answers lane as well.',
        ('FACE-3',),
        (
            edit(
                'IInstance.py',
                'return self._agent.run_agent(self, question, emit_answers_lane=False)',
                'return self._agent.run_agent(self, question, emit_answers_lane=True)',
            ),
        ),
    ),
    Mutant(
        'tool-face-returns-the-text',
        'Called as a tool, the node returns the content alone.',
        ('FACE-3', 'STACK-1'),
        (
            edit(
                'IInstance.py',
                'return self._agent.run_agent(self, question, emit_answers_lane=False)',
                "return self._agent.run_agent(self, question, emit_answers_lane=False)['content']",
            ),
        ),
    ),
    Mutant(
        'child-raises',
        'Called as a tool, a run that broke down raises.',
        ('FACE-12',),
        (
            edit(
                'IInstance.py',
                '        return self._agent.run_agent(self, question, emit_answers_lane=False)\n',
                "        result = self._agent.run_agent(self, question, emit_answers_lane=False)\n        if result['meta']['stop_reason'] in ('error', 'guard'):\n            raise RuntimeError(result['content'])\n        return result\n",
            ),
        ),
    ),
    Mutant(
        'no-object-is-a-query',
        'A text in place of the input object is taken for the query.',
        ('FACE-4',),
        (
            edit(
                'IInstance.py',
                "            raise ValueError('agent tool: input must be an object')\n",
                "            input_obj = {'query': input_obj}\n",
            ),
        ),
    ),
    Mutant(
        'type-error-for-no-object',
        'An input that is no object raises a TypeError.',
        ('FACE-4',),
        (
            edit(
                'IInstance.py',
                "raise ValueError('agent tool: input must be an object')",
                "raise TypeError('agent tool: input must be an object')",
            ),
        ),
    ),
    Mutant(
        'blank-query-runs',
        'A blank query is run.',
        ('FACE-4', 'FACE-15'),
        (edit('IInstance.py', ' or not query.strip():', ' or not query:'),),
    ),
    Mutant(
        'missing-query-runs',
        'A missing query is an empty one.',
        ('FACE-4',),
        (edit('IInstance.py', _QUERY, "        query = str(query or '')\n"),),
    ),
    Mutant(
        'query-is-stripped',
        'The query is passed on without its white space.',
        ('FACE-15',),
        (
            edit(
                'IInstance.py',
                'question.addQuestion(encodable(query))',
                "question.addQuestion(encodable(' '.join(query.split())))",
            ),
        ),
    ),
    Mutant(
        'context-is-not-checked',
        'A context that is no object is passed on.',
        ('FACE-4',),
        (edit('IInstance.py', _CONTEXT, ''),),
    ),
    Mutant(
        'context-is-checked-first',
        'The context is checked before the query.',
        ('FACE-13',),
        (edit('IInstance.py', _QUERY + _CONTEXT, _CONTEXT + _QUERY),),
    ),
    Mutant(
        'context-is-dropped',
        'The context of the caller does not reach the model.',
        ('FACE-7',),
        (
            edit(
                'IInstance.py',
                '            question.addContext(_context_entry(context))\n',
                '            _context_entry(context)\n',
            ),
        ),
    ),
    Mutant(
        'context-without-its-type',
        'The context reaches the model without its type.',
        ('FACE-7',),
        (
            edit(
                'IInstance.py',
                "json.dumps({'type': CONTEXT_TYPE, 'context': context}, ensure_ascii=False, default=to_text)",
                'json.dumps(context, ensure_ascii=False, default=to_text)',
            ),
        ),
    ),
    Mutant(
        'context-of-another-type',
        'The context has the type of version 2.',
        ('FACE-7',),
        (
            edit(
                'IInstance.py',
                "CONTEXT_TYPE = 'RocketRide.agent.tool_context.v1'",
                "CONTEXT_TYPE = 'RocketRide.agent.tool_context.v2'",
            ),
        ),
    ),
    Mutant(
        'empty-context-is-none',
        'An empty context is taken for none.',
        ('FACE-7',),
        (
            edit(
                'IInstance.py',
                '        if context is not None:\n            question',
                '        if context:\n            question',
            ),
        ),
    ),
    Mutant(
        'null-context-is-one',
        'A null context reaches the model as an entry.',
        ('FACE-8',),
        (
            edit(
                'IInstance.py',
                '        if context is not None:\n            question',
                '        if True:\n            question',
            ),
        ),
    ),
    Mutant(
        'description-is-not-prepended',
        'A parent agent does not see the agent description.',
        ('FACE-6',),
        (
            edit(
                'IInstance.py',
                "return f'This agent: {description} {TOOL_DESCRIPTION}' if description else TOOL_DESCRIPTION",
                'return TOOL_DESCRIPTION',
            ),
        ),
    ),
    Mutant(
        'description-replaces-the-other',
        "The agent description replaces the function's own.",
        ('FACE-6',),
        (
            edit(
                'IInstance.py',
                "f'This agent: {description} {TOOL_DESCRIPTION}' if description",
                'description if description',
            ),
        ),
    ),
    Mutant(
        'description-comes-last',
        "The agent description stands behind the function's own.",
        ('FACE-6',),
        (
            edit(
                'IInstance.py',
                "f'This agent: {description} {TOOL_DESCRIPTION}' if description",
                "f'{TOOL_DESCRIPTION} {description}' if description",
            ),
        ),
    ),
    Mutant(
        'instructions-are-shown-to-parents',
        'A parent agent sees the instructions.',
        ('CONF-3',),
        (
            edit(
                'agent.py',
                '        return self.config.agent_description\n',
                "        return ' '.join([self.config.agent_description, *self.config.instructions]).strip()\n",
            ),
        ),
    ),
    Mutant(
        'query-is-optional',
        'The input schema does not require the query.',
        ('FACE-5',),
        (edit('IInstance.py', "    'required': ['query'],\n", "    'required': [],\n"),),
    ),
    Mutant(
        'no-context-in-the-schema',
        'The input schema does not know the context.',
        ('FACE-5',),
        (
            edit(
                'IInstance.py',
                "        'context': {'type': 'object', 'description': 'What else the agent should know, as an object'},\n",
                '',
            ),
        ),
    ),
    Mutant(
        'other-function-name',
        'The function is called `ask`.',
        ('FACE-5',),
        (edit('IInstance.py', '    def run_agent(self, input_obj', '    def ask(self, input_obj'),),
    ),
    Mutant(
        'two-llms-are-fine',
        'Of two LLM nodes the first is taken.',
        ('FACE-9',),
        (edit('channels.py', '        if len(nodes) != 1:', '        if not nodes:'),),
    ),
    Mutant(
        'no-llm-is-an-answer',
        'A missing LLM node is told as an answer.',
        ('FACE-9',),
        (
            edit(
                'agent.py',
                '        llm = LlmChannel.of(pipe.instance)\n        trace = Trace()\n',
                '        trace = Trace()\n',
            ),
            edit(
                'agent.py',
                '            ending = self._run(pipe.instance, llm, question, trace)\n',
                '            ending = self._run(pipe.instance, LlmChannel.of(pipe.instance), question, trace)\n',
            ),
        ),
    ),
    Mutant(
        'llm-count-is-not-told',
        'The error about LLM nodes does not tell how many there are.',
        ('FACE-9',),
        (edit('channels.py', ', found {len(nodes)}', ''),),
    ),
    Mutant(
        'number-is-a-query',
        'A query that is no text is run as its text.',
        ('FACE-4',),
        (
            edit(
                'IInstance.py',
                'if not isinstance(query, str) or not query.strip():',
                'if query is None or not str(query).strip():',
            ),
            edit(
                'IInstance.py', 'question.addQuestion(encodable(query))', 'question.addQuestion(encodable(str(query)))'
            ),
        ),
    ),
    Mutant(
        'tool-face-returns-json-text',
        'Called as a tool, the node returns its result as JSON text.',
        ('FACE-3', 'STACK-1'),
        (
            edit(
                'IInstance.py',
                'return self._agent.run_agent(self, question, emit_answers_lane=False)',
                'return json.dumps(self._agent.run_agent(self, question, emit_answers_lane=False))',
            ),
        ),
    ),
    Mutant(
        'one-agent-for-all-nodes',
        'The agent is kept at the class, so that two agents of a pipeline share one configuration.',
        ('FACE-10', 'CONF-2'),
        (
            edit(
                'IGlobal.py',
                '        self.agent = Agent.of(self.glb)\n',
                '        IGlobal.agent = Agent.of(self.glb)\n',
            ),
        ),
    ),
)
