"""No alert of a known sender disappears silently: one notice per sender and hour, a log line and a metric."""

import asyncio

import pytest

from bot.core.record import Change
from bot.incidents.rejected_alert import QUIET_SECONDS, report_rejected
from bot.ports import Failure, Unreachable
from tests.handlers.endpoint import TOKEN, Endpoint, firing
from tests.world import World

KNOWN = {"Authorization": f"Bearer {TOKEN}"}
LARGE = b" " * 16385
TABLES = {"http": {"max_body_bytes": 16 * 1024}, "slack": {"fallback_channel": "C0OPS"}}
REFUSALS = {
    "too large": (413, LARGE, KNOWN),
    "compressed": (415, firing(), {**KNOWN, "Content-Encoding": "gzip"}),
    "no JSON": (400, b"{", KNOWN),
    "no alerts": (400, b'{"alerts": []}', KNOWN),
}


def notices(world: World) -> list[tuple[str, str]]:
    return [(one.channel, one.message.text) for one in world.chat.parents()]


@pytest.mark.parametrize("source", ["grafana", "alertmanager", "event"])
@pytest.mark.parametrize(("status", "content", "headers"), REFUSALS.values(), ids=REFUSALS)
async def test_a_known_senders_refused_alert_is_told_once(
    source: str, status: int, content: bytes, headers: dict[str, str]
) -> None:
    async with Endpoint(**TABLES) as endpoint:
        answers = [await endpoint.alert(content, source, **headers) for _ in range(3)]
        assert {answer.status_code for answer in answers} == {status}
        await endpoint.world.work()
        ((channel, text),) = notices(endpoint.world)
        metrics = (await endpoint.client.get("/metrics")).text
    assert channel == "C0OPS"
    assert text.startswith(f"An alert from {source} at 127.0.0.1 was refused. No incident was opened for it. Reason: ")
    assert answers[0].json()["error"][:40] in text
    assert f'tailback_alerts_rejected_total{{sender="",source="{source}",status="{status}"}}' in metrics


@pytest.mark.parametrize("headers", [{"X-Nothing": "1"}, {"Authorization": "Bearer wrong"}])
@pytest.mark.parametrize("content", [LARGE, b"{"])
async def test_of_a_stranger_nothing_is_told(headers: dict[str, str], content: bytes) -> None:
    async with Endpoint(**TABLES) as endpoint:
        assert (await endpoint.alert(content, **headers)).status_code == 401
        assert endpoint.world.data.rows == {}


async def test_another_sender_is_told_too_and_the_same_one_after_an_hour() -> None:
    async with Endpoint(**TABLES) as endpoint:
        await endpoint.alert(b"{", **KNOWN)
        await endpoint.alert(b"{", "event", **KNOWN)
        await endpoint.world.work()
        assert len(notices(endpoint.world)) == 2
        endpoint.world.clock.advance(QUIET_SECONDS - 1)
        await endpoint.alert(b"{", **KNOWN)
        await endpoint.world.work()
        assert len(notices(endpoint.world)) == 2
        endpoint.world.clock.advance(2)
        await endpoint.alert(b"{", **KNOWN)
        await endpoint.world.work()
        assert len(notices(endpoint.world)) == 3


async def test_of_many_processes_at_once_one_writes_the_notice(world: World) -> None:
    results = await asyncio.gather(*(report_rejected(world.context, "grafana", "10.0.0.1", "why") for _ in range(20)))
    assert results.count(True) == 1
    await world.work()
    assert len(notices(world)) == 1


@pytest.mark.parametrize("failure", Failure)
async def test_whatever_fails_once_in_slack_one_notice_stands(failure: Failure) -> None:
    world = World(slack={"fallback_channel": "C0OPS"})
    world.chat.script.fail("post", failure, after=failure is Failure.UNKNOWN)
    await report_rejected(world.context, "grafana", "10.0.0.1", "<!channel> *why*")
    await world.passes(4000, 20)
    ((_, text),) = notices(world)
    assert "<!channel>" not in text


async def test_a_store_that_is_down_costs_the_notice_and_not_the_answer() -> None:
    async with Endpoint(**TABLES) as endpoint:
        endpoint.world.data.broken = Unreachable("Redis", "connection refused")
        assert (await endpoint.alert(b"{", **KNOWN)).status_code == 400


async def test_a_woken_notice_without_a_record_posts_nothing(world: World) -> None:
    await world.store.commit(Change(wake=("rejected:gone",)))
    await world.work()
    assert notices(world) == []
