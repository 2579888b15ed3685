"""Mistakes in what the model reads."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_LINES = 'lines = [*instructions, *([_JSON_ANSWER] if question.expectJson else [])]'
_ROLE = "question.role = encodable('\\n\\n'.join(part for part in (question.role, scaffolding) if part))"
_COPY = '        question = self._question.model_copy(deep=True)\n'

MUTANTS = (
    Mutant(
        'past-steps-as-python',
        'Past steps are shown with their input as a Python dict.',
        ('PROMPT-1',),
        (
            edit(
                'prompt.py',
                '        return canonical(Call(self.thought, self.action, self.action_input))',
                '        return super().get_content()',
            ),
        ),
    ),
    Mutant(
        'past-steps-without-input',
        'Past steps are shown without their input.',
        ('PROMPT-1',),
        (
            edit(
                'prompt.py',
                'canonical(Call(self.thought, self.action, self.action_input))',
                'canonical(Call(self.thought, self.action, {}))',
            ),
        ),
    ),
    Mutant(
        'past-steps-in-escapes',
        'The input of past steps is shown with escapes for characters beyond ASCII.',
        ('PROMPT-6',),
        (edit('reader.py', 'json.dumps(reading.arguments, ensure_ascii=False)', 'json.dumps(reading.arguments)'),),
    ),
    Mutant(
        'question-twice',
        'The question stands in the prompt a second time.',
        ('PROMPT-2',),
        (
            edit(
                'prompt.py',
                _ROLE,
                _ROLE.replace(
                    '(question.role, scaffolding)', '(question.role, scaffolding, question.questions[0].text)'
                ),
            ),
        ),
    ),
    Mutant(
        'question-in-the-first-call-only',
        'From the second call on the prompt holds the steps in place of the question.',
        ('PROMPT-12',),
        (edit('prompt.py', "'\\n\\n'.join([last.text, '\\n'.join(past)])", "'\\n'.join(past)"),),
    ),
    Mutant(
        'tool-without-schema',
        'A tool is offered without its input schema.',
        ('PROMPT-3',),
        (edit('prompt.py', 'self._schema = as_json(tool.input_schema)', "self._schema = '{}'"),),
    ),
    Mutant(
        'schema-of-the-library',
        "The library's own schema stands beside the tool's.",
        ('PROMPT-10',),
        (
            edit(
                'prompt.py',
                '        return self._schema\n',
                '        from llama_index.core.tools.types import DefaultToolFnSchema\n\n'
                "        return f'{self._schema} {as_json(DefaultToolFnSchema.model_json_schema())}'\n",
            ),
        ),
    ),
    Mutant(
        'schema-twice',
        'The schema of a tool stands in its description as well.',
        ('PROMPT-10',),
        (
            edit(
                'prompt.py',
                'description=tool.description, fn_schema=None',
                'description=f"{tool.description} {as_json(tool.input_schema)}", fn_schema=None',
            ),
        ),
    ),
    Mutant(
        'tool-without-description',
        'A tool is offered without its description.',
        ('PROMPT-3',),
        (edit('prompt.py', 'description=tool.description, fn_schema=None', "description='', fn_schema=None"),),
    ),
    Mutant(
        'tool-under-its-bare-name',
        'A tool is offered without the id of its node.',
        ('PROMPT-3',),
        (edit('prompt.py', 'super().__init__(name=tool.name', 'super().__init__(name=tool.function'),),
    ),
    Mutant(
        'first-tool-only',
        'Only the first tool is offered.',
        ('PROMPT-9',),
        (
            edit(
                'prompt.py',
                'self._tools = [_metadata_only(tool) for tool in tools]',
                'self._tools = [_metadata_only(tool) for tool in tools][:1]',
            ),
        ),
    ),
    Mutant(
        'instructions-twice',
        'Every instruction stands in the prompt twice.',
        ('PROMPT-11',),
        (edit('prompt.py', _LINES, _LINES.replace('*instructions,', '*instructions, *instructions,')),),
    ),
    Mutant(
        'first-instruction-only',
        'Only the first instruction reaches the model.',
        ('PROMPT-4',),
        (edit('prompt.py', _LINES, _LINES.replace('*instructions,', '*instructions[:1],')),),
    ),
    Mutant(
        'no-instructions',
        'The instructions do not reach the model.',
        ('PROMPT-4',),
        (edit('prompt.py', _LINES, _LINES.replace('*instructions, ', '')),),
    ),
    Mutant(
        'no-instructions-without-tools',
        'Without tools the instructions do not reach the model.',
        ('PROMPT-4', 'LOOP-5'),
        (edit('prompt.py', '            return [self._instructions]\n', "            return ['']\n"),),
    ),
    Mutant(
        'instructions-in-the-first-call-only',
        'The instructions reach the model in the first call only.',
        ('PROMPT-4',),
        (
            edit(
                'prompt.py',
                '        messages = self._formatter.format(',
                '        if steps:\n            self._formatter = ReActChatFormatter.from_defaults()\n        messages = self._formatter.format(',
            ),
        ),
    ),
    Mutant(
        'instructions-are-a-format-string',
        'The instructions are put into the format string of the scaffolding.',
        ('PROMPT-5',),
        (
            edit(
                'prompt.py',
                'self._formatter = ReActChatFormatter.from_defaults(context=self._instructions or None)',
                'self._formatter = ReActChatFormatter.from_defaults()\n'
                "        self._formatter.system_header += '\\n' + self._instructions",
            ),
        ),
    ),
    Mutant(
        'descriptions-are-a-format-string',
        'The description of a tool is formatted before it is shown.',
        ('PROMPT-5',),
        (
            edit(
                'prompt.py',
                'description=tool.description, fn_schema=None',
                'description=tool.description.format(name=tool.name), fn_schema=None',
            ),
        ),
    ),
    Mutant(
        'observations-are-a-format-string',
        'An observation is formatted before it is shown.',
        ('PROMPT-5',),
        (
            edit(
                'prompt.py',
                'return ObservationReasoningStep(observation=text)',
                'return ObservationReasoningStep(observation=text % ())',
            ),
        ),
    ),
    Mutant(
        'observations-are-cut-in-the-prompt',
        'The model reads the first 2,000 characters of an observation.',
        ('TOOL-7', 'LOOP-6'),
        (
            edit(
                'prompt.py',
                'return ObservationReasoningStep(observation=text)',
                'return ObservationReasoningStep(observation=text[:2000])',
            ),
        ),
    ),
    Mutant(
        'scaffolding-without-tools',
        'Without tools the model is still told to use some.',
        ('PROMPT-7',),
        (edit('prompt.py', '        if not self._tools:\n            return [self._instructions]\n', ''),),
    ),
    Mutant(
        'role-is-lost',
        'The role of the question is replaced by the scaffolding.',
        ('PROMPT-8',),
        (edit('prompt.py', _ROLE, _ROLE.replace('(question.role, scaffolding)', '(scaffolding,)')),),
    ),
    Mutant(
        'history-is-lost',
        'The history of the conversation does not reach the model.',
        ('PROMPT-8',),
        (edit('prompt.py', _COPY, _COPY + '        question.history = []\n'),),
    ),
    Mutant(
        'context-is-lost',
        'The context entries of the question do not reach the model.',
        ('PROMPT-8', 'FACE-7'),
        (edit('prompt.py', _COPY, _COPY + '        question.context = []\n'),),
    ),
    Mutant(
        'documents-are-lost',
        'The documents of the question do not reach the model.',
        ('PROMPT-8',),
        (edit('prompt.py', _COPY, _COPY + '        question.documents = []\n'),),
    ),
    Mutant(
        'goals-are-lost',
        'The goals of the question do not reach the model.',
        ('PROMPT-8',),
        (edit('prompt.py', _COPY, _COPY + '        question.goals = []\n'),),
    ),
    Mutant(
        'own-instructions-are-lost',
        'The instructions that come with the question do not reach the model.',
        ('PROMPT-8',),
        (edit('prompt.py', _COPY, _COPY + '        question.instructions = []\n'),),
    ),
    Mutant(
        'question-is-changed',
        "The steps of a run are added to the caller's own question.",
        ('FACE-11', 'PROMPT-2'),
        (
            edit('prompt.py', '        self._question = _whole(question)\n', '        self._question = question\n'),
            edit(
                'prompt.py',
                '        question = self._question.model_copy(deep=True)\n',
                '        question = self._question\n',
            ),
        ),
    ),
    Mutant(
        'json-is-asked-of-the-scaffolding',
        'A question that wants JSON asks the whole turn to be JSON, so that no step can be written.',
        ('PROMPT-8',),
        (edit('prompt.py', '        question.expectJson = False\n', ''),),
    ),
    Mutant(
        'past-steps-backwards',
        'The model reads its last step first.',
        ('LOOP-6', 'PROMPT-1'),
        (edit('prompt.py', "'\\n'.join(past)", "'\\n'.join(past[::-1])"),),
    ),
    Mutant(
        'thoughts-are-forgotten',
        'Past steps are shown without their thoughts.',
        ('PROMPT-1',),
        (edit('prompt.py', 'CanonicalStep(thought=call.thought,', "CanonicalStep(thought='',"),),
    ),
    Mutant(
        'json-is-not-asked-for',
        'That the question wants JSON does not reach the model.',
        ('PROMPT-8',),
        (edit('prompt.py', _LINES, 'lines = [*instructions]'),),
    ),
    Mutant(
        'thought-opens-a-reasoning-block',
        'A reasoning tag in the thought of a past step is shown to the model as it was.',
        ('PROMPT-1',),
        (
            edit(
                'clean.py', "    return _OPENING_LINE.sub(r'\\1', text) if '<' in text else text\n", '    return text\n'
            ),
        ),
    ),
)
