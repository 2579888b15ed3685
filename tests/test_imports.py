"""What a command imports: asking for help must not wait for libraries that it does not use."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from example_suite import ERRANDS, Suite

if TYPE_CHECKING:
    from pathlib import Path

PROBE = """
import sys
from harness.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    code = end.code
print(code, *sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)
print(*sorted(name for name in sys.modules if name.startswith('harness')), file=sys.stderr)
"""


def modules(*arguments: str | Path) -> tuple[set[str], set[str]]:
    """Run a command in a new process; return the top-level modules it loaded, and the harness's own ones."""
    command = [sys.executable, '-c', PROBE, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, encoding='utf-8', check=True)
    code_and_top, own = done.stderr.splitlines()[-2:]
    code, *top = code_and_top.split()
    assert code in ('0', 'None'), done.stderr
    return set(top), set(own.split())


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite of one scripted scenario."""
    found = Suite(tmp_path)
    found.cassettes.mkdir()
    found.add()
    return found


@pytest.mark.parametrize(
    'arguments',
    [
        ('--help',),
        ('--version',),
        ('run', '--help'),
        ('record', '--help'),
        ('accept-drift', '--help'),
        ('capture', '--help'),
    ],
)
def test_help_imports_the_command_line_and_click_only(arguments: tuple[str, ...]) -> None:
    top, own = modules(*arguments)

    assert {name for name in own if not name.startswith('harness.cli')} == {'harness'}
    libraries = {
        'pydantic',
        'yaml',
        'httpx',
        'vcr',
        'jinja2',
        'json5',
        'deepdiff',
        'llama_index',
        'rocketride',
        'pytest',
    }
    assert not top & libraries


def test_listing_imports_no_engine_and_no_model_side(suite: Suite) -> None:
    top, own = modules('list', '--scenarios', suite.scenarios)

    assert not top & {'rocketlib', 'rocketride', 'llama_index', 'vcr', 'jinja2'}
    assert 'harness.run' not in own


def test_a_scripted_run_imports_no_cassettes_and_no_report(suite: Suite) -> None:
    top, own = modules('run', '--scenarios', suite.scenarios, '--node', ERRANDS)

    assert 'harness.run' in own
    assert not top & {'vcr', 'jinja2', 'llama_index', 'numpy', 'scipy', 'pandas'}
    assert not {name for name in own if name.startswith(('harness.scorecard', 'harness.metrics', 'harness.matrix'))}


def test_the_report_imports_no_engine() -> None:
    def loaded(module: str) -> set[str]:
        probe = f'import sys, {module}; print(*sys.modules)'
        return set(
            subprocess.run([sys.executable, '-c', probe], capture_output=True, text=True, check=True).stdout.split()
        )

    built = {name.partition('.')[0] for name in loaded('harness.scorecard.build')}
    assert not built & {'click', 'httpx', 'vcr', 'rocketride', 'rocketlib', 'llama_index'}
    assert not {name for name in loaded('harness.scorecard.made') if name.startswith('harness.engine')}
