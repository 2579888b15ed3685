"""Property tests are the same in every run; `HYPOTHESIS_PROFILE=search` looks for new examples instead."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile('stable', derandomize=True, deadline=None)
settings.register_profile('search', deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'stable'))
