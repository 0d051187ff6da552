"""A real Alertmanager whose only receiver is Tailback, so that what it sends itself is played."""

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, closing
from pathlib import Path

import httpx

from bot.adapters.alertmanagers.alertmanager import build
from bot.incidents.intake import Taken
from bot.playground.fleet.api.wire import written
from tests.adapters.back_end import parts_with, patient_pool
from tests.handlers.endpoint import TOKEN, Endpoint
from tests.patience import eventually
from tests.real_servers import alertmanager
from tests.webhooks import Json
from tests.world import LABELS

CONFIG = """\
route: {{receiver: tailback, group_by: [alertname], group_wait: 100ms, group_interval: 1s, repeat_interval: 1h}}
receivers:
  - name: tailback
    webhook_configs:
      - url: {url}/alerts/alertmanager
        http_config: {{authorization: {{credentials: {token}}}}}
"""


class Sender:
    """An Alertmanager, and the Tailback that it tells, whose clock and worker are in the test's hand."""

    def __init__(self, start: Callable[[], AbstractContextManager[str]], endpoint: Endpoint) -> None:
        """`start` starts it, on what it has stored."""
        self.world, self._endpoint, self._start = endpoint.world, endpoint, start
        self._running = ExitStack()
        self.url = self._running.enter_context(start())
        self._begun, self._known = time.time(), Counter[str]()

    def restart(self) -> None:
        """End it and start it again, at another address."""
        self.close()
        self.url = self._running.enter_context(self._start())

    def close(self) -> None:
        self._running.close()

    def alert(self, ends: float, since: float = 60, **labels: str) -> Json:
        """The alert as Prometheus tells it: it began so long before the test, and ends in `ends` seconds from now."""
        times = {"startsAt": written(self._begun - since), "endsAt": written(time.time() + ends)}
        return {"labels": {**LABELS, **labels}, **times}

    async def hears(self, *alerts: Json) -> None:
        await self.post("alerts", alerts)

    async def post(self, path: str, body: object) -> None:
        async with httpx.AsyncClient(trust_env=False) as client:
            (await client.post(f"{self.url}/api/v2/{path}", json=body)).raise_for_status()

    async def told(self, outcome: Taken) -> None:
        """Wait for its next delivery with this outcome, and let the worker do its part."""

        async def more() -> bool:
            return (await self._counts())[outcome] > self._known[outcome]

        await eventually(more, f"a delivery that {outcome}")
        self._known[outcome] += 1
        await self.world.work()

    async def begin(self) -> None:
        self._known = await self._counts()

    async def _counts(self) -> Counter[str]:
        lines = (await self._endpoint.client.get("/metrics")).text.splitlines()
        named = [line for line in lines if line.startswith("tailback_alerts_total{") and "alertmanager" in line]
        return Counter(
            {one: int(float(line.split()[-1])) for line in named for one in Taken if f'outcome="{one}"' in line}
        )


@asynccontextmanager
async def sending(folder: Path, configuration: str = CONFIG) -> AsyncIterator[Sender]:
    """It runs while the block does. Its API is not configured; `asked` does that."""
    async with Endpoint() as endpoint, endpoint.process() as address:
        endpoint.world.context.alertmanagers = {}
        whole = configuration.format(url=address, token=TOKEN)
        with closing(Sender(lambda: alertmanager(folder, whole), endpoint)) as sender:
            await sender.begin()
            yield sender


@asynccontextmanager
async def asked(sender: Sender) -> AsyncIterator[None]:
    """Tailback also asks the API of this Alertmanager what fires, and keeps silences there."""
    async with patient_pool() as wire:
        table = {"kind": "alertmanager", "url": sender.url}
        sender.world.context.alertmanagers = {"main": build("main", "[alertmanager.main]", table, parts_with(wire))}
        yield
