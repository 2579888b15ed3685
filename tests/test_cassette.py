from __future__ import annotations

import json
import re
import shlex
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import vcr
import yaml
from chat_server import ChatServer, Raw, chat_completion
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.cassette import (
    CassetteError,
    Drift,
    NotRecorded,
    Place,
    Tape,
    cassette_path,
    cassettes_of,
    kept_path,
    place_of,
    recording,
    replaying,
    spec_of,
)
from harness.cassette import file as cassette_file
from harness.cassette.drift import ABSENT
from harness.llm import (
    BadRequestError,
    ChatClient,
    Completion,
    InternalServerError,
    ModelError,
    ModelSpec,
    scripted_client,
)
from harness.scenario import ModelScript

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = 'sk-canary-0123456789abcdef'
PROMPTS = ('Ask\nthe tool', 'Ask\nthe tool\nObservation: é 😀', 'last')
REPLIES = ('Thought: I\nAction: a\nAction Input: {"x": "é 😀"}', 'Thought: I\u2028\x85 \t\r\n', 'Answer: 42')
STOP = ('Observation:',)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(*map(chat_completion, REPLIES)) as running:
        yield running


def spec(server: ChatServer, **options: Any) -> ModelSpec:
    given = {'temperature': 0.0, 'max_tokens': 64, 'seed': 7} | options
    return ModelSpec(name='small', base_url=server.base_url, model='org/small', **given)


def ask(http: httpx.Client, spec: ModelSpec, prompts: tuple[str, ...] = PROMPTS) -> list[Completion]:
    client = ChatClient(spec, http)
    return [client.complete(prompt, STOP).model_copy(update={'latency_s': 0.0}) for prompt in prompts]


@pytest.fixture
def cassette(server: ChatServer, tmp_path: Path) -> Path:
    """Three turns, recorded from a server that is gone when the test begins."""
    path = cassette_path(tmp_path / 'cassettes', 'one-tool', 'small')
    with recording(path) as tape:
        ask(tape.http, spec(server))
    server.close()
    return path


@pytest.fixture
def text(cassette: Path) -> str:
    return cassette.read_text(encoding='utf-8')


# ------------------------------------------------------------------------------------------------------------- paths


def test_a_cassette_is_kept_by_scenario_and_model(tmp_path: Path) -> None:
    assert cassette_path(tmp_path, 'one-tool', 'Qwen2.5-1.5B') == tmp_path / 'one-tool' / 'Qwen2.5-1.5B.yaml'


@pytest.mark.parametrize(
    'name', ['', '..', '../x', 'a/b', 'a\\b', '/etc', 'a\nb', 'a\x00', '.hidden', 'a..b', 'C:x', '~']
)
def test_a_name_that_leaves_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    for scenario, model in (('one-tool', name), (name, 'small')):
        with pytest.raises(CassetteError, match=r'is no name for a (scenario|model) .use letters'):
            cassette_path(tmp_path, scenario, model)


def test_the_cassettes_of_a_scenario_are_found_by_model_and_epoch(tmp_path: Path) -> None:
    folder = tmp_path / 'one-tool'
    (folder / 'c').mkdir(parents=True)
    (folder / '.d').mkdir()
    for name in ('b.yaml', 'a-1.5B.yaml', '.b.yaml.1.2.tmp', '.hidden.yaml', 'notes.txt', 'c/10.yaml', 'c/2.yaml'):
        (folder / name).touch()
    (folder / '.d' / '1.yaml').touch()
    assert cassettes_of(tmp_path, 'one-tool') == [
        Place(folder / 'a-1.5B.yaml', 'one-tool', 'a-1.5B', 1),
        Place(folder / 'b.yaml', 'one-tool', 'b', 1),
        Place(folder / 'c' / '2.yaml', 'one-tool', 'c', 2),
        Place(folder / 'c' / '10.yaml', 'one-tool', 'c', 10),
    ]
    assert cassettes_of(tmp_path, 'another') == []


@pytest.mark.parametrize('name', ['7.yaml', 'small/0.yaml', 'small/x.yaml', 'small/01.yaml', 'small/10000.yaml'])
def test_a_file_where_no_cassette_can_be_is_an_error(name: str, tmp_path: Path) -> None:
    path = tmp_path / 'one-tool' / name
    path.parent.mkdir(parents=True)
    path.touch()
    with pytest.raises(CassetteError, match='no place for a cassette'):
        cassettes_of(tmp_path, 'one-tool')


def test_the_path_of_a_cassette_says_what_it_holds(tmp_path: Path) -> None:
    for epoch in (None, 1, 12, 9_999):
        place = place_of(cassette_path(tmp_path, 'one-tool', 'small', epoch))
        assert (place.root, place.scenario, place.model, place.epoch) == (tmp_path, 'one-tool', 'small', epoch or 1)


@pytest.mark.parametrize(('model', 'epoch'), [('3', None), ('small', 0), ('small', 10_000), ('a/b', 1)])
def test_a_model_that_is_called_by_a_number_and_an_epoch_out_of_range_have_no_path(
    model: str, epoch: int | None, tmp_path: Path
) -> None:
    with pytest.raises(CassetteError):
        cassette_path(tmp_path, 'one-tool', model, epoch)


def test_a_single_recording_is_the_first_epoch_of_its_model(tmp_path: Path) -> None:
    single = cassette_path(tmp_path, 'one-tool', 'small')
    assert kept_path(tmp_path, 'one-tool', 'small', 1) == cassette_path(tmp_path, 'one-tool', 'small', 1)
    single.parent.mkdir()
    single.touch()
    assert kept_path(tmp_path, 'one-tool', 'small', 1) == single
    assert kept_path(tmp_path, 'one-tool', 'small', 2) == cassette_path(tmp_path, 'one-tool', 'small', 2)


def test_a_stray_file_among_the_cassettes_is_named(tmp_path: Path) -> None:
    (tmp_path / 'one-tool').mkdir()
    (tmp_path / 'one-tool' / 'small (copy).yaml').touch()
    with pytest.raises(CassetteError, match=r"'small \(copy\)' is no name for a model"):
        cassettes_of(tmp_path, 'one-tool')


# --------------------------------------------------------------------------------------------------- record and replay


def test_a_replay_gives_what_was_recorded_with_the_server_gone_and_sockets_blocked(
    cassette: Path, server: ChatServer, no_network: None
) -> None:
    with replaying(cassette) as tape:
        assert tape.unplayed == 3
        replies = ask(tape.http, tape.spec)
    assert [reply.text for reply in replies] == list(REPLIES)
    assert [(reply.prompt_tokens, reply.finish_reason) for reply in replies] == [(11, 'stop')] * 3
    assert (tape.played, tape.unplayed, tape.drift) == (3, 0, None)
    assert len(server.asked) == 3


def test_a_recording_asks_the_server_exactly_what_a_live_client_asks(server: ChatServer, tmp_path: Path) -> None:
    with httpx.Client() as live:
        ask(live, spec(server))
    with recording(tmp_path / 'a' / 'small.yaml') as tape:
        ask(tape.http, spec(server))
    live_asked, recorded_asked = server.asked[:3], server.asked[3:]
    assert [one.body for one in recorded_asked] == [one.body for one in live_asked]
    assert [one.headers for one in recorded_asked] == [one.headers for one in live_asked]


def test_a_cassette_tells_the_model_it_was_recorded_with(cassette: Path, server: ChatServer) -> None:
    assert spec_of(cassette) == spec(server)


def test_options_that_were_not_sent_are_not_in_the_model_of_a_cassette(server: ChatServer, tmp_path: Path) -> None:
    plain = ModelSpec(name='small', base_url=server.base_url)
    with recording(tmp_path / 'x' / 'small.yaml') as tape:
        ask(tape.http, plain)
    assert spec_of(tmp_path / 'x' / 'small.yaml') == plain


def test_another_port_is_no_drift(cassette: Path) -> None:
    elsewhere = spec_of(cassette).model_copy(update={'base_url': 'https://example.org:4321/v1'})
    with replaying(cassette) as tape:
        assert [reply.text for reply in ask(tape.http, elsewhere)] == list(REPLIES)


def test_what_was_never_played_is_counted(cassette: Path) -> None:
    with replaying(cassette) as tape:
        ask(tape.http, tape.spec, PROMPTS[:1])
    assert (tape.played, tape.unplayed) == (1, 2)


def test_a_cassette_can_be_replayed_again_and_again(cassette: Path) -> None:
    for _ in range(3):
        with replaying(cassette) as tape:
            assert [reply.text for reply in ask(tape.http, tape.spec)] == list(REPLIES)


def test_a_changed_file_is_read_anew(cassette: Path, text: str) -> None:
    with replaying(cassette) as tape:
        ask(tape.http, tape.spec)
    cassette.write_text(text.replace('Answer: 42', 'Answer: 43'), encoding='utf-8')
    with replaying(cassette) as tape:
        assert ask(tape.http, tape.spec)[-1].text == 'Answer: 43'


def test_threads_replay_their_own_tapes_at_once(cassette: Path) -> None:
    start = threading.Barrier(8)

    def replay(_: int) -> list[str | None]:
        with replaying(cassette) as tape:
            start.wait()
            return [reply.text for reply in ask(tape.http, tape.spec)]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(replay, range(8))) == [list(REPLIES)] * 8


def test_requests_that_do_not_go_through_the_tape_are_left_alone(cassette: Path) -> None:
    with ChatServer(chat_completion('from a tool')) as tool, replaying(cassette) as tape:
        child = scripted_client(ModelScript.model_validate({'outputs': ['from a script']}))
        first = ask(tape.http, tape.spec, PROMPTS[:1])
        other = httpx.post(f'{tool.base_url}/chat/completions', json={}).json()
        assert child.complete('x').text == 'from a script'
        rest = ask(tape.http, tape.spec, PROMPTS[1:])
    assert other['choices'][0]['message']['content'] == 'from a tool'
    assert [reply.text for reply in first + rest] == list(REPLIES)


def test_a_closed_tape_makes_no_request(cassette: Path) -> None:
    with replaying(cassette) as tape:
        pass
    with pytest.raises(RuntimeError, match='closed'):
        ask(tape.http, tape.spec)


def test_an_http_error_is_an_exchange_like_any_other(server: ChatServer, tmp_path: Path) -> None:
    server.replies = [Raw(b'{"error": {"message": "too long"}}', 400), chat_completion('fine')]
    path = tmp_path / 'x' / 'small.yaml'

    def talk(http: httpx.Client) -> str | None:
        with pytest.raises(BadRequestError, match=r'^too long$'):
            ask(http, spec(server), PROMPTS[:1])
        return ask(http, spec(server), PROMPTS[1:2])[0].text

    with recording(path) as tape:
        assert talk(tape.http) == 'fine'
    with replaying(path) as tape:
        assert talk(tape.http) == 'fine'


# ------------------------------------------------------------------------------------------------------------- drift


@pytest.mark.parametrize(
    ('changed', 'path', 'recorded', 'now'),
    [
        ({'model': 'other'}, 'model', 'org/small', 'other'),
        ({'temperature': 0.5}, 'temperature', 0.0, 0.5),
        ({'temperature': None}, 'temperature', 0.0, ABSENT),
        ({'max_tokens': 65}, 'max_tokens', 64, 65),
        ({'seed': 8}, 'seed', 7, 8),
        ({'base_url': 'http://127.0.0.1:1/v2'}, 'path', '/v1/chat/completions', '/v2/chat/completions'),
    ],
)
def test_a_changed_option_is_drift_of_the_first_turn(
    cassette: Path, changed: dict[str, Any], path: str, recorded: Any, now: Any
) -> None:
    with pytest.raises(Drift) as caught, replaying(cassette) as tape:
        ask(tape.http, tape.spec.model_copy(update=changed))
    drift = caught.value
    assert (drift.turn, drift.turns, drift.path, drift.recorded, drift.now) == (1, 3, path, recorded, now)


@pytest.mark.parametrize(
    ('prompt', 'stop', 'path', 'now'),
    [
        (PROMPTS[1] + '!', STOP, 'messages[0].content', PROMPTS[1] + '!'),
        (PROMPTS[1], None, 'stop', ABSENT),
        (PROMPTS[1], ('Observation',), 'stop[0]', 'Observation'),
        (PROMPTS[1], ('Observation:', 'Q:'), 'stop[1]', 'Q:'),
        (PROMPTS[2], STOP, 'messages[0].content', PROMPTS[2]),
    ],
)
def test_a_changed_prompt_or_stop_word_is_drift_of_its_turn(
    cassette: Path, prompt: str, stop: tuple[str, ...] | None, path: str, now: Any
) -> None:
    def talk(tape: Tape) -> None:
        ask(tape.http, tape.spec, PROMPTS[:1])
        ChatClient(tape.spec, tape.http).complete(prompt, stop)

    with pytest.raises(Drift) as caught, replaying(cassette) as tape:
        talk(tape)
    assert (caught.value.turn, caught.value.path, caught.value.now) == (2, path, now)


def test_fields_that_this_client_never_sends_are_compared_too(cassette: Path) -> None:
    body = {
        'model': 'org/small',
        'messages': [{'role': 'system', 'content': PROMPTS[0]}],
        'stop': ['Observation:'],
        'temperature': 0.0,
        'max_tokens': 64,
        'seed': 7,
        'stream': False,
    }
    with pytest.raises(Drift) as caught, replaying(cassette) as tape:
        tape.http.post('http://localhost/v1/chat/completions', json=body)
    assert [one.path for one in caught.value.differences] == ['messages[0].role', 'stream']


@pytest.mark.parametrize('content', [b'', b'no json', b'\xff'])
def test_a_request_that_is_not_json_is_drift(cassette: Path, content: bytes) -> None:
    with pytest.raises(Drift), replaying(cassette) as tape:
        tape.http.post('http://localhost/v1/chat/completions', content=content)


def test_another_method_is_drift(cassette: Path) -> None:
    with pytest.raises(Drift) as caught, replaying(cassette) as tape:
        tape.http.get('http://localhost/v1/models')
    assert [one.path for one in caught.value.differences][:2] == ['method', 'path']


def test_a_request_past_the_end_is_drift(cassette: Path) -> None:
    with pytest.raises(Drift) as caught, replaying(cassette) as tape:
        ask(tape.http, tape.spec, (*PROMPTS, PROMPTS[-1]))
    assert (caught.value.turn, caught.value.recorded) == (4, ABSENT)
    assert 'the cassette has only 3 turns, this is the request of turn 4' in str(caught.value)


def test_drift_says_what_changed_and_how_to_record_again(cassette: Path, server: ChatServer) -> None:
    with pytest.raises(Drift) as caught, replaying(cassette) as tape:
        ask(tape.http, tape.spec, ('Ask\nno tool',))
    assert str(caught.value).splitlines() == [
        f'{cassette}: the request of turn 1 of 3 is not the recorded one',
        "  messages[0].content: they part at line 2, column 1: recorded 'Ask\\nthe tool', now 'Ask\\nno tool'",
        '    --- recorded',
        '    +++ now',
        '    @@ -1,2 +1,2 @@',
        '     Ask',
        '    -the tool',
        '    +no tool',
        'if the change is meant, record again:',
        f'  react-harness record one-tool --model small --base-url {server.base_url} '
        '--send-model org/small --temperature 0.0 --max-tokens 64 --seed 7',
        'if it cannot change what the model answers, keep the recorded answers:',
        '  react-harness accept-drift one-tool --model small',
    ]


def commands(drift: Drift) -> list[list[str]]:
    """Return the commands that a drift names, as a shell reads them."""
    return [shlex.split(line) for line in str(drift).splitlines() if line.startswith('  react-harness ')]


def test_the_commands_of_a_drift_are_quoted_for_the_shell(cassette: Path) -> None:
    with pytest.raises(Drift) as caught, replaying(cassette, lambda: ('--node', 'my node; true')) as tape:
        tape.http.post('http://localhost/$(reboot)/chat/completions?v=2&key=hidden', json={'model': '`id`'})
    record, accept = commands(caught.value)
    assert record[:5] == ['react-harness', 'record', 'one-tool', '--model', 'small']
    assert record[5:] == [
        *['--base-url', 'http://localhost/$(reboot)?v=2', '--send-model', '`id`', '--node', 'my node; true'],
    ]
    assert accept == ['react-harness', 'accept-drift', 'one-tool', '--model', 'small', '--node', 'my node; true']


def test_a_command_stays_on_one_line_whatever_a_file_says(cassette: Path) -> None:
    name = "x'\n  react-harness \\ evil\x1b[2J\u202e"
    with pytest.raises(Drift) as caught, replaying(cassette) as tape:
        tape.http.post('http://localhost/v1/chat/completions', json={'model': name})
    record, _ = [line for line in str(caught.value).splitlines() if line.startswith('  react-harness ')]
    assert record.isprintable()
    words = subprocess.run(['bash', '-c', f'printf "%s\\0" {record}'], capture_output=True, check=True).stdout
    assert words.decode().split('\0')[-2] == name


def test_a_request_past_the_end_cannot_be_accepted(cassette: Path) -> None:
    with pytest.raises(Drift) as caught, replaying(cassette) as tape:
        ask(tape.http, tape.spec, (*PROMPTS, PROMPTS[-1]))
    assert [words[1] for words in commands(caught.value)] == ['record']


def test_drift_that_the_node_swallows_is_raised_at_the_end(cassette: Path) -> None:
    answers = []

    def talk(tape: Tape) -> None:
        for prompt in ('other', PROMPTS[0]):
            try:
                ask(tape.http, tape.spec, (prompt,))
            except Exception as error:
                answers.append(error)

    with pytest.raises(Drift) as caught, replaying(cassette) as tape:
        talk(tape)
    assert answers == [caught.value, caught.value]
    assert tape.drift is caught.value


def test_drift_comes_before_the_exception_that_the_node_made_of_it(cassette: Path) -> None:
    def talk(tape: Tape) -> None:
        try:
            ask(tape.http, tape.spec, ('other',))
        except Drift as drift:
            raise RuntimeError('the model failed') from drift

    with pytest.raises(Drift) as caught, replaying(cassette) as tape:
        talk(tape)
    assert str(caught.value.__cause__) == 'the model failed'


def test_an_exception_of_the_block_itself_stays_what_it_is(cassette: Path) -> None:
    with pytest.raises(ZeroDivisionError), replaying(cassette):
        raise ZeroDivisionError


def test_a_cassette_that_is_not_there_says_how_to_record_it(tmp_path: Path) -> None:
    path = cassette_path(tmp_path, 'one-tool', 'small')
    for use in (lambda: replaying(path).__enter__(), lambda: spec_of(path)):
        with pytest.raises(NotRecorded) as caught:
            use()
        says = 'there is no cassette (record it: react-harness record one-tool --model small --base-url URL)'
        assert str(caught.value) == f'{path}: {says}'


# ---------------------------------------------------------------------------------------------------------- recording


def ask_and_crash(http: httpx.Client, spec: ModelSpec) -> None:
    ask(http, spec)
    raise ZeroDivisionError


def test_a_crash_leaves_no_cassette_and_no_draft(server: ChatServer, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), recording(tmp_path / 'x' / 'small.yaml') as tape:
        ask_and_crash(tape.http, spec(server))
    assert list(tmp_path.rglob('*')) == []


def test_a_crash_leaves_an_earlier_cassette_as_it_was(cassette: Path, text: str) -> None:
    with ChatServer(chat_completion('new')) as server, pytest.raises(ZeroDivisionError), recording(cassette) as tape:
        ask_and_crash(tape.http, spec(server))
    assert cassette.read_text(encoding='utf-8') == text
    assert list(cassette.parent.iterdir()) == [cassette]


def test_an_earlier_cassette_is_replaced_as_a_whole_also_when_it_was_none(cassette: Path) -> None:
    cassette.write_text('no: [cassette', encoding='utf-8')
    with ChatServer(chat_completion('new')) as server, recording(cassette) as tape:
        ask(tape.http, spec(server), PROMPTS[:1])
    with replaying(cassette) as tape:
        assert [reply.text for reply in ask(tape.http, tape.spec, PROMPTS[:1])] == ['new']
    assert tape.unplayed == 0
    assert list(cassette.parent.iterdir()) == [cassette]


def test_a_reader_of_an_earlier_cassette_never_sees_half_of_the_new_one(cassette: Path, text: str) -> None:
    with cassette.open(encoding='utf-8') as reader:
        with ChatServer(chat_completion('new')) as server, recording(cassette) as tape:
            ask(tape.http, spec(server))
        assert reader.read() == text
    assert cassette.read_text(encoding='utf-8') != text


def test_a_failed_write_leaves_an_earlier_cassette_and_no_draft(
    cassette: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr('os.fsync', fail)
    with (
        ChatServer(chat_completion('new')) as server,
        pytest.raises(CassetteError, match='cannot be written: No space left on device'),
        recording(cassette) as tape,
    ):
        ask(tape.http, spec(server))
    assert cassette.read_text(encoding='utf-8') == text
    assert list(cassette.parent.iterdir()) == [cassette]


@pytest.mark.parametrize('reply', [Raw(b'{', cut=True), Raw(silent=True)])
def test_a_request_without_an_answer_spoils_the_recording_even_if_the_node_swallows_it(
    cassette: Path, text: str, reply: Raw
) -> None:
    def talk(tape: Tape, quick: ModelSpec) -> None:
        ask(tape.http, quick, PROMPTS[:1])
        with pytest.raises(ModelError):
            ask(tape.http, quick, PROMPTS[1:2])

    with (
        ChatServer(chat_completion('new'), reply) as server,
        pytest.raises(CassetteError, match=r'a request got no answer: .*nothing was written'),
        recording(cassette) as tape,
    ):
        talk(tape, spec(server, timeout_s=0.05))
    assert cassette.read_text(encoding='utf-8') == text


def test_a_recording_without_requests_is_an_error(cassette: Path, text: str) -> None:
    with pytest.raises(CassetteError, match='no request was made'), recording(cassette):
        pass
    assert cassette.read_text(encoding='utf-8') == text


def test_a_compressed_reply_is_unpacked_in_the_cassette(server: ChatServer, tmp_path: Path) -> None:
    import gzip

    packed = gzip.compress(json.dumps(chat_completion('plain text')).encode())
    server.replies = [Raw(packed, headers={'content-type': 'application/json', 'content-encoding': 'gzip'})]
    path = tmp_path / 'x' / 'small.yaml'
    with recording(path) as tape:
        assert ask(tape.http, spec(server), PROMPTS[:1])[0].text == 'plain text'
    assert 'plain text' in path.read_text(encoding='utf-8')
    with replaying(path) as tape:
        assert ask(tape.http, tape.spec, PROMPTS[:1])[0].text == 'plain text'


def test_a_reply_in_an_unknown_encoding_is_not_recorded(server: ChatServer, tmp_path: Path) -> None:
    server.replies = [Raw(b'????', headers={'content-type': 'application/json', 'content-encoding': 'zstd'})]
    with pytest.raises(CassetteError, match='compressed'), recording(tmp_path / 'x' / 'small.yaml') as tape:
        ask(tape.http, spec(server), PROMPTS[:1])
    assert list(tmp_path.rglob('*')) == []


# ------------------------------------------------------------------------------------------------------------ secrets


def test_no_secret_of_header_query_cookie_or_echo_gets_into_the_file(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('SMALL_KEY', f'{KEY}-env')
    server.replies = [
        Raw(
            json.dumps(chat_completion(f'you said {KEY}-env and {KEY}-password')).encode(),
            headers={
                'content-type': 'application/json',
                'set-cookie': f'session={KEY}',
                'x-request-id': KEY,
                'date': 'Mon, 01 Jan 2024 00:00:00 GMT',
                'server': f'proxy-{KEY}',
            },
        )
    ]
    path = tmp_path / 'x' / 'small.yaml'
    with recording(path) as tape:
        ask(tape.http, spec(server, api_key_env='SMALL_KEY'), PROMPTS[:1])
        tape.http.post(
            f'{server.base_url.replace("//", f"//user:{KEY}-password@")}/chat/completions',
            params={'api-version': '2', 'key': f'{KEY}-query', 'access_token': KEY},
            headers={'x-api-key': KEY, 'cookie': f'session={KEY}', 'x-anything': KEY},
            json={'model': 'm', 'messages': [{'role': 'user', 'content': f'echo {KEY}-query'}]},
        )
    assert f'{KEY}-env' in server.asked[0].headers['authorization']
    assert f'{KEY}-query' in server.asked[1].path
    written = path.read_text(encoding='utf-8')
    assert 'canary' not in written
    assert 'api-version=2' in written
    assert 'you said *** and' in written


def test_only_content_types_are_kept_of_the_headers(text: str) -> None:
    for interaction in yaml.safe_load(text)['interactions']:
        for side in ('request', 'response'):
            assert interaction[side]['headers'] == {'content-type': ['application/json']}


# --------------------------------------------------------------------------------------------------------- the format


def test_bodies_are_written_for_people(text: str) -> None:
    assert (
        '    body: |-\n'
        '      {\n'
        '        "model": "org/small",\n'
        '        "messages": [\n'
        '          {\n'
        '            "role": "user",\n'
        '            "content": "Ask\\nthe tool\\nObservation: é 😀"\n'
    ) in text
    assert '                "content": "Thought: I\\nAction: a\\nAction Input: {\\"x\\": \\"é 😀\\"}"\n' in text


def test_a_long_line_is_not_folded(server: ChatServer, tmp_path: Path) -> None:
    page = '<html> ' + 'a word ' * 40 + '</html>'
    server.replies = [Raw(page.encode(), 502)]
    with recording(tmp_path / 'x' / 'small.yaml') as tape, pytest.raises(InternalServerError):
        ask(tape.http, spec(server))
    assert f'      string: {page}\n' in (tmp_path / 'x' / 'small.yaml').read_text(encoding='utf-8')


def test_the_same_exchanges_give_the_same_file(server: ChatServer, tmp_path: Path) -> None:
    paths = [tmp_path / name / 'small.yaml' for name in ('a', 'b')]
    for path in paths:
        with recording(path) as tape:
            ask(tape.http, spec(server), PROMPTS[2:])
        server.asked.clear()
    one, other = (re.sub('latency_s: .*', '', path.read_text()) for path in paths)
    assert one == other


@pytest.mark.parametrize('match_on', [None, ['method', 'path', 'body']])
def test_stock_vcrpy_replays_our_cassettes(
    cassette: Path, server: ChatServer, match_on: list[str] | None, no_network: None
) -> None:
    options = {'match_on': match_on} if match_on else {}
    stock = vcr.VCR(record_mode='none', **options)
    with stock.use_cassette(str(cassette)) as played, httpx.Client() as http:
        replies = ask(http, spec(server))
    assert [reply.text for reply in replies] == list(REPLIES)
    assert played.all_played


@pytest.mark.usefixtures('no_network')
def test_cassettes_of_stock_vcrpy_are_replayed(tmp_path: Path) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=chat_completion('from stock'))

    path = tmp_path / 'one-tool' / 'small.yaml'
    model = ModelSpec(name='small', base_url='http://localhost/v1')
    with vcr.VCR().use_cassette(str(path)), httpx.Client(transport=httpx.MockTransport(answer)) as http:
        ask(http, model)
    with replaying(path) as tape:
        assert [reply.text for reply in ask(tape.http, tape.spec)] == ['from stock'] * 3


ANY_TEXT = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from('\n\r\t\x00\x1b\x7f\x85\xa0\u2028\u2029\ufeff\ufffe\uffff\U0010ffff\ud800 :#"\'|>-%{}'),
    ),
    max_size=80,
)


@settings(deadline=None, max_examples=300)
@given(prompt=ANY_TEXT, reply=ANY_TEXT, plain=ANY_TEXT, status=st.sampled_from([200, 400, 503]))
@example(prompt='\r\n', reply='\n\n', plain='\n', status=200)
@example(prompt=' \n ', reply='\x85\n', plain=' leading\n\n  more \n', status=200)
@example(prompt='', reply='', plain='', status=503)
@example(prompt='', reply='', plain='\x85', status=200)
@example(prompt='a\x85b', reply='x\x85\ny', plain='x\x85\ny\u2028', status=200)
@example(prompt='\U0010ffff', reply='\ud83d', plain='\u2028\x85\r', status=400)
def test_every_text_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, prompt: str, reply: str, plain: str, status: int
) -> None:
    bodies = [
        json.dumps(chat_completion(reply)).encode(),
        plain.encode('utf-8', 'replace'),
        b'\xff\x00' + plain.encode('utf-8', 'replace'),
    ]
    queue = iter(bodies)

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, content=next(queue))

    def talk(http: httpx.Client) -> list[bytes]:
        return [
            http.post(
                'http://localhost/v1/chat/completions',
                content=json.dumps({'model': 'small', 'messages': [{'role': 'user', 'content': prompt}]}),
            ).content
            for _ in bodies
        ]

    path = tmp_path_factory.mktemp('cassette') / 'small.yaml'
    with httpx.Client(transport=httpx.MockTransport(answer)) as through, recording(path, through=through) as tape:
        recorded = talk(tape.http)
    with replaying(path) as tape:
        replayed = talk(tape.http)
    assert recorded == bodies
    assert json.loads(replayed[0]) == json.loads(bodies[0])
    assert json.loads(replayed[0])['choices'][0]['message']['content'] == reply
    for back, sent in zip(replayed[1:], bodies[1:], strict=True):
        assert back == sent or json.loads(back) == json.loads(sent)


@pytest.mark.parametrize('body', ['{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}', '[1', 'text', '', '[' * 100_000])
def test_a_body_that_cannot_be_indented_with_the_same_value_is_kept_as_it_is(body: str) -> None:
    assert cassette_file.readable(body) == body


# ------------------------------------------------------------------------------------------------------- bad cassettes


def problem(path: Path, content: str | bytes) -> CassetteError:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CassetteError) as caught, replaying(path):
        pass
    with pytest.raises(CassetteError):
        spec_of(path)
    return caught.value


@pytest.mark.parametrize(
    'hostile',
    [
        '!!python/object/apply:os.system ["touch {canary}"]',
        '!!python/object/new:os.system ["touch {canary}"]',
        '!!python/name:os.system ""',
        '!!python/module:os ""',
        '!!python/tuple [1]',
        '!!timestamp "2024-99-99"',
        '!!timestamp x',
        '!!int x',
        '!!int "' + '1' * 10_000 + '"',
        '!!bool x',
        '!!float x',
        '!!binary "\u00e9"',
        '!custom x',
        '{{a: &a {{x: 1}}, b: {{<<: *a}}}}',
        '{{[1]: 2}}',
        '*nowhere',
        '&a [*a]',
        '[' * 5_000,
        '- ' * 5_000,
        '{{? ' * 5_000,
        '2024-99-99',
    ],
)
def test_hostile_yaml_is_refused(tmp_path: Path, hostile: str) -> None:
    canary = tmp_path / 'canary'
    for content in (
        '{value}\n',
        'version: 1\ninteractions: {value}\n',
        'version: 1\ninteractions: [{{request: {value}}}]\n',
    ):
        value = hostile.format(canary=canary)
        error = problem(tmp_path / 'small.yaml', content.format(value=value))
        assert str(tmp_path / 'small.yaml') in str(error)
        assert len(str(error)) < 600
    assert not canary.exists()


def test_a_few_nested_aliases_do_not_fill_the_memory(tmp_path: Path) -> None:
    lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    lines += [f'a{n}: &a{n} [{", ".join([f"*a{n - 1}"] * 9)}]' for n in range(1, 40)]
    lines += ['version: 1', 'interactions: *a39']
    error = problem(tmp_path / 'small.yaml', '\n'.join(lines))
    assert (error.message, error.line) == ('no readable YAML: a cassette has no aliases', 40)


def test_a_merge_key_is_refused_before_it_is_followed(tmp_path: Path) -> None:
    lines = ['a0: &a0 {x: 1}'] + [f'a{n}: &a{n} {{<<: [{", ".join([f"*a{n - 1}"] * 9)}]}}' for n in range(1, 40)]
    error = problem(tmp_path / 'small.yaml', '\n'.join(lines))
    assert (error.message, error.line, error.column) == ('no readable YAML: a cassette has no merge keys', 2, 10)


def test_a_file_over_the_size_bound_is_refused(cassette: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cassette_file, 'MAX_BYTES', len(text.encode()))
    with replaying(cassette):
        pass
    assert 'the file is larger than' in problem(cassette, text + ' ').message


def test_a_file_of_very_many_small_values_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cassette_file, 'MAX_NODES', 1_000)
    error = problem(tmp_path / 'small.yaml', f'version: 1\ninteractions: [{"!!str a, " * 1_000}]\n')
    assert error.message == 'no readable YAML: there are more than 1000 values'


@pytest.mark.parametrize(
    ('content', 'place', 'says'),
    [
        (b'', '', 'no cassette: there is no list of `interactions`'),
        (b'\n\n', '', 'no cassette: there is no list of `interactions`'),
        (b'just a text', ':1:1', 'no cassette: there is no list of `interactions`'),
        (b'- request: {}\n  response: {}\n', ':1:1', 'no cassette: there is no list of `interactions`'),
        (b'version: 1\ninteractions: 5\n', ':1:1', 'no cassette: there is no list of `interactions`'),
        (b'version: 1\ninteractions: [\n', ':3:1', 'no readable YAML: '),
        (b'version: 1\n\tinteractions: []\n', ':2:1', 'no readable YAML: '),
        (b'version: 1\n---\ninteractions: []\n', ':2:1', 'no readable YAML: but found another document'),
        (b'\xff\xfa\x00\x01', '', 'no readable YAML: '),
        (b'a: \x00', '', 'no readable YAML: '),
        (b'interactions: []\nversion: 2\n', ':2:10', 'version 1 is expected, this is 2'),
        (b'interactions: []\n', ':1:1', 'version 1 is expected, this is None'),
        (b'version: 1\ninteractions: []\n', '', 'there is no request in it'),
    ],
)
def test_a_file_that_is_no_cassette_says_where_and_what_to_do(
    tmp_path: Path, content: bytes, place: str, says: str
) -> None:
    path = tmp_path / 'small.yaml'
    path.write_bytes(content)
    with pytest.raises(CassetteError) as caught:
        spec_of(path)
    assert str(caught.value).startswith(f'{path}{place}: {says}')
    assert str(caught.value).endswith('(give a cassette written by `react-harness record`, or record this one again)')


@pytest.mark.parametrize(
    ('keys', 'value', 'says'),
    [
        ((), 'x', 'an interaction is a mapping of `request` and `response`'),
        (('request',), None, 'a request has `method`, `uri`, `headers` and `body`'),
        (('request', 'extra'), 1, 'a request has `method`, `uri`, `headers` and `body`'),
        (('request', 'method'), 1, 'a method is a text'),
        (('request', 'uri'), 'http://host:port/', 'this is no URL'),
        (('request', 'uri'), 'file:///etc/passwd', 'this is no URL'),
        (('request', 'uri'), 7, 'this is no URL'),
        (('request', 'body'), {'model': 'x'}, 'a body is a text'),
        (('request', 'headers'), ['a'], 'headers are names with lists of ASCII texts'),
        (('request', 'headers'), {'a': 'b'}, 'headers are names with lists of ASCII texts'),
        (('request', 'headers'), {'a': []}, 'headers are names with lists of ASCII texts'),
        (('response',), [], 'a response has `status`, `headers` and `body`'),
        (('response', 'status'), 200, 'a status has `code` and `message`'),
        (('response', 'status', 'code'), '200', 'a status code is a number from 100 to 599'),
        (('response', 'status', 'code'), True, 'a status code is a number from 100 to 599'),
        (('response', 'status', 'code'), 99, 'a status code is a number from 100 to 599'),
        (('response', 'status', 'message'), 'é', 'a status message is an ASCII text'),
        (('response', 'body'), 'text', 'a body has a `string`'),
        (('response', 'body', 'string'), 5, 'a body has a `string`'),
        (('response', 'headers'), {'a': ['é']}, 'headers are names with lists of ASCII texts'),
        (('response', 'headers'), {'Content-Encoding': ['gzip']}, 'a compressed body is not read'),
    ],
)
def test_a_wrong_value_in_a_cassette_is_named_with_its_line(
    cassette: Path, text: str, keys: tuple[str, ...], value: Any, says: str
) -> None:
    data = yaml.safe_load(text)
    at: Any = data['interactions']
    for key in (1, *keys)[:-1]:
        at = at[key]
    at[(1, *keys)[-1]] = value
    error = problem(cassette, yaml.safe_dump(data, sort_keys=False))
    assert error.message.startswith(says)
    lines = cassette.read_text(encoding='utf-8').splitlines()
    starts = [number for number, line in enumerate(lines, 1) if line.startswith('- ')]
    assert starts[1] <= error.line < starts[2]
    assert error.column > 1


@pytest.mark.parametrize('body', [None, '', 'no json', '[1]', '[' * 100_000, '{"a": ' + '1' * 10_000 + '}'])
def test_a_recorded_request_that_is_no_json_object_is_named(cassette: Path, text: str, body: str | None) -> None:
    data = yaml.safe_load(text)
    data['interactions'][2]['request']['body'] = body
    assert problem(cassette, yaml.safe_dump(data)).message == 'the body of request 3 is no JSON object'


@pytest.mark.parametrize(
    ('change', 'says'),
    [
        ({'uri': 'http://localhost/v1/models'}, "the first request goes to '/v1/models', not to a model"),
        ({'body': '{"messages": []}'}, 'the first request tells no model'),
        ({'body': '{"model": 5}'}, 'the first request tells no model: model: '),
        ({'body': '{"model": "m", "temperature": "hot"}'}, 'the first request tells no model: temperature: '),
    ],
)
def test_a_cassette_whose_first_request_names_no_model_says_so(
    cassette: Path, text: str, change: dict[str, str], says: str
) -> None:
    data = yaml.safe_load(text)
    data['interactions'][0]['request'].update(change)
    cassette.write_text(yaml.safe_dump(data), encoding='utf-8')
    with pytest.raises(CassetteError) as caught:
        spec_of(cassette)
    assert caught.value.message.startswith(says)


def test_a_folder_in_place_of_a_cassette_is_named(tmp_path: Path) -> None:
    (tmp_path / 'small.yaml').mkdir()
    with pytest.raises(CassetteError, match='it is a folder, a pipe or a device'):
        spec_of(tmp_path / 'small.yaml')
