"""The options of a command that is named to a user: none where the defaults lead to the same files and node."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from example_suite import ERRANDS, Suite

from harness.cli.run import run
from harness.engine.node import load_node
from harness.options import options_of
from harness.scenario.loading import ScenarioFile, load_scenario
from harness.suite import shown_path

ROOT = Path(__file__).resolve().parent.parent
DEFAULT = next(option.default for option in run.params if option.name == 'node_ref')


@pytest.fixture
def file(tmp_path: Path) -> ScenarioFile:
    suite = Suite(tmp_path / 'my suite')
    suite.cassettes.mkdir(parents=True)
    return load_scenario(suite.add())


def test_nothing_is_said_that_is_the_default() -> None:
    file = load_scenario(ROOT / 'scenarios' / 'evaluation' / 'one-tool.yaml')
    assert options_of(file, load_node(str(DEFAULT)), ROOT / 'cassettes') == ()


def test_the_node_of_the_default_may_be_named_by_its_folder() -> None:
    file = load_scenario(ROOT / 'scenarios' / 'evaluation' / 'one-tool.yaml')
    assert options_of(file, load_node(ROOT / 'src' / 'agent_llamaindex'), ROOT / 'cassettes') == ()


def test_another_node_and_other_folders_are_named(
    file: ScenarioFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, 'errands', raising=False)  # another test may have imported it by its name
    root = file.path.parent.parent
    assert options_of(file, load_node(ERRANDS), root.parent / 'cassettes') == (
        *('--node', str(shown_path(load_node(ERRANDS).path))),
        *('--scenarios', str(root)),
    )
    elsewhere = tmp_path / 'tapes'
    assert options_of(file, load_node(ERRANDS), elsewhere)[-2:] == ('--cassettes', str(elsewhere))


def test_folders_of_the_current_directory_are_not_named(file: ScenarioFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.path.parents[2])
    assert options_of(file, load_node(str(DEFAULT)), Path('cassettes')) == ()
