"""Delivers webhooks with the sender's token; retries after a 5xx, but not at once after a 4xx."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from bot.playground.fleet.alerting.alerts import AlertBook
from bot.playground.fleet.alerting.payloads import payload
from bot.playground.fleet.alerting.rules import Flavour

Post = Callable[[str, Mapping[str, str], bytes], Awaitable[int]]
"""Sends one POST and gives the status of the answer; raises OSError when there was none."""

FIRST_RETRY_SECONDS = 30.0
_USER_AGENT = {Flavour.GRAFANA: "Grafana", Flavour.ALERTMANAGER: "Alertmanager/0.25.0"}


@dataclass(frozen=True, slots=True)
class AlertTarget:
    """The receiver: `base_url` such as `http://127.0.0.1:8080/alerts`, and the bearer token (empty: none)."""

    base_url: str
    token: str


@dataclass(frozen=True, slots=True)
class WebhookDelivery:
    """One attempt: when, what, and the answer's status; 0 when nobody answered."""

    at: float
    url: str
    body: bytes
    status: int


class Sender:
    """Sends due notifications to one target; `deliveries` keeps the last hundred attempts."""

    def __init__(self, book: AlertBook, target: AlertTarget, post: Post) -> None:
        self._book = book
        self._target = target
        self._post = post
        self._failed = 0
        self.deliveries: list[WebhookDelivery] = []

    async def send_due(self, now: float, external_url: str) -> None:
        """Send at most one message; after a 5xx or no response, retry with growing pauses, as Alertmanager does."""
        alerts = self._book.due(now)
        if not alerts:
            return
        rule = self._book.rule
        body = json.dumps(payload(rule, alerts, external_url)).encode()
        url = f"{self._target.base_url}/{rule.flavour.value}"
        headers = {"Content-Type": "application/json", "User-Agent": _USER_AGENT[rule.flavour]}
        if self._target.token:
            headers["Authorization"] = f"Bearer {self._target.token}"
        try:
            status = await self._post(url, headers, body)
        except OSError:
            status = 0
        self.deliveries = [*self.deliveries[-99:], WebhookDelivery(now, url, body, status)]
        if 200 <= status < 300:
            self._failed = 0
            self._book.record_sent(alerts, now)
        elif 400 <= status < 500:
            self._failed = 0
            self._book.retry_at(now + self._book.pace.group_interval_seconds)
        else:
            wait = FIRST_RETRY_SECONDS * 2**self._failed
            self._failed += 1
            self._book.retry_at(now + min(wait, self._book.pace.group_interval_seconds))
