"""Texts and short forms of the scenario format: how one value may be written in more than one way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema, model_validator

from harness.record import Frozen

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue

MAX_TEXT = 8_000_000
"""The most characters that a composed text may have (a file is untrusted: `{repeat, times}` must not fill memory)."""

TEXT_NOTATION = '{repeat: text, times: number} or {parts: [text, ...]}'

TEXT_SCHEMA: JsonSchemaValue = {'$comment': 'text'}
"""Stands for the schema of a text and its notations, which `schema` puts in: so that it stands in a file once."""


def compose(value: Any) -> Any:
    """Return the text that a text notation stands for; anything that is no text notation comes back as it is.

    `{repeat: s, times: n}` is `s` repeated `n` times, `{parts: [...]}` is the concatenation of texts.

    Raises:
        ValueError: the notation is not complete, or its text would be longer than `MAX_TEXT` characters.
    """
    if not isinstance(value, dict) or not value.keys() & {'repeat', 'parts'}:
        return value
    if value.keys() == {'repeat', 'times'} and isinstance(value['repeat'], str) and type(value['times']) is int:
        if value['times'] < 0:
            raise ValueError('`times` must not be negative')
        if len(value['repeat']) * value['times'] > MAX_TEXT:
            raise ValueError(f'the text would be longer than {MAX_TEXT} characters')
        return value['repeat'] * value['times']
    if value.keys() == {'parts'} and isinstance(value['parts'], list):
        return _join(value['parts'])
    raise ValueError(f'this is no complete text notation, which is {TEXT_NOTATION}')


def _join(parts: list[Any]) -> str:
    texts: list[str] = []
    length = 0
    for number, part in enumerate(parts, 1):
        text = compose(part)
        if not isinstance(text, str):
            raise ValueError(f'part {number} of `parts` is not a text: quote it')
        length += len(text)
        if length > MAX_TEXT:
            raise ValueError(f'the text would be longer than {MAX_TEXT} characters')
        texts.append(text)
    return ''.join(texts)


Text = Annotated[str, BeforeValidator(compose), WithJsonSchema(TEXT_SCHEMA)]
"""A text, or a notation for a long one: `{repeat: s, times: n}`, `{parts: [text, ...]}`."""


class Short(Frozen):
    """A mapping that may also be written in a short form."""

    @classmethod
    def expand(cls, value: Any) -> Any:
        """Turn the short form into the mapping; return anything else as it is."""
        return value

    @classmethod
    def short_schema(cls) -> JsonSchemaValue:
        """The JSON Schema of the short form."""
        return TEXT_SCHEMA

    @model_validator(mode='before')
    @classmethod
    def _expand(cls, value: Any) -> Any:
        return value if isinstance(value, cls) else cls.expand(value)
