"""The stand-in's endpoints for the page: state, live changes, guide, and what keeps other sites out."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator

import httpx
import pytest

from bot.playground.clock import ScaledClock
from bot.playground.slack.settings import DemoFrame
from tests.patience import PATIENCE_SECONDS
from tests.playground.slack_kit import CI, Clock, Kit, parent_blocks, standing
from tests.slack_driver import RefusedError


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False, verify=False) as made:
        yield made


async def test_the_state_holds_everything_that_the_page_draws(slack: Kit, client: httpx.AsyncClient) -> None:
    """Team, people, groups, commands, channels, messages with their raw form; replies carry their thread."""
    root = (await slack.client.chat_postMessage(channel=CI, text="open", blocks=parent_blocks()))["ts"]
    await slack.client.chat_postMessage(channel=CI, text="worse", thread_ts=root, reply_broadcast=True)
    state = (await client.get(f"{slack.url}/ui/state?user=U0BEN")).json()
    assert state["team"] == {"id": "T0DEMO", "name": "Acme CI"}
    assert state["bot"] == {"user_id": "U0TAILBACK", "name": "tailback"}
    assert state["me"] == {"id": "U0BEN", "name": "ben", "real_name": "Ben", "guest": False, "stranger": False}
    assert [user["id"] for user in state["users"] if user["guest"] or user["stranger"]] == ["U0GUEST", "U0OTHER"]
    assert [group["handle"] for group in state["groups"]] == ["oncall", "infra", "infra-leads"]
    assert [channel["name"] for channel in state["channels"]] == ["ci", "ops", "dev-infra", "random", "tailback"]
    assert state["commands"][0]["command"] == "/queue"
    parent, reply = state["channels"][0]["messages"]
    assert (parent["bot"], parent["username"], parent["reply_count"]) == (True, "tailback", 1)
    assert "thread_ts" not in parent
    assert parent["raw"]["blocks"] == parent["blocks"]
    assert (reply["thread_ts"], reply["broadcast"]) == (root, True)
    assert (state["views"], state["home"], state["ephemerals"]) == ([], None, [])


async def test_changes_are_streamed_as_they_happen(slack: Kit, client: httpx.AsyncClient) -> None:
    """The stream begins with the present number and tells of the next change."""
    async with client.stream("GET", f"{slack.url}/ui/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = (line async for line in stream.aiter_lines() if line.startswith("data: "))
        before = json.loads((await anext(lines))[6:])["seq"]
        await slack.client.chat_postMessage(channel=CI, text="x")
        after = json.loads((await asyncio.wait_for(anext(lines), PATIENCE_SECONDS))[6:])["seq"]
    assert after > before


@pytest.mark.parametrize("body", [b"{", b"[]", b'"x"'])
async def test_bad_bodies_get_a_sentence(client: httpx.AsyncClient, slack: Kit, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    reply = await client.post(f"{slack.url}/ui/click", content=body, headers=headers)
    assert (reply.status_code, reply.json()["error"]) == (400, "The body must be a JSON object.")


async def test_a_form_of_another_site_cannot_act_here(client: httpx.AsyncClient, slack: Kit) -> None:
    """A page elsewhere can post forms and plain text without asking; neither is read."""
    reply = await client.post(f"{slack.url}/ui/say", content=b'{"user": "U0ANA", "channel": "#ci", "text": "x"}')
    assert reply.status_code == 415
    assert not slack.stand_in.workspace.channels[CI].messages


@pytest.mark.parametrize(
    ("act", "body", "sentence"),
    [
        ("say", {"user": "U0NOBODY", "channel": CI, "text": "x"}, "There is no person U0NOBODY in this workspace."),
        ("say", {"user": "U0ANA", "channel": "C0NONE", "text": "x"}, "There is no channel C0NONE."),
        ("say", {"user": "U0ANA", "channel": CI, "text": " "}, "A message needs text."),
        ("click", {"user": "U0ANA", "channel": CI, "ts": "1.000001"}, "This message is no longer there."),
        ("click", {"user": "U0ANA", "view_id": "V0"}, "This view is no longer open."),
        ("submit", {"user": "U0ANA", "view_id": "V0"}, "This modal is no longer open."),
    ],
)
async def test_what_cannot_be_done_is_a_sentence(
    client: httpx.AsyncClient, slack: Kit, act: str, body: dict[str, str], sentence: str
) -> None:
    reply = await client.post(f"{slack.url}/ui/{act}", json=body)
    assert reply.json() == {"ok": False, "error": sentence}


async def test_serving_leaves_signals_alone_and_ends_with_a_stream_open(client: httpx.AsyncClient, slack: Kit) -> None:
    """A server inside another program must not take its Ctrl-C, nor wait for endless streams."""
    before = signal.getsignal(signal.SIGTERM)
    loop = asyncio.get_running_loop()
    async with standing() as other:
        assert signal.getsignal(signal.SIGTERM) is before
        stream = client.stream("GET", f"{other.url}/ui/events")
        response = await stream.__aenter__()
        started = loop.time()
    assert loop.time() - started < 1.5
    await response.aclose()


def test_ids_grow_even_when_the_clock_stands_still() -> None:
    """Two messages of one instant have two `ts`."""

    async def stamps() -> list[str]:
        async with standing() as kit:
            kit.stand_in.workspace.clock = lambda: 1_800_000_000.0
            posts = [await kit.client.chat_postMessage(channel=CI, text="x") for _ in range(3)]
        return [post["ts"] for post in posts]

    found = asyncio.run(stamps())
    assert found == ["1800000000.000000", "1800000000.000001", "1800000000.000002"]
    assert Clock()() > 0


async def test_a_demo_has_a_clock_and_stories_on_its_page(slack: Kit) -> None:
    """The page sets the speed, within reason, and asks for another story; a workspace alone has neither."""
    with pytest.raises(RefusedError, match="0 to 600"):
        await slack.driver.post("clock", {"rate": 10})
    chosen: list[str] = []
    clock = ScaledClock(60.0, slack.clock, slack.clock)
    slack.stand_in.settings.frame = DemoFrame(clock, "surge", chosen.append)
    await slack.driver.post("clock", {"rate": 10})
    shown = (await slack.driver.screen())["frame"]
    assert isinstance(shown, dict)
    assert shown["rate"] == clock.rate() == 10
    for rate in (-1, 601, True, "fast", None):
        with pytest.raises(RefusedError):
            await slack.driver.post("clock", {"rate": rate})
    await slack.driver.post("story", {"name": "stockout"})
    with pytest.raises(RefusedError, match="no story nowhere"):
        await slack.driver.post("story", {"name": "nowhere"})
    assert chosen == ["stockout"]
