"""The console: what is printed is masked, in whatever pieces it is printed."""

from __future__ import annotations

import io
import logging
import subprocess
import sys

import click
import pytest
from canaries import found, shaped

from harness.secrets import Guard
from harness.secrets.stream import Masked, masked_console

KEY = shaped('console')
GUARD = Guard()
PEM = '\n'.join(['-----BEGIN PRIVATE KEY-----', *[KEY.replace('-', '')[:64]] * 5, '-----END PRIVATE KEY-----'])


class Terminal(io.StringIO):
    """A terminal in memory."""

    encoding = 'utf-8'

    def isatty(self) -> bool:
        return True


def printed(*pieces: str, flush: bool = True) -> str:
    """Return what comes out where a program prints some pieces and ends."""
    stream = io.StringIO()
    masked = Masked(stream, GUARD)
    for piece in pieces:
        masked.write(piece)
        if flush:
            masked.flush()
    masked.close()
    return stream.getvalue()


@pytest.mark.parametrize('size', [1, 2, 3, 7, 50, 1000])
@pytest.mark.parametrize('flush', [True, False])
@pytest.mark.parametrize(
    ('text', 'shown'),
    [
        (f'The key is {KEY} here.\n', 'The key is *** here.\n'),
        (f'{KEY}', '***'),
        (f'a\n{KEY[:40]}\n{KEY[40:]}\nb\n', 'a\n***\nb\n'),
        (f'a\n"{KEY[:30]}"\n  "{KEY[30:70]}"\n  "{KEY[70:]}"\nb\n', 'a\n"***"\nb\n'),
        (f'a\n{PEM}\nb\n', 'a\n***\nb\n'),
        ('No key, 12 words\r\nand\tlines.\n\n', 'No key, 12 words\r\nand\tlines.\n\n'),
    ],
)
def test_a_key_is_masked_in_whatever_pieces_it_is_printed(text: str, shown: str, size: int, flush: bool) -> None:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert printed(*pieces, flush=flush) == shown


def test_lines_come_out_as_they_end_and_a_flush_gives_what_is_no_key() -> None:
    stream = io.StringIO()
    masked = Masked(stream, GUARD)
    masked.write('one\ntwo')
    assert stream.getvalue() == 'one\n'
    masked.write(' three ')
    masked.flush()
    assert stream.getvalue() == 'one\ntwo three '


def test_a_stream_that_goes_on_for_long_without_a_line_end_is_not_held_for_ever() -> None:
    stream = io.StringIO()
    masked = Masked(stream, GUARD)
    masked.write('-----BEGIN PRIVATE KEY-----\n' + 'QUJD\n' * 20_000)
    assert stream.getvalue() == '***\n'


def test_a_program_cannot_tell_it_from_its_own_console(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, 'stdout', terminal)
    with masked_console(GUARD):
        assert sys.stdout.isatty()
        assert sys.stdout.encoding == 'utf-8'
        click.secho(f'Here: {KEY}', fg='red')
        with pytest.raises(TypeError):
            sys.stdout.write(b'bytes')  # type: ignore[arg-type]
    assert terminal.getvalue() == '\x1b[31mHere: ***\x1b[0m\n'
    assert sys.stdout is terminal


def test_logs_and_warnings_on_the_console_are_masked(capsys: pytest.CaptureFixture[str]) -> None:
    with masked_console(GUARD):
        handler = logging.StreamHandler(sys.stderr)
        logger = logging.getLogger('a-leaky-one')
        logger.addHandler(handler)
        try:
            logger.error('It is %s', KEY)
        finally:
            logger.removeHandler(handler)
    assert capsys.readouterr().err == 'It is ***\n'


def test_an_error_that_ends_the_program_is_shown_masked() -> None:
    program = f"""
from harness.secrets.stream import masked_console
with masked_console():
    print('begun')
    raise RuntimeError('no access with ' + {KEY!r}[:100] + {KEY!r}[100:])
"""
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, check=False)

    assert done.returncode == 1
    assert done.stdout == b'begun\n'
    assert b'RuntimeError: no access with ***' in done.stderr
    assert found([KEY], {'console': done.stdout + done.stderr}) == {}
