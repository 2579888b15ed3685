"""Cassettes: the recorded HTTP exchanges of a scenario with a model in one epoch, and the tapes they are played on.

A tape gives an `httpx.Client`, and what goes through that client is recorded or replayed by vcrpy, nothing else is: no
library is patched, so tools may make requests of their own, scripted child agents keep their scripts, and several
replays may run at once.

    with replaying(cassette_path(root, 'one-tool', 'model')) as tape:
        client = ChatClient(tape.spec, tape.http)
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx

from harness.cassette.drift import Difference, Drift
from harness.cassette.file import CassetteError, NotRecorded, Unplayed
from harness.cassette.place import Place, cassette_path, cassettes_of, kept_path, place_of
from harness.llm import ModelSpec, live_http

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from harness.cassette.deck import Deck

__all__ = [
    'CassetteError',
    'Difference',
    'Drift',
    'NotRecorded',
    'Place',
    'Tape',
    'Unplayed',
    'cassette_path',
    'cassettes_of',
    'kept_path',
    'place_of',
    'recording',
    'replaying',
    'spec_of',
]


def spec_of(path: Path) -> ModelSpec:
    """Return the model of a cassette, as its first request tells; inside a replay `Tape.spec` says the same.

    Raises:
        CassetteError: the file is no cassette, or has no request to a model.
    """
    from harness.cassette.replay import Replay

    return Replay(path).spec


@contextmanager
def replaying(path: Path, options: Callable[[], Sequence[str]] = tuple) -> Iterator[Tape]:
    """Give a tape whose client answers from the cassette, request by request in the recorded order, with no network.

    `options` gives further words of the commands that an error names, such as `('--node', 'folder')`.

    Raises:
        NotRecorded: there is no such cassette.
        CassetteError: the file is no cassette.
        Drift: a request was not the recorded one; raised at the request and again at the end of the block, since the
            node under test may have taken the first one for an error of its model.
    """
    from harness.cassette.replay import Replay  # vcrpy takes long to import

    replay = Replay(path, options)
    with Tape(replay) as tape:
        try:
            yield tape
        except Exception as error:
            if replay.drift is not None and error is not replay.drift:
                raise replay.drift from error
            raise
    if replay.drift is not None:
        raise replay.drift


@contextmanager
def recording(
    path: Path, *, through: httpx.Client | None = None, about: Mapping[str, Any] | None = None
) -> Iterator[Tape]:
    """Give a tape whose client reaches the server (`through` another client), and write the cassette at the end.

    The cassette replaces an earlier one only when the block ends without an exception and every request was answered;
    an answer may be an HTTP error. Of the headers only the content types get into it, of the URL no key or password.
    `about` is written in front, as `recorded`: what is known of model and server (JSON values).

    Raises:
        CassetteError: a request got no answer, or none was made; nothing was written.
    """
    from harness.cassette.deck import Recorder

    recorder = Recorder(path, through or live_http(), about)
    with Tape(recorder) as tape:
        yield tape
    recorder.save()


class Tape:
    """A cassette in use: the client that goes through it, and how far it got."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        self.path = deck.path
        """The file."""
        self.http = httpx.Client(transport=deck, trust_env=False)
        """The client that is recorded or replayed; it is closed at the end of the block."""

    def __enter__(self) -> Tape:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    @property
    def spec(self) -> ModelSpec:
        """The model of the cassette, as the first recorded request tells."""
        return self._deck.spec

    @property
    def played(self) -> int:
        """How many requests were answered so far."""
        return self._deck.played

    @property
    def unplayed(self) -> int:
        """How many interactions of the cassette were not asked for so far; 0 while recording."""
        return len(self._deck.cassette) - self._deck.played

    def finish(self) -> None:
        """Check that every recorded turn was asked for.

        Raises:
            Unplayed: some were not; the error stands at the first of them.
        """
        self._deck.finish()

    @property
    def drift(self) -> Drift | None:
        """The first request that was not the recorded one."""
        return self._deck.drift
