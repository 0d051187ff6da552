"""Asks Prometheus for all figures of pools in one query, and takes the answer apart again."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from bot.adapters.http.background import begun
from bot.adapters.http.client import Http, HttpAnswer
from bot.adapters.http.rows import inner
from bot.sources.payload import fields

FIGURE = "tailback_figure"
"""The label that says which figure a series belongs to."""
INSTANT = "/api/v1/query"
ROUNDS_AT_ONCE, MOST_POOLS = 3, 10
"""Requests for several pools at once, and the pools of one."""
GATHER_SECONDS = 0.05
"""How long a round waits for further pools: those of one moment come one after another."""
Params = Mapping[str, str]


def together(queries: Mapping[str, str]) -> str:
    """One query for several by figure; each may end in a comment. Prometheus refuses it if one of them is wrong."""
    return " or ".join(f'label_replace({_vector(query)}\n, "{FIGURE}", "{name}", "", "")'
                       for name, query in queries.items())  # fmt: skip


def taken_apart(answer: HttpAnswer, names: Collection[str]) -> dict[str, HttpAnswer] | None:
    """Figure → the answer to its own query; None if this is no answer to `together`."""
    body = fields(answer.body)
    data = inner(body, "data")
    rows = data.get("result")
    if not answer.ok or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    found: dict[object, list[object]] = {name: [] for name in names}
    for row in rows:
        labels = dict(inner(row, "metric"))
        figure = labels.pop(FIGURE, None)
        if figure not in found:
            return None
        found[figure].append({**row, "metric": labels})
    return {name: replace(answer, body={**body, "data": {**data, "result": found[name]}}) for name in names}


async def ask_together(
    http: Http, path: str, queries: Mapping[str, str], params: Params
) -> dict[str, HttpAnswer] | None:
    """Figure → the answer to its own query, from one request; None if they are not answered together.

    Raises Unreachable.
    """
    return taken_apart(await http.post_form(path, {"query": together(queries), **params}), queries)


@dataclass(slots=True)
class Round:
    params: Params
    pools: list[dict[str, str]]
    """The queries of each pool, by names that no other one has."""
    task: "asyncio.Task[dict[str, HttpAnswer] | None]"


class Rounds:
    """Instant queries of many pools: those that come while others are answered share a request."""

    def __init__(self, http: Http) -> None:
        self._http, self._turns = http, asyncio.Semaphore(ROUNDS_AT_ONCE)
        self._open: Round | None = None

    async def ask(self, queries: Mapping[str, str], params: Params) -> dict[str, HttpAnswer] | None:
        """Like `ask_together`, at the time of the round's first pool: at most some milliseconds earlier."""
        mine = self._open
        if mine is None or len(mine.pools) >= MOST_POOLS:
            pools: list[dict[str, str]] = []
            self._open = mine = Round(params, pools, begun(self._answered(params, pools)))
        number = len(mine.pools)
        mine.pools.append({f"{name}_{number}": query for name, query in queries.items()})
        found = await asyncio.shield(mine.task)
        return found and {name: found[f"{name}_{number}"] for name in queries}

    async def _answered(self, params: Params, pools: list[dict[str, str]]) -> dict[str, HttpAnswer] | None:
        await asyncio.sleep(GATHER_SECONDS)
        async with self._turns:
            if self._open is not None and self._open.pools is pools:
                self._open = None
            query = " or ".join(f"({together(one)})" for one in pools)
            answer = await self._http.post_form(INSTANT, {"query": query, **params})
            return taken_apart(answer, [name for one in pools for name in one])


def _vector(query: str) -> str:
    """A number is no vector, which a label needs."""
    try:
        return f"vector({float(query):g})"
    except ValueError:
        return query
