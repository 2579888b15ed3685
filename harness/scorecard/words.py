"""The words of the page: every verdict in one sentence, and what others measured elsewhere, for scale."""

from __future__ import annotations

from typing import Final

from harness.grammar import Form
from harness.record import Frozen
from harness.verdicts.turns import Flag, Outcome

FORMS: Final[dict[Form, str]] = {
    Form.STRICT: 'The turn is to the letter what the prompt asks for: a thought, then an action with one JSON object '
    'and nothing behind it, or an answer.',
    Form.LENIENT: 'The same step can be read without a guess, but it is written otherwise: another spelling of a '
    'label, no thought, a fence, JSON5 or a Python dict, text behind the input, a reasoning block in front.',
    Form.MALFORMED: 'An attempted step that nobody may run: an input that is not one whole object, a call in another '
    'notation or under labels of another language, an input without an action.',
    Form.DIRECT: 'Plain text, no attempt at a step.',
    Form.EMPTY: 'Nothing but white space, template tokens, reasoning, or a bare label.',
}

FLAGS: Final[dict[Flag, str]] = {
    Flag.WROTE_OBSERVATION: 'The model wrote an observation itself.',
    Flag.SEVERAL_STEPS: 'The turn has more than one action with a name.',
    Flag.NARRATED_TOOL_USE: 'Prose that tells of tool work that never happened.',
    Flag.UNKNOWN_TOOL: 'A call of a name that was not offered.',
    Flag.INVALID_ARGUMENTS: "The input does not fit the tool's JSON Schema.",
    Flag.REPEATED_CALL: 'The same call, with the same input, as before in this run.',
    Flag.TRUNCATED: 'The budget of tokens cut the turn off.',
    Flag.REASONING_BLOCK: 'A <think> block or the like stands in it.',
    Flag.FOREIGN_CALL: 'A call in a native or JSON notation.',
    Flag.PARSER_WOULD_CORRUPT: "llama-index's own parser would run something else than was written, or take for ever.",
}

OUTCOMES: Final[dict[Outcome, str]] = {
    Outcome.GROUNDED: 'The run was answered after a call that reached a tool.',
    Outcome.UNGROUNDED: 'The run was answered without a call that reached a tool.',
    Outcome.MALFORMED_ANSWER: 'A malformed turn was delivered as the answer.',
    Outcome.GUARD: 'The run was refused by require_tool_call.',
    Outcome.EXHAUSTED: 'The budget of LLM calls was used up.',
    Outcome.EMPTY: 'The last turn is empty.',
    Outcome.ERROR: "The run ended in an error that is the model's or the node's.",
    Outcome.INFRASTRUCTURE: "A rate limit, a timeout, a broken connection, a drift: not the model's fault, and in no "
    'rate.',
}

STATES: Final[dict[str, str]] = {
    'met': 'Every expectation of the scenario holds: this is about the node.',
    'failed': 'At least one expectation does not hold: each one is a finding about the node.',
    'not_judged': 'The run says nothing about the node: its replay drifted, or nothing is recorded. It is no pass.',
    'missing': 'There is no run, or nothing to count. It is hatched, says so in words, and is in no rate.',
}

METHOD: Final[tuple[str, ...]] = (
    'A verdict is about the model, a finding about the node. The two are told apart everywhere.',
    "Every rate has a 95 % interval and its n. Where each scenario was run once the interval is Wilson's; where turns "
    'or epochs repeat, the scenario is the unit of independence.',
    'solved is pass^1; pass^k is the chance that k runs of a scenario all solve it, where it has k epochs.',
    'Two models are compared on the scenarios that both were run on: mean difference with a bootstrap interval, exact '
    "McNemar test, Holm's correction over all pairs. Where the interval holds zero or p is not below 0.05 they cannot "
    'be told apart.',
    'A malformed call is never counted as abstaining: malformed and direct are two forms.',
)


class Published(Frozen):
    """A figure of the field, measured by others with other tasks and prompts.

    `link` is where it stands, empty where no link to it is known; `second_hand` says that we have it from somebody who
    tells of the source.
    """

    source: str
    figure: str
    link: str = ''
    second_hand: bool = False


PUBLISHED: Final[tuple[Published, ...]] = (
    Published(
        source='AgentBench',
        figure='Invalid format: 6.0 % of runs of API models, 10.4 % of open models up to 70B; task limit reached: 24.9 '
        'and 36.9 %.',
        second_hand=True,
    ),
    Published(
        source='ToolScan (SpecTool), table 4',
        figure='Share free of format errors: GPT-4-0125 1.00, Mistral-7b 0.93, Llama-3-8b 0.71, Mixtral-8x7b 0.43.',
        link='https://arxiv.org/abs/2411.13547v1',
        second_hand=True,
    ),
    Published(
        source='ToolFailBench, 2026',
        figure='Tool-skip where a tool is required, of six of its 19 models: 11.8 % (Grok-4.3) to 24.2 % '
        '(Llama-3.1-70B), Llama-3.1-8B 20.6 %.',
        second_hand=True,
    ),
    Published(
        source='tau-bench, README',
        figure='Airline, ReAct with gpt-4o: pass^1 0.325, pass^4 0.160; tool calling: 0.420 and 0.200.',
    ),
    Published(
        source='BFCL v4, table of 2026-04-12',
        figure='Overall with native calls and with text prompts: Opus-4.5 77.5 and 33.5, GPT-4.1 54.0 and 39.4, '
        'Qwen3-8B 42.6 and 40.4.',
    ),
    Published(
        source='BFCL v4, table of 2026-04-12',
        figure='Most points between 26 wordings of one text prompt: Phi-4 81.5, Llama-3.1-8B 74.5, Qwen3-8B 16.5, '
        'o3 8.5.',
    ),
    Published(
        source='FutureHouse ldp',
        figure='85.7 % of ReAct turns failed to parse, and GSM8K was at 9.5 %, until parsing moved to the API.',
        link='https://github.com/Future-House/ldp/pull/111',
    ),
    Published(
        source='llama_index',
        figure='Another wording of the prompt cut parse errors by roughly 90 % with gpt-4o and Llama-3.2-3b.',
        link='https://github.com/run-llama/llama_index/pull/18818',
    ),
    Published(
        source='IFEval',
        figure='Prompts whose instructions were followed, strict and loose: GPT-4 76.9 and 79.3 %, PaLM 2 S 43.1 and '
        '47.0 %.',
        second_hand=True,
    ),
)
"""Not measured here: other tasks, other prompts, other years. They tell the order of magnitude."""


def legend() -> list[dict[str, object]]:
    """Return the groups of the legend as JSON: a title, and words with their sentences."""
    groups: list[tuple[str, str, dict[str, str]]] = [
        ('form', 'The form of a turn', {key.value: text for key, text in FORMS.items()}),
        ('flag', 'The flags of a turn', {key.value: text for key, text in FLAGS.items()}),
        ('outcome', 'The outcome of a run', {key.value: text for key, text in OUTCOMES.items()}),
        ('state', 'What a run says about the node', STATES),
    ]
    return [
        {'id': key, 'title': title, 'words': [[word, text] for word, text in words.items()]}
        for key, title, words in groups
    ]
