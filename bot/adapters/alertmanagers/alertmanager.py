"""Prometheus Alertmanager: silences, and what fires."""

import base64
from collections.abc import Mapping

from bot.adapters.alertmanagers.api_v2 import ApiV2, ApiV2Table
from bot.adapters.http import bearer
from bot.adapters.parts import Parts, read
from bot.config import ConfigError
from bot.sources.alertmanager import parse


class AlertmanagerTable(ApiV2Table):
    """`[alertmanager.NAME]` with `kind = "alertmanager"`. It has no credentials of its own: a proxy in front may."""

    basic_env: str = ""
    """Names the variable that holds `user:password`."""


def build(name: str, place: str, raw: Mapping[str, object], parts: Parts) -> ApiV2:
    """The back end from its table; raises ConfigError with every problem."""
    table = read(AlertmanagerTable, place, raw)
    if table.token_env and table.basic_env:
        raise ConfigError([f"{place}: token_env and basic_env exclude each other; keep one"])
    headers = bearer(parts.token(place, "token_env", table.token_env))
    if basic := parts.token(place, "basic_env", table.basic_env):
        headers = {"Authorization": f"Basic {base64.b64encode(basic.encode()).decode()}"}
    http = parts.wire.http(f"Alertmanager ({name})", table.url, headers=headers)
    return ApiV2(table, http, "/api/v2", parse)
