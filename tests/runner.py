"""What GitHub's runner obeys: how it reads the log, the output file and the expressions of an action."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NAMES = {'error', 'warning', 'notice', 'debug', 'group', 'endgroup', 'add-mask', 'stop-commands', 'set-output'}
_NEW = re.compile(r'\s*::([^ :]+)(?: (.*?))?::(.*)', re.DOTALL)
_OLD = re.compile(r'##\[([^ \]]+)(?: ([^\]]*))?\](.*)', re.DOTALL)
_EXPRESSION = re.compile(r'\$\{\{\s*(.*?)\s*\}\}')


class Command(NamedTuple):
    """A command that the runner takes out of the log."""

    name: str
    properties: dict[str, str]
    message: str


def commands(log: str) -> Iterator[Command]:
    """Yield what the runner obeys in a log: `::name key=value::message` and `##[name]message`, unless stopped."""
    token = None
    for line in log.split('\n'):
        found = _NEW.match(line) or _OLD.search(line)
        if found is None:
            continue
        name, given, message = found[1].lower(), found[2] or '', found[3]
        if token is not None:
            token = None if name == token else token
        elif name == 'stop-commands':
            token = message
        elif name in NAMES:
            pairs = (pair.split('=', 1) for pair in given.split(',') if '=' in pair)
            yield Command(name, {key: _read(value, ':,') for key, value in pairs}, _read(message))


def _read(text: str, more: str = '') -> str:
    for character in f'\r\n{more}%':
        text = text.replace(f'%{ord(character):02X}', character)
    return text


def outputs(text: str) -> dict[str, str]:
    """Return the outputs that a step has set."""
    return dict(line.split('=', 1) for line in text.splitlines())


def evaluated(value: str, inputs: Mapping[str, str], steps: Mapping[str, Mapping[str, str]]) -> str:
    """Return a value with its expressions, `${{ inputs.a }}` and `${{ steps.b.outputs.c }}`, replaced."""

    def replaced(found: re.Match[str]) -> str:
        match found[1].split('.'):
            case ['inputs', name]:
                return inputs[name]
            case ['steps', step, 'outputs', name]:
                return steps[step].get(name, '')
        raise AssertionError(f'another expression: {found[0]}')

    return _EXPRESSION.sub(replaced, value)


def expressions(value: Any) -> list[str]:
    """Return the expressions in a text."""
    return _EXPRESSION.findall(value)
