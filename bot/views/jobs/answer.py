"""The private answer to the question when a job starts."""

from collections.abc import Mapping, Sequence

from bot.core.jobs.answer import JobAnswer, JobsAnswer, JobStanding
from bot.core.message import Block, Message
from bot.core.words import count, duration, listed
from bot.views.blocks import actions, button, context, message, section
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
    named = escaped(job.name, MOST_NAME) if job.name else say("Job {number}", number=escaped(job.id, 40))
    title = link(job.url, job.name or job.id) if job.url else named
    where = say(" · {repository}", repository=escaped(job.repository, MOST_NAME)) if job.repository else say("")
    return say("*{title}*{where}", title=title, where=where)


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
