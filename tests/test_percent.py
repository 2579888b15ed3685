"""A share in words is never better or worse than the share."""

from __future__ import annotations

import pytest

from harness.show.visible import percent


@pytest.mark.parametrize(
    ('met', 'of', 'said'),
    [(1, 1, '100 %'), (0, 9, '0 %'), (1_999, 2_000, '99 %'), (1, 2_000, '1 %'), (251, 412, '61 %'), (1, 3, '33 %')],
)
def test_only_all_is_a_hundred_per_cent_and_only_none_is_nothing(met: int, of: int, said: str) -> None:
    assert percent(met / of) == said
