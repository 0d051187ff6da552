"""The early warning through the whole product: said once, kept true, linked to what came, and never lost or doubled."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.alert import Kind
from bot.core.finding import Scaling
from bot.core.incident.details.events import EarlyWarningGiven
from bot.core.pool.early_warning import Ending
from bot.core.pool.history import PoolHistory, finished
from bot.core.pool.hour_stats import Amount, Fired, HourStats
from bot.core.pool.pool import Pool
from bot.core.record import Change, Put, Stored, WarningRecord
from bot.ports import Failure, Message, Refused
from bot.views.words.causes import CAUSES, RUNNERS
from tests.builders import CHANNEL, NOW, POOL
from tests.fakes import SlackMessage
from tests.world import ANA, World, spoken

FULL: dict[str, Any] = {
    "busy": 40, "idle": 0, "offline": 0, "limit": 40, "booting": 0, "arrivals_per_minute": 8.0,
    "starts_per_minute": 4.0, "completions_per_minute": 4.0, "duration_p50_seconds": 536.0,
    "usual_arrivals_per_minute": 8.0,
}  # fmt: skip
"""A pool at its limit to which twice as many jobs come as it can do."""
TABLES: dict[str, Any] = {
    "pool": {POOL: {"match": {"runner_label": POOL}, "scaler": {"kind": "http"}, "warn_wait": "30m"}}
}


async def watched(**tables: Any) -> World:
    world = World(**{**TABLES, **tables})
    world.queues(0, 0.0, **{**FULL, "busy": 20})
    await world.store.commit(Change(puts=(Put(Stored(PoolHistory(POOL), 0), weeks(), None),), wake=("chore:pools",)))
    await world.work()
    return world


def weeks() -> PoolHistory:
    """Two and a half weeks in which always eight jobs a minute came."""
    hour = int(NOW // 3600)
    cells = (HourStats(past, 60, 3600.0, Amount(480.0, 3600.0)) for past in range(hour - 420, hour))
    return finished(PoolHistory(POOL), tuple(cells))


async def surges(world: World, minutes: int, queued: int = 40, wait: float = 600.0) -> None:
    """The queue grows by four jobs a minute, its oldest wait by half a minute."""
    for minute in range(minutes):
        world.queues(queued + 4 * minute, wait + 30 * minute, **FULL)
        await world.passes(60, step=60)


async def warned(**tables: Any) -> World:
    world = await watched(**tables)
    await surges(world, 20)
    assert world.pool_record().early.standing
    return world


async def scales(world: World) -> None:
    """Somebody asks for more runners by command, and confirms; a while goes by until it has been seen."""
    await world.confirms(await world.types("scale_up", POOL, "24"))
    await surges(world, 1, 124, 1210.0)


def only(world: World) -> SlackMessage:
    (found,) = world.chat.parents()
    return found


def ending(world: World) -> Ending | None:
    """How the warning ended that its message calls over."""
    episode = world.pool_record().early.current
    assert episode is not None
    assert only(world).message.text.startswith(f"Early warning, over: {POOL}.")
    return episode.ending


async def test_several_processes_measure_as_often_as_one() -> None:
    """The record's due time and its claim belong to one of them."""
    world = await watched()
    before = world.metrics.script.count("snapshot")
    other = world.process(world.context.settings)
    for _ in range(10):
        world.clock.advance(60)
        for claim in [*await world.claims("pool"), *await world.claims("pool")]:
            await world.tell(claim, other)
    assert world.metrics.script.count("snapshot") - before == 20


async def test_an_hour_that_is_over_joins_the_past_in_the_same_commit() -> None:
    world = await watched()
    await world.passes(3 * 3600, step=60)
    past = world.data.rows[f"past:{POOL}"].value
    assert isinstance(past, PoolHistory)
    assert [cell.hour for cell in past.cells[-3:]] == [int(NOW // 3600) + n for n in range(3)]
    assert past.cells[-2].covered_seconds == 3600
    assert past.cells[-2].arrivals.total == 480


async def test_a_pool_that_leaves_the_configuration_is_dropped() -> None:
    world = await watched()
    world.configure(pool={"other": {}})
    world.context.settings = replace(
        world.context.settings, file=world.context.settings.file.model_copy(update={"pool": {}})
    )
    before = world.metrics.script.count("snapshot")
    await world.passes(300, step=60)
    assert world.metrics.script.count("snapshot") == before
    assert world.due("pool") is None
    assert world.data.rows[f"pool:{POOL}"].expires < float("inf")


async def test_a_growing_queue_is_warned_of_once_with_figures_and_reasons() -> None:
    """In the channel of the pool's incidents, without a mention; what is expected when, why, and what helps."""
    world = await warned()
    push, text = only(world).message.text, str(only(world).message)
    assert only(world).channel == CHANNEL
    assert push.startswith(f"Early warning: {POOL}. Longest wait over 30 min expected in ")
    assert len(push) <= 120
    assert "40 of 40 online runners busy (limit 40)" in text
    assert CAUSES["limit"] in text
    assert RUNNERS[Scaling.HELPS] in text
    assert "S0ONCALL" not in text
    assert "<!" not in text.replace("<!date", "")


async def test_it_is_kept_true_with_few_edits() -> None:
    world = await warned()
    before = only(world).edits
    await surges(world, 10, 116, 1180.0)
    assert only(world).edits - before <= 2


@pytest.mark.parametrize("refused", [False, True])
async def test_it_says_that_it_passed(refused: bool) -> None:
    """Edited in place, with the time; counted as false. A scale-up that the scaler refused averts nothing."""
    world = await warned()
    if refused:
        world.scaler.script.fail("set", error=Refused("no quota"))
        await scales(world)
    world.queues(0, 0.0, **{**FULL, "busy": 20})
    await world.passes(900, step=60)
    assert ending(world) is Ending.PASSED
    assert world.pool_record().early.false == 1


async def test_a_warning_that_somebody_acted_on_is_not_called_false() -> None:
    """More runners were asked for, and the threshold was not reached: nobody knows whether it would have been."""
    world = await warned()
    assert f"`/queue scale {POOL}`" in str(only(world).message)
    await scales(world)
    world.queues(0, 0.0, **{**FULL, "busy": 20})
    await world.passes(900, step=60)
    assert ending(world) is Ending.AVERTED
    assert f"<@{ANA}>" in only(world).message.text
    assert (world.pool_record().early.false, world.pool_record().early.hits) == (0, 0)


async def test_a_crossing_without_an_alert_is_said_at_once() -> None:
    world = await warned()
    world.queues(150, 1900.0, **FULL)
    await world.passes(60, step=60)
    assert "Longest wait over 30 min since" in only(world).message.text
    assert world.pool_record().early.hits == 1


async def test_the_end_is_said_although_an_older_edit_arrives_after_it() -> None:
    """The threshold is crossed, and while Slack takes that edit the pool's record comes to hold the end."""
    world = await warned()
    update = world.chat.update

    async def slow(channel: str, ts: str, message: Message, *, key: str = "") -> None:
        await update(channel, ts, message, key=key)
        world.chat.update = update  # type: ignore[method-assign]  # a test's own
        held = await world.store.get(Pool, POOL)
        assert held is not None
        assert held.value.early.current is not None
        now = world.clock.now()
        episode = replace(held.value.early.current, ended_at=now, ending=Ending.EASED)
        ended = replace(held.value, early=replace(held.value.early, current=episode))
        await world.store.commit(Change(puts=(Put(held, ended, now + 60),), wake=(f"early:{POOL}",)))
        world.clock.advance(5)

    world.chat.update = slow  # type: ignore[method-assign]  # the same
    world.queues(150, 1900.0, **FULL)
    await world.passes(60, step=60)
    await world.work()
    assert ending(world) is Ending.EASED


async def test_the_incident_that_opens_says_that_it_was_foreseen_and_the_warning_links_to_it() -> None:
    world = await warned()
    world.queues(150, 1900.0, **FULL)
    await world.fires()
    await world.passes(120, step=10)
    warning, incident = world.chat.parents()
    assert await world.chat.permalink(CHANNEL, incident.ts) in str(warning.message)
    (details,) = world.details(EarlyWarningGiven)
    assert details.pool == POOL
    linked = f"<{await world.chat.permalink(CHANNEL, warning.ts)}|"
    assert sum(linked in reply for reply in world.replies) == 1
    assert (world.pool_record().early.hits, world.pool_record().early.missed) == (1, 0)
    episode = world.pool_record().early.current
    assert episode is not None
    assert episode.ending is Ending.FIRED


async def test_an_alert_that_nobody_foresaw_is_counted_and_taught() -> None:
    """How the pool stood is kept with it: the next threshold comes from there."""
    world = await watched()
    world.clock.advance(50)
    world.queues(90, 2000.0, **FULL)
    await world.fires()
    await world.passes(60, step=30)
    assert world.pool_record().early.missed == 1
    (fired,) = world.pool_record().fired
    assert (fired.queued, fired.oldest_wait_seconds, fired.channel) == (90, 2000.0, CHANNEL)


async def test_an_alert_over_all_pools_teaches_the_worst_one_alone() -> None:
    world = await watched()
    world.clock.advance(50)
    world.queues(90, 2000.0, **FULL)
    await world.fires(replace(spoken(), labels={"alertname": "Jobs are queued"}))
    await world.passes(60, step=30)
    others = [row.value for row in world.data.rows.values() if isinstance(row.value, Pool) and row.value.id != POOL]
    assert len(world.pool_record().fired) == 1
    assert [one.fired for one in others] == [()]


async def test_what_alerts_fired_at_is_warned_of_without_any_setting() -> None:
    """Two past alerts at half an hour teach the threshold; the message says where it comes from."""
    world = await watched(pool={POOL: {"match": {"runner_label": POOL}}})
    row = world.data.rows[f"pool:{POOL}"]
    assert isinstance(row.value, Pool)
    fired = tuple(Fired(f"i{n}", NOW - 9e5 * n, queued, 1800.0 + n) for n, queued in ((1, 30), (2, 90)))
    row.value = replace(row.value, fired=fired)
    await surges(world, 20)
    assert "(from its last 2 alerts). This message stays up to date." in str(only(world).message.blocks)


async def test_nothing_is_said_where_no_threshold_is_known_or_warnings_are_off() -> None:
    silent: list[dict[str, Any]] = [{"pool": {POOL: {}}}, {"early": {"enabled": False}}]
    for tables in silent:
        world = await watched(**tables)
        await surges(world, 25)
        assert world.chat.parents() == []


async def test_warnings_that_are_switched_off_while_one_stands_end_it() -> None:
    world = await warned()
    world.configure(**{**TABLES, "early": {"enabled": False}})
    await surges(world, 2, 120, 1200.0)
    assert ending(world) is Ending.WITHDRAWN


async def test_a_blind_source_neither_ends_a_warning_nor_keeps_it_for_ever() -> None:
    """Silence is not recovery: it stands as it was, until it has stood for too long."""
    world = await warned()
    world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    await world.passes(3 * 3600, step=60)
    assert world.pool_record().early.standing
    await world.passes(4 * 3600, step=60)
    assert ending(world) is Ending.EXPIRED


async def test_an_alert_about_a_blind_source_teaches_nothing() -> None:
    world = await watched()
    world.queues(20, 300.0, **FULL)
    await world.fires(replace(spoken(), kind=Kind.BLIND))
    await world.passes(120, step=30)
    assert world.pool_record().fired == ()


async def test_a_route_decides_where_the_warning_goes() -> None:
    world = World(**TABLES)
    raw = world.context.settings.file.model_dump()
    raw["route"] = [{"match": {"runner_label": POOL}, "channel": "C0LINUX"}]
    file = world.context.settings.file.model_copy(
        update={"route": type(world.context.settings.file).model_validate({"route": raw["route"]}).route}
    )
    world.context.settings = replace(world.context.settings, file=file)
    await world.store.commit(Change(puts=(Put(Stored(PoolHistory(POOL), 0), weeks(), None),), wake=("chore:pools",)))
    await surges(world, 20)
    assert only(world).channel == "C0LINUX"


async def test_a_process_that_dies_after_posting_leaves_no_second_message() -> None:
    world = await watched()
    world.chat.script.fail("post", Failure.UNKNOWN, times=1, after=True)
    await surges(world, 20)
    await world.passes(60, step=10)
    assert only(world).message.text.startswith("Early warning")


async def test_an_outage_of_slack_delays_it_and_what_is_over_by_then_is_not_told() -> None:
    """Nobody needs to hear of a warning that has come and gone."""
    world = await watched()
    world.chat.script.fail("post", Failure.UNCONNECTED, times=None)
    await surges(world, 20)
    assert world.pool_record().early.standing
    world.queues(0, 0.0, **{**FULL, "busy": 20})
    await world.passes(900, step=60)
    world.chat.script.heal()
    await world.passes(120, step=30)
    assert world.chat.parents() == []


async def test_a_warning_that_somebody_deleted_stays_deleted() -> None:
    world = await warned()
    world.chat.script.fail("update", Failure.GONE, times=1)
    await surges(world, 10, 120, 1200.0)
    before = world.chat.script.count("update")
    await surges(world, 6, 150, 1500.0)
    assert world.chat.script.count("update") == before
    assert len(world.chat.parents()) == 1
    notice = world.data.rows[f"early:{POOL}"].value
    assert isinstance(notice, WarningRecord)
    assert notice.channel == ""
