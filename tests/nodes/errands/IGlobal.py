from __future__ import annotations

from typing import Any

from ai.common.config import Config
from rocketlib import OPEN_MODE, IGlobalBase, IJson


class IGlobal(IGlobalBase):
    config: Any = None
    ended = False

    def beginGlobal(self) -> None:
        if self.IEndpoint.endpoint.openMode == OPEN_MODE.CONFIG:
            return
        from depends import depends

        depends(None)
        # Older versions of the platform leave arrays as the engine's own type.
        self.config = IJson.toDict(Config.getNodeConfig(self.glb.logicalType, self.glb.connConfig))

    def endGlobal(self) -> None:
        self.ended = True
        if (self.config or {}).get('fails_at_the_end'):
            raise RuntimeError('the end')
