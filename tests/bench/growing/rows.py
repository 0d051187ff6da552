"""The rows: one kind of work each, on an installation of a given size."""

import asyncio
import contextlib
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx

from bot.adapters.http.client import HttpPool
from bot.adapters.jobs.stored import StoredJobs
from bot.adapters.metrics.github import build
from bot.adapters.metrics.github_webhooks import build as build_webhooks
from bot.adapters.metrics.shared import Shared
from bot.adapters.source import Present
from bot.context.context import Context
from bot.core.alert import Alert, Delivery, Status
from bot.core.incident.incident import Incident
from bot.core.pool.job import JobState, WorkflowJob, minute_of
from bot.core.pool.pool import Pool, Snapshot
from bot.core.record import Change, Put, Stored
from bot.core.requests.interaction import Interaction, Surface, request_id
from bot.incidents.actions.list_incidents import publish_app_home
from bot.incidents.intake import take_alert
from bot.ports import Metrics, Unreachable
from bot.registry import ACTIONS
from bot.reporting.collect import longer_view, made
from tests.adapters.back_end import parts_with
from tests.bench.growing.cost import Cost, counted
from tests.bench.growing.installation import CHANNEL, Installation, Prometheus, installed, name_of
from tests.bench.large_github import LargeGitHub
from tests.bench.product import resident_mb
from tests.fakes import FakeChat, FakeClock

AFFECTED = 12
ROUNDS = 2
TRIES = 10


async def watching(folder: Path, pools: int, sources: int = 1) -> Cost:
    """One watch period of pools in order: the second, after all were measured once."""
    async with installed(folder, pools, sources, watch=20.0) as one:
        await asyncio.sleep(20)
        with _of(one) as cost:
            await asyncio.sleep(20)
        cost.more["oldest"] = await _oldest(one)
        return cost


async def _oldest(one: Installation) -> float:
    """The age of the oldest figure, in seconds."""
    held = await one.runtime.context.store.get_many(Pool, one.pools, newest=True)
    return max(
        one.runtime.context.now() - (found.value.latest.at if found.value.latest else 0.0) for found in held.values()
    )


def _of(one: Installation) -> AbstractContextManager[Cost]:
    return counted(one.redis, lambda: float(one.prometheus.queries), one.elsewhere)


async def alerted(folder: Path, pools: int, incidents: int = 1, *, named: bool = False, idle: bool = False) -> Cost:
    """One alert or many, `named`: each of one pool; cost of two polls after all have their threads."""
    troubled = {name_of(number): 10 + number for number in range(min(AFFECTED, pools))}
    stub = Prometheus(troubled, frozenset({name_of(0)}) if idle else frozenset())
    async with installed(folder, pools, prometheus=stub, poll=10.0, named=named) as one:
        await asyncio.sleep(20)
        begun = time.monotonic()
        for number in range(incidents):
            labels = {"runner_label": name_of(number % len(troubled))} if named else {}
            await _delivered(one.runtime.context, alert(f"f{number}", **labels))
        while one.slack.posts < incidents and time.monotonic() - begun < 120:
            await asyncio.sleep(0.01)
        threads = time.monotonic() - begun
        with _of(one) as cost:
            await asyncio.sleep(10 * ROUNDS)
        cost.more |= {
            "threads_s": threads,
            "oldest": await _oldest(one),
            "without": incidents - one.slack.posts,
            "blind": one.slack.blind,
            "mb": resident_mb(os.getpid()),
        }
        return cost


async def _delivered(context: Context, delivery: Delivery) -> None:
    """As its sender does, which repeats what was not stored in time."""
    for _ in range(TRIES):
        with contextlib.suppress(Unreachable):
            await take_alert(context, delivery)
            return
    raise AssertionError("nothing can be stored")


async def recovered(folder: Path, pools: int) -> Cost:
    """Every source hangs for a while; cost and oldest figure of the two periods after it answered again."""
    hangs = [False]
    async with installed(folder, pools, 4, watch=20.0, prometheus=Prometheus(hangs=lambda: hangs[0])) as one:
        await asyncio.sleep(20)
        hangs[0] = True
        await asyncio.sleep(45)
        hangs[0] = False
        with _of(one) as cost:
            await asyncio.sleep(40)
        cost.more["oldest"] = await _oldest(one)
        return cost


async def filled_in(folder: Path, pools: int) -> Cost:
    """History after installing: the requests of two minutes, and how long two and six weeks take at that rate."""
    async with installed(folder, pools, mature=False, backfill="42d") as one:
        await one.runtime.context.store.commit(Change(wake=tuple(f"fill:{name}" for name in one.pools)))
        await asyncio.sleep(20)
        with _of(one) as cost:
            before = one.prometheus.weeks
            await asyncio.sleep(120)
            asked = one.prometheus.weeks - before
        hours = pools / (asked / 2) / 60
        cost.more |= {"requests": asked, "two_weeks_h": 2 * hours, "six_weeks_h": 6 * hours}
        return cost


SOAK_SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
"""The variable makes a soak shorter."""


async def soaked(folder: Path, pools: int) -> Cost:
    """Some minutes with one hanging source, one idle runner and an alert that names no pool beside twenty that do."""
    troubled = {name_of(number): 10 + number for number in range(1, 1 + min(AFFECTED, pools - 1))}
    stub = Prometheus(troubled, frozenset({name_of(1)}))
    async with installed(folder, pools, 4, watch=30.0, poll=15.0, prometheus=stub, hung=True) as one:
        context, incidents = one.runtime.context, 21
        with _of(one) as cost:
            for number in range(incidents):
                await _delivered(context, alert(f"f{number}"))
                await asyncio.sleep(SOAK_SECONDS / 2 / incidents)
            await asyncio.sleep(SOAK_SECONDS / 2)
        ids = sorted(await context.store.members("open") | await context.store.members("ended"))
        held = [found.value for found in (await context.store.get_many(Incident, ids)).values()]
        roots = {one.thread.root for one in held if one.thread.root}
        answered = [name for number, name in enumerate(one.pools) if number % 4]
        known = (await context.store.get_many(Pool, answered, newest=True)).values()
        ages = [context.now() - (found.value.latest.at if found.value.latest else 0.0) for found in known]
        cost.more |= {
            "missing": incidents - len(roots), "duplicates": one.slack.posts - len(roots),
            "orphans": len(held) - incidents, "oldest": max(ages),
        }  # fmt: skip
        return cost


def alert(fingerprint: str, **labels: str) -> Delivery:
    """A delivery of one alert."""
    named = {"alertname": "Queue is long", "group": fingerprint, **labels}
    fired = Alert(
        fingerprint=fingerprint, status=Status.FIRING, name="Queue is long", labels=named, starts_at=time.time() - 60,
        ends_at=None,
    )  # fmt: skip
    return Delivery(
        source="alertmanager", receiver="tailback", group_key=fingerprint, title="Queue is long", alerts=(fired,)
    )


def interaction(name: str, *words: str, surface: Surface = Surface.COMMAND) -> Interaction:
    """Somebody asks in the channel."""
    return Interaction(name=name, who="U0ANA", team="T0", channel=CHANNEL, surface=surface, key=f"k{name}", words=words)


async def screens(folder: Path, pools: int) -> dict[str, Cost]:
    """What a person asks for, one after another, with an open incident of an alert that names no pool."""
    troubled = {name_of(number): 10 + number for number in range(min(AFFECTED, pools))}
    async with installed(folder, pools, prometheus=Prometheus(troubled), poll=30.0, working=False) as one:
        context = replace(one.runtime.context, chat=FakeChat(FakeClock(time.time())))
        await take_alert(context, alert("f0"))
        (incident,) = await context.store.members("open")
        held = await context.store.get(Incident, incident)
        assert held is not None
        asked: Mapping[str, Callable[[], Awaitable[object]]] = {
            "status": partial(ACTIONS["status"].handle, context, interaction("status")),
            "list": partial(ACTIONS["list"].handle, context, interaction("list")),
            "home": partial(publish_app_home, context, "U0ANA"),
            "scale": partial(_scale, context, held.value),
            "report": partial(longer_view, context.store, context.settings.file, 7, context.now()),
            "weekly": partial(_weekly, context),
        }
        found = dict[str, Cost]()
        for name, work in asked.items():
            with _of(one) as cost:
                await asyncio.sleep(0.01)
                begun = time.monotonic()
                await work()
                await asyncio.sleep(0)
                cost.more |= {"seconds": time.monotonic() - begun, "mb": resident_mb(os.getpid())}
            found[name] = cost
        return found


async def _weekly(context: Context) -> None:
    now = context.now()
    await made(context.store, context.settings.file, now - 7 * 86400.0, now, channel=CHANNEL)


async def _scale(context: Context, incident: Incident) -> None:
    asked = replace(interaction("scale_up", surface=Surface.BUTTON), request_id=request_id(incident, "scale_up"))
    await ACTIONS["scale_up"].handle(context, asked)


async def shared_jobs(folder: Path, pools: int, jobs: int) -> Cost:
    """One wave of measurements of a GitHub source that processes share, with jobs of webhooks in Redis."""
    async with installed(folder, 1, working=False, mature=False) as one:
        store, ahead = one.runtime.store, [0.0]

        def now() -> float:
            return time.time() + ahead[0]

        names = [name_of(number) for number in range(pools)]
        await _told(one, names, jobs)
        github = LargeGitHub(run_page_seconds=0.0, runner_page_seconds=0.0)
        async with HttpPool(httpx.MockTransport(github.answer)) as wire:
            parts = replace(parts_with(wire, {"T": "token"}), now=now, jobs=StoredJobs(store, now))
            raw = {"kind": "github", "organizations": ["big"], "repositories": ["big/engine"], "token_env": "T",
                   "url": "https://github.test", "budget": 400}  # fmt: skip
            source = build("main", "[metrics.main]", raw, {name: {} for name in names}, parts)
            counting = Counting(source)
            shared = Shared(counting, store, now, 20.0, names, "main")
            await asyncio.gather(*map(shared.snapshot, names), return_exceptions=True)
            counting.calls, ahead[0] = 0, 25.0
            await asyncio.sleep(0.1)
            with counted(one.redis, lambda: counting.calls, one.elsewhere) as cost:
                found = await asyncio.gather(*map(shared.snapshot, names), return_exceptions=True)
            known = [one for one in found if isinstance(one, Snapshot)]
            cost.more |= {"failed": len(found) - len(known), "waiting": sum(one.queued or 0 for one in known)}
            return cost


async def webhooks_alone(folder: Path, pools: int, jobs: int) -> Cost:
    """One wave of measurements of a source that has nothing but the stored webhooks."""
    async with installed(folder, 1, working=False, mature=False) as one:
        store, names = one.runtime.store, [name_of(number) for number in range(pools)]
        await _told(one, names, jobs)
        async with HttpPool() as wire:
            parts = replace(parts_with(wire), now=time.time, jobs=StoredJobs(store, time.time))
            raw, pooled = {"kind": "github_webhooks"}, {name: dict[str, object]() for name in names}
            source = build_webhooks("main", "[metrics.main]", raw, pooled, parts)
            with counted(one.redis, lambda: 0.0, one.elsewhere) as cost:
                await asyncio.gather(*map(source.snapshot, names))
            return cost


class Counting(Present):
    """A source that counts how often it is asked."""

    def __init__(self, source: Metrics) -> None:
        self.source, self.calls = source, 0.0

    async def snapshot(self, pool: str) -> Snapshot:
        self.calls += 1
        return await self.source.snapshot(pool)


async def _told(one: Installation, names: list[str], jobs: int) -> None:
    store, now = one.runtime.store, time.time()
    heard = tuple(("heard", minute_of(now - 60 * ago), 7200.0) for ago in range(40))
    await store.commit(Change(listed=heard))
    for first in range(0, jobs, 200):
        made = [
            WorkflowJob(f"j{number}", f"r{number // 20}", "test", "ci", "big/engine", (names[number % len(names)],),
                        JobState.IN_PROGRESS if number % 3 else JobState.QUEUED, created_at=now - 300, seen_at=now - 10,
                        started_at=now - 200 if number % 3 else None, heard_at=now - 300)
            for number in range(first, min(jobs, first + 200))
        ]  # fmt: skip
        puts = tuple(Put(Stored(job, 0), job, None, keep_seconds=7200.0) for job in made)
        await store.commit(Change(puts=puts, listed=tuple((f"jobs:{job.labels[0]}", job.id, 7200.0) for job in made)))
