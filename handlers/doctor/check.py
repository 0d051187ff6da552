"""`tailback check`: tests every dependency without changing anything, and names remedies."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Protocol

from bot.config import Settings
from bot.context.context import PoolScaler
from bot.core.external import FOREIGN, Problem
from bot.core.pool.backfill import LEFT, DaysLeft, days_left
from bot.core.words import count, listed
from bot.maintenance.repair_threads import STRANGERS
from bot.ports import Alertmanager, Capacity, IssueTracker, Metrics, Pager, Refused, Rehearsed, Unreachable
from bot.posting.ladder import known_blocks
from bot.views.words.operators import history_left
from handlers.doctor.check_host import Host, of_host
from handlers.doctor.check_metrics import of_metrics
from handlers.doctor.check_settings import of_environment, of_settings
from handlers.doctor.check_slack import SlackProbe, of_blocks, of_others, of_slack
from handlers.doctor.findings import CheckFinding, Level, of_error, of_problem, ok, problem, usual_remedy, warning

PATIENCE_SECONDS = 20.0
"""Time limit for one dependency; each call has a shorter limit."""
IN_CLUSTER = "see also whether a network policy blocks it (networkPolicy.egress of the chart)"


class RedisProbe(Protocol):
    """The questions that the check asks Redis."""

    async def check(self) -> list[Problem]:
        """Unsafe settings. Raises Unreachable."""

    async def filling(self) -> Problem | None:
        """A warning while memory or disk are nearly used up. Raises Unreachable."""

    async def find_many(self, indexes: Sequence[str]) -> tuple[str | None, ...]:
        """What each of `indexes` points to. Raises Unreachable."""


@dataclass(frozen=True, slots=True)
class CheckTargets:
    """Everything that is checked; a part that could not be built is missing, and `problems` says why."""

    now: Callable[[], float]
    """Epoch seconds."""
    slack: SlackProbe | None = None
    redis: RedisProbe | None = None
    engine: str = ""
    """The embedded server that would be started; empty with REDIS_URL, or when there is none."""
    metrics: Mapping[str, Metrics] = field(default_factory=dict)
    """By pool name."""
    figures: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    """By pool name: its sources, and the figures that each can give."""
    pool_scalers: Mapping[str, PoolScaler] = field(default_factory=dict)
    """By pool name."""
    alertmanagers: Mapping[str, Alertmanager] = field(default_factory=dict)
    """By configured name."""
    pagers: Mapping[str, Pager] = field(default_factory=dict)
    """By configured name."""
    issues: IssueTracker | None = None
    problems: tuple[Problem, ...] = ()
    host: Host = field(default_factory=Host)


def unusable(problems: Iterable[Problem], readable: Settings | None = None) -> list[CheckFinding]:
    """The findings for an unreadable configuration; nothing is contacted."""
    rest = warning(
        "configuration", "Slack, Redis and the back ends were not checked", "fix the problems, then check again"
    )
    variables = of_environment(readable) if readable else []
    return [*(problem("configuration", one.placed, one.remedy) for one in problems), *variables, rest]


async def examined(
    settings: Settings, tools: CheckTargets, progress: Callable[[Sequence[str]], None] = lambda _: None
) -> list[CheckFinding]:
    """Check everything in parallel; an unresponsive part hides no other.

    `progress` gets the areas that have not answered yet, whenever one has.
    """
    parts: list[tuple[str, Awaitable[list[CheckFinding]]]] = [("redis", _of_redis(tools))]
    parts += [("slack", of_slack(tools.slack, settings))] if tools.slack else []
    parts += [("metrics", of_metrics(settings, tools))]
    parts += [("scaler", _about(pool, _of_scaler(pool, own, settings))) for pool, own in tools.pool_scalers.items()]
    parts += [("scaler", _of_shared(tools.pool_scalers))]
    parts += [("alertmanager", _of_alertmanager(name, one)) for name, one in tools.alertmanagers.items()]
    parts += [("pager", _of_pager(name, one)) for name, one in tools.pagers.items()]
    parts += [("issues", _of_issues(tools.issues))] if tools.issues else []
    waiting = [area for area, _ in parts]

    async def bounded(area: str, part: Awaitable[list[CheckFinding]]) -> list[CheckFinding]:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                answer = await part
        except TimeoutError:
            late = f"No answer within {PATIENCE_SECONDS:.0f} s"
            answer = [replace(problem(area, late, "check that it runs, and look at its log"), unanswered=True)]
        waiting.remove(area)
        progress(waiting)
        return answer

    progress(waiting)
    answers = await asyncio.gather(*(bounded(area, part) for area, part in parts))
    unbuilt = [of_problem(one, "") for one in tools.problems]
    found = [*of_settings(settings), *of_host(tools.host, settings), *unbuilt, *chain.from_iterable(answers)]
    return [
        replace(one, remedy=f"{one.remedy}; {IN_CLUSTER}") if one.unanswered and tools.host.in_cluster else one
        for one in found
    ]


async def _of_redis(tools: CheckTargets) -> list[CheckFinding]:
    if tools.redis is None:
        return [ok("redis", f"`tailback run` will start {tools.engine}")] if tools.engine else []
    try:
        unsafe, full = await tools.redis.check(), await tools.redis.filling()
    except Unreachable as error:
        return [of_error("redis", error, "check REDIS_URL, and that the server runs")]
    found = [of_problem(one, "correct it") for one in unsafe]
    areas = {finding.area for finding in found}
    return [
        *found,
        *([warning("redis", full.what, full.remedy)] if full else []),
        *of_blocks(*await known_blocks(tools.redis), tools.now()),
        *of_others(*await tools.redis.find_many((FOREIGN, STRANGERS))),
        *([ok("history", history_left(left))] if (left := await _history(tools.redis)) else []),
        *([] if "redis" in areas else [ok("redis", "Redis answers, and its settings are safe")]),
        *([] if "clock" in areas else [ok("clock", "This machine's clock is within 2 s of Redis TIME")]),
    ]


async def _of_shared(pool_scalers: Mapping[str, PoolScaler]) -> list[CheckFinding]:
    """The pools that one autoscaler serves together: usual where several labels lead to one fleet."""
    names: dict[str, list[str]] = {}
    for pool, one in pool_scalers.items():
        names.setdefault(one.policy.target, []).append(pool)
    return [
        ok("scaler", f"{listed(sorted(pools))} share one autoscaler: cooldown, cost limit and leases count together")
        for target, pools in names.items()
        if target and len(pools) > 1
    ]


async def _history(redis: RedisProbe) -> DaysLeft | None:
    return days_left(*await redis.find_many(LEFT))


async def _of_scaler(pool: str, pool_scaler: PoolScaler, settings: Settings) -> list[CheckFinding]:
    place = f'[pool."{pool}".scaler]'
    by_hand = pool in settings.file.pool and settings.file.pool[pool].scaler.get("kind") == "none"
    try:
        capacity = await pool_scaler.scaler.read()
    except (Refused, Unreachable) as error:
        return [_failed("scaler", error, place)]
    if by_hand:
        return [ok("scaler", f"{pool} is scaled manually", "scaled manually")]
    if capacity.current is None:
        return [problem("scaler", f"{pool} cannot be scaled: its current size is unknown",
                        f"check what the autoscaler answers, and {place}")]  # fmt: skip
    forbidden = await _forbidden("scaler", pool_scaler.scaler)
    if found := [*(forbidden or ()), *_of_capacity(pool, capacity, pool_scaler.policy.maximum, place)]:
        return found
    size = f"{pool}: {count(capacity.current, 'runner')} now, at most {pool_scaler.policy.maximum:,}"
    tried = "only read access was tested" if forbidden is None else "Tailback may scale it; nothing was changed"
    return [ok("scaler", f"{size}; {tried}", f"the present size is known; {tried}")]


async def _about(pool: str, findings: Awaitable[list[CheckFinding]]) -> list[CheckFinding]:
    return [replace(one, pool=pool) for one in await findings]


def _failed(area: str, error: Refused | Unreachable, place: str) -> CheckFinding:
    refused = f"correct {place}, or the permissions of its token"
    return of_error(area, error, usual_remedy(error, place) if isinstance(error, Unreachable) else refused)


async def _forbidden(area: str, one: object, usual: str = "") -> list[CheckFinding] | None:
    """Permissions that a back end lacks for changes, with the `usual` remedy; None if it cannot say."""
    lacking = await one.lacking() if isinstance(one, Rehearsed) else None
    return lacking if lacking is None else [problem(area, each.what, each.remedy or usual) for each in lacking]


async def _of_pager(name: str, pager: Pager) -> list[CheckFinding]:
    """Whether it takes our key; only what pages nobody is sent."""
    wrong = await _forbidden("pager", pager, f"correct [pager.{name}]")
    untried = "is configured; it was not tested, because a test would page somebody"
    result = untried if wrong is None else "accepts the key; nobody was paged"
    return wrong or [ok("pager", f"{name} ({pager.label}) {result}")]


async def _of_issues(tracker: IssueTracker) -> list[CheckFinding]:
    fine = ok("issues", f"{tracker.repository} can be read; filing an issue was not tested")
    return await _forbidden("issues", tracker, "correct [issues]") or [fine]


def _of_capacity(pool: str, capacity: Capacity, allowed: int, place: str) -> list[CheckFinding]:
    found = []
    if capacity.trouble:
        found.append(warning("scaler", f"{pool}: {capacity.trouble}",
                             "check the autoscaler; new runners may not come"))  # fmt: skip
    if capacity.maximum is not None and allowed > capacity.maximum:
        by = f" ({capacity.limited_by})" if capacity.limited_by else ""
        found.append(warning("scaler", f"{pool}: max is {allowed:,}, but the autoscaler allows {capacity.maximum:,}"
                             f"{by}", f"lower max in {place}, or raise the autoscaler's limit"))  # fmt: skip
    return found


async def _of_alertmanager(name: str, one: Alertmanager) -> list[CheckFinding]:
    place = f"[alertmanager.{name}]"
    try:
        firing = await one.firing()
        await one.find("tailback-check")
    except (Refused, Unreachable) as error:
        return [_failed("alertmanager", error, place)]
    fires = f"{count(len(firing), 'alert')} {'fires' if len(firing) == 1 else 'fire'}"
    if forbidden := await _forbidden("alertmanager", one):
        return [replace(each, state=Level.WARNING) for each in forbidden]
    may = "read" if forbidden is None else "read and created"
    return [ok("alertmanager", f"{name}: {fires}, silences can be {may}; nothing was changed")]
