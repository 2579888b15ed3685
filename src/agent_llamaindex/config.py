"""The configuration of the node: its three fields, read as the platform reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

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

        return cls.of(Config.getNodeConfig(logical_type, connection))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> NodeConfig:
        """Return the configuration that resolved values mean; odd values never fail."""
        return cls(
            agent_description=str(values.get('agent_description') or '').strip(),
            instructions=_lines(values.get('instructions')),
            require_tool_call=is_on(values.get('require_tool_call')),
        )


def is_on(value: Any) -> bool:
    """Say whether a switch is on: true, 1, yes and on in any case are, anything else is off (decision D3)."""
    return str(value).strip().lower() in _ON


def _lines(value: Any) -> tuple[str, ...]:
    # A single text is one instruction; read as a list it would be one instruction for each of its characters.
    items: Iterable[Any] = (value,) if isinstance(value, str) else value if isinstance(value, Iterable) else ()
    return tuple(text for item in items if item is not None and (text := str(item).strip()))
