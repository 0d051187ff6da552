"""The records' format version; a release refuses records of a newer one, which it would damage."""

from bot.adapters.migrations import FORMAT
from bot.adapters.redis.calls import RedisLink, whole
from bot.core.external import Problem

KEY = "{tailback}:format"


async def too_new(link: RedisLink) -> list[Problem]:
    """The finding if a newer release has written here (RT-8). Raises Unreachable."""
    return _judged(await _found(link))


async def adopt(link: RedisLink) -> list[Problem]:
    """Store this release's format; return the finding if it must not work here. Raises Unreachable."""
    found = await _found(link)
    if found < FORMAT:
        await link.read("SET", KEY, FORMAT)
    return _judged(found)


async def _found(link: RedisLink) -> int:
    return whole(await link.read("GET", KEY))


def _judged(found: int) -> list[Problem]:
    if found <= FORMAT:
        return []
    return [
        Problem(
            f"Its records have format {found}, of a newer Tailback, and this release knows formats up to {FORMAT}",
            "start that release again, or give this one an empty Redis",
            "redis",
        )
    ]
