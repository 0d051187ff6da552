"""Where each rule begins and where it ends: a little more and the cause is named, a little less and it is not."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.finding import Facts, Finding, FleetContext, Moment, Scaling, facts_of
from bot.core.incident.details.events import Diagnosed, QueueingPool
from bot.core.pool.hour_stats import DayStats
from bot.core.pool.pool import Counted, Pool, PoolRules, Snapshot
from bot.core.statement import statement
from bot.diagnosis.rank import diagnosed
from bot.views.words.diagnosis import caution, evidence_words, survey_headline
from tests.diagnosis.rows import AT, HUNG, POOL, facts, lately

SEEN = statement("limit_was", limit=50)
DEAD: dict[str, Any] = {"booting": 0, "creates": 0, "registered": 0}
QUIET = {**DEAD, "busy": 0}
UNASKED: dict[str, Any] = {"booting": None, "creates": None, "registered": None, "requests": 0, "looks": 300}
"""Nobody counts machines, and the autoscaler's own queue is empty."""
REFUSED = {"creates": 0, "registered": 0}


def sources(rate: float, **jobs: tuple[float, float]) -> Facts:
    """Jobs by source in the last 15 min, and the share that is usual of each, of so many a minute."""
    now = tuple(Counted(name, number) for name, (number, _) in jobs.items())
    usual = tuple(Counted(name, share) for name, (_, share) in jobs.items() if rate)
    every = sum(one.number for one in now) / 15
    return facts(
        arrivals_by_source=now, usual_by_source=usual, usual_arrivals_per_minute=rate or None, arrivals_per_minute=every
    )


def once(found: Facts, minutes: int, **changes: Any) -> Facts:
    """One look, so many minutes ago, was different."""
    series = tuple(replace(s, **changes) if s.at == AT - 60 * minutes else s for s in found.series)
    return replace(found, series=series)


def now_and_then(found: Facts, every: int, **changes: Any) -> Facts:
    """Every so manieth look was different; the newest was not."""
    series = tuple(replace(s, **changes) if n % every == 0 else s for n, s in enumerate(reversed(found.series), 1))
    return replace(found, series=tuple(reversed(series)))


def flow(rate: float) -> dict[str, Any]:
    """So many jobs start and end a minute."""
    return {"starts_per_minute": rate, "completions_per_minute": rate}


def burst(rate: float) -> Facts:
    """So many jobs a minute arrived for ten minutes, 25 minutes ago."""
    return lately(lately(facts(), 30, arrivals_per_minute=rate), 20, arrivals_per_minute=2.0)


def shrunk() -> Facts:
    """A pool with four hours of 20 busy runners before its jobs waited."""
    found = facts(looks=300)
    return replace(found, series=tuple(
        replace(s, queued=0, oldest_wait_seconds=0.0) if found.now.at - s.at > 3000 else s for s in found.series
    ))  # fmt: skip


def own(rate: float, before: int = 0) -> Facts:
    """Five hours without a usual by source; a bot sends jobs for 40 min, and so many before."""
    old = shrunk()
    told: dict[str, Any] = {"usual_by_source": (), "usual_arrivals_per_minute": None}
    calm = (Counted("bot", before), Counted("a", 20), Counted("b", 10))
    series = tuple(replace(s, arrivals_by_source=calm, **told) for s in old.series)
    sent = (Counted("bot", 15 * rate - 30), Counted("a", 20), Counted("b", 10))
    return lately(replace(old, series=series), 40, arrivals_per_minute=rate, arrivals_by_source=sent)


def pushed(jobs: int) -> tuple[Counted, ...]:
    """The bot's usual jobs of a window, and a push of another source."""
    return (Counted("bot", 45), Counted("a", jobs), Counted("b", 10))


def leaner(busy: int) -> Facts:
    """The limit fell from 40 to 20, and only the queue, the limit and the runners are told."""
    bare: dict[str, Any] = {"booting": None, "completions_per_minute": None, "usual_duration_seconds": None}
    series = tuple(replace(s, **bare) for s in shrunk().series)
    return lately(replace(shrunk(), series=series), 40, limit=20, busy=busy)


def ageing(found: Facts) -> Facts:
    """The same, whose oldest job came 40 min ago."""
    waits = ((s, s.at - (AT - 2400) if s.queued else 0.0) for s in found.series)
    return replace(found, series=tuple(replace(s, oldest_wait_seconds=max(0.0, wait)) for s, wait in waits))


def leaving(online: int, creates: int = 3, of: int = 20) -> Facts:
    """A pool that has requested no runner for 40 min while jobs wait, and has so many left."""
    before = replace(shrunk(), series=tuple(replace(s, creates=creates, busy=of) for s in shrunk().series))
    return ageing(lately(before, 40, busy=online, **DEAD))


def calmer(found: Facts) -> Facts:
    """The same, but no job waited until 40 min ago."""
    return replace(found, series=tuple(s if AT - s.at < 2400 else replace(s, queued=0) for s in found.series))


def fewer(**more: Any) -> Facts:
    """A pool with a machine for each job that has created few of them for 40 min."""
    return lately(shrunk(), 40, creates=8, **more)


def few(usually: int) -> Facts:
    """Jobs for which hardly a machine is created, in a pool that created so many in 15 min before."""
    found = shrunk()
    before = replace(found, series=tuple(replace(sample, creates=usually) for sample in found.series))
    return lately(before, 40, creates=1, booting=1, arrivals_per_minute=0.2)


def coded(code: int, failures: int, **more: Any) -> Facts:
    """So many refusals, of which so many say that no machines are left."""
    codes = (Counted("InsufficientInstanceCapacity", code),)
    return facts(**{**REFUSED, "create_failures": failures, "create_failures_by_code": codes, **more})


def calm(minutes: int, before: dict[str, Any], **more: Any) -> Facts:
    """Four calm hours with these figures, and for so many minutes waiting jobs and others."""
    found = shrunk()
    return lately(replace(found, series=tuple(replace(s, **before) for s in found.series)), minutes, **more)


def seldom(found: Facts) -> Facts:
    """The same, measured every ten minutes."""
    return replace(found, series=tuple(s for s in found.series if round(AT - s.at) % 600 == 0))


def silent(queued: int) -> Facts:
    """A pool with a machine for each job, that has none while so many wait."""
    return ageing(calm(40, {"creates": 30}, queued=queued, starts_per_minute=0.0, **QUIET))


def broken() -> Facts:
    """All of 20 machines in 15 min have registered so far."""
    return facts(creates=20, registered=20, booting=0)


QUIET_BEFORE = facts(creates=0, registered=0, booting=0)
SLOW: dict[str, Any] = {"creates": 4}
UNTIMED: dict[str, Any] = {
    "limit": 20, "booting": None, "oldest_wait_seconds": 60.0, "usual_duration_seconds": None,
    "completions_per_minute": None, "duration_p50_seconds": None,
}  # fmt: skip
EARLY: dict[str, Any] = {"oldest_wait_seconds": 60.0, "booting": 0, "creates": 0, "limit": 99}
UNSEEN: dict[str, Any] = {"registered": None, "creates": 30}
STATIC: dict[str, Any] = {"limit": 20, "offline": None, "booting": 0}
HOURS: dict[str, Any] = {"limit": 20, "booting": 0, "usual_arrivals_per_minute": None, "usual_by_source": ()}
MANY = ("a", "b", "c", "d")
PAIRS: list[tuple[str, str, Facts, Facts]] = [
    ("its share", "flood", sources(2, a=(41, 2), b=(21, 1), bot=(45, 0)),
     sources(2, a=(41, 2), b=(21, 1), bot=(38, 0))),
    ("times usual", "flood", sources(10, a=(165, 1), b=(75, 1)), sources(10, a=(135, 1), b=(75, 1))),
    ("chance", "flood", sources(0.2, a=(20, 1), b=(4, 1)), sources(0.2, a=(5, 1), b=(3, 1))),
    ("all send more", "flood", sources(10, a=(300, 1), b=(75, 1)), sources(10, a=(300, 1), b=(225, 1))),
    ("usual unknown, few", "flood", sources(0, bot=(9, 1), b=(1, 1)), sources(0, bot=(4, 1), b=(0, 1))),
    ("usual unknown, share", "flood", sources(0, bot=(9, 1), b=(1, 1)), sources(0, bot=(7, 1), b=(3, 1))),
    ("usual unknown, one push", "flood", sources(0, bot=(9, 1), b=(1, 1)),
     lately(sources(0, bot=(1, 1), b=(9, 1)), 10, arrivals_by_source=(Counted("bot", 9), Counted("b", 1)))),
    ("its jobs wait", "flood", lately(own(5.0), 40, arrivals_per_minute=2.0), lately(own(5.0), 40, queued=400)),
    ("beside a push of others", "flood", lately(own(5.0), 5, arrivals_by_source=pushed(100)),
     lately(own(5.0), 5, arrivals_by_source=pushed(300))),
    ("in a busier hour", "flood", own(5.0, before=10), replace(own(5.0, before=10), day=DayStats(6.0))),
    ("by its own past", "flood", own(5.0), own(5.0, before=25)),
    ("still run", "hung", facts(**flow(0.5), limit=28), facts(**flow(1.0), limit=28)),
    ("room for more", "hung", facts(**flow(0.5), limit=37), facts(**flow(0.5), limit=38)),
    ("by chance", "hung", facts(busy=8, limit=16, **flow(0.1)), facts(busy=4, limit=12, **flow(0.05))),
    ("busy all along", "hung", facts(**HUNG, looks=30, limit=20, booting=0),
     lately(facts(**HUNG, looks=30, limit=20, booting=0, busy=1), 8, busy=20)),
    ("runners that came just now", "hung", lately(facts(**flow(0.5), limit=28, busy=2), 18, busy=20),
     lately(facts(**flow(0.5), limit=28, busy=2), 8, busy=20)),
    ("an idle runner", "hung", facts(**flow(0.3), limit=28), facts(idle=1, limit=28, **flow(0.3))),
    ("a pool that shrank", "hung", facts(**flow(0.3), limit=20, booting=0), lately(shrunk(), 20, busy=6, **flow(0.2))),
    ("vanished", "runners_die", facts(completions_per_minute=1.0), facts(completions_per_minute=1.8)),
    ("slower boots", "slow_boot", facts(registered=15), facts(registered=20)),
    ("few requested", "too_few", facts(booting=3), facts(booting=8)),
    ("machines for many jobs", "too_few", few(4), few(24)),
    ("a machine for each job", "lost_events", few(24), few(4)),
    ("no room", "too_few", facts(booting=3), facts(booting=3, limit=24)),
    ("its machines boot and boot", "limit", facts(limit=28, busy=15, booting=13),
     facts(limit=28, busy=13, booting=15)),
    ("nearly full", "limit", facts(limit=21, booting=0), facts(limit=25, booting=0)),
    ("one is idle", "limit", facts(limit=20, booting=0), facts(limit=20, booting=0, busy=19, idle=1)),
    ("asked for", "lost_events", facts(**DEAD), now_and_then(facts(**DEAD), 2, booting=1)),
    ("hardly asked", "lost_events", now_and_then(facts(**DEAD), 6, booting=1),
     now_and_then(facts(**DEAD), 2, booting=1)),
    ("refused", "lost_events", facts(**DEAD), facts(**DEAD, create_failures=3)),
    ("idle", "lost_events", facts(**DEAD), facts(**DEAD, idle=1)),
    ("no queue", "lost_events", facts(**DEAD), once(facts(**DEAD), 5, queued=0)),
    ("room", "lost_events", facts(**DEAD, busy=94, limit=100), facts(**DEAD, busy=97, limit=100)),
    ("a part", "offline", facts(offline=14, busy=2, limit=16), facts(offline=6, busy=10, limit=16)),
    ("others idle", "offline", lately(facts(), 10, offline=14), lately(facts(), 10, offline=14, busy=4, idle=2)),
    ("a part of codes", "stockout", coded(4, 12), coded(2, 12)),
    ("most are given", "refused", facts(create_failures=2, creates=5), facts(create_failures=2, creates=8)),
    ("codes explain", "refused", facts(create_failures=12, creates=0), coded(12, 12)),
    ("above usual", "surge", facts(arrivals_per_minute=3.2), facts(arrivals_per_minute=2.5)),
    ("a pool that lost runners", "surge", lately(shrunk(), 40, arrivals_per_minute=6.0),
     lately(shrunk(), 40, arrivals_per_minute=6.0, busy=6)),
    ("all busy", "surge", facts(arrivals_per_minute=6.0), facts(arrivals_per_minute=6.0, idle=1)),
    ("a burst before", "surge", burst(16.0), burst(4.0)),
    ("a run of the same", "hosted", facts(pool="ubuntu-latest"), facts(pool="ubuntu-mine")),
    ("nearly no call", "throttled_api", facts(api_remaining=50), facts(api_remaining=51)),
    ("three pools", "together", facts(FleetContext(MANY, MANY[:3])), facts(FleetContext(MANY[:3], MANY[:2]))),
    ("over half", "together", facts(FleetContext(MANY, MANY[:3])), facts(FleetContext((*MANY, "e", "f"), MANY[:3]))),
    ("two looks", "unassigned", lately(facts(), 2, idle=6), lately(facts(), 1, idle=6)),
    ("one pool", "unassigned", facts(idle=6), facts(FleetContext(MANY, MANY[:2], MANY[:2]), idle=6)),
    ("many pools", "provider", facts(FleetContext(MANY, MANY[:2], MANY[:2]), idle=6),
     facts(FleetContext(MANY, MANY[:2], MANY[:1]), idle=6)),
    ("one that starts nothing", "provider", facts(provider_up=None, idle=6, **flow(0.0)),
     facts(provider_up=None, idle=6, **flow(0.1))),
    ("jobs that will wait", "limit", facts(limit=20, booting=0, oldest_wait_seconds=60.0, queued=13),
     facts(limit=20, booting=0, oldest_wait_seconds=60.0, queued=12)),
    ("jobs that take as long as most", "limit", facts(**UNTIMED, queued=13), facts(**UNTIMED, queued=12)),
    ("more refusals than jobs", "refused", facts(**EARLY, create_failures=31), facts(**EARLY, create_failures=30)),
    ("none boots", "refused", facts(**EARLY, create_failures=31), facts(**{**EARLY, "booting": 1}, create_failures=31)),
    ("runners that may come", "surge", facts(limit=22, booting=0, oldest_wait_seconds=60.0, arrivals_per_minute=9.0),
     facts(limit=50, booting=0, oldest_wait_seconds=60.0, arrivals_per_minute=9.0)),
    ("overtaken", "stale_rows", facts(queued=6), facts(queued=60)),
    ("half ask for another", "unknown_label", facts(unservable=15), facts(unservable=14)),
    ("one boots", "unknown_label", facts(**QUIET, limit=0), facts(**{**QUIET, "booting": 1}, limit=0)),
    ("one is offline", "unknown_label", facts(**QUIET, limit=0), facts(**QUIET, limit=0, offline=1)),
    ("runners leave", "unknown_label", leaving(11), leaving(13)),
    ("there were some while jobs waited", "unknown_label", lately(leaving(0), 40, queued=3),
     calmer(lately(leaving(0), 40, queued=3))),
    ("one was created since", "unknown_label", once(leaving(8), 25, creates=1), once(leaving(8), 15, creates=1)),
    ("each job has its own", "unknown_label", leaving(18, creates=40), leaving(18)),
    ("far more boot than are created", "slow_boot",
     facts(booting=18, creates=35, limit=99, registered=None, starts_per_minute=None),
     facts(booting=18, creates=37, limit=99, registered=None, starts_per_minute=None)),
    ("old ones boot still", "slow_boot", facts(booting=37, creates=25, limit=99, oldest_wait_seconds=590.0),
     facts(booting=35, creates=25, limit=99, oldest_wait_seconds=590.0)),
    ("too many for a rush", "slow_boot", facts(booting=42, limit=99, oldest_wait_seconds=590.0),
     facts(booting=39, limit=99, oldest_wait_seconds=590.0)),
    ("its own machine boots", "limit", facts(limit=25, booting=None), facts(limit=27, booting=None)),
    ("no spare machine, as ever", "lost_events", calm(46, {"creates": 240}, creates=20, completions_per_minute=4.0),
     calm(46, {"creates": 240}, creates=22, completions_per_minute=4.0)),
    ("failed ones hold places", "lost_events", fewer(failed=9), fewer(failed=11)),
    ("some register", "unregistered", facts(creates=10, registered=7, booting=0),
     facts(creates=10, registered=8, booting=0)),
    ("most register", "unregistered", lately(broken(), 15, registered=13), lately(broken(), 15, registered=14)),
    ("failed ones show it at once", "unregistered", lately(broken(), 1, registered=12, failed=7),
     lately(broken(), 1, registered=12)),
    ("none yet", "unregistered", lately(QUIET_BEFORE, 8, booting=5), lately(QUIET_BEFORE, 7, booting=5)),
    ("one is too few", "unregistered", lately(QUIET_BEFORE, 15, booting=2), lately(QUIET_BEFORE, 15, booting=1)),
    ("a batch at the edge of the time", "unregistered", lately(facts(creates=10, registered=10), 2, creates=24),
     lately(facts(creates=10, registered=10), 1, creates=24)),
    ("more of them boot now", "unregistered", facts(creates=10, registered=7),
     lately(facts(creates=10, registered=7, booting=8), 44, booting=10)),
    ("still booting", "unregistered", facts(creates=3, registered=0, booting=0),
     lately(facts(creates=0, registered=0, booting=0), 15, creates=3, booting=1)),
    ("room beside", "failed_fill", facts(failed=18, booting=0), facts(failed=17, booting=0)),
    ("one for each job", "failed_fill", facts(failed=15, queued=15, booting=0, creates=0),
     facts(failed=15, queued=16, booting=0, creates=0)),
    ("it fell", "limit", leaner(17), leaner(13)),
    ("hosts that nobody counts", "offline", calm(40, STATIC, busy=14), calm(40, STATIC, busy=16)),
    ("hosts of a pool that grows and shrinks", "offline", calm(40, STATIC, busy=14),
     calm(40, {**STATIC, "limit": 24}, busy=14)),
    ("it keeps its size", "too_few", calm(40, {}, booting=3),
     now_and_then(calm(40, {}, booting=3), 3, busy=17)),
    ("machines that start no job", "unregistered", calm(40, UNSEEN, starts_per_minute=0.6),
     calm(40, UNSEEN, starts_per_minute=1.6)),
    ("machines without a runner", "unregistered", calm(50, UNSEEN, machines=29), calm(50, UNSEEN, machines=28)),
    ("failed before", "unregistered", lately(facts(registered=None), 20, failed=9), facts(registered=None, failed=9)),
    ("boots that no job follows", "slow_boot", facts(booting=30, limit=60, **UNSEEN, **flow(1.0)),
     facts(booting=12, limit=60, **UNSEEN, **flow(2.0))),
    ("a counter of the last quarter", "lost_events", seldom(facts(**DEAD)), seldom(facts(booting=0, creates=None))),
    ("nothing at all is added", "lost_events", calm(40, SLOW, booting=0, creates=0),
     calm(40, SLOW, booting=0, creates=2)),
    ("hardly any is added", "too_few", calm(40, SLOW, booting=1, queued=20), calm(40, SLOW, booting=7, queued=20)),
    ("refused meanwhile", "unknown_label", facts(**QUIET),
     lately(facts(**QUIET, create_failures=3), 10, create_failures=0)),
    ("no request waits", "lost_events", facts(**UNASKED), once(facts(**UNASKED), 5, requests=1)),
    ("room all the time", "lost_events", once(facts(**UNASKED), 5, busy=38), once(facts(**UNASKED), 5, busy=39)),
    ("long enough for two boots", "lost_events", facts(**UNASKED, oldest_wait_seconds=660.0),
     facts(**UNASKED, oldest_wait_seconds=540.0)),
    ("room for requests", "lost_events", facts(**UNASKED), facts(**UNASKED, limit=20)),
    ("nobody comes", "lost_events", facts(**UNASKED), lately(facts(**UNASKED), 5, busy=21)),
    ("requests refused", "lost_events", facts(**UNASKED), facts(**UNASKED, create_failures=1)),
    ("for a quarter of an hour", "unregistered", lately(calm(50, UNSEEN, machines=28), 16, machines=50),
     lately(calm(50, UNSEEN, machines=28), 15, machines=50)),
    ("there was a machine once", "lost_events", once(facts(**QUIET), 50, booting=1), facts(**QUIET)),
    ("few jobs that nobody heard", "lost_events", facts(**QUIET, queued=5), facts(**QUIET, queued=6)),
    ("a known limit", "unknown_label", facts(**QUIET, queued=5, limit=None, create_failures=None),
     facts(**QUIET, queued=5, create_failures=None)),
    ("there was a runner once", "lost_events", once(facts(**UNASKED, busy=0), 200, busy=1), facts(**UNASKED, busy=0)),
    ("never seen to boot", "lost_events", once(facts(booting=0, creates=None), 50, booting=2),
     facts(booting=0, creates=None)),
    ("offline ones hold places beside", "failed_fill", facts(failed=1, offline=37, busy=2, booting=0),
     facts(failed=1, offline=38, busy=2, booting=0)),
    ("more than always", "offline", lately(facts(offline=60), 10, offline=75),
     lately(facts(offline=60), 10, offline=61)),
    ("more than a few", "offline", lately(facts(offline=2), 10, offline=12), lately(facts(), 10, offline=3)),
    ("rows that are always there", "offline", lately(facts(), 10, offline=14), facts(offline=60, busy=20, limit=40)),
    ("two are being replaced", "limit", lately(facts(limit=20, booting=0), 1, busy=18),
     lately(facts(limit=20, booting=0), 1, busy=9)),
    ("a slot of a small pool", "limit", facts(limit=8, busy=7, booting=0), facts(limit=8, busy=6, booting=0)),
    ("two of a small pool", "limit", lately(facts(limit=3, busy=3, booting=0), 1, busy=1),
     lately(facts(limit=3, busy=3, booting=0), 1, busy=0)),
    ("idle beside", "failed_fill", facts(failed=20, booting=0), facts(failed=20, booting=0, busy=18, idle=2)),
]  # fmt: skip


@pytest.mark.parametrize(("cause", "more", "less"), [row[1:] for row in PAIRS], ids=[f"{r[1]}-{r[0]}" for r in PAIRS])
def test_a_little_more_names_the_cause_and_a_little_less_does_not(cause: str, more: Facts, less: Facts) -> None:
    """Figures on both sides of one condition of the rule, all others alike."""
    assert cause in {one.cause for one in diagnosed(more).findings}
    assert cause not in {one.cause for one in diagnosed(less).findings}


def of(found: Facts, cause: str) -> Finding:
    """The finding of this cause."""
    return next(one for one in diagnosed(found).findings if one.cause is cause)


SURER: list[tuple[str, str, Facts, Facts]] = [
    ("others as usual", "flood", sources(2, a=(20, 2), b=(10, 1), bot=(68, 0)),
     sources(2, a=(67, 2), b=(33, 1), bot=(68, 0))),
    ("arrivals as usual", "hung", facts(**flow(0.3), limit=28),
     facts(**flow(0.3), limit=28, arrivals_per_minute=6.0)),
    ("others are started", "unassigned", facts(idle=6, **flow(0.5)), facts(idle=6)),
    ("a leap above hours", "surge", calm(40, HOURS, arrivals_per_minute=5.0), calm(40, HOURS, arrivals_per_minute=3.5)),
    ("runners that nobody took away", "runners_die", facts(completions_per_minute=1.0),
     lately(facts(completions_per_minute=1.0, limit=60), 40, limit=40)),
    ("a day is known", "limit", replace(calm(40, HOURS), day=DayStats(2.0, 2.5)), calm(40, HOURS)),
    ("more than a few have left", "unknown_label", leaving(1, of=4), leaving(1, of=3)),
    ("none was created", "unknown_label", silent(9), once(silent(9), 10, creates=1)),
    ("refusals known", "lost_events", facts(**DEAD), facts(**DEAD, create_failures=None)),
    ("a queue of requests, and runners", "lost_events", facts(**UNASKED), lately(facts(**UNASKED), 20, busy=0)),
    ("a queue of requests, and few jobs", "lost_events", lately(facts(**UNASKED, queued=5), 20, busy=0),
     lately(facts(**UNASKED), 20, busy=0)),
    ("nobody there", "unknown_label", facts(**QUIET, limit=0), facts(**DEAD, busy=2, limit=0)),
    ("nothing given", "stockout", coded(12, 12), coded(12, 12, creates=12)),
    ("many refusals", "stockout", coded(5, 5), coded(2, 2)),
    ("the provider is silent, not up", "provider", facts(FleetContext(MANY, MANY, MANY), idle=6),
     facts(FleetContext(MANY, MANY, MANY, provider_up=True), idle=6)),
]  # fmt: skip


@pytest.mark.parametrize(("cause", "surer", "other"), [row[1:] for row in SURER], ids=[row[0] for row in SURER])
def test_what_fits_better_is_surer(cause: str, surer: Facts, other: Facts) -> None:
    less = next((one.confidence for one in diagnosed(other).findings if one.cause == cause), 0.0)
    assert of(surer, cause).confidence > less + 0.04


def test_the_flood_is_who_sends_more_than_usual_not_who_sends_most() -> None:
    """A big source at its usual rate is not to blame."""
    assert evidence_words(of(sources(7, big=(100, 100), bot=(80, 0)), "flood"))[0].startswith("bot sent 80 of 180 jobs")


EVIDENCE: list[tuple[str, str, Facts, str, bool]] = [
    ("a lowered limit", "limit", lately(facts(limit=40, booting=0), 20, limit=20), "the limit was 40 before", True),
    ("the same limit", "limit", facts(limit=20, booting=0), "before", False),
    ("ten of eleven looks", "limit", once(facts(limit=20, booting=0), 5, busy=15), "in 10 of the last 11 checks", True),
    ("refused before", "lost_events", lately(facts(**DEAD, create_failures=2), 20, create_failures=0),
     "none was sent since", True),
    ("never refused", "lost_events", facts(**DEAD), "none was sent since", False),
    ("places of the dead", "lost_events", facts(**DEAD, offline=3, failed=4), "13 more runners allowed", True),
    ("none started", "provider", facts(provider_up=False, starts_per_minute=0.0), "no job started", True),
    ("some started", "provider", facts(provider_up=False), "no job started", False),
    ("in many pools", "stockout", replace(coded(9, 9), fleet=FleetContext(MANY, MANY[:1], failing=MANY)), "in 4 pools",
     True),
    ("in this pool", "stockout", replace(coded(9, 9), fleet=FleetContext(MANY, MANY[:1], failing=MANY[:1])),
     "launch requests fail in", False),
    ("a burst that is over", "surge", burst(16.0), "up to 16.0 jobs per minute", True),
    ("refusals that nobody counts", "unknown_label", facts(**QUIET, create_failures=None),
     "0 created and refusals unknown in 15 min", True),
    ("refusals that nobody counts, of many pools", "together",
     facts(FleetContext(MANY, MANY), creates=0, create_failures=None), "created in 15 min, refusals unknown", True),
    ("no refusal in many pools", "together", facts(FleetContext(MANY, MANY), creates=0),
     "created in 15 min, none refused", True),
    ("a rate with its time", "surge", lately(facts(arrivals_per_minute=6.0), 3, arrivals_per_minute=0.5),
     "jobs per minute arrived in the last ", True),
    ("booting runners that nobody counts", "unknown_label", facts(limit=0, busy=0, booting=None),
     "booting runners are unknown", True),
    ("they may hold a part of the room", "surge", facts(arrivals_per_minute=6.0, booting=None), "more allowed", False),
    ("room", "surge", facts(arrivals_per_minute=6.0), "more allowed", True),
    ("failed ones hold the room", "surge", facts(**DEAD, failed=18, busy=22, arrivals_per_minute=6.0),
     "more allowed", False),
    ("few failed ones hold the room", "surge", facts(**DEAD, failed=5, busy=35, arrivals_per_minute=6.0),
     "more allowed", False),
    ("one source's rate", "flood", sources(7, big=(100, 100), bot=(80, 0)), "; 5.3 jobs per minute (usually", True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cause", "found", "words", "said"), [row[1:] for row in EVIDENCE], ids=[r[0] for r in EVIDENCE]
)
def test_evidence_says_what_was_seen(cause: str, found: Facts, words: str, said: bool) -> None:
    """Each sentence stands only where its figures do."""
    assert (words in "; ".join(evidence_words(of(found, cause)))) is said


@pytest.mark.parametrize(("minutes", "order"), [(15, ["surge", "flood"]), (16, ["flood", "surge"])])
def test_one_source_surges_until_it_sends_again(minutes: int, order: list[str]) -> None:
    """A large push, or a nightly run, fills one quarter of an hour."""
    found, usual = sources(2, a=(20, 2), b=(10, 1), bot=(200, 0)), (Counted("a", 20), Counted("b", 10))
    before = facts(arrivals_by_source=usual, usual_by_source=found.now.usual_by_source)
    begun = lately(before, minutes, arrivals_by_source=found.now.arrivals_by_source, arrivals_per_minute=15.0)
    assert [one.cause for one in diagnosed(begun).findings] == order


def test_when_all_sources_send_more_the_surge_comes_before_the_flood() -> None:
    """One of them sends most; without it there would be a surge as well."""
    found = sources(2, a=(67, 2), b=(33, 1), bot=(68, 0))
    assert [one.cause for one in diagnosed(found).findings] == ["surge", "flood"]


def test_an_open_cause_says_nothing_against_more_runners() -> None:
    """A blind source neither helps nor harms."""
    assert caution(Finding("blind", 0.8, (SEEN,), Scaling.UNKNOWN, "repair_metric_source")) == ""
    assert caution(Finding("quota", 0.8, (SEEN,), Scaling.NO, "raise_quota")) != ""


@pytest.mark.parametrize(
    ("boot", "wait", "waits"),
    [(60.0, 299.0, False), (60.0, 301.0, True), (600.0, 899.0, False), (600.0, 901.0, True), (600.0, None, True)],
)
def test_what_a_normal_wait_is(boot: float, wait: float | None, waits: bool) -> None:
    """Five minutes, or half as long again as machines boot; an unknown wait in a known queue counts as long."""
    found = replace(facts(oldest_wait_seconds=wait), rules=PoolRules(POOL, boot_time_seconds=boot))
    assert found.waits is waits


@pytest.mark.parametrize(
    ("figures", "waits"),
    [
        ({"queued": 12, "busy": 10, "limit": 40}, False),
        ({"queued": 12, "busy": 10, "limit": 40, "idle": None}, False),
        ({"queued": 60, "busy": 10, "limit": 40, "idle": None}, True),
        ({"queued": 12, "busy": 10, "limit": 12}, True),
        ({"create_failures": 13}, True),
        ({"create_failures": 12}, False),
        ({"create_failures": 13, "booting": None}, False),
        ({"create_failures": 13, "idle": None}, False),
    ],
)
def test_before_a_job_has_waited_long_an_unknown_figure_is_no_lack(figures: dict[str, Any], waits: bool) -> None:
    """A full pool takes its limit less its busy runners, whether or not its idle ones are counted."""
    given = {"queued": 12, "busy": 10, "limit": 40, "idle": 0, "booting": 0, "creates": 0, "oldest_wait_seconds": 60.0}
    assert facts(**{**given, **figures}).waits is waits


def test_half_of_the_pools_is_isolated() -> None:
    """Widespread is more than half."""
    for long, words in (("ab", "Only a and b are affected"), ("abc", "Widespread: 3 of 4")):
        found = Diagnosed(tuple(MANY), queueing=tuple(QueueingPool(name, 180.0) for name in long))
        lengths = {name: 30 if name in long else 0 for name in MANY}
        assert survey_headline(found, [Snapshot(name, AT, queued=n) for name, n in lengths.items()]).startswith(words)
        assert FleetContext(MANY, tuple(long)).widespread is words.startswith("Widespread")
        single = survey_headline(found, [Snapshot(name, AT, queued=1) for name in MANY])
        assert not single.startswith("Widespread")  # one job in each pool is no common trouble


def test_a_pool_without_a_known_queue_is_neither_affected_nor_free_of_one() -> None:
    found = Diagnosed(("a", "b", "c"), queueing=(QueueingPool("a", 180.0),), unread={"c": "no source"})

    def told(*queued: int | None) -> str:
        return survey_headline(found, [Snapshot(name, AT, queued=n) for name, n in zip("ab", queued, strict=True)])

    assert told(30, None) == "a has a queue (2 pools could not be measured)."
    assert told(30, 0) == "a is affected (1 of 2 pools) (1 pool could not be measured)."
    assert told(None, None) == "The queue is unknown in every pool (not zero)."
    calm = replace(found, queueing=())
    assert survey_headline(calm, [Snapshot("a", AT, queued=0), Snapshot("b", AT)]) == (
        "No queue in a (2 pools could not be measured)."
    )


def test_what_is_around_a_pool_is_measured_now() -> None:
    """An old sample is no measured pool, and one provider that is down is not up because another pool says so."""
    here, other = facts(), facts(pool="other", provider_up=False)
    old = replace(facts(pool="old"), series=tuple(replace(s, at=s.at - 600) for s in facts(pool="old").series))
    pools = {one.pool: Pool(one.pool, one.series) for one in (here, other, old)}
    fleet = facts_of(list(pools), pools, {}, Moment(AT, 60.0))[0].fleet
    assert (fleet.measured, fleet.queueing, fleet.provider_up) == ((POOL, "other"), (POOL, "other"), False)


def test_what_is_usual_is_older_than_the_trouble() -> None:
    """Of what was seen before the last 20 minutes; from two looks nothing is usual."""
    found = lately(facts(offline=2, looks=26), 21, offline=9)
    assert found.usual.offline == 2.0
    assert replace(found, series=found.series[-23:]).usual.offline is None
