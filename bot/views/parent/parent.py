"""Draws the parent message of an incident's thread, which is edited in place.

Times are absolute or in whole minutes, and the time of measuring does not count as a change. So its digest changes only
with news, because edits are scarce (docs/design/slack.md#rate-limits). A closed incident is drawn from its record alone
and never changes again.
"""

from collections.abc import Sequence

from bot.core.alert import Kind
from bot.core.finding import MEDIUM, Finding
from bot.core.incident.incident import Incident, State
from bot.core.incident.observe import Timing, View
from bot.core.message import Block, Message
from bot.core.pool.outlook import Forecast, Verdict
from bot.core.pool.pool import PoolRules, Snapshot, empty, fresh
from bot.core.ranking.worst_first import worst_first
from bot.core.requests.interaction import Offer
from bot.core.routing import named_pools
from bot.core.words import count, figure, listed
from bot.views.blocks import as_of, context, header, message, section
from bot.views.chart import chart_now
from bot.views.mrkdwn import Marked, date, escaped, joined, link, say
from bot.views.parent.heading import heading, notification, state_words
from bot.views.parent.pools import PoolRow, name_of, of_incident, one_pool, pool_table, title_of
from bot.views.parent.sections import controls, latest_actions, links, notes, owner_words, peaks, silences, span
from bot.views.words.advice import PROVIDER, STATUS, before_words, remedy_words, seen_words
from bot.views.words.causes import SCALING, cause_name
from bot.views.words.diagnosis import evidence_words, plainly
from bot.views.words.forecasts import branch_words, earlier_words, forecast_words

MOST_EVIDENCE = 300
"""Characters of what shows the likely cause."""
MOST_UNKNOWN_ROWS = 3
"""More unaffected pools without figures are only counted."""


def parent(incident: Incident, view: View, offers: Sequence[Offer], now: float, timing: Timing) -> Message:
    """The parent: state and queue, verdict, owner and buttons first; then the pools, the chart and the links."""
    if incident.thread.plain:
        return minimal(incident)
    seen = of_incident(incident, view, now, timing)
    first = heading(incident, seen, now)
    small = notes(incident, now)
    noted = context(small) if small else None
    if incident.closed:
        rest = say("the alert still fires") if incident.group.firing else None
        rest = rest if incident.state is State.DRAINED else say("the queue is no longer watched")
        alert = joined(" · ", say("{title}", title=title_of(incident)), links(incident))
        open_end = say("{first}{rest}.", first=rest[0].upper(), rest=rest[1:]) if rest else None
        about = joined("\n", open_end, span(incident), peaks(incident), owner_words(incident), alert)
        blocks = (header(first), section(about), latest_actions(incident), noted)
        return message(notification(first, rest or say("Nothing to do")), *blocks)
    worst = judged(incident, view, now, timing)
    shown = (verdict(incident, view, worst), _proof(view, worst), _before(incident, worst))
    lines = (*shown, owner_words(incident), *silences(incident, now))
    owned = say("acknowledged") if incident.ownership.owner else say("not acknowledged")
    subject = listed((name_of(pool) for pool in incident.pools.affected), 2) or title_of(incident)
    return message(
        notification(first, *_short_verdict(worst), owned),
        header(first),
        section(joined("\n", *lines)),
        controls(offers, subject),
        *_pools(incident, view, seen, now),
        latest_actions(incident),
        chart_now(incident, view, now, timing),
        _last_line(incident, view),
        noted,
    )


def _pools(incident: Incident, view: View, seen: Sequence[PoolRow], now: float) -> tuple[Block, ...]:
    """A table for several pools, a line for one, a sentence for none."""
    if not seen:
        return (section(_unmeasured(incident, view)),)
    if all(row.pending for row in seen):
        return (section(say("Measuring {pools}…", pools=count(len(seen), "pool"))),)
    strangers = (section(_unmeasured(incident, view)),) if incident.pools.unknown_pools else ()
    shown = _relevant(seen)
    left_out = sum(not row.quiet for row in seen) - sum(not row.quiet for row in shown)
    unknown = say("Queue unknown in {pools}.", pools=count(left_out, "other pool")) if left_out else None
    if not shown:
        fires = say("The alert still fires: it may concern a pool that is not configured here.")
        calm = say("No queue in {pools}.", pools=count(len(seen) - left_out, "measured pool"))
        return (*strangers, section(joined(" ", calm, unknown or (fires if incident.group.firing else None))))
    drawn = one_pool(shown[0], now) if len(shown) == 1 else pool_table(shown, now=now)
    return (*strangers, *drawn, context(unknown)) if unknown else (*strangers, *drawn)


def _relevant(seen: Sequence[PoolRow]) -> list[PoolRow]:
    unknown = [row for row in seen if not row.quiet and not row.queueing and not row.affected]
    few = len(unknown) <= MOST_UNKNOWN_ROWS or len(unknown) == len(seen)
    return [row for row in seen if row.affected or row.queueing or (few and not row.quiet)]


def _unmeasured(incident: Incident, view: View) -> Marked:
    """Why the pools of the alert are not measured."""
    if error := next((one.rule_error for one in incident.group.firing if one.rule_error), ""):
        return say("The queue length is unknown: the alert's rule fails. {error}. Repair it: jobs may be waiting.",
                   error=escaped(error.rstrip("."), 240))  # fmt: skip
    if incident.group.kind is Kind.BLIND:
        return say("The queue length is unknown: the metrics source has no data. Repair it first: jobs may be waiting.")
    remedy = say('Add a `[pool."NAME"]` table to `tailback.toml`.')
    unknown = incident.pools.unknown_pools
    if names := listed(map(name_of, unknown), 5):
        are = "is not configured. Its queue is" if len(unknown) == 1 else "are not configured. Their queues are"
        others = say("")
        if incident.pools.candidates and not named_pools(incident.group.alerts, view.rules.values()).named:
            others = say(" Measured instead: {pools}.", pools=count(len(incident.pools.candidates), "configured pool"))
        return say("The alert names {names}, which {are} not measured.{others} {remedy}",
                   names=names, are=are, others=others, remedy=remedy)  # fmt: skip
    return say("No pool is configured for this alert, so its queue is not measured. {remedy}", remedy=remedy)


def _last_line(incident: Incident, view: View) -> Block:
    """The alert, its links and start, and the time of the figures, because edits may be delayed."""
    pools = (view.pools.get(name) for name in incident.pools.candidates)
    newest = max((pool.latest.at for pool in pools if pool and pool.latest), default=None)
    updated = say("Updated {at}", at=date(newest)) if newest is not None else None
    began = say("Started {at}", at=date(incident.began_at))
    return as_of(joined(" · ", say("{title}", title=title_of(incident)), links(incident), began, updated))


def minimal(incident: Incident) -> Message:
    """Plain text for when Slack refused the full rendering: the record's facts, and commands."""
    pools = listed((name_of(pool) for pool in incident.pools.judged), 10)
    parts = [
        say("{state}: {title}.", state=state_words(incident), title=title_of(incident)),
        say("Pools: {pools}.", pools=pools) if pools else None,
        say("Started at {since}.", since=date(incident.began_at)),
        owner_words(incident),
        say("Slack refused the full message, so it has no figures and no buttons. Write `@tailback status` or "
            "`@tailback help` in this thread."),
    ]  # fmt: skip
    return message(joined(" ", *parts))


Judged = tuple[str, Finding | None, Forecast | None]
"""(the worst affected pool with a fresh queue, its likeliest cause, its forecast); an empty name without one."""


def judged(incident: Incident, view: View, now: float, timing: Timing) -> Judged:
    known = [fresh(view.pools.get(name), now, timing.poll) for name in incident.pools.affected]
    floors = {name: rules.floor for name, rules in view.rules.items()}
    queues = worst_first([sample for sample in known if sample], view.rules)
    worst = next((sample for sample in queues if empty(sample, floors.get(sample.pool, 0)) is False), None)
    if incident.closed or worst is None:
        return "", None, None
    made, cause = view.pools[worst.pool].shown_forecast, view.causes.get(worst.pool)
    never = cause is not None and cause.cause == "stale_rows"  # such rows stay until somebody leaves them out
    return worst.pool, cause, made if made and made.at >= worst.at - 1 and not never else None


def verdict(incident: Incident, view: View, worst: Judged) -> Marked | None:
    """One line for the worst pool; None without a queue, a cause and a forecast."""
    pool, cause, made = worst
    several = len(incident.pools.affected) > 1
    about = say(" of {pool}", pool=name_of(pool)) if several else say("")
    parts = []
    if cause is None and pool and _waits_long(view, pool):
        seen = escaped(plainly(view.pools[pool].latest), 200)
        parts.append(say("{seen}. *Likely cause{about}:* not known. Diagnose says which figures would tell.",
                         seen=seen, about=about))  # fmt: skip
        about = say("")
    if cause is not None:
        parts.append(say("*Likely cause{about}:* {cause} ({sureness} confidence{seen}).{or_else} {helps}{page}",
                         about=about, cause=escaped(cause_name(cause.cause), 200), sureness=cause.sureness,
                         seen=seen_words(cause),
                         or_else=_or_else(cause, view.rivals.get(pool, ())), helps=remedy_words(cause),
                         page=_status_page(view, pool, cause)))  # fmt: skip
    if made is not None:
        also, steady = about if cause is None else say(""), view.pools[pool].steady if pool else None
        was = steady.was if steady else None
        earlier = earlier_words(made, was)
        before = say(" (was {words} at {at})", words=earlier, at=date(was.at)) if was and earlier else say("")
        parts.append(
            say(
                "*Forecast{about}:* {words}{was}.",
                about=also,
                words=forecast_words(made, cause.cause if cause else ""),
                was=before,
            )
        )
    return joined(" ", *parts) or None


def _status_page(view: View, pool: str, cause: Finding) -> Marked:
    """A link to the CI provider's status page, where the cause is the provider's and the page is configured."""
    rules = view.rules.get(pool)
    url = rules.status_url if rules and cause.cause in PROVIDER and cause.last_seen is None else ""
    return say(" {page}.", page=link(url, STATUS)) if url else say("")


def _or_else(cause: Finding, rivals: Sequence[str]) -> Marked:
    """What else it may be, where the first cause is hardly more than a guess."""
    if cause.confidence >= MEDIUM:
        return say("")
    names = listed([cause_name(one) for one in rivals], 2)
    return say(" It may also be: {names}.", names=escaped(names, 200)) if names else say(" No other known cause fits.")


def _proof(view: View, worst: Judged) -> Marked | None:
    pool, cause, _ = worst
    known = view.pools.get(pool)
    return proof(known.latest if known else None, view.rules.get(pool, PoolRules(pool)), cause)


def _before(incident: Incident, worst: Judged) -> Marked | None:
    """When it looked like this, while the cause is named for which closed incidents were asked."""
    _, cause, _ = worst
    current = cause is not None and cause.cause == incident.pools.looked_for
    return before_words(incident.pools.before) or None if current else None


def _waits_long(view: View, pool: str) -> bool:
    sample, rules = view.pools[pool].latest, view.rules.get(pool, PoolRules(pool))
    return sample is not None and (sample.oldest_wait_seconds or 0.0) > rules.normal_wait_seconds


def _short_verdict(worst: Judged) -> tuple[Marked | None, ...]:
    """(cause, forecast, whether scaling helps) for a notification, the most important first."""
    _, cause, made = worst
    if cause is not None and cause.last_seen is not None:
        cause = None
    first = escaped(cause_name(cause.cause), 60) if cause is not None else None
    foreseen = made is not None and made.verdict is not Verdict.NONE
    says = branch_words if made is not None and made.verdict is Verdict.UNTIL_REPAIRED else forecast_words
    second = escaped(says(made, cause.cause if cause else ""), 60) if made and foreseen else None
    return first, second, say("{helps}", helps=SCALING[cause.scaling]) if cause and cause.scaling in SCALING else None


def proof(sample: Snapshot | None, rules: PoolRules, cause: Finding | None) -> Marked | None:
    """One line of figures for the worst pool; None where none of them shows anything.

    Evidence of the past is left out: it stands in the thread.
    """
    shown = cause is not None and cause.evidence_at is None and cause.evidence
    seen = evidence_words(cause)[0] if cause and shown else ""
    if sample is not None and sample.idle and sample.queued and not sample.busy:
        jobs = "job is waiting" if sample.queued == 1 else "jobs are waiting"
        idle = f"{figure(sample.busy)} busy, {sample.idle:,} idle, {sample.queued:,} {jobs}: nothing is being assigned"
        return say("*Evidence:* {idle}.", idle=idle)
    unused = _unused(sample, rules)
    if unused and not seen.startswith(f"{unused[0]:,} of"):
        lead = say("*Only {online} of {limit}:*", online=f"{unused[0]:,}", limit=count(unused[1], "runner"))
        why = escaped(seen, MOST_EVIDENCE) or say("the figures do not say why")
        return say("{lead} {why}.", lead=lead, why=why)
    return say("*Evidence:* {seen}.", seen=escaped(seen, MOST_EVIDENCE)) if seen else None


def _unused(sample: Snapshot | None, rules: PoolRules) -> tuple[int, int] | None:
    """(online, allowed) of a pool whose jobs wait while it may have more runners than there are."""
    if sample is None or sample.online is None or sample.limit is None or not sample.queued:
        return None
    waits = (sample.oldest_wait_seconds or 0.0) > rules.boot_time_seconds
    return (sample.online, sample.limit) if waits and sample.online < sample.limit else None
