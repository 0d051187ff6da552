"""Draws the early warning of a pool, from start to outcome; it mentions nobody."""

from dataclasses import dataclass

from bot.core.finding import Finding
from bot.core.message import Message
from bot.core.pool.early_warning import Crossing, EarlyWarning, Ending, Measure, Threshold, WarningHistory
from bot.core.pool.pool import Snapshot
from bot.core.words import count, duration
from bot.views.blocks import context, header, message, section
from bot.views.mrkdwn import Marked, escaped, joined, link, mention, say, time, undated
from bot.views.parent.pools import busy_words, name_of
from bot.views.words.advice import remedy_words
from bot.views.words.diagnosis import likely_cause
from bot.views.words.interval import about, interval


@dataclass(frozen=True, slots=True)
class WarningView:
    pool: str
    episode: EarlyWarning
    early: WarningHistory
    latest: Snapshot | None
    finding: Finding | None = None
    """The likeliest cause; its remedy is shown during the warning."""
    incident_link: str = ""
    """The thread that took over, if it exists."""
    scalable: bool = False


def warning(view: WarningView) -> Message:
    pool, episode, seen = name_of(view.pool), view.episode, view.latest
    standing = episode.ended_at is None
    title = f"Early warning{'' if standing else ', over'}"
    then = _figures(episode.queued, episode.oldest_wait_seconds)
    now = _figures(seen.queued, seen.oldest_wait_seconds) if standing and seen else None
    lines, reasons = list[Marked](), list[Marked]()
    if seen and now:
        busy = f", {busy_words(seen)}" if seen.busy is not None else ""
        lines.append(say("Latest figures, {at}: {figures}{busy}.", at=time(seen.at), figures=now, busy=busy))
    if now != then:
        lines.append(say("At the warning, {at}: {then}.", at=time(episode.began_at), then=then))
    if view.finding:
        reasons.append(escaped(f"Likely cause: {likely_cause(view.finding)}", 400))
    if view.finding and standing:
        reasons.append(escaped(remedy_words(view.finding), 400))
    if standing and view.scalable:
        reasons.append(say("Effect of more runners: `/queue scale {pool}`.", pool=pool))
    state = _state(view)
    return message(
        undated(joined(" ", say("{title}: {pool}.", title=title, pool=pool), state)),
        header(f"{title}: {view.pool}"),
        section(state),
        section(joined("\n", *lines)),
        section(joined("\n", *reasons)) if reasons else None,
        context(_small(view)),
    )


def outcome_unknown(pool: str, began_at: float) -> Message:
    state = say(
        "The record of this warning from {at} is lost. Its outcome is unknown, and this message is no longer "
        "updated.", at=time(began_at))  # fmt: skip
    now = say("The pool now: `/queue status {pool}`.", pool=name_of(pool))
    title = "Early warning, outcome unknown"
    heading = say("{title}: {pool}.", title=title, pool=name_of(pool))
    text = undated(joined(" ", heading, state, now))
    return message(text, header(f"{title}: {pool}"), section(joined("\n", state, now)))


def limit_words(limit: Threshold) -> str:
    """`longest wait over 30 min`, `more than 50 jobs queued`."""
    if limit.measure is Measure.WAIT:
        return f"longest wait over {duration(limit.value)}"
    return f"more than {count(round(limit.value), 'job')} queued"


def _state(view: WarningView) -> Marked:  # noqa: PLR0911 - a sentence a state
    episode = view.episode
    limit = limit_words(episode.foreseen.threshold).capitalize()
    if episode.ended_at is None and episode.crossed_at is None:
        return say("{limit} expected {when}.", limit=limit, when=when_words(episode.expected))
    ended_at = episode.ended_at or episode.crossed_at or episode.began_at
    at, after = time(ended_at), duration(ended_at - episode.began_at)
    if episode.ended_at is None:
        return say("{limit} since {at}, {after} after this warning. No alert has fired yet.",
                   limit=limit, at=at, after=after)  # fmt: skip
    match episode.ending:
        case Ending.FIRED:
            thread = link(view.incident_link, "its thread") if view.incident_link else say("its thread is below")
            return say("The alert arrived at {at}, {after} after this warning: {thread}.",
                       at=at, after=after, thread=thread)  # fmt: skip
        case Ending.PASSED:
            return say("The trend reversed by {at}. The limit was not reached.", at=at)
        case Ending.AVERTED:
            who = mention(episode.scaled_by) if episode.scaled_by else say("Somebody")
            return say("{who} scaled the pool at {scaled}, and the trend reversed by {at}. The limit was not reached. "
                       "The warning is not scored.",
                       who=who, at=at, scaled=time(episode.scaled_at or episode.began_at))  # fmt: skip
        case Ending.EASED:
            return say("The limit was crossed, but no alert fired. The pool has been well below it since {at}.",
                       at=at)  # fmt: skip
        case Ending.EXPIRED:
            return say("Nothing happened within {after}, so the warning ended at {at}.", after=after, at=at)
    return say("Early warnings of this pool were switched off at {at}.", at=at)


def when_words(crossing: Crossing) -> Marked:
    """`in 9 to 26 min (22:40 to 22:57)`, counted from the sample that it rests on."""
    low, mid, high = crossing.low_seconds, crossing.mid_seconds, crossing.high_seconds
    if high is None:
        return say("in {mid} ({at}), {low} at the earliest",
                   mid=about(mid), at=time(crossing.at + mid), low=duration(low))  # fmt: skip
    span, begin, end = interval(low, high, fine=True), time(crossing.at + low), time(crossing.at + high)
    return say("in {span} ({begin} to {end})", span=span, begin=begin, end=end)


def _figures(queued: int | None, wait: float | None) -> str:
    return f"{count(queued, 'job')} queued, longest wait {duration(wait)}"


def _small(view: WarningView) -> Marked:
    limit, early = view.episode.foreseen.threshold, view.early
    source = f"from its last {limit.learnt_from} alerts" if limit.learnt_from else "configured"
    score = f"Warnings of this pool so far: {early.hits} right, {early.false} false, {early.missed} missed."
    return joined(
        " ",
        say("Limit: {limit} ({source}).", limit=limit_words(limit), source=source),
        say("This message stays up to date.") if view.episode.ended_at is None else None,
        say("{score}", score=score) if early.hits + early.false + early.missed else None,
    )
