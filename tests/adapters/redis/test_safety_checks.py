"""Which settings of a Redis are refused at the start, from what INFO tells (docs/design/storage.md, IN-4)."""

import pytest

from bot.adapters.redis.safety_checks import nearly_full, of_clock, of_facts

FIT: dict[str, object] = {
    "redis_version": "7.2.4",
    "maxmemory_policy": "noeviction",
    "aof_enabled": 1,
    "aof_last_write_status": "ok",
    "role": "master",
}


@pytest.mark.parametrize("version", ["6.2.0", "6.2.14", "7.0.15", "7.2.4", "8.0.1", "10.0"])
def test_from_6_2_on_a_fit_server_is_taken(version: str) -> None:
    """Valkey tells the version of the Redis that it is compatible with."""
    assert of_facts({**FIT, "redis_version": version}) == []


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("redis_version", "6.0.16", "Version 6.0.16 is too old; use Redis 6.2 or newer"),
        ("redis_version", "5.0.7", "use Redis 6.2 or newer"),
        ("maxmemory_policy", "volatile-lru", "set it to noeviction"),
        ("maxmemory_policy", "allkeys-lru", "set it to noeviction"),
        ("aof_enabled", 0, "set appendonly yes"),
        ("role", "slave", "point REDIS_URL at the primary"),
        ("aof_last_write_status", "err", "free space on its disk"),
    ],
)
def test_each_danger_is_one_sentence_with_its_remedy(name: str, value: object, remedy: str) -> None:
    """One thing is wrong, and that alone is said."""
    (found,) = of_facts({**FIT, name: value})
    assert found.area == "redis"
    assert remedy in str(found)


@pytest.mark.parametrize("name", ["redis_version", "maxmemory_policy", "aof_enabled", "role"])
def test_what_is_not_told_is_not_safe(name: str) -> None:
    """A managed server that hides a fact has not shown that it is fit."""
    assert len(of_facts({field: value for field, value in FIT.items() if field != name})) == 1


@pytest.mark.parametrize(("apart", "side"), [(2.1, "2.1 s ahead of"), (-2.1, "2.1 s behind")])
def test_clocks_more_than_two_seconds_apart_are_named_with_their_side(apart: float, side: str) -> None:
    """Which way matters to whoever mends it."""
    (found,) = of_clock(apart)
    assert found.area == "clock"
    assert side in found.what
    assert of_clock(1.9 if apart > 0 else -1.9) == []


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ({"maxmemory": 1000, "used_memory": 901}, "90% of its maxmemory"),
        ({"maxmemory": 1000, "used_memory": 899}, ""),
        ({"maxmemory": 0, "used_memory": 10**12}, ""),
        ({"maxmemory": "unlimited", "used_memory": 10**12}, ""),
        ({"maxmemory": 1000, "used_memory": ""}, ""),
        ({"aof_last_write_status": "err"}, "append-only"),
        ({"aof_last_bgrewrite_status": "err"}, "append-only file anew"),
        ({"rdb_last_bgsave_status": "err"}, "last snapshot"),
        ({}, ""),
    ],
)
def test_a_server_that_is_nearly_full_is_told_beforehand(facts: dict[str, object], problem: str) -> None:
    """Without a limit there is nothing to warn of."""
    found = nearly_full(facts)
    assert problem in (found.what if found else "")
    assert bool(found) is bool(problem)
