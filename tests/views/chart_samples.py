"""Incidents whose queue has gone a way worth a picture: a surge that was scaled, several pools, one with a gap."""

from dataclasses import replace

from bot.core.charts.queue_series import Span, extended
from bot.core.forecast.outlook import Forecast, Score, Verdict
from bot.core.incident.details.general import PlainText
from bot.core.incident.incident import Incident, State, noted
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Peak, Pool, Snapshot
from tests.builders import with_fields
from tests.views.samples import BEGAN, TIMING, incident

POOL = "linux.2xlarge"
OTHERS = ("linux.4xlarge", "linux.gpu.nvidia", "macos-14")
POLL = TIMING.poll
MINUTES = 70


def queue(minute: float, most: float = 58.0) -> int:
    """Jobs queued so many minutes after the alert: they come in a surge, and go once it was scaled."""
    if minute < -6:
        return 0
    if minute < 24:
        return round(most * (minute + 6) / 30)
    return max(0, round(most - (minute - 24) * most / 40))


def sampled(name: str, minutes: float, most: float = 58.0, *, unknown: tuple[float, float] = (0, 0)) -> Pool:
    """The pool's samples from half an hour before the alert on; nothing is known of the minutes in `unknown`."""
    found = []
    for step in range(int((minutes + 30) * 60 / POLL)):
        minute = step * POLL / 60 - 30
        queued, runners = queue(minute, most), 20 if minute < 27 else min(36, 20 + int(minute - 27) * 2)
        hidden = unknown[0] <= minute < unknown[1]
        found.append(
            Snapshot(
                name,
                BEGAN + minute * 60,
                queued=None if hidden else queued,
                oldest_wait_seconds=None if hidden else max(0.0, min(45.0, minute + 6)) * 60 if queued else 0.0,
                busy=min(runners, 4 if minute < -6 else runners),
                idle=0 if minute >= -6 else runners - 4,
                limit=40,
            )
        )
    return Pool(name, tuple(found))


def followed(one: Incident, *pools: Pool) -> Incident:
    """The incident with the course of each pool, and its peaks."""
    span = Span(one.began_at, one.opened_at, POLL, len(pools))
    courses = {pool.id: extended(None, pool.samples, span, "surge") for pool in pools}
    peaks = {
        pool.id: Peak(max(s.queued or 0 for s in pool.samples), max(s.oldest_wait_seconds or 0 for s in pool.samples))
        for pool in pools
    }
    return with_fields(one, courses=courses, peaks=peaks)


def surge(minutes: float = 30, *, forecast: bool = True) -> tuple[Incident, View]:
    """One pool, so many minutes after the alert, acknowledged and scaled, with a forecast of its end."""
    pool = sampled(POOL, minutes)
    last = pool.samples[-1]
    made = Forecast(last.at, Verdict.INTERVAL, last.queued, 900.0, 1500.0, 2700.0, pool=POOL)
    one = incident(candidates=(POOL,), affected=(POOL,))
    one = noted(one, BEGAN + 300, Event.ACKED, PlainText("has it."), who="U0ANA")
    one = noted(one, BEGAN + 1500, Event.APPROVAL, PlainText("approved scaling to 36, requested by"), who="U0BEN")
    one = noted(
        one,
        BEGAN + 1560,
        Event.SCALED,
        PlainText("asked linux.2xlarge for from 20 to 36 runners (request accepted)."),
        who="U0ANA",
    )
    return followed(one, pool), View({POOL: replace(pool, outlook=made if forecast else None)})


def over() -> tuple[Incident, View]:
    """The same when it has drained, with a gap in what is known, held against its first forecast."""
    one, _ = surge(30)
    pool = sampled(POOL, MINUTES, unknown=(38, 44))
    made = Forecast(BEGAN + 1800, Verdict.INTERVAL, 52, 1200.0, 1900.0, 2700.0, pool=POOL)
    drained = BEGAN + MINUTES * 60
    one = with_fields(
        followed(one, pool), state=State.DRAINED, closed_at=drained, scores=(Score(made, 2040.0, held=True),)
    )
    return noted(one, drained, Event.DRAINED, PlainText("Drained: linux.2xlarge."), broadcast=True), View({POOL: pool})


def several(number: int = 4) -> tuple[Incident, View]:
    """Several pools at once, the first the worst, and one name that no font knows."""
    names = (POOL, *OTHERS, "линукс-5", "windows")[:number]
    pools = [sampled(name, 30, 58 / (n + 1)) for n, name in enumerate(names)]
    one = incident(candidates=names, affected=names)
    one = noted(one, BEGAN + 300, Event.ACKED, PlainText("has it."), who="U0ANA")
    return followed(one, *pools), View({pool.id: pool for pool in pools})
