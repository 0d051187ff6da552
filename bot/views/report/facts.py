"""A report and its proposals in plain words and table rows; callers escape them."""

from collections.abc import Mapping

from bot.core.pool.early_warning import WarningHistory
from bot.core.pool.hour_stats import WAIT_EDGES
from bot.core.reporting.incident_history import NO_POOL, IncidentEnd, PoolIncidents, ScaleUps, about_hours
from bot.core.reporting.recurrence import local_time
from bot.core.reporting.summary import PoolReport, Report, Waits
from bot.core.statement import Statement
from bot.core.words import count, duration, listed, money, share
from bot.views.mrkdwn import clean
from bot.views.words.causes import cause_name
from bot.views.words.closing import hours, rounded_up
from bot.views.words.diagnosis import confirmed
from bot.views.words.forecasts import left_out_words
from bot.views.words.interval import short
from bot.views.words.phrase import in_words

MOST_CAUSES = 4
ENDS = {
    IncidentEnd.DRAINED: "drained",
    IncidentEnd.BY_HAND: "closed by hand",
    IncidentEnd.UNMEASURED: "resolved unmeasured",
}


def lead(made: Report) -> str:
    """What the time cost, then what there was: `Jobs waited about 1,300 h in the last 7 days, ... 4 incidents.`"""
    still = f" ({made.open_now:,} open)" if made.open_now else ""
    began = f"{count(made.incidents, 'incident')}{still}" if made.incidents else "No incident"
    waited = sum(one.waited_seconds for one in made.pools)
    if not waited:
        return f"{began} in {last_days(made)}."
    worst = max(made.pools, key=lambda one: one.longest_wait_seconds)
    where = f" in {clean(worst.pool)}" if len(made.pools) > 1 else ""
    longest = f", the longest {duration(worst.longest_wait_seconds)}{where}" if worst.longest_wait_seconds else ""
    return f"Jobs waited {about_hours(waited)} in {last_days(made)}{longest}. {began}."


def span(made: Report) -> str:
    began, ended = (f"{local_time(at, made.zone):%d %b %H:%M}".lstrip("0") for at in (made.since, made.until))
    return f"{began} to {ended} {made.zone}"


def nothing(made: Report) -> str:
    """Nothing to report; "nobody waited" only if it was measured."""
    looked = any(one.waits for one in made.pools)
    waited = f", and no job waited longer than {duration(made.target_seconds)}" if looked else ""
    return f"No incident began{waited} in {last_days(made)}."


def measured(made: Report) -> str:
    known = sum(one.waits is not None for one in made.pools)
    return f"Measured: {known:,} of {count(len(made.pools), 'pool')}." if made.pools else ""


def rows(made: Report) -> list[tuple[str, ...]]:
    """The table of waits: a header, and pools with known waits, the most waiting first."""
    head = ("pool", "p50", "p90", "p99", f"over {short(made.target_seconds)}", "jobs p95", "seen")
    return [head, *(_row(one, one.waits) for one in made.pools if one.waits)]


def legend(made: Report) -> str:
    """The meaning of the columns, and the time span of recurring times."""
    return (
        "p50, p90, p99: the longest wait was at most this for 50, 90 and 99% of the measured time (-: 30 s or less). "
        f"over {short(made.target_seconds)}: share of the measured time with a longer wait. jobs p95: 95% of the jobs "
        "that started had waited at most this, if the oldest starts first. seen: share of "
        f"{count(days_of(made), 'day')} that was measured. Recurring times use up to 6 weeks, hours in {made.zone}. "
        "An incident of several pools counts for each."
    )


def last_days(made: Report) -> str:
    days = days_of(made)
    return "the last day" if days == 1 else f"the last {days} days"


def days_of(made: Report) -> int:
    return max(1, round((made.until - made.since) / 86400))


def _row(one: PoolReport, waits: Waits) -> tuple[str, ...]:
    times = (waits.p50_seconds, waits.p90_seconds, waits.p99_seconds)
    jobs = "?" if waits.jobs_p95_seconds is None else _wait(waits.jobs_p95_seconds)
    seen = share(one.measured_share)
    return (clean(one.pool) or "(no name)", *(_wait(seconds) for seconds in times), share(waits.over_share), jobs, seen)


def _wait(seconds: float) -> str:
    return "-" if seconds <= WAIT_EDGES[0] else short(seconds)


def facts(one: PoolReport) -> tuple[str, ...]:
    return (*worst(one), *more(one))


def worst(one: PoolReport) -> tuple[str, ...]:
    """How bad it was, and why."""
    past, judged = one.history, one.history.judged
    causes = (f"{cause_name(cause)} ({number:,}{confirmed(judged.get(cause))})" for cause, number in past.causes)
    likeliest = f"likeliest causes: {listed(causes, MOST_CAUSES)}" if past.causes else ""
    return tuple(filter(None, (_worst(one), _incidents(past), likeliest)))


def more(one: PoolReport) -> tuple[str, ...]:
    """When it recurs, and what was forecast, done and warned of."""
    past = one.history
    parts = (
        f"recurs on {listed((p.words for p in one.patterns), 3)}" if one.patterns else "",
        _forecasts(past) if past.incidents > past.open_now and one.pool != NO_POOL else "",
        _scaled(one.raises) if one.raises else "",
        _warned(one.early) if one.early else "",
    )
    return tuple(filter(None, parts))


def _incidents(past: PoolIncidents) -> str:
    if not past.incidents:
        return "no incident"
    still = f" ({past.open_now:,} open)" if past.open_now else ""
    ends = listed((f"{number:,} {ENDS[end]}" for end, number in past.ended), MOST_CAUSES)
    ended = f", {ends}" if ends else ""
    return f"{count(past.incidents, 'incident')}{still}, open for {duration(past.open_seconds)}{ended}"


def _worst(one: PoolReport) -> str:
    waited = f"{about_hours(known)} of waiting" if (known := one.waited_seconds) else ""
    worst = f"longest wait {duration(one.longest_wait_seconds)}" if one.longest_wait_seconds else ""
    most = f"most queued {count(one.most_queued, 'job')}" if one.most_queued else ""
    return ", ".join(part for part in (waited, worst, most) if part)


def _forecasts(past: PoolIncidents) -> str:
    held = f"{past.held:,} of {count(past.scored, 'forecast')} correct" if past.scored else "no forecast was scored"
    return ", ".join(filter(None, (held, left_out_words(past.left_out))))


def _scaled(lent: ScaleUps) -> str:
    cost = "" if lent.cost is None else f", cost at most {money(lent.cost, lent.currency)}"
    out = f", {lent.out:,} not returned yet" if lent.out else ""
    more, stayed = count(lent.runners, "more runner"), hours(rounded_up(lent.runner_hours))
    return f"scaled up {count(lent.times, 'time')}: {more}, {stayed} runner-hours at most{cost}{out}"


def _warned(early: WarningHistory) -> str:
    warned = early.hits + early.false
    known = f"early warnings so far: {early.hits:,} of {warned:,} came true, {early.missed:,} missed"
    return known if warned + early.missed else ""


def waits_words(one: PoolReport, target_seconds: float) -> str:
    """The table row in words; empty if the waits are unknown."""
    if (waits := one.waits) is None:
        return ""
    p50, p90, p99 = (_wait_words(p) for p in (waits.p50_seconds, waits.p90_seconds, waits.p99_seconds))
    jobs = waits.jobs_p95_seconds
    started = "" if jobs is None else f"; 19 of 20 jobs that started had waited at most {_wait_words(jobs)}"
    return (
        f"the longest wait was at most {p50} for half of the measured time, {p90} for 90%, {p99} for 99%, over "
        f"{duration(target_seconds)} for {share(waits.over_share)}{started}; {share(one.measured_share)} was measured"
    )


def _wait_words(seconds: float) -> str:
    """A wait in words; below the first class it is not known exactly."""
    return duration(max(seconds, WAIT_EDGES[0]))


def unsized(one: PoolReport) -> str:
    """Why there is no proposed limit, if jobs waited too long; else empty."""
    if not isinstance(one.sized, Statement) or one.waits is None or not one.waits.over_share:
        return ""
    return in_words(one.sized, UNSIZED)


UNSIZED: Mapping[str, str] = {
    "arrivals_unknown": ("the arrivals are unknown in {unknown} of {stretches:count stretch|stretches} of waiting"),
    "boot_too_long": "a new runner alone takes about {seconds:duration}, longer than the target",
    "busy_unknown": "the number of busy runners is unknown in those hours",
    "durations_unknown": "busy runners, completions and job durations are unknown in those hours",
    "limit_not_binding": "the limit did not cause the queue: {share:share} of it was busy while jobs waited",
    "limit_unknown": "the limit of the pool is unknown",
    "nobody_waited": "no job waited longer than {seconds:duration}",
    "not_among_worst": "it is computed for the {pools} pools with the longest waits only",
    "would_do": (
        "by a replay of the recorded hours, {limit:count runner} would have been enough for the jobs of those hours: "
        "bursts shorter than an hour, or something other than the limit, made them wait"
    ),
}
"""Why there is no proposed limit."""
