"""Results as rows: one for each run of a model and one for each of its turns, the ground of every figure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, TypeVar

from harness.expect.finding import NODE
from harness.grammar import Form, Kind
from harness.record import Frozen
from harness.verdicts.turns import Flag, Outcome, TurnVerdict, outcome_of, turn_verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pandas import DataFrame

    from harness.record import RunRecord
    from harness.results import StoredResult
    from harness.verdicts.library import LibraryParser
    from harness.verdicts.turns import Corrupts

_Number = TypeVar('_Number', int, float)
NOT_ASKED: Final = "the library's parser was not asked"


class TurnRow(Frozen):
    """One turn of a run: its verdict, and what it cost.

    `parser_would_corrupt` is None where the library was not asked.
    """

    scenario: str
    family: str
    model: str
    parameters: str
    epoch: int
    agent: str
    turn: int
    form: Form
    kind: Kind
    flags: tuple[Flag, ...] = ()
    parser_would_corrupt: bool | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: float | None = None


class RunRow(Frozen):
    """One run: its outcome, and what the figures of a model are counted from.

    Tokens and seconds are sums over the turns that the model answered, those of child agents too: None where one of
    them is not known, or there is none.

    `called` says that a call reached a tool, `failed` that one of them raised, `recovered` that behind a call that
    raised another one returned, or the task was solved all the same (None where none raised). `first_bad_turn` is the
    number (from 1) of the first turn of the node under test that is malformed, empty, or calls an unknown tool.
    `strict` and `readable` say whether each of its turns is in the canonical form, or can be read (None where there is
    no turn).
    """

    scenario: str
    family: str
    model: str
    parameters: str
    epoch: int
    outcome: Outcome
    solved: bool | None
    needs_tool: bool | None
    called: bool
    failed: bool
    recovered: bool | None
    turns: int
    strict: bool | None
    readable: bool | None
    first_bad_turn: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_s: float | None


class Rows(Frozen):
    """The rows of one or more stores, in the order of the runs; scripted runs have none, for no model is in them.

    `not_asked` says why the library's parser was not asked about the turns; empty: it was.
    """

    runs: tuple[RunRow, ...] = ()
    turns: tuple[TurnRow, ...] = ()
    not_asked: str = NOT_ASKED


def rows_of(results: Iterable[StoredResult], corrupts: Corrupts | None = None, not_asked: str = NOT_ASKED) -> Rows:
    """Judge the runs of models and return their rows.

    `corrupts` tells whether the library would run something else than a turn says; without it that is not measured,
    and `not_asked` says why.
    """
    runs: list[RunRow] = []
    turns: list[TurnRow] = []
    for result in results:
        if result.record.model is not None:
            verdicts = turn_verdicts(result.record, corrupts)
            runs.append(_run(result, verdicts))
            turns += _turns(result, verdicts, corrupts is not None)
    return Rows(
        runs=tuple(with_parameters(runs)), turns=tuple(turns), not_asked='' if corrupts is not None else not_asked
    )


def measured(results: Iterable[StoredResult], library: LibraryParser) -> Rows:
    """Judge the runs of models, the library's parser asked about each turn, and return their rows.

    Where llama-index cannot be imported, the rows say so and have everything else.
    """
    from harness.verdicts.library import NoLibrary

    try:
        library.begin()
    except NoLibrary as error:
        return rows_of(results, not_asked=str(error))
    return rows_of(results, library.would_corrupt)


def with_parameters(runs: Sequence[RunRow]) -> Iterator[RunRow]:
    """Yield the runs; those that were never made are given the parameters of their model, where it has one set."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    for run in runs:
        if run.turns:
            known[run.model].add(run.parameters)
    for run in runs:
        if not run.turns and not run.parameters and len(known[run.model]) == 1:
            yield run.model_copy(update={'parameters': next(iter(known[run.model]))})
        else:
            yield run


def parameters_text(record: RunRecord) -> str:
    """Return the parameters of a run as one text, such as `max_tokens=512 temperature=0.7`."""
    shown = {key: value if isinstance(value, str) else f'{value:g}' for key, value in record.parameters.items()}
    return ' '.join(f'{key}={value}' for key, value in sorted(shown.items()))


def _who(result: StoredResult) -> dict[str, Any]:
    record = result.record
    return {
        'scenario': record.scenario,
        'family': result.task_family or result.family,
        'model': record.model,
        'parameters': parameters_text(record),
        'epoch': record.epoch,
    }


def _turns(result: StoredResult, verdicts: Sequence[TurnVerdict], asked_library: bool) -> Iterator[TurnRow]:
    asked = {(turn.agent, turn.index): turn for turn in result.record.turns}
    for verdict in verdicts:
        turn = asked[verdict.agent, verdict.index]
        yield TurnRow(
            **_who(result),
            agent=verdict.agent,
            turn=verdict.index + 1,
            form=verdict.form,
            kind=verdict.kind,
            flags=verdict.flags,
            parser_would_corrupt=Flag.PARSER_WOULD_CORRUPT in verdict.flags if asked_library else None,
            prompt_tokens=turn.prompt_tokens,
            completion_tokens=turn.completion_tokens,
            latency_s=turn.latency_s,
        )


def _run(result: StoredResult, verdicts: Sequence[TurnVerdict]) -> RunRow:
    record = result.record
    own = record.of(NODE)
    forms = {verdict.form for verdict in verdicts if verdict.agent == NODE}
    answered = [turn for turn in record.turns if turn.error is None]
    failed = [number for number, call in enumerate(own.calls) if call.error is not None]
    recovered = None
    if failed:
        recovered = bool(result.solved) or any(call.error is None for call in own.calls[failed[0] + 1 :])
    return RunRow(
        **_who(result),
        outcome=outcome_of(record, result.problem),
        solved=result.solved,
        needs_tool=result.needs_tool,
        called=bool(own.calls),
        failed=bool(failed),
        recovered=recovered,
        turns=len(own.turns),
        strict=forms <= {Form.STRICT} if forms else None,
        readable=forms <= {Form.STRICT, Form.LENIENT} if forms else None,
        first_bad_turn=next((item.index + 1 for item in verdicts if item.agent == NODE and is_bad(item)), None),
        prompt_tokens=_total(turn.prompt_tokens for turn in answered),
        completion_tokens=_total(turn.completion_tokens for turn in answered),
        latency_s=_total(turn.latency_s for turn in answered),
    )


def is_bad(verdict: TurnVerdict) -> bool:
    """Tell whether a turn is a step that nobody could run, or nothing at all."""
    return verdict.form in (Form.MALFORMED, Form.EMPTY) or Flag.UNKNOWN_TOOL in verdict.flags


def _total(counts: Iterable[_Number | None]) -> _Number | None:
    """Return the sum, None where one of the numbers is not known: a part of it would be told as the whole."""
    total = None
    for count in counts:
        if count is None:
            return None
        total = count if total is None else total + count
    return total


# --------------------------------------------------------------------------------------------------------------- frames


def run_frame(rows: Rows) -> DataFrame:
    """Return the runs as a frame, one column for each field."""
    from pandas import DataFrame

    return DataFrame([row.model_dump(mode='json') for row in rows.runs], columns=list(RunRow.model_fields))


def turn_frame(rows: Rows) -> DataFrame:
    """Return the turns as a frame: one column for each field, and one of truth values for each flag."""
    from pandas import DataFrame

    columns = [name for name in TurnRow.model_fields if name != 'flags']
    flags = [flag for flag in Flag if flag.value not in columns]
    made = [
        {**row.model_dump(mode='json', exclude={'flags'}), **{flag.value: flag in row.flags for flag in flags}}
        for row in rows.turns
    ]
    return DataFrame(made, columns=[*columns, *(flag.value for flag in flags)])
