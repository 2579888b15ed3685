"""How many runs an endpoint gets at a time: one more after each round without a refusal, half after a refusal.

That is additive increase, multiplicative decrease (Chiu and Jain 1989), as TCP does it; a server that says how long to
wait gets no new run before that.
"""

from __future__ import annotations

from typing import Final

_FAILURES: Final = 3
"""So many runs in a row that an endpoint does not answer, and it is given up."""


class Pace:
    """The pace of one endpoint; times are those of a clock in seconds, such as `time.monotonic()`."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.allowed = 1.0
        """How many runs may be in flight now; whole runs are started for its whole part."""
        self.flying = 0
        self._not_before = 0.0
        self._reduced = float('-inf')
        self._failures = 0

    def may_start(self, now: float) -> bool:
        """Tell whether another run may be started."""
        return self.flying < int(self.allowed) and now >= self._not_before

    def wait(self, now: float) -> float:
        """Return how many seconds it takes until a run may be started again, as far as time alone decides."""
        return max(0.0, self._not_before - now)

    def started(self) -> None:
        """Count a run that was started."""
        self.flying += 1

    def refused(self, now: float, seconds: float) -> None:
        """Note that the server refused for being asked too much, and wants us to wait so many seconds.

        All runs in flight are refused at about the same time; that is one refusal, and halves the pace once.
        """
        self._not_before = max(self._not_before, now + seconds)
        if now >= self._reduced:
            self.allowed = max(1.0, self.allowed / 2)
            self._reduced = now + seconds

    def ended(self, *, answered: bool) -> None:
        """Count a run that ended; `answered` says that the server did its part."""
        self.flying -= 1
        self._failures = 0 if answered else self._failures + 1
        if answered:
            self.allowed = min(float(self.most), self.allowed + 1 / max(1, int(self.allowed)))

    @property
    def given_up(self) -> bool:
        """Whether so many runs in a row were not answered that more of them make no sense."""
        return self._failures >= _FAILURES
