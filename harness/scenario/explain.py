"""What pydantic found wrong with the data of a file, as one problem a mistake, in words for people."""

from __future__ import annotations

import difflib
import re
import types
import typing
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ValidationError

from harness.scenario.text import TEXT_NOTATION, Short
from harness.scenario.yamlnode import FileProblem, Loc, describe, find, quoted

if typing.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pydantic_core import ErrorDetails

    from harness.scenario.yamlfile import Document

MAX_PROBLEMS = 100
"""The most mistakes of one kind that are told of one file."""

Model = type[BaseModel]


def explain(model: Model, document: Document, error: ValidationError) -> list[FileProblem]:
    """Return the problems behind a validation error of `document.data`, one a mistake."""
    # The place of each is looked for in the file: the first mistakes of many thousands say enough.
    items = error.errors(include_url=False, include_input=False)[:MAX_PROBLEMS]
    details = [(_cleaned(item['loc']), item) for item in items]
    unknown = [loc for loc, item in details if item['type'] == 'extra_forbidden']
    # A misspelt required key is one mistake, although it is both an unknown key and a missing one.
    meant = {(*loc[:-1], nearest(str(loc[-1]), _keys(model, loc[:-1]))) for loc in unknown}
    # An item that is wrong is not counted, so that its list can seem to be too short as well.
    counted = {loc[:depth] for loc, _ in details for depth in range(len(loc))}
    return [
        _problem(model, document, loc, item)
        for loc, item in details
        if not (item['type'] == 'missing' and loc in meant) and not (item['type'] == 'too_short' and loc in counted)
    ]


def empty_values(model: Model, document: Document) -> Iterator[FileProblem]:
    """Yield the keys behind which nothing is written although a value is wanted there.

    pydantic takes such a null for a key that was left out; in a file it is a forgotten value, and an expectation that
    silently checks nothing.
    """
    for loc, annotation in _nulls((model,), document.data, ()):
        key, value, _ = find(document.node, loc)
        if not isinstance(value, yaml.ScalarNode) or not value.tag.endswith(':null'):
            continue  # a value that could not be read, which is a problem of its own
        nothing = ', or write [] for none' if any(_is_list(shape) for shape in _shapes(annotation)) else ''
        yield document.problem(key, loc, f'nothing is written after `{loc[-1]}:`', f'leave the key out{nothing}')


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most like this one, or None where none is."""
    by_case = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), by_case, n=1, cutoff=0.6)
    return by_case[found[0]] if found else None


def _nulls(annotations: Sequence[Any], value: Any, loc: Loc) -> Iterator[tuple[Loc, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            inside = _inside(annotations, key)
            if item is None and inside and not any(_takes_null(annotation) for annotation in inside):
                yield (*loc, key), inside[0]
            yield from _nulls(inside, item, (*loc, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _nulls(_inside(annotations, number), item, (*loc, number))


def _takes_null(annotation: Any) -> bool:
    shapes = list(_shapes(annotation))
    return Any in shapes or type(None) not in shapes


# ----------------------------------------------------------------------------------------------- one error, one problem


def _cleaned(loc: Sequence[str | int]) -> Loc:
    """Drop what pydantic adds to a key path: the branch of a union, the mark of a key."""
    return tuple(item for item in loc if not (isinstance(item, str) and re.fullmatch(r'<.*>|\[key\]', item)))


def _problem(model: Model, document: Document, loc: Loc, error: ErrorDetails) -> FileProblem:
    key, value, known = find(document.node, loc)
    name = _name(loc)
    kind, context = error['type'], error.get('ctx', {})
    if kind == 'extra_forbidden':
        keys = _keys(model, loc[:-1])
        like = nearest(str(loc[-1]), keys)
        hint = f'did you mean `{like}`?' if like else f'known keys: {", ".join(keys)}'
        return document.problem(key, loc, f'unknown key `{loc[-1]}`{_in(loc[:-1])}', hint)
    if kind == 'missing':
        return document.problem(key, loc, f'`{loc[-1]}` is missing{_in(loc[:-1])}', _description(model, loc))
    if kind in _WANTED:
        wanted = _wanted(model, loc, kind)
        return document.problem(
            value, loc, f'{name} must be {wanted}, not {describe(value)}', _fix(model, loc, kind, value)
        )
    if kind == 'literal_error':
        allowed = _allowed(model, loc)
        like = nearest(value.value, allowed) if isinstance(value, yaml.ScalarNode) else None
        hint = f'did you mean {like}?' if like else ''
        return document.problem(value, loc, f'{name} must be {_either(allowed)}, not {describe(value)}', hint)
    if kind == 'string_pattern_mismatch':
        message = f'{name} is {describe(value)}, which does not match {context.get("pattern")}'
        return document.problem(value, loc, message, _description(model, loc))
    if error['loc'][-1:] == ('[key]',):
        wanted = 'a whole number' if kind == 'int_parsing' else 'a number from 1'
        return document.problem(key, loc, f'the key `{loc[-1]}`{_in(loc[:-1])} must be {wanted}')
    message = str(context['error']) if kind == 'value_error' and 'error' in context else _lower(error['msg'], name)
    return document.problem(value if known == len(loc) else key, loc, message)


_WANTED = {
    'string_type': 'a text',
    'tuple_type': 'a list',
    'list_type': 'a list',
    'dict_type': 'a mapping',
    'model_type': 'a mapping',
    'model_attributes_type': 'a mapping',
    'int_type': 'a whole number',
    'int_from_float': 'a whole number',
    'float_type': 'a number',
    'bool_type': 'true or false',
}


def _wanted(model: Model, loc: Loc, kind: str) -> str:
    shapes = [shape for annotation in _at(model, loc) for shape in _shapes(annotation)]
    if kind == 'tuple_type' and any(_is_model(shape) for shape in shapes):
        return 'a list or a mapping'
    if kind == 'model_type' and any(_is_model(shape) and issubclass(shape, Short) for shape in shapes):
        return 'a text or a mapping'
    return _WANTED[kind]


def _fix(model: Model, loc: Loc, kind: str, node: yaml.Node | None) -> str:
    """What to do about a value of the wrong kind."""
    wanted = _wanted(model, loc, kind)
    if isinstance(node, yaml.ScalarNode):
        if not node.value:
            return 'nothing is written there'
        if 'text' in wanted and not node.tag.endswith(':str'):
            return f'quote it: {quoted(node.value)}'
        if 'list' in wanted:
            return (
                f'write a list: [{node.value if not node.style else quoted(node.value)}]'
                if len(node.value) < 60
                else ''
            )
        plain = node.value.strip()
        if node.style and (re.fullmatch(r'[0-9]+', plain) or plain in ('true', 'false')):
            return f'without quotes: {plain}'
    if wanted == 'a text' and isinstance(node, yaml.MappingNode):
        return f'a long text is {TEXT_NOTATION}'
    if 'mapping' in wanted:
        keys = _keys(model, loc)
        return f'its keys are {", ".join(keys)}' if keys else ''
    return ''


def _lower(message: str, name: str) -> str:
    """Turn 'Input should be ...' into '`runs` must be ...'."""
    message = message.replace(' after validation', '')
    return re.sub(r'^(Input|String|Tuple|Value) should ', f'{name} must ', message)


def _either(words: list[str]) -> str:
    return ' or '.join(filter(None, [', '.join(words[:-1]), words[-1]]))


def _name(loc: Loc) -> str:
    if not loc:
        return 'the file'
    if isinstance(loc[-1], int):
        return f'item {loc[-1] + 1} of {_name(loc[:-1])}'
    return f'`{loc[-1]}`'


def _in(loc: Loc) -> str:
    return f' in {_name(loc)}' if loc else ''


# ------------------------------------------------------------------------------------------- what the format says there


def _at(model: Model, loc: Loc) -> list[Any]:
    """Return the annotations of what may stand at a key path."""
    annotations: list[Any] = [model]
    for item in loc:
        annotations = _inside(annotations, item)
    return annotations


def _inside(annotations: Iterable[Any], item: str | int) -> list[Any]:
    found: list[Any] = []
    for shape in (shape for annotation in annotations for shape in _shapes(annotation)):
        arguments = typing.get_args(shape)
        if _is_model(shape):
            if item in shape.model_fields:
                found.append(shape.model_fields[item].annotation)
        elif typing.get_origin(shape) is dict:
            found.append(arguments[1])
        elif _is_list(shape) and isinstance(item, int):
            found.append(arguments[0])
    return found


def _shapes(annotation: Any) -> Iterator[Any]:
    """Yield the kinds of value that an annotation allows."""
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        yield from _shapes(typing.get_args(annotation)[0])
    elif origin in (typing.Union, types.UnionType):
        for argument in typing.get_args(annotation):
            yield from _shapes(argument)
    else:
        yield annotation


def _is_model(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, BaseModel)


def _is_list(shape: Any) -> bool:
    return typing.get_origin(shape) in (tuple, list)


def _keys(model: Model, loc: Loc) -> list[str]:
    shapes = (shape for annotation in _at(model, loc) for shape in _shapes(annotation))
    return list(dict.fromkeys(key for shape in shapes if _is_model(shape) for key in shape.model_fields))


def _allowed(model: Model, loc: Loc) -> list[str]:
    shapes = (shape for annotation in _at(model, loc) for shape in _shapes(annotation))
    return [str(word) for shape in shapes if typing.get_origin(shape) is Literal for word in typing.get_args(shape)]


def _description(model: Model, loc: Loc) -> str:
    if not loc or not isinstance(loc[-1], str):
        return ''
    for annotation in _at(model, loc[:-1]):
        for shape in _shapes(annotation):
            if _is_model(shape) and loc[-1] in shape.model_fields:
                return (shape.model_fields[loc[-1]].description or '').rstrip('.')
    return ''
