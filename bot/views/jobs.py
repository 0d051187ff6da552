"""When a job starts, as a private answer; what a follower is told by direct message, and what somebody follows."""

from collections.abc import Mapping, Sequence

from bot.core.jobs.answer import JobAnswer, JobsAnswer, JobStanding
from bot.core.jobs.follow import FollowEvent, FollowKind, Follows
from bot.core.message import Block, Message
from bot.core.notifications.tell import FollowNews
from bot.core.words import count, duration, listed
from bot.views.blocks import actions, button, context, message, section, sentence_of
from bot.views.mrkdwn import Marked, date, escaped, joined, link, say, sentence, time
from bot.views.parent.pools import name_of
from bot.views.words.causes import cause_name
from bot.views.words.jobs import ESTIMATE, ahead_words, ending_words, start_words, unknown_start

MOST_JOBS = 10
MOST_NAME = 120
TELL_ME = "Tell me"


def job_answer(found: JobsAnswer, now: float, links: Mapping[str, str], follow: str = "") -> Message:
    """All jobs of an address, those that wait first; `links` by incident id, `follow` is the value of *Tell me*."""
    shown, more = found.jobs[:MOST_JOBS], len(found.jobs) - MOST_JOBS
    lines = [job_lines(one, now, links) for one in shown]
    if more > 0:
        lines.append(say("+ {more}.", more=count(more, "more job")))
    estimated = any(one.start is not None for one in found.jobs)
    small = joined(
        " ",
        sentence(ESTIMATE, 200) if estimated else None,
        say("Figures of {at}.", at=time(found.sampled_at)) if found.sampled_at is not None else None,
    )
    waits = any(one.state in {JobStanding.WAITING, JobStanding.HELD} for one in found.jobs)
    press = actions(button(TELL_ME, "follow", follow, f"{TELL_ME} when it starts")) if follow and waits else None
    blocks: Sequence[Block | None] = (*(section(line) for line in lines), press, context(small) if small else None)
    return message(joined("\n", *lines, small), *blocks)


def job_lines(job: JobAnswer, now: float, links: Mapping[str, str]) -> Marked:
    """What is known of one job."""
    return joined("\n", _title(job), *_state(job, now), _why(job), _incident(job, links))


def _title(job: JobAnswer) -> Marked:
    where = say(" · {repository}", repository=escaped(job.repository, MOST_NAME)) if job.repository else say("")
    return say("*{title}*{where}", title=_named(job), where=where)


def _named(job: JobAnswer) -> Marked:
    if job.url:
        return link(job.url, job.name or job.id)
    return escaped(job.name, MOST_NAME) if job.name else say("Job {number}", number=escaped(job.id, 40))


def _state(job: JobAnswer, now: float) -> tuple[Marked | None, ...]:
    match job.state:
        case JobStanding.WAITING:
            return _waits(job, now)
        case JobStanding.HELD:
            return (
                say(
                    "It is held by an approval or a concurrency limit. It is in no queue, so it has no place and no "
                    "start."
                ),
            )
        case JobStanding.UNSERVABLE:
            labels = listed(job.missing) or job.pool
            return (_since(job, now), say("No runner can take it: no runner has the label {labels}.", labels=labels))
        case JobStanding.RUNNING:
            return (_runs(job, now),)
        case JobStanding.ENDED:
            at = say(" at {at}", at=date(job.ended_at)) if job.ended_at is not None else say("")
            return (say("{how}{at}.", how=escaped(ending_words(job.conclusion), 100), at=at),)


def _waits(job: JobAnswer, now: float) -> tuple[Marked | None, ...]:
    others = [name for name in job.pools if name != job.pool]
    also = say(" {also} may take it too.", also=listed(map(name_of, others))) if others else say("")
    missing = say("No configured pool has the label {labels}.", labels=listed(job.missing)) if job.missing else None
    starts = say("It {when}.", when=escaped(start_words(job.start, now), 200)) if job.start is not None else None
    return (
        say("{since}{also}", since=_since(job, now), also=also),
        missing,
        starts if starts is not None else None if missing is not None else sentence(unknown_start(job.reason), 300),
        sentence(ahead_words(job.ahead), 100) if job.ahead is not None else None,
    )


def _since(job: JobAnswer, now: float) -> Marked:
    pool = say(" in {pool}", pool=name_of(job.pool)) if job.pool else say("")
    if job.queued_at is None:
        return say("It waits{pool}.", pool=pool)
    waited = duration(max(0.0, now - job.queued_at))
    return say("It waits{pool} since {at} ({waited}).", pool=pool, at=time(job.queued_at), waited=waited)


def _runs(job: JobAnswer, now: float) -> Marked:
    usual = (
        say(" Such jobs usually take {usual}.", usual=duration(job.usual_seconds))
        if job.usual_seconds is not None
        else say("")
    )
    if job.started_at is None:
        return say("It runs.{usual}", usual=usual)
    ran = duration(max(0.0, now - job.started_at))
    return say("It runs since {at} ({ran}).{usual}", at=time(job.started_at), ran=ran, usual=usual)


def _why(job: JobAnswer) -> Marked | None:
    if job.cause is None or job.state is not JobStanding.WAITING:
        return None
    sure = job.cause.sureness
    return say("Why it waits: {cause} ({sure} confidence).", cause=cause_name(job.cause.cause), sure=sure)


def _incident(job: JobAnswer, links: Mapping[str, str]) -> Marked | None:
    there = links.get(job.incident)
    return link(there, "Incident") if there else None


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


def target_words(target: str) -> Marked:
    """What a person wrote of the job."""
    return link(target, target) or escaped(target, MOST_NAME)


def follow_lines(follows: Sequence[Follows]) -> list[Marked]:
    """What somebody follows, one line each."""
    return [
        escaped(name_of(one.target)) if one.kind is FollowKind.POOL else target_words(one.target) for one in follows
    ]
