"""`models.yaml`: which models are recorded, where they are, how they are asked, how often, and what they cost."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic import (
    ConfigDict,
    Field,
    StrictInt,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from harness.cassette.place import MAX_EPOCHS
from harness.llm import ModelSpec
from harness.record import Frozen
from harness.scenario.explain import empty_values, explain
from harness.scenario.text import Short
from harness.scenario.yamlfile import read_yaml
from harness.scenario.yamlnode import FileError, find

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue

    from harness.scenario import Scenario

MODELS_FILE: Final = 'models.yaml'
"""The name of the file; it stands in the folder of the cassettes."""

LOOPBACK: Final = 'http://127.0.0.1/v1'
"""Where a model is said to be whose server is not started yet."""

PER_RUN: Final = 'per-run'
_LARGEST_SEED: Final = 2**31 - 1


class Prices(Frozen):
    """What a model costs, for a million tokens each; 0 is a price, too."""

    prompt: float = Field(ge=0, allow_inf_nan=False, description='For a million tokens of prompts.')
    completion: float = Field(ge=0, allow_inf_nan=False, description='For a million tokens of replies.')
    currency: str = Field(default='USD', pattern=r'^[A-Z]{3}$', description='The currency, such as USD.')

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what so many tokens cost."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000


class Local(Short):
    """Weights on this machine, for which the harness starts a server of its own; short form: the path of the file."""

    file: str = Field(min_length=1, description='The weights, a GGUF file; a relative path begins at `models.yaml`.')
    context: StrictInt = Field(
        default=8192, ge=256, le=2**24, description='How many tokens a prompt and its reply have together at most.'
    )
    threads: StrictInt | None = Field(
        default=None, ge=1, le=512, description='CPU threads.  [default: all CPUs that the process may use]'
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'file': value} if isinstance(value, str) else value

    @classmethod
    def short_schema(cls) -> JsonSchemaValue:
        return {'type': 'string', 'minLength': 1, 'description': 'The path of the weights, a GGUF file.'}

    @field_validator('file')
    @classmethod
    def _from_where_it_is_said(cls, value: str, info: ValidationInfo) -> str:
        path = Path(value)
        with contextlib.suppress(RuntimeError):  # `~` of nobody is a name like any other
            path = path.expanduser()
        return str((info.context or {}).get('folder', Path()) / path)


class ModelEntry(Frozen):
    """One model with one set of parameters: what is recorded under one name."""

    model_config = ConfigDict(json_schema_extra={'oneOf': [{'required': ['base_url']}, {'required': ['local']}]})

    name: str = Field(description='The name in files and reports; another set of parameters is another name.')
    base_url: str | None = Field(
        default=None, description='The OpenAI-compatible endpoint, such as http://127.0.0.1:8080/v1.'
    )
    local: Local | None = Field(
        default=None, description='In place of `base_url`: weights on this machine; the harness starts their server.'
    )
    model: str = Field(default='', description='The name that is sent to the server.  [default: name]')
    api_key_env: str | None = Field(
        default=None, pattern=r'^[A-Za-z_][A-Za-z0-9_]*$', description='The environment variable that holds the key.'
    )
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False, description='Sent where it is given.')
    max_tokens: StrictInt | None = Field(default=None, ge=1, description='The most tokens of a reply.')
    seed: int | str | None = Field(
        default=None,
        description='`per-run`: one for each scenario and epoch, always the same; or one number for all; or none.',
        json_schema_extra={'anyOf': [{'type': 'integer'}, {'const': PER_RUN}, {'type': 'null'}]},
    )
    epochs: StrictInt = Field(default=1, ge=1, le=MAX_EPOCHS, description='How often each scenario is recorded.')
    timeout_s: float = Field(default=120.0, gt=0, allow_inf_nan=False, description='Seconds to wait for the server.')
    concurrency: StrictInt = Field(
        default=4, ge=1, le=64, description='The most runs at a time at its endpoint; fewer while the server says 429.'
    )
    tries: StrictInt = Field(default=6, ge=1, le=20, description='How often a request is sent before it is given up.')
    scenarios: tuple[str, ...] | None = Field(
        default=None, min_length=1, description='The scenarios of this model, in place of those of the file.'
    )
    prices: Prices | None = Field(default=None, description='What it costs; without them no cost is told.')
    about: dict[str, Any] = Field(
        default_factory=dict, description='What is known of model and server; it is written into each cassette.'
    )

    @field_validator('seed', mode='before')
    @classmethod
    def _a_number_or_the_word(cls, seed: Any) -> Any:
        if seed not in (None, PER_RUN) and type(seed) is not int:
            raise ValueError(f'`seed` is {PER_RUN} (one for each scenario and epoch) or a whole number')
        return seed

    @field_validator('name', 'base_url')
    @classmethod
    def _as_the_client_wants_them(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None:
            return None
        given: dict[str, Any] = {'name': 'model', 'base_url': LOOPBACK, info.field_name or '': value}
        try:
            ModelSpec(**given)
        except ValidationError as error:
            raise ValueError(error.errors()[0]['msg'].removeprefix('Value error, ')) from None
        return value

    @field_validator('local')
    @classmethod
    def _in_place_of_the_url(cls, value: Local | None, info: ValidationInfo) -> Local | None:
        if value is not None and info.data.get('base_url') is not None:
            raise ValueError('`local` stands in place of `base_url`: give one of the two')
        return value

    @field_validator('concurrency')
    @classmethod
    def _one_at_a_time(cls, value: int, info: ValidationInfo) -> int:
        if value > 1 and info.data.get('local') is not None:
            raise ValueError('a `local` model is asked one run at a time: leave `concurrency` out')
        return value

    @model_validator(mode='after')
    def _is_somewhere(self) -> Self:
        if self.base_url is None and self.local is None:
            raise ValueError('`base_url` is missing: give an endpoint, or `local`, a file of weights')
        return self

    @property
    def endpoint(self) -> str:
        """Where it is asked; entries with the same one share a server and its pace."""
        if self.local is None:
            return self.base_url or LOOPBACK
        return f'{self.local.file} (context {self.local.context}, {self.local.threads or "all"} threads)'

    @property
    def at_once(self) -> int:
        """The most runs at a time: a local server answers one after the other."""
        return self.concurrency if self.local is None else 1

    def spec(self, scenario_id: str, epoch: int, base_url: str | None = None) -> ModelSpec:
        """Return the model as it is asked in one run; `base_url` is where the server of a local one listens."""
        return ModelSpec(
            name=self.name,
            base_url=base_url or self.base_url or LOOPBACK,
            model=self.model,
            api_key_env=self.api_key_env,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            seed=self.seed if isinstance(self.seed, int) else seed_of(scenario_id, epoch) if self.seed else None,
            timeout_s=self.timeout_s,
        )


class Models(Frozen):
    """The file: which scenarios are meant, and the models."""

    scenarios: tuple[str, ...] = Field(
        min_length=1, description='Ids, patterns of ids or families of the scenarios that all models are recorded on.'
    )
    models: tuple[ModelEntry, ...] = Field(min_length=1, description='The models.')

    def find(self, name: str) -> ModelEntry | None:
        """Return the entry of a model."""
        return next((entry for entry in self.models if entry.name == name), None)

    def is_meant(self, entry: ModelEntry, scenario: Scenario) -> bool:
        """Tell whether a scenario is to be recorded with a model."""
        words = self.scenarios if entry.scenarios is None else entry.scenarios
        return any(word == scenario.family or fnmatchcase(scenario.id, word) for word in words)

    def planned(self, scenario: Scenario) -> list[tuple[ModelEntry, int]]:
        """Return the models and epochs that a scenario is to be recorded with."""
        meant = [entry for entry in self.models if self.is_meant(entry, scenario)]
        return [(entry, epoch) for entry in meant for epoch in range(1, entry.epochs + 1)]


def seed_of(scenario_id: str, epoch: int) -> int:
    """Return the seed of a run: every scenario and epoch has its own, whenever and in whatever order it is recorded."""
    digest = hashlib.sha256(f'{scenario_id}/{epoch}'.encode()).digest()
    return int.from_bytes(digest[:4]) & _LARGEST_SEED


def load_models(path: Path) -> Models:
    """Read the file.

    Raises:
        FileError: with all problems of the file, in file order.
    """
    document = read_yaml(path)
    models: Models | None = None
    problems = list(document.problems)
    try:
        models = Models.model_validate(document.data, context={'folder': path.parent})
    except ValidationError as error:
        problems += explain(Models, document, error)
    problems += empty_values(Models, document)
    if models is not None:
        counts = Counter(entry.name for entry in models.models)
        for number, entry in enumerate(models.models):
            if counts[entry.name] > 1:
                loc = ('models', number, 'name')
                hint = 'give each set of parameters a name of its own'
                problems.append(
                    document.problem(find(document.node, loc)[1], loc, f'{entry.name!r} stands here twice', hint)
                )
    if problems or models is None:
        raise FileError(sorted(dict.fromkeys(problems), key=lambda problem: (problem.line, problem.column)))
    return models


def models_of(cassettes: Path) -> Models | None:
    """Return what is planned for a folder of cassettes: its `models.yaml`, None where there is none.

    Raises:
        FileError: with all problems of the file.
    """
    path = cassettes / MODELS_FILE
    try:
        found = path.stat()
    except OSError:
        return None
    return _loaded(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=8)
def _loaded(path: Path, changed: int, size: int) -> Models:
    return load_models(path)
