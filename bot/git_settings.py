"""Settings for one git process, above every config file."""

from __future__ import annotations

from collections.abc import Mapping


def as_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings as the variables that git reads them from: nothing on the command line, nothing on disk."""
    environment = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment
