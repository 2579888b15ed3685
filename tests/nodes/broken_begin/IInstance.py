from rocketlib import IInstanceBase


class IInstance(IInstanceBase):
    pass
