"""Checks a followed job or pool at each poll, and leaves one notification for each follower if something happened."""

from dataclasses import dataclass, replace

from bot.context.context import Context
from bot.core.jobs.answer import JobAnswer, JobsAnswer, JobStanding
from bot.core.jobs.follow import Follower, FollowEvent, FollowKind, Follows, lapsed, left_by, much_worse
from bot.core.jobs.found import Unfound
from bot.core.notifications.tell import FollowNews, LeftToTell, Tell, Way
from bot.core.pool.pool import drained
from bot.core.record import Change, Claim, Put, Stored
from bot.jobs.find import JobsRefused, find_jobs
from bot.jobs.following import KEPT_SECONDS, pool_sample, seconds_left, waits
from bot.notifications.deliver import DIRECT_SECONDS
from bot.notifications.follows import followed_by
from bot.notifications.outbox import tell_later
from bot.ports import Refused
from bot.requests.permission import check_permission
from bot.views.jobs import followed_news

FORGOTTEN = frozenset({Unfound.NOT_FOUND, Unfound.NO_SOURCE, Unfound.LONGEST_ONLY})
"""Reasons by which a job that was known is gone; a source that does not answer is asked again."""
MOST_AT_ONCE = 100
"""Followers whose notifications are written in one change."""
MOST_NAMED = 3
"""Jobs of one address that a message names."""


@dataclass(frozen=True, slots=True)
class FollowCheck:
    """What was seen of a followed job or pool."""

    event: FollowEvent | None = None
    """What ends it; None: it goes on."""
    value: float | None = None
    """Queued jobs, or seconds until the start."""
    jobs: tuple[JobAnswer, ...] = ()


async def watch_followed(context: Context, claim: Claim) -> None:
    """One check, and the notifications that it causes."""
    held, now = claim.of(Follows), context.now()
    follows = held.value
    check = FollowCheck(follows.over)
    if follows.followers and follows.over is None:
        follows, check = await (_pool if follows.kind is FollowKind.POOL else _job)(context, follows)
        if check.event is not None:
            follows = replace(follows, over=check.event, over_at=now)
    await _tell(context, held, follows, check)


async def _pool(context: Context, follows: Follows) -> tuple[Follows, FollowCheck]:
    file = context.settings.file
    if follows.target not in file.pool:
        return follows, FollowCheck(FollowEvent.GONE)
    sample = await pool_sample(context, follows.target)
    if sample is None or sample.at <= follows.looked_at:
        return follows, FollowCheck()
    done = drained(sample, file.rules_of(follows.target))
    streak = 0 if done is False else follows.drained_streak + (done is True)
    event = FollowEvent.DRAINED if streak >= file.timing.drained_samples else None
    return replace(follows, drained_streak=streak, looked_at=sample.at), FollowCheck(event, sample.queued)


async def _job(context: Context, follows: Follows) -> tuple[Follows, FollowCheck]:
    try:
        found = await find_jobs(context, follows.target)
    except JobsRefused as why:
        return follows, FollowCheck(FollowEvent.LOST if why.reason in FORGOTTEN else None)
    named = found.jobs[:MOST_NAMED]
    if waits(found):
        return follows, FollowCheck(None, seconds_left(found, context.now()), named)
    return follows, FollowCheck(_ended(found), None, named)


def _ended(found: JobsAnswer) -> FollowEvent:
    if any(one.state is JobStanding.UNSERVABLE for one in found.jobs):
        return FollowEvent.NEVER
    started = any(one.started_at is not None or one.state is JobStanding.RUNNING for one in found.jobs)
    return FollowEvent.STARTED if started else FollowEvent.ENDED


async def _tell(context: Context, held: Stored[Follows], follows: Follows, check: FollowCheck) -> None:
    """The notifications of the next followers, in the order in which they came, and what is left of the record."""
    now, puts, left = context.now(), list[Put](), list[tuple[str, str]]()
    after = follows
    for follower, event in _news(follows, check, now)[:MOST_AT_ONCE]:
        when = now + DIRECT_SECONDS * len(puts)
        puts += await tell_later(context, _notification(follows, follower, event, check, when))
        if event is FollowEvent.WORSE:
            after = _knowing_worse(after, follower)
        else:
            after = left_by(after, follower.who)
            left.append((followed_by(follower.who), follows.id))
    more = len(_news(after, check, now)) > 0
    if not more:
        after = replace(after, over=None)
    pause = DIRECT_SECONDS * max(1, len(puts)) if more else context.settings.file.timing.poll
    due = now + pause if after.followers else None
    put = Put(held, after, due, keep_seconds=None if after.followers else KEPT_SECONDS)
    await context.store.commit(Change(puts=(put, *puts), leave=tuple(left)))


def _news(follows: Follows, check: FollowCheck, now: float) -> list[tuple[Follower, FollowEvent]]:
    """Who is to be told what now."""
    found = list[tuple[Follower, FollowEvent]]()
    for one in follows.followers:
        if follows.over is not None and one.since <= follows.over_at:
            found.append((one, follows.over))
        elif lapsed(one, now):
            found.append((one, FollowEvent.LAPSED))
        elif much_worse(follows, one, check.value):
            found.append((one, FollowEvent.WORSE))
    return found


def _knowing_worse(follows: Follows, follower: Follower) -> Follows:
    followers = (replace(one, knows_worse=one.knows_worse or one == follower) for one in follows.followers)
    return replace(follows, followers=tuple(followers))


def _notification(follows: Follows, follower: Follower, event: FollowEvent, check: FollowCheck, when: float) -> Tell:
    at = follows.over_at if event is follows.over else when
    queued = round(check.value) if check.value is not None and follows.kind is FollowKind.POOL else None
    news = FollowNews(follows.kind, follows.target, event, at, check.jobs, queued)
    once = f"follow:{follows.id}:{follower.since}:{event}"
    return Tell("", follower.who, news, when=when, once=once, way=Way.DIRECT)


async def judge_follow(context: Context, tell: Tell) -> LeftToTell:
    """The news, unless the person has left or may not ask for it any more."""
    if not isinstance(tell.about, FollowNews):
        return LeftToTell()
    try:
        await check_permission(context, tell.who, "diagnose")
    except Refused:
        return LeftToTell()
    return LeftToTell(followed_news(tell.about, context.now()))
