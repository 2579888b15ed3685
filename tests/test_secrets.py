"""What looks like a key: where it is found, how it is masked, what is refused, and what is left alone."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import pytest
from canaries import forms, found, letters, opaque, shaped
from chat_server import ChatServer, Raw, chat_completion
from click.testing import CliRunner
from example_suite import ERRANDS, Suite

from harness.cassette import CassetteError, Drift, recording, replaying
from harness.cli import main
from harness.llm import ChatClient, ModelSpec
from harness.record import Event, RunRecord, ToolCall, Turn
from harness.secrets import Guard, Known, SecretFound
from harness.secrets.committed import fingerprint, leaks
from harness.secrets.shapes import SHAPES

GUARD = Guard()
HEX = '0123456789abcdef'
CAPITALS = string.ascii_uppercase + '234567'
CHECKOUT = Path(__file__).resolve().parent.parent


def random(number: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return letters(f'{number} {alphabet}', number, alphabet)


def pem(kind: str = 'RSA ') -> str:
    lines = [random(64 - number) for number in range(6)]
    return '\n'.join([f'-----BEGIN {kind}PRIVATE KEY-----', *lines, f'-----END {kind}PRIVATE KEY-----'])


KEYS = {
    'an OpenAI key': shaped('OpenAI'),
    'an Anthropic key': f'sk-ant-api03-{random(93)}AA',
    'a key of an OpenAI-compatible server': f'sk-{random(32, HEX)}',
    'a Hugging Face token': f'hf_{random(34)}',
    'a Google API key': f'AIza{random(35)}',
    'a Google token': f'ya29.{random(60)}',
    'an Amazon Bedrock key': f'ABSK{random(120)}',
    'a Groq key': f'gsk_{random(52)}',
    'an xAI key': f'xai-{random(80)}',
    'a Perplexity key': f'pplx-{random(48)}',
    'a Replicate token': f'r8_{random(37)}',
    'an NVIDIA key': f'nvapi-{random(64)}',
    'a Cerebras key': f'csk-{random(48)}',
    'a Pinecone key': f'pcsk_{random(70)}',
    'a LangSmith key': f'lsv2_pt_{random(32, HEX)}_{random(10, HEX)}',
    'a Databricks token': f'dapi{random(32, HEX)}',
    'a Tavily key': f'tvly-dev-{random(32)}',
    'a GitHub token': f'ghp_{random(36)}',
    'a GitLab token': f'glpat-{random(20)}',
    'an AWS access key': f'AKIA{random(16, CAPITALS)}',
    'a signature of an Azure storage link': f'sig={random(43)}%3D',
    'a DigitalOcean token': f'dop_v1_{random(64, HEX)}',
    'an npm token': f'npm_{random(36)}',
    'a PyPI token': f'pypi-AgEIcHlwaS5vcmc{random(80)}',
    'a RubyGems key': f'rubygems_{random(48, HEX)}',
    'a Docker token': f'dckr_pat_{random(27)}',
    'a Vault token': f'hvs.{random(95)}',
    'an Atlassian token': f'ATATT3{random(186)}',
    'a Heroku key': f'HRKU-AA{random(58)}',
    'a Pulumi token': f'pul-{random(40, HEX)}',
    'a Doppler token': f'dp.pt.{random(43)}',
    'a Supabase key': f'sbp_{random(40, HEX)}',
    'a PlanetScale password': f'pscale_pw_{random(43)}',
    'a Grafana token': f'glsa_{random(32)}_{random(8, HEX)}',
    'a Sentry token': f'sntryu_{random(64, HEX)}',
    'a New Relic key': f'NRAK-{random(27)}',
    'an age key': f'AGE-SECRET-KEY-1{random(58, CAPITALS)}',
    'a Slack token': f'xoxb-{random(12, string.digits)}-{random(12, string.digits)}-{random(24)}',
    'a Slack webhook': f'https://hooks.slack.com/services/T{random(9)}/B{random(9)}/{random(24)}',
    'a Stripe key': f'sk_live_{random(24)}',
    'a Shopify token': f'shpat_{random(32, HEX)}',
    'a Square token': f'sq0atp-{random(22)}',
    'a SendGrid key': f'SG.{random(22)}.{random(43)}',
    'a Twilio key': f'SK{random(32, HEX)}',
    'a Mailgun key': f'key-{random(32, HEX)}',
    'a Postman key': f'PMAK-{random(24, HEX)}-{random(34, HEX)}',
    'a Linear key': f'lin_api_{random(40)}',
    'a Notion token': f'ntn_{random(46)}',
    'a Figma token': f'figd_{random(40)}',
    'a Telegram token': f'{random(9, string.digits)}:AA{random(33)}',
    'a JSON Web Token': f'eyJ{random(33)}.eyJ{random(60)}.{random(43)}',
    'a private key': pem(),
}
"""A key of each kind; none of them was ever given out."""

WITH_A_NAME = [
    'api_key={}',
    'OPENAI_API_KEY="{}"',
    '{{"apiKey": "{}"}}',
    "{{'client_secret': '{}'}}",
    'aws_secret_access_key = {}',
    'password: {}',
    '<password>{}</password>',
    '--api-key {}',
    'My API key is {}, keep it.',
    'X-Api-Key: {}',
    'Authorization: Bearer {}',
    'authorization: token {}',
    'Bearer {}',
    'token={}',
    'postgres://bob:{}@db.example.org/shop',
    'access_token={}&next=1',
]

NO_KEYS = [
    'The password is required, and the token limit is 512 tokens.',
    'password: required, api_key: optional, secret: none',
    'max_tokens=512 prompt_tokens: 1234567890 completion_tokens: 42',
    'api_key = os.environ["OPENAI_API_KEY"]',
    'token = get_token2(session1)',
    'api_key=YOUR_API_KEY_1 password=xxxxxxxx1 token=<token1234567890>',
    'AKIAIOSFODNN7EXAMPLE is the example of AWS',
    'task-control-token-of-the-stand-in, risk-2024-assessment-of-the-year-2030',
    'sk-learn-module-version-2-of-the-library and sk-no-key-required',
    'sha256: cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
    'Basic information, bearer of good news, basic authentication',
    'https://user:password@example.org, https://host:8080/path@1.2',
    'commit 3fd22e7a0c2ecbfd324a30884d2f951a7ff756ab, uuid 550e8400-e29b-41d4-a716-446655440000',
    'The key: 2026-11-30T12:00:00Z and the secret: /run/secrets/db1',
    'eyJhbGciOiJub25lIn0 is no token, -----BEGIN CERTIFICATE----- no key',
    'lin_api_ ghp_ gho_ sk-ant- xoxb- are beginnings of keys',
    'base64: TG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQsIGNvbnNldGV0dXI=',
]


def kinds(text: str, guard: Guard = GUARD) -> list[str]:
    return [spot.kind for spot in guard.find(text)]


def leaked(secret: str, text: str) -> bool:
    return bool(found([secret], {'text': text.encode()}))


# ------------------------------------------------------------------------------------------------------------ finding


def test_there_is_an_example_of_each_shape() -> None:
    assert {shape.kind for shape in SHAPES} == set(KEYS) - {'a private key'}


@pytest.mark.parametrize('kind', KEYS)
def test_a_key_is_found_by_its_shape(kind: str) -> None:
    text = f'Here it is: {KEYS[kind]} - use it.'
    (spot,) = GUARD.find(text)

    assert spot.kind == kind
    assert text[spot.start : spot.end] in KEYS[kind]
    assert not leaked(KEYS[kind], GUARD.mask(text))
    assert GUARD.mask(text).endswith(' - use it.')


@pytest.mark.parametrize('kind', KEYS)
def test_a_key_is_found_however_it_is_written(kind: str) -> None:
    for form in forms(KEYS[kind]):
        if form.startswith(('-----BEGIN RSA PRIVA\n', '"-----BEGIN RSA PR"')):
            continue  # the frame of a private key has lines of its own
        masked = GUARD.mask(f'é {form} é')
        assert '***' in masked
        assert not leaked(KEYS[kind], masked)


@pytest.mark.parametrize('frame', WITH_A_NAME)
def test_a_value_that_looks_random_is_found_by_the_name_before_it(frame: str) -> None:
    secret = random(24)
    for text in (frame.format(secret), json.dumps({'text': f'\n{frame.format(secret)}\n'})):
        masked = GUARD.mask(text)
        assert secret not in masked
        assert frame.split('{}')[0].strip('{"').lower()[:5] in masked.lower()


@pytest.mark.parametrize('text', ['password: hunter2!', 'pwd=Tr0ub4dor&3', '"password": "p@ssword"', 'passwd = a1b2c3'])
def test_a_short_password_with_a_name_is_found(text: str) -> None:
    assert len(kinds(text)) == 1


def test_the_user_and_password_of_basic_authentication_are_found_in_base64() -> None:
    assert kinds('Authorization: Basic Ym9iOm9wZW4=') == ['the user and password of HTTP basic authentication']


@pytest.mark.parametrize('text', NO_KEYS)
def test_what_is_no_key_is_left_alone(text: str) -> None:
    assert kinds(text) == []
    assert kinds(json.dumps({'text': text})) == []
    assert GUARD.mask(text) == text


def test_nothing_in_the_committed_files_looks_like_a_key() -> None:
    folders = [CHECKOUT / name for name in ('cassettes', 'reports', 'docs', 'src')]
    assert [str(problem) for problem in leaks(CHECKOUT / 'scenarios', folders, GUARD)] == []


def test_places_are_counted_in_characters() -> None:
    key = KEYS['a GitHub token']
    text = f'ключ: {key} 😀 {key}\n'
    assert [text[spot.start : spot.end] for spot in GUARD.find(text)] == [key, key]


@pytest.mark.parametrize('before', [3_999_000, 3_999_990, 4_000_000, 3_934_464])
def test_a_key_is_found_wherever_it_stands_in_a_long_text(before: int) -> None:
    key = KEYS['a GitHub token']
    text = 'lorem ' * (before // 6) + f'{key} ' + 'ipsum ' * 700_000
    assert [text[spot.start : spot.end] for spot in GUARD.find(text)] == [key]


def test_a_key_that_is_cut_into_lines_takes_no_other_words_with_it() -> None:
    key = KEYS['a GitHub token']
    text = f'The token is\n{key[:20]}\n{key[20:]}\nThanks a lot, and bye.\n'
    assert GUARD.mask(text) == 'The token is\n***\nThanks a lot, and bye.\n'


def test_what_a_cut_left_of_a_key_is_masked() -> None:
    key = KEYS['an OpenAI key']
    text = f'They wrote {key[:11]}… [1,234 characters left out] …{key[-9:]} to us'
    assert GUARD.mask(text) == 'They wrote ***… [1,234 characters left out] …*** to us'
    assert GUARD.mask('The town… [12 characters left out] …people') == 'The town… [12 characters left out] …people'


def test_a_private_key_without_its_end_or_its_beginning_is_masked() -> None:
    lines = pem().split('\n')
    assert GUARD.mask('\n'.join(lines[:4])) == '***'
    assert GUARD.mask('a… [9 characters left out] …' + '\n'.join(lines[4:])) == 'a… [9 characters left out] …***'


# ------------------------------------------------------------------------------------------------------- known values


@pytest.mark.parametrize(
    ('name', 'counts'),
    [
        ('OPENAI_API_KEY', True),
        ('OPENAI_APIKEY', True),
        ('GITHUB_TOKEN', True),
        ('DB_PASSWORD', True),
        ('AZURE_CLIENT_SECRET', True),
        ('GOOGLE_CREDENTIALS', True),
        ('MYTOKEN', True),
        ('PWD', False),
        ('KEYBOARD', False),
        ('AUTHOR', False),
        ('MAX_LENGTH', False),
        ('SSH_PUBLIC_KEY', False),
        ('TOKENIZER', False),
    ],
)
def test_the_name_of_an_environment_variable_says_whether_it_is_a_secret(name: str, counts: bool) -> None:
    secret = opaque('variable')
    guard = Guard.of_environment({name: secret})
    assert (guard.mask(f'It is {secret}.') == 'It is ***.') is counts


@pytest.mark.parametrize(
    'value', ['required', '/run/secrets/db1', '1234567890', 'https://example.org/x1', 'aaaaaaaaaaaaaaaaaaaa', 'a1b2c3']
)
def test_a_value_that_stands_in_any_text_is_no_secret(value: str) -> None:
    assert kinds(f'It is {value}.', Guard.of_environment({'THE_TOKEN': value})) == []


def test_what_was_found_says_whose_value_it_is_and_never_the_value() -> None:
    secret = opaque('variable')
    guard = Guard.of_environment({'THE_TOKEN': secret})
    assert kinds(f'a {secret} b', guard) == ['the value of the environment variable THE_TOKEN']
    assert secret not in repr(Known(secret, 'x'))


@pytest.mark.parametrize('secret', [opaque('a'), random(40), 'sesame-Open-2', '!%&/()=?§$'])
def test_a_known_value_is_found_however_it_is_written(secret: str) -> None:
    guard = Guard([Known(secret, 'it')])
    for form in [*forms(secret), secret.encode().hex()]:
        assert not leaked(secret, guard.mask(f'x {form} y')), form


def test_the_beginning_and_the_end_of_a_known_value_are_found_alone() -> None:
    secret = random(60)
    guard = Guard([Known(secret, 'it')])
    assert guard.mask(f'It begins with {secret[:21]}...') == 'It begins with ***...'
    assert guard.mask(f'It ends with {secret[-21:]}.') == 'It ends with ***.'


def test_the_secrets_inside_of_a_variable_that_holds_json_or_a_url_are_known() -> None:
    secret, password = opaque('inner'), 'pw-' + random(9)
    variables = {'SA_CREDENTIALS': json.dumps({'id': 'a', 'k': [secret]}), 'DATABASE_URL': f'pg://bob:{password}@db/x'}
    guard = Guard.of_environment(variables)
    assert guard.mask(f'{secret} or {password}') == '*** or ***'


# ---------------------------------------------------------------------------------------------------- values, models


def test_fields_that_are_named_as_secrets_are_masked_whatever_they_hold() -> None:
    value = {
        'password': 'blue',
        'apiKey': ['one', 'two'],
        'user': {'Set-Cookie': 'a=b', 'pin_secret': 'red', 'x-api-key': 7},
        'list': [{'client_secret': 'green', 'name': 'green'}],
        'access_token': None,
        'max_tokens': 512,
        'token': 'Hello',
        'properties': {'password': {'type': 'string'}},
    }
    assert GUARD.masked(value) == {
        'password': '***',
        'apiKey': ['***', '***'],
        'user': {'Set-Cookie': '***', 'pin_secret': '***', 'x-api-key': '***'},
        'list': [{'client_secret': '***', 'name': 'green'}],
        'access_token': None,
        'max_tokens': 512,
        'token': 'Hello',
        'properties': {'password': {'type': 'string'}},
    }


def test_keys_of_objects_are_masked_and_stay_apart() -> None:
    first, second = KEYS['a GitHub token'], KEYS['a GitLab token']
    assert GUARD.masked({first: 1, second: 2, 'a': 3}) == {'***': 1, '*** 2': 2, 'a': 3}


def test_a_value_without_secrets_is_the_same_object() -> None:
    record = RunRecord(scenario='a', node='b', turns=(Turn(agent='agent', index=0, prompt='Hi.', stop=None),))
    value = {'a': ['b', 1, None, {'c': True}]}
    assert GUARD.masked(value) is value
    assert GUARD.masked(record) is record


def test_a_record_is_masked_in_all_its_parts_and_stays_a_record() -> None:
    key = KEYS['a GitHub token']
    record = RunRecord(
        scenario='a',
        node='b',
        turns=(Turn(agent='agent', index=0, prompt=f'Use {key}', stop=(key,), output=key),),
        calls=(ToolCall(agent='agent', tool='t.f', input={'password': 'blue', 'x': [key]}, turn=0, output=key),),
        events=(Event(agent='agent', type='thinking', data={'message': key}),),
        payload={'content': key, 'meta': {'n': 1}},
    )
    masked = GUARD.masked(record)

    assert masked == RunRecord.model_validate(masked.model_dump())
    assert not leaked(key, masked.model_dump_json())
    assert masked.turns[0].prompt == 'Use ***'
    assert masked.calls[0].input == {'password': '***', 'x': ['***']}
    assert masked.payload == {'content': '***', 'meta': {'n': 1}}


@pytest.mark.parametrize('text', [*KEYS.values(), *(frame.format(random(24)) for frame in WITH_A_NAME)])
def test_a_masked_text_holds_nothing_to_mask(text: str) -> None:
    masked = GUARD.mask(f'a {text} b')
    assert GUARD.mask(masked) == masked
    GUARD.check(masked, 'a file')


# ------------------------------------------------------------------------------------------------------------ refusing


def test_a_refusal_says_where_and_what_and_shows_no_key() -> None:
    key = KEYS['a GitHub token']
    with pytest.raises(SecretFound) as caught:
        GUARD.check(f'one\ntwo {key}', 'out/report.html')
    assert str(caught.value) == 'out/report.html:2:5: this looks like a GitHub token, so it is not written'

    with pytest.raises(SecretFound) as caught:
        GUARD.check_value({'turns': [{'prompt': 'a'}, {'prompt': key}]}, 'the run of a')
    assert str(caught.value).startswith('the run of a: turns[1].prompt: this looks like a GitHub token')


@pytest.fixture
def _without_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Guard, 'mask', lambda self, text: text)
    monkeypatch.setattr(Guard, 'masked', lambda self, value: value)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite with one scenario, whose model writes a key."""
    made = Suite(tmp_path / 'suite')
    made.cassettes.mkdir(parents=True)
    made.add('leaks', said=[f'Use {KEYS["a GitHub token"]}'], answer='Nothing.')
    return made


def invoke(suite: Suite, verb: str, *arguments: str | Path) -> Any:
    node = () if verb == 'list' else ('--node', ERRANDS)
    folders = ('--scenarios', suite.scenarios, '--cassettes', suite.cassettes)
    return CliRunner().invoke(main, [verb, *map(str, (*folders, *node, *arguments))])


@pytest.mark.usefixtures('_without_masks')
def test_a_result_that_holds_a_key_is_not_stored_and_those_before_it_stay(suite: Suite, tmp_path: Path) -> None:
    suite.add('clean')
    store = tmp_path / 'store.jsonl'
    result = invoke(suite, 'run', '--results', store)

    assert result.exit_code == 2
    assert f'{store}: the run of leaks: record.turns[0].output: this looks like a GitHub token' in result.stderr
    assert not leaked(KEYS['a GitHub token'], result.output)
    assert [json.loads(line).get('record', {}).get('scenario') for line in store.read_text().splitlines()] == [
        None,
        'clean',
    ]


@pytest.mark.usefixtures('_without_masks')
@pytest.mark.parametrize('option', ['report', 'junit', 'sarif', 'step-summary'])
def test_a_file_that_would_hold_a_key_is_not_written_and_the_old_one_stays(
    suite: Suite, tmp_path: Path, option: str
) -> None:
    file = tmp_path / 'written'
    file.write_text('as it was')
    result = invoke(suite, 'run', f'--{option}', file)

    assert result.exit_code == 2
    assert 'this looks like a GitHub token, so it is not written' in result.stderr
    assert file.read_text() == 'as it was'


# ------------------------------------------------------------------------------------------------------------ cassettes


def spec(server: ChatServer, **more: Any) -> ModelSpec:
    return ModelSpec(name='small', base_url=server.base_url, **more)


def recorded(path: Path, prompts: list[str], *replies: str | Raw, **more: Any) -> str:
    """Record prompts with a server that gives replies, and return the text of the cassette."""
    bodies = [reply if isinstance(reply, Raw) else chat_completion(reply) for reply in replies or ('Hi.',)]
    with ChatServer(*bodies) as server, recording(path) as tape:
        client = ChatClient(spec(server, **more), tape.http)
        for prompt in prompts:
            client.complete(prompt)
    return path.read_text(encoding='utf-8')


def replayed(path: Path, prompts: list[str]) -> list[str | None]:
    with replaying(path) as tape:
        client = ChatClient(tape.spec, tape.http)
        return [client.complete(prompt).text for prompt in prompts]


def test_a_prompt_that_holds_a_key_is_recorded_masked_and_replays_without_drift(tmp_path: Path) -> None:
    key, path = KEYS['an OpenAI key'], tmp_path / 'a' / 'small.yaml'
    prompts = [f'Use {key} or {key}.', f'password: {random(20)}', 'Hello.']
    text = recorded(path, prompts)

    assert not leaked(key, text)
    assert 'Use *** or ***.' in text
    assert replayed(path, prompts) == ['Hi.'] * 3


def test_a_change_beside_a_key_is_a_drift_that_does_not_show_the_key(tmp_path: Path) -> None:
    key, path = KEYS['an OpenAI key'], tmp_path / 'a' / 'small.yaml'
    recorded(path, [f'Use {key} now.'])
    with pytest.raises(Drift) as caught:
        replayed(path, [f'Use {key} later.'])

    assert "recorded 'Use *** now.', now 'Use *** later.'" in str(caught.value)
    assert not leaked(key, str(caught.value))


def test_another_key_in_the_same_place_is_no_drift(tmp_path: Path) -> None:
    path = tmp_path / 'a' / 'small.yaml'
    recorded(path, [f'Use {KEYS["a GitHub token"]}.'])
    assert replayed(path, [f'Use {KEYS["a GitLab token"]}.']) == ['Hi.']


def test_what_a_model_writes_is_replayed_masked(tmp_path: Path) -> None:
    path = tmp_path / 'a' / 'small.yaml'
    recorded(path, ['Hello.'], f'It is {KEYS["a GitHub token"]}')
    assert replayed(path, ['Hello.']) == ['It is ***']


def test_the_key_in_use_is_masked_whatever_its_variable_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = opaque('use').replace('"', '-')
    monkeypatch.setenv('LOOKS_HARMLESS', secret)
    replies = [f'You are {form}.' for form in forms(secret)]
    text = recorded(tmp_path / 'a' / 'small.yaml', ['Hello.'] * len(replies), *replies, api_key_env='LOOKS_HARMLESS')
    assert not leaked(secret, text)


def test_named_fields_of_requests_and_responses_are_masked_at_any_depth(tmp_path: Path) -> None:
    path = tmp_path / 'a' / 'small.yaml'
    answer = chat_completion('Hi.', credentials={'password': 'blue'}, hints=[{'apiKey': 'red'}])
    with ChatServer(answer) as server, recording(path) as tape:
        url = f'{server.base_url}/chat/completions?user=bob&code={KEYS["a GitHub token"]}'
        body = {'model': 'm', 'messages': [], 'login': [{'password': 'green'}], 'secret_key': ['gold']}
        tape.http.post(url, json=body)
    text = path.read_text(encoding='utf-8')

    assert not any(word in text for word in ('"blue"', '"red"', '"green"', '"gold"', KEYS['a GitHub token']))
    assert 'user=bob&code=***' in text


def test_a_broken_body_is_masked_as_a_text(tmp_path: Path) -> None:
    key, path = KEYS['a GitHub token'], tmp_path / 'a' / 'small.yaml'
    broken = json.dumps({'error': f'no {key}', 'apiKey': random(20)}).encode()[:-1] + b'\xff'
    with ChatServer(Raw(broken, status=500)) as server, recording(path) as tape:
        tape.http.post(f'{server.base_url}/chat/completions', json={'model': 'm', 'messages': []})

    assert key.encode() not in path.read_bytes()
    assert random(20).encode() not in path.read_bytes()


@pytest.mark.usefixtures('_without_masks')
@pytest.mark.parametrize(
    ('prompt', 'reply', 'place'),
    [
        (KEYS['a GitHub token'], 'Hi.', 'turn 2, body of the request, messages[0].content'),
        ('Hello.', KEYS['a GitHub token'], 'turn 2, body of the response, choices[0].message.content'),
    ],
)
def test_a_cassette_that_would_hold_a_key_is_not_written_and_the_old_one_stays(
    tmp_path: Path, prompt: str, reply: str, place: str
) -> None:
    path = tmp_path / 'a' / 'small.yaml'
    before = recorded(path, ['Hello.'])
    with pytest.raises(CassetteError) as caught:
        recorded(path, ['Hello.', prompt], 'Hi.', reply)

    assert f'{path}: {place}: this looks like a GitHub token (nothing was written' in str(caught.value)
    assert not leaked(KEYS['a GitHub token'], str(caught.value))
    assert path.read_text(encoding='utf-8') == before


def test_a_base_url_that_looks_like_it_holds_a_key_is_refused() -> None:
    with pytest.raises(ValueError, match='a URL must hold no key'):
        ModelSpec(name='small', base_url=f'http://127.0.0.1/{KEYS["a GitHub token"]}/v1')


# ---------------------------------------------------------------------------------------------------------------- lint


def problems(suite: Suite, *others: Path, guard: Guard = GUARD) -> list[str]:
    return [str(problem) for problem in leaks(suite.scenarios, [suite.cassettes, *others], guard)]


def test_lint_names_line_and_column_of_each_key_in_any_file(suite: Suite, tmp_path: Path) -> None:
    key = KEYS['a GitLab token']
    (suite.scenarios / 'loop' / 'tools.py').write_text(f'# é\nTOKENS = ("é {key}", "{key}")\n')
    (suite.cassettes / 'leaks').mkdir()
    (suite.cassettes / 'leaks' / 'notes.bin').write_bytes(b'\0\xff\n' + key.encode())
    (suite.cassettes / 'leaks' / 'wide.txt').write_bytes(f'a\n{key}'.encode('utf-16'))
    (suite.cassettes / '.hidden').write_text(key)
    store = tmp_path / 'store.jsonl'
    store.write_text('{"a":1}\n{"a":"\\n' + key + '"}\n')
    found = [problem.split(': this looks like')[0] for problem in problems(suite, store)]

    scenario = suite.scenarios / 'loop' / 'leaks.yaml'
    assert found == [
        f'{scenario}:{suite.place(scenario, KEYS["a GitHub token"])}',
        f'{suite.scenarios}/loop/tools.py:2:14',
        f'{suite.scenarios}/loop/tools.py:2:{18 + len(key)}',
        f'{suite.cassettes}/leaks/notes.bin:2:1',
        f'{suite.cassettes}/leaks/wide.txt:2:1',
        f'{store}:2:9',
    ]
    assert not any(leaked(key, problem) for problem in problems(suite, store))


def test_lint_takes_further_files_and_the_reports_beside_the_scenarios(suite: Suite, tmp_path: Path) -> None:
    (suite.folder / 'reports').mkdir()
    (suite.folder / 'reports' / 'old.html').write_text(KEYS['a GitHub token'])
    (tmp_path / 'baseline.jsonl').write_text(KEYS['a GitHub token'])
    result = invoke(suite, 'lint', '--no-replay', tmp_path / 'baseline.jsonl')

    assert result.exit_code == 1
    assert f'{tmp_path}/baseline.jsonl:1:1: this looks like a GitHub token' in result.stdout
    assert 'reports/old.html:1:1: this looks like a GitHub token' in result.stdout


def test_a_made_up_key_is_allowed_by_a_comment_that_names_its_fingerprint(suite: Suite) -> None:
    (advice,) = problems(suite)
    mark = fingerprint(KEYS['a GitHub token'].encode())
    assert f'# fake-key: {mark} and why' in advice

    scenario = suite.scenarios / 'loop' / 'leaks.yaml'
    text = scenario.read_text()
    scenario.write_text(f'{text}# fake-key: {mark} it is in no use\n')
    assert problems(suite) == []

    scenario.write_text(f'{text}# {KEYS["a GitLab token"]}\n# fake-key: {mark}\n')
    (other,) = problems(suite)
    assert 'this looks like a GitLab token' in other


def test_a_comment_that_allows_nothing_is_a_problem(suite: Suite) -> None:
    path = suite.add('plain')
    path.write_text(path.read_text() + '# fake-key: 0123456789ab\n')
    assert [problem for problem in problems(suite) if 'plain' in problem] == [
        f'{path}:{path.read_text().count(chr(10))}:13: no key in this file has this fingerprint (take the comment out)'
    ]


def test_no_comment_allows_the_value_of_a_secret_variable(suite: Suite) -> None:
    secret = opaque('variable')
    path = suite.add('plain', why=f'because {secret}')
    guard = Guard.of_environment({'THE_TOKEN': secret})
    path.write_text(path.read_text() + f'# fake-key: {fingerprint(secret.encode())}\n')
    assert any('the value of the environment variable THE_TOKEN' in problem for problem in problems(suite, guard=guard))


def test_a_cassette_has_no_comments_that_allow_a_key(suite: Suite) -> None:
    key = KEYS['a GitLab token']
    path = suite.cassettes / 'leaks' / 'small.yaml'
    path.parent.mkdir()
    path.write_text(f'# fake-key: {fingerprint(key.encode())}\n{key}\n')
    assert any(f'{path}:2:1: this looks like a GitLab token' in problem for problem in problems(suite))
