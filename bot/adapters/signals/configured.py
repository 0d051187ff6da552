"""The signals of every pool in tailback.toml: those of a ready-made set, and those of `[signal.NAME]`."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from bot.adapters.build_context import Problems
from bot.adapters.prometheus.presets import quoted
from bot.adapters.signals import cloudwatch, kubernetes, node_exporter
from bot.adapters.signals.ask import PoolSignal, SignalQuery
from bot.config import File, unusable
from bot.core.signals.signal import Signal, SignalKind
from bot.core.words import listed
from bot.pool_settings import MACHINE_MATCH, POOL, PoolTable

SETS: Mapping[str, tuple[str, Callable[[str], list[PoolSignal]], str]] = {
    "node_exporter": ("prometheus", node_exporter.signals, 'job="node", pool="linux.2xlarge"'),
    "kubernetes": ("prometheus", kubernetes.signals, 'namespace="ci", pod=~"linux-2xlarge-.*"'),
    "cloudwatch": ("cloudwatch", cloudwatch.signals, "AutoScalingGroupName=linux-2xlarge"),
}
"""Set: the kind of source that it asks, its signals for a pool's `machine_match`, and an example of that."""
SIGNAL_KINDS = ("prometheus", "cloudwatch")
"""Kinds of sources that can be asked for signals."""
TEXT = r'"(?:[^"\\\n]|\\.)*"'
MATCHERS = re.compile(rf"\s*\w+\s*(?:=~|!~|!=|=)\s*{TEXT}(?:\s*,\s*\w+\s*(?:=~|!~|!=|=)\s*{TEXT})*\s*,?\s*")
DIMENSION = re.compile(r"[^\s=,\"]+=[^\s=,\"]+")
"""What `machine_match` may be: matchers of PromQL, or one dimension of CloudWatch."""
WRITTEN = re.compile(f"{re.escape(MACHINE_MATCH)}|{re.escape(POOL)}")
USUAL = {
    SignalKind.CPU: "are short of CPU",
    SignalKind.MEMORY: "are short of memory",
    SignalKind.DISK: "are short of disk",
    SignalKind.IO: "wait for their disks",
    SignalKind.NETWORK: "have a slow network",
    SignalKind.SERVICE: "have trouble with a service",
}
"""What is wrong with machines where the configuration does not say it."""


def signals_of(file: File, problems: Problems) -> dict[str, tuple[PoolSignal, ...]]:
    """Pool → its signals; one of tailback.toml replaces the set's of the same name."""
    found: dict[str, dict[str, PoolSignal]] = {pool: {} for pool in file.pool}
    for pool, table in file.pool.items():
        with problems:
            if table.signals:
                found[pool].update((one.signal.name, one) for one in _of_sets(pool, table, file))
    for name in file.signal:
        with problems:
            for pool, one in _of_file(name, file):
                found[pool][name] = one
    return {pool: tuple(mine.values()) for pool, mine in found.items() if mine}


def _of_sets(pool: str, table: PoolTable, file: File) -> Iterator[PoolSignal]:
    place = f'[pool."{pool}"]'
    for name in table.signals:
        if name not in SETS:
            known = listed((f'"{one}"' for one in SETS), most=20)
            raise unusable(f"{place}: signals", f'there is no set "{name}"', f"known sets: {known}")
        kind, made, example = SETS[name]
        if not table.machine_match:
            raise unusable(f"{place}: machine_match", f'"{name}" needs it to find the machines',
                           f"write for example machine_match = '{example}'")  # fmt: skip
        pattern, what = (DIMENSION, "one dimension") if kind == "cloudwatch" else (MATCHERS, "label matchers")
        if not pattern.fullmatch(table.machine_match):
            raise unusable(f"{place}: machine_match", f"is not {what}", f"write for example '{example}'")
        source = _source_of(place, name, kind, table, file)
        for one in made(table.machine_match):
            yield replace(one, signal=replace(one.signal, source=source))


def _source_of(place: str, name: str, kind: str, table: PoolTable, file: File) -> str:
    """The pool's own source of this kind, else the only one."""
    of_kind = [one for one, raw in file.metrics.items() if raw.get("kind") == kind]
    own = [one for one in table.metrics if one in of_kind]
    if own:
        return own[0]
    if len(of_kind) == 1:
        return of_kind[0]
    if not of_kind:
        remedy = f'add a table [metrics.NAME] with kind = "{kind}"'
        raise unusable(f"{place}: signals", f'"{name}" asks a source of kind "{kind}", and there is none', remedy)
    what = f'"{name}" asks a source of kind "{kind}", and there are several: {listed(of_kind)}'
    raise unusable(f"{place}: signals", what, "name the one that knows these machines in the pool's metrics")


def _of_file(name: str, file: File) -> Iterator[tuple[str, PoolSignal]]:
    """(pool, the signal) of one table."""
    table, place = file.signal[name], f"[signal.{name}]"
    if table.metrics not in file.metrics:
        known = listed((f'"{one}"' for one in file.metrics), most=20)
        remedy = f"known sources: {known}" if file.metrics else f"add a table [metrics.{table.metrics}]"
        raise unusable(f"{place}: metrics", f'there is no source "{table.metrics}"', remedy)
    if (kind := file.metrics[table.metrics].get("kind")) not in SIGNAL_KINDS:
        what = f'a source of kind "{kind}" cannot be asked for signals'
        raise unusable(f"{place}: metrics", what, 'name one of kind "prometheus" or "cloudwatch"')
    for pool in table.pools or file.pool:
        if pool not in file.pool:
            known = listed((f'"{one}"' for one in file.pool), most=20)
            raise unusable(f"{place}: pools", f'there is no pool "{pool}"', f"known pools: {known}")
        match = file.pool[pool].machine_match
        if MACHINE_MATCH in table.query and not match:
            raise unusable(f'[pool."{pool}"]: machine_match', f"{place} uses it in its query",
                           f"add it, or name the other pools in {place}: pools")  # fmt: skip
        signal = Signal(
            name, table.kind, counts=table.counts, above=table.above, below=table.below, for_seconds=table.lasts,
            says=table.says or USUAL[table.kind], remedy=table.remedy, source=table.metrics,
            fix=f"correct the query of {place}",
        )  # fmt: skip
        values = {MACHINE_MATCH: match.strip().rstrip(","), POOL: quoted(pool)[1:-1] if kind == "prometheus" else pool}
        yield pool, PoolSignal(signal, SignalQuery(WRITTEN.sub(lambda found: values[found[0]], table.query)))  # noqa: B023
