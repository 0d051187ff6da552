"""What Tailback is measured against: a small bot as it is written in an afternoon.

Starlette, one durable write to Redis for each alert, and one message by Slack's own SDK. It forgets, doubles and groups
nothing.
"""

import json
import sys

import uvicorn
from redis.asyncio import Redis
from slack_sdk.web.async_client import AsyncWebClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route


class SmallBot:
    """Parses the payload, writes it to Redis, posts a line to Slack, answers."""

    def __init__(self, slack: str, redis_url: str) -> None:
        self._slack = AsyncWebClient("xoxb-demo", f"{slack}/api/")
        self._redis = Redis.from_url(redis_url)
        self.app = Starlette(routes=[Route("/alerts/alertmanager", self._alert, methods=["POST"])])

    async def _alert(self, request: Request) -> Response:
        body = await request.body()
        alert = json.loads(body)["alerts"][0]
        await self._redis.xadd("alerts", {"body": body})
        await self._slack.chat_postMessage(channel="C0BENCH", text=alert["annotations"]["summary"])
        return PlainTextResponse("ok")


if __name__ == "__main__":
    uvicorn.run(SmallBot(sys.argv[2], sys.argv[3]).app, port=int(sys.argv[1]), log_level="warning", access_log=False)
