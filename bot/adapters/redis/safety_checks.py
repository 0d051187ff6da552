"""Finds unsafe settings of a Redis server and records of a newer release, one sentence with remedy each."""

from collections.abc import Callable, Mapping

from bot.adapters.records import FORMAT, TOO_OLD
from bot.adapters.redis.calls import RedisLink, whole
from bot.core.external import Problem
from bot.ports import Failure, Unreachable

OLDEST = (6, 2)
CLOCK_SECONDS = 2.0
NEARLY = 0.9
"""Share of maxmemory above which alerts may soon not be stored."""
UNWRITTEN = {
    "aof_last_write_status": "its append-only file",
    "aof_last_bgrewrite_status": "its append-only file anew",
    "rdb_last_bgsave_status": "its last snapshot",
}
"""Field of INFO: what failed when it is not `ok`. Redis tells no free disk, and this of a full one."""
FORMAT_KEY = "{tailback}:format"
"""The records' format version; a release refuses records of a newer one, which it would damage."""


async def unsafe_settings(link: RedisLink, now: Callable[[], float]) -> list[Problem]:
    """The findings from INFO alone, because managed servers block CONFIG. Raises Unreachable."""
    before = now()
    redis_now = await redis_time(link)
    apart = (before + now()) / 2 - redis_now
    facts = await link.read("INFO")
    if not isinstance(facts, Mapping):
        return [_redis("INFO gives nothing", "allow it in the server's ACL"), *of_clock(apart)]
    return [*of_facts(facts), *of_clock(apart)]


async def redis_time(link: RedisLink) -> float:
    """Redis TIME in epoch seconds. Raises Unreachable."""
    reply = await link.read("TIME")
    if not isinstance(reply, (tuple, list)):
        raise Unreachable("Redis", f"TIME answered {reply!r}", failure=Failure.UNKNOWN)
    return int(reply[0]) + int(reply[1]) / 1e6


def of_facts(facts: Mapping[str, object]) -> list[Problem]:
    """The findings in INFO's fields; a missing field is a finding too, because unknown is not safe."""
    version, policy, aof, role = (
        str(facts.get(name, "unknown")) for name in ("redis_version", "maxmemory_policy", "aof_enabled", "role")
    )
    failing = str(facts.get("aof_last_write_status", "ok")) != "ok"
    old = tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < OLDEST
    found = (
        (old, _redis(f"Version {version} is too old", "use Redis 6.2 or newer, or any Valkey")),
        (
            policy != "noeviction",
            _redis(
                f"Maxmemory-policy is {policy}, so it may silently drop incidents",
                "set it to noeviction (CONFIG SET maxmemory-policy noeviction, and in redis.conf)",
            ),
        ),
        (
            aof != "1",
            _redis(
                "The append-only file is off, so a restart loses accepted alerts",
                "set appendonly yes (CONFIG SET appendonly yes, and in redis.conf)",
            ),
        ),
        (role not in {"master", "primary"}, _redis(f"This server is a {role}", "point REDIS_URL at the primary")),
        (failing, _redis("The last write to its append-only file failed", "free space on its disk")),
    )
    return [problem for wrong, problem in found if wrong]


def nearly_full(facts: object) -> Problem | None:
    """A warning while INFO shows that stores will soon fail; None while there is room."""
    if not isinstance(facts, Mapping):
        return None
    found = (facts.get("maxmemory"), facts.get("used_memory"))
    most, used = (value if isinstance(value, int | float) else 0 for value in found)  # a product may write a word
    if most and used > NEARLY * most:
        return _redis(
            f"Redis uses {used / most:.0%} of its maxmemory", "raise maxmemory, or alerts cannot be stored soon"
        )
    for name, what in UNWRITTEN.items():
        if str(facts.get(name, "ok")) != "ok":
            return _redis(f"Redis could not write {what}", "free space on its disk, or alerts cannot be stored soon")
    return None


def of_clock(apart_seconds: float) -> list[Problem]:
    """The finding when this machine's clock differs too much from Redis TIME; positive: ours is ahead."""
    if abs(apart_seconds) <= CLOCK_SECONDS:
        return []
    side = "ahead of" if apart_seconds > 0 else "behind"
    return [
        Problem(
            f"This machine is {abs(apart_seconds):.1f} s {side} Redis TIME",
            "let both follow the same time server (NTP), the limit is 2 s",
            "clock",
        )
    ]


def _redis(what: str, remedy: str) -> Problem:
    return Problem(what, remedy, "redis")


async def of_format(link: RedisLink, *, adopt: bool = False) -> list[Problem]:
    """The finding if a newer or an older release has written here (RT-8); to `adopt` records, store this format.

    Raises Unreachable.
    """
    found = whole(await link.read("GET", FORMAT_KEY))
    if 0 < found < FORMAT:
        what = f"Its records have format {found}, of an older Tailback, and this release reads format {FORMAT}"
        return [_redis(what, TOO_OLD)]
    if adopt and not found:
        await link.read("SET", FORMAT_KEY, FORMAT)
    if found <= FORMAT:
        return []
    what = f"Its records have format {found}, of a newer Tailback, and this release knows formats up to {FORMAT}"
    return [_redis(what, "start that release again, or give this one an empty Redis")]
