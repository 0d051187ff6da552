"""Signals beside a pool's figures: who is asked, what is unknown and why, and mistakes in tailback.toml."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from bot.adapters.build_context import Problems
from bot.adapters.integrations import build
from bot.adapters.prometheus.answers import Unknown
from bot.adapters.signals.ask import Answers, Number, PoolSignal, SignalQuery
from bot.adapters.signals.configured import signals_of
from bot.adapters.signals.with_signals import WithSignals
from bot.config import ConfigError, Environment, File, Settings
from bot.core.pool.pool import Snapshot
from bot.core.signals.signal import Signal, SignalKind
from tests.builders import NOW, POOL
from tests.fakes import FakeClock, FakeMetrics

PROMETHEUS = {"kind": "prometheus", "url": "http://prometheus.test"}
AWS = {"kind": "cloudwatch", "region": "us-east-1"}
OWN = {"metrics": "p", "kind": "disk", "counts": "machines", "query": "sum(x{$machine_match})"}
NODES = {"metrics": "p", "preset": "ci", "signals": "node_exporter", "machine_match": 'job="node"'}


class Answering:
    """A source that says what it is told to, or nothing before it may."""

    def __init__(self, **numbers: Number | Unknown) -> None:
        self.numbers_by_name, self.may, self.calls = numbers, asyncio.Event(), 0
        self.may.set()

    async def numbers(self, questions: Mapping[str, SignalQuery]) -> Answers:
        self.calls += 1
        await self.may.wait()
        return {name: self.numbers_by_name[name] for name in questions}

    async def numbers_over(
        self, questions: Mapping[str, SignalQuery], since: float, until: float, step_seconds: float
    ) -> Mapping[str, Mapping[float, Number]]:
        return {name: {since + step_seconds: Number(3.0, 9, since + step_seconds)} for name in questions}


def with_signals(source: Answering, patience: float = 5.0) -> tuple[WithSignals, FakeMetrics]:
    figures = FakeMetrics(FakeClock(NOW))
    figures.show(POOL, {"queued": 4, "machines": 20})
    disk = PoolSignal(Signal("disk", SignalKind.DISK, source="p"), SignalQuery("q"))
    return WithSignals(figures, [disk], {"p": source}, patience), figures


async def test_a_sample_has_the_signals_beside_its_figures() -> None:
    made, _ = with_signals(Answering(disk=Number(14.0, None, NOW)))
    found = await made.snapshot(POOL)
    (disk,) = found.signals
    assert (found.queued, disk.value, disk.source, disk.at) == (4, 14.0, "p", NOW)
    assert not [gap for gap in found.missing if gap.figure.startswith("signal")]


async def test_what_is_unknown_has_its_reason_and_more_machines_than_exist_are_unknown() -> None:
    made, _ = with_signals(Answering(disk=Unknown("no series", "look there")))
    (gap,) = [gap for gap in (await made.snapshot(POOL)).missing if gap.figure == "signal.disk"]
    assert (gap.why, gap.remedy) == ("p: no series", "look there")
    made, _ = with_signals(Answering(disk=Number(21.0, None, NOW)))
    found = await made.snapshot(POOL)
    assert found.signals[0].value is None
    assert "p: contradiction, 21/20" in [gap.why for gap in found.missing]


async def test_a_slow_answer_holds_no_figure_back_and_counts_later() -> None:
    source = Answering(disk=Number(14.0, None, NOW))
    source.may.clear()
    made, _ = with_signals(source, patience=0.0)
    assert [(await made.snapshot(POOL)).signals[0].value for _ in range(2)] == [None, None]
    assert source.calls == 1
    source.may.set()
    made._patience = 5.0
    assert (await made.snapshot(POOL)).signals[0].value == 14.0


async def test_an_old_answer_is_unknown() -> None:
    made, _ = with_signals(Answering(disk=Number(14.0, None, NOW - 900)))
    assert (await made.snapshot(POOL)).signals[0].why == "no answer yet"


async def test_the_past_has_them_too() -> None:
    made, figures = with_signals(Answering(disk=Number(14.0, None, NOW)))
    figures.past[POOL] = (Snapshot(POOL, NOW - 600, queued=1), Snapshot(POOL, NOW - 540, queued=2))
    found = await made.history(POOL, NOW - 660, NOW, 60.0)
    assert [[(one.value, one.of) for one in sample.signals] for sample in found] == [[(3.0, 9)], []]
    weeks = await made.history(POOL, NOW - 86_400, NOW, 60.0)
    assert [sample.signals for sample in weeks] == [(), ()]


def read(**tables: Any) -> tuple[dict[str, tuple[PoolSignal, ...]], list[str]]:
    problems = Problems()
    found = signals_of(File.model_validate(tables), problems)
    return found, [f"{one.place}: {one.what}; {one.remedy}" for one in problems.found]


@pytest.mark.parametrize(
    ("tables", "says"),
    [
        ({"metrics": {"p": PROMETHEUS}, "pool": {POOL: {**NODES, "signals": "node"}}}, 'there is no set "node"'),
        ({"metrics": {"p": PROMETHEUS}, "pool": {POOL: {**NODES, "machine_match": ""}}}, '"node_exporter" needs it'),
        ({"metrics": {"p": PROMETHEUS}, "pool": {POOL: {**NODES, "machine_match": "node"}}}, "is not label matchers"),
        ({"metrics": {"c": AWS}, "pool": {POOL: {"signals": "cloudwatch", "machine_match": 'a="b"'}}},
         "is not one dimension"),
        ({"metrics": {"c": AWS}, "pool": {POOL: {**NODES, "metrics": "c"}}}, 'and there is none; add a table'),
        ({"metrics": {"p": PROMETHEUS, "q": PROMETHEUS}, "pool": {POOL: {**NODES, "metrics": ()}}},
         "there are several: p and q; name the one"),
        ({"metrics": {"p": PROMETHEUS}, "signal": {"d": {**OWN, "metrics": "q"}}}, 'there is no source "q"'),
        ({"metrics": {"p": {"kind": "github"}}, "signal": {"d": OWN}}, 'kind "github" cannot be asked'),
        ({"metrics": {"p": PROMETHEUS}, "signal": {"d": {**OWN, "pools": ["x"]}}}, 'there is no pool "x"'),
        ({"metrics": {"p": PROMETHEUS}, "pool": {POOL: {}}, "signal": {"d": OWN}}, "machine_match: [signal.d] uses it"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_remedy(tables: dict[str, Any], says: str) -> None:
    found, problems = read(**tables)
    assert len(problems) == 1
    assert says in problems[0]
    assert found == {}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"counts": "value"}, 'counts = "value" needs a limit; add above, or below'),
        ({"above": 3}, 'counts = "machines" takes no above'),
        ({"for": "5m"}, 'counts = "machines" takes no for'),
        ({"kind": "cpus"}, "kind: "),
    ],
)
def test_a_table_that_cannot_be_read_is_named(more: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match="validation error") as caught:
        File.model_validate({"signal": {"d": {**OWN, **more}}})
    assert says.partition(": ")[0] in str(caught.value)


def test_one_of_your_own_replaces_that_of_the_set_and_gets_names_escaped() -> None:
    """`$pool` and `$machine_match` are filled in once, whatever stands in them."""
    name = 'a"b$machine_match'
    own = {**OWN, "query": 'sum(x{$machine_match, pool="$pool"})', "says": "are full", "remedy": "Clean."}
    found, problems = read(metrics={"p": PROMETHEUS}, pool={name: NODES}, signal={"disk": own})
    assert problems == []
    signals = {one.signal.name: one for one in found[name]}
    assert [*signals] == ["cpu", "memory", "disk", "io", "network"]
    assert signals["disk"].question.query == 'sum(x{job="node", pool="a\\"b$machine_match"})'
    assert (signals["disk"].signal.says, signals["disk"].signal.remedy) == ("are full", "Clean.")


def test_a_pool_is_measured_with_its_signals_and_its_sources_can_tell_more() -> None:
    file = File.model_validate({"metrics": {"p": PROMETHEUS, "c": AWS}, "pool": {POOL: NODES, "other": {}}})
    built = build(Settings(Environment(), file), lambda: NOW)
    assert isinstance(built.metrics[POOL], WithSignals)
    assert {"cpu", "disk", "queued"} <= built.figures[POOL]["p"]
    wrong = File.model_validate({"metrics": {"p": PROMETHEUS}, "pool": {POOL: {**NODES, "machine_match": ""}}})
    with pytest.raises(ConfigError, match="machine_match"):
        build(Settings(Environment(), wrong), lambda: NOW)


def test_signals_change_with_the_next_start_only() -> None:
    file = File.model_validate({"metrics": {"p": PROMETHEUS}, "pool": {POOL: NODES}, "signal": {"disk": OWN}})
    assert {"[signal.disk]", f'[pool."{POOL}"]'} <= {*file.of_the_start}
