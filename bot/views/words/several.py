"""What the sources of a pool say of each other: who contradicts whom, and for whom a drain waits."""

from collections.abc import Mapping, Sequence

from bot.core.pool.pool import Contradiction
from bot.views.mrkdwn import Marked, date, say


def disagreeing(pool: str, found: Sequence[Contradiction]) -> list[Marked]:
    """One line where they say clearly different queues: a reader cannot trust either."""
    queues = [
        ", ".join(f"{one.name} {one.number:,.0f}" for one in each.values) for each in found if each.figure == "queued"
    ]
    return [
        say("{pool}: the sources disagree about the queue: {queues}. Tailback uses the first.", pool=pool, queues=one)
        for one in queues
    ]


def waited_for(silent: Mapping[str, float]) -> list[Marked]:
    """A line for each source that has fallen silent; the time of its last queue, in epoch seconds."""
    return [
        say("{name} has not told the queue since {at}. A drain waits for it, 15 min at most.", name=one, at=date(at))
        for one, at in silent.items()
    ]


def unconfirmed(silent: Mapping[str, float]) -> list[Marked]:
    """The same in the last reply, when the drain has not waited longer."""
    return [say("{source} has not answered since {at}.", source=one, at=date(at)) for one, at in silent.items()]
