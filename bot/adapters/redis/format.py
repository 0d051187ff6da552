"""The format of the records: a release never works on records that a newer one wrote and it would write back poorer."""

from bot.adapters.redis.calls import RedisLink, whole

FORMAT = 2
"""Raised when an older release must not touch the records any more. 1: release 0.1, which did not write it down."""
KEY = "{tailback}:format"


async def too_new(link: RedisLink) -> list[str]:
    """The finding when a newer release has written here (RT-8). Raises Unreachable."""
    return _judged(await _found(link))


async def adopt(link: RedisLink) -> list[str]:
    """Write down that this release works here now; the finding instead when it must not. Raises Unreachable."""
    found = await _found(link)
    if found < FORMAT:
        await link.read("SET", KEY, FORMAT)
    return _judged(found)


async def _found(link: RedisLink) -> int:
    return whole(await link.read("GET", KEY))


def _judged(found: int) -> list[str]:
    if found <= FORMAT:
        return []
    return [
        f"Redis: its records have format {found}, of a newer Tailback; this release knows formats up to {FORMAT}. "
        "Start that release again, or give this one an empty Redis."
    ]
