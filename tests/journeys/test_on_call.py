"""A night on call: nobody acknowledges, PagerDuty is paged, Slack acknowledges there, and an issue is filed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from bot.playground.serving import serving
from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, running

TABLES = """
[pager.night]
kind = "pagerduty"
token_env = "ROUTING_KEY"
url = "{url}"

[issues]
repository = "example/ci"
token_env = "ISSUES_TOKEN"
url = "{url}"
preset = "pytorch"
"""


@dataclass(slots=True)
class Services:
    """PagerDuty and GitHub, as far as they are used; PagerDuty fails the first time."""

    events: list[dict[str, Any]] = field(default_factory=list)
    issues: list[dict[str, Any]] = field(default_factory=list)
    failures: int = 1

    async def enqueue(self, request: Request) -> JSONResponse:
        if self.failures:
            self.failures -= 1
            return JSONResponse({"message": "Internal Server Error"}, 500)
        self.events.append(await request.json())
        key = self.events[-1]["dedup_key"]
        return JSONResponse({"status": "success", "message": "Event processed", "dedup_key": key}, 202)

    async def create(self, request: Request) -> JSONResponse:
        body, number = await request.json(), len(self.issues) + 1
        labels = [{"name": name} for name in body["labels"]]
        url = f"https://github.example/example/ci/issues/{number}"
        self.issues.append({**body, "number": number, "html_url": url, "labels": labels})
        return JSONResponse(self.issues[-1], 201)

    async def listed(self, _: Request) -> JSONResponse:
        return JSONResponse(self.issues)

    @property
    def actions(self) -> list[str]:
        return [one["event_action"] for one in self.events]


@asynccontextmanager
async def on_call(folder: Path, redis_url: str) -> AsyncIterator[tuple[World, Services]]:
    services, path = Services(), "/repos/example/ci/issues"
    routes = [
        Route("/v2/enqueue", services.enqueue, methods=["POST"]),
        Route(path, services.create, methods=["POST"]),
        Route(path, services.listed),
    ]
    variables = {"ROUTING_KEY": "R0UT1NG", "ISSUES_TOKEN": "ghs_1"}
    async with serving(Starlette(routes=routes)) as url:
        setup = Setup(escalate_after="1s", tables=TABLES.format(url=url), variables=variables)
        async with running(folder, redis_url, setup) as world:
            yield world, services


async def test_a_page_an_acknowledgement_an_issue_and_the_end(tmp_path: Path, redis_url: str) -> None:
    """The pager that was down is named and reached; one key, one issue, and links in both directions."""
    async with on_call(tmp_path, redis_url) as (world, services):
        world.farm.queue(LINUX, 14, 114)
        await world.fires(queue_alert(LINUX))
        parent = await world.slack.channel("ci").parent(LINUX)
        await parent.reply("Could not page night: PagerDuty (night) failed (HTTP 500)")
        await parent.reply("Paged night.")
        assert services.actions == ["trigger"]
        payload = services.events[0]["payload"]
        assert payload["summary"].startswith(f"{LINUX}: 14 jobs queued, longest wait 1 h 54 min.")
        assert f"/p{parent.ts.replace('.', '')}" in services.events[0]["client_url"]

        await parent.click("Acknowledge", user="U0BEN")
        await world.eventually(lambda: services.actions == ["trigger", "acknowledge"], "the acknowledgement")

        await parent.choose_more("File an issue")
        dialog = await world.slack.modal(title="File an issue?")
        assert "Current Status" in dialog.text
        assert await dialog.submit() == {}
        await parent.reply("filed example/ci#1")
        [issue] = services.issues
        assert [label["name"] for label in issue["labels"]] == ["ci: sev"]
        assert f"/p{parent.ts.replace('.', '')}" in issue["body"]

        await parent.choose("Close incident")
        assert await (await world.slack.modal(title="Close incident?")).submit() == {}
        await world.eventually(lambda: services.actions[2:] == ["resolve"], "the end")
        assert len({one["dedup_key"] for one in services.events}) == 1
