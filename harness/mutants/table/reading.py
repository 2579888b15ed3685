"""Mistakes in reading what a model wrote: reasoning, labels, names, answers, direct answers."""

from __future__ import annotations

from harness.mutants import Mutant, edit

MUTANTS = (
    Mutant(
        'reasoning-is-read',
        'Reasoning blocks are read like the rest, so a call that the model thought better of is run.',
        ('READ-1',),
        (edit('reader.py', 'text, self._seams = drop_reasoning(output)', 'text, self._seams = output, ()'),),
    ),
    Mutant(
        'unclosed-reasoning-is-delivered',
        'A reasoning block that is not closed is taken for the answer.',
        ('READ-2',),
        (
            edit(
                'clean.py',
                "        if closing is None:\n            return ''.join(kept), tuple(seams)",
                "        if closing is None:\n            return ''.join(kept) + text[tag.end() :], tuple(seams)",
            ),
        ),
    ),
    Mutant(
        'reasoning-tag-opens-anywhere',
        'A reasoning tag in the middle of a sentence opens a block.',
        ('READ-2',),
        (
            edit(
                'clean.py',
                "rf'^(?=[^\\n])[{SPACE}]*+<(?P<open>{_NAMES})[ \\t]*+>|</",
                "rf'<(?P<open>{_NAMES})[ \\t]*+>|</",
            ),
        ),
    ),
    Mutant(
        'lone-closing-tag-is-text',
        'What stands before a closing reasoning tag without an opening one is kept.',
        ('READ-3',),
        (edit('clean.py', '            kept, seams, length = [], [], 0\n', ''),),
    ),
    Mutant(
        'template-tokens-are-delivered',
        'Tokens of a chat template at the end stay in the text.',
        ('READ-4',),
        (
            edit(
                'clean.py',
                '    return text[: len(text) - end_of_run(_TOKENS_BACKWARDS, text[::-1])]',
                '    return text.rstrip()',
            ),
        ),
    ),
    Mutant(
        'observation-of-the-model-is-believed',
        'A self-written observation is not cut off.',
        ('READ-5',),
        (edit('reader.py', 'drop_template_tokens(text[: find_observation(lines)])', 'drop_template_tokens(text)'),),
    ),
    Mutant(
        'observation-is-cut-in-a-sentence',
        'The text is cut at the word `Observation:` anywhere.',
        ('READ-6',),
        (
            edit(
                'labels.py',
                '    match = _OBSERVATION.search(lines)\n    return match.start() if match else len(lines)',
                "    at = lines.lower().find('observation:')\n    return at if at >= 0 else len(lines)",
            ),
        ),
    ),
    Mutant(
        'observation-in-one-spelling-only',
        'A self-written observation is cut only where it is spelled `Observation:`.',
        ('READ-5',),
        (
            edit(
                'labels.py',
                '    match = _OBSERVATION.search(lines)\n    return match.start() if match else len(lines)',
                "    at = ('\\n' + lines).find('\\nObservation:')\n    return at if at >= 0 else len(lines)",
            ),
        ),
    ),
    Mutant(
        'labels-count-anywhere',
        'A label counts in the middle of a line too.',
        ('READ-7',),
        (edit('labels.py', "re.compile(rf'^(?=[^\\n]){pattern}'", "re.compile(rf'{pattern}'"),),
    ),
    Mutant(
        'labels-in-one-case-only',
        'Labels count only with a capital letter.',
        ('READ-8',),
        (
            edit(
                'labels.py',
                "re.compile(rf'^(?=[^\\n]){pattern}', re.IGNORECASE | re.MULTILINE)",
                "re.compile(rf'^(?=[^\\n]){pattern}'.replace('action', 'Action').replace('answer', 'Answer')"
                ".replace('thought', 'Thought').replace('observation', 'Observation').replace('input', 'Input')"
                ".replace('final', 'Final'), re.MULTILINE)",
            ),
        ),
    ),
    Mutant(
        'underscore-in-a-label-is-unknown',
        '`Action_Input:` is not known.',
        ('READ-8',),
        (edit('labels.py', "r'(?a:action[ \\t_\\xa0]?input)'", "r'(?a:action input)'"),),
    ),
    Mutant(
        'numbered-labels-are-unknown',
        '`Thought 1:` and `Action 2:` are not known.',
        ('READ-8',),
        (edit('labels.py', "_NUMBER = rf'(?>(?:[ \\t_]?\\d{{1,3}})?)[{SPACE}]*+'", "_NUMBER = rf'[{SPACE}]*+'"),),
    ),
    Mutant(
        'bold-labels-are-unknown',
        '`**Action:**` is not known.',
        ('READ-9',),
        (edit('labels.py', "_MARKER = r'(?:\\*{1,3}|__)'", "_MARKER = r'(?:\\x00)'"),),
    ),
    Mutant(
        'headings-and-bullets-are-unknown',
        '`### Action:` and `- Action:` are not known.',
        ('READ-9',),
        (
            edit(
                'labels.py',
                "_LEAD = rf'[{SPACE}]*+(?>(?:\\#{{1,6}}[{SPACE}]*+|[-*][{SPACE}]++)?)'",
                "_LEAD = rf'[{SPACE}]*+'",
            ),
        ),
    ),
    Mutant(
        'bold-marker-is-left-in-the-value',
        'The closing marker of a bold label stays in its value.',
        ('READ-42',),
        (
            edit(
                'labels.py',
                '    if not marker:\n        return value\n    line',
                '    if marker or not marker:\n        return value\n    line',
            ),
        ),
    ),
    Mutant(
        'full-width-colon-is-unknown',
        'A full-width colon ends no label.',
        ('READ-11',),
        (edit('labels.py', "_COLON = r'[:\\uff1a]'", "_COLON = r':'"),),
    ),
    Mutant(
        'windows-line-ends-are-text',
        'CRLF line ends are not seen as line ends.',
        ('READ-10',),
        (
            edit(
                'labels.py',
                "    return text.replace('\\r\\n', ' \\n').replace('\\r', '\\n') if '\\r' in text else text",
                '    return text',
            ),
        ),
    ),
    Mutant(
        'value-on-the-next-line-is-missed',
        'A value is looked for on the line of its label only.',
        ('READ-10',),
        (
            edit(
                'reader.py',
                "            if self._lines.find('\\n', at, start) >= 0 and label_at(self._lines, start):",
                "            if self._lines.find('\\n', at, start) >= 0:",
            ),
        ),
    ),
    Mutant(
        'final-answer-is-unknown',
        '`Final Answer:` is not known.',
        ('READ-12',),
        (edit('labels.py', "r'(?a:(?:final[ \\t_\\xa0]?)?answer)'", "r'(?a:answer)'"),),
    ),
    Mutant(
        'fenced-example-is-run',
        'The first labels win even where they stand in a fenced example and the step comes behind it.',
        ('READ-14',),
        (
            edit(
                'reader.py',
                '        return fence is not None and fence.closed and position < self._last_unfenced_step',
                '        return False',
            ),
        ),
    ),
    Mutant(
        'fence-around-an-answer-is-delivered',
        'The fence around a whole turn stays in the answer.',
        ('READ-13',),
        (
            edit(
                'reader.py',
                '        for line in ((fence.start, fence.inner), (fence.closing, fence.end)) if fence else ():',
                '        for line in ():',
            ),
        ),
    ),
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
)
