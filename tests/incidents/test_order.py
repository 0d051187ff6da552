"""A notification that an alert fires may arrive after the one that it resolved: it opens nothing, in every format."""

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from bot.core.alert import GUESSED, OVERTAKEN_SECONDS, Delivery
from bot.core.incident.incident import Incident, State
from bot.incidents.intake import ENDS_KEPT_SECONDS, Taken, take_alert
from bot.maintenance.resync import resync
from bot.sources.cloudwatch import alarm
from bot.sources.event import parse as event
from bot.sources.github_issue import parse as issue
from bot.sources.registry import SOURCES
from tests.adapters.store_world import World as StoreWorld
from tests.amazon import message
from tests.builders import alert, delivery, resolved
from tests.sources.github import recorded
from tests.sources.payloads import FIXTURES, body, item
from tests.world import World

START, END, LATER = "2026-11-30T18:23:00Z", "2026-11-30T18:33:00Z", "2026-11-30T19:00:00Z"


def _webhook(source: str) -> Callable[[str], Delivery]:
    def made(at: str) -> Delivery:
        start = START if at == END else at
        ended = {"status": "resolved", "endsAt": END} if at == END else {}
        return SOURCES[source](body(item(startsAt=start, **ended)))

    return made


def _sns(at: str) -> Delivery:
    state = "OK" if at == END else "ALARM"
    changed = at.replace("Z", ".000+0000")
    return alarm(json.loads(message("alarm", NewStateValue=state, StateChangeTime=changed)))


def _event(at: str) -> Delivery:
    whole = json.loads((FIXTURES / "event" / "firing.json").read_text("utf-8"))
    state = "RESOLVED" if at == END else "FIRING"
    return event(json.dumps({**whole, "state": state, "occurred_at": at}).encode())


def _issue(at: str) -> Delivery:
    whole = recorded("RECONSTRUCTED_seed_issue_opened")
    action = {START: "opened", END: "closed", LATER: "reopened"}[at]
    times = {"created_at": START, "updated_at": at, "closed_at": END if at == END else None}
    state = "closed" if at == END else "open"
    about = {**whole["issue"], **times, "state": state}
    found = issue(json.dumps({**whole, "action": action, "issue": about}).encode())
    assert found is not None
    return found


FORMATS = {
    "grafana": _webhook("grafana"),
    "alertmanager": _webhook("alertmanager"),
    "sns": _sns,
    "event": _event,
    "github_issue": _issue,
}
"""One alert of each sender, told at its start, at its end, and at a later start."""


@pytest.mark.parametrize("delivery", FORMATS.values(), ids=FORMATS)
async def test_a_start_that_arrives_after_its_end_opens_nothing_and_a_later_start_does(
    delivery: Callable[[str], Delivery], world: World
) -> None:
    assert await take_alert(world.context, delivery(END)) is Taken.NOTHING_OPEN
    assert await take_alert(world.context, delivery(START)) is Taken.OUTDATED
    world.clock.advance(OVERTAKEN_SECONDS - 1)
    assert await take_alert(world.context, delivery(START)) is Taken.OUTDATED
    assert world.incidents == []
    assert await take_alert(world.context, delivery(LATER)) is Taken.OPENED
    assert await take_alert(world.context, delivery(START)) is Taken.JOINED
    (found,) = world.incidents
    assert (found.state, len(found.group.alerts)) == (State.OPEN, 1)


@pytest.mark.parametrize("delivery", FORMATS.values(), ids=FORMATS)
async def test_in_any_order_only_what_still_fires_is_open(delivery: Callable[[str], Delivery]) -> None:
    shuffled = random.Random(5)
    for _ in range(40):
        world = World()
        order = [*shuffled.choices([START, END], k=shuffled.randrange(1, 6)), END]
        shuffled.shuffle(order)
        for at in order:
            await take_alert(world.context, delivery(at))
        assert [found for found in world.incidents if found.group.firing] == []
        await take_alert(world.context, delivery(LATER))
        await take_alert(world.context, delivery(order[0]))
        (found,) = world.incidents
        assert (found.state, len(found.group.firing)) == (State.OPEN, 1)


@pytest.mark.parametrize("delivery", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("at", [(START, END), (END, START), (END, START, START, END)])
async def test_both_at_once_in_two_processes_leave_nothing_firing(
    delivery: Callable[[str], Delivery], at: Sequence[str], world: World
) -> None:
    await asyncio.gather(*(take_alert(world.context, delivery(one)) for one in at))
    assert len(world.incidents) <= 1
    assert not any(found.group.firing for found in world.incidents)


async def test_both_at_once_on_a_real_server_leave_nothing_firing(redis_url: str) -> None:
    server, world = StoreWorld(redis_url), World()
    first, second = (replace(world.context, store=server.store()) for _ in range(2))

    async def group(number: int) -> None:
        key = f"{{}}:{{n={number}}}"
        both = [(first, delivery(alert(), group_key=key)), (second, delivery(resolved(), group_key=key))]
        await asyncio.gather(*(take_alert(*one) for one in (both if number % 2 else both[::-1])))

    for begin in range(0, 200, 20):  # what waits for its turn must not wait longer than a reply of Redis may take
        await asyncio.gather(*(group(number) for number in range(begin, begin + 20)))
    ids = await first.store.members("open")
    held = await first.store.get_many(Incident, sorted(ids))
    assert [one.value.id for one in held.values() if one.value.group.firing] == []
    for number in range(200):
        again = delivery(alert(), group_key=f"{{}}:{{n={number}}}")
        assert await take_alert(second, again) in {Taken.OUTDATED, Taken.REPEATED}
    assert await first.store.members("open") == ids
    for store in server.stores:
        await store.aclose()


async def test_of_a_group_only_the_alerts_that_still_fire_open_it(world: World) -> None:
    await take_alert(world.context, delivery(resolved("a1")))
    assert await take_alert(world.context, delivery(alert("a1"), alert("a2"))) is Taken.OPENED
    assert [one.fingerprint for one in world.incident.group.firing] == ["a2"]
    await take_alert(world.context, delivery(alert("a1")))
    assert [one.fingerprint for one in world.incident.group.firing] == ["a2"]


async def test_an_end_that_nobody_expected_is_forgotten_after_a_day(world: World) -> None:
    await take_alert(world.context, delivery(resolved()))
    world.clock.advance(ENDS_KEPT_SECONDS + 1)
    assert await take_alert(world.context, delivery()) is Taken.OPENED


async def test_a_listing_reopens_it_only_when_it_really_still_fires(world: World) -> None:
    labels = '{alertname="Runner queue is long"}'
    world.alertmanager.active = (delivery(group_key=f"{GUESSED}{labels}", receiver="tailback"),)
    await take_alert(world.context, delivery(resolved(), group_key=f"{{}}:{labels}"))
    await resync(world.context)
    assert world.incidents == []
    world.clock.advance(world.context.settings.file.timing.resync + 1)
    await resync(world.context)
    assert world.incident.state is State.OPEN
    assert await take_alert(world.context, delivery(group_key=f"{{}}:{labels}")) is Taken.JOINED
