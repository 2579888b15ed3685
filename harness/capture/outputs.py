"""The second source: raw outputs of a model, with the question that they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from harness.capture.behaviour import Asked, Behaviour, CaptureError, Output, whole
from harness.capture.scripts import filled, unknown_results
from harness.scenario.yamlnode import key_path
from harness.show.visible import clip, plural
from harness.strictjson import strict_json

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES: Final = 4_000_000
NEXT: Final = '--- next turn ---'
"""The line between one output and the next."""


def texts_in(raw: bytes, *, json_lines: bool = False, where: str = 'standard input') -> tuple[Output, ...]:
    """Return the outputs that a text holds: one, or several with a line `--- next turn ---` between them.

    The last line feed of each is that of the program that wrote it, and not the model's. With `json_lines` each line is
    one output: its text as JSON, `null` for none, or an object with `text`, `finish_reason`, `prompt_tokens`,
    `completion_tokens`, `latency_s`, or with `error` (`status` and `message`).

    Raises:
        CaptureError: this is no such text; the message names the line.
    """
    if len(raw) > MAX_BYTES:
        raise CaptureError(f'{where}: this is longer than {MAX_BYTES:,} bytes')
    try:
        text = raw.decode('utf-8')
    except UnicodeDecodeError as error:
        number = raw.count(b'\n', 0, error.start) + 1
        raise CaptureError(f'{where}:{number}: this is not UTF-8 text') from None
    if not text.strip() and not (json_lines and text):
        raise CaptureError(f'{where}: there is no output of a model in it; write what the model wrote')
    if json_lines:
        return tuple(_parsed(text, where))
    parts: list[list[str]] = [[]]
    for line in text.split('\n'):
        if line.removesuffix('\r') == NEXT:
            parts.append([])
        else:
            parts[-1].append(line)
    *before, last = ('\n'.join(lines) for lines in parts)
    return tuple(Output(text=whole(part)) for part in (*before, last.removesuffix('\n')))


def _parsed(text: str, where: str) -> Iterator[Output]:
    for number, line in enumerate(text.split('\n'), 1):
        if not line.strip():
            continue
        try:
            value = strict_json(line)
            yield Output.model_validate(whole(value if isinstance(value, dict) else {'text': value}))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            at = key_path(first['loc'])
            raise CaptureError(f'{where}:{number}: this is no output of a model: {at}: {first["msg"]}') from None
        except (ValueError, RecursionError) as error:
            raise CaptureError(f'{where}:{number}: this is not JSON: {clip(str(error), 200)}') from None


def behaviour_of(outputs: tuple[Output, ...], model: str, given: dict[str, Any]) -> Behaviour:
    """Return what outputs show of a model; `given` are keys of the scenario: the question, tools, the configuration."""
    tools = given.get('tools', [])
    asked = {**given, **({'tools': filled(tools, (), by_input=True)} if tools else {})}
    missing = unknown_results(asked.get('tools', []))
    unknown = [f'what {name} gives back: a call raises until its script says it' for name in missing]
    if any(output.finish_reason is None and output.error is None for output in outputs):
        unknown.append('why the model ended each turn, and how many tokens it took')
    unknown.append('how the model was asked: server, temperature, seed')
    return Behaviour(
        model=Asked(name=model),
        outputs=outputs,
        asked=(asked,),
        question=given['question'],
        source=f'captured from {plural(len(outputs), "raw output")} of {model}',
        unknown=tuple(unknown),
    )
