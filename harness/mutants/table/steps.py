"""Mistakes in telling steps from answers and from text, and in the names of tools."""

from __future__ import annotations

from harness.mutants import Mutant, edit

MUTANTS = (
    Mutant(
        'thought-is-needed',
        'A step without a thought is not read.',
        ('READ-15',),
        (
            edit(
                'reader.py',
                '        at = 0\n        while step := self._next_step(at):',
                "        at = 0 if 'thought' in self._lines.lower() else len(self._lines)\n        while step := self._next_step(at):",
            ),
        ),
    ),
    Mutant(
        'json-envelope-is-a-tool-name',
        'An object in the place of the name is an unknown tool.',
        ('READ-16',),
        (edit('reader.py', "        if name[0] in '{[':\n            return self._direct()\n", ''),),
    ),
    Mutant(
        'last-step-wins',
        'The last action of a turn is run, not the first.',
        ('READ-17',),
        (
            edit(
                'reader.py',
                '        while step and self._is_example(step.start):\n            step = find_step(self._lines, step.end)\n        return step',
                '        while step and (later := find_step(self._lines, step.end)) and later.kind is step.kind is Kind.ACTION:\n'
                '            step = later\n'
                '        return step',
            ),
        ),
    ),
    Mutant(
        'answer-beats-action',
        'An answer behind an action is delivered, and the action is not run.',
        ('READ-17',),
        (
            edit(
                'reader.py',
                '        at = 0\n        while step := self._next_step(at):',
                '        at = 0\n'
                '        while (step := self._next_step(at)) and step.kind is Kind.ACTION:\n'
                '            at = step.end\n'
                '        at = step.start if step else 0\n'
                '        while step := self._next_step(at):',
            ),
        ),
    ),
    Mutant(
        'arguments-of-the-next-step',
        'The input is taken from the last input label of the turn.',
        ('READ-17',),
        (
            edit(
                'reader.py',
                '        while label and label.kind is Kind.INPUT and not (found and self._text[found.end : label.start].strip(BLANK)):\n'
                '            found, label = label, self._next_label(label.end)\n'
                '        return found',
                '        while label:\n'
                '            found, label = label if label.kind is Kind.INPUT else found, self._next_label(label.end)\n'
                '        return found',
            ),
        ),
    ),
    Mutant(
        'decoration-stays-in-the-name',
        'Quotes, backticks and asterisks around a name are part of it.',
        ('READ-19',),
        (
            edit(
                'reader.py',
                "    name = line.lstrip(_DECORATION).rstrip(_DECORATION + '.')\n    if name in tools",
                '    name = line.strip()\n    if name in tools',
            ),
        ),
    ),
    Mutant(
        'name-ends-at-a-space',
        'The name is the first word of its line.',
        ('READ-19', 'READ-22'),
        (
            edit(
                'reader.py',
                '        line = self._first_line(action)\n',
                "        line = (self._first_line(action).split() or [''])[0]\n",
            ),
        ),
    ),
    Mutant(
        'empty-brackets-stay-in-the-name',
        '`now()` is an unknown tool.',
        ('READ-20',),
        (edit('reader.py', '    match = _BRACKETS.fullmatch(name)\n', '    match = None\n'),),
    ),
    Mutant(
        'call-in-brackets-runs-without-them',
        '`search(q="x")` runs the tool with the arguments thrown away.',
        ('READ-21',),
        (edit('reader.py', 'unlabelled = called or (not', 'unlabelled = (not'),),
    ),
    Mutant(
        'object-below-the-name-is-overlooked',
        'An object below a name, without its label, is taken for no input at all.',
        ('READ-31', 'READ-37'),
        (edit('reader.py', 'called or (not own_input and self._has_object_below(action, line))', 'called'),),
    ),
    Mutant(
        'nearest-tool-is-called',
        'A name that is no tool is corrected to the nearest one.',
        ('READ-22',),
        (
            edit(
                'reader.py',
                '        arguments, readable = self._arguments(own_input)\n        if name in self._tools:',
                '        arguments, readable = self._arguments(own_input)\n'
                '        import difflib\n\n'
                '        name = next(iter(difflib.get_close_matches(name, self._tools, n=1, cutoff=0.5)), name)\n'
                '        if name in self._tools:',
            ),
        ),
    ),
    Mutant(
        'names-in-any-case',
        'A name in another case calls the tool.',
        ('READ-22',),
        (
            edit(
                'reader.py',
                '        arguments, readable = self._arguments(own_input)\n        if name in self._tools:',
                '        arguments, readable = self._arguments(own_input)\n'
                '        name = next((tool for tool in self._tools if tool.lower() == name.lower()), name)\n'
                '        if name in self._tools:',
            ),
        ),
    ),
    Mutant(
        'bare-name-finds-its-node',
        'A name without its node id calls the tool of that function.',
        ('READ-22',),
        (
            edit(
                'reader.py',
                '        arguments, readable = self._arguments(own_input)\n        if name in self._tools:',
                '        arguments, readable = self._arguments(own_input)\n'
                "        name = next((tool for tool in self._tools if tool.endswith('.' + name)), name)\n"
                '        if name in self._tools:',
            ),
        ),
    ),
    Mutant(
        'sentence-behind-action-is-a-tool',
        'An action of several words without an input is an unknown tool.',
        ('READ-23',),
        (edit('reader.py', '        if not own_input and len(words.split()) > 1:\n            return None\n', ''),),
    ),
    Mutant(
        'answer-runs-on',
        'An answer runs to the end, with the steps behind it.',
        ('READ-33',),
        (
            edit(
                'reader.py',
                '                return label.start, label\n',
                '                label = find_label(self._lines, label.end)\n',
            ),
        ),
    ),
    Mutant(
        'answer-is-not-stripped',
        'White space around an answer is delivered.',
        ('READ-33', 'READ-36'),
        (
            edit(
                'reader.py',
                '        return Answer(self._thought(first), drop_template_tokens(text).strip())',
                "        return Answer(self._thought(first), f' {drop_template_tokens(text)}')",
            ),
            edit(
                'prompt.py',
                'return step.response if isinstance(step, ResponseReasoningStep) else answer.text',
                'return answer.text',
            ),
        ),
    ),
    Mutant(
        'next-turn-is-delivered',
        'The next question that the model asks itself stays in the answer.',
        ('READ-34',),
        (edit('reader.py', '        text = drop_next_turns(text, label_follows=ending is not None)\n', ''),),
    ),
    Mutant(
        'action-inside-an-answer-ends-it',
        'An `Action:` line without an input ends the answer.',
        ('READ-35',),
        (
            edit(
                'reader.py',
                'is_text = label.kind is Kind.INPUT or (label.kind is Kind.ACTION and not _is_input(following))',
                'is_text = label.kind is Kind.INPUT',
            ),
        ),
    ),
    Mutant(
        'leading-thought-is-delivered',
        'A direct answer keeps its `Thought:`.',
        ('READ-36',),
        (
            edit(
                'reader.py',
                '        text = drop_leading_labels(self._slice(0, self._end, fence).strip())',
                '        text = self._slice(0, self._end, fence).strip()',
            ),
        ),
    ),
    Mutant(
        'thought-is-dropped-with-its-label',
        'A direct answer loses the whole line of its `Thought:`.',
        ('READ-36',),
        (
            edit(
                'reader.py',
                '        text = drop_leading_labels(self._slice(0, self._end, fence).strip())',
                '        text = self._slice(0, self._end, fence).strip()\n'
                "        text = text.partition('\\n')[2] if text.startswith('Thought:') else drop_leading_labels(text)",
            ),
        ),
    ),
    Mutant(
        'unreadable-step-is-an-empty-answer',
        'A step whose input cannot be read is delivered as an empty text.',
        ('READ-37',),
        (
            edit(
                'reader.py',
                '        return Direct(text, malformed and bool(text and self._tools))',
                "        return Direct('' if malformed else text, malformed and bool(text and self._tools))",
            ),
        ),
    ),
    Mutant(
        'malformed-step-is-not-marked',
        'A step that nobody could read is marked as a plain direct answer.',
        ('READ-37', 'META-3'),
        (
            edit(
                'loop.py',
                'StopReason.MALFORMED_STEP if reading.malformed else StopReason.DIRECT_ANSWER',
                'StopReason.DIRECT_ANSWER',
            ),
        ),
    ),
    Mutant(
        'none-is-a-tool',
        '`Action: None` is an unknown tool.',
        ('READ-38',),
        (edit('reader.py', '        if _means_none(words) and not arguments', '        if False and not arguments'),),
    ),
    Mutant(
        'bare-label-is-the-answer',
        'A bare `Answer:` delivers its own label.',
        ('READ-39',),
        (
            edit('labels.py', "    return '' if end_of_run(LABELS, text) == len(text) else text", '    return text'),
            edit(
                'loop.py',
                "    if not text:\n        return Ending('', StopReason.EMPTY)\n",
                "    if not text:\n        return Ending('Answer:', StopReason.EMPTY)\n",
            ),
        ),
    ),
    Mutant(
        'canonical-answer-of-one-line',
        'An answer is its first line.',
        ('READ-40', 'READ-33'),
        (
            edit(
                'reader.py',
                '        return Answer(self._thought(first), drop_template_tokens(text).strip())',
                "        return Answer(self._thought(first), drop_template_tokens(text).strip().split('\\n')[0])",
            ),
        ),
    ),
    Mutant(
        'first-of-two-input-labels-counts',
        'Of an input label that stands twice in a row the first counts, with nothing behind it.',
        ('READ-15', 'READ-24'),
        (
            edit(
                'reader.py',
                '        while label and label.kind is Kind.INPUT and not (found and self._text[found.end : label.start].strip(BLANK)):',
                '        while label and label.kind is Kind.INPUT and not found:',
            ),
        ),
    ),
    Mutant(
        'labels-stay-in-the-thought',
        'The thought of a past step is shown with its own label, so that there are two.',
        ('PROMPT-1',),
        (
            edit(
                'reader.py',
                'neutralise_tags(drop_open_fence(drop_labels(self._text[: step.start]).strip()).strip())',
                'neutralise_tags(drop_open_fence(self._text[: step.start].strip()).strip())',
            ),
        ),
    ),
    Mutant(
        'stray-action-is-malformed',
        'Without tools a stray action is marked as a step that could not be read.',
        ('LOOP-5', 'META-3'),
        (edit('reader.py', 'malformed and bool(text and self._tools)', 'malformed and bool(text)'),),
    ),
    Mutant(
        'answer-label-twice-stays',
        'Of an answer label that stands twice in a row the second one is delivered.',
        ('READ-33', 'READ-39'),
        (
            edit(
                'reader.py',
                '        while ending and ending.kind is Kind.ANSWER and not self._text[answer.end : end].strip():\n'
                '            answer = ending\n'
                '            end, ending = self._answer_end(answer)\n',
                '',
            ),
        ),
    ),
    Mutant(
        'none-with-a-remark-is-a-tool',
        '`Action: None (no tool is needed)` is an unknown tool.',
        ('READ-38', 'READ-20'),
        (edit('reader.py', '        words = _before_bracket(name)\n', '        words = name\n'),),
    ),
    Mutant(
        'full-stop-stays-in-the-name',
        'A full stop behind a name is part of it.',
        ('READ-19',),
        (
            edit(
                'reader.py',
                "    name = line.lstrip(_DECORATION).rstrip(_DECORATION + '.')\n    if name in tools",
                '    name = line.strip(_DECORATION)\n    if name in tools',
            ),
        ),
    ),
    Mutant(
        'remark-behind-a-name-is-an-argument',
        'A remark in brackets behind a name makes the step unreadable.',
        ('READ-20',),
        (edit('reader.py', 'bool(inside and not remark)', 'bool(inside)'),),
    ),
    Mutant(
        'broken-input-hides-an-unknown-tool',
        'An unknown tool with an input that cannot be read is a step that cannot be read, not a tool error.',
        ('READ-22',),
        (
            edit(
                'reader.py',
                '        arguments, readable = self._arguments(own_input)\n        if name in self._tools:',
                '        arguments, readable = self._arguments(own_input)\n'
                '        if not readable:\n'
                '            return self._direct(malformed=True)\n'
                '        if name in self._tools:',
            ),
        ),
    ),
)
