"""Prometheus Alertmanager: silences and firing alerts."""

from collections.abc import Mapping
from functools import partial

from bot.adapters.alertmanagers.api_v2 import ApiV2, ApiV2Table
from bot.adapters.build_context import BuildContext, LoginTable, read
from bot.sources.alertmanager import parse


class AlertmanagerTable(ApiV2Table, LoginTable):
    """`[alertmanager.NAME]` with `kind = "alertmanager"`; credentials are those of a proxy in front of it."""


def build(name: str, place: str, raw: Mapping[str, object], context: BuildContext) -> ApiV2:
    table = read(AlertmanagerTable, place, raw)
    headers = table.login(partial(context.token, place))
    http = context.http(f"Alertmanager ({name})", place, table, table.url, headers=headers, token_file=table.token_file)
    return ApiV2(table, http, "/api/v2", parse)
