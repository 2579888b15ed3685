"""How a node reads its configuration: the profile's defaults, overlaid with what the pipeline file says."""

from __future__ import annotations

from typing import Any

from rocketlib import IJson, getServiceDefinition, warning


def _merge(user: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    merged = dict(defaults)
    for key, value in user.items():
        if value is None:
            continue
        default = defaults.get(key)
        merged[key] = _merge(value, default) if isinstance(default, dict) and isinstance(value, dict) else value
    return merged


class Config:
    """Reader of node configurations."""

    @staticmethod
    def getNodeProfiles(logicalType: str) -> dict[str, Any]:
        """Return the profiles of a service by name; empty where it has none."""
        service = getServiceDefinition(logicalType) or {}
        return (service.get('preconfig') or {}).get('profiles') or {}

    @staticmethod
    def getNodeConfig(logicalType: str, connConfig: Any) -> dict[str, Any]:
        """Return the configuration of a node as plain data.

        The profile is the one that `connConfig` names under `profile`, else the service's default. Its values are
        overlaid with the block of `connConfig` that has the name of the profile, and then with the top-level keys. None
        overlays nothing; `profile` and that block are no part of the result.

        Raises:
            Exception: the service, its `preconfig` section or the profile does not exist.
        """
        service = getServiceDefinition(logicalType)
        if service is None:
            raise Exception(f'The service {logicalType} was not found')
        if 'preconfig' not in service:
            raise Exception(f'The service {logicalType} has no preconfig section')
        profiles = service['preconfig'].get('profiles') or {}
        given = IJson.toDict(connConfig)
        name = given.pop('profile', None)
        if name is None:
            name = service['preconfig'].get('default')
        if name not in profiles:
            raise Exception(f'Profile {name} is not defined in {logicalType}')
        profile = profiles[name]
        if profile.get('deprecated'):
            warning(f'the profile {name} of {logicalType} is deprecated. {profile.get("migration", "")}')
        nested = given.pop(name) if isinstance(given.get(name), dict) else {}
        top = {key: value for key, value in given.items() if value is not None}
        return _merge({**nested, **top}, profile)

    @staticmethod
    def getProviderConfig(providerConfig: Any) -> tuple[Any, Any]:
        """Return the provider that a block names, and its configuration."""
        provider = providerConfig.get('provider')
        if not provider:
            raise Exception('the block names no provider')
        for key in (provider, 'config'):
            if key in providerConfig:
                return provider, providerConfig.get(key)
        raise Exception(f'the provider {provider} has no configuration')

    @staticmethod
    def getMultiProviderConfig(section: str, multiConfig: Any) -> tuple[Any, Any]:
        """Return the provider that one section names, and its configuration."""
        config = multiConfig.get(section)
        if not config:
            raise Exception(f'there is no section {section}')
        return Config.getProviderConfig(config)
