"""What is no part of a step or an answer: reasoning blocks, tokens of chat templates, turns of somebody else."""

from __future__ import annotations

import re

from .fences import fence_at, find_fences
from .labels import SPACE, end_of_run, label_at, line_text, run_of

_NAMES = 'think|thinking|reasoning'
_OPENING = re.compile(rf'[{SPACE}]*+<(?P<open>{_NAMES})[ \t]*+>', re.IGNORECASE)
_TAG = re.compile(
    rf'^(?=[^\n])[{SPACE}]*+<(?P<open>{_NAMES})[ \t]*+>|</(?:{_NAMES})[ \t]*+>', re.IGNORECASE | re.MULTILINE
)
_CLOSING = {name: re.compile(rf'</{name}[ \t]*+>', re.IGNORECASE) for name in _NAMES.split('|')}

_TOKENS = ('</s>', '<eos>', '<end_of_turn>', '<end_of_utterance>', '<｜end▁of▁sentence｜>', '[/INST]')
# Read backwards, so that they are found from the end, in time linear in their length.
_TOKENS_BACKWARDS = run_of(r'\s++|>\|[A-Za-z0-9_]{1,40}+\|<|' + '|'.join(re.escape(token[::-1]) for token in _TOKENS))


def drop_reasoning(text: str) -> tuple[str, tuple[int, ...]]:
    """Return `text` without its reasoning blocks, and the indices in it where one was taken out.

    A block opens at a line start only; one that never closes runs to the end, and a closing tag that closes nothing
    makes everything before it reasoning. What follows a block on its line stands at a line start.
    """
    if '<' not in text:
        return text, ()
    lines = line_text(text)
    kept: list[str] = []
    seams: list[int] = []
    at = position = length = 0
    while True:
        tag = (position == at and at and _OPENING.match(lines, at)) or _TAG.search(lines, position)
        if not tag:
            return ''.join(kept) + text[at:], tuple(seams)
        name = tag.groupdict().get('open')
        if name is None:
            kept, seams, length = [], [], 0
            at = position = tag.end()
            continue
        kept.append(text[at : tag.start()])
        length += tag.start() - at
        closing = _CLOSING[name.casefold()].search(lines, tag.end())
        if closing is None:
            return ''.join(kept), tuple(seams)
        seams.append(length)
        at = position = closing.end()


def drop_template_tokens(text: str) -> str:
    """Return `text` without the white space and the chat-template tokens at its end."""
    return text[: len(text) - end_of_run(_TOKENS_BACKWARDS, text[::-1])]


def drop_next_turns(text: str, *, label_follows: bool) -> str:
    """Return an answer up to where the model goes on with a turn of somebody else (`User:`, `Human:`, `Question:`).

    Such a line counts after an empty line, or directly before a line with a label, but not in a fence. The text starts
    on the line of its own label; `label_follows` says whether another one stands behind it.
    """
    lines = line_text(text)
    fences = find_fences(lines)
    for match in _NEXT_TURN.finditer(lines):
        start = match.start()
        before = lines.rfind('\n', 0, max(start - 1, 0)) + 1
        behind = (lines.find('\n', match.end()) + 1) or len(lines)
        at_label = label_follows if behind == len(lines) else label_at(lines, behind)
        if start and (at_label or (before and not lines[before:start].strip(SPACE + '\n'))):
            fence = fence_at(fences, start)
            if not (fence and fence.closed):
                return text[:start]
    return text


_NEXT_TURN = re.compile(
    rf'^(?=[^\n])[{SPACE}]*+(?:user|human|question)[{SPACE}]*+[:\uff1a]', re.IGNORECASE | re.MULTILINE
)


def neutralise_tags(text: str) -> str:
    """Return `text` with the bare name of each reasoning tag at a line start, so that no block opens there again."""
    return _OPENING_LINE.sub(r'\1', text) if '<' in text else text


_OPENING_LINE = re.compile(rf'(?:^|(?<=[\r\u2028\u2029]))[{SPACE}]*+<({_NAMES})[ \t]*+>', re.IGNORECASE | re.MULTILINE)
