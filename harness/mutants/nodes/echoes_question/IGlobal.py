"""Holds nothing."""

from __future__ import annotations

from rocketlib import IGlobalBase


class IGlobal(IGlobalBase):  # type: ignore[misc]
    """The part of the node that all its pipes share."""
