"""Who follows a job or a pool, and what ends it: each person is told once."""

from dataclasses import dataclass, replace
from enum import StrEnum

from bot.core.alert import digest

FOLLOWED_SECONDS = 86400.0
"""How long somebody follows something. Origin: GitHub cancels a job that has been queued for so long."""
MOST_FOLLOWED = 20
"""Jobs and pools that one person may follow at once."""
DOUBLED = 2.0
"""From this factor on it is much worse."""
LEAST_QUEUED, LEAST_SECONDS = 5, 300.0
"""Less is not worth telling that it doubled. Origin: judgement; a handful of jobs, a normal wait."""
JOB_BUTTON = "job."
"""Begins the value of a button that follows a job; an incident's ids have a random beginning."""
MOST_VALUE = 1900


class FollowKind(StrEnum):
    JOB = "job"
    POOL = "pool"


class FollowEvent(StrEnum):
    """What a follower is told; all but `worse` end it."""

    STARTED = "started"
    ENDED = "ended"
    """It ended, or was cancelled, before it was seen to start."""
    NEVER = "never"
    """No runner can take it."""
    LOST = "lost"
    """Its source knows it no more."""
    DRAINED = "drained"
    GONE = "gone"
    """The pool is no longer configured."""
    LAPSED = "lapsed"
    """A day is over."""
    WORSE = "worse"
    """It takes twice as long, or twice as many wait, as when the person asked."""


@dataclass(frozen=True, slots=True)
class Follower:
    who: str
    since: float
    """Epoch seconds."""
    base: float | None = None
    """Queued jobs, or seconds until the start, when they asked; None: unknown."""
    knows_worse: bool = False


@dataclass(frozen=True, slots=True)
class Follows:
    """The followers of one job or pool, in the order in which they came."""

    id: str
    """`follow_id` of the two below."""
    kind: FollowKind = FollowKind.POOL
    target: str = ""
    """The pool's name, or what a person wrote of the job: an address or a number."""
    followers: tuple[Follower, ...] = ()
    drained_streak: int = 0
    """Samples in a row in which the pool had drained."""
    looked_at: float = 0.0
    """The newest sample that was looked at (epoch seconds)."""
    over: FollowEvent | None = None
    """What happened, while there are followers who were there then and are not told yet."""
    over_at: float = 0.0


def follow_id(kind: FollowKind, target: str) -> str:
    """The id of the record of what is followed."""
    return digest("follow", kind, target)[:20]


def job_value(text: str) -> str:
    """The value of the button that follows a job; empty if it is too long for one."""
    return f"{JOB_BUTTON}{text}" if len(text) <= MOST_VALUE else ""


def followed_job(value: str) -> str:
    """What the button's value names; empty if it is not one of a job."""
    return value.removeprefix(JOB_BUTTON) if value.startswith(JOB_BUTTON) else ""


def joined_by(follows: Follows, follower: Follower) -> Follows:
    """With one more follower; who follows it already goes on as they are."""
    if any(one.who == follower.who for one in follows.followers):
        return follows
    return replace(follows, followers=(*follows.followers, follower))


def left_by(follows: Follows, who: str) -> Follows:
    return replace(follows, followers=tuple(one for one in follows.followers if one.who != who))


def much_worse(follows: Follows, follower: Follower, value: float | None) -> bool:
    """Whether this follower is to be told that it has doubled since they asked."""
    if value is None or follower.base is None or follower.knows_worse:
        return False
    least = LEAST_QUEUED if follows.kind is FollowKind.POOL else LEAST_SECONDS
    return value >= DOUBLED * max(follower.base, least)


def lapsed(follower: Follower, now: float) -> bool:
    """Whether a day is over."""
    return now - follower.since >= FOLLOWED_SECONDS
