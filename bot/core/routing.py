"""Finds an alert's channel, mention and pools."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.core.alert import Alert
from bot.core.pool.pool import PoolRules

POOL_LABELS = ("runner_label", "pool", "queue", "machine_type", "RunnerType")
"""Labels with which common alert rules name a pool."""


SCALE_SET_LABEL = "name"
"""The label with which Actions Runner Controller's listener names a scale set, often with a generated end."""
GENERATED = frozenset("bcdfghjklmnpqrstvwxz2456789")
"""The letters that Kubernetes generates names from: no vowels, so that no word is meant."""
GENERATED_CHARS = 5


@dataclass(frozen=True, slots=True)
class Route:
    """A rule of `[[route]]`; the first whose labels all match wins."""

    channel: str
    match: Mapping[str, str] = field(default_factory=dict)
    mention: str | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """The pools that a group of alerts speaks of, and the names in it that the configuration does not contain."""

    candidates: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def route(alerts: Iterable[Alert], routes: Iterable[Route], default: Route) -> Route:
    """The first route that any firing alert of the group matches, else the default.

    `team` and `priority` match what the parser read, wherever the alert carried it (label or annotation).
    """
    if not (rules := tuple(routes)):
        return default
    alerts = list(alerts)
    known = [_facts(alert) for alert in alerts if alert.firing] or [_facts(alert) for alert in alerts]
    for rule in rules:
        if any(_matches(rule.match, facts) for facts in known):
            return Route(rule.channel, rule.match, rule.mention or default.mention)
    return default


def pool_channel(pool: PoolRules, routes: Iterable[Route]) -> str | None:
    """The channel of the first route that a pool's labels match; None if none does."""
    facts = {name: {value} for name, value in pool.match.items()}
    return next((rule.channel for rule in routes if rule.match and _matches(rule.match, facts)), None)


def named_pools(alerts: Iterable[Alert], pools: Iterable[PoolRules]) -> Named:
    """Pools that the alerts name by their labels; if they name none, every pool that they do not rule out.

    An alert over all runner types names no pool (docs/design/diagnosis.md#no-pool-is-named). Then all pools are
    candidates, and measuring shows which ones are affected. A pool is ruled out when its `match` asks for another value
    of a label than every alert has. If that rules out every pool, all are candidates: no incident measures nothing.
    """
    rules, facts = list(pools), [_facts(alert) for alert in alerts]
    spoken = {value for known in facts for label in POOL_LABELS for value in known.get(label, ()) if value}
    sets = {value for known in facts for value in known.get(SCALE_SET_LABEL, ())}
    matched = [pool.name for pool in rules if pool.match and any(_matches(pool.match, known) for known in facts)]
    called = [pool.name for pool in rules if pool.name in spoken or any(_is(one, pool.name) for one in sets)]
    unknown = spoken - {name for pool in rules for name in (pool.name, *pool.match.values())}
    if named := tuple(dict.fromkeys((*matched, *called))):
        return Named(named, named, tuple(sorted(unknown)))
    if possible := [pool.name for pool in rules if _may_be_meant(pool, facts)]:
        return Named(tuple(possible), (), tuple(sorted(unknown)))
    return Named(tuple(pool.name for pool in rules), (), tuple(sorted(unknown or _strangers(rules, facts))))


def _strangers(rules: Sequence[PoolRules], facts: Sequence[Mapping[str, set[str]]]) -> set[str]:
    """What the alerts say by the labels that pools match, `cluster=b`, and no pool has."""
    labels = {label for pool in rules for label in pool.match}
    known = {(label, value) for pool in rules for label, value in pool.match.items()}
    given = {(label, value) for one in facts for label in labels for value in one.get(label, ())}
    return {f"{label}={value}" for label, value in given - known}


def all_ruled_out(alerts: Iterable[Alert], pools: Iterable[PoolRules]) -> bool:
    """Whether the alerts name other pools than these: each `match` asks for another value of a label that they have."""
    facts = [_facts(alert) for alert in alerts]
    return not any(_may_be_meant(pool, facts) for pool in pools)


def _may_be_meant(pool: PoolRules, facts: Sequence[Mapping[str, set[str]]]) -> bool:
    return not facts or any(_may_match(pool.match, known) for known in facts)


def _facts(alert: Alert) -> dict[str, set[str]]:
    facts = {name: {value} for name, value in alert.labels.items()}
    for name, value in alert.facts.items():
        facts.setdefault(name, set()).add(value)
    facts.setdefault("team", set()).update(alert.teams)
    if alert.priority:
        facts.setdefault("priority", set()).add(alert.priority)
    return facts


def _may_match(match: Mapping[str, str], facts: Mapping[str, set[str]]) -> bool:
    return all(not facts.get(name) or _has_value(name, value, facts, maybe=True) for name, value in match.items())


def _matches(match: Mapping[str, str], facts: Mapping[str, set[str]]) -> bool:
    return all(_has_value(name, value, facts) for name, value in match.items())


def _has_value(name: str, value: str, facts: Mapping[str, set[str]], *, maybe: bool = False) -> bool:
    """Whether a label has this value, or for a scale set's name one that was generated from it.

    `maybe`: a generated name counts for any value, because only Kubernetes knows where its own part begins.
    """
    values = facts.get(name, set())
    if value in values or name != SCALE_SET_LABEL:
        return value in values
    return any(_is(one, value) or (maybe and bool(_stem(one))) for one in values)


def _is(value: str, name: str) -> bool:
    return name in {value, _stem(value)}


def _stem(value: str) -> str:
    """What stands before a generated end such as `-x7k2p`; empty without one."""
    end = value[-GENERATED_CHARS:]
    dash = value[-GENERATED_CHARS - 1 : -GENERATED_CHARS]
    return value[: -GENERATED_CHARS - 1] if dash == "-" and {*end} <= GENERATED else ""
