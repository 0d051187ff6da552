"""A pool with several sources: who is asked what, and what a slow or a broken one costs."""

import asyncio
import contextlib
from collections.abc import Mapping

import pytest

from bot.adapters.http.client import HttpPool
from bot.adapters.integrations import build
from bot.adapters.metrics.several import Several, keys_by_source
from bot.adapters.registry import METRICS
from bot.config import ConfigError, File, Settings, load
from bot.core.pool.pool import Snapshot
from bot.core.pool.retention import Origin
from bot.ports import Failure, Metrics, Unreachable
from tests.adapters.back_end import BackEnd

KINDS = {"github": METRICS["github"], "prometheus": METRICS["prometheus"]}


class Script:
    """A source that answers what the test says, when it says so."""

    def __init__(self, *answers: Snapshot | Unreachable) -> None:
        self.answers, self.gate = list(answers), asyncio.Event()
        self.gate.set()
        self.past: tuple[Snapshot, ...] = ()

    async def snapshot(self, pool: str) -> Snapshot:
        del pool
        await self.gate.wait()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Unreachable):
            raise answer
        return answer

    async def history(self, *_: object) -> tuple[Snapshot, ...]:
        return self.past


def both(first: Script, second: Script) -> Metrics:
    return Several({"a": first, "b": second}, 0.01)


async def test_a_source_that_does_not_answer_is_told_until_it_does() -> None:
    """`/readyz` says it at once; a source that only refuses one query does answer."""
    away, refused = (Unreachable("P", "is gone", failure=one) for one in (Failure.UNCONNECTED, Failure.SHAPE))
    silent, source = dict[str, str](), Script(away, refused, Snapshot("p", 10.0, 1))
    several = Several({"a": source}, 0.01, silent)
    for expected in ({"a": str(away)}, {"a": str(away)}, {}):
        with contextlib.suppress(Unreachable):
            await several.snapshot("p")
        assert silent == expected
    source.gate.clear()
    await several.snapshot("p")
    assert silent == {"a": "a has not answered within 0.01 s; the request goes on"}
    source.gate.set()
    await several.snapshot("p")
    assert silent == {}


async def test_a_slow_source_goes_on_and_its_last_figures_count_with_their_age() -> None:
    """Nobody waits for it, and its answer is used once it is there."""
    slow, quick = Script(Snapshot("p", 10.0, 1), Snapshot("p", 40.0, 7)), Script(Snapshot("p", 11.0, limit=4))
    source = both(slow, quick)
    slow.gate.clear()
    first = await source.snapshot("p")
    assert (first.queued, first.limit) == (None, 4)
    assert first.missing[0].why == "a: has not answered within 0.01 s; the request goes on"
    slow.gate.set()
    assert (await source.snapshot("p")).queued == 1
    slow.gate.clear()
    late = await source.snapshot("p")
    assert (late.queued, late.origins[0]) == (1, Origin("a", 10.0, ("queued",)))
    slow.gate.set()
    assert (await source.snapshot("p")).queued == 7


async def test_two_who_ask_at_the_same_time_share_one_answer() -> None:
    """A measurement and a click on Diagnose come together; neither fails because the other was first."""
    slow = Script(Snapshot("p", 10.0, 1))
    source = both(slow, Script(Snapshot("p", 11.0, limit=4)))
    slow.gate.clear()
    reads = [asyncio.ensure_future(source.snapshot("p")) for _ in range(2)]
    await asyncio.sleep(0)
    slow.gate.set()
    assert [(one.queued, one.limit) for one in await asyncio.gather(*reads)] == [(1, 4)] * 2


async def test_a_pool_without_any_answer_names_every_source() -> None:
    source = both(Script(Unreachable("A", "is down", remedy="start it")), Script(Unreachable("B", "is away")))
    with pytest.raises(Unreachable, match="a: is down; b: is away") as caught:
        await source.snapshot("p")
    assert caught.value.remedy == "start it"


async def test_the_only_source_speaks_for_itself() -> None:
    """And is not waited for longer than several are."""
    only = Script(Unreachable("A", "is down", remedy="start it"), Snapshot("p", 10.0, 1))
    source = Several({"a": only}, 0.01)
    with pytest.raises(Unreachable, match=r"^A: is down; start it$"):
        await source.snapshot("p")
    only.gate.clear()
    with pytest.raises(Unreachable, match="; the request goes on"):
        await source.snapshot("p")
    only.gate.set()
    assert (await source.snapshot("p")).queued == 1


async def test_the_sources_stand_in_the_order_of_the_pool() -> None:
    """`check` names the one that counts, whatever the order of the tables in the file."""
    async with BackEnd().wire() as wire:
        built = build(settings(metrics=["prometheus", "github"], label="x", preset="arc"), lambda: 0.0, wire)
        assert list(built.figures["linux"]) == ["prometheus", "github"]


async def test_the_histories_are_merged_by_time() -> None:
    first, second = Script(Snapshot("p", 0.0)), Script(Snapshot("p", 0.0))
    first.past = (Snapshot("p", 60.0, 1), Snapshot("p", 120.0, 2))
    second.past = (Snapshot("p", 61.0, limit=9),)
    found = await both(first, second).history("p", 0.0, 180.0, 60.0)
    assert [(one.at, one.queued, one.limit) for one in found] == [(60.0, 1, 9), (120.0, 2, None)]


@pytest.mark.parametrize(
    ("keys", "github", "prometheus"),
    [
        ({"label": "x", "preset": "arc"}, {"label": "x"}, {"preset": "arc"}),
        ({"limit": 40}, {"limit": 40}, {"limit": 40}),
        ({"limit": "max(m)"}, {}, {"limit": "max(m)"}),
        ({"label": "x", "github": {"label": "y"}, "prometheus": {"limit": "1"}}, {"label": "y"}, {"limit": "1"}),
    ],
)
def test_each_source_gets_the_keys_that_it_can_read(
    keys: Mapping[str, object], github: object, prometheus: object
) -> None:
    """By name, by the form of the value, and by a table with the name of the source."""
    assert keys_by_source("p", KINDS, keys) == {"github": github, "prometheus": prometheus}


def test_a_key_of_no_source_is_named() -> None:
    """Also with several sources a typing error is found at the start."""
    with pytest.raises(ConfigError, match=r'pool\."p"\]: lable: none of its metrics sources has such a key'):
        keys_by_source("p", KINDS, {"lable": "x", "preset": "arc"})


def settings(**pool: object) -> Settings:
    tables = {
        "github": {"kind": "github", "organizations": ["o"], "token_env": "T"},
        "prometheus": {"kind": "prometheus", "url": "http://p.test"},
    }
    return Settings(load({}).env, File.model_validate({"metrics": tables, "pool": {"linux": pool}}), {"T": "t"})


async def test_a_list_of_sources_and_a_single_name_are_both_valid() -> None:
    """And the figures that each can give are known before anything is asked."""
    async with BackEnd().wire() as wire:
        several = build(settings(metrics=["github", "prometheus"], label="x", preset="arc"), lambda: 0.0, wire)
        assert isinstance(several.metrics["linux"], Several)
        assert list(several.figures["linux"]) == ["github", "prometheus"]
        assert "limit" in several.figures["linux"]["prometheus"] - several.figures["linux"]["github"]
        single = build(settings(metrics="github", label="x"), lambda: 0.0, wire)
        assert list(single.figures["linux"]) == ["github"]


def test_all_problems_of_all_sources_of_a_pool_are_reported_together() -> None:
    """A wrong value of one source and a missing source beside it."""
    with pytest.raises(ConfigError) as caught:
        build(settings(metrics=["github", "nowhere"]), lambda: 0.0, HttpPool())
    assert '[pool."linux"]: metrics: there is no source "nowhere"' in str(caught.value)
    with pytest.raises(ConfigError) as caught:
        build(settings(metrics=["github", "prometheus"], labels=3, window="x", preset="arc"), lambda: 0.0, HttpPool())
    assert len(caught.value.problems) == 2
