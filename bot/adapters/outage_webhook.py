"""Notifies a webhook outside Slack when Slack is unreachable for too long: one small JSON document by POST."""

from bot.adapters.build_context import Parts
from bot.adapters.http.address import secret_url
from bot.adapters.http.client import Http
from bot.config import ConfigError, OutsideTable
from bot.ports import Failure

PLACE = "[outside_slack]"


class WebhookOutside:
    """The port `Outside`. The document is `{"source": "tailback", "event": …, "text": …}`; any 2xx is success."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def tell(self, event: str, text: str) -> None:
        """Send one document; raises Unreachable, and never retries."""
        answer = await self._http.send("POST", "", {"source": "tailback", "event": event, "text": text})
        if not answer.ok:
            raise self._http.problem(f"answered HTTP {answer.status}: {answer.text}", Failure.SHAPE)


def build(table: OutsideTable, parts: Parts) -> WebhookOutside:
    """The webhook from its table; the address is a secret and never shown. Raises ConfigError."""
    try:
        address = secret_url(parts.token(PLACE, "url_env", table.url_env))
    except ValueError as error:
        raise ConfigError([f"{PLACE}: url_env: the value of {table.url_env} {error}"]) from None
    return WebhookOutside(parts.http("outside_slack", PLACE, table, address))
