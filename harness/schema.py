"""The JSON Schemas of the files: scenarios, so that editors complete and check them, and results stores."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema

from harness.results import Header, StoredResult
from harness.scenario import TEXT_SCHEMA, Scenario

if TYPE_CHECKING:
    from pydantic_core import core_schema

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


def results_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of one line of a results store: the header, or one judged run."""
    kinds, schema = models_json_schema(
        [(Header, 'serialization'), (StoredResult, 'serialization')], schema_generator=_Generator
    )
    schema['oneOf'] = [kinds[Header, 'serialization'], kinds[StoredResult, 'serialization']]
    return _document(
        schema,
        'urn:react-harness:results:1',
        'Line of a results store',
        'The first line is the header, every other line is one judged run.',
    )


def schema_text() -> str:
    """Return the scenario schema as the text of its file."""
    return json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + '\n'


def write_schema(path: Path) -> None:
    """Write the scenario schema to a file."""
    path.write_text(schema_text(), encoding='utf-8')


def schema_line(file: Path, root: Path) -> str:
    """Return the first line of a scenario file below a scenarios folder: it tells editors where the schema is."""
    relative = os.path.relpath(root.resolve() / SCHEMA_FILE, file.resolve().parent)
    return _MODELINE + Path(relative).as_posix()


class _Generator(GenerateJsonSchema):
    """Says what the loader takes: a value that may be left out may not be null."""

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
    if _uses(body, definitions):
        text = dict(TEXT_SCHEMA)
        text['anyOf'] = [dict(part) for part in TEXT_SCHEMA['anyOf']]
        text['anyOf'][-1]['properties'] = {
            'parts': {**TEXT_SCHEMA['anyOf'][-1]['properties']['parts'], 'items': {'$ref': '#/$defs/Text'}}
        }
        definitions['Text'] = text
    return {**head, **body, '$defs': dict(sorted(definitions.items()))}


def _uses(*parts: Any) -> bool:
    return '#/$defs/Text"' in json.dumps(parts)


def _tidy(value: Any) -> Any:
    """Leave out defaults that are null, name the text notation once, and put descriptions on one line."""
    if isinstance(value, list):
        return [_tidy(item) for item in value]
    if not isinstance(value, dict):
        return value
    description = value.get('description')
    plain = {key: item for key, item in value.items() if key not in ('description', 'default')}
    if plain == {key: item for key, item in TEXT_SCHEMA.items() if key != 'description'}:
        return {'$ref': '#/$defs/Text'} | (
            {} if description == TEXT_SCHEMA['description'] else {'description': description}
        )
    tidy = {key: _tidy(item) for key, item in value.items() if not (key == 'default' and item is None)}
    if isinstance(description, str):
        tidy['description'] = ' '.join(description.split())
    return tidy
