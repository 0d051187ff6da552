"""`tailback check`: tests every dependency without changing anything, and names remedies."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Protocol

from bot.config import Settings
from bot.context.context import PoolScaler
from bot.core.external import Problem
from bot.core.pool.merge import FIGURES, known
from bot.core.pool.pool import Gap, Snapshot
from bot.core.words import count, duration, listed
from bot.diagnosis.rank import possible
from bot.ports import Alertmanager, Capacity, Failure, IssueTracker, Metrics, Pager, Refused, Rehearsed, Unreachable
from bot.posting.ladder import known_blocks
from bot.views.words.causes import gap_name, matrix_lines
from handlers.doctor.check_host import Host, of_host
from handlers.doctor.check_settings import of_environment, of_settings
from handlers.doctor.check_slack import SlackProbe, of_blocks, of_slack
from handlers.doctor.findings import CheckFinding, Level, of_error, of_problem, ok, problem, warning

PATIENCE_SECONDS = 20.0
"""Time limit for one dependency; each call has a shorter limit."""
LATER = "check again in a minute; if it fails again, look at that server's log"
REMEDIES = {
    Failure.CREDENTIALS: "check the token that {place} names, and its permissions",
    Failure.UNCONNECTED: "check that the server runs, that this machine can reach it, and the url in {place}",
    Failure.LATER: LATER,
    Failure.UNKNOWN: LATER,
    Failure.PLACE: "correct the url in {place}",
}
"""Of other failures, the remedy is to correct the place."""

WAITED_FOR = "github_webhooks"
"""This source knows nothing before its first webhooks, so that this is no problem of an installation."""


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
    parts += [("metrics", _of_metrics(settings, tools))]
    parts += [("scaler", _of_scaler(pool, own, settings)) for pool, own in tools.pool_scalers.items()]
    parts += [("alertmanager", _of_alertmanager(name, one)) for name, one in tools.alertmanagers.items()]
    parts += [("pager", _of_pager(name, one)) for name, one in tools.pagers.items()]
    parts += [("issues", _of_issues(tools.issues))] if tools.issues else []
    waiting = [area for area, _ in parts]

    async def asked(area: str, part: Awaitable[list[CheckFinding]]) -> list[CheckFinding]:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                answer = await part
        except TimeoutError:
            late = f"No answer within {PATIENCE_SECONDS:.0f} s"
            answer = [problem(area, late, "check that it runs, and look at its log")]
        waiting.remove(area)
        progress(waiting)
        return answer

    progress(waiting)
    answers = await asyncio.gather(*(asked(area, part) for area, part in parts))
    unbuilt = [of_problem(one, "") for one in tools.problems]
    return [*of_settings(settings), *of_host(tools.host, settings), *unbuilt, *chain.from_iterable(answers)]


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
        *([] if "redis" in areas else [ok("redis", "Redis answers, and its settings are safe")]),
        *([] if "clock" in areas else [ok("clock", "This machine's clock is within 2 s of Redis TIME")]),
    ]


async def _of_metrics(settings: Settings, tools: CheckTargets) -> list[CheckFinding]:
    """Measure each pool once; the same problem of many pools is reported once."""
    pools = list(tools.metrics)
    snapshots = await asyncio.gather(*(_snapshot_or_error(tools.metrics[pool], pool) for pool in pools))
    broken: dict[tuple[str, str], list[str]] = {}
    found: list[CheckFinding] = []
    for pool, snapshot in zip(pools, snapshots, strict=True):
        if isinstance(snapshot, Snapshot):
            found += _of_snapshot(snapshot, tools.now(), settings)
        else:
            names = settings.file.pool[pool].metrics if pool in settings.file.pool else ()
            source = listed(f"[metrics.{name}]" for name in names) or "[metrics]"
            remedy = snapshot.remedy or _usual(snapshot, source)
            if _kind_of(pool, settings) == WAITED_FOR:
                found.append(warning("metrics", f"{pool}: {snapshot.what}", remedy))
            else:
                broken.setdefault((f"{snapshot.system}: {snapshot.what}", remedy), []).append(pool)
    found += _of_figures(tools, [snapshot for snapshot in snapshots if isinstance(snapshot, Snapshot)])
    return found + [
        problem("metrics", f"{listed(names)}: {words}", remedy) for (words, remedy), names in broken.items()
    ]


def _of_figures(tools: CheckTargets, snapshots: Iterable[Snapshot]) -> list[CheckFinding]:
    """The matrix of sources and figures; pools with the same one share it."""
    groups: dict[tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]], list[str]] = {}
    for snapshot in snapshots:
        sources = tools.figures.get(snapshot.pool, {})
        first = {figure: source for source in reversed([*sources]) for figure in FIGURES if figure in sources[source]}
        rows = tuple((one, tuple(name for name in FIGURES if first.get(name) == one)) for one in sources)
        now = {*known(snapshot), *(("create_failures_by_code",) if snapshot.create_failures == 0 else ())}
        groups.setdefault((rows, tuple(name for name in FIGURES if name in first and name not in now)), []).append(
            snapshot.pool
        )
    return [
        ok("figures", line)
        for (rows, silent), pools in groups.items()
        if rows
        for line in matrix_lines(
            listed(pools), dict(rows), silent, possible({name for _, names in rows for name in names})
        )
    ]


async def _snapshot_or_error(source: Metrics, pool: str) -> Snapshot | Unreachable:
    try:
        return await source.snapshot(pool)
    except Unreachable as error:
        return error


def _of_snapshot(snapshot: Snapshot, now: float, settings: Settings) -> list[CheckFinding]:
    """A gap may have its own remedy; else it is the pool's keys that are to be corrected."""
    kind = _kind_of(snapshot.pool, settings)
    place, queries = f'[pool."{snapshot.pool}"]', kind == "prometheus"
    if snapshot.queued is None:
        gap = next((gap for gap in snapshot.missing if gap.figure == "queued"), Gap("queued"))
        queue = problem("metrics",
                        f"{snapshot.pool}: the queue length is unknown ({gap.why or 'its source does not report it'})",
                        gap.remedy or f"fix {'`queued`' if queries else 'the settings'} in {place}")  # fmt: skip
        return [replace(queue, state=Level.WARNING) if kind == WAITED_FOR else queue]
    found = []
    if others := [gap for gap in snapshot.missing if gap.figure != "queued"]:
        names = ((gap_name(gap.figure), gap.why) for gap in others)
        words = "; ".join(f"{name} ({why})" if why else name for name, why in names)
        remedies = dict.fromkeys(gap.remedy for gap in others if gap.remedy)
        usual = f"fix {'these queries' if queries else 'the settings'} in {place}"
        found.append(warning("metrics", f"{snapshot.pool}: no value for {words}", "; ".join(remedies) or usual))
    if (age := now - snapshot.at) > 2 * settings.file.timing.poll + 1:
        found.append(warning("metrics", f"{snapshot.pool}: the newest figures are {duration(age)} old",
                             "check the exporter; figures that are always this late are no problem"))  # fmt: skip
    if found:
        return found
    wait = f", longest wait {duration(snapshot.oldest_wait_seconds)}" if snapshot.queued else ""
    return [ok("metrics", f"{snapshot.pool}: {count(snapshot.queued, 'job')} queued{wait}")]


def _kind_of(pool: str, settings: Settings) -> object:
    """The kind of a pool's only metrics source."""
    table = settings.file.pool.get(pool)
    kinds = [settings.file.metrics.get(name, {}).get("kind") for name in table.metrics] if table else []
    return kinds[0] if len(kinds) == 1 else None


async def _of_scaler(pool: str, pool_scaler: PoolScaler, settings: Settings) -> list[CheckFinding]:
    place = f'[pool."{pool}".scaler]'
    by_hand = pool in settings.file.pool and settings.file.pool[pool].scaler.get("kind") == "none"
    try:
        capacity = await pool_scaler.scaler.read()
    except (Refused, Unreachable) as error:
        return [_failed("scaler", error, place)]
    if by_hand:
        return [ok("scaler", f"{pool} is scaled manually")]
    if capacity.current is None:
        return [problem("scaler", f"{pool} cannot be scaled: its current size is unknown",
                        f"check what the autoscaler answers, and {place}")]  # fmt: skip
    forbidden = await _forbidden("scaler", pool_scaler.scaler)
    if found := [*(forbidden or ()), *_of_capacity(pool, capacity, pool_scaler.policy.maximum, place)]:
        return found
    size = f"{pool}: {count(capacity.current, 'runner')} now, at most {pool_scaler.policy.maximum:,}"
    tried = "only read access was tested" if forbidden is None else "Tailback may scale it; nothing was changed"
    return [ok("scaler", f"{size}; {tried}")]


def _usual(error: Unreachable, place: str) -> str:
    """The remedy of an error that has none of its own."""
    return REMEDIES.get(error.failure, "correct {place}").format(place=place)


def _failed(area: str, error: Refused | Unreachable, place: str) -> CheckFinding:
    refused = f"correct {place}, or the permissions of its token"
    return of_error(area, error, _usual(error, place) if isinstance(error, Unreachable) else refused)


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
