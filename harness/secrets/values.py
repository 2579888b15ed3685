"""Secrets in values: in the texts of JSON values and models, and in fields that are named as secrets are."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from harness.secrets.labels import names_secret
from harness.secrets.shapes import is_placeholder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MASK: Final = '***'
"""What stands in the place of a secret."""

_NOTHING: Final = ('', 'none', 'null', 'empty', 'true', 'false', '-')


def leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the texts of a JSON value with the keys that lead to them, such as `messages[0].content`."""
    left = [('', value)]
    while left:
        keys, item = left.pop()
        if isinstance(item, str):
            yield keys or 'the text', item
        elif isinstance(item, dict):
            inner = [(f'{keys}.{key}' if keys else str(key), one) for key, one in item.items()]
            left += reversed(inner)
        elif isinstance(item, list | tuple):
            left += [(f'{keys}[{index}]', one) for index, one in reversed(list(enumerate(item)))]


def collected(value: Any) -> tuple[list[str], bool]:
    """Return the texts of a value, each behind the name of its field, and whether a field is named as secrets are."""
    texts: list[str] = []
    named = False
    left: list[tuple[str, Any]] = [('', value)]
    while left:
        name, item = left.pop()
        if isinstance(item, str):
            texts.append(_pair(name, item))
        elif isinstance(item, BaseModel):
            left += [('', inner) for inner in item.__dict__.values()]
        elif isinstance(item, dict):
            keys = [key for key in item if isinstance(key, str)]
            texts += keys
            named = named or any(map(names_secret, keys))
            left += [(key if isinstance(key, str) else '', inner) for key, inner in item.items()]
        elif isinstance(item, list | tuple):
            left += [(name, inner) for inner in item]
    return texts, named


def masked(value: Any, mask: Callable[[str], str], name: str = '') -> Any:
    """Return a value masked; what needs no mask is the same object as before."""
    if isinstance(value, str):
        return _masked_text(value, mask, name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return MASK if name and names_secret(name) else value
    if isinstance(value, BaseModel):
        fields = {field: masked(item, mask) for field, item in value.__dict__.items()}
        changed = {field: item for field, item in fields.items() if item is not value.__dict__[field]}
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, dict):
        return _masked_dict(value, mask)
    if isinstance(value, list | tuple):
        items = [masked(item, mask, name) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return items if isinstance(value, list) else tuple(items)
    return value


def _masked_text(text: str, mask: Callable[[str], str], name: str) -> str:
    if name and names_secret(name) and _is_given(text):
        return MASK
    head = _pair(name, '')
    whole = mask(head + text)
    clean = whole[len(head) :] if whole.startswith(head) else mask(text)
    return text if clean == text else clean


def _masked_dict(value: dict[Any, Any], mask: Callable[[str], str]) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    seen: Counter[Any] = Counter()
    for key, item in value.items():
        name = mask(key) if isinstance(key, str) else key
        seen[name] += 1
        if name != key and (seen[name] > 1 or name in value):
            name = f'{name} {seen[name]}'
        result[name] = masked(item, mask, key if isinstance(key, str) else '')
    unchanged = len(result) == len(value) and all(
        name == key and new is old for (name, new), (key, old) in zip(result.items(), value.items(), strict=True)
    )
    return value if unchanged else result


def _pair(name: str, text: str) -> str:
    return f'{name}={text}' if name else text


def _is_given(text: str) -> bool:
    """Tell whether the text of a field is a secret, and nothing that stands for one."""
    return text.strip().lower() not in _NOTHING and not is_placeholder(text.encode('utf-8', 'surrogatepass'))
