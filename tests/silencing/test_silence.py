"""Silence: real, narrow, bounded, once, and with an owner."""

import contextlib
import re
from dataclasses import replace

import pytest

from bot.core.alert import Links, Matcher
from bot.core.incident.details.requests import (
    ActiveSilence,
    Coverage,
    RequestEnd,
    RequestNotDone,
    SilenceStep,
    Silencing,
)
from bot.core.incident.incident import Silence
from bot.core.requests.interaction import Answer, Surface
from bot.ports import Failure, Refused
from bot.silencing import silence
from bot.views.words import refusals
from bot.views.words.silences import still_lasts
from tests.builders import POOL, incident, view, with_fields
from tests.fakes import FakeAlertmanager
from tests.world import ANA, BEN, LABELS, OTHER_POOL, World, refused, spoken

HOUR = 3600.0
MADE = Silencing(SilenceStep.MADE, HOUR, coverage=Coverage(1, 1))


def test_it_is_offered_only_when_it_can_work() -> None:
    able = replace(view(), silenceable=True)
    running = Silence("s1", "grafana", 9e9, ANA, "i1.x")
    assert silence.ACTION.label(incident(), view()) is None
    assert silence.ACTION.label(incident(silences=(running,)), able) is None
    assert silence.ACTION.label(incident(silences=(replace(running, ended=True),)), able) is not None


async def submitted(world: World, who: str = ANA, custom: str = "", preset: str = "1h", **parts: object) -> Answer:
    with contextlib.suppress(Refused):
        await world.asks("silence", who)
    given = {"surface": Surface.DIALOG, "step": "silence", "values": {"preset": preset, "custom": custom}}
    return await world.asks("silence", who, **{**given, **parts})


async def test_a_silence_is_as_narrow_as_the_alert_and_names_its_owner(world: World) -> None:
    """Exact matchers of stored labels, the time that was asked for, the person, the thread and the request's id."""
    await world.done(submitted(world))
    (made,) = world.alertmanager.silences.values()
    assert made.matchers == tuple(Matcher(name, value) for name, value in sorted(LABELS.items()))
    assert made.ends_at == world.clock.now() + HOUR
    assert ANA in made.comment
    assert f"[tailback {world.request.id}]" in made.comment
    assert "https://slack.test/archives/" in made.comment
    assert (world.last.who, world.last.details) == (ANA, MADE)
    assert "Silenced until" in str(world.parent.message.blocks)


async def test_what_is_silenced_is_what_the_dialog_showed() -> None:
    world = World()
    await world.opens(spoken("a1"), spoken("a2", runner_label="linux.gpu"))
    await world.done(world.fires(spoken("a1"), spoken("a2", runner_label="linux.gpu", firing=False)))
    shown = await world.asks("silence")
    await world.done(submitted(world))
    (made,) = world.alertmanager.silences.values()
    assert Matcher("runner_label", POOL) in made.matchers
    assert f"runner_label={POOL}" in str(shown.view)


async def test_a_silence_that_stands_already_is_found_and_not_made_twice(world: World) -> None:
    """P6: Redis lost the last second, so the action is begun anew; its tag tells that it was done."""
    await submitted(world)
    now, tag = world.clock.now(), f"silenced in Slack [tailback {world.request.id}]"
    matchers = tuple(Matcher(name, value) for name, value in sorted(LABELS.items()))
    await world.alertmanager.silence(matchers, starts_at=now, ends_at=now + HOUR, by="tailback", comment=tag)
    await world.work()
    assert list(world.alertmanager.silences) == ["silence-1"]
    assert world.incident.active_silence is not None
    assert world.last.details == MADE


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("soon", refusals.no_duration("soon")),
        ("-1h", refusals.no_duration("-1h")),
        ("30s", refusals.SHORTEST_SILENCE),
        ("25h", refusals.longest_silence(24 * HOUR)),
        ("9" * 300 + "d", refusals.longest_silence(24 * HOUR)),
    ],
)
async def test_a_bad_duration_is_marked_at_its_field(world: World, text: str, problem: str) -> None:
    commits = world.data.commits
    answer = await submitted(world, custom=text)
    assert answer.errors == {"custom": problem}
    assert world.data.commits == commits + 1, "what the dialog showed, and nothing else"


async def test_alerts_that_share_no_label_are_not_silenced() -> None:
    world = World()
    await world.opens(replace(spoken(), labels={}))
    answer = await world.asks("silence")
    assert "no label" in str(answer.view)
    await refused(refusals.NO_COMMON_LABEL, world.says("silence", "1h"))
    assert world.alertmanager.silences == {}


@pytest.mark.parametrize(
    ("words", "hours"),
    [(("2h",), 2.0), ((POOL, "2h"), 2.0), (("for", "2h"), 2.0), (("1h", "30m"), 1.5), ((POOL, "1h", "30m"), 1.5)],
)
async def test_in_the_thread_the_pool_may_be_left_out(world: World, words: tuple[str, ...], hours: float) -> None:
    await world.done(world.says("silence", *words))
    assert next(iter(world.alertmanager.silences.values())).ends_at == world.clock.now() + hours * HOUR


@pytest.mark.parametrize("until", ["drained", "4h", "15m"])
async def test_a_second_silence_while_one_is_active_names_that_one_and_the_remedy(world: World, until: str) -> None:
    await world.done(world.types("silence", POOL, "2h"))
    world.clock.advance(600)
    refusal = refusals.silenced_already(still_lasts(ActiveSilence(0.0, 2 * HOUR - 600)))
    for attempt in (
        world.types("silence", POOL, until),
        world.says("silence", until),
        submitted(world, preset=until),
        world.asks("silence"),
    ):
        await refused(refusal, attempt)
    assert len(world.alertmanager.silences) == 1
    await world.done(world.says("unsilence"))
    await world.done(world.types("silence", POOL, until))
    assert [one.ended for one in world.incident.silences] == [True, False]


async def test_of_two_silences_asked_for_at_the_same_moment_one_is_made(world: World) -> None:
    await world.types("silence", POOL, "2h")
    raised = await refused(refusals.already_requested(0.0), world.types("silence", POOL, "drained", who=BEN))
    assert raised.who == ANA
    await world.work()
    (known,) = world.incident.silences
    assert (known.by, known.until_drained, len(world.alertmanager.silences)) == (ANA, False, 1)


async def test_a_silence_that_failed_is_in_nobodys_way(world: World) -> None:
    world.alertmanager.script.fail("silence", Failure.SHAPE)
    await world.done(world.types("silence", POOL, "2h"))
    assert "failed" in world.replies[-1]
    await world.done(world.types("silence", POOL, "2h"))
    assert len(world.alertmanager.silences) == 1


async def test_a_condition_of_the_active_silence_is_named_too(world: World) -> None:
    await world.done(submitted(world, preset="drained", values={"preset": "drained", "custom": "2h", "above": "1200"}))
    goes_on = ActiveSilence(0.0, 2 * HOUR, until_drained=True, above=1200)
    await refused(refusals.silenced_already(still_lasts(goes_on)), world.says("silence", "1h"))


async def test_after_its_time_a_silence_is_in_nobodys_way(world: World) -> None:
    await world.done(world.types("silence", POOL, "2h"))
    world.clock.advance(7201)
    await world.done(world.types("silence", POOL, "1h"))
    assert [one.ended for one in world.incident.silences] == [True, False]


async def test_in_a_thread_only_the_duration_is_asked_for(world: World) -> None:
    await refused(refusals.SAY_HOW_LONG, world.says("silence"))


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ((), refusals.silence_usage(silence.ACTION.usage)),
        (("1h",), refusals.silence_usage(silence.ACTION.usage)),
        ((OTHER_POOL, "1h"), refusals.nothing_to_silence(OTHER_POOL)),
        ((POOL, "forever"), refusals.no_duration("forever")),
    ],
)
async def test_a_command_that_cannot_be_done_says_why(world: World, words: tuple[str, ...], refusal: str) -> None:
    await refused(refusal, world.types("silence", *words))


async def test_in_shadow_mode_nothing_is_silenced_and_that_is_said() -> None:
    world = await World.opened(actions={"shadow": True})
    await world.done(submitted(world))
    assert world.alertmanager.silences == {}
    assert world.last.details == Silencing(SilenceStep.NOT_MADE, HOUR)
    assert world.incident.silences == ()


@pytest.mark.parametrize("arrived", [True, False])
async def test_after_a_time_out_it_is_searched_by_its_tag_before_another_is_made(world: World, arrived: bool) -> None:
    """The real back ends make a second one for a second request (docs/design/measurements.md#silences)."""
    world.alertmanager.script.fail("silence", Failure.UNKNOWN, after=arrived)
    await world.done(submitted(world))
    await world.passes(10, step=1)
    assert len(world.alertmanager.silences) == 1
    assert [known.id for known in world.incident.silences] == ["silence-1"]


async def test_an_incident_that_ended_meanwhile_gets_no_silence(world: World) -> None:
    world.alertmanager.script.fail("silence", Failure.UNKNOWN)
    await world.done(submitted(world))
    await world.asks("resolve", surface="dialog")
    await world.passes(30, step=1)
    assert (world.alertmanager.silences, world.incident.silences) == ({}, ())
    assert RequestNotDone(RequestEnd.REFUSED, "silence", why=refusals.INCIDENT_OVER) in world.details(RequestNotDone)


async def test_a_slack_that_gives_no_link_does_not_hold_up_a_silence(world: World) -> None:
    world.chat.script.fail("permalink", Failure.UNKNOWN)
    await world.done(submitted(world))
    assert len(world.alertmanager.silences) == 1


async def test_the_back_end_of_the_alerts_own_kind_is_asked() -> None:
    """Of several of its kind the one whose address its links name; nobody guesses, and nobody asks a stranger."""
    world = World()
    other = FakeAlertmanager(world.clock, kind="alertmanager")
    world.context.alertmanagers = {"am": other, "grafana": world.alertmanager}
    found = await world.opens()
    assert silence.alertmanager_for(world.context, found) == ("grafana", world.alertmanager)
    with pytest.raises(Refused, match=re.escape(refusals.no_holder("sns"))):
        silence.alertmanager_for(world.context, with_fields(found, source="sns"))
    world.context.alertmanagers = {"dev": FakeAlertmanager(world.clock), "prod": world.alertmanager}
    with pytest.raises(Refused, match=re.escape(refusals.several_holders(["dev", "prod"]))):
        silence.alertmanager_for(world.context, found)
    world.alertmanager.addresses = ("https://prod.example/grafana",)
    there = replace(found.group.alerts[0], links=Links(silence="https://prod.example/grafana/alerting/silence/new?x=1"))
    assert silence.alertmanager_for(world.context, with_fields(found, alerts=(there,)))[0] == "prod"
    world.context.alertmanagers = {}
    with pytest.raises(Refused, match=re.escape(refusals.NO_ALERTMANAGER)):
        silence.alertmanager_for(world.context, found)


async def test_a_refusal_names_no_private_channel_to_somebody_outside_it() -> None:
    """`Ask in #C0SECRET` told of a channel that the person cannot see; the same for `/queue scale`."""
    world = await World.opened(slack={"channel": "C0SECRET"})
    world.chat.private["C0SECRET"] = frozenset({BEN})
    for who, named in ((ANA, []), (BEN, ["C0SECRET"])):
        silence = world.types("silence", POOL, "1h", who=who, channel="C0ELSEWHERE")
        scale = world.types("scale_up", POOL, "24", who=who, channel="C0ELSEWHERE")
        assert [list((await refused("another channel", one)).where) for one in (silence, scale)] == [named, named]
