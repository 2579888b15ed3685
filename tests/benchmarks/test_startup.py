"""How long a person waits for the command line and for the pytest plugin, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

COMMANDS = {
    'python': ['-c', 'pass'],
    'click': ['-c', 'import click'],
    'help': ['-m', 'harness.cli', '--help'],
    'run_help': ['-m', 'harness.cli', 'run', '--help'],
    'schema': ['-m', 'harness.cli', 'schema'],
    'plugin': ['-c', 'import pytest, harness.pytest_plugin'],
    'pytest': ['-c', 'import pytest'],
}


@pytest.mark.parametrize('name', COMMANDS)
def test_startup(benchmark: Any, name: str) -> None:
    command = [sys.executable, *COMMANDS[name]]
    benchmark.pedantic(
        subprocess.run, args=(command,), kwargs={'check': True, 'capture_output': True}, rounds=11, warmup_rounds=1
    )
