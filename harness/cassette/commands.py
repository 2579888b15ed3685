"""The commands that a message names, written so that a shell takes them as they are."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from harness.cassette.asked import public
from harness.cassette.drift import ABSENT
from harness.cassette.place import place_of
from harness.llm import ENDPOINT
from harness.show.visible import spelled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    import httpx

_OPTIONS = {'temperature': float, 'max_tokens': int, 'seed': int}
"""What `record` can send besides the model, and the type it has to have."""


OWN_SERVER: Final = 'llama.cpp (xllamacpp '
"""How the name of a server begins that the harness starts for weights on this machine."""


def record_command(
    path: Path, base_url: str, body: Any = None, options: Sequence[str] = (), recorded: Any = None
) -> str:
    """Return the command that records the cassette of a path again, with the model and the options of a request.

    `body` is the body of the request; `options` are further words of the command, such as `('--node', 'folder')`;
    `recorded` is what the cassette says of its recording.
    """
    place = place_of(path)
    words = ['react-harness', 'record', place.scenario, '--model', place.model, *_where(base_url, recorded)]
    if place.epoch_of_several:
        words += ['--epoch', str(place.epoch)]
    if isinstance(body, dict):
        sent = body.get('model')
        if isinstance(sent, str) and sent != place.model:
            words += ['--send-model', sent]
        for key, kind in _OPTIONS.items():
            value = body.get(key, ABSENT)
            if isinstance(value, kind | int) and not isinstance(value, bool):
                words += [f'--{key.replace("_", "-")}', str(value)]
    return _command([*words, *options])


def accept_command(path: Path, options: Sequence[str] = ()) -> str:
    """Return the command that keeps the recorded answers of a cassette for the requests that are made now."""
    place = place_of(path)
    return _command(['react-harness', 'accept-drift', place.scenario, '--model', place.model, *options])


def base_url_of(url: httpx.URL | str) -> str:
    """Return the base URL that leads to the URL of a request, without passwords and keys."""
    url = public(url)
    path, mark, query = url.raw_path.partition(b'?')
    return str(url.copy_with(raw_path=path.removesuffix(ENDPOINT.encode()) + mark + query))


def _where(base_url: str, recorded: Any) -> list[str]:
    """Return where the model is asked: weights of this machine are named, for nobody listens at their address now."""
    about = recorded if isinstance(recorded, dict) else {}
    if not (str(about.get('server')).startswith(OWN_SERVER) and isinstance(about.get('file'), str)):
        return ['--base-url', base_url]
    settings = [(f'--{key}', about.get(key)) for key in ('threads', 'context')]
    return ['--local', about['file'], *(str(word) for pair in settings if type(pair[1]) is int for word in pair)]


def _command(words: Sequence[str]) -> str:
    return ' '.join(map(_word, words))


def _word(text: str) -> str:
    """Return a word as a shell reads it, always on one line: a file could smuggle in what looks like a command."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = text.replace('\\', '\\\\').replace("'", "\\'")
    return "$'" + ''.join(c if c.isprintable() else spelled(c) for c in escaped) + "'"
