"""Debian's prometheus-alertmanager, started for one journey with Tailback as its only receiver."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests import real_servers
from tests.journeys.setup import TOKEN
from tests.patience import PATIENCE_SECONDS
from tests.webhooks import Json

CONFIG = """\
route:
  receiver: tailback
  group_by: [alertname, runner_label]
  group_wait: 100ms
  group_interval: 1s
  repeat_interval: 1h
receivers:
  - name: tailback
    webhook_configs:
      - url: {url}/alerts/alertmanager
        http_config:
          authorization:
            type: Bearer
            credentials: {token}
"""


@dataclass(frozen=True, slots=True)
class RealAlertmanager:
    """A running one; amtool is an operator's hand."""

    url: str
    folder: Path

    async def configured(self, receiver: str) -> None:
        """Point it at Tailback and let it read its configuration again."""
        (self.folder / "config.yml").write_text(CONFIG.format(url=receiver, token=TOKEN), "utf-8")
        async with httpx.AsyncClient(trust_env=False) as client:
            (await client.post(f"{self.url}/-/reload")).raise_for_status()

    async def fire(self, *labels: str) -> None:
        """`amtool alert add NAME label=value …`: fires for five minutes unless it is ended before."""
        await self._amtool("alert", "add", *labels, "--annotation=summary=jobs have been waiting for 40 min")

    async def end(self, alert: Json) -> None:
        """The alert is over, as Prometheus would say it."""
        async with httpx.AsyncClient(trust_env=False) as client:
            (await client.post(f"{self.url}/api/v2/alerts", json=[alert])).raise_for_status()

    async def silences(self) -> list[Json]:
        found: list[Json] = json.loads(await self._amtool("silence", "query", "--output=json"))
        return found

    async def _amtool(self, *words: str) -> bytes:
        command = ["amtool", f"--alertmanager.url={self.url}", *words]
        running = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = await asyncio.wait_for(running.communicate(), PATIENCE_SECONDS)
        assert running.returncode == 0, err
        return out


@asynccontextmanager
async def alertmanager(folder: Path) -> AsyncIterator[RealAlertmanager]:
    """It runs while the block does; `configured` tells it where to send."""
    with real_servers.alertmanager(folder, CONFIG.format(url="http://127.0.0.1:9", token=TOKEN)) as url:
        yield RealAlertmanager(url, folder)
