"""Mistakes in reading the input of an action."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_READ = (
    '            return read_input(self._section(own_input), [seam - own_input.end for seam in self._seams]), True\n'
)
_FAILS = '        except UnreadableError:\n            return None, False\n\n    def _first_line'

MUTANTS = (
    Mutant(
        'input-is-evaluated',
        'An input that is no JSON is given to `eval`.',
        ('READ-26', 'READ-41'),
        (
            edit(
                'reader.py',
                _FAILS,
                '        except UnreadableError:\n'
                '            try:\n'
                "                value = eval(self._section(own_input).strip(), {'null': None, 'true': True, 'false': False})\n"
                '            except Exception:\n'
                '                return None, False\n'
                '            return (value, True) if isinstance(value, dict) else (None, False)\n\n'
                '    def _first_line',
            ),
        ),
    ),
    Mutant(
        'unreadable-input-is-empty',
        'An input that cannot be read is an empty object, and the tool runs.',
        ('READ-37', 'READ-27'),
        (
            edit(
                'reader.py',
                _FAILS,
                '        except UnreadableError:\n            return {}, True\n\n    def _first_line',
            ),
        ),
    ),
    Mutant(
        'unreadable-input-is-a-string',
        'An input that cannot be read is passed on as `{"input": text}`.',
        ('READ-28',),
        (
            edit(
                'reader.py',
                _FAILS,
                "        except UnreadableError:\n            return {'input': self._section(own_input).strip()}, True\n\n    def _first_line",
            ),
        ),
    ),
    Mutant(
        'cut-off-input-is-closed',
        'An input that is cut off gets the brackets that are missing.',
        ('READ-27',),
        (
            edit(
                'arguments.py',
                '        value, end = _JSON.raw_decode(text, start)\n    except RecursionError:',
                "        value, end = _JSON.raw_decode(text + ('\"}' if text.count('\"') % 2 else '}') * (text.count('{') > text.count('}')), start)\n"
                '    except RecursionError:',
            ),
        ),
    ),
    Mutant(
        'inner-quotes-are-repaired',
        'Quotation marks inside a text are guessed to be text.',
        ('READ-27',),
        (
            edit(
                'reader.py',
                _READ,
                "            section = re.sub(r'(?<=\\w)\"|\"(?=\\w+\" )', '', self._section(own_input)) if own_input else ''\n"
                '            try:\n'
                f'    {_READ}'
                '            except UnreadableError:\n'
                '                found = re.search(r\'"(\\w+)": "(.*)"}\', self._section(own_input), re.DOTALL)\n'
                '                if found is None:\n'
                '                    raise\n'
                '                return {found[1]: found[2]}, bool(section is not None)\n',
            ),
        ),
    ),
    Mutant(
        'line-ends-in-texts-are-unreadable',
        'A raw line end inside a text makes an input unreadable.',
        ('READ-25',),
        (edit('arguments.py', 'parse_constant=_constant, strict=False', 'parse_constant=_constant, strict=True'),),
    ),
    Mutant(
        'no-json5',
        'Keys without quotes, comments and trailing commas are unreadable.',
        ('READ-25',),
        (
            edit(
                'arguments.py',
                '            value, end = _read_relaxed(text, start, JSON5)\n',
                "            raise UnreadableError('no JSON')\n",
            ),
        ),
    ),
    Mutant(
        'no-python-literals',
        '`True`, `None` and the like are unreadable.',
        ('READ-25',),
        (edit('arguments.py', '            value, end = _read_relaxed(text, start, PYTHON)\n', '            raise\n'),),
    ),
    Mutant(
        'prose-behind-the-input-is-unreadable',
        'An input must end its section.',
        ('READ-24',),
        (edit('arguments.py', '    if _GOES_ON.match(trailing):', '    if trailing.strip():'),),
    ),
    Mutant(
        'first-of-two-objects-runs',
        'Of two objects behind prose the first one is run.',
        ('READ-24',),
        (
            edit(
                'arguments.py',
                "    if _ANOTHER.match(trailing) or (alone and '{' in trailing):\n        raise UnreadableError('more than one object')\n",
                '',
            ),
        ),
    ),
    Mutant(
        'first-item-of-a-list-runs',
        'Of a list the first object is run.',
        ('READ-28',),
        (
            edit('arguments.py', '    if start > first:\n        _check_leading(section[first:start])\n', ''),
            edit('arguments.py', '    _check_trailing(section[end:], alone=start > first)\n', ''),
        ),
    ),
    Mutant(
        'object-that-ended-too-early-runs',
        'An object that a quotation mark ended too early is run as far as it goes.',
        ('READ-27',),
        (
            edit(
                'arguments.py',
                "    if trailing.count('\"') % 2 or _closes_again(trailing):\n        raise UnreadableError('a quotation mark in the middle of a string ended the object too early')\n",
                '',
            ),
        ),
    ),
    Mutant(
        'nan-is-a-number',
        'NaN and infinities are passed to the tool.',
        ('READ-29',),
        (edit('arguments.py', "    raise UnreadableError(f'{name} is not JSON')", '    return float(name)'),),
    ),
    Mutant(
        'last-of-two-keys-wins',
        'Of a key that stands twice the last value counts.',
        ('READ-30',),
        (
            edit(
                'arguments.py',
                '    if len(value) != len(pairs) and not all(_same(value[key], other) for key, other in pairs):\n',
                '    if False:\n',
            ),
        ),
    ),
    Mutant(
        'key-written-twice-is-unreadable',
        'A key that stands twice with the same value makes an input unreadable.',
        ('READ-30',),
        (
            edit(
                'arguments.py',
                '    if len(value) != len(pairs) and not all(_same(value[key], other) for key, other in pairs):\n',
                '    if len(value) != len(pairs):\n',
            ),
        ),
    ),
    Mutant(
        'missing-input-runs',
        'A tool that requires an input runs without one.',
        ('READ-31',),
        (edit('reader.py', '(arguments is None and self._tools[name])', 'False'),),
    ),
    Mutant(
        'missing-input-is-always-unreadable',
        'A tool that requires nothing does not run without an input.',
        ('READ-31',),
        (edit('reader.py', '(arguments is None and self._tools[name])', 'arguments is None'),),
    ),
    Mutant(
        'integers-are-floats',
        'Whole numbers reach the tool as floats.',
        ('READ-32', 'TOOL-1'),
        (edit('arguments.py', 'parse_int=_int, parse_float=_float', 'parse_int=_float, parse_float=_float'),),
    ),
    Mutant(
        'numbers-are-texts',
        'Numbers reach the tool as texts.',
        ('READ-32', 'TOOL-1'),
        (edit('arguments.py', 'parse_int=_int, parse_float=_float', 'parse_int=str, parse_float=str'),),
    ),
    Mutant(
        'nulls-are-left-out',
        'A key whose value is null does not reach the tool.',
        ('READ-32', 'TOOL-1'),
        (
            edit(
                'arguments.py',
                "        raise UnreadableError('a key stands twice, with two values')\n    return value\n",
                "        raise UnreadableError('a key stands twice, with two values')\n    return {key: item for key, item in value.items() if item is not None}\n",
            ),
        ),
    ),
    Mutant(
        'texts-are-stripped',
        'White space around a text of the input is lost.',
        ('READ-32', 'TOOL-1'),
        (
            edit(
                'arguments.py',
                "        raise UnreadableError('a key stands twice, with two values')\n    return value\n",
                "        raise UnreadableError('a key stands twice, with two values')\n"
                '    return {key: item.strip() if isinstance(item, str) else item for key, item in value.items()}\n',
            ),
        ),
    ),
    Mutant(
        'input-across-a-reasoning-block-runs',
        'An input that a reasoning block stood in is run without it.',
        ('READ-1',),
        (edit('arguments.py', '    if any(start < seam < end for seam in seams):\n', '    if False:\n'),),
    ),
    Mutant(
        'unknown-escape-is-kept',
        'A backslash that JSON does not know is taken for itself.',
        ('READ-26',),
        (
            edit(
                'arguments.py',
                '        value, end = _JSON.raw_decode(text, start)\n    except RecursionError:',
                "        text = text[:start] + re.sub(r'\\\\(?![\"\\\\/bfnrtu\\'])', r'\\\\\\\\', text[start:])\n"
                '        value, end = _JSON.raw_decode(text, start)\n    except RecursionError:',
            ),
        ),
    ),
    Mutant(
        'input-of-an-unknown-tool-is-lost',
        'The step of an unknown tool records an empty input.',
        ('TOOL-4',),
        (
            edit(
                'reader.py',
                'return Call(self._thought(action), name, arguments or {}, known=False) if',
                'return Call(self._thought(action), name, {}, known=False) if',
            ),
        ),
    ),
)
