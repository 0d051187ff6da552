"""Prometheus, or anything with its query API, as a metrics source: each figure is one PromQL query."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.adapters.build_context import LoginTable, Problems
from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import HttpAnswer
from bot.adapters.prometheus.answers import (
    Incomplete,
    Nothing,
    Points,
    Samples,
    Unknown,
    one,
    points,
    samples,
    why_nothing,
)
from bot.adapters.prometheus.pool import PAST, SLOW, Found, PrometheusKeys, PrometheusPool, gap, read, rounded, sample
from bot.adapters.prometheus.series import AGE, SILENT, beside, silent
from bot.adapters.prometheus.together import INSTANT, Rounds, ask_together
from bot.adapters.signals.ask import Answers, Number, SignalQuery
from bot.adapters.source import Given, SourceKind, SourceTable
from bot.config import Seconds, unusable
from bot.core.pool.pool import Gap, Snapshot
from bot.core.words import listed
from bot.ports import Failure, Unreachable

LOOK_THERE = "look at its exporter, or scale set listener"
NO_QUEUE = Unknown("no query for it is configured", "add `queued`, since nothing counts as drained without it")
USUAL_SECONDS = 60.0
"""How long a response about the long past stays valid."""
LONG_SECONDS = 6 * 3600.0
"""A longer history is complete or not used."""
UNHURRIED = 3
"""Queries about the past at once, for all pools together, so that measurements find free slots."""
TOGETHER_FROM = 2
"""With so many pools, one query asks for all figures of several; a pool alone is asked figure by figure."""
APART_SECONDS = 600.0
"""How long a pool is asked for alone, or its figures one by one, after Prometheus did not answer them together."""
ALIKE = frozenset({Failure.CREDENTIALS, Failure.UNCONNECTED, Failure.PLACE})
"""Failures that every further query would have too."""
MOST_POINTS = 10_000
"""Prometheus refuses more than 11,000 points of one series."""


class PrometheusTable(SourceTable, LoginTable):
    url: BaseUrl
    max_age: Seconds = 120.0
    """A queue figure scraped longer ago keeps its own time; Prometheus itself hides up to 5 min."""


class Prometheus:
    """The port `Metrics`. All figures of a sample are queried at once, for the same instant of our clock."""

    def __init__(self, given: Given[PrometheusTable, PrometheusKeys]) -> None:
        table, problems, headers = given.table, Problems(), dict[str, str]()
        self._pools, self._now, self._max_age = dict[str, dict[str, str]](), given.now, table.max_age
        """Pool → figure → query."""
        with problems:
            headers = table.login(given.token)
        for pool, keys in given.pools.items():
            with problems:
                self._pools[pool] = keys.queries(pool)
                if not self._pools[pool]:
                    remedy = 'add preset = "ci" (or arc, gitlab, buildkite), or queued = ...'
                    raise unusable(f'[pool."{pool}"]', "has no figures", remedy)
        problems.settle()
        self._http = given.http(table, "Prometheus", table.url, headers=headers, token_file=table.token_file)
        self._turns = asyncio.Semaphore(UNHURRIED)
        self._usual: dict[str, tuple[float, Mapping[str, Found]]] = {}
        self._rounds = Rounds(self._http)
        self._apart: dict[tuple[str, bool], float] = {}
        """(Pool, whether from others or each figure) → until when they are asked for apart (epoch seconds)."""
        self._tried, self._to_blame = "", float("-inf")
        """The pool that is asked for apart to see whether that helps, and until when it is known to help."""

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; a query without a result leaves its figure unknown, with the reason in `missing`.

        `at` is the instant of the queries. If `queued` is a plain series, or one aggregation of one, and its newest
        sample is older than `max_age`, `at` is the sample's time: old figures never count as fresh. For other
        expressions up to five minutes of lookback stay hidden. Raises Unreachable if no query was answered.
        """
        configured, now = self._pools[pool], self._now()
        questions = {**configured, **beside(configured.get("queued", ""))}
        at, known = self._usual.get(pool, (0.0, {}))
        known = known if 0 <= now - at < USUAL_SECONDS else {}
        questions = {name: query for name, query in questions.items() if name not in known}
        answers = await self._answers(pool, questions, INSTANT, {"time": f"{now:.3f}"})
        missing = silent(answers.pop(SILENT, None))
        found = {name: read(name, answer) for name, answer in answers.items()}
        newest = found.pop(AGE, None)
        self._some([*found.values()])
        if isinstance(found.get("queued"), Nothing):
            found["queued"] = await why_nothing(self._ask, configured["queued"], now)
        elif missing and isinstance(found.get("queued"), int | float):
            found["queued"] = Incomplete(f"nothing comes from {listed(missing)} any more", LOOK_THERE)
        found.setdefault("queued", NO_QUEUE)
        if fresh := {name: got for name, got in found.items() if name in SLOW and not isinstance(got, Unreachable)}:
            self._usual[pool] = (now, fresh)
        old = newest if isinstance(newest, float) and now - newest > self._max_age else now
        return sample(pool, old, {**known, **found}, configured)

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """The figures of `PAST` over time, oldest first; empty if there is no history."""
        known = {name: query for name, query in self._pools[pool].items() if name in PAST}
        step = max(step_seconds, (until - since) / MOST_POINTS, 1.0)
        long = until - since > LONG_SECONDS
        span = {"start": f"{since:.3f}", "end": f"{until:.3f}", "step": f"{step:.3f}"}
        answers = await self._answers(pool, known, "/api/v1/query_range", span)
        if known:
            self._some([*answers.values()], whole=long)
        series, missing = dict[float, dict[str, Found]](), list[Gap]()
        for name, answer in answers.items():
            if isinstance(answer, Unreachable):
                missing.append(gap(name, answer))
                continue
            try:
                for at, value in points(answer).items():
                    series.setdefault(at, {})[name] = rounded(name, value)
            except Unknown as problem:
                if long and isinstance(problem, Incomplete):  # the day is asked for again
                    raise self._http.problem(problem.what, Failure.LATER, remedy=problem.remedy) from None
                missing.append(gap(name, problem))
        return tuple(replace(sample(pool, at, series[at], known), missing=tuple(missing)) for at in sorted(series))

    async def numbers(self, questions: Mapping[str, SignalQuery]) -> Answers:
        """The signals of one pool, in one request if Prometheus answers it."""
        now, queries = self._now(), _queries(questions)
        params = {"time": f"{now:.3f}"}
        try:
            found: Mapping[str, HttpAnswer | Unreachable] | None = await ask_together(
                self._http, INSTANT, queries, params
            )
        except Unreachable as problem:
            found = dict.fromkeys(queries, problem) if problem.failure in ALIKE else None
        if found is None:
            each = (self._ask(INSTANT, {"query": query, **params}) for query in queries.values())
            found = dict(zip(queries, await asyncio.gather(*each), strict=True))
        return {name: _number(found[name], found.get(f"{name} of"), now) for name in questions}

    async def numbers_over(
        self, questions: Mapping[str, SignalQuery], since: float, until: float, step_seconds: float
    ) -> Mapping[str, Mapping[float, Number]]:
        """The same over time; a signal that cannot be had has none."""
        queries = _queries(questions)
        span = {"start": f"{since:.3f}", "end": f"{until:.3f}", "step": f"{max(step_seconds, 1.0):.3f}"}

        async def single(query: str) -> Points:
            async with self._turns:
                answer = await self._ask("/api/v1/query_range", {"query": query, **span})
            try:
                return {} if isinstance(answer, Unreachable) else points(answer)
            except Unknown:
                return {}

        found = dict(zip(queries, await asyncio.gather(*map(single, queries.values())), strict=True))
        return {
            name: {
                at: Number(value, None if of is None else round(of[at]), at)
                for at, value in found[name].items()
                if of is None or at in of
            }
            for name in questions
            for of in [found.get(f"{name} of")]
        }

    async def series(self, query: str) -> Samples:
        """What an instant query finds now; nothing if its answer is no vector. Raises Unreachable."""
        answer = await self._http.get(INSTANT, {"query": query, "time": f"{self._now():.3f}"})
        try:
            return samples(answer)
        except Unknown:
            return ()

    def _some(self, answers: Sequence[object], *, whole: bool = False) -> None:
        """The results; raises the first problem if there are none, or if none may be missing."""
        problems = [answer for answer in answers if isinstance(answer, Unreachable)]
        if problems and (whole or len(problems) == len(answers)):
            raise problems[0]

    async def _answers(
        self, pool: str, queries: Mapping[str, str], path: str, params: Mapping[str, str]
    ) -> dict[str, HttpAnswer | Unreachable]:
        """Figure → Prometheus's answer to its query; with many pools in few requests."""
        now, turns = self._now(), contextlib.nullcontext() if path == INSTANT else self._turns
        if queries and len(self._pools) >= TOGETHER_FROM and self._apart.get((pool, True), 0.0) <= now:
            joint = path == INSTANT and self._apart.get((pool, False), 0.0) <= now
            try:
                if joint:
                    found = await self._rounds.ask(queries, params)
                else:
                    async with turns:
                        found = await ask_together(self._http, path, queries, params)
            except Unreachable as problem:
                apart = problem.failure not in ALIKE and (not joint or self._parting_helps(pool, now))
                if apart:
                    self._part(pool, now, joint=joint)
                if not (apart and joint):
                    return dict.fromkeys(queries, problem)
                return await self._answers(pool, queries, path, params)
            if found is not None:
                self._answered(pool, now, joint=joint)
                return {**found}
            self._part(pool, now, joint=joint)
            if joint:
                return await self._answers(pool, queries, path, params)

        async def single(query: str) -> HttpAnswer | Unreachable:
            async with turns:
                return await self._ask(path, {"query": query, **params})

        each = await asyncio.gather(*map(single, queries.values()))
        if any(isinstance(one, HttpAnswer) for one in each):
            self._answered(pool, now, joint=False)
        return dict(zip(queries, each, strict=True))

    def _answered(self, pool: str, now: float, *, joint: bool) -> None:
        if pool == self._tried and not joint:
            self._tried, self._to_blame = "", now + APART_SECONDS

    def _parting_helps(self, pool: str, now: float) -> bool:
        """Whether to ask apart for a pool that was not answered together with others.

        A back end that hangs answers neither: so one pool tries it, and the others follow once that one was answered.
        """
        if now < self._to_blame:
            return True
        answers_apart = self._apart.get((self._tried, False), 0.0) > now
        self._tried = self._tried if answers_apart else pool
        return self._tried == pool

    def _part(self, pool: str, now: float, *, joint: bool) -> None:
        """Ask for the pool alone, or if it was alone for each figure; then it stays away from others for longer."""
        self._apart[pool, not joint] = now + APART_SECONDS
        if not joint:
            self._apart[pool, False] = now + 10 * APART_SECONDS

    async def _ask(self, path: str, params: Mapping[str, str]) -> HttpAnswer | Unreachable:
        try:
            return await self._http.get(path, params)
        except Unreachable as problem:
            return problem


def _queries(questions: Mapping[str, SignalQuery]) -> dict[str, str]:
    """Every query of some signals, by the signal's name, and those of the machines that answer."""
    queries = {name: one.query for name, one in questions.items()}
    return queries | {f"{name} of": one.of for name, one in questions.items() if one.of}


def _number(
    answer: HttpAnswer | Unreachable, of: HttpAnswer | Unreachable | None, at: float
) -> Number | Unknown | Unreachable:
    """A signal's number, and the machines that answered, where they are counted."""
    if isinstance(answer, Unreachable):
        return answer
    try:
        value, most = one(samples(answer)), None
        if of is not None:
            if isinstance(of, Unreachable):
                return of
            most = round(one(samples(of)))
    except Unknown as problem:
        return problem.with_traceback(None)
    return Number(value, most, at)


build = SourceKind(PrometheusTable, PrometheusPool, lambda _, keys: keys.queries(""), Prometheus)
