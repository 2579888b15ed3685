"""The mutants: each is one small mistake in the node as it is now, and the hunt tells what became of it."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import jsonschema
import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.mutants import Mutant, edit
from harness.mutants.build import MutantError, build
from harness.mutants.hunt import Hunt, Hunted, Kill, hunt, hunt_schema, idle, in_order, only_killers
from harness.mutants.pack import Ground, hunt_all
from harness.mutants.table import MUTANTS
from harness.scenario.loading import find_scenarios
from harness.scenario.register import load_register
from harness.show.mutants import markdown, rows, verdict
from harness.suite import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

NODE = CHECKOUT / 'src' / 'agent_llamaindex'
SCENARIOS = CHECKOUT / 'scenarios'
CASSETTES = CHECKOUT / 'cassettes'


def test_there_are_many_mutants_and_no_two_of_one_name() -> None:
    ids = [mutant.id for mutant in MUTANTS]

    assert len(ids) == len(set(ids)) >= 90
    assert all(re.fullmatch(r'[a-z0-9]+(-[a-z0-9]+)*', name) for name in ids)


@pytest.mark.parametrize('mutant', MUTANTS, ids=[mutant.id for mutant in MUTANTS])
def test_every_mutant_fits_the_node_and_is_python(mutant: Mutant, tmp_path: Path) -> None:
    folder = build(mutant, NODE, tmp_path)

    for file in folder.glob('*.py'):
        ast.parse(file.read_text(encoding='utf-8'))
    changed = {file.name for file in folder.iterdir() if file.is_file() and not _same(file, NODE / file.name)}
    assert changed == {change.file for change in mutant.edits} or mutant.node


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def test_every_mutant_violates_requirements_that_there_are() -> None:
    known = {item.id for item in load_register(SCENARIOS)}

    assert {name for mutant in MUTANTS for name in mutant.breaks} <= known
    assert all(mutant.breaks and mutant.bug.endswith('.') for mutant in MUTANTS)


def test_every_requirement_is_violated_by_a_mutant() -> None:
    violated = {name for mutant in MUTANTS if not mutant.equivalent for name in mutant.breaks}

    assert {item.id for item in load_register(SCENARIOS)} == violated


def test_the_table_of_the_docs_has_every_mutant() -> None:
    page = (CHECKOUT / 'docs' / 'mutants-table.md').read_text(encoding='utf-8')

    assert re.findall(r'(?m)^\| `([^`]+)` \|', page) == [mutant.id for mutant in MUTANTS]


def test_a_mutant_that_does_not_fit_any_more_says_so(tmp_path: Path) -> None:
    with pytest.raises(MutantError, match=r"old: .*loop\.py has the text 'no such text' 0 times, not once"):
        build(Mutant('old', 'It is old.', ('LOOP-1',), (edit('loop.py', 'no such text', 'x'),)), NODE, tmp_path)
    with pytest.raises(MutantError, match=r'lost: there is no gone\.py'):
        build(Mutant('lost', 'It is lost.', ('LOOP-1',), (edit('gone.py', 'x', 'y'),)), NODE, tmp_path)


def test_a_mutant_that_does_not_load_is_no_kill() -> None:
    broken = Mutant('broken', 'It is no Python.', ('LOOP-1',), (edit('IInstance.py', 'class IInstance', 'class 1'),))

    with pytest.raises(MutantError, match=r'broken: .*does not import'):
        hunt(broken, NODE, find_scenarios(SCENARIOS, ['never-an-answer']), CASSETTES)


# ------------------------------------------------------------------------------------------------------------- the hunt


def by_id(name: str) -> Mutant:
    return next(mutant for mutant in MUTANTS if mutant.id == name)


def test_a_mutant_is_killed_by_the_first_scenario_that_notices() -> None:
    files = find_scenarios(SCENARIOS, ['never-an-answer', 'answer-in-the-tenth-call', 'nothing-configured'])
    found = hunt(by_id('limit-of-nine'), NODE, files, CASSETTES)

    assert found.kills == (Kill(scenario='answer-in-the-tenth-call', by='required'),)
    assert found.replayed == 1


def test_a_whole_hunt_finds_all_killers() -> None:
    files = find_scenarios(SCENARIOS, ['never-an-answer', 'answer-in-the-tenth-call', 'nothing-configured'])
    found = hunt(by_id('limit-of-nine'), NODE, files, CASSETTES, whole=True)

    assert {kill.scenario for kill in found.kills} == {'answer-in-the-tenth-call', 'never-an-answer'}
    assert found.replayed == 3


def test_a_healthy_node_is_not_killed() -> None:
    healthy = Mutant(
        'healthy', 'Nothing is wrong.', ('LOOP-1',), (edit('loop.py', 'MAX_ITERATIONS = 10', 'MAX_ITERATIONS = 5 + 5'),)
    )

    assert not hunt(healthy, NODE, find_scenarios(SCENARIOS, families=['loop']), CASSETTES).killed


def test_a_mutant_that_never_ends_is_stopped_and_killed() -> None:
    found = hunt(by_id('never-stops'), NODE, find_scenarios(SCENARIOS, ['never-an-answer']), CASSETTES)

    assert found.killed
    assert found.seconds < 60


def test_a_recording_that_drifts_kills_and_says_so() -> None:
    twice = by_id('instructions-twice')
    found = hunt(twice, NODE, find_scenarios(SCENARIOS, ['instruction-must-hold']), CASSETTES)

    assert [kill.by for kill in found.kills] == ['drift']


def broken_by(name: str, code: str) -> Mutant:
    """Return a mutant that does something before it answers."""
    first = '        return self._agent.run_agent(self, question, emit_answers_lane=True)\n'
    return Mutant(name, 'It is broken.', ('FACE-1',), (edit('IInstance.py', first, f'        {code}\n{first}'),))


def test_a_mutant_that_ends_its_process_is_killed_and_the_hunt_goes_on() -> None:
    ends = broken_by('ends', 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)')
    ground = Ground(NODE, find_scenarios(SCENARIOS, ['never-an-answer']), CASSETTES)
    found = list(hunt_all([ends, by_id('limit-of-nine')], ground, workers=2))

    assert [(item.id, item.killed) for item in found] == [('ends', True), ('limit-of-nine', True)]


def test_a_failure_of_the_harness_is_no_kill() -> None:
    files = find_scenarios(SCENARIOS, ['never-an-answer'])
    lost = [replace(file, scenario=file.scenario.model_copy(update={'tools': None})) for file in files]

    with pytest.raises(MutantError, match=r'limit-of-nine: the harness failed with it:\n.*Traceback'):
        Ground(NODE, lost, CASSETTES).hunt(by_id('limit-of-nine'))


def test_what_the_healthy_node_fails_too_is_no_kill(tmp_path: Path) -> None:
    suite = tmp_path / 'scenarios' / 'loop'
    suite.mkdir(parents=True)
    text = (SCENARIOS / 'loop' / 'never-an-answer.yaml').read_text(encoding='utf-8')
    (suite / 'never-an-answer.yaml').write_text(text.replace('llm_calls: 10', 'llm_calls: 12'), encoding='utf-8')

    with pytest.raises(MutantError, match=r'limit-of-nine: never-an-answer does not kill it: .* does not get past'):
        hunt(by_id('limit-of-nine'), NODE, find_scenarios(suite.parent), CASSETTES)


def test_likely_killers_come_first_and_recordings_last() -> None:
    ordered = in_order(by_id('limit-of-nine'), find_scenarios(SCENARIOS))

    assert 'LOOP-4' in ordered[0].scenario.requirements
    assert ordered[-1].scenario.model is None


def hunted(name: str, *kills: str, equivalent: str = '') -> Hunted:
    made = tuple(Kill(scenario=kill, by='required') for kill in kills)
    return Hunted(id=name, bug=f'It is {name}.', breaks=('LOOP-1',), kills=made, equivalent=equivalent)


def test_survivors_and_killed_equivalents_are_told() -> None:
    done = Hunt(
        scenarios=2,
        whole=True,
        mutants=(
            hunted('dead', 'one'),
            hunted('alive'),
            hunted('same', equivalent='why'),
            hunted('not-same', 'one', equivalent='why'),
        ),
    )

    assert [item.as_it_should for item in done.mutants] == [True, False, True, False]
    assert verdict(done) == (
        '1 of 2 mutants killed by 2 scenarios; 2 equivalent; 1 survivor: alive; not equivalent after all: not-same'
    )
    assert [row.split()[0] for row in rows(done)] == ['killed', 'SURVIVED', 'equivalent', 'KILLED']
    assert '| `alive` | It is alive. | LOOP-1 | **nothing** |' in markdown(done)


def test_a_scenario_earns_its_place_as_the_only_killer() -> None:
    files = find_scenarios(SCENARIOS, ['never-an-answer', 'nothing-configured'])
    done = Hunt(scenarios=2, whole=True, mutants=(hunted('a', 'never-an-answer'), hunted('b', 'never-an-answer', 'x')))

    assert only_killers(done) == {'never-an-answer': ['a']}
    assert list(idle(done, files)) == ['nothing-configured']


# ------------------------------------------------------------------------------------------------------------ the verb


def test_the_verb_hunts_what_is_named_in_several_processes() -> None:
    result = CliRunner().invoke(main, ['mutants', 'limit-of-*', '--json', '--workers', '2'])

    assert result.exit_code == 0, result.output
    done = json.loads(result.stdout)
    jsonschema.validate(done, hunt_schema())
    assert [item['id'] for item in done['mutants']] == ['limit-of-nine', 'limit-of-eleven']


def test_a_survivor_fails(tmp_path: Path) -> None:
    suite = tmp_path / 'scenarios' / 'config'
    suite.mkdir(parents=True)
    (suite / 'nothing-configured.yaml').write_bytes((SCENARIOS / 'config' / 'nothing-configured.yaml').read_bytes())
    result = CliRunner().invoke(main, ['mutants', 'limit-of-nine', '--scenarios', str(suite.parent)])

    assert result.exit_code == 1
    assert 'SURVIVED   limit-of-nine' in result.output


def test_a_name_that_is_none_names_the_nearest_one() -> None:
    result = CliRunner().invoke(main, ['mutants', 'limit-of-nein'])

    assert result.exit_code == 2
    assert "there is no mutant 'limit-of-nein': did you mean limit-of-nine?" in result.output
