"""Mistakes in what is no part of a step: reasoning, tokens, observations; and in labels and fences."""

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
        'underscores-are-not-bold',
        '`__Action:__` is not known.',
        ('READ-9',),
        (edit('labels.py', "_MARKER = r'(?:\\*{1,3}|__)'", "_MARKER = r'(?:\\*{1,3})'"),),
    ),
    Mutant(
        'other-line-separators-are-text',
        'The line separators of Unicode are not seen as line ends.',
        ('READ-10',),
        (
            edit(
                'labels.py',
                "    if not text.isascii():\n        text = text.replace('\\u2028', '\\n').replace('\\u2029', '\\n')\n",
                '',
            ),
        ),
    ),
    Mutant(
        'unseen-blanks-are-text',
        'Blanks that cannot be seen keep a label from being one.',
        ('READ-8', 'READ-10'),
        (edit('labels.py', "    '\\u200b\\u200c\\u200d\\u2060\\ufeff'\n", ''),),
    ),
    Mutant(
        'blanks-before-labels-take-cubic-time',
        'A label with many blanks before it is looked for in every way to divide them.',
        ('READ-41',),
        (edit('labels.py', "_LEAD = rf'[{SPACE}]*+(?>", "_LEAD = rf'[{SPACE}]*[{SPACE}]*[{SPACE}]*(?>"),),
    ),
)
