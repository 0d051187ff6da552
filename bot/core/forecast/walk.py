"""Walks a pool through time: jobs arrive, runners take and end them. One step for past and future."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from bot.core.forecast.seen import Habit, Seen
from bot.core.forecast.state import HOURS_DIFFER, PARTICLES, QUARTER_MINUTES, TINY, Array, Particles, luck
from bot.core.pool.outlook import UNBOUND, Lever, Reach

HORIZON_MINUTES = 2880.0
"""Origin: two days; CI providers cancel what queues for longer."""
STEPS = ((1.0, 120), (5.0, 120), (15.0, 144))
"""Lengths of steps in minutes and their number: up to 2 h, 12 h and 48 h. Origin: a twentieth of what is said, so that
no step shows in it."""
NEVER = math.inf
LEFT = 0.05
"""Share of the particles that is not walked further. Origin: no answer asks for more than nine tenths of them."""
FEWEST = 1e-2
"""Jobs of a step, at least. Origin: with fewer the lognormal factor of chance has no meaning, and nothing to do."""


class Until(StrEnum):
    """When the trouble of a walk ends."""

    DRAWN = "drawn"
    NEVER = "never"
    NOW = "now"


@dataclass(frozen=True, slots=True)
class Question:
    counts: tuple[int, ...] = (0,)
    """Added runners: a row of the walk for each."""
    reach: Reach = UNBOUND
    until: Until = Until.DRAWN
    minutes: float = HORIZON_MINUTES
    drained: bool = True
    """Whether to leave out what has drained."""


@dataclass(frozen=True, slots=True)
class Path:
    """The first row step by step: steps by particles."""

    minutes: Array
    queued: Array
    arrived: Array
    """Jobs that arrived until then."""


@dataclass(frozen=True, slots=True)
class QueueWalk:
    """What came of it: a row for each number of added runners, a column for each particle."""

    seen: Seen
    drains: Array
    """Minutes until the queue is at its floor or all waits are normal; infinite: beyond the horizon."""
    first: Array
    """Minutes until the first job starts, ..."""
    turn: Array
    """... and until the last one of those that wait now does."""
    path: Path
    """Of the first two hours; of all that was walked unless what has drained is left out."""


def flow(system: Array, runners: Array, pace: Array, minutes: float) -> Array:
    """Jobs that wait or run after some minutes without arrivals, when runners take the next as soon as they end one.

    While jobs wait they fall in a line; then those that run end, each with the same chance a minute. Never more than
    before, never fewer with fewer runners: so no answer falls with added ones.
    """
    ends = runners * pace
    full = np.minimum(np.maximum((system - runners) / np.maximum(ends, TINY), 0.0), minutes)
    return np.asarray((system - ends * full) * np.exp(pace * (full - minutes)))


def usual_at(habits: Sequence[Habit], minutes: Array) -> Array:
    """Usual arrivals per minute at these times, interpolated between hours."""
    return np.interp(minutes, [habit.minute for habit in habits], [habit.arrivals for habit in habits])


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What comes whatever the queue does: steps by particles."""

    minutes: Array
    load: Array
    came: Array
    pace: Array
    new_pace: Array
    present: Array
    """Runners that take jobs, without the added ones."""
    returned: Array
    """Runners of hosts that were offline and are back."""
    added: Array
    """Share of the added runners that take jobs."""


def walk(state: Particles, question: Question | None = None) -> QueueWalk:
    """Walk the particles from now on, all rows with the same chance."""
    going = _Going(state, question or Question())
    begin, chance, paths = 0.0, luck(sum(number for _, number in STEPS)), []
    for length, steps in STEPS:
        number = min(steps, math.ceil((going.question.minutes - begin) / length))
        if number <= 0 or len(going.alive) < LEFT * PARTICLES:
            break
        minutes = np.asarray(begin + length * np.arange(1, number + 1), np.float64)
        chance, mine = chance[number:], chance[:number]
        paths.append(going.lives(going.ahead(minutes, length, mine), length))
        begin = float(minutes[-1])
        if going.question.drained:
            paths = paths[:1]
            going.leave_out()
    path = Path(*(np.concatenate(parts) for parts in zip(*paths, strict=True)))
    return QueueWalk(state.seen, going.drains, going.first, going.turn, path)


class _Going:
    def __init__(self, state: Particles, question: Question) -> None:
        seen, self.state, self.question = state.seen, state, question
        self.alive = np.arange(PARTICLES)
        shape = (len(question.counts), PARTICLES)
        ends = {Until.DRAWN: state.ends, Until.NEVER: np.full(PARTICLES, NEVER), Until.NOW: np.zeros(PARTICLES)}
        self.ends = ends[question.until]
        self.back = state.back if question.until is Until.DRAWN else self.ends
        columns = np.array([self._added_and_most(more) for more in question.counts]).T
        self.added_runners, self.max_with_added = columns[:, :, None]
        self.max_runners = (
            np.full(PARTICLES, seen.supply.max_runners)
            if seen.runners_counted or seen.supply.limited
            else state.runners
        )
        self.reached = np.full(PARTICLES, 0.0 if seen.supply.reached else NEVER)
        """Since when the pool has as many runners as it may."""
        self.system = np.tile(seen.queued + state.runners, (len(question.counts), 1))
        self.arrived = np.zeros(PARTICLES)
        self.above = np.full(shape, seen.queued) - max(seen.floor, self._young(np.zeros(1))[0])
        self.drains, self.first, self.turn = np.full((1 + 2, *shape), NEVER)

    def _added_and_most(self, more: float) -> tuple[float, float]:
        """(added runners that take jobs, the most that the pool then has) when so many are asked for.

        A size is a total, so an autoscaler that comes that far by itself adds nothing to it. A limit moves the
        autoscaler's own, and requests leave it as it is.
        """
        seen, reach = self.state.seen, self.question.reach
        supply, works = seen.supply, seen.supply.works
        there = (
            supply.max_runners / works + supply.away if reach.lever is Lever.LIMIT and supply.limited else supply.there
        )
        if reach.maximum is not None:
            more = max(0.0, min(more, reach.maximum - there))
        most = {
            Lever.SIZE: max(supply.max_runners, (there + more - supply.away) * works),
            Lever.LIMIT: supply.max_runners + more * works,
            Lever.REQUESTS: supply.max_runners,
        }[reach.lever]
        known = supply.limited or (seen.runners_counted and reach.lever is Lever.SIZE)
        return 0.0 if seen.no_gain(reach.lever) else more * works, most if known else NEVER

    def ahead(self, minutes: Array, length: float, chance: Array) -> _Ahead:
        state, seen, alive = self.state, self.state.seen, self.alive
        at, ends = minutes[:, None] - length / 2, self.ends[alive]
        over = np.maximum(0.0, at - ends)
        """Minutes since the trouble ended."""
        load, pace = self._load(at), state.pace[alive]
        usual = state.usual_pace[alive]
        pace = usual + (pace - usual) * np.exp(-usual * over)  # jobs that run already go on as they began
        well = (seen.told.fresh and seen.supply.works == 1) * seen.well / (seen.well + at)
        new_pace = pace + np.maximum(usual - pace, 0.0) * well  # new machines stay well as long as the others did: Gott
        batches, working = state.load[alive] / seen.batches, np.maximum(state.runners, 1.0)[alive] * state.pace[alive]
        jobs = length * np.stack([batches, working])
        spread = np.sqrt(np.log1p(1 / np.maximum(jobs, FEWEST)))  # of lognormal factors with mean 1
        lucky = np.exp(spread * chance[:, :, alive] - spread**2 / 2)
        hosts = seen.offline * seen.supply.works
        away = np.where(self.back[alive] < at, 0.0, hosts)  # hosts come back by themselves, whatever else ends
        present = self._present(at, over, hosts, away)
        added = self._added(at, self._come(at, present))
        came, pace, new_pace = load * length * lucky[:, 0], pace * lucky[:, 1], new_pace * lucky[:, 1]
        return _Ahead(minutes, load, came, pace, new_pace, present, hosts - away, added)

    def _load(self, at: Array) -> Array:
        """Arrivals per minute: as now, with the usual shape of the day; once the trouble is over the usual ones."""
        state, habits, alive = self.state, self.state.seen.usual.habits, self.alive
        then, now = usual_at(habits, at), float(usual_at(habits, np.zeros(1))[0])
        load = np.where(
            at > self.ends[alive], then * state.level[alive], state.load[alive] * (then / now if now else 1.0)
        )
        if not state.drift.any():
            return load
        apart = math.log(HOURS_DIFFER) * np.sqrt(np.minimum(1.0, at / QUARTER_MINUTES))
        return np.asarray(load * np.exp(state.drift[alive] * apart))

    def _present(self, at: Array, over: Array, hosts: float, away: Array) -> Array:
        """Runners that take jobs: those of now, what comes, hosts that are back, and the usual ones after a repair."""
        state, seen, alive = self.state, self.state.seen, self.alive
        runners, ends = state.runners[alive], self.ends[alive]
        served = seen.usual.habits[0].arrivals / state.usual_pace[alive]  # in usual times a pool serves its usual jobs
        usual = np.maximum(seen.usual.runners if seen.runners_counted else served, runners)
        most = self.max_runners[alive]
        if seen.held is not None:  # what runs ends, and nothing starts
            return np.asarray(np.where(over > 0, usual, runners * np.exp(-state.pace[alive] * at)))
        broken = np.minimum(at, ends)
        boots = seen.supply.booting * seen.supply.works * (seen.refused is None and seen.still is None)
        came = state.runners_per_minute[alive] * broken + boots * np.minimum(1.0, broken / seen.boot)
        fewer = runners * np.exp(-state.pace[alive] * broken)  # above a limit that fell, jobs end first
        now = np.where(runners > most, np.maximum(most, fewer), np.minimum(most, runners + came))
        booted, slow = np.maximum(0.0, over - seen.boot), np.zeros(len(alive), bool)
        if len(state.launched):  # as many run as are launched while a job lasts
            slow = state.launched[alive] >= seen.supply.usual_launches  # as ever, so no end of the trouble changes it
            settled = state.launched[alive] / state.pace[alive]
            now = np.minimum(
                most, settled + (runners - settled) * np.exp(-state.pace[alive] * np.where(slow, at, broken))
            )
        now = np.where(slow, now, now + np.maximum(0.0, usual - away - now) * -np.expm1(-booted / seen.boot))
        return np.asarray(np.minimum(now + hosts - away, np.maximum(usual, now)), np.float64)

    def _come(self, at: Array, present: Array) -> Array:
        """The minute at which added runners take jobs."""
        seen, alive, lever = self.state.seen, self.alive, self.question.reach.lever
        full = present >= self.max_runners[alive]
        self.reached[alive] = np.minimum(
            self.reached[alive], np.where(full.any(axis=0), at[full.argmax(axis=0), 0], NEVER)
        )
        return self.reached[alive] + seen.boot if lever is Lever.LIMIT else np.full(len(alive), seen.boot)

    def _added(self, at: Array, come: Array) -> Array:
        """Share of the added runners that take jobs: they come as launches succeed, each failed one again after a boot.

        Where each job has its own machine, one that was requested ends with its job.
        """
        seen, since = self.state.seen, np.maximum(0.0, at - come)
        succeeding = seen.supply.share_succeeding
        failing = 0.0 if succeeding is None else 1.0 - succeeding
        share = np.where(at >= come, 1.0 - failing ** (since / seen.boot + 1.0), 0.0)
        own = self.question.reach.lever is Lever.REQUESTS and seen.supply.works < 1
        return np.asarray(share * np.exp(-self.state.pace[self.alive] * since) if own else share)

    def _young(self, at: Array) -> Array:
        """Jobs of now whose wait is still normal at these times."""
        seen = self.state.seen
        return seen.queued * np.maximum(0.0, seen.normal_wait - at) / max(seen.waited, seen.normal_wait, 0.5)

    def lives(self, ahead: _Ahead, length: float) -> tuple[Array, Array, Array]:
        """Live on through these steps; the path of the first row."""
        alive, system = self.alive, self.system[:, self.alive]
        present, returned = ahead.present[:, None], ahead.returned[:, None]
        free = np.maximum(0.0, self.max_with_added + returned - present)
        runners = present + np.minimum(self.added_runners * ahead.added[:, None], free)
        new = np.maximum(runners - returned - self.state.runners[alive], 0.0)
        more = (ahead.new_pace - ahead.pace)[:, None]
        pace = ahead.pace[:, None] + more * new / np.maximum(runners, TINY)
        queued = np.empty_like(runners)
        for step, half in enumerate(ahead.came / 2):
            system = flow(system + half, runners[step], pace[step], length) + half
            np.maximum(system - runners[step], 0.0, out=queued[step])
        self.system[:, alive] = system
        arrived = self.arrived[alive] + np.cumsum(ahead.came, axis=0)
        self.arrived[alive] = arrived[-1]
        self._note(ahead, length, queued, arrived)
        return ahead.minutes, queued[:, 0], arrived

    def _note(self, ahead: _Ahead, length: float, queued: Array, arrived: Array) -> None:
        """When each particle has drained, and when its jobs of now started."""
        seen, alive, at = self.state.seen, self.alive, ahead.minutes[:, None]
        normal = np.maximum(seen.floor, ahead.load * np.minimum(at, seen.normal_wait) + self._young(at))
        above = np.concatenate([self.above[None, :, alive], queued - normal[:, None, :]])
        self.above[:, alive] = above[-1]
        step = (above[1:] <= 0).argmax(axis=0)
        before, after = (np.take_along_axis(above, place[None], axis=0)[0] for place in (step, step + 1))
        part = np.minimum(1.0, -after / np.maximum(before - after, TINY))
        found = np.where(after <= 0, np.maximum(0.5, ahead.minutes[step] - length * part), NEVER)
        self.drains[:, alive] = np.minimum(self.drains[:, alive], found)
        started = seen.queued + arrived[:, None, :] - queued
        for times, jobs in ((self.first, min(1.0, seen.queued)), (self.turn, seen.queued)):
            done = started >= jobs - TINY
            first = np.where(done.any(axis=0), ahead.minutes[done.argmax(axis=0)], NEVER)
            times[:, alive] = np.minimum(times[:, alive], first)

    def leave_out(self) -> None:
        """Go on with the particles that have not drained in every row."""
        self.alive = self.alive[~np.isfinite(self.drains[:, self.alive]).all(axis=0)]
