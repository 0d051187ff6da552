"""Processes a due lease: report whether runners came, announce its end, and return them."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bot.context.context import Context
from bot.context.measure_now import RECENT, sample_now
from bot.context.save import keep
from bot.core.alert import digest
from bot.core.incident.details.requests import (
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
from bot.core.notifications.tell import LaterResult, Tell
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
    verdict,
    warning_due_at,
    with_lease,
    with_queue,
)
from bot.notifications.outbox import tell_later
from bot.ports import Refused, Unreachable
from bot.requests.results import answering
from bot.requests.submit import audited
from bot.scaling.hand_back import return_block, return_puts, return_request
from bot.scaling.limits import pool_scaler_of

FORGOTTEN_SECONDS = 86400.0
"""How long an empty lease record is kept."""
STUCK_SECONDS = 60.0
"""How often a blocked return is tried again."""


News = tuple[Lease, RunnersChecked | LeaseNoted, tuple[str, ...]]
"""(the lease afterwards, its announcement, the actions that the reply offers)."""


@dataclass(frozen=True, slots=True)
class LeaseView:
    """A lease's present state: the results of its requests, and its pool."""

    held: Stored[PoolLeases]
    leases: PoolLeases
    requests: dict[str, Request]
    samples: Mapping[str, Snapshot]
    """By pool: those that share the autoscaler, where they have current figures."""
    now: float
    until: float
    """What the samples tell is known until then (epoch seconds): a late one tells nothing of the time since."""


async def maintain_lease(context: Context, claim: Claim) -> None:
    """Do the first due step and continue; otherwise return the time of the next step."""
    held, pool_scaler = claim.of(PoolLeases), context.pool_scalers.get(claim.id)
    ids = [known for lease in held.value.leases for known in (lease.act, lease.returning) if known]
    requests = {name: found.value for name, found in (await context.store.get_many(Request, ids)).items()}
    now = context.now()
    leases = reviewed(held.value, requests, now)
    samples = [await sample_now(context, name) for name in context.sharing(claim.id)] if leases.leases else []
    poll, known = context.settings.file.timing.poll, [sample for sample in samples if sample is not None]
    oldest = min((sample.at for sample in known), default=now)
    leases = with_queue(leases, _all_empty(context, samples), oldest)
    until = min(now, oldest + RECENT * poll) if known else now
    view = LeaseView(held, leases, requests, {sample.pool: sample for sample in known}, now, until)
    drained_seconds = pool_scaler.policy.drained_seconds + now - view.until if pool_scaler else float("inf")
    for lease in view.leases.leases:
        if (news := await _came(context, view, lease) or _ends_soon(context, view, lease)) is not None:
            await _tell(context, view, *news)
            return
        if why := end_reason(lease, view.leases, view.now, drained_seconds):
            await _return(context, view, lease, why)
            return
    due = _next_look(context, view)
    if await _progressed(context, view, due):
        return
    keep_seconds = None if view.leases.leases else FORGOTTEN_SECONDS
    await context.store.commit(Change(puts=(Put(held, view.leases, due, keep_seconds=keep_seconds),)))


def _all_empty(context: Context, samples: Sequence[Snapshot | None]) -> bool | None:
    """Whether no pool of the autoscaler queues; None if that is unknown of one and no other does."""
    rules = context.settings.file.rules_of
    found = [empty(sample, rules(sample.pool).floor) if sample else None for sample in samples]
    if False in found:
        return False
    return None if None in found or not found else True


async def _progressed(context: Context, view: LeaseView, due: float | None) -> bool:
    """Show in the replies how many of the requested runners came and work; False if they show it already."""
    for lease in view.leases.leases:
        request, sample = view.requests.get(lease.act), view.samples.get(view.leases.pool_of(lease))
        accepted = request is not None and request.progress is Progress.DONE and not lease.returning
        if not accepted or not lease.incident or sample is None or sample.at <= lease.requested_at:
            continue
        base = lease.before if lease.online is None else lease.online
        came = None if sample.online is None else min(max(sample.online - base, 0), lease.target - lease.before)
        drained = view.leases.empty_since is not None and view.leases.empty_since > lease.requested_at
        held = await context.store.get(Incident, lease.incident)
        move = partial(progressed, request=lease.act, registered=came, busy=sample.busy, drained=drained)
        if held is not None and move(held.value) is not held.value:
            await keep(context, held, move, due=view.now, also=(Put(view.held, view.leases, due),))
            return True
    return False


async def _came(context: Context, view: LeaseView, lease: Lease) -> News | None:
    request, pool = view.requests.get(lease.act), view.leases.pool_of(lease)
    if request is None or request.progress is not Progress.DONE or lease.verified or lease.returning:
        return None
    accepted_at, boot = (
        request.finished_at or lease.requested_at,
        context.settings.file.rules_of(pool).boot_time_seconds,
    )
    known = view.samples.get(pool)
    sample = known if known is not None and known.at > accepted_at else None
    after = (view.until if sample else view.now) - accepted_at
    if (found := verdict(lease, pool, sample, after, boot)) is None:
        return None
    if found.came not in {RunnersCame.VERIFIED, RunnersCame.UNSEEN}:
        with contextlib.suppress(Unreachable, Refused):
            capacity = await pool_scaler_of(context, pool).scaler.read()
            desired, found = capacity.desired, replace(found, trouble=capacity.trouble)
            if desired is not None:
                set_back = desired if desired < lease.target else None
                found = replace(found, delivered=capacity.current, set_back=set_back)
    return replace(lease, verified=found.came.value), found, (HAND_BACK,)


def _ends_soon(context: Context, view: LeaseView, lease: Lease) -> News | None:
    if view.now < warning_due_at(lease) or lease.returning or lease.ends_at is None or view.now >= lease.ends_at:
        return None
    pool_scaler = context.pool_scalers.get(view.leases.id)
    longer = bool(lease.incident and pool_scaler and extended_end(lease, pool_scaler.policy, view.now))
    step = LeaseStep.ENDS_SOON if longer else LeaseStep.ENDS_FINALLY
    ends = LeaseNoted(step, view.leases.pool_of(lease), lease.target, lease.ends_at - view.now)
    return replace(lease, warned=True), ends, (EXTEND, HAND_BACK) if longer else (HAND_BACK,)


async def _return(context: Context, view: LeaseView, lease: Lease, why: ReturnReason) -> None:
    """Request the return; if it is blocked, say so once and try again later."""
    scalable = view.leases.id in context.pool_scalers
    if reason := return_block(context) or (None if scalable else ReturnBlock.NO_SCALER):
        waiting = replace(lease, retry_at=view.now + STUCK_SECONDS, stuck=reason)
        if lease.stuck is reason:
            put = Put(view.held, with_lease(view.leases, waiting), view.now + STUCK_SECONDS)
            await context.store.commit(Change(puts=(put,)))
            return
        stuck = LeaseNoted(LeaseStep.CANNOT_RETURN, view.leases.pool_of(lease), lease.target, why=reason)
        await _tell(context, view, waiting, stuck, ())
        return
    back = return_request(context, view.leases.pool_of(lease), lease, "", why)
    puts = return_puts(view.held, view.leases, lease, back, view.now)
    await context.store.commit(Change(puts=puts, audit=(audited(back, view.now, f"asked: {why}"),)))


async def _tell(
    context: Context, view: LeaseView, lease: Lease, details: RunnersChecked | LeaseNoted, choices: tuple[str, ...]
) -> None:
    """Store the lease with its announcement in the thread; without an incident, tell its requester alone."""
    put = Put(view.held, with_lease(view.leases, lease), view.now)
    incident = await context.store.get(Incident, lease.incident) if lease.incident else None
    if incident is None:
        request = view.requests.get(lease.act)
        news = LaterResult(details, by_person=None)
        once = f"lease:{lease.act}:{digest(repr(details))}"
        tell = Tell("", lease.who, news, once=once, channel=lease.channel)
        puts = await tell_later(context, answering(tell, request))
        await context.store.commit(Change(puts=(put, *puts)))
        return

    def move(fresh: Incident) -> Incident:
        if isinstance(details, LeaseNoted):
            return offering(noted(fresh, view.now, Event.LEASE, details), lease.act, choices)
        before = fresh if quiet(details) else decided(fresh, lease.act, Decision.SETTLED)
        sample = view.samples.get(view.leases.pool_of(lease))
        figures = (sample,) if sample else ()
        return advanced(before, view.now, Event.VERIFIED, details, request=lease.act, figures=figures, choices=choices)

    await keep(context, incident, move, due=view.now, also=(put,))


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
