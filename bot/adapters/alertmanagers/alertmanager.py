"""Prometheus Alertmanager: silences and firing alerts."""

import base64
from collections.abc import Mapping

from pydantic import Field

from bot.adapters.alertmanagers.api_v2 import ApiV2, ApiV2Table
from bot.adapters.build_context import MoreHeaders, Parts, more_than_one, read
from bot.adapters.http.client import bearer
from bot.config import ConfigError
from bot.sources.alertmanager import parse


class AlertmanagerTable(ApiV2Table):
    """`[alertmanager.NAME]` with `kind = "alertmanager"`; credentials are those of a proxy in front of it."""

    token_file: str = ""
    """A file with a bearer token that may be renewed at any time; read before every request."""
    basic_env: str = ""
    """Names the variable that holds `user:password`."""
    org_id: str = ""
    """Tenant of Mimir or Cortex, sent as X-Scope-OrgID."""
    headers: MoreHeaders = Field(default_factory=dict)


def build(name: str, place: str, raw: Mapping[str, object], parts: Parts) -> ApiV2:
    """The back end from its table; raises ConfigError with every problem."""
    table = read(AlertmanagerTable, place, raw)
    if wrong := more_than_one(token_env=table.token_env, token_file=table.token_file, basic_env=table.basic_env):
        raise ConfigError([f"{place}: {wrong}"])
    headers = {**table.headers, **bearer(parts.token(place, "token_env", table.token_env))}
    if basic := parts.token(place, "basic_env", table.basic_env):
        headers["Authorization"] = f"Basic {base64.b64encode(basic.encode()).decode()}"
    if table.org_id:
        headers["X-Scope-OrgID"] = table.org_id
    http = parts.http(f"Alertmanager ({name})", place, table, table.url, headers=headers, token_file=table.token_file)
    return ApiV2(table, http, "/api/v2", parse)
