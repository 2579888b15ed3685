"""Mistakes in code fences, in reasoning blocks and in what follows an answer."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_LABELLED = '        if labelled is None:\n            continue\n'
_CLOSES = 'elif fence.startswith(opening[0]) and not info.strip(SPACE):'

MUTANTS = (
    Mutant(
        'tildes-are-no-fence',
        'A fence of tildes is not seen.',
        ('READ-13',),
        (edit('fences.py', "r'(`{3,}+|~{3,}+)([^\\n]*+)'", "r'(`{3,}+)([^\\n]*+)'"),),
    ),
    Mutant(
        'any-fence-closes-a-fence',
        'A fence of four backticks is closed by one of three.',
        ('READ-13', 'READ-14'),
        (edit('fences.py', _CLOSES, 'elif not info.strip(SPACE):'),),
    ),
    Mutant(
        'fence-with-a-language-closes',
        'A line such as ```json closes an open fence.',
        ('READ-13', 'READ-14'),
        (edit('fences.py', _CLOSES, 'elif fence.startswith(opening[0]):'),),
    ),
    Mutant(
        'inline-code-opens-a-fence',
        'Three backticks around a word at the start of a line open a fence.',
        ('READ-13', 'READ-14'),
        (edit('fences.py', 'opened = fence[0] not in info', 'opened = True'),),
    ),
    Mutant(
        'fence-behind-a-label-is-text',
        'A fence that is the value of a label is not seen.',
        ('READ-13', 'READ-14'),
        (edit('fences.py', _LABELLED, '        if line < match.start():\n            continue\n'),),
    ),
    Mutant(
        'fence-opens-in-a-sentence',
        'Three backticks in the middle of a sentence open a fence.',
        ('READ-13', 'READ-14'),
        (edit('fences.py', 'return None if lines[end:start].strip(SPACE) else end > line', 'return end > line'),),
    ),
    Mutant(
        'open-fence-is-a-closed-one',
        'A fence that is never closed counts as an example.',
        ('READ-14',),
        (edit('fences.py', '        return self.closing < self.end\n', '        return True\n'),),
    ),
    Mutant(
        'fence-hides-a-step',
        'Labels in a closed fence never count.',
        ('READ-13',),
        (
            edit(
                'reader.py',
                'return fence is not None and fence.closed and position < self._last_unfenced_step',
                'return fence is not None and fence.closed',
            ),
        ),
    ),
    Mutant(
        'fenced-label-ends-an-answer',
        'A label in a fence inside an answer ends the answer.',
        ('READ-13', 'READ-33'),
        (
            edit(
                'reader.py',
                '            elif self._is_quoted(label.start, answer):\n                label = find_label(self._lines, label.end)\n',
                '',
            ),
        ),
    ),
    # -------------------------------------------------------------------------------------------------------- reasoning
    Mutant(
        'only-think-is-reasoning',
        'Of the reasoning tags only `think` is known.',
        ('READ-1',),
        (edit('clean.py', "_NAMES = 'think|thinking|reasoning'", "_NAMES = 'think'"),),
    ),
    Mutant(
        'reasoning-in-one-case-only',
        'A reasoning tag in capital letters does not close its block.',
        ('READ-1',),
        (edit('clean.py', "re.compile(rf'</{name}[ \\t]*+>', re.IGNORECASE)", "re.compile(rf'</{name}[ \\t]*+>')"),),
    ),
    Mutant(
        'reasoning-ends-at-the-last-tag',
        'Of several reasoning blocks all from the first to the last is dropped, with the step between them.',
        ('READ-1',),
        (
            edit(
                'clean.py',
                'closing = _CLOSING[name.casefold()].search(lines, tag.end())',
                'closing = [None, *_CLOSING[name.casefold()].finditer(lines, tag.end())][-1]',
            ),
        ),
    ),
    Mutant(
        'first-reasoning-block-only',
        'Of several reasoning blocks only the first is dropped.',
        ('READ-1',),
        (
            edit(
                'clean.py',
                '        at = position = closing.end()\n',
                "        return ''.join(kept) + text[closing.end() :], tuple(seams)\n",
            ),
        ),
    ),
    Mutant(
        'block-behind-a-block-is-text',
        'A reasoning block that opens on the line on which another one ended is text.',
        ('READ-1', 'READ-2'),
        (edit('clean.py', '(position == at and at and _OPENING.match(lines, at)) or ', ''),),
    ),
    Mutant(
        'tokens-of-one-family',
        'Of the tokens of chat templates only those in bars are known.',
        ('READ-4',),
        (
            edit(
                'clean.py',
                "_TOKENS = ('</s>', '<eos>', '<end_of_turn>', '<end_of_utterance>', '<｜end▁of▁sentence｜>', '[/INST]')",
                "_TOKENS = ('<eos>',)",
            ),
        ),
    ),
    Mutant(
        'tokens-in-bars-are-text',
        'Tokens such as `<|im_end|>` stay in the text.',
        ('READ-4',),
        (edit('clean.py', "r'\\s++|>\\|[A-Za-z0-9_]{1,40}+\\|<|'", "r'\\s++|'"),),
    ),
    # ------------------------------------------------------------------------------------------------------ next turns
    Mutant(
        'question-in-an-answer-ends-it',
        'A line of an answer that begins with `User:` or `Question:` ends it, wherever it stands.',
        ('READ-34',),
        (
            edit(
                'clean.py',
                "if start and (at_label or (before and not lines[before:start].strip(SPACE + '\\n'))):",
                'if start:',
            ),
        ),
    ),
    Mutant(
        'fenced-question-ends-an-answer',
        'A line `User:` in a fence ends the answer.',
        ('READ-34', 'READ-13'),
        (edit('clean.py', '            if not (fence and fence.closed):\n', '            if True:\n'),),
    ),
    Mutant(
        'question-is-no-next-turn',
        'A `Question:` that the model asks itself stays in the answer.',
        ('READ-34',),
        (edit('clean.py', '(?:user|human|question)', '(?:user|human)'),),
    ),
    Mutant(
        'user-is-no-next-turn',
        'A `User:` that the model makes up stays in the answer.',
        ('READ-34',),
        (edit('clean.py', '(?:user|human|question)', '(?:human|question)'),),
    ),
)
