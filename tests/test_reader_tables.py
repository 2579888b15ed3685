"""The outputs that were measured on the library's parser, and what the reader makes of each: two tables."""

from __future__ import annotations

import json

import pytest
from node_reader import MAX_DEPTH, Answer, Call, Direct, read

TOOLS = dict.fromkeys(
    (
        's', 'search', 'get', 'sql', 'mail', 're', 'rd', 'calc', 'first', 'second', 'delete_all', 'delete_file', '検索',
        'tool_http_request_1.get', 'web-search-v2',
    ),
    True,
) | {'list_all': False}  # fmt: skip

SAME = Direct('the output itself')
MALFORMED = Direct('the output without its first label', malformed=True)


def input_of_s(text: str) -> str:
    return f'Thought: x\nAction: s\nAction Input: {text}'


# The library runs something else than was written here: another step's input, a part of it, a sum of it, another tool.
DANGEROUS = {
    "a text as input, another step's object": (
        'Thought: x\nAction: delete_file\nAction Input: "a.txt"\nObservation: ok\nThought: y\nAction: search\n'
        'Action Input: {"q": 1}',
        Direct('x\nAction: delete_file\nAction Input: "a.txt"', malformed=True),
    ),
    "no input, another step's object": (
        'Thought: x\nAction: list_all\nThought: next\nAction: search\nAction Input: {"q": 1}',
        Call('x', 'list_all', {}),
    ),
    'an object below the name, without its label': (
        'Thought: x\nAction: list_all\nInput: {"q": 1}',
        Direct('x\nAction: list_all\nInput: {"q": 1}', malformed=True),
    ),
    'a bare object below the name': ('Thought: x\nAction: list_all\n\n{"q": 1}', MALFORMED),
    "no required input, another step's object": (
        'Thought: x\nAction: s\nThought: next\nAction: search\nAction Input: {"q": 1}',
        MALFORMED,
    ),
    'two steps behind a preamble': (
        'Sure!\nThought: a\nAction: first\nAction Input: {"q": 1}\nThought: b\nAction: second\nAction Input: {"q": 2}',
        Call('Sure!\n a', 'first', {'q': 1}),
    ),
    'an invented result, then another step': (
        'Sure!\nThought: a\nAction: first\nAction Input: {"q": 1}\nObservation: done\nThought: b\n'
        'Action: delete_all\n'
        'Action Input: {"q": 2}',
        Call('Sure!\n a', 'first', {'q': 1}),
    ),
    "Python words, another step's object": (
        'Thought: a\nAction: first\nAction Input: {"q": True}\nThought: b\nAction: second\n'
        'Action Input: {"user": "bob"}',
        Call('a', 'first', {'q': True}),
    ),
    'Python words, an object in the prose': (
        input_of_s('{"q": True}\nExpect {"status": "ok"}'),
        Call('x', 's', {'q': True}),
    ),
    'Python words': (
        input_of_s("{'q': 'rome', 'deep': True, 'n': 5, 'z': None}"),
        Call('x', 's', {'q': 'rome', 'deep': True, 'n': 5, 'z': None}),
    ),
    'nested Python words': (
        input_of_s("{'filters': {'city': 'Rome', 'open': True}}"),
        Call('x', 's', {'filters': {'city': 'Rome', 'open': True}}),
    ),
    'apostrophes inside quotation marks': (
        input_of_s('{"query": "SELECT * FROM t WHERE c = \'x\'", "dry": None}'),
        Call('x', 's', {'query': "SELECT * FROM t WHERE c = 'x'", 'dry': None}),
    ),
    'quotation marks inside quotation marks': (input_of_s('{"q": "say "hi" now"}'), MALFORMED),
    'cut off behind an inner object': (input_of_s('{"a": {"b": 1}, "c": "lon'), MALFORMED),
    'cut off, an inner object that looks whole': (input_of_s('{"to": {"addr": "a@x"}, "body": "Hel'), MALFORMED),
    'a date': (input_of_s('{"date": 2024-10-15}'), MALFORMED),
    'a phone number': (input_of_s('{"phone": 555-1234}'), MALFORMED),
    'an octal': (input_of_s('{"zip": 01234}'), MALFORMED),
    'a sum': (input_of_s('{"n": 2*(3+4)}'), MALFORMED),
    'a power': (input_of_s('{"n": 9**9**9}'), MALFORMED),
    'an answer label inside the thought': (
        'Thought: the Answer: field must be looked up\nAction: s\nAction Input: {"q": 1}',
        Call('the Answer: field must be looked up', 's', {'q': 1}),
    ),
    'a list of objects': (input_of_s('[{"q": 1}, {"q": 2}]'), MALFORMED),
    'an object in a text': (input_of_s('"{\\"q\\": \\"rome\\"}"'), MALFORMED),
    'a Python comment': (input_of_s('{"q": 1, # note\n"n": 2}'), Call('x', 's', {'q': 1, 'n': 2})),
    'curly quotes': (input_of_s('{“q”: “rome”}'), MALFORMED),
    'deep nesting': (input_of_s('{"a": ' * 2000 + '1' + '}' * 2000), MALFORMED),
    'a time': (input_of_s('{"v": 12:30}'), MALFORMED),
    'a call in a reasoning block': (
        '<think>\nMaybe\nAction: search\nAction Input: {"q": 1}\nno need</think>\nThought: easy\nAnswer: 4',
        Answer('easy', '4'),
    ),
    "the prompt's own template": (
        'Thought: ...\nAction: tool name (one of search, get) if using a tool.\n'
        'Action Input: the input, in a JSON format '
        '(e.g. {"input": "hello world", "num_beams": 5})',
        Call(
            '...',
            'tool name (one of search, get) if using a tool',
            {'input': 'hello world', 'num_beams': 5},
            known=False,
        ),
    ),
    'a name of two words': (
        'Thought: x\nAction: web search\nAction Input: {"q": 1}',
        Call('x', 'web search', {'q': 1}, known=False),
    ),
    'a sentence as a name': (
        'Thought: x\nAction: Use the search tool\nAction Input: {"q": 1}',
        Call('x', 'Use the search tool', {'q': 1}, known=False),
    ),
}

OUTPUTS = [
    ('Paris is the capital of France.', SAME),
    ('  \n Paris.\n\n', Direct('Paris.')),
    ('', SAME),
    (' \n\t ', Direct('')),
    ('Thought: I know this.\nAnswer: Paris', Answer('I know this.', 'Paris')),
    ('Thought: I know.\nAnswer: Line one\n\nLine two: {x}\n- a', Answer('I know.', 'Line one\n\nLine two: {x}\n- a')),
    (
        'Thought: need data\nAction: search\nAction Input: {"q": "rome", "n": 3}',
        Call('need data', 'search', {'q': 'rome', 'n': 3}),
    ),
    ('Thought: need data\nAction: search\nAction Input: {"q": "rome"}\n', Call('need data', 'search', {'q': 'rome'})),
    ('Action: search\nAction Input: {"q": "rome"}', Call('', 'search', {'q': 'rome'})),
    ('\nAction: search\nAction Input: {"q": "rome"}', Call('', 'search', {'q': 'rome'})),
    ('Let me look.\nAction: search\nAction Input: {"q": "rome"}', Call('Let me look.', 'search', {'q': 'rome'})),
    (
        'Let me look.\nAction: first\nAction Input: {"q": 1}\nAction: second\nAction Input: {"q": 2}',
        Call('Let me look.', 'first', {'q': 1}),
    ),
    (
        'Thought:\nplan\nAction: first\nAction Input: {"q": 1}\nAction: second\nAction Input: {"q": 2}',
        Call('plan', 'first', {'q': 1}),
    ),
    ('Thought:plan\nAction: search\nAction Input: {"q": 1}', Call('plan', 'search', {'q': 1})),
    ('Thought: x\nAction: search({"q": "rome"})', MALFORMED),
    (
        'Thought: x\nAction: list_all\nThought: next\nAction: search\nAction Input: {"q": 1}',
        Call('x', 'list_all', {}),
    ),
    (
        'Thought: x\nAction: delete_file\nAction Input: "a.txt"\nObservation: ok\nThought: y\n'
        'Action: search\nAction Input: {"q": 1}',
        Direct('x\nAction: delete_file\nAction Input: "a.txt"', malformed=True),
    ),
    ('Thought: x\nAction: search\nAction Input:{"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction: search\nAction Input:\n{"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction: search\nAction Input: \n{"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction:search\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction:  search\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction:\tsearch\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction:\nsearch\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('  Thought: x\n  Action: search\n  Action Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ("Thought: x\nAction: s\nAction Input: {'q': 'rome', 'n': 3}", Call('x', 's', {'q': 'rome', 'n': 3})),
    ('Thought: x\nAction: s\nAction Input: {"q": "rome", "n": 3,}', Call('x', 's', {'q': 'rome', 'n': 3})),
    (
        "Thought: x\nAction: s\nAction Input: {'q': 'rome', 'deep': True, 'n': 5, 'z': None}",
        Call('x', 's', {'q': 'rome', 'deep': True, 'n': 5, 'z': None}),
    ),
    (
        'Thought: x\nAction: s\nAction Input: {"q": "rome", "deep": True, "n": 5}',
        Call('x', 's', {'q': 'rome', 'deep': True, 'n': 5}),
    ),
    (
        "Thought: x\nAction: s\nAction Input: {'filters': {'city': 'Rome', 'open': True}}",
        Call('x', 's', {'filters': {'city': 'Rome', 'open': True}}),
    ),
    (
        "Thought: x\nAction: s\nAction Input: {'ids': ['a','b'], 'all': False}",
        Call('x', 's', {'ids': ['a', 'b'], 'all': False}),
    ),
    ("Thought: x\nAction: s\nAction Input: {'q': 'it's James' book'}", MALFORMED),
    (
        'Thought: x\nAction: s\nAction Input: {"q": "James\' book", "deep": True}',
        Call('x', 's', {'q': "James' book", 'deep': True}),
    ),
    (
        'Thought: x\nAction: sql\nAction Input: {"query": "SELECT * FROM t WHERE c = \'x\'", "dry": None}',
        Call('x', 'sql', {'query': "SELECT * FROM t WHERE c = 'x'", 'dry': None}),
    ),
    (
        'Thought: x\nAction: sql\nAction Input: {"query": "SELECT * FROM t WHERE c = \'x\'"}',
        Call('x', 'sql', {'query': "SELECT * FROM t WHERE c = 'x'"}),
    ),
    ('Thought: x\nAction: s\nAction Input: {"q": "say "hi" now"}', MALFORMED),
    ('Thought: x\nAction: re\nAction Input: {"pattern": "\\d+\\.\\w", "flags": 2}', MALFORMED),
    ('Thought: x\nAction: rd\nAction Input: {"path": "C:\\Users\\temp\\new.txt"}', MALFORMED),
    (
        'Thought: x\nAction: s\nAction Input: {"a": {"b": {"c": [1, {"d": 2}]}}}',
        Call('x', 's', {'a': {'b': {'c': [1, {'d': 2}]}}}),
    ),
    (
        'Thought: x\nAction: s\nAction Input: {"tpl": "fn() { return {}; }"}',
        Call('x', 's', {'tpl': 'fn() { return {}; }'}),
    ),
    ('Thought: x\nAction: s\nAction Input: {\n  "q": "rome",\n  "n": 3\n}', Call('x', 's', {'q': 'rome', 'n': 3})),
    ('Thought: x\nAction: s\nAction Input: {"code": "a = 1\nprint(a)"}', Call('x', 's', {'code': 'a = 1\nprint(a)'})),
    (
        'Thought: 考える\nAction: 検索\nAction Input: {"質問": "東京の天気 🌧", "e": "é"}',
        Call('考える', '検索', {'質問': '東京の天気 🌧', 'e': 'é'}),
    ),
    ('Thought: x\nAction: s\nAction Input: ```json\n{"q": 1}\n```', Call('x', 's', {'q': 1})),
    ('```\nThought: x\nAction: s\nAction Input: {"q": 1}\n```', Call('x', 's', {'q': 1})),
    ('```\nThought: done\nAnswer: 42\n```', Answer('done', '42')),
    (
        'Thought: x\nAction: s\nAction Input: {"q": 1 /* the id */, "n": 2 // count\n}',
        Call('x', 's', {'q': 1, 'n': 2}),
    ),
    ('Thought: x\nAction: s\nAction Input: {"q": 1} // done', Call('x', 's', {'q': 1})),
    ('Thought: x\nAction: s\nAction Input: {"q": 1, # the id\n"n": 2}', Call('x', 's', {'q': 1, 'n': 2})),
    ('Thought: x\nAction: s\nAction Input: {"q": "very long te', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {"a": {"b": 1}, "c": "lon', MALFORMED),
    ('Thought: x\nAction: mail\nAction Input: {"to": {"addr": "a@x"}, "body": "Hel', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: ', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {}', Call('x', 's', {})),
    ('Thought: x\nAction: s\nAction Input: None', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: "rome"', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: rome weather', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: [1, 2]', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: [{"q": 1}, {"q": 2}]', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: 5', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: "{\\"q\\": \\"rome\\"}"', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: q="rome", n=3', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: s({"q": 1})', Call('x', 's', {'q': 1})),
    ('Thought: x\nAction: s\nAction Input: <q>rome</q>', MALFORMED),
    ('Thought: x\nAction: s\nAction Input:\n  q: rome\n  n: 3', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {q: "rome", n: 3}', Call('x', 's', {'q': 'rome', 'n': 3})),
    ('Thought: x\nAction: s\nAction Input: {"q": rome, "k": "v"}', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {“q”: “rome”}', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {"date": 2024-10-15}', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {"phone": 555-1234}', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {"zip": 01234}', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {"n": 0x1F}', Call('x', 's', {'n': 31})),
    ('Thought: x\nAction: calc\nAction Input: {"n": 2*(3+4)}', MALFORMED),
    ('Thought: x\nAction: calc\nAction Input: {"n": 9**9}', MALFORMED),
    ('Thought: x\nAction: calc\nAction Input: {"n": 1/0}', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {"n": NaN, "m": Infinity}', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {"q": 1, "q": 2}', MALFORMED),
    ('Thought: x\nAction: s\nAction Input: {"q": 1}{"n": 2}', MALFORMED),
    (
        'Thought: x\nAction: s\nAction Input: {"id": 12345678901234567890123}',
        Call('x', 's', {'id': 12345678901234567890123}),
    ),
    (
        'Thought: x\nAction: s\nAction Input: {"a": 1e3, "b": .5, "c": -0.25, "d": +1}',
        Call('x', 's', {'a': 1000.0, 'b': 0.5, 'c': -0.25, 'd': 1}),
    ),
    (
        'Thought: a\nAction: first\nAction Input: {"q": 1}\nThought: b\nAction: second\nAction Input: {"q": 2}',
        Call('a', 'first', {'q': 1}),
    ),
    (
        'Thought: a\nAction: first\nAction Input: {"q": True}\nThought: b\nAction: second\n'
        'Action Input: {"user": "bob"}',
        Call('a', 'first', {'q': True}),
    ),
    ('Thought: a\nAction: s\nAction Input: {"q": 1}\nThought: b\nAnswer: 42', Call('a', 's', {'q': 1})),
    (
        'Thought: a\nAction: s\nAction Input: {"q": 1}\nObservation: 42 {"r": 9}\nThought: b\nAnswer: It is 42',
        Call('a', 's', {'q': 1}),
    ),
    ('Thought: a\nAnswer: 42\nAction: s\nAction Input: {"q": 1}', Answer('a', '42')),
    (
        'Thought: the Answer: field must be looked up\nAction: s\nAction Input: {"q": 1}',
        Call('the Answer: field must be looked up', 's', {'q': 1}),
    ),
    (
        'Thought: a\nAction: s\nAction Input: {"q": "Question: x Answer: y"}',
        Call('a', 's', {'q': 'Question: x Answer: y'}),
    ),
    (
        'Thought: done\nAnswer: Corrective Action: restart the pump.',
        Answer('done', 'Corrective Action: restart the pump.'),
    ),
    ('Corrective Action: restart the pump.', SAME),
    ('Thought: Corrective Action: none needed\nAnswer: fine', Answer('Corrective Action: none needed', 'fine')),
    ('Answer: Paris', Answer('', 'Paris')),
    ('Thought: I now know\nFinal Answer: Paris', Answer('I now know', 'Paris')),
    ('Final Answer: Paris', Answer('', 'Paris')),
    ('Thought: ok\n**Final Answer:** Paris', Answer('ok', 'Paris')),
    ('**Thought:** x\n**Action:** search\n**Action Input:** {"q": 1}', Call('x', 'search', {'q': 1})),
    ('**Thought:** x\n**Answer:** Paris', Answer('x', 'Paris')),
    ('**Thought**: x\n**Action**: search\n**Action Input**: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('thought: x\naction: search\naction input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('THOUGHT: x\nACTION: search\nACTION INPUT: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction: search\nAction input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction: search\nAction_Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('### Thought: x\n### Action: search\n### Action Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought 1: x\nAction 1: search\nAction Input 1: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought：x\nAction：search\nAction Input：{"q": 1}', Call('x', 'search', {'q': 1})),
    ('思考：需要查询\n行动：search\n行动输入：{"q": 1}', SAME),
    ('Thought：我知道\nAnswer：北京', Answer('我知道', '北京')),
    ('Thought: x\r\nAction: search\r\nAction Input: {"q": 1}\r\n', Call('x', 'search', {'q': 1})),
    ('Thought: x\r\nAnswer: Paris\r\n', Answer('x', 'Paris')),
    (
        'Thought: x\nAction: tool_http_request_1.get\nAction Input: {"url": "http://x"}',
        Call('x', 'tool_http_request_1.get', {'url': 'http://x'}),
    ),
    ('Thought: x\nAction: web-search-v2\nAction Input: {}', Call('x', 'web-search-v2', {})),
    ('Thought: x\nAction: "search"\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction: **search**\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction: search (find pages)\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction: search(q=1)\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction: web search\nAction Input: {"q": 1}', Call('x', 'web search', {'q': 1}, known=False)),
    (
        'Thought: x\nAction: search, summarize\nAction Input: {"q": 1}',
        Call('x', 'search, summarize', {'q': 1}, known=False),
    ),
    ('Thought: x\nAction: search.\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    (
        'Thought: x\nAction: Use the search tool\nAction Input: {"q": 1}',
        Call('x', 'Use the search tool', {'q': 1}, known=False),
    ),
    ('Thought: nothing to do\nAction: None\nAction Input: {}', Direct('nothing to do')),
    ('Thought: The answer is 4.\nAction: None', Direct('The answer is 4.')),
    ('Thought: x\nAction: N/A\nAction Input: N/A\nAnswer: 4', Answer('x', '4')),
    ('{"name": "search", "arguments": {"q": 1}}', SAME),
    ('<tool_call>\n{"name": "search", "arguments": {"q": 1}}\n</tool_call>', SAME),
    (
        'Thought: x\nAction:\n```json\n{"action": "search", "action_input": {"q": 1}}\n```',
        Direct('x\nAction:\n```json\n{"action": "search", "action_input": {"q": 1}}\n```'),
    ),
    ('{"thought": "x", "action": "search", "action_input": {"q": 1}}', SAME),
    ('Thought: I should look up the population of Ro', Direct('I should look up the population of Ro')),
    ('Sure. Thought: I should look', SAME),
    ('Thought: Thought: x\nAnswer: y', Answer('x', 'y')),
    ('Thought: a\nAnswer: 1\nThought: b\nAnswer: 2', Answer('a', '1')),
    (
        'Here is the full report you asked for.\nThought: done\nAnswer: see above',
        Answer('Here is the full report you asked for.\n done', 'see above'),
    ),
    ('Thought: a\nAnswer: 42\nObservation: user is happy\nThought: bye', Answer('a', '42')),
    ('Thought: a\nAnswer:', Answer('a', '')),
    ('Thought: a\nAnswer: The Answer: is 42', Answer('a', 'The Answer: is 42')),
    ('<think>let me see, Paris?</think>\nParis.', Direct('Paris.')),
    ('<think>hm</think>\n\nThought: ok\nAnswer: Paris', Answer('ok', 'Paris')),
    (
        '<think>\nI could do\nThought: try\nAction: delete_all\nAction Input: {"x": 1}\nbut no.</think>\n'
        'Thought: safe\nAction: search\nAction Input: {"q": 1}',
        Call('safe', 'search', {'q': 1}),
    ),
    (
        '<think>\nMaybe\nAction: search\nAction Input: {"q": 1}\nno need</think>\nThought: easy\nAnswer: 4',
        Answer('easy', '4'),
    ),
    (
        '<think>Answer: 41? no</think>\nThought: ok\nAction: search\nAction Input: {"q": 1}',
        Call('ok', 'search', {'q': 1}),
    ),
    ('<think>I need to call search but ran out', Direct('')),
    ('reasoning text</think>\nThought: ok\nAnswer: Paris', Answer('ok', 'Paris')),
    ('Thought: ok\nAnswer: Paris<|im_end|>', Answer('ok', 'Paris')),
    ('Thought: x\nAction: s\nAction Input: {"q": 1}</s>', Call('x', 's', {'q': 1})),
    ('Thought: ok\nAnswer: Paris\n\nUser: and Spain?\nAssistant: Madrid', Answer('ok', 'Paris')),
    ('assistant: Thought: ok\nAnswer: Paris', Answer('assistant: Thought: ok', 'Paris')),
    (
        'First I searched the index with search("rome") and the tool returned 2.8 million. '
        'Therefore the population is 2.8 million.',
        SAME,
    ),
    ('I used Action: search and got 5. So Answer: 5', SAME),
    ('\u200bThought: x\n\u200bAction: search\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('\ufeffThought: x\nAction: search\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction:\xa0search\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\u2028Action: search\u2028Action Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction: s\nAction Input: {"q": "a\x00b"}', Call('x', 's', {'q': 'a\x00b'})),
    ('Thought: x\nAction: s\nAction Input: {"q": "\ud83d"}', MALFORMED),
    (
        'Thought: My next Action: is unclear\nAction: search\nAction Input: {"q": 1}',
        Call('My next Action: is unclear', 'search', {'q': 1}),
    ),
    (
        'Thought: the Action Input: must have {x}\nAction: search\nAction Input: {"q": 1}',
        Call('the Action Input: must have {x}', 'search', {'q': 1}),
    ),
    ('Thought: x\nAction: search\n(find)\nAction Input: {"q": 1}', Call('x', 'search', {'q': 1})),
    ('Thought: x\nAction: s\nAction Input: {"q": 1}\nI will wait for the result {soon}.', Call('x', 's', {'q': 1})),
    ('Thought: x\nAction: s\nAction Input: {"q": True}\nExpect {"status": "ok"}', Call('x', 's', {'q': True})),
]


def stands_for(expected: Call | Answer | Direct, output: str) -> Call | Answer | Direct:
    if expected is SAME:
        return Direct(output)
    if expected is MALFORMED:
        return Direct(output.removeprefix('Thought:').strip(), malformed=True)
    return expected


@pytest.mark.parametrize('case', DANGEROUS)
def test_nothing_is_run_that_was_not_written(case: str) -> None:
    output, expected = DANGEROUS[case]
    assert read(output, TOOLS) == stands_for(expected, output)


@pytest.mark.parametrize(('output', 'expected'), OUTPUTS)
def test_a_measured_output_is_read_as_wanted(output: str, expected: Call | Answer | Direct) -> None:
    assert read(output, TOOLS) == stands_for(expected, output)


def test_an_input_may_be_nested_as_deep_as_the_limit_and_no_deeper() -> None:
    def nested(levels: int) -> str:
        return '{"a": ' * levels + '1' + '}' * levels

    call = read(input_of_s(nested(MAX_DEPTH)), TOOLS)
    assert isinstance(call, Call)
    assert json.dumps(call.arguments) == nested(MAX_DEPTH)
    assert read(input_of_s(nested(MAX_DEPTH + 1)), TOOLS) == stands_for(MALFORMED, input_of_s(nested(MAX_DEPTH + 1)))
