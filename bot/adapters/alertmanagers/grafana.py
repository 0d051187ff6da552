"""Grafana's own Alertmanager: the same API behind a prefix, with a service account's token and an organisation."""

from collections.abc import Mapping

from bot.adapters.alertmanagers.api_v2 import ApiV2, ApiV2Table
from bot.adapters.http import bearer
from bot.adapters.parts import Parts, read
from bot.sources.grafana import parse

PREFIX = "/api/alertmanager/grafana/api/v2"


class GrafanaTable(ApiV2Table):
    """`[alertmanager.NAME]` with `kind = "grafana"`."""

    token_env: str
    """Names the variable with a service account's token; it needs to read and create silences and read alerts."""
    org_id: int | None = None
    """Another organisation than the token's own."""


def build(name: str, place: str, raw: Mapping[str, object], parts: Parts) -> ApiV2:
    """The back end from its table; raises ConfigError with every problem."""
    table = read(GrafanaTable, place, raw)
    headers = bearer(parts.token(place, "token_env", table.token_env))
    if table.org_id is not None:
        headers["X-Grafana-Org-Id"] = str(table.org_id)
    http = parts.wire.http(f"Grafana ({name})", table.url, headers=headers)
    return ApiV2(table, http, PREFIX, parse)
