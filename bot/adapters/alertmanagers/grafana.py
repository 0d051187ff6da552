"""Grafana's own Alertmanager: the same API behind a prefix, with a service account's token and an organisation."""

from collections.abc import Mapping

from bot.adapters.alertmanagers.api_v2 import ApiV2, ApiV2Table
from bot.adapters.build_context import BuildContext, read
from bot.adapters.http.client import bearer
from bot.core.external import Problem
from bot.core.words import listed
from bot.ports import Unreachable
from bot.sources.grafana import parse

PREFIX = "/api/alertmanager/grafana/api/v2"


PERMISSIONS = "/api/access-control/user/permissions"
"""Grafana's endpoint for the permissions of a token."""
NEEDED = {
    "make silences": ("alert.silences:create", "alert.instances:create"),
    "extend or end silences": ("alert.silences:write", "alert.instances:write"),
}
"""Operation → permissions, one of which is enough for it."""


class Grafana(ApiV2):
    """The port `Alertmanager`, and a check of the token's permissions."""

    async def lacking(self) -> tuple[Problem, ...] | None:
        """Missing permissions, in any folder; None if Grafana does not tell."""
        try:
            answer = await self._http.get(PERMISSIONS)
        except Unreachable:
            return None
        if not answer.ok or not isinstance(answer.body, dict) or not answer.body:
            return None
        missing = {deed: either for deed, either in NEEDED.items() if not answer.body.keys() & {*either}}
        if not missing:
            return ()
        permissions = listed(either[0] for either in missing.values())
        remedy = (
            f"give the service account {permissions} on the rules' folder, in the open-source edition the role Editor"
        )
        return (Problem(f"{self._http.system}: its token may not {' nor '.join(missing)}", remedy),)


class GrafanaTable(ApiV2Table):
    token_env: str
    """Names the variable with a service account's token; it needs to read and create silences and read alerts."""
    org_id: int | None = None
    """Another organisation than the token's own."""


def build(name: str, place: str, raw: Mapping[str, object], context: BuildContext) -> Grafana:
    table = read(GrafanaTable, place, raw)
    headers = bearer(context.token(place, "token_env", table.token_env))
    if table.org_id is not None:
        headers["X-Grafana-Org-Id"] = str(table.org_id)
    http = context.http(f"Grafana ({name})", place, table, table.url, headers=headers)
    return Grafana(table, http, PREFIX, parse)
