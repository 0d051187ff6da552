"""The matchers that a person saw are the ones that are created, stored and created again, whatever the group does."""

import asyncio
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters.alertmanagers.alertmanager import build
from bot.core.alert import Alert, Matcher, silence_matchers, silences
from bot.core.incident.details.requests import Coverage, Silencing
from bot.core.incident.incident import Silence
from bot.core.requests.interaction import Surface
from bot.silencing.check_silences import keep_silences
from bot.views.words import refusals
from bot.views.words.silences import coverage_words
from tests.adapters.back_end import parts_with, patient_pool
from tests.builders import NOW
from tests.fakes import FakeClock
from tests.real_servers import alertmanager
from tests.world import LABELS, World, spoken

STORIES = itertools.count()
VALUES = ("a", "b", "")
GROUP = st.dictionaries(st.sampled_from("wxyz"), st.tuples(*[st.sampled_from(VALUES)] * 3), min_size=1, max_size=4)
"""Fingerprint → the values of three labels; an empty one is a label that is not there."""


class RealClock(FakeClock):
    """A clock in hand that begins with the real time, as an Alertmanager has it."""

    def __init__(self, _: float = NOW) -> None:
        super().__init__(time.time())


class RealTime(World):
    clocks = RealClock


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with alertmanager(tmp_path_factory.mktemp("alertmanager")) as url:
        yield url


def alert(fingerprint: str, values: Sequence[str], story: str, now: float, *, firing: bool = True) -> Alert:
    labels = {f"label_{number}": value for number, value in enumerate(values) if value}
    return replace(spoken(fingerprint, starts_at=now, firing=firing), labels={**LABELS, "story": story, **labels})


async def played(url: str, changes: Sequence[dict[str, tuple[str, ...]]]) -> None:
    """The dialog is opened at the first group and sent at the last one; then the silence is lost."""
    world, number = RealTime(), next(STORIES)
    world.numbers, story = itertools.count(number * 100_000), f"story-{number}"
    async with patient_pool() as wire, httpx.AsyncClient(base_url=url) as http:
        back = build("main", "[alertmanager.main]", {"kind": "alertmanager", "url": url}, parts_with(wire))
        world.context.alertmanagers = {"grafana": back}
        known: dict[str, Alert] = {}
        for turn, group in enumerate(changes):
            gone = [replace(a, status=spoken(firing=False).status, ends_at=time.time()) for a in known.values()]
            known = {name: alert(name, values, story, time.time()) for name, values in group.items()}
            ended = [a for a in gone if a.fingerprint not in known]
            await world.done(world.fires(*known.values(), *ended))
            if turn == 0:
                seen = silence_matchers(world.incident.group.firing)
                view = (await world.asks("silence")).view
        values = {"preset": "1h", "custom": ""}
        await world.done(world.asks("silence", surface=Surface.DIALOG, step="silence", values=values))
        (silence,) = world.incident.silences
        assert all(matcher.value in str(view) for matcher in seen)
        assert silence.matchers == seen
        found = await back.get(silence.id)
        assert found is not None
        assert set(found.matchers) == set(seen)
        await post(http, list(known.values()))
        active = (await http.get("/api/v2/alerts", params={"filter": f'story="{story}"'})).json()
        covered = {one["labels"]["fp"] for one in active if one["status"]["silencedBy"]}
        assert covered == {a.fingerprint for a in known.values() if silences(seen, a)}, "the words and the fact agree"
        words = f"{len(covered)} of {len(known)} alert"
        assert (words in world.replies[-1]) is (len(covered) < len(known))
        await lost(world, back, silence, http)


async def post(http: httpx.AsyncClient, alerts: list[Alert]) -> None:
    """Let them fire there, and wait until its silences have been applied: it does so when it is asked."""
    rows = [{"labels": {**a.labels, "fp": a.fingerprint}, "startsAt": datetime.now(UTC).isoformat()} for a in alerts]
    (await http.post("/api/v2/alerts", json=rows)).raise_for_status()


async def lost(world: World, back: Any, silence: Silence, http: httpx.AsyncClient) -> None:
    """The Alertmanager has forgotten it: it is created again from the record, not from the group of now."""
    (await http.delete(f"/api/v2/silence/{silence.id}")).raise_for_status()
    get, find = back.get, back.find
    world.context.alertmanagers = {"grafana": Forgetful(back)}  # type: ignore[dict-item]  # the adapter, without a memory
    await keep_silences(world.context)
    assert (back.get, back.find) == (get, find)
    (again,) = world.incident.silences
    found = await back.get(again.id)
    assert again.id != silence.id
    assert set(found.matchers) == set(silence.matchers) == set(again.matchers)


class Forgetful:
    def __init__(self, back: Any) -> None:
        self.silence = back.silence

    async def get(self, _: str) -> None:
        """Unknown."""

    find = get


@pytest.mark.needs("alertmanager")
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(GROUP, min_size=1, max_size=3))
def test_what_was_confirmed_is_what_is_silenced(server: str, changes: list[dict[str, tuple[str, ...]]]) -> None:
    """In a real Alertmanager, for any changes of the group between the dialog and its confirmation."""
    asyncio.run(played(server, changes))


async def test_an_alert_that_joins_is_told_to_be_uncovered() -> None:
    world = World()
    await world.opens(spoken("a1"))
    await world.done(world.silences())
    assert [one.coverage for one in world.details(Silencing)][-1:] == [Coverage(1, 1)]
    await world.done(world.fires(spoken("a1"), spoken("a2", runner_label="linux.gpu")))
    words = coverage_words(Coverage(1, 2, ("Runner queue is long (linux.gpu)",)))
    assert words in world.replies[-1]
    assert words in str(world.parent.message.blocks)
    assert [one.matchers for one in world.incident.silences] == [tuple(Matcher(*i) for i in sorted(LABELS.items()))]
    await world.done(world.fires(spoken("a1"), spoken("a2", runner_label="linux.gpu", firing=False)))
    assert words not in str(world.parent.message.blocks)


async def test_a_dialog_of_which_nothing_is_known_any_more_silences_nothing(world: World) -> None:
    answer = await world.asks("silence", surface=Surface.DIALOG, step="silence", values={"preset": "1h", "custom": ""})
    assert answer.errors == {"custom": refusals.SILENCE_DIALOG_LAPSED}
    assert world.alertmanager.silences == {}
