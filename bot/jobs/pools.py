"""The labels of each configured pool, and what is known of a pool's queue for everybody who asks within seconds."""

from dataclasses import dataclass

from bot.config import File
from bot.context.causes import diagnoses, moment_of
from bot.context.context import Context
from bot.context.queries import open_of
from bot.core.finding import Finding
from bot.core.incident.held_cause import remembered
from bot.core.incident.incident import Incident
from bot.core.jobs.places import PoolLabels
from bot.core.jobs.start import StartTable, start_table
from bot.core.pool.job import key_of
from bot.core.pool.pool import Pool, stale

KEPT_SECONDS = 5.0
"""How long one answer about a pool serves all who ask: in an outage hundreds ask at once, and a sample is older."""
GITLAB = "gitlab"


@dataclass(frozen=True, slots=True)
class PoolQueue:
    """A pool's queue by its stored samples."""

    pool: Pool
    table: StartTable
    """When its jobs start."""
    cause: Finding | None
    incidents: tuple[Incident, ...]
    """The open ones with this pool, the newest first."""
    old: bool
    """Whether its newest sample is not one of now."""


async def pool_queue(context: Context, name: str) -> PoolQueue | None:
    """The pool's queue; None if it was never measured, or is being worked out for more than a second."""
    return await context.making.get(("queue", name), lambda: _read(context, name), context.monotonic, KEPT_SECONDS)


async def _read(context: Context, name: str) -> PoolQueue | None:
    pool, file, now = await context.pool(name), context.settings.file, context.now()
    if pool.latest is None:
        return None
    rules = file.rules_of(name)
    incidents = tuple(sorted(await open_of(context, name), key=lambda one: -one.opened_at))
    unknown = incidents[0].pools.unknown_pools if incidents else ()
    held = next((one.pools.verdicts[name] for one in incidents if name in one.pools.verdicts), None)
    found = remembered(held, diagnoses([name], {name: pool}, file.pools, moment_of(now, file.paces, unknown))[0])
    old = stale(pool, now, max(file.paces.poll, file.paces.watch))
    cause = found.claims[0] if found.claims else None
    return PoolQueue(pool, start_table(pool, rules), cause, incidents, old)


def labels_of(file: File, source: str) -> dict[str, PoolLabels]:
    """The labels of the pools that a source may know jobs of; an empty one, GitHub's webhooks, knows any pool's."""
    return {
        name: _labels(file, name, source)
        for name, table in file.pool.items()
        if not source or not table.metrics or source in table.metrics
    }


def _labels(file: File, name: str, source: str) -> PoolLabels:
    table = file.pool[name]
    keys: dict[str, object] = dict(table.figures)
    for one in [source] if source else table.metrics:
        own = table.figures.get(one)
        keys |= own if isinstance(own, dict) else {}
    gitlab = file.metrics.get(source, {}).get("kind") == GITLAB
    found = next((given for key in ("labels", "label", "tags", "queue") if (given := _texts(keys.get(key)))), ())
    fallback = (table.match.get("runner_label") or name,)
    return PoolLabels(
        frozenset(map(key_of, found or fallback)), any_of=gitlab, untagged=gitlab and keys.get("run_untagged") is True
    )


def _texts(given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,) if given.strip() else ()
    return tuple(str(one) for one in given) if isinstance(given, list | tuple) else ()
