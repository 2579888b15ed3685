"""What several test files need.

Property tests are the same in every run; `HYPOTHESIS_PROFILE=search` looks for new examples instead.
"""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile('stable', derandomize=True, deadline=None)
settings.register_profile('search', deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'stable'))


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail at any connection that is tried."""

    def refuse(*_: Any) -> None:
        raise AssertionError('a connection was tried')

    monkeypatch.setattr(socket.socket, 'connect', refuse)
