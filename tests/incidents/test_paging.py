"""People outside Slack are paged when nobody acknowledges: once, and what happens in Slack happens there too."""

import asyncio
from typing import Any

import pytest

from bot.core.incident.details.events import Escalated, Paged
from bot.core.paging.page import PageAction
from bot.core.record import Change
from bot.ports import Failure
from bot.views.words.timeline import page_text, paged_words
from tests.builders import CHANNEL, POOL
from tests.wording import queue
from tests.world import ANA, BEN, World, spoken

PAGER: dict[str, Any] = {"kind": "pagerduty", "token_env": "KEY"}
LATE = 16 * 60.0


def world(**more: object) -> World:
    return World(pager={"oncall": {**PAGER, **more}})


async def escalated(given: World | None = None) -> World:
    made = given or world()
    await made.opens()
    await made.passes(LATE, step=120)
    return made


def actions(made: World) -> list[str]:
    return [one.action.value for one in made.pager.events]


async def test_nobody_is_paged_before_the_time_and_one_page_is_sent_after_it() -> None:
    """The page says which pool, and why it comes; the timeline has it, and the thread no reply more."""
    made = world()
    await made.opens()
    await made.passes(14 * 60, step=60)
    assert made.pager.events == []
    await made.passes(20 * 60, step=60)
    (page,) = made.pager.events
    assert page.text.startswith(f"{POOL}: {queue(14)}")
    assert page.text.endswith(page_text(PageAction.TRIGGER, "", over=False))
    assert page.link
    assert not [reply for reply in made.replies if paged_words(Paged("oncall")) in reply]
    assert [entry for entry in made.incident.log.timeline if getattr(entry.details, "pager", "") == "oncall"]


@pytest.mark.parametrize("who", [ANA, BEN])
async def test_an_acknowledgement_in_slack_is_one_there_and_the_end_is_the_end(who: str) -> None:
    made = await escalated()
    await made.asks("ack", who)
    await made.passes(10)
    await made.asks("ack", ANA if who == BEN else BEN)
    await made.passes(10)
    assert actions(made) == ["trigger", "acknowledge"]
    await made.asks("resolve", surface="dialog")
    await made.passes(10)
    assert actions(made) == ["trigger", "acknowledge", "resolve"]
    assert len({one.key for one in made.pager.events}) == 1
    assert made.due("page") is None


async def test_an_acknowledgement_that_is_taken_back_is_followed_by_a_new_page() -> None:
    """The pager takes the first one for acknowledged, and would call nobody again."""
    made = await escalated()
    await made.asks("ack")
    await made.passes(10)
    await made.says("unack")
    await made.passes(14 * 60, step=60)
    assert actions(made) == ["trigger", "acknowledge"]
    await made.passes(2 * 60, step=60)
    assert actions(made) == ["trigger", "acknowledge", "resolve", "trigger"]
    assert [one.key for one in made.pager.events[:3]] == [made.pager.events[0].key] * 3
    assert made.pager.events[2].text.endswith(page_text(PageAction.RESOLVE, "", over=False))
    assert made.pager.events[3].key != made.pager.events[0].key
    assert [one.waited_seconds // 60 for one in made.details(Escalated)] == [16, 15]


async def test_who_acts_has_acknowledged_there_too() -> None:
    made = await escalated()
    await made.says("silence", "1h")
    await made.passes(10)
    assert actions(made) == ["trigger", "acknowledge"]


async def test_an_incident_acknowledged_in_time_pages_nobody_not_even_at_its_end() -> None:
    made = world()
    await made.opens()
    await made.asks("ack")
    await made.passes(LATE, step=120)
    await made.asks("resolve", surface="dialog")
    await made.passes(60)
    assert made.pager.events == []


async def test_a_drained_queue_resolves_there() -> None:
    made = await escalated()
    made.queues(0)
    await made.fires(spoken(firing=False))
    await made.passes(900, step=30)
    assert made.incident.closed
    assert actions(made) == ["trigger", "resolve"]


async def test_an_incident_that_opens_again_is_paged_again_with_another_key() -> None:
    made = await escalated()
    await made.asks("resolve", surface="dialog")
    await made.passes(60)
    await made.fires(spoken(starts_at=made.clock.now()))
    await made.passes(LATE, step=120)
    assert actions(made) == ["trigger", "resolve", "trigger"]
    assert made.pager.events[2].key != made.pager.events[0].key


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("failure", [Failure.UNCONNECTED, Failure.UNKNOWN, Failure.SHAPE, Failure.LATER])
async def test_a_pager_that_is_down_is_named_once_and_reached_when_it_is_back(failure: Failure, *, after: bool) -> None:
    made = world()
    made.pager.script.fail("send", failure, times=4, after=after)
    await escalated(made)
    (named,) = [one for one in made.details(Paged) if one.problem]
    assert named.pager == "oncall"
    assert sum(named.problem in reply for reply in made.replies) == 1
    assert made.context.health.pagers["oncall"]
    await made.passes(300)
    assert actions(made) == ["trigger"]
    assert made.details(Paged)[-1] == Paged("oncall")
    assert any(paged_words(Paged("oncall")) in reply for reply in made.replies)
    assert made.context.health.pagers["oncall"] == ""


async def test_who_acknowledges_while_the_pager_is_down_is_not_followed_by_a_page() -> None:
    made = world()
    made.pager.script.fail("send", Failure.UNCONNECTED, times=None)
    await escalated(made)
    await made.asks("ack")
    await made.passes(60)
    made.pager.script.heal()
    await made.passes(600)
    assert actions(made) == ["acknowledge"]


@pytest.mark.parametrize("commits", [0, 1])
async def test_a_crash_before_the_intent_or_before_the_result_pages_once(commits: int) -> None:
    made = world()
    await made.opens()
    made.clock.advance(LATE)
    for incident in await made.claims():
        await made.tell(incident)
    (claim,) = await made.claims("page")
    commit, done = made.store.commit, list[Change]()

    async def dying(change: Change) -> None:
        if len(done) == commits:
            raise asyncio.CancelledError
        done.append(change)
        await commit(change)

    made.store.commit = dying  # type: ignore[method-assign]  # the fake's own, that dies
    with pytest.raises(asyncio.CancelledError):
        await made.tell(claim)
    assert len(made.pager.events) == commits
    made.store.commit = commit  # type: ignore[method-assign]
    await made.passes(120)
    assert actions(made) == ["trigger"]


async def test_slack_being_away_keeps_nobody_from_being_paged() -> None:
    made = world()
    made.chat.script.fail("*", Failure.UNCONNECTED, times=None)
    made.queues(14)
    await made.fires()
    await made.passes(LATE + 300, step=30)
    assert actions(made) == ["trigger"]


@pytest.mark.parametrize(
    ("table", "paged"),
    [({"channels": ["C0OTHER"]}, False), ({"channels": [CHANNEL]}, True), ({"unacknowledged": False}, False)],
)
async def test_a_pager_hears_of_its_own_channels(table: dict[str, object], *, paged: bool) -> None:
    made = await escalated(world(**table))
    assert bool(made.pager.events) is paged


async def test_an_incident_of_many_days_is_resolved_there_too() -> None:
    made = await escalated()
    await made.asks("ack")
    await made.passes(10)
    made.clock.advance(5 * 86400)
    await made.work()
    await made.asks("resolve", surface="dialog")
    await made.passes(10)
    assert actions(made) == ["trigger", "acknowledge", "resolve"]


async def test_a_pager_that_stays_down_is_given_up_a_day_after_the_end() -> None:
    made = await escalated()
    made.pager.script.fail("send", Failure.UNCONNECTED, times=None)
    await made.asks("resolve", surface="dialog")
    await made.passes(3600, step=60)
    assert made.due("page") is not None
    await made.passes(86400, step=600)
    assert made.due("page") is None
