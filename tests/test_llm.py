from __future__ import annotations

import json
import pickle
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from chat_server import ChatServer, Raw, chat_completion
from pydantic import ValidationError

from harness import llm
from harness.llm import ChatClient, ModelSpec, live_http, scripted_client
from harness.scenario import ModelScript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEY = 'sk-canary-0123456789abcdef'


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(chat_completion('Answer: 42')) as running:
        yield running


def client(server: ChatServer, **options: Any) -> ChatClient:
    return ChatClient(ModelSpec(name='small', base_url=server.base_url, **options), live_http())


def script(*outputs: Any, **options: Any) -> ChatClient:
    return scripted_client(ModelScript.model_validate({'outputs': outputs, **options}))


# ---------------------------------------------------------------------------------------------------------- requests


def test_a_request_carries_only_the_options_that_are_set(server: ChatServer) -> None:
    client(server).complete('Hello')
    asked = server.asked[0]
    assert asked.path == '/v1/chat/completions'
    assert asked.body == {'model': 'small', 'messages': [{'role': 'user', 'content': 'Hello'}]}
    assert 'Authorization' not in {name.title() for name in asked.headers}


def test_a_request_carries_every_option_that_is_set(server: ChatServer) -> None:
    client(server, model='org/Small:1B', temperature=0, max_tokens=64, seed=0).complete('Hello', ['Observation:', 'Q:'])
    assert server.asked[0].body == {
        'model': 'org/Small:1B',
        'messages': [{'role': 'user', 'content': 'Hello'}],
        'stop': ['Observation:', 'Q:'],
        'temperature': 0,
        'max_tokens': 64,
        'seed': 0,
    }


def test_no_stop_word_and_an_empty_list_of_them_are_the_same_request(server: ChatServer) -> None:
    client(server).complete('Hello', [])
    assert 'stop' not in server.asked[0].body


def test_one_stop_word_given_as_a_text_is_not_taken_letter_by_letter(server: ChatServer) -> None:
    client(server).complete('Hello', 'Observation:')
    assert server.asked[0].body['stop'] == ['Observation:']


def test_the_key_comes_from_the_environment_at_each_call(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asking = client(server, api_key_env='SMALL_KEY')
    for key in ('first-key', 'second-key\n'):
        monkeypatch.setenv('SMALL_KEY', key)
        asking.complete('Hello')
    assert [asked.headers['authorization'] for asked in server.asked] == ['Bearer first-key', 'Bearer second-key']


def test_the_query_of_a_base_url_stays_in_the_request(server: ChatServer) -> None:
    spec = ModelSpec(name='small', base_url=f'{server.base_url}/?api-version=2')
    ChatClient(spec, live_http()).complete('Hello')
    assert server.asked[0].path == '/v1/chat/completions?api-version=2'


def test_replies_are_wanted_uncompressed_so_that_cassettes_are_readable(server: ChatServer) -> None:
    client(server).complete('Hello')
    assert server.asked[0].headers['accept-encoding'] == 'identity'


def test_lone_surrogates_of_a_prompt_are_replaced_since_no_server_takes_them(server: ChatServer) -> None:
    client(server).complete('a\ud800b', ['\udfff'])
    body = server.asked[0].body
    assert (body['messages'][0]['content'], body['stop']) == ('a\ufffdb', ['\ufffd'])


def test_the_client_of_live_models_is_one_for_the_process() -> None:
    assert live_http() is live_http()


# ----------------------------------------------------------------------------------------------------------- replies


def test_a_completion_has_text_finish_reason_tokens_and_latency(server: ChatServer) -> None:
    completion = client(server).complete('Hello')
    assert completion.model_dump(exclude={'latency_s'}) == {
        'text': 'Answer: 42',
        'finish_reason': 'stop',
        'prompt_tokens': 11,
        'completion_tokens': 7,
    }
    assert completion.latency_s > 0


def test_a_reply_cut_at_the_token_limit_says_so(server: ChatServer) -> None:
    choice = {'message': {'content': 'Thought: I'}, 'finish_reason': 'length'}
    server.replies = [chat_completion(None, choices=[choice])]
    completion = client(server).complete('Hello')
    assert (completion.text, completion.finish_reason) == ('Thought: I', 'length')


@pytest.mark.parametrize('message', [{'role': 'assistant', 'content': None}, {'tool_calls': []}])
def test_a_reply_without_content_is_a_completion_without_text(server: ChatServer, message: dict[str, Any]) -> None:
    server.replies = [chat_completion(None, choices=[{'message': message}])]
    completion = client(server).complete('Hello')
    assert (completion.text, completion.finish_reason) == (None, None)


@pytest.mark.parametrize('usage', [None, 'much', {}, {'prompt_tokens': '3', 'completion_tokens': True}])
def test_missing_or_strange_usage_is_no_usage(server: ChatServer, usage: Any) -> None:
    server.replies = [chat_completion('x', usage=usage)]
    completion = client(server).complete('Hello')
    assert (completion.prompt_tokens, completion.completion_tokens) == (None, None)


def test_lone_surrogates_of_a_reply_are_replaced(server: ChatServer) -> None:
    server.replies = [Raw(b'{"choices": [{"message": {"content": "a\\ud800b \\ud83d\\ude00"}}]}')]
    assert client(server).complete('Hello').text == 'a\ufffdb \U0001f600'


@pytest.mark.parametrize(
    ('body', 'says'),
    [
        (b'', 'the reply is not JSON: it is empty'),
        (b'Bad gateway', 'the reply is not JSON: Bad gateway'),
        (b'{"choices": [', 'the reply is not JSON: {"choices": ['),
        (b'\xff\xfe\xff', 'the reply is not JSON'),
        (b'[' * 200_000, 'the reply is not JSON'),
        (b'[1]', 'the reply is no chat completion: [1]'),
        (b'{}', 'the reply has no choices: {}'),
        (b'{"choices": []}', 'the reply has no choices'),
        (b'{"choices": {"0": 1}}', 'the reply has no choices'),
        (b'{"choices": [null]}', 'the reply has no message in choices[0]'),
        (b'{"choices": [{"message": "x"}]}', 'the reply has no message in choices[0]'),
        (b'{"choices": [{"message": {"content": 5}}]}', 'choices[0].message.content is no text'),
        (b'{"error": {"message": "model is loading"}}', 'model is loading'),
    ],
)
def test_a_success_that_is_no_chat_completion_is_a_response_error(server: ChatServer, body: bytes, says: str) -> None:
    server.replies = [Raw(body)]
    with pytest.raises(llm.APIResponseError) as caught:
        client(server).complete('Hello')
    assert str(caught.value).startswith(says)
    assert len(str(caught.value)) < 3_000


# ------------------------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ('status', 'kind'),
    [
        (302, llm.APIStatusError),
        (400, llm.BadRequestError),
        (401, llm.AuthenticationError),
        (403, llm.PermissionDeniedError),
        (404, llm.NotFoundError),
        (409, llm.ConflictError),
        (410, llm.APIStatusError),
        (422, llm.UnprocessableEntityError),
        (429, llm.RateLimitError),
        (500, llm.InternalServerError),
        (503, llm.InternalServerError),
    ],
)
def test_an_http_error_is_the_class_that_the_openai_sdk_has_for_it(
    server: ChatServer, status: int, kind: type[llm.APIStatusError]
) -> None:
    headers = {'content-type': 'application/json', 'location': '/elsewhere'}
    server.replies = [Raw(b'{"error": {"message": "no way"}}', status, headers)]
    with pytest.raises(llm.APIStatusError, match=r'^no way') as caught:
        client(server).complete('Hello')
    assert type(caught.value) is kind
    assert caught.value.status_code == status
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ('body', 'says'),
    [
        (b'{"error": {"message": "too long", "type": "x"}}', 'too long'),
        (b'{"error": "too long"}', 'too long'),
        (b'{"message": "too long"}', 'too long'),
        (b'{"detail": "too long"}', 'too long'),
        (b'{"error": {"message": ""}}', 'HTTP 400 Bad Request'),
        (b'{"error": {"code": 7}}', '{"error": {"code": 7}}'),
        (b'{"error": {"message": {"a": 1}}}', '{"error": {"message": {"a": 1}}}'),
        (b'[1, 2]', '[1, 2]'),
        (b' too long\n', 'too long'),
        (b'', 'HTTP 400 Bad Request'),
        (b'[' * 200_000, '[' * 2_000 + '... (200000 characters)'),
    ],
)
def test_the_message_of_an_error_is_what_the_server_says(server: ChatServer, body: bytes, says: str) -> None:
    server.replies = [Raw(body, 400)]
    with pytest.raises(llm.BadRequestError) as caught:
        client(server).complete('Hello')
    assert str(caught.value) == says


def test_a_server_that_is_not_there_is_a_connection_error(server: ChatServer) -> None:
    server.close()
    with pytest.raises(llm.APIConnectionError, match=r'no answer from http://127\.0\.0\.1:\d+/v1/chat/completions: '):
        client(server).complete('Hello')


def test_a_connection_cut_in_the_middle_of_a_reply_is_a_connection_error(server: ChatServer) -> None:
    server.replies = [Raw(b'{"choices": [{"message"', cut=True)]
    with pytest.raises(llm.APIConnectionError) as caught:
        client(server).complete('Hello')
    assert not isinstance(caught.value, llm.APITimeoutError)


def test_a_server_that_does_not_speak_http_is_a_connection_error() -> None:
    with socket.create_server(('127.0.0.1', 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b'SSH-2.0-server\r\n\r\n')

        thread = threading.Thread(target=answer)
        thread.start()
        spec = ModelSpec(name='small', base_url=f'http://127.0.0.1:{listening.getsockname()[1]}')
        with pytest.raises(llm.APIConnectionError):
            ChatClient(spec, live_http()).complete('Hello')
        thread.join()


def test_a_silent_server_is_a_timeout_error_that_names_the_limit(server: ChatServer) -> None:
    server.replies = [Raw(silent=True)]
    with pytest.raises(llm.APITimeoutError, match=r'/v1/chat/completions within 0\.05 s$'):
        client(server, timeout_s=0.05).complete('Hello')


def test_every_error_of_a_call_is_a_model_error() -> None:
    kinds = [value for name, value in vars(llm).items() if name.endswith('Error') and name in llm.__all__]
    assert len(kinds) == 13
    assert all(issubclass(kind, llm.ModelError) for kind in kinds)


def test_a_status_error_survives_pickling_between_processes() -> None:
    error = pickle.loads(pickle.dumps(llm.RateLimitError('slow down', 429)))
    assert (str(error), error.status_code) == ('slow down', 429)


def test_the_key_stands_in_no_repr_and_no_error(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('SMALL_KEY', KEY)
    asking = client(server, api_key_env='SMALL_KEY')
    echo = json.dumps({'error': {'message': f'wrong key {KEY}'}}).encode()
    server.replies = [Raw(echo, 401), Raw(KEY.encode(), 200), Raw(KEY.encode(), 500)]
    shown = [repr(asking), repr(asking.spec), str(vars(asking))]
    for _ in server.replies:
        with pytest.raises(llm.ModelError) as caught:
            asking.complete('Hello')
        shown += [str(caught.value), repr(caught.value)]
    assert [asked.headers['authorization'] for asked in server.asked] == [f'Bearer {KEY}'] * 3
    assert 'wrong key ***' in shown
    assert not [text for text in shown if KEY in text]


def test_a_refused_request_without_a_key_says_which_variable_is_not_set(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('SMALL_KEY', raising=False)
    server.replies = [Raw(b'{"error": {"message": "Invalid API Key"}}', 401)]
    for options, says in (
        ({'api_key_env': 'SMALL_KEY'}, 'Invalid API Key (environment variable SMALL_KEY is not set)'),
        ({}, 'Invalid API Key (no `api_key_env` was given)'),
    ):
        with pytest.raises(llm.AuthenticationError) as caught:
            client(server, **options).complete('Hello')
        assert str(caught.value) == says


@pytest.mark.parametrize('key', ['sk-\x00-nul', 'sk-\r\nX-Injected: 1', 'schlüssel'])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr('os.environ', {'SMALL_KEY': key})
    with pytest.raises(llm.AuthenticationError, match=r'^the environment variable SMALL_KEY holds no key'):
        client(server, api_key_env='SMALL_KEY').complete('Hello')
    assert server.asked == []


# ------------------------------------------------------------------------------------------------------------ models


@pytest.mark.parametrize('name', ['small', 'Qwen2.5-Coder-1.5B', 'gpt_4.1+tools', '7b', 'x' * 100])
def test_a_model_name_that_fits_a_path_is_taken_and_is_sent_where_no_other_is_given(name: str) -> None:
    assert ModelSpec(name=name, base_url='http://localhost/v1').model == name


@pytest.mark.parametrize(
    'name', ['', '.', '..', 'a..b', 'a.', '.a', 'a/b', 'a\\b', 'a\n', 'a\x00', 'a b', 'é', '7', 'x' * 101]
)
def test_a_model_name_that_does_not_fit_a_path_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match='use letters, digits and'):
        ModelSpec(name=name, base_url='http://localhost/v1')


@pytest.mark.parametrize(
    'base_url', ['', 'localhost:8080/v1', 'file:///etc/passwd', 'http://', 'http://host:port/v1', '//host/v1']
)
def test_a_base_url_that_is_none_is_refused(base_url: str) -> None:
    with pytest.raises(ValidationError):
        ModelSpec(name='small', base_url=base_url)


@pytest.mark.parametrize(
    'base_url', ['https://user:{}@host/v1', 'https://host/v1?api_key={}', 'https://host/v1?sig={}']
)
def test_a_base_url_that_holds_a_secret_is_refused_without_showing_it(base_url: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ModelSpec(name='small', base_url=base_url.format(KEY))
    assert 'put it in an environment variable' in str(caught.value)
    assert KEY not in str(caught.value)


# ----------------------------------------------------------------------------------------------------------- scripts


@pytest.mark.usefixtures('no_network')
def test_a_script_gives_its_replies_in_order_through_real_requests_without_a_network() -> None:
    asking = script('one', None, {'text': 'three', 'finish_reason': 'length'})
    replies = [asking.complete('Hello you') for _ in range(3)]
    assert [(reply.text, reply.finish_reason) for reply in replies] == [
        ('one', 'stop'),
        (None, 'stop'),
        ('three', 'length'),
    ]
    assert [(reply.prompt_tokens, reply.completion_tokens) for reply in replies] == [(2, 1), (2, 0), (2, 1)]


def test_a_call_past_the_end_of_a_script_is_http_410_and_says_what_to_do() -> None:
    asking = script('one', 'two')
    asking.complete('x')
    asking.complete('x')
    for number in (3, 4):
        with pytest.raises(llm.APIStatusError) as caught:
            asking.complete('x')
        assert caught.value.status_code == 410
        assert str(caught.value) == (
            f'the script has 2 replies and this is request {number}: add an output, or set repeat_last'
        )


def test_a_script_repeats_its_last_reply_where_it_says_so() -> None:
    asking = script('one', 'two', repeat_last=True)
    assert [asking.complete('x').text for _ in range(4)] == ['one', 'two', 'two', 'two']


def test_a_scripted_error_has_its_status_and_message() -> None:
    asking = script({'error': {'status': 429, 'message': 'slow down'}}, {'error': {'status': 503}}, 'fine')
    with pytest.raises(llm.RateLimitError, match=r'^slow down$'):
        asking.complete('x')
    with pytest.raises(llm.InternalServerError, match=r'^HTTP 503 Service Unavailable$'):
        asking.complete('x')
    assert asking.complete('x').text == 'fine'


@pytest.mark.parametrize(
    ('stop', 'text', 'reason'),
    [
        (None, 'Action: a\nObservation: b\nQ: c', 'length'),
        (['Observation:'], 'Action: a\n', 'stop'),
        (['Q:', 'Observation:'], 'Action: a\n', 'stop'),
        (['observation:'], 'Action: a\nObservation: b\nQ: c', 'length'),
        (['Action'], '', 'stop'),
        ([''], 'Action: a\nObservation: b\nQ: c', 'length'),
    ],
)
def test_a_scripted_reply_ends_before_the_first_stop_word_of_the_request(
    stop: list[str] | None, text: str, reason: str
) -> None:
    reply = {'text': 'Action: a\nObservation: b\nQ: c', 'finish_reason': 'length'}
    completion = script(reply).complete('x', stop)
    assert (completion.text, completion.finish_reason) == (text, reason)


def test_a_script_that_ignores_stop_words_gives_the_whole_text() -> None:
    asking = script('Action: a\nObservation: b', honours_stop=False)
    assert asking.complete('x', ['Observation:']).text == 'Action: a\nObservation: b'


def test_threads_that_share_a_script_get_every_reply_once() -> None:
    wanted = [f'reply {index}' for index in range(200)]
    asking = script(*wanted)
    start = threading.Barrier(16)

    def take(_: int) -> list[str | None]:
        start.wait()
        return [asking.complete('x').text for _ in range(12)]

    with ThreadPoolExecutor(16) as pool:
        got = [text for texts in pool.map(take, range(16)) for text in texts]
    assert sorted(map(str, got)) == sorted(wanted[:192])


def test_two_clients_of_one_script_do_not_share_its_place() -> None:
    model = ModelScript.model_validate({'outputs': ['one', 'two']})
    first, second = scripted_client(model), scripted_client(model)
    assert [first.complete('x').text, second.complete('x').text] == ['one', 'one']


@pytest.mark.parametrize('make', [httpx.ConnectTimeout, httpx.ReadTimeout, httpx.PoolTimeout])
def test_every_timeout_of_the_transport_is_a_timeout_error(make: Callable[[str], Exception]) -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise make('slow')

    spec = ModelSpec(name='small', base_url='http://localhost')
    with pytest.raises(llm.APITimeoutError):
        ChatClient(spec, httpx.Client(transport=httpx.MockTransport(fail))).complete('x')
