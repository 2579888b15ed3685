from __future__ import annotations

from typing import Any

from ai.common.config import Config
from rocketlib import IGlobalBase, IJson

from .deeds import DEEDS


class IGlobal(IGlobalBase):
    config: Any = None

    def beginGlobal(self) -> None:
        self.config = IJson.toDict(Config.getNodeConfig(self.glb.logicalType, self.glb.connConfig))
        self.do('beginGlobal')

    def endGlobal(self) -> None:
        self.do('endGlobal')

    def do(self, at: str, instance: Any = None) -> Any:
        if self.config['at'] == at:
            return DEEDS[self.config['deed']](instance)
        return None
