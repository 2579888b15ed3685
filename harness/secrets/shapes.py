"""What keys look like: the published shapes of well-known ones.

A shape is a fixed beginning and what may follow it. The beginnings and lengths are facts that the issuers publish so
that scanners find leaked keys; where they publish none, they are those of the default rules of gitleaks
(github.com/gitleaks/gitleaks, `config/gitleaks.toml`), which are kept up to date and widely used:

- GitHub: github.blog/changelog/2021-03-31-authentication-token-format-updates-are-generally-available
- AWS: docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
- GitLab: docs.gitlab.com/security/tokens/#token-prefixes
- Slack: api.slack.com/concepts/token-types
- Stripe: docs.stripe.com/keys
- JWT: RFC 7519; private keys in PEM: RFC 7468

Lengths are lower bounds here: issuers make keys longer over time. Every pattern is linear: behind the beginning comes
one run of one set of characters, and nothing that could make the run be read again.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHORTEST: Final = 20
"""The length of the shortest key that a shape matches."""

_PLACEHOLDER: Final = re.compile(rb'(?i)example|placeholder|redacted|your[-_ ]?|xxxx|\*\*\*|\.\.\.|(.)\1{7}')
_SEGMENT: Final = re.compile(rb'[A-Za-z0-9]{16,}')


@dataclass(frozen=True)
class Shape:
    """One shape of a key: what it is a key of, how it begins, what follows, and a closer look at what was found."""

    kind: str
    beginnings: tuple[bytes, ...]
    rest: bytes
    check: Callable[[bytes], bool]


@dataclass(frozen=True)
class Spot:
    """A place that looks like a key: where it begins and ends, and what kind it is (`a GitHub token`).

    `known` says that it is a secret for certain: its value is one that the guard was given.
    """

    start: int
    end: int
    kind: str
    known: bool = False

    def at(self, start: int, end: int) -> Spot:
        """Return the same spot at another place."""
        return Spot(start, end, self.kind, self.known)


def entropy(value: bytes) -> float:
    """Return the Shannon entropy of a text in bits a character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts) if value else 0.0


def has_digit(value: bytes) -> bool:
    """Tell whether there is a digit in it."""
    return any(0x30 <= byte <= 0x39 for byte in value)


def is_placeholder(value: bytes) -> bool:
    """Tell whether a text only stands for a key, as in documentation."""
    return _PLACEHOLDER.search(value) is not None


def _varied(value: bytes) -> bool:
    """Tell whether a text is no word: digits or both cases, and more than a few different characters."""
    head = value[:512]
    mixed = has_digit(head) or (head != head.lower() and head != head.upper())
    return mixed and len(set(head)) >= 8 and not is_placeholder(head)


def _random_part(value: bytes) -> bool:
    """Tell whether a part of a text is random, where words with dashes may follow the same beginning."""
    return any(has_digit(part) and not part.isdigit() and _varied(part) for part in _SEGMENT.findall(value[:512]))


def _signed(value: bytes) -> bool:
    """Tell whether a text goes on as a JSON Web Token does, a signed one (its second part is JSON) or an encrypted."""
    parts = value.split(b'.')
    return len(parts) >= 3 and (parts[1].startswith(b'eyJ') or len(parts) >= 5)


def _upper(value: bytes) -> bool:
    return _varied(value) and not value.endswith(b'EXAMPLE')


_WORD = rb'[A-Za-z0-9_-]'
_ALNUM = rb'[A-Za-z0-9]'
_HEX = rb'[A-Fa-f0-9]'
_END = rb'(?![A-Za-z0-9_-])'


def _shape(kind: str, beginnings: str, rest: bytes, check: Callable[[bytes], bool] = _varied) -> Shape:
    return Shape(kind, tuple(word.encode() for word in beginnings.split()), rest, check)


SHAPES: Final = (
    # Model servers
    _shape('an Anthropic key', 'sk-ant-', _WORD + rb'{20,}'),
    _shape('an OpenAI key', 'sk-proj- sk-svcacct- sk-admin-', _WORD + rb'{20,}'),
    _shape('a key of an OpenAI-compatible server', 'sk-', _WORD + rb'{17,}', _random_part),
    _shape('a Hugging Face token', 'hf_ api_org_', _ALNUM + rb'{30,}'),
    _shape('a Google API key', 'AIza', _WORD + rb'{35,}'),
    _shape('a Google token', 'ya29. GOCSPX- 1//0', rb'[A-Za-z0-9_.-]{24,}'),
    _shape('an Amazon Bedrock key', 'ABSK bedrock-api-key-', rb'[A-Za-z0-9+/=]{40,}'),
    _shape('a Groq key', 'gsk_', _ALNUM + rb'{40,}'),
    _shape('an xAI key', 'xai-', _WORD + rb'{60,}'),
    _shape('a Perplexity key', 'pplx-', _ALNUM + rb'{40,}'),
    _shape('a Replicate token', 'r8_', _ALNUM + rb'{30,}'),
    _shape('an NVIDIA key', 'nvapi-', _WORD + rb'{40,}'),
    _shape('a Cerebras key', 'csk-', _ALNUM + rb'{40,}'),
    _shape('a Pinecone key', 'pcsk_', _WORD + rb'{40,}'),
    _shape('a LangSmith key', 'lsv2_pt_ lsv2_sk_', _WORD + rb'{30,}'),
    _shape('a Databricks token', 'dapi', _HEX + rb'{32,}'),
    _shape('a Tavily key', 'tvly-', _WORD + rb'{20,}', _random_part),
    # Clouds and code
    _shape('a GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_', rb'[A-Za-z0-9_.-]{36,}'),
    _shape('a GitHub token', 'github_pat_', rb'[A-Za-z0-9_]{22,}'),
    _shape(
        'a GitLab token',
        'glpat- gldt- glrt- glptt- glft- glcbt- glimt- glagent- gloas- glsoat- glffct- GR1348941',
        rb'[A-Za-z0-9_.-]{20,}',
    ),
    _shape('an AWS access key', 'AKIA ASIA ABIA ACCA', rb'[A-Z2-7]{16}' + _END, _upper),
    _shape('a signature of an Azure storage link', 'sig=', rb'[A-Za-z0-9+/%]{43,}'),
    _shape('a DigitalOcean token', 'dop_v1_ doo_v1_ dor_v1_', _HEX + rb'{64}'),
    _shape('an npm token', 'npm_', _ALNUM + rb'{36,}'),
    _shape('a PyPI token', 'pypi-AgE', _WORD + rb'{50,}'),
    _shape('a RubyGems key', 'rubygems_', _HEX + rb'{48}'),
    _shape('a Docker token', 'dckr_pat_ dckr_oat_', _WORD + rb'{20,}'),
    _shape('a Vault token', 'hvs. hvb. hvr.', _WORD + rb'{24,}'),
    _shape('an Atlassian token', 'ATATT3', rb'[A-Za-z0-9_=-]{60,}'),
    _shape('a Heroku key', 'HRKU-AA', _WORD + rb'{40,}'),
    _shape('a Pulumi token', 'pul-', _HEX + rb'{40}'),
    _shape('a Doppler token', 'dp.pt. dp.st. dp.ct. dp.sa.', rb'[A-Za-z0-9._-]{40,}'),
    _shape('a Supabase key', 'sbp_ sb_secret_', _WORD + rb'{30,}'),
    _shape('a PlanetScale password', 'pscale_tkn_ pscale_pw_ pscale_oauth_', rb'[A-Za-z0-9_=.-]{32,}'),
    _shape('a Grafana token', 'glsa_ glc_', rb'[A-Za-z0-9_+/]{32,}'),
    _shape('a Sentry token', 'sntrys_ sntryu_', rb'[A-Za-z0-9_+/=]{40,}'),
    _shape('a New Relic key', 'NRAK- NRII-', rb'[A-Za-z0-9-]{27,}'),
    _shape('an age key', 'AGE-SECRET-KEY-1', rb'[A-Z0-9]{58}'),
    # Services
    _shape('a Slack token', 'xoxb- xoxp- xoxa- xoxr- xoxo- xoxs- xoxe- xoxe. xapp-', rb'[A-Za-z0-9.-]{15,}'),
    _shape('a Slack webhook', 'hooks.slack.com/', rb'(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,}'),
    _shape('a Stripe key', 'sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ whsec_', rb'[A-Za-z0-9+/]{16,}'),
    _shape('a Shopify token', 'shpat_ shpca_ shppa_ shpss_', _HEX + rb'{32,}'),
    _shape('a Square token', 'sq0atp- sq0csp-', _WORD + rb'{22,}'),
    _shape('a SendGrid key', 'SG.', rb'[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{39,}'),
    _shape('a Twilio key', 'SK', rb'[a-f0-9]{32}' + _END),
    _shape('a Mailgun key', 'key-', rb'[a-f0-9]{32}' + _END),
    _shape('a Postman key', 'PMAK-', _WORD + rb'{50,}'),
    _shape('a Linear key', 'lin_api_ lin_oauth_', _ALNUM + rb'{32,}'),
    _shape('a Notion token', 'ntn_ secret_', _ALNUM + rb'{40,}'),
    _shape('a Figma token', 'figd_ figdr_', _WORD + rb'{30,}'),
    _shape('a Telegram token', ':AA', _WORD + rb'{33}' + _END),
    # Any issuer
    _shape('a JSON Web Token', 'eyJ', rb'[A-Za-z0-9_.-]{24,}', _signed),
)
"""The shapes, each more exact one before the more general one that it is a case of."""

_BEGINNINGS: Final = tuple((beginning, shape) for shape in SHAPES for beginning in shape.beginnings)
BEGINNINGS: Final = tuple(beginning for beginning, _ in _BEGINNINGS)
_ANYWHERE = (b':AA',)
"""Beginnings behind which the key goes on to the left: the number of a Telegram bot."""


def shaped(text: bytes, words: bytes, inside: bool = False) -> Iterator[Spot]:
    """Yield the places in a text that have the shape of a key; `words` are its long words, with blanks between them.

    With `inside` a key may begin and end in the middle of a word.
    """
    if not words:
        return
    for beginning, shape in [pair for pair in _BEGINNINGS if pair[0] in words]:
        for match in _pattern(beginning, shape.rest, inside).finditer(text):
            if shape.check(match[0][len(beginning) :]):
                yield Spot(match.start(), match.end(), shape.kind)


@cache
def _pattern(beginning: bytes, rest: bytes, inside: bool) -> re.Pattern[bytes]:
    # The look back stands behind the beginning: `re` looks for a literal that a pattern begins with much faster.
    literal = re.escape(beginning)
    if inside:
        return re.compile(literal + rest.removesuffix(_END))
    before = b'' if beginning in _ANYWHERE else rb'(?<![A-Za-z0-9]' + literal + rb')'
    return re.compile(literal + before + rest)
