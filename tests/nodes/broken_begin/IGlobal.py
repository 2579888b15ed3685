from rocketlib import IGlobalBase


class IGlobal(IGlobalBase):
    def beginGlobal(self) -> None:
        raise RuntimeError('no model is loaded')
