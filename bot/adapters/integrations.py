"""Builds every back end of tailback.toml, and reports all problems together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from bot.adapters import pagers
from bot.adapters.build_context import BuildContext, Problems, TimeLimits, options_of
from bot.adapters.github.issues import GitHubIssues
from bot.adapters.github.issues import build as build_issues
from bot.adapters.http.client import HttpPool
from bot.adapters.http.connection import ConnectOptions
from bot.adapters.jobs.find import FindJobs
from bot.adapters.jobs.finder import JobFinder
from bot.adapters.metrics.several import Several, keys_by_source
from bot.adapters.metrics.shared import Shared
from bot.adapters.registry import ALERTMANAGERS, METRICS, SCALERS
from bot.adapters.scalers.per_machine import PerMachine
from bot.adapters.scalers.policy import target_of
from bot.adapters.signals.ask import AnswersSignals
from bot.adapters.signals.configured import signals_of
from bot.adapters.signals.with_signals import WithSignals
from bot.adapters.sns import AmazonSns
from bot.adapters.source import SourceKind
from bot.config import ConfigError, File, Settings, unusable
from bot.core.scaling.limits import ScalePolicy
from bot.core.words import listed
from bot.pool_settings import PoolTable
from bot.ports import Alertmanager, Jobs, Metrics, Pager, Scaler, Sns, Store, WebhookJobs

B = TypeVar("B")
ScalerAndPolicy = tuple[Scaler, ScalePolicy]
Known = Mapping[str, frozenset[str]]
"""Name of a metrics source → the figures that it can give."""
READING_SHARE = 0.4
"""Share of a claim's lease for which a measurement waits for a slow source."""


@dataclass(frozen=True, slots=True)
class BackEnds:
    """All back ends; call `close` at the end."""

    metrics: Mapping[str, Metrics]
    """By pool name: its metrics source."""
    figures: Mapping[str, Known]
    """By pool name: what its sources can give."""
    pool_scalers: Mapping[str, ScalerAndPolicy]
    """By pool name: its scaler and policy."""
    alertmanagers: Mapping[str, Alertmanager]
    """The Alertmanagers by configured name."""
    pagers: Mapping[str, Pager]
    """By configured name."""
    issues: GitHubIssues | None
    jobs: Jobs
    sns: Sns
    slack: ConnectOptions
    """Connection settings of Slack."""
    silent: Mapping[str, str]
    """By configured name: why a metrics source did not answer this process the last time."""
    wire: HttpPool = field(repr=False)

    async def close(self) -> None:
        await self.wire.close()


def build(
    settings: Settings,
    now: Callable[[], float],
    wire: HttpPool | None = None,
    jobs: WebhookJobs | None = None,
    store: Store | None = None,
) -> BackEnds:
    """Build all back ends without contacting any. Raises ConfigError with every problem, its place and remedy.

    `now` gives epoch seconds. Without `wire` a connection pool is opened; `jobs` are those of GitHub's webhooks.
    Through `store` replicas share what one of them read from a source.
    """
    problems, file = Problems(), settings.file
    limits = TimeLimits(reading=max(TimeLimits().reading, READING_SHARE * file.timing.lease))
    context = BuildContext(wire or HttpPool(), settings.secret, now, store, jobs, limits=limits)
    alertmanagers, silent, finders = dict[str, Alertmanager](), dict[str, str](), dict[str, JobFinder | None]()
    metrics, figures = _metrics(file, context, problems, silent, finders)
    pool_scalers = _scalers(file, context, problems)
    for name, raw in file.alertmanager.items():
        with problems:
            place = f"[alertmanager.{name}]"
            alertmanagers[name] = kind_of(place, raw, ALERTMANAGERS)(name, place, raw, context)
    paged, options = dict[str, Pager](), list[ConnectOptions]()
    issues: GitHubIssues | None = None
    with problems:
        paged = pagers.build(file, context)
    with problems:
        issues = build_issues(file.issues, context) if file.issues else None
    for place, table in (("[sns]", file.sns), ("[slack]", file.slack)):
        with problems:
            options.append(options_of(place, table, settings.secret))
    problems.settle()
    to_sns, to_slack = options
    sns = AmazonSns(context.wire, now, to_sns)
    found = FindJobs(jobs, finders, now)
    return BackEnds(
        metrics, figures, pool_scalers, alertmanagers, paged, issues, found, sns, to_slack, silent, context.wire
    )


def _scalers(file: File, context: BuildContext, problems: Problems) -> dict[str, ScalerAndPolicy]:
    """By pool name."""
    made = dict[str, ScalerAndPolicy]()
    for pool, table in file.pool.items():
        with problems:
            if raw := table.scaler:
                place = f'[pool."{pool}".scaler]'
                scaler, policy = kind_of(place, raw, SCALERS)(pool, place, raw, context)
                if (runners := table.runners_together) > 1:
                    scaler, policy = PerMachine(scaler, runners), policy.in_machines(runners)
                made[pool] = scaler, replace(policy, target=target_of(raw), price=table.price)
    return made


def kind_of(place: str, raw: Mapping[str, object], kinds: Mapping[str, B]) -> B:
    """The builder of the table's kind; raises ConfigError with the known kinds or the missing library."""
    known = listed((f'"{kind}"' for kind in kinds), most=20)
    if "kind" not in raw:
        raise unusable(f"{place}: kind", "is required", f"known kinds: {known}")
    try:
        found = kinds.get(str(raw["kind"]))
    except ConfigError as error:
        raise ConfigError(error.at(place)) from None
    if found is None:
        raise unusable(f"{place}: kind", "there is no kind of that name", f"known kinds: {known}")
    return found


@dataclass(frozen=True, slots=True)
class _Sources:
    by_pool: dict[str, Metrics]
    figures: dict[str, Known]
    signal_sources: Mapping[str, AnswersSignals]
    """By configured name: those that can be asked for signals."""


def _metrics(
    file: File, context: BuildContext, problems: Problems, silent: dict[str, str], finders: dict[str, JobFinder | None]
) -> tuple[dict[str, Metrics], Mapping[str, Known]]:
    """(pool → its sources, pool → source in the pool's order → the figures that it can give)."""
    measured = {name: dict[str, Mapping[str, object]]() for name in file.metrics}
    for pool, table in file.pool.items():
        with problems:
            kinds = _sources_of(pool, table, file)
            for source, given in keys_by_source(pool, kinds, table.figures).items():
                counts = "runners_per_machine" in kinds[source].pool.model_fields
                per = {"runners_per_machine": table.runners_per_machine} if counts else {}
                measured[source][pool] = {**per, **given}
    sources, periods, signal_sources = dict[str, Metrics](), dict[str, float](), dict[str, AnswersSignals]()
    known = {pool: dict[str, frozenset[str]]() for pool in file.pool}
    for name, pools in measured.items():
        with problems:
            place, raw = f"[metrics.{name}]", file.metrics[name]
            kind = kind_of(place, raw, METRICS)
            own = sources[name] = kind(name, place, raw, pools, context)
            finders[name] = own if isinstance(own, JobFinder) else None
            if isinstance(own, AnswersSignals):
                signal_sources[name] = own
            periods[name] = getattr(kind.table.model_validate(dict(raw)), "every", 0.0)
            if kind.shared and context.store is not None:
                shared = Shared(sources[name], context.store, context.now, periods[name], tuple(pools), name)
                sources[name] = shared
            for pool, keys in pools.items():
                known[pool][name] = kind.can_give(place, raw, keys)
    made, found, ordered = dict[tuple[str, ...], Several](), dict[str, Metrics](), dict[str, Known]()
    for pool, table in file.pool.items():  # pools with the same sources share an object
        ordered[pool] = {name: known[pool][name] for name in table.metrics if name in known[pool]}
        if mine := tuple(ordered[pool]):
            alike = Several({name: sources[name] for name in mine}, context.limits.reading, silent, periods)
            found[pool] = made.setdefault(mine, alike)
    _add_signals(_Sources(found, ordered, signal_sources), file, context, problems)
    return found, ordered


def _add_signals(parts: _Sources, file: File, context: BuildContext, problems: Problems) -> None:
    """Let each pool with signals be measured with them; what they can tell stands beside its figures."""
    for pool, signals in signals_of(file, problems).items():
        if pool not in parts.by_pool:
            continue  # nobody counts its queue
        parts.by_pool[pool] = WithSignals(parts.by_pool[pool], signals, parts.signal_sources, context.limits.reading)
        kinds: dict[str, frozenset[str]] = {**parts.figures[pool]}
        for one in signals:
            kinds[one.signal.source] = kinds.get(one.signal.source, frozenset()) | {one.signal.kind.value}
        parts.figures[pool] = kinds


def _sources_of(pool: str, table: PoolTable, file: File) -> dict[str, SourceKind[Any, Any, Metrics]]:
    """The kinds of a pool's metrics sources by name, in order. Raises ConfigError."""
    place, known = f'[pool."{pool}"]', listed((f'"{name}"' for name in file.metrics), most=20)
    for name in table.metrics:
        if name not in file.metrics:
            remedy = f"known sources: {known}" if file.metrics else f"add a table [metrics.{name}]"
            raise unusable(f"{place}: metrics", f'there is no source "{name}"', remedy)
    if table.figures and not table.metrics:
        remedy = f"name one: {known}" if file.metrics else "add a table [metrics.NAME] and name it here"
        raise unusable(place, f"has keys for a metrics source ({listed(table.figures)}) but names none", remedy)
    return {name: kind_of(f"[metrics.{name}]", file.metrics[name], METRICS) for name in table.metrics}
