"""Plays a recording through the real code; time jumps from event to event, and everything is logged."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bot.context.causes import diagnosed_in, with_forecast
from bot.context.context import Context
from bot.context.forecast_inputs import effects_of, steps_of, terms_of
from bot.context.queries import open_incidents
from bot.core.forecast.scoring import waiting
from bot.core.incident.incident import Incident
from bot.core.pool.outlook import LeftOut
from bot.core.pool.pool import Pool
from bot.core.record import Change, Claim, Conflict
from bot.incidents.intake import take_alert
from bot.measuring.store_job import take_job
from bot.playground.memory.store import MemoryStore
from bot.playground.replay.journal import Journal, JournalArrival, JournalJudgement, JournalNames, Proposed
from bot.playground.replay.parts import ReplayClock
from bot.playground.replay.recording import Delivered, Recording
from bot.ports import Refused, Unreachable
from bot.registry import BEHAVIORS
from bot.scaling.dialogs import cause_of, fewest_enough, more_would_do
from bot.scaling.limits import policy_within
from bot.sources import workflow_job
from bot.sources.payload import Unreadable
from bot.sources.registry import GITHUB_EVENTS, SOURCES
from bot.views.export.export_json import judgement
from handlers.tools.send import kind_of
from handlers.worker import AT_ONCE

MOST_ROUNDS = 10_000
"""Rounds of work at one instant before it counts as a bug."""
REWEIGHED = 0.25
"""A proposal is new when it changes by this share, and by at least 5 runners."""
ADDED = (5, 10, 20, 40)
"""Numbers of added runners whose effect is judged."""
DUTIES = ("chore:pools", "chore:weekly")
"""The chores that are replayed; the others concern Slack and back ends, which do not exist here."""


@dataclass(slots=True)
class Player:
    """One replay; `play` runs it to the end and fills the journal."""

    context: Context
    store: MemoryStore
    clock: ReplayClock
    recording: Recording
    journal: Journal
    report_progress: Callable[[float], None]
    """Called with the progress (epoch seconds)."""
    judges: bool = False
    """Whether to write a judgement after each measurement."""
    seen: set[str] = field(default_factory=set)
    """Pools looked at since the last judgements."""
    judged: dict[tuple[str, str], float] = field(default_factory=dict)
    """(incident, pool) → the measurement that was judged last (epoch seconds)."""
    weighed: dict[tuple[str, str], float] = field(default_factory=dict)
    """(incident, pool) → the time of the last proposal."""

    async def play(self, until: float) -> None:
        """Play everything up to and including `until` (epoch seconds)."""
        await self.store.commit(Change(wake=DUTIES))
        coming = deque(self.recording.deliveries)
        while True:
            await self._work()
            await self._judge()
            times = [coming[0].at] if coming else []
            if (due := self.store.next_due()) is not None:
                times.append(due)
            if not times or min(times) > until:
                break
            self.clock.reach(min(times))
            self.report_progress(self.clock.at)
            while coming and coming[0].at <= self.clock.at:
                await self._arrives(coming.popleft())
        self.clock.reach(until)
        self.report_progress(until)

    async def _work(self) -> None:
        for _ in range(MOST_ROUNDS):
            claims = (await self.store.claim(AT_ONCE)).claims
            if not claims:
                return
            for claim in claims:
                await self._tell(claim)
        raise RuntimeError(f"after {MOST_ROUNDS} rounds of work at {self.clock.at:.3f} still more is due")

    async def _tell(self, claim: Claim) -> None:
        """Process one record as the worker does."""
        before = await self.store.get(Incident, claim.id) if claim.kind == "inc" else None
        try:
            await BEHAVIORS[claim.kind](self.context, claim)
        except (Conflict, Unreachable) as error:
            self.journal.lines.append(
                JournalArrival(self.clock.at, f"{claim.kind} {claim.id}", f"interrupted: {error}")
            )
        if claim.kind == "inc":
            await self._noted(claim.id, before.value if before else None)
        elif claim.kind == "pool":
            await self._scored(claim.id)
            self.seen.add(claim.id)

    async def _judge(self) -> None:
        """Write a judgement of each pool with an incident: at its opening, and at each measurement."""
        names, self.seen = sorted(self.seen) if self.judges else [], set()
        for incident in await open_incidents(self.context) if names else ():
            mine = [name for name in names if name in incident.pools.candidates]
            for pool, judged in await judgements(self.context, incident, mine):
                if self.judged.get((incident.id, pool.id)) != pool.tried_at:
                    self.judged[incident.id, pool.id] = pool.tried_at
                    self.journal.lines.append(judged)

    async def _noted(self, incident_id: str, before: Incident | None) -> None:
        """Log the incident, a new likeliest cause, and the proposal."""
        held = await self.store.get(Incident, incident_id)
        if held is None:
            return
        incident = self.journal.incidents[incident_id] = held.value
        named = self.journal.named.setdefault(incident_id, [])
        for pool, series in incident.pools.courses.items():
            old = before.pools.courses.get(pool) if before else None
            counts = old.causes if old else {}
            now = [cause for cause, samples in series.causes.items() if samples > counts.get(cause, 0)]
            last = next((one.cause for one in reversed(named) if one.pool == pool), None)
            named += [JournalNames(self.clock.at, pool, cause) for cause in now if cause != last]
        if not incident.closed:
            for pool in incident.pools.affected:
                await self._weighed(incident, pool)

    async def _weighed(self, incident: Incident, name: str) -> None:
        """The proposal of Scale up, at most once per report period; kept if it is new."""
        pool_scaler, at = self.context.pool_scalers.get(name), self.weighed.get((incident.id, name), 0.0)
        if pool_scaler is None or self.clock.at - at < self.context.settings.file.paces.report:
            return
        self.weighed[incident.id, name] = self.clock.at
        pool, capacity = await self.context.pool(name), await pool_scaler.scaler.read()
        policy = policy_within(pool_scaler, capacity)
        room = max(0, policy.maximum - (capacity.size or 0))
        named = await cause_of(self.context, name, incident)
        more = await fewest_enough(self.context, pool, min(room, policy.step or room))
        proposed = self.journal.proposed.setdefault(incident.id, [])
        last = next((one for one in reversed(proposed) if one.pool == name), None)
        if last is None or _another(last.more, more):
            shown = await more_would_do(self.context, name, (capacity.size, policy.maximum), named, more or None)
            proposed.append(Proposed(self.clock.at, name, more, capacity.size, shown.lines if shown else ()))

    async def _scored(self, name: str) -> None:
        held = await self.store.get(Pool, name)
        scores = (*held.value.scores, *waiting(held.value)) if held is not None else ()
        if scores or name in self.journal.scores:
            before = self.journal.scores.get(name, {})
            known = {at: score for at, score in before.items() if score.left_out is not LeftOut.WAITING}
            self.journal.scores[name] = known | {score.forecast.at: score for score in scores}

    async def _arrives(self, event: Delivered) -> None:
        last = event.path.partition("?")[0].rstrip("/").rpartition("/")[2]
        source = last if last in {*SOURCES, "github"} else ""  # then only the body can tell
        try:
            outcome = await self._delivered(source, event)
        except (Unreadable, Refused) as error:
            self.journal.refused += 1
            outcome = f"not readable ({event.place}): {error}"
        if source != "github" or outcome not in {"stored", "repeated", "past", "ignored"}:
            self.journal.lines.append(JournalArrival(event.at, f"webhook {source or event.path}", outcome))

    async def _delivered(self, source: str, event: Delivered) -> str:
        if source != "github":
            return await take_alert(self.context, SOURCES[source or kind_of(event.body, SOURCES)](event.body))
        name = event.headers.get("x-github-event", "")
        if name == "workflow_job" and (job := workflow_job.parse(event.body, event.at)):
            return await take_job(self.context, job, event.headers.get("x-github-delivery", ""))
        if name in GITHUB_EVENTS and (delivery := GITHUB_EVENTS[name](event.body)):
            return await take_alert(self.context, delivery)
        return "ignored"


def _another(before: int | None, more: int | None) -> bool:
    if not before or not more:
        return before != more
    return abs(more - before) >= max(5, REWEIGHED * max(before, more))


async def judgements(context: Context, incident: Incident, names: Sequence[str]) -> list[tuple[Pool, JournalJudgement]]:
    """Each named pool with a record, and the judgement of its last measurement."""
    view, now = await context.view(incident), context.now()
    found = {one.pool: one for one in diagnosed_in(view, incident, now, context.settings.file.paces)}
    found_now = []
    for pool in [with_forecast(view.pools[n], view, incident, found.get(n)) for n in names if n in view.pools]:
        terms, counts = replace(terms_of(context, pool), shown_forecast=None), steps_of(context, pool.id, ADDED)
        more = effects_of(context, pool, found[pool.id], counts, terms)
        found_now.append((pool, JournalJudgement(now, judgement(now, pool, found[pool.id], more))))
    return found_now
