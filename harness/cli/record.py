"""`record`: record a live model."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.common import FINDINGS, echo, found, node_option, scenarios_option, usage_errors

if TYPE_CHECKING:
    from harness.llm import ModelSpec


@click.command()
@click.argument('select', nargs=-1, required=True, metavar='SCENARIO...')
@click.option('--model', 'name', required=True, help='The name of the model in files and reports.')
@click.option('--base-url', required=True, help='The OpenAI-compatible endpoint, such as http://127.0.0.1:8080/v1.')
@click.option('--send-model', default='', metavar='NAME', help='The name to send to the server.  [default: --model]')
@click.option('--api-key-env', metavar='VAR', help='The environment variable that holds the API key.')
@click.option('--temperature', type=float, help='Sent to the server where it is given.')
@click.option('--max-tokens', type=int, help='Sent to the server where it is given.')
@click.option('--seed', type=int, help='Sent to the server where it is given.')
@click.option('--timeout', type=float, default=120.0, show_default=True, help='Seconds to wait for the server.')
@node_option
@scenarios_option
@click.option(
    '--cassettes',
    type=click.Path(file_okay=False, path_type=Path),
    help='The folder to write to.  [default: cassettes]',
)
def record(
    select: tuple[str, ...],
    name: str,
    base_url: str,
    send_model: str,
    api_key_env: str | None,
    temperature: float | None,
    max_tokens: int | None,
    seed: int | None,
    timeout: float,
    node_ref: str,
    root: Path | None,
    cassettes: Path | None,
) -> None:
    """Record a live model, one cassette for each scenario.

    The scenarios run against an OpenAI-compatible server. A cassette is written only when the whole run was answered;
    one that fails leaves the others alone.
    """
    from harness import suite
    from harness.show import console

    with usage_errors():
        from harness.engine.node import load_node
        from harness.recording import RecordingFailed, record_scenario, recordable

        spec = _model_spec(
            name=name,
            base_url=base_url,
            model=send_model,
            api_key_env=api_key_env,
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            timeout_s=timeout,
        )
        root = suite.scenarios_folder(root)
        cassettes = suite.cassettes_folder(cassettes, root)
        files = recordable(found(root, select))
        with contextlib.redirect_stdout(sys.stderr):
            node = load_node(node_ref)
    failed = 0
    for file in files:
        try:
            with contextlib.redirect_stdout(sys.stderr):
                runs = record_scenario(file, node, spec, cassettes)
        except RecordingFailed as error:
            failed += 1
            echo(console.not_recorded_lines(file.scenario.id, name, str(error)))
        else:
            echo(line for item in runs for line in console.recorded_lines(item))
    echo([console.recording_verdict(len(files), failed)])
    if failed:
        sys.exit(FINDINGS)


def _model_spec(**values: Any) -> ModelSpec:
    from pydantic import ValidationError

    from harness.llm import ModelSpec
    from harness.scenario.loading import UsageError

    options = {'model': 'send-model', 'name': 'model', 'timeout_s': 'timeout'}
    try:
        return ModelSpec(**values)
    except ValidationError as error:
        problems = [(str(item['loc'][0]) if item['loc'] else '', item['msg']) for item in error.errors()]
        lines = [
            f'--{options.get(key, key).replace("_", "-")}: {message.removeprefix("Value error, ")}'
            for key, message in problems
        ]
        raise UsageError('\n'.join(lines)) from None
