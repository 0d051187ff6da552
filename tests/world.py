"""A whole Tailback on working fakes and a clock in hand: alerts come in, people ask, the worker works when told to."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Any, Self, TypeVar

import pytest

from bot.config import Environment, File, Settings
from bot.context.context import Context, PoolScaler
from bot.context.making import Making
from bot.core.alert import Alert, Status
from bot.core.incident.details.events import Introduced
from bot.core.incident.incident import Incident
from bot.core.incident.timeline import Entry
from bot.core.message import Block, Message
from bot.core.paging.page import OUTSIDE
from bot.core.pool.outlook import RunnerPrice
from bot.core.pool.pool import Pool
from bot.core.record import Change, Claim
from bot.core.requests.interaction import Answer, Interaction, Surface, request_id
from bot.core.requests.request import Request
from bot.core.scaling.lease import PoolLeases
from bot.core.scaling.limits import ScalePolicy
from bot.incidents.intake import Taken, take_alert
from bot.ports import Refused
from bot.registry import ACTIONS, BEHAVIORS, TELLINGS
from bot.requests.permission import dispatch
from bot.sources.payload import fields, items
from tests.builders import CHANNEL, NOW, POOL, delivery
from tests.fakes import (
    FakeAlertmanager,
    FakeChat,
    FakeClock,
    FakeIssues,
    FakeMetrics,
    FakePager,
    FakeScaler,
    SlackMessage,
)
from tests.fakes_store import FakeData, FakeStore
from tests.invariants import WATCHED, broken, forgotten
from tests.patience import PATIENCE_SECONDS
from tests.threads import unruly

T = TypeVar("T")
OTHER_POOL = "linux.gpu"
ANA, BEN, CAM = "U0ANA", "U0BEN", "U0CAM"
"""Ana and Ben may scale; Cam is a full member and no more."""
TEAM = "T0"
FILE: dict[str, Any] = {
    "slack": {"channel": CHANNEL, "mention": "S0ONCALL", "pace": "0s", "edit_pace": "0s"},
    "permissions": {"scale": ["S0INFRA"]},
    "pool": {
        POOL: {"match": {"runner_label": POOL}, "scaler": {"kind": "http"}},
        OTHER_POOL: {"match": {"runner_label": OTHER_POOL}},
    },
}
LABELS = {"alertname": "Runner queue is long", "runner_label": POOL, "severity": "page"}


class PoliteStore(FakeStore):
    """Lets others run before every commit, as a round trip to a server does."""

    async def commit(self, change: Change) -> None:
        """The commit, after everybody else had a turn."""
        await asyncio.sleep(0)
        await super().commit(change)


class World:
    """The context, and methods that play the outside."""

    clocks: type[FakeClock] = FakeClock

    def __init__(self, **tables: Any) -> None:
        """`tables` are laid over the sections of the configuration file."""
        self.clock = self.clocks(NOW)
        self.data = FakeData()
        self.store = PoliteStore(self.clock.now, self.clock.monotonic, data=self.data)
        self.chat = FakeChat(self.clock)
        self.chat.groups["S0INFRA"] = frozenset({ANA, BEN})
        self.metrics, self.scaler = FakeMetrics(self.clock), FakeScaler()
        self.alertmanager, self.pager = FakeAlertmanager(self.clock), FakePager()
        self.issues = FakeIssues()
        self.scaler.clock = self.clock
        self.second_stands = False
        """Whether the test ends with a second first message of an incident, as it planned it."""
        WATCHED.append(self.broken)
        self.numbers = iter(range(1, 100_000))
        self.context = self.process(settings(**tables))
        for pool in (POOL, OTHER_POOL):
            self.metrics.show(pool, {"queued": 0, "oldest_wait_seconds": 0.0})

    @classmethod
    async def opened(cls, **tables: Any) -> Self:
        made = cls(**tables)
        await made.opens()
        return made

    def process(self, given: Settings) -> Context:
        """The context of one more process that shares all of the outside."""
        policy = ScalePolicy(maximum=40, step=20, cooldown_seconds=600, price=RunnerPrice(0.34))
        self.scaler.allowed = policy.maximum
        return Context(
            settings=given,
            store=self.store,
            chat=self.chat,
            metrics={POOL: self.metrics, OTHER_POOL: self.metrics},
            pool_scalers={POOL: PoolScaler(self.scaler, policy)},
            alertmanagers={"grafana": self.alertmanager},
            now=self.clock.now,
            monotonic=self.clock.monotonic,
            actions=ACTIONS,
            tellings=TELLINGS,
            making=Making(PATIENCE_SECONDS),
            new_id=lambda prefix: f"{prefix}{next(self.numbers)}",
            pagers={"oncall": self.pager, OUTSIDE: self.pager},
            issues=self.issues if given.file.issues else None,
        )

    def broken(self) -> list[str]:
        """The promises on scaling and on threads that do not hold (tests/invariants.py, tests/threads.py)."""
        leases = {row.value.id: row.value for row in self.data.rows.values() if isinstance(row.value, PoolLeases)}
        trail = [entry for _, entry, _ in self.data.trail]
        threads = [] if self.second_stands else unruly(self.chat.shown())
        return [*broken(self.scaler.log, trail), *forgotten(leases, self.data.due), *threads]

    def configure(self, route: Sequence[dict[str, Any]] = (), **tables: dict[str, Any]) -> None:
        """What an operator writes into tailback.toml while Tailback runs."""
        self.context.settings = replace(self.context.settings, file=settings(route, **tables).file)

    async def fires(self, *alerts: Alert, **parts: Any) -> Taken:
        """A delivery arrives; without alerts, one that fires for the pool."""
        return await take_alert(self.context, delivery(*(alerts or (spoken(),)), **parts))

    async def opens(self, *alerts: Alert, queued: int = 14, **parts: Any) -> Incident:
        self.queues(queued)
        await self.fires(*alerts, **parts)
        await self.work()
        return self.incident

    def queues(self, queued: int | None, wait: float = 3600.0, pool: str = POOL, **figures: Any) -> None:
        waits = None if queued is None else wait if queued else 0.0
        self.metrics.show(pool, {"queued": queued, "oldest_wait_seconds": waits, **figures})

    def pool_record(self) -> Pool:
        found = self.data.rows[f"pool:{POOL}"].value
        assert isinstance(found, Pool)
        return found

    @property
    def incident(self) -> Incident:
        (found,) = self.incidents
        return found

    @property
    def incidents(self) -> list[Incident]:
        return [row.value for row in self.data.rows.values() if isinstance(row.value, Incident)]

    @property
    def request(self) -> Request:
        return [row.value for row in self.data.rows.values() if isinstance(row.value, Request)][-1]

    @property
    def parent(self) -> SlackMessage:
        (found,) = [m for m in self.chat.parents() if m.ts == self.incident.thread.root]
        return found

    @property
    def replies(self) -> list[str]:
        """What the thread was told after its first reply, in order."""
        messages = self.chat.thread(self.incident.thread.root or "")
        return [stored.message.text for stored in messages if not stored.message.text.startswith("*Alert:*")]

    def details(self, kind: type[T]) -> list[T]:
        """The details of one kind that the thread was told, in order: values instead of words."""
        log = self.incident.log
        posted = (entry.details for entry in log.timeline if entry.number not in log.outbox)
        return [found for found in posted if isinstance(found, kind)]

    @property
    def last(self) -> Entry:
        """What the thread was told last, after its first reply."""
        newest = [one for one in self.incident.log.timeline if not isinstance(one.details, Introduced)][-1]
        assert newest.number not in self.incident.log.outbox
        return newest

    @property
    def thread(self) -> list[Message]:
        """The replies as messages, the first one included."""
        return [stored.message for stored in self.chat.thread(self.incident.thread.root or "")]

    def direct(self, who: str) -> list[str]:
        """The direct messages of a person."""
        return [one.message.text for one in self.chat.messages if one.channel == who]

    def due(self, kind: str = "inc") -> float | None:
        """In how many seconds the only record of a kind is looked at; None for never."""
        times = [at for member, at in self.data.due.items() if member.startswith(kind)]
        return round(min(times) - self.clock.now(), 3) if times else None

    async def claims(self, kind: str = "inc") -> list[Claim]:
        """Take what is due of one kind, as a process does that may be about to die."""
        others = {member: at for member, at in self.data.due.items() if not member.startswith(f"{kind}:")}
        for member in others:
            del self.data.due[member]
        claims = (await self.store.claim(100)).claims
        self.data.due.update(others)
        return list(claims)

    async def work(self, most: int = 2000) -> int:
        """The worker, until nothing is due any more; the number of records that were worked on."""
        for done in range(most):
            claims = (await self.store.claim(1)).claims
            if not claims:
                return done
            await self.tell(claims[0])
        raise AssertionError(f"still due after {most} claims: {sorted(self.data.due.items())}")

    async def tell(self, claim: Claim, context: Context | None = None) -> None:
        await BEHAVIORS[claim.kind](context or self.context, claim)

    async def passes(self, seconds: float, step: float = 10.0) -> None:
        step = min(step, seconds)
        for _ in range(round(seconds / step)):
            self.clock.advance(step)
            await self.work()

    async def done(self, request: Awaitable[T]) -> T:
        """What comes from outside, and then the worker's part of it."""
        found = await request
        await self.work()
        return found

    async def asks(self, name: str, who: str = ANA, **parts: Any) -> Answer:
        """Somebody asks; without more, by the button that the parent shows now."""
        given = {"channel": CHANNEL, "surface": Surface.BUTTON, "team": TEAM, "key": f"k{next(self.numbers)}"}
        if "request_id" not in parts and parts.get("surface", Surface.BUTTON) in {Surface.BUTTON, Surface.DIALOG}:
            given["request_id"] = request_id(self.incident, name)
        return await dispatch(self.context, Interaction(**{"name": name, "who": who, **given, **parts}))

    async def silences(self, preset: str = "1h", **values: str) -> Answer:
        await self.asks("silence")
        given = {"preset": preset, "custom": "", **values}
        return await self.asks("silence", surface=Surface.DIALOG, step="silence", values=given)

    async def wants(self, target: int, who: str = ANA) -> Request:
        """Somebody confirms a target in the incident's thread; the request as it was written down."""
        await self.says("scale_up", POOL, str(target), who=who)
        draft = self.request
        await self.confirms(await self.asks("scale_up", who, request_id=draft.id), who)
        return await self.now(draft)

    async def confirms(self, question: Answer, who: str = ANA) -> Answer:
        """Somebody submits Scale up with the choice that it shows chosen."""
        shown = dialog(question)
        chosen = next(one for one in items(shown["blocks"]) if fields(one).get("block_id") in {"answer", "choice"})
        name, value = fields(chosen)["block_id"], fields(fields(fields(chosen)["element"])["initial_option"])["value"]
        given = {"surface": Surface.DIALOG, "step": "scale_up", "request_id": str(shown["private_metadata"])}
        return await self.asks("scale_up", who, values={str(name): str(value)}, **given)

    async def now(self, request: Request) -> Request:
        found = await self.context.request(request.id)
        assert found is not None
        return found

    async def says(self, name: str, *words: str, who: str = ANA, **parts: Any) -> Answer:
        """Somebody writes `@tailback …` in the incident's thread."""
        root = self.incident.thread.root
        return await self.asks(name, who, surface=Surface.MENTION, thread=root, words=words, **parts)

    async def types(self, name: str, *words: str, who: str = ANA, **parts: Any) -> Answer:
        """Somebody types `/queue …` in the channel."""
        return await self.asks(name, who, surface=Surface.COMMAND, words=words, **parts)


async def refused(sentence: str, request: Awaitable[object]) -> Refused:
    """The refusal of what somebody asks, with these words in it."""
    with pytest.raises(Refused) as raised:
        await request
    assert sentence in str(raised.value)
    return raised.value


def whisper(answer: Answer) -> Message:
    assert answer.whisper is not None
    return answer.whisper


def dialog(answer: Answer) -> Block:
    assert answer.view is not None
    return answer.view


def settings(route: Sequence[dict[str, Any]] = (), **tables: dict[str, Any]) -> Settings:
    raw: dict[str, Any] = {name: {**FILE.get(name, {}), **tables.get(name, {})} for name in {*FILE, *tables}}
    raw["route"] = list(route)
    return Settings(Environment(), File.model_validate(raw))


def spoken(fingerprint: str = "a1", *, firing: bool = True, starts_at: float = NOW - 60, **labels: str) -> Alert:
    whole = delivery().alerts[0]
    ends_at, status = (None, Status.FIRING) if firing else (starts_at + 60, Status.RESOLVED)
    given = {**LABELS, **labels}
    return replace(whole, fingerprint=fingerprint, starts_at=starts_at, labels=given, status=status, ends_at=ends_at)
