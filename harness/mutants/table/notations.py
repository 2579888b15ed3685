"""Mistakes in the notations of an input: JSON5, Python, numbers, and what stands around the object."""

from __future__ import annotations

from harness.mutants import Mutant, edit

_FALLBACK = '        try:\n            value, end = _read_relaxed(text, start, JSON5)\n'
_UNREADABLE = '        except UnreadableError:\n            return None, False\n'
_OVERFLOW = '    if math.isinf(value) or (value == 0 and _NON_ZERO.match(digits)):\n'

MUTANTS = (
    Mutant(
        'words-are-replaced-in-texts',
        'Python is made JSON by replacing words and quotes everywhere, inside texts too.',
        ('READ-25', 'READ-26', 'READ-32'),
        (
            edit(
                'arguments.py',
                _FALLBACK,
                "        plain = text.replace(\"'\", '\"').replace('True', 'true').replace('False', 'false')\n"
                '        try:\n'
                "            return _JSON.raw_decode(plain.replace('None', 'null'), start)\n"
                '        except ValueError:\n'
                '            pass\n' + _FALLBACK,
            ),
        ),
    ),
    Mutant(
        'literal-eval-reads-inputs',
        'An input that is no JSON is read by `ast.literal_eval`, which joins texts and adds numbers.',
        ('READ-26',),
        (
            edit(
                'reader.py',
                _UNREADABLE,
                '        except UnreadableError:\n'
                '            import ast\n\n'
                '            try:\n'
                '                value = ast.literal_eval(self._section(own_input).strip())\n'
                '            except Exception:\n'
                '                return None, False\n'
                '            return (value, True) if isinstance(value, dict) else (None, False)\n',
            ),
        ),
    ),
    Mutant(
        'comments-are-unreadable',
        'A comment in an input makes it unreadable.',
        ('READ-25',),
        (
            edit(
                'relaxed.py',
                "        comment=r'//[^\\n\\r\\u2028\\u2029]*+|/\\*[^*]*+(?>(?:\\*(?!/)[^*]*+)*)\\*/',\n",
                '        comment=_NEVER,\n',
            ),
        ),
    ),
    Mutant(
        'trailing-commas-are-unreadable',
        'A comma behind the last item makes an input unreadable.',
        ('READ-25',),
        (edit('relaxed.py', "if tokens[-1].endswith(',') and", "if not tokens and tokens[-1].endswith(',') and"),),
    ),
    Mutant(
        'keys-need-quotes',
        'A key without quotes makes an input unreadable.',
        ('READ-25',),
        (edit('relaxed.py', "        name=r'(?!\\d)[\\w$]++',\n", '        name=_NEVER,\n'),),
    ),
    Mutant(
        'single-quotes-are-unreadable',
        'A text in single quotes makes an input unreadable.',
        ('READ-25',),
        (
            edit('relaxed.py', "(?P<plain>\\'[^\\'\"\\\\]*+\\'(?!\\'))", '(?P<plain>(?!))'),
            edit('relaxed.py', "        text=f'{_DOUBLE}|{_SINGLE}',\n", '        text=_DOUBLE,\n'),
            edit('relaxed.py', "(?:{_TRIPLE}|{_DOUBLE}|{_SINGLE})'", "(?:{_TRIPLE}|{_DOUBLE})'"),
        ),
    ),
    Mutant(
        'triple-quotes-are-unreadable',
        'A Python text in triple quotes makes an input unreadable.',
        ('READ-25',),
        (edit('relaxed.py', "(?:{_TRIPLE}|{_DOUBLE}|{_SINGLE})'", "(?:{_DOUBLE}|{_SINGLE})'"),),
    ),
    Mutant(
        'raw-texts-are-read-with-escapes',
        'The backslashes of a raw Python text are read as escapes.',
        ('READ-25', 'READ-32'),
        (
            edit(
                'relaxed.py',
                '    if raw:\n        return json.dumps(body, ensure_ascii=False)\n',
                '',
            ),
        ),
    ),
    Mutant(
        'hexadecimal-is-unreadable',
        'A hexadecimal number makes an input unreadable.',
        ('READ-25',),
        (edit('relaxed.py', 'int(digits, 0)', 'int(digits)'),),
    ),
    Mutant(
        'octals-are-read',
        'An octal number is read.',
        ('READ-26',),
        (
            edit(
                'relaxed.py',
                "number=r'0[xX][0-9a-fA-F_]++|0[bB][01_]++|'",
                "number=r'0[xX][0-9a-fA-F_]++|0[bBoO][0-7_]++|'",
            ),
            edit('relaxed.py', "r'0[xXbB]\\w++|[0-9_]++'", "r'0[xXbBoO]\\w++|[0-9_]++'"),
        ),
    ),
    Mutant(
        'escaped-apostrophe-is-unreadable',
        'An escaped apostrophe makes an input unreadable.',
        ('READ-25',),
        (
            edit(
                'relaxed.py',
                '    words={},\n    escapes={"\\\\\'": "\'", \'"\': \'\\\\"\'},\n',
                "    words={},\n    escapes={'\"': '\\\\\"'},\n",
            ),
        ),
    ),
    Mutant(
        'quotes-in-single-quotes-end-a-text',
        'A double quotation mark inside single quotes ends the text.',
        ('READ-25',),
        (
            edit(
                'relaxed.py', "    bare_quotes = '\"' in body and token[:width] != '\"'\n", '    bare_quotes = False\n'
            ),
        ),
    ),
    # --------------------------------------------------------------------------------------------------------- numbers
    Mutant(
        'infinity-by-overflow',
        'A number that no float can hold reaches the tool as infinity.',
        ('READ-29', 'READ-26'),
        (edit('arguments.py', _OVERFLOW, _OVERFLOW.replace('math.isinf(value) or ', '')),),
    ),
    Mutant(
        'tiny-number-is-zero',
        'A number that is too small for a float reaches the tool as zero.',
        ('READ-26', 'READ-32'),
        (edit('arguments.py', _OVERFLOW, '    if math.isinf(value):\n'),),
    ),
    Mutant(
        'long-integers-are-floats',
        'An integer of many digits reaches the tool as a float, with other digits at its end.',
        ('READ-32', 'TOOL-1'),
        (
            edit(
                'arguments.py',
                'def _int(digits: str) -> int:\n',
                'def _int(digits: str) -> int:\n    if len(digits) > 15:\n        return float(digits)\n',
            ),
        ),
    ),
    Mutant(
        'one-is-true',
        'A key that stands twice, with 1 and true, is taken for written twice the same.',
        ('READ-30',),
        (edit('arguments.py', '    if type(one) is not type(other):\n        return False\n', ''),),
    ),
    Mutant(
        'inner-keys-may-differ',
        'Of a key that stands twice inside an inner object the last value counts.',
        ('READ-30',),
        (
            edit(
                'arguments.py',
                '    if len(value) != len(pairs) and not',
                '    if len(value) != len(pairs) and any(isinstance(other, dict) for _, other in pairs) and not',
            ),
        ),
    ),
    Mutant(
        'half-a-character-reaches-the-tool',
        'Half a surrogate pair reaches the tool.',
        ('READ-26',),
        (edit('arguments.py', "        raise UnreadableError('half a surrogate pair') from None\n", '        pass\n'),),
    ),
    Mutant(
        'no-bound-of-depth',
        'An input of any depth is read.',
        ('READ-41',),
        (edit('relaxed.py', 'MAX_DEPTH = 64\n', 'MAX_DEPTH = 500\n'),),
    ),
    # ------------------------------------------------------------------------------------------------ around the object
    Mutant(
        'fence-around-an-input-is-unreadable',
        'A fence around an input makes it unreadable.',
        ('READ-24',),
        (
            edit(
                'arguments.py',
                "    start = section.find('{', first)\n",
                "    start = -1 if section.lstrip().startswith('```') else section.find('{', first)\n",
            ),
        ),
    ),
    Mutant(
        'prose-before-the-input-is-unreadable',
        'Words before the one object make an input unreadable.',
        ('READ-24',),
        (
            edit(
                'arguments.py',
                '        _check_leading(section[first:start])\n',
                "        raise UnreadableError('there is something before it')\n",
            ),
        ),
    ),
    Mutant(
        'value-of-a-key-runs',
        'An object that is the value of a key is run as the whole input.',
        ('READ-24', 'READ-26'),
        (
            edit(
                'arguments.py',
                "    if _KEY_BEFORE.search(leading[leading.rfind('\\n') + 1 :]):\n        raise UnreadableError('the object is the value of a key')\n",
                '',
            ),
        ),
    ),
    Mutant(
        'object-in-a-list-or-text-runs',
        'An object inside a list or a text is run as the whole input.',
        ('READ-28', 'READ-24'),
        (edit('arguments.py', "    if leading[0] in '\"\\'[“‘«' or leading", '    if leading'),),
    ),
    Mutant(
        'first-of-several-objects-runs',
        'Of several objects in a row the first is run.',
        ('READ-24',),
        (
            edit(
                'arguments.py',
                "    if _ANOTHER.match(trailing) or (alone and '{' in trailing):",
                "    if alone and '{' in trailing:",
            ),
        ),
    ),
    Mutant(
        'input-that-goes-on-is-cut',
        'An input that goes on behind its object is run as far as the object goes.',
        ('READ-24', 'READ-26'),
        (
            edit(
                'arguments.py',
                "    if _GOES_ON.match(trailing):\n        raise UnreadableError('the input goes on after the object')\n",
                '',
            ),
        ),
    ),
    Mutant(
        'null-input-is-unreadable',
        '`None` and `null` in place of an input are unreadable.',
        ('READ-31',),
        (edit('arguments.py', "rf'(?:none|null)[`~", "rf'(?:\\x00)[`~"),),
    ),
    Mutant(
        'words-are-a-missing-input',
        'An input that is nothing but words is taken for none, and the tool runs without it.',
        ('READ-28', 'READ-31'),
        (edit('arguments.py', "        raise UnreadableError('no object')\n", '        return None\n'),),
    ),
)
