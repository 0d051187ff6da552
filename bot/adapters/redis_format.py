"""The format of the records: a release never works on records that a newer one wrote and it would write back poorer."""

from bot.adapters.redis_link import RedisLink, whole

FORMAT = 2
"""Raised when an older release must not touch the records any more. 1: release 0.1, which did not write it down."""
KEY = "{tailback}:format"


async def too_new(link: RedisLink) -> list[str]:
    """The finding when a newer release has written here (promises RT-8). Raises Unreachable."""
    found = whole(await link.read("GET", KEY))
    if found <= FORMAT:
        return []
    return [
        f"Redis: its records have format {found}, of a newer Tailback; this release knows formats up to {FORMAT}. "
        "Start that release again, or give this one an empty Redis."
    ]


async def adopt(link: RedisLink) -> list[str]:
    """Write down that this release works here now; the finding instead when it must not. Raises Unreachable."""
    if found := await too_new(link):
        return found
    if whole(await link.read("GET", KEY)) < FORMAT:
        await link.read("SET", KEY, FORMAT)
    return []
