"""Nodes that never were right: the library's own parser without a reader in front of it, and miniature nodes."""

from __future__ import annotations

from harness.mutants import Edit, Mutant, edit

_RAW_READER = '''"""A reader that is nothing but the library's own parser."""

from llama_index.core.agent.react import ReActOutputParser
from llama_index.core.agent.react.types import ActionReasoningStep

from .reader import Answer, Call, Direct


def read(output, tools):
    try:
        step = ReActOutputParser().parse(output or '')
    except Exception:
        text = (output or '').strip()
        return Direct(text.removeprefix('Thought:').strip())
    if isinstance(step, ActionReasoningStep):
        return Call(step.thought, step.action, dict(step.action_input), known=step.action in tools)
    return Answer(step.thought, step.response)
'''

MUTANTS = (
    Mutant(
        'raw-library-parser',
        "The library's own parser reads the turns, with no reader in front of it.",
        ('READ-5', 'READ-26', 'READ-27', 'READ-41'),
        (
            edit(
                'loop.py',
                'from .reader import Answer, Call, Direct, read',
                'from .raw import read\nfrom .reader import Answer, Call, Direct',
            ),
            Edit('raw.py', None, _RAW_READER),
        ),
    ),
    Mutant(
        'answers-everything',
        'A node that gives the same answer to everything.',
        ('LOOP-6', 'READ-18'),
        node='answers_everything',
    ),
    Mutant(
        'echoes-the-question', 'A node that gives the question back.', ('LOOP-6', 'READ-18'), node='echoes_question'
    ),
    Mutant(
        'echoes-the-model',
        'A node that delivers the first output of its model as it is.',
        ('LOOP-6', 'READ-36'),
        node='echoes_model',
    ),
    Mutant('never-stops', 'A node that asks its model for ever.', ('LOOP-1',), node='never_stops'),
    Mutant('says-nothing', 'A node that returns nothing and writes nothing.', ('FACE-1',), node='says_nothing'),
    Mutant(
        'calls-every-tool',
        'A node that calls every tool and then asks its model.',
        ('TOOL-1',),
        node='calls_every_tool',
    ),
    Mutant(
        'native-calls-only',
        'A node for models that write JSON tool calls; what they write as text is the answer.',
        ('LOOP-9', 'LOOP-6'),
        node='native_calls_only',
    ),
)
