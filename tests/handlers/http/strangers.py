"""Bodies that strangers send: as slow and as large as is allowed, with headers that look right."""

import asyncio
from collections.abc import AsyncIterator

from tests.handlers.endpoint import Endpoint

GUESSED = "0" * 64
PIECE = 65536


class Watched:
    """A body that says how much of it was taken."""

    def __init__(self, pieces: int = 100, then: asyncio.Event | None = None) -> None:
        self.taken, self._pieces, self._then = 0, pieces, then

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """64 kB at a time; with an event, the rest comes after it."""
        for _ in range(self._pieces):
            self.taken += PIECE
            yield b" " * PIECE
        if self._then is not None:
            await self._then.wait()


def posing(path: str, endpoint: Endpoint) -> dict[str, str]:
    """Headers with which a stranger's body has to be read, because only a signature over it tells them from others."""
    now = f"{endpoint.world.clock.now():.0f}"
    return {
        "/slack/events": {"X-Slack-Request-Timestamp": now, "X-Slack-Signature": f"v0={GUESSED}"},
        "/github": {"X-Hub-Signature-256": f"sha256={GUESSED}"},
        "/alerts/grafana": {"X-Grafana-Alerting-Timestamp": now, "X-Grafana-Alerting-Signature": GUESSED},
    }.get(path, {})
