"""Mistakes in the configuration, in the definition of the service, and in starting."""

from __future__ import annotations

from harness.mutants import Mutant, edit

MUTANTS = (
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
    Mutant(
        'nothing-runs-without-instructions',
        'A node without instructions does not start.',
        ('CONF-1',),
        (
            edit(
                'agent.py',
                '        return cls(str(glb.logicalType), NodeConfig.read(glb.logicalType, glb.connConfig))\n',
                '        config = NodeConfig.read(glb.logicalType, glb.connConfig)\n'
                '        if not config.instructions:\n'
                "            raise ValueError('set the instructions')\n"
                '        return cls(str(glb.logicalType), config)\n',
            ),
        ),
    ),
    Mutant(
        'description-is-not-read',
        'The agent description of the configuration is not read.',
        ('CONF-2', 'FACE-6'),
        (
            edit(
                'config.py',
                "agent_description=observation_text(values.get('agent_description') or '').strip(),",
                "agent_description='',",
            ),
        ),
    ),
    Mutant(
        'guard-setting-is-not-read',
        'The setting of the guard is not read.',
        ('CONF-2', 'GUARD-1'),
        (edit('config.py', "require_tool_call=is_on(values.get('require_tool_call')),", 'require_tool_call=False,'),),
    ),
    Mutant(
        'two-llms-may-be-connected',
        'The service definition allows two LLM nodes.',
        ('CONF-5',),
        (edit('services.json', '"max": 1', '"max": 2'),),
    ),
    Mutant(
        'guard-is-a-text-field',
        'The field of the guard is a text.',
        ('CONF-6',),
        (edit('services.json', '"type": "boolean"', '"type": "string"'),),
    ),
    Mutant(
        'instructions-are-one-text',
        'The field of the instructions is a text.',
        ('CONF-6',),
        (edit('services.json', '"type": "array"', '"type": "string"'),),
    ),
    Mutant(
        'instructions-by-default',
        'The default profile has an instruction of its own.',
        ('CONF-6',),
        (edit('services.json', '"instructions": [],', '"instructions": ["Be brief."],'),),
    ),
    Mutant(
        'cannot-be-invoked',
        'The service definition does not say that the node invokes others.',
        ('CONF-5',),
        (edit('services.json', '"capabilities": ["invoke"]', '"capabilities": []'),),
    ),
)
