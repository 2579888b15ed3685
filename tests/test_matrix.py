"""The rules of a matrix: its file, its seeds, its cells, its pace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml
from example_suite import Suite
from hypothesis import given
from hypothesis import strategies as st

from harness.cassette import cassette_path
from harness.matrix.models import MODELS_FILE, Local, ModelEntry, Models, Prices, load_models, models_of, seed_of
from harness.matrix.pace import Pace
from harness.matrix.plan import cells_of, plan_of
from harness.scenario.loading import find_scenarios
from harness.scenario.schema import models_schema
from harness.scenario.yamlnode import FileError
from harness.show.matrix import duration, money

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.scenario.loading import ScenarioFile

URL = 'http://127.0.0.1:8080/v1'


def written(folder: Path, text: str) -> Path:
    path = folder / MODELS_FILE
    path.write_text(text, encoding='utf-8')
    return path


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(FileError) as caught:
        load_models(written(folder, text))
    return [str(problem).removeprefix(f'{folder}/') for problem in caught.value.problems]


# ----------------------------------------------------------------------------------------------------------- the file


def test_a_file_names_scenarios_and_models(tmp_path: Path) -> None:
    text = f"""
scenarios: [evaluation]
models:
  - name: small
    base_url: {URL}
    seed: per-run
    epochs: 3
    prices: {{prompt: 0.15, completion: 0.6}}
    about: {{file: small.gguf}}
"""
    models = load_models(written(tmp_path, text))
    small = models.find('small')
    assert models.scenarios == ('evaluation',)
    assert small is not None
    assert (small.epochs, small.about, small.prices) == (
        3,
        {'file': 'small.gguf'},
        Prices(prompt=0.15, completion=0.6),
    )
    assert models.find('other') is None


def test_a_folder_without_the_file_plans_nothing(tmp_path: Path) -> None:
    assert models_of(tmp_path) is None


@pytest.mark.parametrize(
    ('lines', 'says'),
    [
        (
            '    temprature: 0.7',
            'models.yaml:5:5: unknown key `temprature` in item 1 of `models` (did you mean',
        ),
        ('    name: other', 'models.yaml:5:5'),
        ('    epochs: 0', 'models.yaml:5:13: `epochs` must be greater than or equal to 1'),
        ('    seed: random', 'models.yaml:5:11: `seed` is per-run (one for each scenario and epoch) or a whole number'),
        ('    prices: {prompt: -1, completion: 0}', 'models.yaml:5:22: `prompt` must be greater than or equal to 0'),
        ('    concurrency:', 'models.yaml:5:17: `concurrency` must be a whole number, not nothing'),
        ('    api_key_env: sk-123', 'models.yaml:5:18: `api_key_env` is the text'),
    ],
)
def test_a_mistake_is_told_with_its_place(lines: str, says: str, tmp_path: Path) -> None:
    text = f'scenarios: [x]\nmodels:\n  - name: small\n    base_url: {URL}\n{lines}\n'
    assert says in problems(tmp_path, text)[0]


def test_a_name_stands_for_one_set_of_parameters(tmp_path: Path) -> None:
    entry = f'  - name: small\n    base_url: {URL}\n'
    found = problems(tmp_path, f'scenarios: [x]\nmodels:\n{entry}{entry}')
    assert found[0].startswith("models.yaml:3:11: 'small' stands here twice")
    assert len(found) == 2


@pytest.mark.parametrize(
    ('name', 'base_url', 'says'),
    [
        ('a/b', URL, 'use letters'),
        ('7', URL, 'no number alone'),
        ('small', 'ftp://host', 'give a URL'),
        ('small', 'http://user:secret@host/v1', 'must hold no key'),
    ],
)
def test_names_and_urls_are_those_that_the_client_takes(name: str, base_url: str, says: str, tmp_path: Path) -> None:
    found = problems(tmp_path, f'scenarios: [x]\nmodels:\n  - name: "{name}"\n    base_url: {base_url}\n')
    assert says in found[0]
    assert 'secret' not in found[0]


@pytest.mark.parametrize(
    ('written_as', 'file', 'context', 'threads'),
    [
        ('small.gguf', 'small.gguf', 8192, None),
        ('../weights/small.gguf', '../weights/small.gguf', 8192, None),
        ('{file: small.gguf, context: 512, threads: 2}', 'small.gguf', 512, 2),
    ],
)
def test_weights_of_this_machine_stand_in_place_of_an_endpoint_and_their_path_begins_at_the_file(
    written_as: str, file: str, context: int, threads: int | None, tmp_path: Path
) -> None:
    path = written(tmp_path, f'scenarios: [x]\nmodels:\n  - name: small\n    local: {written_as}\n')
    entry = load_models(path).models[0]
    assert entry.local == Local(file=str(tmp_path / file), context=context, threads=threads)
    assert (entry.base_url, entry.at_once) == (None, 1)
    assert entry.spec('s', 1, 'http://127.0.0.1:5/v1').base_url == 'http://127.0.0.1:5/v1'


def test_a_path_to_weights_can_be_absolute_or_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('HOME', '/home/me')
    for said, file in (('/opt/small.gguf', '/opt/small.gguf'), ('~/small.gguf', '/home/me/small.gguf')):
        path = written(tmp_path, f'scenarios: [x]\nmodels:\n  - name: small\n    local: {said}\n')
        assert load_models(path).models[0].local == Local(file=file)


@pytest.mark.parametrize(
    ('lines', 'says'),
    [
        ('epochs: 2', '3:5: `base_url` is missing: give an endpoint, or `local`, a file of weights'),
        (f'base_url: {URL}\n    local: a.gguf', '5:12: `local` stands in place of `base_url`: give one of the two'),
        ('local: {}', '4:5: `file` is missing in `local`'),
        ('local: {file: a.gguf, threads: 0}', '4:36: `threads` must be greater than or equal to 1'),
        ('local: {file: a.gguf, thread: 2}', '4:27: unknown key `thread` in `local` (did you mean `threads`?)'),
        ('local: [a.gguf]', '4:12: `local` must be a text or a mapping, not a list'),
        ('local: a.gguf\n    concurrency: 2', '5:18: a `local` model is asked one run at a time: leave'),
    ],
)
def test_a_mistake_about_where_a_model_is_is_told_with_its_place(lines: str, says: str, tmp_path: Path) -> None:
    found = problems(tmp_path, f'scenarios: [x]\nmodels:\n  - name: small\n    {lines}\n')
    assert len(found) == 1
    assert found[0].startswith(f'models.yaml:{says}')


def test_the_schema_takes_an_endpoint_or_weights_and_never_both() -> None:
    check = jsonschema.Draft202012Validator(models_schema())

    def takes(**where: Any) -> bool:
        return check.is_valid({'scenarios': ['x'], 'models': [{'name': 'small', **where}]})

    assert takes(base_url=URL)
    assert takes(local='small.gguf')
    assert takes(local={'file': 'small.gguf', 'context': 512, 'threads': 2})
    assert not takes()
    assert not takes(base_url=URL, local='small.gguf')
    assert not takes(local={'threads': 2})
    assert not takes(local='')


def test_the_schema_takes_what_the_program_takes() -> None:
    schema = models_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    good = {'scenarios': ['x'], 'models': [{'name': 'small', 'base_url': URL, 'seed': 'per-run'}]}
    assert check.is_valid(good)
    for key, value in (('seed', 'random'), ('epochs', 0), ('temprature', 1), ('prices', {'prompt': 1})):
        assert not check.is_valid({**good, 'models': [{**good['models'][0], key: value}]})  # type: ignore[dict-item]


def test_the_documentation_names_every_key_of_the_file() -> None:
    text = (Path(__file__).parent.parent / 'docs' / 'record-models.md').read_text(encoding='utf-8')
    example = text.partition('```yaml\n')[2].partition('```')[0]
    read = yaml.safe_load(example)
    assert set(read) == set(Models.model_fields)
    there, here = read['models']
    assert there.keys() | here.keys() == set(ModelEntry.model_fields)
    assert set(here['local']) == set(Local.model_fields)
    assert set(read['models'][0]['prices']) == set(Prices.model_fields)
    assert Models.model_validate(read).models[0].epochs == 3


# ----------------------------------------------------------------------------------------------------------- the seeds


def test_every_scenario_and_epoch_has_a_seed_of_its_own_and_always_the_same() -> None:
    seeds = {seed_of(f'scenario-{number}', epoch) for number in range(200) for epoch in range(1, 6)}
    assert len(seeds) == 1000
    assert seed_of('one-tool', 1) == 461_761_043


@given(st.text(), st.integers(1, 9_999))
def test_a_seed_fits_what_servers_take(scenario: str, epoch: int) -> None:
    assert 0 <= seed_of(scenario.encode('utf-8', 'replace').decode(), epoch) < 2**31


@pytest.mark.parametrize(('seed', 'sent'), [('per-run', seed_of('s', 2)), (7, 7), (None, None)])
def test_the_seed_is_sent_as_the_file_says(seed: Any, sent: int | None) -> None:
    assert ModelEntry(name='small', base_url=URL, seed=seed).spec('s', 2).seed == sent


# ------------------------------------------------------------------------------------------------------------ the plan


@pytest.fixture
def files(tmp_path: Path) -> Sequence[ScenarioFile]:
    suite = Suite(tmp_path)
    for name in ('a', 'b'):
        suite.add(name, recorded=True)
    return find_scenarios(suite.scenarios)


def entry(name: str = 'small', **more: Any) -> ModelEntry:
    return ModelEntry(name=name, base_url=URL, **more)


def cassette(path: Path, **body: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    request = {'method': 'POST', 'uri': f'{URL}/chat/completions', 'headers': {'content-type': ['application/json']}}
    response = {'status': {'code': 200, 'message': 'OK'}, 'headers': {}, 'body': {'string': '{"usage": {}}'}}
    asked = {**request, 'body': json.dumps({'model': 'small', 'messages': [], **body})}
    path.write_text(yaml.safe_dump({'version': 1, 'interactions': [{'request': asked, 'response': response}]}))
    return path


def test_a_matrix_goes_endpoint_by_endpoint_and_scenario_by_scenario(
    files: Sequence[ScenarioFile], tmp_path: Path
) -> None:
    elsewhere = ModelEntry(name='far', base_url='http://127.0.0.1:9/v1')
    cells = cells_of(files, [entry(epochs=2), elsewhere, entry('other')], tmp_path)
    assert [cell.key for cell in cells] == [
        ('a', 'small', 1),
        ('a', 'small', 2),
        ('a', 'other', 1),
        ('b', 'small', 1),
        ('b', 'small', 2),
        ('b', 'other', 1),
        ('a', 'far', 1),
        ('b', 'far', 1),
    ]
    assert cells[0].path == cassette_path(tmp_path, 'a', 'small', 1)
    assert cells[-1].path == cassette_path(tmp_path, 'b', 'far')


def test_models_on_the_same_weights_follow_each_other(files: Sequence[ScenarioFile], tmp_path: Path) -> None:
    entries = [ModelEntry(name=name, local=Local(file=file)) for name, file in (('a', 'x'), ('b', 'y'), ('c', 'x'))]
    cells = cells_of(files[:1], entries, tmp_path)
    assert [cell.entry.name for cell in cells] == ['a', 'c', 'b']


def test_what_is_recorded_is_not_open(files: Sequence[ScenarioFile], tmp_path: Path) -> None:
    cassette(cassette_path(tmp_path, 'a', 'small', 2))
    plan = plan_of(cells_of(files, [entry(epochs=2)], tmp_path))
    assert [cell.key for cell in plan.open] == [('a', 'small', 1), ('b', 'small', 1), ('b', 'small', 2)]
    assert plan.stale == ()


def test_a_model_that_was_recorded_once_has_its_first_epoch(files: Sequence[ScenarioFile], tmp_path: Path) -> None:
    cassette(cassette_path(tmp_path, 'a', 'small'))
    plan = plan_of(cells_of(files[:1], [entry(epochs=2)], tmp_path))
    assert [cell.key for cell in plan.open] == [('a', 'small', 2)]


def test_a_recording_with_other_parameters_is_told(files: Sequence[ScenarioFile], tmp_path: Path) -> None:
    path = cassette(cassette_path(tmp_path, 'a', 'small'), temperature=0.0, seed=1)
    plan = plan_of(cells_of(files[:1], [entry(temperature=0.7, seed=1)], tmp_path))
    assert plan.stale == (f'{path}: recorded with temperature 0.0, wanted is 0.7',)


def test_what_is_wanted_anew_is_open(files: Sequence[ScenarioFile], tmp_path: Path) -> None:
    cassette(cassette_path(tmp_path, 'a', 'small'))
    plan = plan_of(cells_of(files[:1], [entry()], tmp_path), lambda path: True)
    assert len(plan.open) == 1


# ------------------------------------------------------------------------------------------------------------ the pace


def test_a_pace_begins_with_one_run_and_grows_by_one_a_round() -> None:
    pace = Pace(4)
    rounds = []
    for _ in range(5):
        started = 0
        while pace.may_start(0.0):
            pace.started()
            started += 1
        rounds.append(started)
        for _ in range(started):
            pace.ended(answered=True)
    assert rounds == [1, 2, 3, 4, 4]


def test_a_refusal_halves_the_pace_and_nothing_starts_before_the_server_wants_it() -> None:
    pace = Pace(8)
    pace.allowed = 8.0
    pace.refused(100.0, 5.0)
    assert pace.allowed == 4.0
    assert not pace.may_start(104.9)
    assert pace.wait(103.0) == 2.0
    assert pace.may_start(105.0)


def test_runs_that_are_refused_together_halve_the_pace_once() -> None:
    pace = Pace(8)
    pace.allowed = 8.0
    for moment in (100.0, 100.1, 100.2):
        pace.refused(moment, 5.0)
    assert pace.allowed == 4.0
    pace.refused(106.0, 1.0)
    assert pace.allowed == 2.0


def test_an_endpoint_that_gives_no_answer_three_times_in_a_row_is_given_up() -> None:
    pace = Pace(4)
    for answered in (False, False, True, False, False):
        pace.started()
        pace.ended(answered=answered)
    assert not pace.given_up
    pace.started()
    pace.ended(answered=False)
    assert pace.given_up


@given(st.lists(st.sampled_from(['start', 'answer', 'fail', 'refuse']), max_size=60), st.integers(1, 16))
def test_there_are_never_more_runs_than_the_most_and_always_room_for_one(events: list[str], most: int) -> None:
    pace, now = Pace(most), 0.0
    for event in events:
        now += 1.0
        if event == 'start' and pace.may_start(now):
            pace.started()
        elif event == 'refuse':
            pace.refused(now, 0.5)
        elif event in ('answer', 'fail') and pace.flying:
            pace.ended(answered=event == 'answer')
        assert 1 <= int(pace.allowed) <= most
        assert 0 <= pace.flying <= most


# ------------------------------------------------------------------------------------------------------------ in words


@pytest.mark.parametrize(
    ('seconds', 'words'), [(0.4, '0 s'), (59, '59 s'), (60, '1 min'), (3_599, '59 min'), (4_380, '1 h 13 min')]
)
def test_seconds_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(('cost', 'words'), [(0, '0.00 USD'), (0.0312, '0.0312 USD'), (1_234.5, '1,234.50 USD')])
def test_money_in_words(cost: float, words: str) -> None:
    assert money(cost, 'USD') == words


def test_prices_are_for_a_million_tokens() -> None:
    assert Prices(prompt=2.5, completion=10).of(200_000, 10_000) == pytest.approx(0.6)
