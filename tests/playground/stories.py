"""Plays the demo's stories on the World: the fleet, its alert source and the demo's own tailback.toml, without HTTP.

Clock, fleet and ids are fixed, so that every run says the same.
"""

import re
import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from bot.adapters.scalers.http import HttpScalerTable
from bot.config import Environment, File, Settings
from bot.context.causes import explained
from bot.context.context import PoolScaler
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.incident.timeline import Entry
from bot.core.message import Block, Message
from bot.core.record import Change
from bot.core.requests.interaction import Answer, Surface
from bot.core.words import clock
from bot.incidents.intake import take_alert
from bot.playground.demo_config import demo_config
from bot.playground.fleet.alerting.alerts import AlertBook
from bot.playground.fleet.alerting.rules import breaches
from bot.playground.fleet.alerting.sender import AlertTarget, Sender
from bot.playground.fleet.figures import read
from bot.playground.fleet.scenarios import DEFAULT_SEED, SCENARIOS
from bot.playground.fleet.simulation import SimulatedFleet
from bot.playground.fleet.weeks import known_weeks
from bot.ports import Capacity
from bot.sources.registry import SOURCES
from bot.views.dialogs.scale import OTHER, scale_value
from tests.bench.fleet_eye import Eye
from tests.builders import NOW
from tests.journeys.test_forewarned import Source
from tests.playground.screens import Said, of_entry, of_parent, steps_of, totals
from tests.posting.test_refused_blocks import StrictChat
from tests.world import ANA, BEN, World

STEP_SECONDS, LONGEST_SECONDS, PAST_SECONDS = 30.0, 12 * 3600.0, 10 * 3600.0
FLEET, CHANNEL = "https://fleet.example", "C0DEVINFRA"


@dataclass(slots=True)
class FleetScaler:
    """The scaler of one simulated pool."""

    story: "Played"
    name: str

    async def read(self) -> Capacity:
        pool = self.story.fleet.pools[self.name]
        return Capacity(pool.capacity, pool.spec.minimum, pool.spec.ceiling)

    async def set(self, target: int, request_id: str) -> None:
        self.story.fleet.set_target(self.name, target)


class Played:
    """A story as Slack shows it; `seen` has each message and dialog with its title, in order.

    Second 0 is when the visitor comes; the fleet has lived for ten hours then.
    """

    def __init__(self, name: str) -> None:
        self.scenario = scenario = SCENARIOS[name]
        self.fleet = SimulatedFleet(scenario.pools, scenario.faults, DEFAULT_SEED, -PAST_SECONDS)
        self.eyes = {spec.name: Eye(self.fleet, spec.name) for spec in scenario.pools}
        self.second = -PAST_SECONDS
        while self.second < 0:
            self.second += 60
            self.fleet.advance(self.second)
            for eye in self.eyes.values():
                eye.look()
        self.world = world = World()
        self.seen = list[tuple[str, Message | Block]]()
        self.parents: list[Message] = []
        """The first message as it was posted, and after each edit."""
        self.timelines: dict[str, list[Entry]] = {}
        self.plans: dict[str, list[dict[str, str]]] = {}
        """By reply: the state of each step of its plan, as it was posted and after each edit."""
        self.shown_figures: list[Said] = []
        """The values behind each first message and reply, in order."""
        self.offered: list[tuple[int, dict[str, set[int]]]] = []
        """(runners that the first message names, those that the dialog offers by pool) when it was opened."""
        raw = tomllib.loads(demo_config(self.scenario, FLEET))
        file = File.model_validate(raw)
        policies = {
            pool: replace(
                HttpScalerTable.model_validate({**table["scaler"], "kind": "http"}).policy, price=file.pool[pool].price
            )
            for pool, table in raw["pool"].items()
        }
        world.context.settings = Settings(Environment(), file)
        world.context.metrics = dict.fromkeys(self.eyes, Source(self.fleet, self.eyes))
        world.context.pool_scalers = {pool: PoolScaler(FleetScaler(self, pool), policies[pool]) for pool in policies}
        world.context.alertmanagers = {"fleet": world.alertmanager}
        self.chat = world.chat = world.context.chat = StrictChat(world.clock, frozenset())
        self.chat.groups.update({"S0INFRA": frozenset({ANA, BEN}), "S0INFRALEADS": frozenset({BEN})})
        active = world.alertmanager.silences.values
        self.book = AlertBook(
            self.scenario.rule, lambda _: [one.id for one in active() if one.ends_at > world.clock.now()]
        )
        self.sender = Sender(self.book, AlertTarget(f"{FLEET}/alerts", ""), self._delivers)

    async def _delivers(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        await take_alert(self.world.context, SOURCES[url.rpartition("/")[2]](body))
        return 200

    @property
    def incidents(self) -> list[Incident]:
        return [row.value for row in self.world.data.rows.values() if isinstance(row.value, Incident)]

    async def minute(self) -> None:
        """One more minute: the fleet goes on, its alerts are sent, and Tailback works."""
        for _ in range(2):
            self.second += STEP_SECONDS
            self.fleet.advance(self.second)
            self.world.clock.advance(STEP_SECONDS)
            await self.works()
        now = self.world.clock.now()
        self.book.observe(breaches(self.scenario.rule, [read(self.fleet, name) for name in self.fleet.pools]), now)
        delivered = self.sender.deliveries
        await self.sender.send_due(now, FLEET)
        if self.sender.deliveries is not delivered:
            await self.works()

    async def works(self) -> None:
        posted_before = len(self.chat.first)
        await self.world.work()
        for number in range(posted_before, len(self.chat.first)):
            stored = self.chat.messages[number]
            where = "Message in the channel" if stored.thread is None else "Reply"
            loud = ", also shown in the channel" if stored.broadcast else ""
            self.seen.append((self.at(where + loud), self.chat.first[number]))
        for stored in self.chat.messages:
            if steps := steps_of(stored.message):
                self.plans.setdefault(stored.ts, []).append(steps)
        for one in self.incidents:
            if one.thread.root and not one.closed:
                self.shown_figures += of_parent(one, await self.explains(one))
            known = len(self.timelines.setdefault(one.id, []))
            for entry in one.log.timeline[known:]:
                self.shown_figures += of_entry(entry)
            self.timelines[one.id] = list(one.log.timeline)
        roots = [one.thread.root for one in self.incidents]
        for stored in self.chat.messages:
            if stored.ts in roots and (not self.parents or stored.message != self.parents[-1]):
                self.parents.append(stored.message)

    @property
    def ended(self) -> list[Incident]:
        return [one for one in self.incidents if one.closed]

    @property
    def summaries(self) -> list[Message]:
        """The last reply of each incident that is over."""
        return [stored.message for stored in self.chat.messages if stored.message.text.startswith("Drained: ")]

    async def explains(self, one: Incident) -> View:
        context = self.world.context
        return await explained(await context.view(one), one, context.now(), context.settings.file.paces)

    def at(self, what: str) -> str:
        return f"{clock(self.world.clock.now())} {what}"

    async def until(self, done: Callable[[], bool], most: float = LONGEST_SECONDS) -> None:
        end = self.second + most
        while self.second < end and not done():
            await self.minute()

    async def begins(self) -> None:
        """Tailback starts; with weeks behind it where the story is about an early warning."""
        if self.scenario.warned:
            await self.world.store.commit(known_weeks(self.scenario.pools, NOW))
        await self.world.store.commit(Change(wake=("chore:pools",)))

    async def fires(self) -> None:
        await self.until(lambda: bool(self.incidents))
        await self.until(lambda: False, 180)

    async def presses(self, name: str, who: str = ANA, **parts: object) -> Answer:
        """Somebody presses a button, of the first message or below the newest reply that has it."""
        about = [entry.about for entry in self.world.incident.log.timeline if name in entry.choices]
        given = {"request_id": about[-1], "thread": self.world.incident.thread.root} if about else {}
        return await self.saw(
            name.replace("_", " "), who, await self.world.asks(name, who, channel=CHANNEL, **given, **parts)
        )

    async def says(self, *words: str, who: str = ANA) -> Answer:
        """Somebody writes `@tailback …` in the thread."""
        return await self.saw(
            f"@tailback {' '.join(words)}", who, await self.world.says(*words, who=who, channel=CHANNEL)
        )

    async def saw(self, what: str, who: str, answer: Answer) -> Answer:
        for drawn in (answer.view, answer.whisper):
            if drawn is not None:
                kind = "Dialog" if drawn is answer.view else "Answer"
                self.seen.append((self.at(f"{kind} for {who[2:].lower()} ({what})"), drawn))
        await self.works()
        return answer

    async def scales(self, more: int = 0, target: int = 0) -> None:
        """Ana scales the first affected pool up, by so many or to so many."""
        pool = self.scenario.affected[0]
        total = str(target or self.fleet.pools[pool].capacity + more)
        shown = await self.presses("scale_up")
        cause = (await self.explains(self.world.incident)).causes.get(pool)
        if shown.view is not None:
            self.offered.append((cause.added if cause else 0, totals(shown.view)))
        request = {"surface": Surface.DIALOG, "step": "scale_up"}
        if row := re.search(rf"'({total}/\d+:{re.escape(pool)})'", str(shown.view)):
            await self.presses("scale_up", values={"choice": row[1]}, **request)
            return
        values = {"choice": scale_value(pool, OTHER), "pool": pool, "target": total}
        await self.confirms(await self.presses("scale_up", values=values, **request))

    async def confirms(self, shown: Answer) -> None:
        await self.saw("confirmed", ANA, await self.world.confirms(shown))

    async def drains(self) -> None:
        await self.until(lambda: self.world.incident.closed)
        await self.until(lambda: False, 1800)


async def surge(story: Played) -> None:
    """Ana acknowledges, adds 20 runners, asks for the status, and the queue drains."""
    await story.fires()
    await story.presses("ack")
    await story.scales(20)
    await story.says("status")
    await story.drains()


async def limit_reached(story: Played) -> None:
    """Ana asks for 60 runners, Ben approves."""
    await story.fires()
    await story.scales(target=60)
    await story.minute()
    await story.presses("approve", BEN)
    await story.drains()


async def stockout(story: Played) -> None:
    """Ana asks for a diagnosis, adds five runners in vain, and gives them back."""
    await story.fires()
    await story.presses("diagnose")
    await story.scales(5)
    await story.until(lambda: False, 900)
    await story.presses("hand_back")
    await story.drains()


async def slower(story: Played) -> None:
    """Ana asks for a diagnosis and for ten runners, which nobody approves."""
    await story.fires()
    await story.presses("diagnose")
    await story.minute()
    await story.scales(10)
    await story.drains()


async def silenced(story: Played) -> None:
    """Ana asks for a diagnosis and silences the alert for an hour."""
    await story.fires()
    await story.presses("diagnose")
    await story.presses("silence")
    await story.presses("silence", surface=Surface.DIALOG, step="silence", values={"preset": "1h"})
    await story.drains()


async def replaced(story: Played) -> None:
    """Ana asks for a diagnosis, and adds ten machines whose disks have room."""
    await story.fires()
    await story.presses("diagnose")
    await story.scales(10)
    await story.drains()


async def waited(story: Played) -> None:
    """Ana acknowledges, asks for the status, and waits."""
    await story.fires()
    await story.presses("ack")
    await story.says("status")
    await story.drains()


async def warned(story: Played) -> None:
    """Ana heeds the early warning: 54 runners, and no alert fires."""
    await story.until(lambda: bool(story.chat.messages))
    shown = await story.saw(
        "/queue scale", ANA, await story.world.types("scale_up", story.scenario.affected[0], "54", channel=CHANNEL)
    )
    await story.confirms(shown)
    await story.until(lambda: False, 3 * 3600)


async def ignored(story: Played) -> None:
    """Nobody heeds the early warning, and the alert takes it over."""
    await story.fires()
    await story.drains()


async def healthy(story: Played) -> None:
    """Ana asks for the status of all pools."""
    await story.until(lambda: False, 600)
    await story.saw("/queue status", ANA, await story.world.types("status", channel=CHANNEL))
    await story.until(lambda: False, 3600)


STORIES: dict[str, tuple[str, Callable[[Played], Awaitable[None]]]] = {
    "surge": ("surge", surge),
    "limit-reached": ("limit-reached", limit_reached),
    "stockout": ("stockout", stockout),
    "offline-hosts": ("offline-hosts", silenced),
    "provider-outage": ("provider-outage", waited),
    "slower-jobs": ("slower-jobs", slower),
    "hung-jobs": ("hung-jobs", silenced),
    "full-disks": ("full-disks", replaced),
    "early-warning": ("early-warning", warned),
    "early-warning-ignored": ("early-warning", ignored),
    "healthy": ("healthy", healthy),
}


async def played(name: str) -> Played:
    scenario, play = STORIES[name]
    story = Played(scenario)
    await story.begins()
    await play(story)
    return story
