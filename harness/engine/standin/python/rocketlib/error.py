"""The platform's error codes and its exception."""

from __future__ import annotations

from typing import Any

from engLib import Ec as Ec


class APERR(Exception):
    """An error with a code of the engine; the code PreventDefault means "go on with the next node"."""

    def __init__(self, ec: Any = Ec.NoErr, msg: str = '') -> None:
        self.ec = ec
        self.msg = msg
        super().__init__(f'Error {ec}: {msg}')

    def check_raise(self) -> None:
        """Raise this error unless its code says that there is none."""
        if self.ec != Ec.NoErr:
            raise self

    def toDict(self) -> dict[str, Any]:
        """Return the name of the code and the message."""
        return {'code': self.ec.name, 'message': self.msg}

    @staticmethod
    def fromDict(data: dict[str, Any]) -> APERR:
        """Make an error of what `toDict` gave; a code that does not exist becomes InvalidParam."""
        return APERR(getattr(Ec, data['code'], Ec.InvalidParam), data['message'])
