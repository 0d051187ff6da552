"""What Tailback is measured against: a bare Starlette handler that posts at once, with or without one durable write."""

import json
import sys

import aiohttp
import uvicorn
from redis.asyncio import Redis
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route


class Bare:
    """Parses the payload, writes it to Redis when there is one, posts a line to Slack, answers."""

    def __init__(self, slack: str, redis_url: str) -> None:
        self._url = f"{slack}/api/chat.postMessage"
        self._redis = Redis.from_url(redis_url) if redis_url else None
        self._session: aiohttp.ClientSession | None = None
        self.app = Starlette(routes=[Route("/alerts/alertmanager", self._alert, methods=["POST"])])

    async def _alert(self, request: Request) -> Response:
        body = await request.body()
        alert = json.loads(body)["alerts"][0]
        if self._redis is not None:
            await self._redis.xadd("alerts", {"body": body})
        self._session = self._session or aiohttp.ClientSession()
        message = {"channel": "C0BENCH", "text": alert["annotations"]["summary"]}
        async with self._session.post(self._url, json=message) as answer:
            await answer.read()
        return PlainTextResponse("ok")


if __name__ == "__main__":
    uvicorn.run(Bare(sys.argv[2], sys.argv[3]).app, port=int(sys.argv[1]), log_level="warning", access_log=False)
