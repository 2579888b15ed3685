"""What holds of every text: escapes are undone alike with and without places, and masking is done once."""

from __future__ import annotations

import html
import json

from canaries import found, shaped
from hypothesis import given
from hypothesis import strategies as st

from harness.secrets import Guard, Known
from harness.secrets.views import unescaped, unescaped_view

KEY = shaped('properties')
SECRET = 'Sesame/Open+11=sesame'
GUARD = Guard([Known(SECRET, 'it')])

escapes = st.lists(
    st.sampled_from(
        ['\\', '\\\\', '\\n', '\\"', '"', '\n', '%', '%41', '%5C', '&', '&amp;', 'amp;', '\\u0041', 'u00', '4']
    )
).map(''.join)
texts = st.lists(
    st.text(max_size=6)
    | escapes
    | st.sampled_from(
        ['token=', 'password: ', ' ', '\n', '… [1 characters left out] …', '://a:', 'sk-', 'é', '-----BEGIN ']
    )
).map(''.join)
around = st.sampled_from(['', ' ', '\n', '"', '=', ': ', '/', 'é', '.', ', '])


@given(escapes)
def test_a_text_without_escapes_is_the_same_with_and_without_places(text: str) -> None:
    raw = text.encode()
    view = unescaped_view(raw)
    assert view.text == unescaped(raw)
    for at in range(len(view.text)):
        start, end = view.origin(at, at + 1)
        assert view.text[at : at + 1] in (raw[start:end], unescaped(raw[start:end]))


@given(texts)
def test_a_masked_text_is_clean(text: str) -> None:
    masked = GUARD.mask(text)
    assert GUARD.mask(masked) == masked
    assert GUARD.find(masked) == []


@given(texts, around, around, texts, st.sampled_from([KEY, SECRET]))
def test_a_key_is_masked_in_any_text(before: str, left: str, right: str, behind: str, secret: str) -> None:
    text = f'{before}{left or " "}{secret}{right or " "}{behind}'
    assert found([secret], {'text': GUARD.mask(text).encode('utf-8', 'replace')}) == {}


names = st.sampled_from(['token', 'tokens', 'api_key', 'a_secret', 'pass', 'Authorization', 'note', 'sk-', 'é'])
odd = st.sampled_from(
    ['a1b2c3d4e5f6g7h8i9', 'Bearer a1b2c3d4e5f6g7h8i9', 'hunter2', '\x1f2', 'f00d-4711-cafe-0815', 'x\n2024a']
)
values = st.recursive(
    texts | odd | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names | texts | odd, inner, max_size=3),
)


@given(values)
def test_what_is_written_of_a_masked_value_is_not_refused(value: object) -> None:
    masked = GUARD.masked({'value': value, 'key': KEY})
    assert masked['key'] == '***'
    GUARD.check_value(masked, 'a value')
    for text in (json.dumps(masked), json.dumps(masked, ensure_ascii=False), html.escape(json.dumps(masked, indent=2))):
        GUARD.check(text, 'a line')
