"""The node's reader for the tests: its package imports the platform, so that one has to be there first."""

from __future__ import annotations

from harness.engine.platform import ensure_platform

ensure_platform()

from agent_llamaindex.arguments import read_input  # noqa: E402
from agent_llamaindex.reader import Answer, Call, Direct, canonical, read  # noqa: E402
from agent_llamaindex.relaxed import MAX_DEPTH, UnreadableError  # noqa: E402

__all__ = ['MAX_DEPTH', 'Answer', 'Call', 'Direct', 'UnreadableError', 'canonical', 'read', 'read_input']
