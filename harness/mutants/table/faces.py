"""Mistakes at the two faces of the node, in its configuration and its definition."""

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
        'guard-setting-is-any-text',
        'Any text turns the guard on.',
        ('GUARD-6',),
        (
            edit(
                'config.py',
                'value.strip().lower() in _ON if isinstance(value, str)',
                'bool(value) if isinstance(value, str)',
            ),
        ),
    ),
    Mutant(
        'guard-setting-in-one-case',
        '`ON` does not turn the guard on.',
        ('GUARD-6',),
        (edit('config.py', 'value.strip().lower() in _ON', 'value.strip() in _ON'),),
    ),
    Mutant(
        'guard-setting-is-true-only',
        'Only `true` turns the guard on.',
        ('GUARD-6',),
        (edit('config.py', "_ON = ('true', '1', 'yes', 'on')", "_ON = ('true',)"),),
    ),
    Mutant(
        'guard-setting-is-a-boolean-only',
        'A number does not turn the guard on.',
        ('GUARD-6',),
        (edit('config.py', 'isinstance(value, (int, float)) and value == 1', 'value is True'),),
    ),
    Mutant(
        'instructions-are-not-read',
        'The instructions of the configuration are not read.',
        ('CONF-2', 'PROMPT-4'),
        (edit('config.py', "instructions=_lines(values.get('instructions')),", 'instructions=(),'),),
    ),
    Mutant(
        'text-is-one-instruction-a-character',
        'A single text is read as one instruction for each character.',
        ('CONF-2',),
        (edit('config.py', 'isinstance(value, (list, tuple)) else', 'isinstance(value, (list, tuple, str)) else'),),
    ),
    Mutant(
        'blank-instructions-are-kept',
        'Blank instructions stand in the prompt as empty bullets.',
        ('PROMPT-4',),
        (
            edit(
                'config.py',
                'if item is not None and (text := observation_text(item).strip()))',
                'if item is not None and ((text := observation_text(item).strip()) or True))',
            ),
        ),
    ),
    Mutant(
        'profile-is-not-read',
        'Only the top-level keys of the configuration are read.',
        ('CONF-2',),
        (
            edit(
                'config.py',
                'return cls.of(IJson.toDict(Config.getNodeConfig(logical_type, connection)))',
                'return cls.of(IJson.toDict(connection))',
            ),
        ),
    ),
    Mutant(
        'starts-when-configured',
        'Opened to be configured, the node starts all the same.',
        ('CONF-4',),
        (
            edit(
                'IGlobal.py',
                '        if self.IEndpoint.endpoint.openMode == OPEN_MODE.CONFIG:\n            return\n',
                '',
            ),
        ),
    ),
    Mutant(
        'installs-when-configured',
        'Opened to be configured, the node has its requirements installed.',
        ('CONF-4',),
        (
            edit(
                'IGlobal.py',
                '        if self.IEndpoint.endpoint.openMode == OPEN_MODE.CONFIG:\n            return\n\n        from depends import depends\n\n        depends(_REQUIREMENTS)\n',
                '        from depends import depends\n\n        depends(_REQUIREMENTS)\n        if self.IEndpoint.endpoint.openMode == OPEN_MODE.CONFIG:\n            return\n',
            ),
        ),
    ),
    Mutant(
        'requirements-are-not-asked-for',
        'The node does not have its requirements installed.',
        ('CONF-7',),
        (edit('IGlobal.py', '        depends(_REQUIREMENTS)\n', ''),),
    ),
    Mutant(
        'llm-is-optional',
        'The service definition does not require an LLM.',
        ('CONF-5',),
        (edit('services.json', '"min": 1,\n\t\t\t"max": 1', '"min": 0,\n\t\t\t"max": 1'),),
    ),
    Mutant(
        'tools-are-required',
        'The service definition requires a tool.',
        ('CONF-5',),
        (edit('services.json', '(0 or more)",\n\t\t\t"min": 0', '(0 or more)",\n\t\t\t"min": 1'),),
    ),
    Mutant(
        'other-lane',
        'The service definition leads questions to the text lane.',
        ('CONF-5',),
        (edit('services.json', '"questions": ["answers"]', '"questions": ["text"]'),),
    ),
    Mutant(
        'guard-by-default',
        'The default profile turns the guard on.',
        ('CONF-6', 'GUARD-2'),
        (edit('services.json', '"require_tool_call": false', '"require_tool_call": true'),),
    ),
    Mutant(
        'agent-of-another-kind',
        'The service definition does not offer the node as a tool.',
        ('CONF-5',),
        (edit('services.json', '"classType": ["agent", "tool"]', '"classType": ["agent"]'),),
    ),
    Mutant(
        'agent-is-gone-after-a-run',
        'The agent is let go after the first question.',
        ('FACE-10', 'FACE-11'),
        (
            edit(
                'IInstance.py',
                '        return self._agent.run_agent(self, question, emit_answers_lane=True)\n',
                '        result = self._agent.run_agent(self, question, emit_answers_lane=True)\n        self.IGlobal.endGlobal()\n        return result\n',
            ),
        ),
    ),
)
