"""Draws the early warning of a pool, from start to outcome; it mentions nobody."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.message import Message
from bot.core.pool.early_warning import Crossing, EarlyWarning, Ending, Measure, Threshold, WarningHistory
from bot.core.pool.pool import Snapshot
from bot.core.words import clock, count, duration
from bot.views.blocks import context, header, message, section
from bot.views.mrkdwn import Marked, escaped, joined, link, say
from bot.views.parent.pool_rows import name_of
from bot.views.words.interval import about, interval


@dataclass(frozen=True, slots=True)
class WarningView:
    """The data of the message."""

    pool: str
    episode: EarlyWarning
    early: WarningHistory
    latest: Snapshot | None
    why: Sequence[str] = ()
    """The likeliest cause and the remedy; the remedy is shown during the warning."""
    incident_link: str = ""
    """The thread that took over, if it exists."""
    scalable: bool = False


def warning(told: WarningView) -> Message:
    """The warning in words; times of day are UTC."""
    pool = name_of(told.pool)
    state = _state(told)
    standing = told.episode.ended_at is None
    then = _figures(told.episode.queued, told.episode.oldest_wait_seconds)
    now = _now(told.latest) if standing and told.latest else None
    began = None
    if now is None or told.latest is None or then != _figures(told.latest.queued, told.latest.oldest_wait_seconds):
        began = say("When it was given, at {at} UTC: {then}.", at=clock(told.episode.began_at), then=then)
    more = say("What more runners would do: `/queue scale {pool}`.", pool=pool) if standing and told.scalable else None
    why = told.why if standing else told.why[:1]
    reasons = joined("\n", *(escaped(line, 400) for line in why), more)
    heading = say("Early warning: {pool}", pool=pool) if standing else say("Early warning, over: {pool}", pool=pool)
    text = joined(
        " ", say("{heading}.", heading=heading), state, now, began, *(escaped(line, 300) for line in why), more
    )
    return message(
        text,
        header(f"Early warning{'' if standing else ', over'}: {told.pool}"),
        section(state),
        section(joined("\n", now, began)),
        section(reasons) if reasons else None,
        context(_small(told, standing=standing)),
    )


def outcome_unknown(pool: str, began_at: float) -> Message:
    """The text in place of a warning with a lost record."""
    state = say(
        "Tailback gave this warning at {at} UTC and has lost its records since. What became of it is not known, and "
        "this message is not kept true any more.",
        at=clock(began_at),
    )
    now = say("How the pool stands now: `/queue status {pool}`.", pool=name_of(pool))
    heading = say("Early warning, outcome unknown: {pool}.", pool=name_of(pool))
    title = f"Early warning, outcome unknown: {pool}"
    return message(joined(" ", heading, state, now), header(title), section(joined("\n", state, now)))


def limit_words(limit: Threshold) -> str:
    """`an oldest wait of 30 min`, `50 queued jobs`."""
    if limit.measure is Measure.WAIT:
        return f"an oldest wait of {duration(limit.value)}"
    return count(round(limit.value), "queued job")


def _state(told: WarningView) -> Marked:
    episode = told.episode
    limit = limit_words(episode.foreseen.threshold)
    if episode.ended_at is not None:
        return _over(told, limit, clock(episode.ended_at), duration(episode.ended_at - episode.began_at))
    if episode.crossed_at is not None:
        after = duration(episode.crossed_at - episode.began_at)
        return say("{limit} was crossed at {at} UTC, {after} after this warning. No alert has fired yet.",
                   limit=_upper(limit), at=clock(episode.crossed_at), after=after)  # fmt: skip
    return say("{limit} is likely to be crossed soon: {when}. No alert has fired yet.",
               limit=_upper(limit), when=when_words(episode.expected))  # fmt: skip


def _over(told: WarningView, limit: str, at: str, after: str) -> Marked:
    match told.episode.ending:
        case Ending.FIRED:
            thread = link(told.incident_link, "its thread") if told.incident_link else say("its thread is below")
            return say("An alert took this over at {at} UTC, {after} after this warning: {thread}.",
                       at=at, after=after, thread=thread)  # fmt: skip
        case Ending.PASSED:
            return say("It passed by itself at {at} UTC; {limit} was not reached.", at=at, limit=limit)
        case Ending.AVERTED:
            return say("It passed at {at} UTC, after somebody scaled the pool at {scaled} UTC; {limit} was not "
                       "reached. It counts neither as right nor as false.",
                       at=at, scaled=clock(told.episode.scaled_at or told.episode.began_at), limit=limit)  # fmt: skip
        case Ending.EASED:
            return say("{limit} was crossed, no alert fired, and since {at} UTC the pool is well below it again.",
                       limit=_upper(limit), at=at)  # fmt: skip
        case Ending.EXPIRED:
            return say("Nothing came of it within {after}, so it ended at {at} UTC.", after=after, at=at)
    return say("Warnings of this pool were switched off at {at} UTC.", at=at)


def when_words(crossing: Crossing) -> str:
    """`expected in 9 min to 26 min (22:40 to 22:57 UTC)`, counted from the sample that it rests on."""
    low, mid, high = crossing.low_seconds, crossing.mid_seconds, crossing.high_seconds
    if high is None:
        at = clock(crossing.at + mid)
        return f"in {about(mid)} ({at} UTC), hardly before {duration(low)}"
    begin, end = clock(crossing.at + low), clock(crossing.at + high)
    return f"expected in {interval(low, high, fine=True)} ({begin} to {end} UTC)"


def _now(sample: Snapshot) -> Marked:
    busy = ""
    if sample.busy is not None:
        of = f" of {sample.limit:,}" if sample.limit else ""
        busy = f", {sample.busy:,}{of} runners busy"
    figures = _figures(sample.queued, sample.oldest_wait_seconds)
    return say("Now, at {at} UTC: {figures}{busy}.", at=clock(sample.at), figures=figures, busy=busy)


def _figures(queued: int | None, wait: float | None) -> str:
    return f"{count(queued, 'job')} queued, oldest wait {duration(wait)}"


def _small(told: WarningView, *, standing: bool) -> Marked:
    limit, early = told.episode.foreseen.threshold, told.early
    source = "It is configured" if not limit.learnt_from else f"Its last {limit.learnt_from} alerts fired there"
    score = f"Warnings of this pool so far: {early.hits} right, {early.false} false; {early.missed} missed."
    kept = say("This message is kept true.") if standing else None
    where = say("The threshold is {limit}. {source}.", limit=limit_words(limit), source=source)
    return joined(" ", where, kept, say("{score}", score=score))


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]
