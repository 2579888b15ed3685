"""Scenario files for tests: writing them, and generating every form that the format allows."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from harness.scenario.loading import FileError, load_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from harness.scenario.yamlnode import FileProblem

HEAD = 'id: a-b\ntitle: A title\nfamily: loop\n'


def write(root: Path, text: str | bytes, name: str = 'loop/a-b.yaml') -> Path:
    """Write a file below a folder and return its path."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def scenario_text(name: str = 'a-b', title: str = 'A title', family: str = 'loop', **more: Any) -> str:
    """Return a scenario file that is in order; a key that is None is left out."""
    data = {'id': name, 'title': title, 'family': family, 'model': {'outputs': ['Hi.']}, 'expect': {'answer': 'Hi.'}}
    return as_yaml({key: value for key, value in {**data, **more}.items() if value is not None})


def problems_of(path: Path) -> list[FileProblem]:
    """Return what is wrong with a scenario file; empty where it can be loaded."""
    try:
        load_scenario(path)
    except FileError as error:
        return list(error.problems)
    return []


def as_yaml(data: Any) -> str:
    """Return data as YAML that every version of YAML reads alike: JSON with escapes."""
    text = json.dumps(data, ensure_ascii=False)
    return re.sub('[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]', lambda match: f'\\u{ord(match.group()):04x}', text)


# ---------------------------------------------------------------------------------------------- all forms of the format

_words = st.text(st.characters(exclude_categories=['Cs']), max_size=12)
_names = st.from_regex(r'[A-Za-z_][A-Za-z0-9_]{0,8}', fullmatch=True)
_numbers = st.integers(-(10**12), 10**12) | st.integers(-400, 400).map(lambda number: number / 8)
json_values = st.recursive(
    st.none() | st.booleans() | _numbers | _words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3),
    max_leaves=6,
)
_objects = st.dictionaries(_words, json_values, max_size=3)
_texts = st.recursive(
    _words | st.fixed_dictionaries({'repeat': _words, 'times': st.integers(0, 5)}),
    lambda inner: st.fixed_dictionaries({'parts': st.lists(inner, max_size=3)}),
    max_leaves=4,
)


def _lists(strategy: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[list[Any]]:
    return st.lists(strategy, min_size=least, max_size=3)


def _some(required: dict[str, st.SearchStrategy[Any]], **optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(required, optional=optional)


_raises = _some({'type': _names}, message=_words)
_one_result = {'returns': json_values, 'text': _texts, 'raises': _raises, 'python': _names}


def _exactly_one(choices: dict[str, st.SearchStrategy[Any]], **more: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(*(_some({key: value, **more}) for key, value in choices.items()))


_function = st.builds(
    lambda script, more: {**script, **more},
    _exactly_one(
        {
            **_one_result,
            'calls': _lists(_exactly_one(_one_result)),
            'matches': _lists(_exactly_one(_one_result, input=json_values)),
        }
    ),
    _some({'name': _words.filter(bool)}, description=_words, input_schema=_objects, output_schema=_objects),
)
_reply = st.one_of(
    _texts,
    st.none(),
    _some({}, text=_texts, finish_reason=_words),
    _some({'error': _some({'status': st.integers(400, 599)}, message=_words)}),
)
_script = _some({'outputs': _lists(_reply, 1)}, repeat_last=st.booleans(), honours_stop=st.booleans())


def _nodes(prefix: str, inner: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[Any]:
    functions = st.lists(_function, max_size=2, unique_by=lambda function: str(function['name']))
    plain = _some({}, functions=functions, dead=st.booleans())
    node = plain if inner is None else plain | _some({'agent': inner})
    return st.lists(node, max_size=2).map(
        lambda nodes: [{'node': f'{prefix}_{number}', **node} for number, node in enumerate(nodes)]
    )


_tools = _nodes('outer', _some({}, config=_objects, tools=_nodes('inner'), model=_script))
_match = _texts | _some({}, equals=_texts, contains=_lists(_texts), not_contains=_lists(_texts))
_observation = _match | _some({'error': _some({}, tool=_words, type=_words, contains=_lists(_words))})
_expectation: dict[str, st.SearchStrategy[Any]] = {
    'answer': _match,
    'stop_reason': _words,
    'raises': _some({'type': _words}, contains=_lists(_words)),
    'llm_calls': st.integers(0, 20),
    'stop_words': _lists(_words),
    'prompts': _some(
        {},
        contains=_lists(_texts),
        not_contains=_lists(_texts),
        once=_lists(_texts),
        at=st.dictionaries(st.integers(1, 9).map(str), _match, max_size=2),
    ),
    'calls': _lists(_some({'tool': _words}, input=json_values, times=st.integers(1, 5))),
    'steps': _lists(_some({}, action=_words, action_input=json_values, observation=_observation)),
    'observations': _lists(_observation) | _some({'each': _observation}),
    'stack': _lists(_words | _some({'kind': _words}, name=_words, payload=json_values)),
    'meta': _objects,
    'events': _lists(_words | _some({}, type=_words, data=_objects)),
    'events_contain': _lists(_words),
    'lane_writes': st.dictionaries(_words, st.integers(0, 5), max_size=2),
}
_expectations = _some({}, **_expectation, max_seconds=st.integers(1, 9) | st.floats(0.5, 9).map(lambda n: round(n, 2)))
_question = _texts | _some(
    {'text': _texts},
    role=_words,
    history=_lists(_some({'role': st.sampled_from(['user', 'assistant', 'system']), 'content': _texts})),
    context=_lists(_texts),
    goals=_lists(_texts),
    instructions=_lists(_texts),
    documents=_lists(_texts),
    expect_json=st.booleans(),
)


def _one_dot(name: str) -> bool:
    return '..' not in name


@st.composite
def scenario_data(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the data of a scenario file that is in order, in any of the forms that the format allows."""
    data: dict[str, Any] = draw(
        _some(
            {
                'id': st.from_regex(r'[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}', fullmatch=True),
                'title': _words.filter(bool),
                'family': st.from_regex(r'[a-z]{1,12}', fullmatch=True),
                'expect': _expectations,
            },
            requirements=_lists(_words),
            level=st.sampled_from(['required', 'hardening']),
            source=_words,
            why=_words,
            config=_objects,
            llm_nodes=st.integers(0, 3),
            tools=_tools,
            runs=st.integers(1, 100),
            task=_some({'accept': _lists(_words, 1)}, forbid=_lists(_words)),
        )
    )
    if draw(st.booleans()):
        data |= {'face': 'tool', 'input': draw(json_values)}
    elif draw(st.booleans()):
        data |= {'question': draw(_question)}
    if draw(st.booleans()):
        data['model'] = draw(_script)
    elif draw(st.booleans()):
        data['models'] = draw(
            st.dictionaries(
                st.from_regex(r'[a-z0-9][a-z0-9._+-]{0,5}[a-z0-9]', fullmatch=True).filter(_one_dot),
                _expectations,
                max_size=2,
            )
        )
    agents = [node['node'] for node in data.get('tools', ()) if 'agent' in node]
    if draw(st.booleans()) and agents:
        data['expect'] = {**data['expect'], 'agents': {agents[0]: draw(_some({}, **_expectation))}}
    return data


def mappings_of(data: Any) -> list[dict[str, Any]]:
    """Return the mappings of a scenario in which the format knows every key."""
    free = {'config', 'input', 'input_schema', 'output_schema', 'returns', 'meta', 'payload', 'data', 'action_input'}
    named = {'models', 'lane_writes', 'at', 'agents'}
    found: list[dict[str, Any]] = []

    def walk(value: Any, known: bool) -> None:
        if isinstance(value, list):
            for item in value:
                walk(item, True)
        elif isinstance(value, dict):
            if known:
                found.append(value)
            for key, item in value.items():
                if not known or key not in free:
                    walk(item, not known or key not in named)

    walk(data, True)
    return found
