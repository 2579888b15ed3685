"""Mistakes in what the model reads of a tool's result."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_DUMPS = 'return json.dumps(value, ensure_ascii=False, allow_nan=False, default=to_text)'

MUTANTS = (
    Mutant(
        'observation-as-python',
        'An object that a tool returned is shown as Python.',
        ('TOOL-5',),
        (edit('values.py', 'as_json(value) if isinstance(value, (dict, list)) else to_text(value)', 'to_text(value)'),),
    ),
    Mutant(
        'lists-as-python',
        'A list that a tool returned is shown as Python.',
        ('TOOL-5',),
        (edit('values.py', 'isinstance(value, (dict, list)) else to_text', 'isinstance(value, dict) else to_text'),),
    ),
    Mutant(
        'texts-in-quotes',
        'A text that a tool returned is shown as JSON, in quotes.',
        ('TOOL-5',),
        (
            edit(
                'values.py',
                'isinstance(value, (dict, list)) else to_text',
                'isinstance(value, (dict, list, str)) else to_text',
            ),
        ),
    ),
    Mutant(
        'observation-in-escapes',
        'Characters beyond ASCII in an object are shown as escapes.',
        ('TOOL-5',),
        (
            edit(
                'values.py',
                _DUMPS,
                _DUMPS.replace('ensure_ascii=False, ', ''),
            ),
        ),
    ),
    Mutant(
        'observation-is-indented',
        'An object is shown over several lines.',
        ('TOOL-5',),
        (edit('values.py', _DUMPS, _DUMPS.replace('allow_nan', 'indent=2, allow_nan')),),
    ),
    Mutant(
        'observation-is-sorted',
        'The keys of an object are shown in another order.',
        ('TOOL-5',),
        (edit('values.py', _DUMPS, _DUMPS.replace('allow_nan', 'sort_keys=True, allow_nan')),),
    ),
    Mutant(
        'nan-in-an-observation',
        'NaN is shown as NaN, which is no JSON.',
        ('TOOL-6',),
        (edit('values.py', _DUMPS, _DUMPS.replace('allow_nan=False, ', '')),),
    ),
    Mutant(
        'odd-value-ends-the-run',
        'A result that JSON cannot hold ends the call with an error.',
        ('TOOL-6',),
        (
            edit(
                'values.py',
                '        except Exception:\n            return to_text(value)',
                '        except ZeroDivisionError:\n            return to_text(value)',
            ),
        ),
    ),
    Mutant(
        'observation-is-capped',
        'An observation of more than 4,000 characters is cut.',
        ('TOOL-7',),
        (
            edit(
                'values.py',
                'def observation_text(value: Any, cap: int | None = None)',
                'def observation_text(value: Any, cap: int | None = 4000)',
            ),
        ),
    ),
    Mutant(
        'observation-is-stripped',
        'White space around an observation is lost.',
        ('TOOL-5',),
        (
            edit(
                'values.py',
                '    if cap is None or len(text) <= cap:\n        return text\n',
                '    if cap is None or len(text) <= cap:\n        return text.strip()\n',
            ),
        ),
    ),
    Mutant(
        'empty-result-is-an-error',
        'A tool that returns nothing is taken for one that failed.',
        ('TOOL-5',),
        (
            edit(
                'loop.py',
                '        return observation_text(tools.call(call.name, call.arguments))\n',
                '        found = tools.call(call.name, call.arguments)\n'
                '        if not found:\n'
                "            raise ValueError('no result')\n"
                '        return observation_text(found)\n',
            ),
        ),
    ),
    Mutant(
        'odd-object-ends-the-run',
        'A result whose own text cannot be had is told as an error of the tool.',
        ('TOOL-6',),
        (
            edit(
                'values.py',
                '    try:\n        return str(value)\n    except Exception:\n        return f',
                '    try:\n        return str(value)\n    except ZeroDivisionError:\n        return f',
            ),
        ),
    ),
    Mutant(
        'half-a-character-in-an-observation',
        'Half a surrogate pair in a result goes into the prompt and the record.',
        ('TOOL-6', 'STACK-5'),
        (edit('values.py', "return text if text.isascii() else _SURROGATE.sub('\\ufffd', text)", 'return text'),),
    ),
    Mutant(
        'null-is-the-word-null',
        'A tool that returns None is shown as `null`.',
        ('TOOL-5',),
        (
            edit(
                'values.py',
                'as_json(value) if isinstance(value, (dict, list)) else to_text(value)',
                "'null' if value is None else as_json(value) if isinstance(value, (dict, list)) else to_text(value)",
            ),
        ),
    ),
)
