"""What a person follows: a job or a pool of which they are told by direct message."""

from bot.context.context import Context
from bot.core.jobs.follow import Follows


def followed_by(who: str) -> str:
    """The set of records with this follower."""
    return f"follows:{who}"


async def follows_of(context: Context, who: str) -> list[Follows]:
    """What a person follows, the oldest first. Raises Unreachable."""
    held = await context.store.get_many(Follows, sorted(await context.store.members(followed_by(who))))
    mine = ((one.value, follower) for one in held.values() for follower in one.value.followers if follower.who == who)
    return [follows for follows, _ in sorted(mine, key=lambda pair: (pair[1].since, pair[0].id))]
