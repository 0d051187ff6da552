"""PyTorch's HUD as a metrics source: jobs that have waited over 5 min, and the organizations' runners."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from pydantic import Field

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import HttpAnswer
from bot.adapters.http.rows import Row, document, instant, link, listing, longest, number, rows, text, whole
from bot.adapters.metrics.hud_rows import COLUMNS, Labelled, of_groups, of_query
from bot.adapters.source import USUAL_SECONDS, Given, Listed, Listing, Present, SourceKind, SourceTable, tried
from bot.config import Seconds, Table
from bot.core.kinds.paces import grouped
from bot.core.pool.pool import Gap, Job, Snapshot, Tally
from bot.core.pool.retention import Origin
from bot.ports import Failure, Unreachable
from bot.sources.job_kind import kind_of

HEADER = "x-hud-internal-bot"
RUNNERS_SECONDS = 120.0
"""HUD caches its list of runners this long."""
LABELS_SECONDS = 600.0
OTHERS = {"queuedThresholdMinutes": 5, "maxAgeDays": 1, "repo": ""}
"""Parameters for all repositories: the same five minutes, and no job older than jobs can live."""
NUMBERS = {
    "queued_jobs": ("queue_s",),
    "queued_jobs_by_label": ("count", "avg_queue_s"),
    "queued_jobs_aggregate": ("num_queued_jobs", "max_queue_time_minutes"),
}
"""The columns with the figures; a row without one of them is no job that waits for 0 s."""
MAIN = "pytorch/pytorch"
"""The only repository in HUD's lists of single jobs."""
LIVE_SECONDS = 86_400.0
"""GitHub cancels jobs queued for a day, so older rows are not live jobs (docs/design/diagnosis.md#definitions)."""
LATELY_SECONDS = 900.0
FIGURES = (
    *("queued", "oldest_wait_seconds", "busy", "idle", "offline", "ghosts", "arrivals_by_source", "waiting"),
    "composition",
)
NOWHERE = "HUD lists waiting jobs without a label, which may be this pool's"


Answer = Listed[Labelled] | Unreachable


class HudTable(SourceTable):
    url: BaseUrl = "https://hud.pytorch.org"
    token_env: str = ""
    """Names the variable with the value of the header x-hud-internal-bot."""
    organizations: list[Annotated[str, Field(pattern="^[A-Za-z0-9-]+$")]] = Field(default=["pytorch"], min_length=1)
    """Organizations whose runners are counted, and whose repositories share them."""
    timeout: Seconds | None = Field(default=180.0, gt=0, le=600)
    """HUD's own time limit: some queries take minutes, and count at a later measurement."""
    every: Seconds = USUAL_SECONDS


class HudPool(Table):
    known_as: str = ""
    """The runner label (HUD's machine_type) of this pool; its own name when empty."""


class Hud(Present):
    """The port `Metrics`. One set of requests serves all pools of the source.

    HUD lists a job only after it has waited 5 min, so `queued` counts those: 0 means that no job has waited longer, and
    `floor` is compared with this count. A missing row counts as 0 only if HUD knows the label and answered both for
    pytorch/pytorch and for the other repositories; otherwise the length is unknown. Jobs older than a day are ghost
    rows (docs/design/diagnosis.md#definitions).
    """

    def __init__(self, given: Given[HudTable, HudPool]) -> None:
        table, self._pools = given.table, given.pools
        token, self._organizations = given.token("token_env", table.token_env), table.organizations
        self._http = given.http(table, "HUD", table.url, headers={HEADER: token} if token else {})
        params = {name: dict[str, object]() for name in COLUMNS}
        params["queued_jobs_aggregate"] = {**OTHERS, "orgs": table.organizations}
        self._queries = [Listing(partial(self._ask_query, *one), given.now, table.every) for one in params.items()]
        self._runners = Listing(self._ask_runners, given.now, max(table.every, RUNNERS_SECONDS))
        self._labels = Listing(self._ask_labels, given.now, LABELS_SECONDS)

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; `at` is the oldest time of HUD's answers behind the queue, `origins` has that of the runners.

        A query that fails or takes long costs only its own figures. Raises Unreachable when HUD answers none.
        """
        label = self._pools[pool].known_as or pool
        jobs, labels, others, runners = await asyncio.gather(*map(tried, (*self._queries, self._runners)))
        times = [one.at for one in (jobs, labels, others) if isinstance(one, Listed)]
        if isinstance(jobs, Unreachable) and not times:
            raise jobs
        answers = HudAnswers(jobs, labels, others, runners)
        unknown = "" if answers.know(label) else await self._unknown(label)
        shot = drawn(pool, label, min(times), answers, unknown)
        if isinstance(runners, Unreachable) or runners.at >= shot.at:
            return shot
        return replace(shot, origins=(Origin("", runners.at, ("busy", "idle", "offline")),))

    async def _unknown(self, label: str) -> str:
        """Why a label without waiting jobs may not exist, with similar ones; empty if it does."""
        found = await tried(self._labels)
        if isinstance(found, Unreachable):
            return f"whether there is such a label is unknown: {found.what}"
        labels = {text(row, "machine_type") for row in found.value.rows}
        if label in labels:
            return ""
        alike = sorted(name for name in labels if name and (name in label or label in name))[:3]
        like = f" (alike are {', '.join(alike)})" if alike else ""
        return f'no job of the last 3 days asked for the label "{label}", correct known_as{like}'

    async def _ask_query(self, name: str, parameters: Mapping[str, object], now: float) -> Listed[Labelled]:
        """The rows of a query at HUD's own time: that of its rows, and less the age of a cached answer."""
        answer, column = await self._query(name, parameters), COLUMNS[name]
        found = tuple(rows(answer.body))
        if found and not any(text(row, column) for row in found):
            raise self._http.problem(f"query {name}: its rows have no {column}", Failure.SHAPE)
        if lacking := [one for one in NUMBERS[name] if any(number(row, one) is None for row in found)]:
            raise self._http.problem(f"query {name}: some of its rows have no {lacking[0]}", Failure.SHAPE)
        times = [at for row in found if (at := instant(row, "time")) is not None]
        return Listed(of_query(found), min([_measured_at(answer, now), *times]))

    async def _ask_runners(self, now: float) -> Listed[Labelled]:
        """The groups of all organizations; raises Unreachable if one is incomplete."""
        paths = [f"/api/runners/{name}" for name in self._organizations]
        answers = await asyncio.gather(*map(self._get, paths))
        found: list[Row] = []
        for path, answer in zip(paths, answers, strict=True):
            body = document(self._http, answer, path)
            groups = rows(body.get("groups"))
            if whole(body, "totalRunners") != sum(len(rows(group.get("runners"))) for group in groups):
                raise self._http.problem(f"{path} lists fewer runners than it says", Failure.LATER)
            found += groups
        return Listed(of_groups(found), min(_measured_at(answer, now) for answer in answers))

    async def _ask_labels(self, now: float) -> Listed[Labelled]:
        return Listed(of_query(rows((await self._query("all_machine_types", {})).body)), now)

    async def _query(self, name: str, parameters: Mapping[str, object]) -> HttpAnswer:
        answer = await self._get(f"/api/clickhouse/{name}", {"parameters": json.dumps(parameters)})
        listing(self._http, answer, f"query {name}")
        return answer

    async def _get(self, path: str, params: Mapping[str, str] | None = None) -> HttpAnswer:
        """GET; bot protection answers with an HTML page under any status."""
        try:
            return await self._http.get(path, params)
        except Unreachable as problem:
            if not problem.what.lower().partition("): ")[2].startswith(("<!doctype", "<html")):
                raise
            what = f"{path} answered with a web page instead of figures; name a token that HUD accepts in token_env"
            raise self._http.problem(what, problem.failure, problem.retry_after_seconds) from None


def _measured_at(answer: HttpAnswer, now: float) -> float:
    """When HUD made an answer: a cache in between says how old it is."""
    return now - (number(answer.headers, "age") or 0.0)


@dataclass(frozen=True, slots=True)
class HudAnswers:
    """HUD's responses to one set of requests; figures that it does not show stay unknown, with the reason."""

    jobs: Answer
    """`queued_jobs`: jobs of pytorch/pytorch that have waited over 5 min."""
    labels: Answer
    """`queued_jobs_by_label`: the same jobs by label; `avg_queue_s` is the longest wait, in spite of its name."""
    others: Answer
    """`queued_jobs_aggregate`: jobs of all repositories of the organizations, counted by label and repository."""
    runners: Answer
    """Groups of runners of the organizations."""

    def know(self, label: str) -> bool:
        return any(_rows(answer, label) for answer in (self.jobs, self.labels, self.others, self.runners))

    def unlabelled(self) -> bool:
        """Whether it lists waiting jobs without saying which label they wait for: they may be any pool's."""
        return any(_rows(answer, "") for answer in (self.jobs, self.labels, self.others))


def _rows(answer: Answer, label: str) -> Sequence[Row]:
    return () if isinstance(answer, Unreachable) else answer.value.of(label)


def drawn(pool: str, label: str, at: float, answers: HudAnswers, unknown: str) -> Snapshot:
    """The pool's sample; `unknown` says why the label is unknown, else it is empty."""
    jobs = answers.jobs
    mine = [row for row in _rows(jobs, label) if text(row, "machine_type") == label]
    live = [row for row in mine if _waited(row) <= LIVE_SECONDS]
    queue, runners = unknown or _queue(live, len(mine), answers, label), _runners(answers.runners, label)
    missing = list[Gap]()
    if isinstance(queue, str):
        remedy = ""
        if isinstance(jobs, Unreachable) and not unknown:
            remedy = jobs.remedy or "check url and token_env of the source"
            remedy = "check again in a minute" if jobs.failure is Failure.LATER else remedy
        missing.append(Gap("queued", queue, remedy))
    if isinstance(runners, str):
        missing += [Gap(name, runners) for name in ("busy", "idle", "offline")]
    if isinstance(jobs, Unreachable):
        missing.append(Gap("waiting", jobs.what))
    queued, wait = (None, None) if isinstance(queue, str) else queue
    busy, idle, offline = (None, None, None) if isinstance(runners, str) else runners
    lately = Counter(text(row, "source_type") for row in live if _waited(row) <= LATELY_SECONDS)
    waiting = [Job(text(row, "name") or "unnamed job", _waited(row), MAIN, link(row, "html_url")) for row in live]
    groups = (((kind_of("", job.name, (label,)), label, MAIN), job.waited_seconds) for job in waiting)
    return Snapshot(
        pool,
        at,
        queued=queued,
        oldest_wait_seconds=wait or None,
        busy=busy,
        idle=idle,
        offline=offline,
        ghosts=None if isinstance(jobs, Unreachable) else len(mine) - len(live),
        arrivals_by_source=tuple(Tally(name, count) for name, count in lately.most_common() if name),
        waiting=longest(waiting),
        composition=grouped(groups),
        missing=tuple(missing),
    )


def _queue(live: Sequence[Row], rows_of_label: int, answers: HudAnswers, label: str) -> tuple[int, float] | str:
    """(live jobs of one label, longest wait), or why they cannot be counted."""
    if isinstance(answers.others, Unreachable):
        return f"what other repositories queue is unknown: {answers.others.what}"
    if isinstance(answers.labels, Unreachable) and not rows_of_label:
        return f"how many jobs wait is unknown: {answers.labels.what}"
    counts = [(len(live), max(map(_waited, live), default=0.0))]
    if not rows_of_label:
        mine = (row for row in _rows(answers.labels, label) if text(row, "machine_type") == label)
        counts = [(whole(row, "count") or 0, number(row, "avg_queue_s") or 0.0) for row in mine]
    if any(wait > LIVE_SECONDS for _, wait in counts):
        jobs = answers.jobs
        older = "HUD counts jobs that are older than a day, and does not say which"
        return jobs.what if isinstance(jobs, Unreachable) else older
    counts += [
        (whole(row, "num_queued_jobs") or 0, 60 * (number(row, "max_queue_time_minutes") or 0.0))
        for row in answers.others.value.of(label)
        if text(row, "runner_label") == label and f"{text(row, 'org')}/{text(row, 'repo')}" != MAIN
    ]
    queued, wait = sum(number for number, _ in counts), max((wait for _, wait in counts), default=0.0)
    return NOWHERE if not queued and answers.unlabelled() else (queued, wait)


def _runners(found: Answer, label: str) -> tuple[int, int, int] | str:
    """(busy, idle, offline), or why they are unknown."""
    if isinstance(found, Unreachable):
        return found.what
    carrying = {text(row, "name"): row for row in found.value.of(label)}
    if not carrying:
        return "HUD lists no runner with this label, as for runners of other organizations"
    online = [row for row in carrying.values() if text(row, "status") == "online"]
    busy = sum(row.get("busy") is True for row in online)
    return busy, len(online) - busy, len(carrying) - len(online)


def _waited(row: Row) -> float:
    return number(row, "queue_s") or 0.0


build = SourceKind(HudTable, HudPool, lambda *_: FIGURES, Hud, shared=True)
