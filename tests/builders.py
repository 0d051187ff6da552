"""Small builders with sensible defaults: an alert, a delivery, an incident, a sample, a pool, a view."""

import dataclasses
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.core.alert import Alert, Delivery, Status
from bot.core.incident.details.events import AlertFired
from bot.core.incident.incident import DeliveryTrouble, Incident, Ownership, State, Thread, opened, rooted
from bot.core.incident.membership import AlertGroup
from bot.core.incident.observe import Timing, View
from bot.core.incident.pools import IncidentPools
from bot.core.incident.timeline import IncidentLog
from bot.core.pool.pool import Pool, PoolRules, Snapshot
from bot.core.routing import Named

NOW = 1_800_000_000.0
"""The moment at which these stories begin; epoch seconds."""
POOL = "linux.2xlarge"
CHANNEL = "C0CIONCALL"
TIMING = Timing()
FULL: Mapping[str, Any] = {
    "busy": 40,
    "idle": 0,
    "offline": 0,
    "limit": 40,
    "booting": 0,
    "arrivals_per_minute": 2.0,
    "starts_per_minute": 4.0,
    "completions_per_minute": 4.0,
    "duration_p50_seconds": 536.0,
    "usual_arrivals_per_minute": 2.0,
}
"""Figures of a pool at its limit: 40 runners work off 4 jobs a minute, while 2 a minute arrive."""


def alert(fingerprint: str = "a1", *, firing: bool = True, starts_at: float | None = NOW - 60, **parts: Any) -> Alert:
    """An alert of the rule "Runner queue is long"; a resolved one ended a minute after its start."""
    given: dict[str, Any] = {
        "status": Status.FIRING if firing else Status.RESOLVED,
        "name": "Runner queue is long",
        "labels": {"alertname": "Runner queue is long", "fingerprint": fingerprint},
        "starts_at": starts_at,
        "ends_at": None if firing or starts_at is None else starts_at + 60,
    }
    return Alert(fingerprint=fingerprint, **{**given, **parts})


def resolved(fingerprint: str = "a1", **parts: Any) -> Alert:
    return alert(fingerprint, firing=False, **parts)


def delivery(*alerts: Alert, **parts: Any) -> Delivery:
    given: dict[str, Any] = {
        "source": "grafana",
        "receiver": "tailback",
        "group_key": '{}:{alertname="Runner queue is long"}',
        "title": "Runner queue is long",
        "alerts": alerts or (alert(),),
    }
    return Delivery(**{**given, **parts})


def named(*pools: str, unknown: tuple[str, ...] = ()) -> Named:
    return Named(pools, pools, unknown)


def candidates(*pools: str) -> Named:
    """An alert over all runner types, that names none."""
    return Named(pools)


PARTS = {
    one.name: part
    for part, kind in {
        "group": AlertGroup,
        "ownership": Ownership,
        "pools": IncidentPools,
        "log": IncidentLog,
        "trouble": DeliveryTrouble,
    }.items()
    for one in dataclasses.fields(kind)
}
"""Field of a part → the part of an incident that has it."""


def with_fields(of: Incident, **values: Any) -> Incident:
    """The incident with other values of these fields, whichever part of it has them."""
    for name, value in values.items():
        part = PARTS.get(name)
        of = replace(of, **{part: replace(getattr(of, part), **{name: value})} if part else {name: value})
    return of


def incident(*alerts: Alert, pools: Named | None = None, at: float = NOW, shown: bool = True, **parts: Any) -> Incident:
    """An open incident; `shown` means that Slack confirmed parent and first reply. Keywords replace record fields."""
    fresh = opened("i1", delivery(*alerts), at, Thread(CHANNEL), named(POOL) if pools is None else pools)
    first = replace(fresh.log.timeline[0], details=AlertFired(fresh.group.title))
    known = replace(fresh, log=fresh.log.rewritten(first))
    there = rooted(known, CHANNEL, "1800000000.000100", "drawn", at) if shown else known
    return with_fields(there, **parts)


def closed(*alerts: Alert, at: float = NOW + 600, state: State = State.DRAINED, **parts: Any) -> Incident:
    """An incident that ended at `at`."""
    over = alerts or (resolved(),)
    return incident(*over, **{"state": state, "closed_at": at, "changed_at": at, **parts})


def sample(queued: int | None = 0, *, at: float = NOW, pool: str = POOL, **figures: Any) -> Snapshot:
    """One look at a pool; a queue that is not empty has waited for an hour."""
    wait = None if queued is None else 3600.0 if queued else 0.0
    return Snapshot(**{"pool": pool, "at": at, "queued": queued, "oldest_wait_seconds": wait, **figures})


def samples(*queued: int | None, pool: str = POOL, every: float = TIMING.poll, since: float = NOW) -> Pool:
    """A pool that was measured every 30 s, from `since` on."""
    return Pool(pool, tuple(sample(q, at=since + i * every, pool=pool) for i, q in enumerate(queued)))


def gaps(seen: Snapshot) -> tuple[str, ...]:
    """What a source could not give, as `figure: why; remedy`."""
    return tuple(f"{gap.figure}: {gap.words}" for gap in seen.missing)


def rules(name: str = POOL, match: Mapping[str, str] | None = None, **parts: Any) -> PoolRules:
    return PoolRules(name, dict(match or {}), **parts)


def view(*pools: Pool, floor: int = 0) -> View:
    return View({pool.id: pool for pool in pools}, {pool.id: rules(pool.id, floor=floor) for pool in pools})
