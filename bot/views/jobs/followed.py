"""What a follower is told by direct message, and the list of what somebody follows."""

from collections.abc import Sequence

from bot.core.jobs.answer import JobAnswer
from bot.core.jobs.follow import FollowEvent, FollowKind, Follows
from bot.core.message import Message
from bot.core.notifications.tell import FollowNews
from bot.core.words import count, duration
from bot.views.blocks import sentence_of
from bot.views.mrkdwn import Marked, date, escaped, joined, link, say
from bot.views.parent.pools import name_of
from bot.views.words.jobs import ending_words, start_words

MOST_TARGET = 120


def followed_news(news: FollowNews, now: float) -> Message:
    """One message about a job or a pool."""
    lines = _pool_lines(news) if news.about is FollowKind.POOL else _job_lines(news, now)
    return sentence_of(joined("\n", *lines))


def _pool_lines(news: FollowNews) -> list[Marked]:
    pool = name_of(news.target)
    match news.event:
        case FollowEvent.DRAINED:
            return [say("{pool} has drained, seen {at}.", pool=pool, at=date(news.at))]
        case FollowEvent.WORSE:
            queued = count(news.queued, "job waits", "jobs wait")
            return [say("{pool}: {queued}, twice as many as when you asked. I still watch it.", pool=pool,
                        queued=queued)]  # fmt: skip
        case FollowEvent.GONE:
            return [say("{pool} is no longer configured, so I stop watching it.", pool=pool)]
        case _:
            return [say("{pool} has not drained within a day, so I stop watching it.", pool=pool)]


def _job_lines(news: FollowNews, now: float) -> list[Marked]:
    names = [_named(one) for one in news.jobs] or [target_words(news.target)]
    if news.event is FollowEvent.LAPSED:
        return [say("{job} has not started within a day, so I stop watching it.", job=names[0])]
    if news.event is FollowEvent.LOST:
        return [say("Its CI provider no longer knows {job}, so I stop watching it.", job=names[0])]
    if news.event is FollowEvent.WORSE:
        known = next((one.start for one in news.jobs if one.start is not None), None)
        when = escaped(start_words(known, now), 200) if known else say("will start much later")
        return [say("{job} takes much longer: it {when}. I still watch it.", job=names[0], when=when)]
    return [_what_happened(one, name) for one, name in zip(news.jobs, names, strict=True)]


def _what_happened(job: JobAnswer, name: Marked) -> Marked:
    if job.missing and job.started_at is None and job.ended_at is None:
        labels = ", ".join(job.missing)
        return say("{job} cannot start: no runner has the label {labels}.", job=name, labels=labels)
    if job.started_at is None:
        return say("{job} did not start. {how}.", job=name, how=ending_words(job.conclusion))
    waited = job.started_at - job.queued_at if job.queued_at is not None else None
    after = say(" after {waited}", waited=duration(waited)) if waited is not None and waited >= 0 else say("")
    ended = say(" {how}.", how=ending_words(job.conclusion)) if job.ended_at is not None else say("")
    return say("{job} started at {at}{after}.{ended}", job=name, at=date(job.started_at), after=after, ended=ended)


def _named(job: JobAnswer) -> Marked:
    if job.url:
        return link(job.url, job.name or job.id)
    return escaped(job.name, MOST_TARGET) if job.name else say("Job {number}", number=escaped(job.id, 40))


def target_words(target: str) -> Marked:
    """What a person wrote of the job."""
    return link(target, target) or escaped(target, MOST_TARGET)


def follow_lines(follows: Sequence[Follows]) -> list[Marked]:
    """What somebody follows, one line each."""
    return [
        escaped(name_of(one.target)) if one.kind is FollowKind.POOL else target_words(one.target) for one in follows
    ]
