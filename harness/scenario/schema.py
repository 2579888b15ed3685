"""The JSON Schemas of the files: scenarios, so that editors complete and check them, results stores and baselines."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema

from harness.files import write_whole
from harness.gate.baseline import BASELINE
from harness.matrix.models import Models
from harness.results import RESULTS
from harness.scenario import Scenario
from harness.scenario.text import TEXT_SCHEMA, Short

if TYPE_CHECKING:
    from pydantic_core import core_schema

    from harness.jsonlines import Format

DRAFT: Final = 'https://json-schema.org/draft/2020-12/schema'
SCHEMA_FILE: Final = 'scenario.schema.json'
"""The name of the committed schema; it stands in the folder of the scenarios."""

_MODELINE: Final = '# yaml-language-server: $schema='


def scenario_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a scenario file, short forms included."""
    schema = Scenario.model_json_schema(schema_generator=_Generator)
    return _document(
        schema,
        'urn:react-harness:scenario:1',
        'Scenario',
        'One situation of an agent node with its expectations: the question, the tools and the model side, and what '
        'must hold of every run.',
    )


def models_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of `models.yaml`."""
    schema = Models.model_json_schema(schema_generator=_Generator)
    return _document(schema, 'urn:react-harness:models:1', 'Models', 'Which models are recorded, how, and how often.')


def results_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of one line of a results store: the header, or one judged run."""
    return _lines_schema(RESULTS, 'results', 'The first line is the header, every other line is one judged run.')


def baseline_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of one line of a baseline: the header, or one accepted run."""
    return _lines_schema(BASELINE, 'baseline', 'The first line is the header, every other line is one accepted run.')


def _lines_schema(file: Format[Any, Any], name: str, description: str) -> dict[str, Any]:
    kinds, schema = models_json_schema(
        [(file.header, 'serialization'), (file.entry, 'serialization')], schema_generator=_Generator
    )
    schema['oneOf'] = [kinds[file.header, 'serialization'], kinds[file.entry, 'serialization']]
    version = file.header.model_fields['version'].default
    return _document(schema, f'urn:react-harness:{name}:{version}', f'Line of a {file.name}', description)


def schema_text() -> str:
    """Return the scenario schema as the text of its file."""
    return json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + '\n'


def write_schema(path: Path) -> None:
    """Write the scenario schema to a file, as a whole or not at all."""
    write_whole(path, schema_text())


def schema_line(file: Path, root: Path) -> str:
    """Return the first line of a scenario file below a scenarios folder: it tells editors where the schema is."""
    relative = os.path.relpath(root.resolve() / SCHEMA_FILE, file.resolve().parent)
    return _MODELINE + Path(relative).as_posix()


_TEXT: Final[JsonSchemaValue] = {
    'description': 'A text, or a notation for a long one: {repeat: s, times: n} or {parts: [text, ...]}.',
    'anyOf': [
        {'type': 'string'},
        {
            'type': 'object',
            'properties': {
                'repeat': {'type': 'string', 'description': 'The text to repeat.'},
                'times': {'type': 'integer', 'minimum': 0, 'description': 'How often.'},
            },
            'required': ['repeat', 'times'],
            'additionalProperties': False,
        },
        {
            'type': 'object',
            'properties': {
                'parts': {
                    'type': 'array',
                    'items': {'$ref': '#/$defs/Text'},
                    'description': 'Texts, one behind the other.',
                }
            },
            'required': ['parts'],
            'additionalProperties': False,
        },
    ],
}


class _Generator(GenerateJsonSchema):
    """Says what the loader takes: short forms, and no null where a value may be left out."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        written = super().model_schema(schema)
        model = schema['cls']
        return {'anyOf': [model.short_schema(), written]} if issubclass(model, Short) else written

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        if self.mode == 'serialization':
            return super().nullable_schema(schema)
        return self.generate_inner(schema['schema'])

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _document(schema: dict[str, Any], name: str, title: str, description: str) -> dict[str, Any]:
    head = {'$schema': DRAFT, '$id': name, 'title': title, 'description': description}
    body = _tidy({key: value for key, value in schema.items() if key not in head})
    definitions = body.pop('$defs', {})
    if any('#/$defs/Text"' in json.dumps(part) for part in (body, definitions)):
        definitions['Text'] = _TEXT
    return {**head, **body, '$defs': dict(sorted(definitions.items()))}


def _tidy(value: Any) -> Any:
    """Make the same of what different versions of pydantic write, and leave out what says nothing.

    These are defaults that are null, keys that may be anything anyway, and line ends in descriptions.
    """
    if isinstance(value, list):
        return [_tidy(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, dict):
        return ' '.join(value.split()) if isinstance(value, str) and '\n' in value else value
    tidy: dict[str, Any] = {}
    for key, item in sorted(value.items()):
        if key in ('properties', '$defs'):  # names, in the order in which the format declares them
            tidy[key] = {name: _tidy(schema) for name, schema in item.items()}
        elif not _says_nothing(key, item):
            tidy[key] = _tidy(item)
    if tidy.pop('$comment', None) == TEXT_SCHEMA['$comment']:
        tidy['$ref'] = '#/$defs/Text'
    return tidy


def _says_nothing(key: str, value: Any) -> bool:
    return (key == 'default' and value is None) or (key == 'additionalProperties' and value is True)
