"""Who asks the API, how often, and which channels this client may read of."""

import asyncio

from starlette.datastructures import Headers

from bot.api_settings import ApiClient
from bot.context.context import Context
from bot.core.alert import AlertSender
from bot.core.incident.incident import Incident
from bot.ports import Failure, Unreachable
from bot.sources.credentials import Secrets, judged_by_headers
from handlers.api.judging import Judging
from handlers.api.problems import ApiRefused

A_MINUTE, BURST = 300, 60
"""Requests of one client. Origin: a dashboard of 20 panels that refreshes every 5 s asks 240 times a minute."""
MEASUREMENTS_A_MINUTE = 12
"""Diagnoses of one client, which ask the metrics sources."""
BETWEEN_MEASUREMENTS_SECONDS = 10.0
"""Of one pool, whoever asks: a third of the usual period in which it is measured anyway."""
SLACK_SECONDS = 2.0
"""Time limit for asking Slack whether a channel is private."""
UNKNOWN_CLIENT = "The token is missing or wrong. Send a token of [api] as Authorization: Bearer."


class Access:
    """One per process; the limits are shared by all processes."""

    def __init__(self, context: Context) -> None:
        self.context, self.judging = context, Judging(context)
        self._public: dict[str, bool] = {}

    def client(self, headers: Headers) -> ApiClient:
        """Whose token it is; raises ApiRefused (401) with the reason for the log as its cause."""
        known = self.context.settings.api_tokens
        secrets = Secrets(senders=tuple((token, AlertSender(client.name)) for token, client in known))
        verdict = judged_by_headers(headers.raw, secrets)
        clients = {client.name: client for _, client in known}
        if verdict is None or not verdict.ok:
            raise ApiRefused(401, UNKNOWN_CLIENT) from PermissionError(verdict.reason if verdict else "")
        return clients[verdict.sender.name]

    async def admit(self, client: ApiClient) -> None:
        """Count a request; raises ApiRefused (429) for one too many."""
        await self._limit(f"api:{client.name}", 60 / A_MINUTE, BURST, f"{A_MINUTE} requests a minute")

    async def admit_measurement(self, client: ApiClient, pool: str) -> None:
        """The same for a request that measures a pool."""
        rate = f"{MEASUREMENTS_A_MINUTE} diagnoses a minute"
        await self._limit(f"api:measure:{client.name}", 60 / MEASUREMENTS_A_MINUTE, MEASUREMENTS_A_MINUTE, rate)
        rate = f"one diagnosis of a pool in {BETWEEN_MEASUREMENTS_SECONDS:.0f} s, for all clients together"
        await self._limit(f"api:pool:{pool}", BETWEEN_MEASUREMENTS_SECONDS, 1, rate)

    async def _limit(self, lane: str, interval: float, burst: int, rate: str) -> None:
        if wait := await self.context.store.acquire_slot(lane, "ask", interval, burst, urgent=True):
            raise ApiRefused(429, f"Too many requests: the limit is {rate}. Try again later.", retry_after=wait)

    async def sees(self, client: ApiClient, channel: str) -> bool:
        """Whether the client may read what belongs to a channel: a public one, or one that its token names.

        Raises ApiRefused (503) while nobody knows: leaving something out would look as if it did not exist.
        """
        return channel in client.channels or await self._is_public(channel)

    async def sees_incident(self, client: ApiClient, incident: Incident) -> bool:
        """Whether it may read an incident: its own channel counts, and the one that stands in for it."""
        place = incident.thread
        return all([await self.sees(client, one) for one in {place.channel, place.instead_of or place.channel}])

    async def _is_public(self, channel: str) -> bool:
        try:
            async with asyncio.timeout(SLACK_SECONDS):
                self._public[channel] = await self.context.chat.may_read(channel, "")
        except (Unreachable, TimeoutError) as error:
            if isinstance(error, Unreachable) and error.failure in {Failure.PLACE, Failure.GONE}:
                return False
            if channel not in self._public:
                why = "Slack does not say now which channels are private, so nothing is told. Try again later."
                raise ApiRefused(503, why, retry_after=5) from error
        return self._public[channel]
