"""Processes a due lease: report whether runners came, announce its end, and return them."""

from dataclasses import dataclass, replace

from bot.context.context import Context
from bot.context.save import keep
from bot.core.incident.details.scaling import (
    LeaseNoted,
    LeaseStep,
    ReturnBlock,
    ReturnReason,
    RunnersCame,
    RunnersChecked,
)
from bot.core.incident.incident import Incident, noted
from bot.core.incident.reply_buttons import advanced, decided, offering, progressed, quiet
from bot.core.incident.timeline import Decision, Event
from bot.core.pool.pool import Snapshot, empty
from bot.core.record import Change, Claim, Put, Stored
from bot.core.requests.request import Progress, Request
from bot.core.scaling.lease import (
    EXTEND,
    HAND_BACK,
    Lease,
    PoolLeases,
    end_reason,
    extended_end,
    reviewed,
    warning_due_at,
    with_lease,
    with_queue,
)
from bot.core.scaling.verify import Evidence, verdict
from bot.ports import Refused, Unreachable
from bot.requests.submit import audited
from bot.scaling.hand_back import return_block, return_puts, return_request
from bot.scaling.limits import boot_seconds, pool_scaler_of
from bot.views.home.answers import plain_answer
from bot.views.words.timeline import details_words

FORGOTTEN_SECONDS = 86400.0
"""How long an empty lease record is kept."""
STUCK_SECONDS = 60.0
"""How often a blocked return is tried again."""


@dataclass(frozen=True, slots=True)
class LeaseView:
    """A lease's present state: the results of its requests, and its pool."""

    held: Stored[PoolLeases]
    leases: PoolLeases
    requests: dict[str, Request]
    sample: Snapshot | None
    now: float


@dataclass(frozen=True, slots=True)
class LeaseAnnouncement:
    lease: Lease
    event: Event
    details: RunnersChecked | LeaseNoted
    choices: tuple[str, ...] = ()
    figures: tuple[Snapshot, ...] = ()


async def maintain_lease(context: Context, claim: Claim) -> None:
    """Do the first due step and continue; otherwise return the time of the next step."""
    held = claim.of(PoolLeases)
    view = await _lease_view(context, held)
    for lease in view.leases.leases:
        if (news := await _news(context, view, lease)) is not None:
            await _tell(context, view, news)
            return
        if why := end_reason(lease, view.leases, view.now, _drained_seconds(context, claim.id)):
            await _return(context, view, lease, why)
            return
    due = _next_look(context, view)
    if await _progressed(context, view, due):
        return
    keep_seconds = None if view.leases.leases else FORGOTTEN_SECONDS
    await context.store.commit(Change(puts=(Put(held, view.leases, due, keep_seconds=keep_seconds),)))


async def _progressed(context: Context, view: LeaseView, due: float | None) -> bool:
    """Show in the replies how many of the requested runners came and work; False if they show it already."""
    for lease in view.leases.leases:
        request, sample = view.requests.get(lease.act), view.sample
        accepted = request is not None and request.progress is Progress.DONE and not lease.returning
        if not accepted or not lease.incident or sample is None or sample.at <= lease.asked_at:
            continue
        base = lease.before if lease.online is None else lease.online
        came = None if sample.online is None else min(max(sample.online - base, 0), lease.target - lease.before)
        drained = view.leases.empty_since is not None and view.leases.empty_since > lease.asked_at
        held = await context.store.get(Incident, lease.incident)

        def move(
            fresh: Incident, act: str = lease.act, came: int | None = came, busy: int | None = sample.busy,
            drained: bool = drained,
        ) -> Incident:  # fmt: skip
            return progressed(fresh, act, came, busy, drained=drained)

        if held is not None and move(held.value) is not held.value:
            await keep(context, held, move, due=view.now, also=(Put(view.held, view.leases, due),))
            return True
    return False


def _drained_seconds(context: Context, pool: str) -> float:
    """How long the queue must be empty; infinity for a pool without a configured scaler."""
    pool_scaler = context.pool_scalers.get(pool)
    return pool_scaler.policy.drained_seconds if pool_scaler else float("inf")


async def _lease_view(context: Context, held: Stored[PoolLeases]) -> LeaseView:
    ids = [known for lease in held.value.leases for known in (lease.act, lease.returning) if known]
    requests = {name: found.value for name, found in (await context.store.get_many(Request, ids)).items()}
    now = context.now()
    leases = reviewed(held.value, requests, now)
    sample = await _sample(context, held.value.id) if leases.leases else None
    floor = context.settings.file.rules_of(held.value.id).floor
    return LeaseView(held, with_queue(leases, empty(sample, floor), now), requests, sample, now)


async def _sample(context: Context, pool: str) -> Snapshot | None:
    """The pool now: a recent sample, else a new measurement; None if it fails."""
    latest = (await context.pool(pool)).latest
    if latest is not None and context.now() - latest.at <= 1.5 * context.settings.file.timing.poll:
        return latest
    try:
        return await context.metrics[pool].snapshot(pool) if pool in context.metrics else None
    except Unreachable:
        return None


async def _news(context: Context, view: LeaseView, lease: Lease) -> LeaseAnnouncement | None:
    """The announcement of a lease: whether runners came, or that its end is near."""
    request = view.requests.get(lease.act)
    if request is not None and request.progress is Progress.DONE and not (lease.verified or lease.returning):
        accepted_at = request.finished_at or lease.asked_at
        boot = boot_seconds(context, view.leases.id)
        evidence = Evidence(view.leases.id, accepted_at, boot, view.now, view.sample)
        if (found := verdict(lease, evidence)) is not None:
            if found.came not in {RunnersCame.VERIFIED, RunnersCame.UNSEEN}:
                found = verdict(lease, await _with_reasons(context, evidence)) or found
            figures = (view.sample,) if view.sample else ()
            verified = replace(lease, verified=found.came.value)
            return LeaseAnnouncement(verified, Event.VERIFIED, found, (HAND_BACK,), figures)
    if view.now >= warning_due_at(lease) and not lease.returning and view.now < (lease.ends_at or view.now):
        left = max(0.0, (lease.ends_at or view.now) - view.now)
        pool_scaler = context.pool_scalers.get(view.leases.id)
        longer = bool(lease.incident and pool_scaler and extended_end(lease, pool_scaler.policy, view.now))
        step = LeaseStep.ENDS_SOON if longer else LeaseStep.ENDS_FINALLY
        ends = LeaseNoted(step, view.leases.id, lease.target, left)
        choices = (EXTEND, HAND_BACK) if longer else (HAND_BACK,)
        return LeaseAnnouncement(replace(lease, warned=True), Event.LEASE, ends, choices)
    return None


async def _with_reasons(context: Context, evidence: Evidence) -> Evidence:
    """The same with the scaler's own figures and errors, if it responds."""
    try:
        capacity = await pool_scaler_of(context, evidence.pool).scaler.read()
    except (Unreachable, Refused):
        return evidence
    delivered = capacity.current if capacity.desired is not None else None
    return replace(evidence, delivered=delivered, trouble=capacity.trouble)


async def _return(context: Context, view: LeaseView, lease: Lease, why: ReturnReason) -> None:
    """Request the return; if it is blocked, say so once and try again later."""
    scalable = view.leases.id in context.pool_scalers
    if reason := return_block(context) or (None if scalable else ReturnBlock.NO_SCALER):
        waiting = replace(lease, retry_at=view.now + STUCK_SECONDS, stuck=reason)
        if lease.stuck is reason:
            put = Put(view.held, with_lease(view.leases, waiting), view.now + STUCK_SECONDS)
            await context.store.commit(Change(puts=(put,)))
            return
        stuck = LeaseNoted(LeaseStep.CANNOT_RETURN, view.leases.id, lease.target, why=reason)
        await _tell(context, view, LeaseAnnouncement(waiting, Event.LEASE, stuck))
        return
    back = return_request(context, view.leases.id, lease, "", why)
    puts = return_puts(view.held, view.leases, lease, back, view.now)
    await context.store.commit(Change(puts=puts, audit=(audited(back, view.now, f"asked: {why}"),)))


async def _tell(context: Context, view: LeaseView, news: LeaseAnnouncement) -> None:
    put = Put(view.held, with_lease(view.leases, news.lease), view.now)
    incident = await context.store.get(Incident, news.lease.incident) if news.lease.incident else None
    if incident is None:
        await context.store.commit(Change(puts=(put,)))
        await _whisper(context, news)
        return

    def move(fresh: Incident) -> Incident:
        if isinstance(news.details, RunnersChecked):
            before = fresh if quiet(news.details) else decided(fresh, news.lease.act, Decision.SETTLED)
            return advanced(before, view.now, news.event, news.details, request=news.lease.act, figures=news.figures,
                            choices=news.choices)  # fmt: skip
        after = noted(fresh, view.now, news.event, news.details, figures=news.figures)
        return offering(after, news.lease.act, news.choices)

    await keep(context, incident, move, due=view.now, also=(put,))


async def _whisper(context: Context, news: LeaseAnnouncement) -> None:
    words = details_words(news.details)
    await context.chat.whisper(news.lease.channel, news.lease.who, plain_answer(words))


def _next_look(context: Context, view: LeaseView) -> float | None:
    """Time of the next check: after a poll period while results are open, or at a known time."""
    times = []
    for lease in view.leases.leases:
        request = view.requests.get(lease.act)
        moving = request is not None and not request.finished
        unseen = request is not None and request.progress is Progress.DONE and not lease.verified
        if moving or unseen or lease.returning or lease.ends_at is not None:
            times.append(view.now + max(context.settings.file.timing.poll, 0.05))
        if lease.ends_at is not None and not lease.returning:
            times += [max(lease.ends_at, lease.retry_at, view.now + 0.05), max(warning_due_at(lease), view.now + 0.05)]
    return min(times, default=None)
