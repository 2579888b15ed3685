"""The configuration of the node: its three fields, read as the platform reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .values import observation_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_ON = ('true', '1', 'yes', 'on')


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """What a user set: the description for parent agents, the instructions (one line each), the guard."""

    agent_description: str = ''
    instructions: tuple[str, ...] = ()
    require_tool_call: bool = False

    @classmethod
    def read(cls, logical_type: str, connection: Mapping[str, Any]) -> NodeConfig:
        """Return the configuration of a node: its own settings over those of its profile.

        Raises:
            Exception: the platform knows no such profile.
        """
        from ai.common.config import Config
        from rocketlib.types import IJson

        return cls.of(IJson.toDict(Config.getNodeConfig(logical_type, connection)))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> NodeConfig:
        """Return the configuration that resolved values mean; odd values never fail."""
        return cls(
            agent_description=observation_text(values.get('agent_description') or '').strip(),
            instructions=_lines(values.get('instructions')),
            require_tool_call=is_on(values.get('require_tool_call')),
        )


def is_on(value: Any) -> bool:
    """Say whether a switch is on: true, 1, yes and on in any case are, anything else is off."""
    return value.strip().lower() in _ON if isinstance(value, str) else isinstance(value, (int, float)) and value == 1


def _lines(value: Any) -> tuple[str, ...]:
    # A single text is one instruction; read as a list it would be one instruction for each of its characters.
    items = value if isinstance(value, (list, tuple)) else (value,) if value else ()
    return tuple(text for item in items if item is not None and (text := observation_text(item).strip()))
