"""The web application over fakes, reached as the outside reaches it: real ASGI, real signatures, real payloads."""

import base64
import hmac
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from hashlib import sha256
from typing import Any, Self
from urllib.parse import urlencode

import httpx

from bot.config import Environment
from bot.playground.slack.delivery.delivery import sign
from bot.ports import Unreachable
from handlers.http.web import Web
from handlers.mcp.endpoint import ProgramRoutes
from handlers.run import serving
from handlers.slack_app.app import slack_app
from handlers.slack_app.respond import Afterwards
from handlers.wiring import Runtime
from tests.builders import CHANNEL
from tests.sources.payloads import body, item
from tests.world import ANA, LABELS, TEAM, PoliteStore, World

SECRET, TOKEN, SECOND_TOKEN, HMAC_SECRET = "signing-secret", "first-token", "second-token", "hmac-secret"
GITHUB_SECRET = "github-secret"
Json = dict[str, Any]


class NoClock:
    """The clock of the fake store, which has none of its own."""

    problem = ""
    steps = 0

    async def look(self, *_: object, **__: object) -> float:
        raise Unreachable("Redis", "the fake has no clock of its own")


class LossyStore(PoliteStore):
    """The fake store with the one thing more that the readiness page asks of the real one."""

    lost = False
    nearly_full = ""
    trail_problem = ""
    clock = NoClock()

    async def storable(self) -> str:
        """Whether an alert could be stored; raises like every other call."""
        await self.members("open")
        return self.nearly_full

    def audit_problem(self) -> str:
        """Why the audit trail cannot be trusted, as told."""
        return self.trail_problem

    def lost_data(self) -> bool:
        return self.lost

    async def time(self) -> float:
        """The clock of the store; a store that is down has none."""
        raise Unreachable("Redis", "the fake has no clock of its own")


class Endpoint:
    """One web process, and requests to its endpoints. Close it with `client.aclose`, or use it as a context."""

    def __init__(self, **tables: Any) -> None:
        """`tables` are laid over the configuration file."""
        self.world = World(**tables)
        self.store = LossyStore(self.world.clock.now, self.world.clock.monotonic, data=self.world.data)
        self.world.store = self.world.context.store = self.store
        given = {
            "slack_bot_token": "xoxb-test",
            "slack_signing_secret": SECRET,
            "tailback_webhook_token": f"{TOKEN},{SECOND_TOKEN}",
            "tailback_webhook_hmac_secret": HMAC_SECRET,
            "github_webhook_secret": GITHUB_SECRET,
        }
        self.world.context.settings = replace(self.world.context.settings, env=Environment.model_validate(given))
        self.runtime = Runtime(self.world.context, self.store, None)  # type: ignore[arg-type]  # the fake store
        self.afterwards, self.programs = Afterwards(), ProgramRoutes()
        self.web = Web(self.runtime, slack_app(self.world.context, self.afterwards), self.programs.routes)
        transport = httpx.ASGITransport(self.web.application())
        self.client = httpx.AsyncClient(transport=transport, base_url="http://tailback")
        self.numbers = iter(range(1, 10_000))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()
        await self.programs.close()

    @asynccontextmanager
    async def process(
        self, *, web: bool = True, worker: bool = False, drain_seconds: float = 0.0, **variables: Any
    ) -> AsyncIterator[str]:
        """A real server on a free port of the loopback interface, unless `variables` say otherwise; its address."""
        settings = self.world.context.settings
        env = settings.env.model_copy(update={"host": "127.0.0.1", "port": 0, **variables})
        self.world.context.settings = replace(settings, env=env)
        async with serving(self.runtime, web=web, worker=worker, drain_seconds=drain_seconds) as address:
            yield address

    async def alert(self, content: bytes | None = None, source: str = "grafana", **headers: str) -> httpx.Response:
        """A webhook; without more, a good one for the pool with a good token."""
        content = firing() if content is None else content
        given = headers or {"Authorization": f"Bearer {TOKEN}"}
        return await self.client.post(f"/alerts/{source}", content=content, headers=given)

    async def signed(self, content: bytes, kind: str, **changed: str) -> httpx.Response:
        """A request to `/slack/events`, signed as Slack signs, and all that follows its answer.

        `changed` headers go before the right ones.
        """
        stamp = changed.pop("stamp", f"{self.world.clock.now():.0f}")
        headers = {"Content-Type": kind, **signature(content, stamp), **changed}
        answer = await self.client.post("/slack/events", content=content, headers=headers)
        await self.afterwards.finished()
        return answer

    async def interaction(self, kind: str, user: str = ANA, **parts: Any) -> httpx.Response:
        """A button, a dialog or a shortcut."""
        whole = {
            "type": kind,
            "user": {"id": user, "team_id": TEAM},
            "team": {"id": TEAM},
            "api_app_id": "A0",
            "token": "unused",
            "trigger_id": f"t{next(self.numbers)}",
            **parts,
        }
        content = urlencode({"payload": json.dumps(whole)}).encode()
        return await self.signed(content, "application/x-www-form-urlencoded")

    async def press(self, name: str, value: str, user: str = ANA, **parts: Any) -> httpx.Response:
        """A button of the parent."""
        action = {"type": "button", "action_id": name, "block_id": "b", "value": value}
        return await self._click(action, user, parts)

    async def choose(self, value: str, user: str = ANA, **parts: Any) -> httpx.Response:
        """An entry of the parent's menu."""
        chosen = {"text": {"type": "plain_text", "text": "…"}, "value": value}
        action = {"type": "overflow", "action_id": "more", "block_id": "b", "selected_option": chosen}
        return await self._click(action, user, parts)

    async def submit(self, view: Mapping[str, Any], user: str = ANA, **values: str) -> httpx.Response:
        """A dialog that was opened, with these inputs."""
        state = {block: {block: {"type": "plain_text_input", "value": value}} for block, value in values.items()}
        sent = {**view, "id": "V1", "hash": f"h{next(self.numbers)}", "state": {"values": state}}
        return await self.interaction("view_submission", user, view=sent)

    async def slash(self, text: str, user: str = ANA, channel: str = CHANNEL) -> httpx.Response:
        """`/queue …`."""
        form = {
            "command": "/queue",
            "text": text,
            "user_id": user,
            "team_id": TEAM,
            "channel_id": channel,
            "trigger_id": f"t{next(self.numbers)}",
            "token": "unused",
        }
        return await self.signed(urlencode(form).encode(), "application/x-www-form-urlencoded")

    async def event(self, kind: str, event_id: str = "", **parts: Any) -> httpx.Response:
        """An event of the Events API."""
        whole = {
            "type": "event_callback",
            "event_id": event_id or f"Ev{next(self.numbers)}",
            "team_id": TEAM,
            "api_app_id": "A0",
            "token": "unused",
            "event": {"type": kind, **parts},
        }
        return await self.signed(json.dumps(whole).encode(), "application/json")

    async def mention(self, text: str, user: str = ANA, **parts: Any) -> httpx.Response:
        """`@tailback …` in the incident's thread."""
        given = {
            "thread_ts": self.world.incident.thread.root,
            "ts": f"{next(self.numbers)}.2",
            "channel": CHANNEL,
            "team": TEAM,
        }
        return await self.event("app_mention", user=user, text=f"<@U0BOT> {text}", **{**given, **parts})

    async def _click(self, action: Json, user: str, parts: Json) -> httpx.Response:
        root = self.world.incident.thread.root
        container = {"type": "message", "message_ts": root, "channel_id": CHANNEL, "is_ephemeral": False}
        given = {"actions": [action], "container": container, "channel": {"id": CHANNEL}}
        return await self.interaction("block_actions", user, **{**given, **parts})


def signature(content: bytes, stamp: str, secret: str = SECRET) -> dict[str, str]:
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": sign(secret, stamp, content)}


def grafana_signature(content: bytes, stamp: str) -> dict[str, str]:
    digest = hmac.new(HMAC_SECRET.encode(), stamp.encode() + b":" + content, sha256).hexdigest()
    return {"X-Grafana-Alerting-Timestamp": stamp, "X-Grafana-Alerting-Signature": digest}


def firing(fingerprint: str = "f1", group: str = "g") -> bytes:
    """A Grafana payload with one alert that names the pool."""
    return body(item(labels=LABELS, fingerprint=fingerprint, startsAt="2027-01-15T07:59:00Z"), groupKey=group)


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
