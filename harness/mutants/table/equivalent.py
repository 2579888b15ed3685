"""Changes that nobody can see at the doors of the engine. They have to survive: they prove that the hunt is fair."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_START = "        _send(instance, message='Starting LlamaIndex agent...')\n"

MUTANTS = (
    Mutant(
        'start-message-after-the-tools',
        'The start is told after the tools were asked for.',
        ('SSE-1',),
        (
            edit('agent.py', _START, ''),
            edit('agent.py', '        prompt = Prompt(', _START + '        prompt = Prompt('),
        ),
        equivalent='No event and no LLM call comes between; that tool nodes are asked for their tools is no event.',
    ),
    Mutant(
        'progress-that-fails-is-fatal',
        'A run whose progress nobody takes ends with an error.',
        ('SSE-1',),
        (
            edit(
                'agent.py',
                '    except Exception as error:\n        # Nobody',
                '    except ZeroDivisionError as error:\n        # Nobody',
            ),
        ),
        equivalent='The stand-in engine takes every event; the unit tests of the node let one fail.',
    ),
    Mutant(
        'agent-is-kept-after-the-end',
        'The agent is not let go when the node ends.',
        ('FACE-10',),
        (edit('IGlobal.py', '        self.agent = None\n', '        return\n'),),
        equivalent='The engine asks a node that has ended nothing more, and lets go of the node itself.',
    ),
    Mutant(
        'input-is-copied-as-json',
        'The input of a call is copied by writing it as JSON and reading it again.',
        ('TOOL-9', 'READ-32'),
        (edit('channels.py', 'input=copy.deepcopy(arguments)', 'input=json.loads(json.dumps(arguments))'),),
        equivalent='What the reader returns is plain JSON: objects, lists, texts, finite numbers of a bounded length.',
    ),
    Mutant(
        'observation-without-the-short-cut',
        'Every text is searched for an observation label, those too that do not hold the word.',
        ('READ-5', 'READ-41'),
        (edit('labels.py', "    if 'observation' not in lines.lower():\n        return len(lines)\n", ''),),
        equivalent='The pattern finds nothing where the word is not; the search takes longer, in linear time still.',
    ),
    Mutant(
        'nothing-is-logged',
        'The log does not tell that a run starts.',
        ('META-1',),
        (edit('agent.py', "        debug(f'{FRAMEWORK} agent: run {run_id} starts')\n", ''),),
        equivalent='The log of the engine is no door: no pipeline and no caller reads it.',
    ),
    Mutant(
        'question-is-copied-once',
        "The prompt keeps the caller's own question and copies it at each turn only.",
        ('FACE-11',),
        (
            edit('prompt.py', '        self._question = _whole(question)\n', '        self._question = question\n'),
            edit(
                'prompt.py',
                '        question = self._question.model_copy(deep=True)\n        question.expectJson',
                '        question = _whole(self._question)\n        question.expectJson',
            ),
        ),
        equivalent='Each turn works on a copy of its own as before; nobody changes the question while a run lasts.',
    ),
    Mutant(
        'guard-is-checked-before-the-setting',
        'The guard asks for the count first and for its setting then.',
        ('GUARD-1', 'GUARD-2'),
        (
            edit(
                'agent.py',
                'if self.config.require_tool_call and not trace.tool_calls:',
                'if not trace.tool_calls and self.config.require_tool_call:',
            ),
        ),
        equivalent='Both are plain values: the order of the two questions changes nothing.',
    ),
    Mutant(
        'no-reply-is-the-word-none',
        'An LLM node that gives no text is read as having said `None`.',
        ('READ-39',),
        (edit('channels.py', "return '' if text is None else str(text)", 'return str(text)'),),
        equivalent='An LLM node gives an answer object, whose text is an empty one where the model gave none.',
    ),
)
